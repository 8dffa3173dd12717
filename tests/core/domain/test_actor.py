"""Who acts for a shop: the operator, a member, or an API key."""

from __future__ import annotations

import pytest

from reviewinvite_core import OPERATOR, Caller, SiteId
from reviewinvite_core.domain.actor import actor_of
from reviewinvite_core.values import Actor, ActorKind, Operator


@pytest.mark.parametrize(
    ("acting", "actor"),
    [
        ("example-shop", Actor(ActorKind.OPERATOR)),
        (OPERATOR, Actor(ActorKind.OPERATOR)),
        (Caller(shop_number=1, site_id=SiteId("example-shop")), Actor(ActorKind.OPERATOR)),
        (Caller(shop_number=1, site_id=SiteId("example-shop"), key_id="key_1"), Actor(ActorKind.API_KEY, "key_1")),
        (Caller(shop_number=1, site_id=SiteId("example-shop"), member_id="m1"), Actor(ActorKind.MEMBER, "m1")),
    ],
)
def test_each_caller_has_an_actor(acting: str | Caller | Operator, actor: Actor) -> None:
    assert actor_of(acting) == actor
