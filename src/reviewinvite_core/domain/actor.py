"""Who acts for a shop, and under which name the shop's history keeps it. ADR-41."""

from __future__ import annotations

from enum import StrEnum

import attrs

from reviewinvite_core.domain.api_key import Actor, Operator


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


def ref_of(actor: str | Actor | Operator) -> ActorRef:
    """Return who acts: the member or the key of an actor, or the operator who vouches for all others."""
    if isinstance(actor, Actor) and actor.member_id is not None:
        return ActorRef(ActorKind.MEMBER, actor.member_id)
    if isinstance(actor, Actor) and actor.key_id is not None:
        return ActorRef(ActorKind.API_KEY, actor.key_id)
    return ActorRef(ActorKind.OPERATOR)
