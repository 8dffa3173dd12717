"""Periodic rechecks of every verified host's proof. Spec: §3, ADR-22."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta

import attrs

from reviewinvite_core.domain.domains import LOST_AFTER, Domain, Rechecked, VerificationResult
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.ports import DomainVerifier, StopSignal
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.clock_guard import ClockGuard
from reviewinvite_core.usecases.domains.record_check import record_domain_check

POLL_SECONDS = 60.0
PAUSE_SECONDS = 10.0
LAST_CHECKS = timedelta(minutes=5)  # between two checks of a proof whose 7 days are over
AHEAD = timedelta(minutes=5)  # a check dated later than this was made when the clock was ahead


@attrs.frozen(kw_only=True)
class Round:
    """What a round of rechecks needs. Without a `clock_guard` the wall clock is trusted."""

    transactions: TransactionRunner
    verifier: DomainVerifier
    stop: StopSignal
    clock_guard: ClockGuard | None = None


def recheck_due(round_: Round) -> Iterator[Rechecked]:
    """Check the proofs that are due, one at a time, until none is due or a stop is requested; yield each host checked.

    A host is claimed before its check, so that nobody else checks it; if the process is killed meanwhile, the host
    misses this one check.
    """
    while not round_.stop.is_set() and (taken := round_.transactions.run(_taking(round_.clock_guard))):
        result = round_.verifier.verify(taken.after)
        if round_.stop.is_set():
            return
        after = round_.transactions.run(_noting(taken.after, result, round_.clock_guard))
        if isinstance(after, Domain):
            yield attrs.evolve(taken, after=after)


def recheck_continually(
    round_: Round, on_change: Callable[[Rechecked], object], on_trouble: Callable[[Exception], object]
) -> None:
    """Recheck until a stop is requested; after an error, such as unavailable storage, pause and go on."""
    while not round_.stop.is_set():
        seconds = POLL_SECONDS
        try:
            for rechecked in recheck_due(round_):
                with suppress(Exception):  # a listener's error does not matter here
                    on_change(rechecked)
        except Exception as trouble:  # an unexpected error costs a pause, not all further checks
            with suppress(Exception):
                on_trouble(trouble)
            seconds = PAUSE_SECONDS
        round_.stop.wait(seconds)


def _taking(clock: ClockGuard | None) -> Callable[[UnitContext], Rechecked | None]:
    def take(ctx: UnitContext) -> Rechecked | None:
        """Claim the host whose check is longest due: date its check now, and return it.

        A host whose 7 days are over is due at once if its verification can end. Otherwise, with a worker that restarts
        at the same hour every day, all checks could fall before its clock is trusted; and `domain check` does not end
        verifications.
        """
        may_lose = clock is None or clock.is_trusted(ctx.now)
        domains = ctx.store.domains
        for due in domains.to_recheck(
            ctx.now - ctx.policies.domain_recheck,
            ctx.now + AHEAD,
            limit=1,
            missing_before=ctx.now - LOST_AFTER if may_lose else EPOCH,
            recently=ctx.now - LAST_CHECKS,
        ):
            shop = ctx.store.shops.by_number(due.shop_number)
            taken = attrs.evolve(due, checked_at=ctx.now)
            domains.change(taken)
            return Rechecked(site_id=shop.site_id.text if shop else "", before=due, after=taken)
        return None

    return take


def _noting(taken: Domain, result: VerificationResult, clock: ClockGuard | None) -> Callable[[UnitContext], object]:
    """Return the step that records a check; a verification ends only if the clock is trusted at that moment."""
    return lambda ctx: record_domain_check(ctx, taken, result, may_lose=clock is None or clock.is_trusted(ctx.now))
