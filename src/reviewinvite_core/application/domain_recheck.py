"""Recheck the hosts of shops in a thread beside deliveries, without delaying them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

import attrs

from reviewinvite_core.application.facade import CheckedArguments, FindableNames
from reviewinvite_core.domain.api_key import Actor, Credential
from reviewinvite_core.domain.domains import Rechecked
from reviewinvite_core.domain.errors import Invalid, StorageUnavailable
from reviewinvite_core.domain.refusals import (
    DomainTaken,
    DomainUnknown,
    KeyRefused,
    LimitReached,
    ShopInactive,
    ShopUnknown,
)
from reviewinvite_core.ports import DomainVerifier, StopSignal
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.clock_guard import ClockGuard
from reviewinvite_core.usecases.domains import DomainCheck, Round, check_domain, recheck_continually, recheck_due

T = TypeVar("T")


class DomainRechecker(FindableNames, CheckedArguments):
    """Check the hosts of shops again: `once` until none is due, `continually`, or `in_background`."""

    def __init__(
        self,
        *,
        verifier: DomainVerifier,
        transactions: TransactionRunner,
        clock_guard: ClockGuard | None = None,
        require_open: Callable[[], None] = lambda: None,
    ) -> None:
        """Do not call this; use `build`."""
        self._require_open = require_open
        self._verifier = verifier
        self._transactions = transactions
        self._clock_guard = clock_guard

    def check(
        self, actor: str | Actor | Credential, host: str | Invalid
    ) -> DomainCheck | ShopUnknown | DomainUnknown | DomainTaken | KeyRefused | ShopInactive | LimitReached | Invalid:
        """Check one host now; what is not a host name is unknown.

        Raises: `StorageUnavailable`.
        """
        return check_domain(self._transactions, self._verifier, actor, host)

    def once(self, stop: StopSignal | None = None) -> Sequence[Rechecked]:
        """Check hosts until none is due or `stop` is set; return each host before and after its check.

        Raises: `StorageUnavailable`.
        """
        return list(recheck_due(self._round(self._transactions, stop or threading.Event())))

    def continually(
        self,
        stop: StopSignal,
        *,
        on_change: Callable[[Rechecked], object] | None = None,
        on_trouble: Callable[[Exception], object] | None = None,
    ) -> None:
        """Check the hosts that are due until `stop` is set; a check in progress may then take up to 10 more seconds.

        Events are logged, unless `on_change` and `on_trouble` are given to receive them instead.

        Raises: `ApplicationClosed`. While storage is unavailable, checks wait for it.
        """
        self._require_open()
        self._continually(self._transactions, stop, on_change, on_trouble)

    def in_background(self) -> BackgroundRechecker:
        """Start rechecking in a background thread; end it before you close the application.

        Raises: `ApplicationClosed`.
        """
        self._require_open()
        return BackgroundRechecker(
            self._transactions, lambda transactions, stop: self._continually(transactions, stop, None, None)
        )

    def _continually(
        self,
        transactions: TransactionRunner,
        stop: StopSignal,
        on_change: Callable[[Rechecked], object] | None,
        on_trouble: Callable[[Exception], object] | None,
    ) -> None:
        from reviewinvite_core.adapters import log

        recheck_continually(
            self._round(transactions, stop), on_change or log.note_recheck, on_trouble or log.note_recheck_trouble
        )

    def _round(self, transactions: TransactionRunner, stop: StopSignal) -> Round:
        return Round(transactions=transactions, verifier=self._verifier, stop=stop, clock_guard=self._clock_guard)


class BackgroundRechecker:
    """Rechecks on a background thread."""

    def __init__(
        self, transactions: TransactionRunner, recheck: Callable[[TransactionRunner, StopSignal], None]
    ) -> None:
        self._transactions = transactions
        self._ended = threading.Event()
        self._at_storage = threading.Lock()
        threading.Thread(target=recheck, args=(self._guarded(), self._ended), name="domains", daemon=True).start()

    def end(self, seconds: float) -> bool:
        """Start no new work on storage; wait up to `seconds` for the work in progress, and return whether it has ended.

        This does not wait for a network lookup in progress; the result of the lookup is dropped.
        """
        self._ended.set()
        idle = self._at_storage.acquire(timeout=seconds)
        if idle:
            self._at_storage.release()
        return idle

    def _guarded(self) -> TransactionRunner:
        return _StoppableTransactions(self._transactions, self._at_storage, self._ended)


@attrs.frozen
class _StoppableTransactions:
    """Runs transactions until the end is requested."""

    _transactions: TransactionRunner
    _at_storage: threading.Lock
    _ended: threading.Event

    def run(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int] | None = None) -> T:
        with self._at_storage:
            self._go_on()
            return self._transactions.run(step, locks=locks)

    def run_batched(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int]) -> T:
        with self._at_storage:
            self._go_on()
            return self._transactions.run_batched(step, locks=locks)

    def _go_on(self) -> None:
        if self._ended.is_set():
            raise StorageUnavailable("the process is shutting down")
