"""List and end sessions. Spec: §10.3."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.sign_in import Session, SignInSecret
from reviewinvite_core.domain.signed_in import SignedIn
from reviewinvite_core.execution import read, write
from reviewinvite_core.usecases.context import UnitContext


@read
def list_sessions(ctx: UnitContext, signed_in: SignedIn) -> Sequence[Session]:
    """Return the member's sessions that are open, the newest sign-in first."""
    return [each for each in ctx.store.sessions.of_member(signed_in.member.member_id) if each.is_open(ctx.now)]


@write(locks=lambda *_: frozenset())
def end_session(ctx: UnitContext, signed_in: SignedIn, session_id: str) -> bool:
    """End one of the member's own sessions, from its next request on; return False if it is unknown or has ended."""
    own = ctx.store.sessions.of_member(signed_in.member.member_id)
    found = next((each for each in own if each.session_id == session_id and each.is_open(ctx.now)), None)
    return found is not None and ctx.store.sessions.end(found.hash, ctx.now)


@write(locks=lambda *_: frozenset())
def end_other_sessions(ctx: UnitContext, signed_in: SignedIn) -> int:
    """End all open sessions of the member but this one, from their next request on; return how many."""
    own = ctx.store.sessions.of_member(signed_in.member.member_id)
    others = [each.hash for each in own if each.hash != signed_in.session.hash and each.is_open(ctx.now)]
    return sum(ctx.store.sessions.end(each, ctx.now) for each in others)


@write(locks=lambda *_: frozenset())
def sign_out(ctx: UnitContext, presented: str) -> None:
    """End the session with this secret; an unknown one is ignored."""
    secret = SignInSecret.parse(presented)
    if secret:
        ctx.store.sessions.end(secret.hash, ctx.now)
