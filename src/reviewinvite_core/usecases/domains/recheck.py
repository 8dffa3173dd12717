"""Look anew, from time to time, for the proof of every verified host. Spec: §3, ADR-22."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta

import attrs

from reviewinvite_core.domain.domains import LOST_AFTER, Domain, Rechecked, VerificationResult
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.ports import DomainVerifier
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.attempt import StopSignal
from reviewinvite_core.usecases.delivery.clock_guard import ClockGuard
from reviewinvite_core.usecases.domains.record_check import record_domain_check

POLL_SECONDS = 60.0
PAUSE_SECONDS = 10.0
LAST_CHECKS = timedelta(minutes=5)  # between two looks for a proof whose 7 days are over
AHEAD = timedelta(minutes=5)  # a look that took place later than this from now was dated by a clock that was ahead


@attrs.frozen(kw_only=True)
class Round:
    """What a round of looks works with. Without a `clock_guard` the wall clock is trusted."""

    transactions: TransactionRunner
    verifier: DomainVerifier
    stop: StopSignal
    clock_guard: ClockGuard | None = None


def recheck_due(round_: Round) -> Iterator[Rechecked]:
    """Look for each proof that is due, one at a time, until none is or a stop is wished; yields how each host stands.

    A host is taken before it is looked at, so that nobody else does; a process that is killed meanwhile costs the host
    this one look.
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
    """Look for what is due until a stop is wished; storage that is away is waited for, and no fault ends it."""
    while not round_.stop.is_set():
        seconds = POLL_SECONDS
        try:
            for rechecked in recheck_due(round_):
                with suppress(Exception):  # a listener's fault is its own
                    on_change(rechecked)
        except Exception as trouble:  # one that nobody foresaw costs a pause, not all looks from now on
            with suppress(Exception):
                on_trouble(trouble)
            seconds = PAUSE_SECONDS
        round_.stop.wait(seconds)


def _taking(clock: ClockGuard | None) -> Callable[[UnitContext], Rechecked | None]:
    def take(ctx: UnitContext) -> Rechecked | None:
        """The host whose look is longest due, dated now.

        One whose 7 days are over is due at once, where that can end its verification: a worker that is started anew
        at the same hour every day looks when no clock is believed yet, and a `domain check` ends nothing.
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
    """What is given up for good is given up by a clock that is believed at that very instant."""
    return lambda ctx: record_domain_check(ctx, taken, result, may_lose=clock is None or clock.is_trusted(ctx.now))
