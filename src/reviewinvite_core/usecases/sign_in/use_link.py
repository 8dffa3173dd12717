"""Sign in with a link. Spec: §10.2, §10.3."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.sign_in import SECRET_BYTES, Session, SignInSecret, to_device
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.sign_in.links import open_link
from reviewinvite_core.usecases.sign_in.mail import mail_new_device


@attrs.frozen(kw_only=True)
class NewSession:
    """A new session and its secret, which cannot be read from storage."""

    secret: SignInSecret
    session: Session


def link_locks(token: str, *_: object) -> frozenset[int]:
    """Return the lock of the link."""
    return frozenset({lock_id(LockKind.LINK, token)})


@write(locks=link_locks)
def use_link(ctx: UnitContext, token: str, device: str, previous: str | None = None) -> NewSession | None:
    """Begin a session with a new secret, and end `previous`, the one that the browser had; return None as `show_link`.

    Of two uses at the same time, one begins a session.
    """
    secret = SignInSecret.parse(token)
    found = open_link(ctx, secret) if secret else None
    if found is None or not ctx.store.sign_in_links.use(found[0].hash, ctx.now):
        return None
    _, member = found
    ctx.store.members.change(attrs.evolve(member, signed_in_at=ctx.now))
    replaced = SignInSecret.parse(previous) if previous else None
    if replaced:
        ctx.store.sessions.end(replaced.hash, ctx.now)
    opened = SignInSecret.make(ctx.entropy.draw(SECRET_BYTES))
    session = Session(
        hash=opened.hash,
        member_id=member.member_id,
        signed_in_at=ctx.now,
        last_seen_at=ctx.now,
        device=to_device(device),
    )
    if all(each.device != session.device for each in ctx.store.sessions.of_member(member.member_id)):
        mail_new_device(ctx, member, session)
    ctx.store.sessions.add(session)
    return NewSession(secret=opened, session=session)
