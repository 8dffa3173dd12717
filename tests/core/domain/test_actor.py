"""Who acts for a shop: the operator, a member, or an API key."""

from __future__ import annotations

import pytest

from reviewinvite_core import OPERATOR, Actor, SiteId
from reviewinvite_core.domain.actor import ref_of
from reviewinvite_core.values import ActorKind, ActorRef, Operator


@pytest.mark.parametrize(
    ("acting", "actor"),
    [
        ("example-shop", ActorRef(ActorKind.OPERATOR)),
        (OPERATOR, ActorRef(ActorKind.OPERATOR)),
        (Actor(shop_number=1, site_id=SiteId("example-shop")), ActorRef(ActorKind.OPERATOR)),
        (Actor(shop_number=1, site_id=SiteId("example-shop"), key_id="key_1"), ActorRef(ActorKind.API_KEY, "key_1")),
        (Actor(shop_number=1, site_id=SiteId("example-shop"), member_id="m1"), ActorRef(ActorKind.MEMBER, "m1")),
    ],
)
def test_each_caller_has_an_actor(acting: str | Actor | Operator, actor: ActorRef) -> None:
    assert ref_of(acting) == actor
