"""Clean up what is out of date: claims of dead workers, overdue invitations and old counters."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import OVERDUE_AFTER, Invitation
from reviewinvite_core.domain.limits import DAY, MINUTE, day_of
from reviewinvite_core.domain.notices import MailItem
from reviewinvite_core.usecases.context import UnitContext

MOST_AT_ONCE = 500
NO_LEASE_IS_SO_LONG = timedelta(days=2)  # twice the longest possible setting: another worker's may be longer than ours


def recover_abandoned(ctx: UnitContext) -> Sequence[Invitation]:
    """Recover invitations that a worker left behind when it died; return those changed, as they are now.

    An invitation that had not passed the fence is rescheduled. One that had may have been sent: it becomes `uncertain`
    and is never resent automatically (ADR-7). A claim longer than any lease, which was made when a clock was ahead, is
    treated in the same way (ADR-12).
    """
    recovered = []
    for held in ctx.store.invitations.abandoned(ctx.now, ctx.now + NO_LEASE_IS_SO_LONG, MOST_AT_ONCE):
        if held.state is State.CLAIMED:
            after = held.moved(State.SCHEDULED, Reason.LEASE_EXPIRED, ctx.now)
        else:
            after = held.moved(State.UNCERTAIN, Reason.PROCESS_DIED, ctx.now, claim=held.claim)
        if ctx.store.invitations.change(held, after):
            recovered.append(after)
    return recovered


def release_claims(ctx: UnitContext, worker: bytes) -> Sequence[MailItem]:
    """Schedule what a missing worker has claimed; return what changed. What it was handing over stays as it is.

    If the worker lives after all, its deliveries stop at the fence: the claims are no longer theirs (ADR-70).
    """
    released: list[MailItem] = []
    for invitation in ctx.store.invitations.claimed_by(worker, MOST_AT_ONCE):
        later = invitation.moved(State.SCHEDULED, Reason.LEASE_EXPIRED, ctx.now)
        if ctx.store.invitations.change(invitation, later):
            released.append(later)
    for message in ctx.store.notices.claimed_by(worker, MOST_AT_ONCE):
        after = message.moved(State.SCHEDULED, Reason.LEASE_EXPIRED, ctx.now)
        if ctx.store.notices.change(message, after):
            released.append(after)
    return released


def expire_overdue(ctx: UnitContext) -> Sequence[Invitation]:
    """Expire invitations due more than 60 days ago: their shop stayed inactive, or no worker ran."""
    expired = []
    for waiting in ctx.store.invitations.overdue(ctx.now - OVERDUE_AFTER, MOST_AT_ONCE):
        after = waiting.moved(State.EXPIRED, Reason.OVERDUE, ctx.now)
        if ctx.store.invitations.change(waiting, after):
            expired.append(after)
    return expired


def sweep_rate_limit_log(ctx: UnitContext) -> int:
    """Delete admissions that no longer affect a limit; return how many were handled.

    Those dated more than a minute ahead came before the clock was set back. They are dated to now, so that they still
    count for one window, and not until the clock reaches their dates (ADR-48).
    """
    log, now = ctx.store.rate_limit_log, ctx.now
    swept = log.sweep(now - MINUTE - timedelta(seconds=10), MOST_AT_ONCE)
    return swept + log.bring_back_all(now, later_than=now + MINUTE, limit=MOST_AT_ONCE - swept)


def sweep_daily_counters(ctx: UnitContext) -> int:
    """Delete counters older than yesterday's, and reports of snippets older than a day; return how many.

    Another machine's clock may still be at yesterday.
    """
    swept = ctx.store.snippet_reports.sweep(ctx.now - DAY - MINUTE, MOST_AT_ONCE)
    return swept + ctx.store.daily_counters.sweep(day_of(ctx.now) - DAY, MOST_AT_ONCE)
