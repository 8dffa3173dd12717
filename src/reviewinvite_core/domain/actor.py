"""Who acts for a shop, and under which name the shop's history keeps it. ADR-41."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.api_key import Actor, Credential, Operator

Acting: TypeAlias = str | Credential
"""Who acts for a shop: its site id, for the operator or an embedding application, or a credential for that shop."""


class ActorKind(StrEnum):
    """Kind of an actor."""

    OPERATOR = "operator"
    MEMBER = "member"
    API_KEY = "api_key"


@attrs.frozen
class ActorRef:
    """Who did something; `id` is the id of the member or of the API key, or None for the operator."""

    kind: ActorKind
    id: str | None = None


def ref_of(acting: str | Actor | Operator) -> ActorRef:
    """Return who acts: the member or the key of a caller, or the operator who vouches for all others."""
    if isinstance(acting, Actor) and acting.member_id is not None:
        return ActorRef(ActorKind.MEMBER, acting.member_id)
    if isinstance(acting, Actor) and acting.key_id is not None:
        return ActorRef(ActorKind.API_KEY, acting.key_id)
    return ActorRef(ActorKind.OPERATOR)
