"""What a use case has at hand while one unit of work runs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

import attrs

from reviewinvite_core.domain.limits import DailyQuota, Limit
from reviewinvite_core.domain.sealing import KeyRing
from reviewinvite_core.domain.views import ViewLimits
from reviewinvite_core.ports import Entropy, Store

T = TypeVar("T")


@attrs.frozen(kw_only=True)
class Policies:
    """The figures that the service promises, as the operator set them. Spec: §8."""

    orders_per_minute: Limit
    reads_per_minute: Limit
    snippets_per_minute: Limit
    snippets_per_day: DailyQuota
    snippets_per_recipient: Limit
    views_per_day: ViewLimits
    domain_recheck: timedelta
    review_link: timedelta
    lease: timedelta
    retention: timedelta


@attrs.frozen(kw_only=True)
class UnitContext:
    """One open transaction, the instant at which it runs, and what does not change while it does."""

    store: Store
    now: datetime
    entropy: Entropy
    ring: KeyRing
    policies: Policies


class TransactionRunner(Protocol):
    """Runs one step in a unit of work of its own; when it returns, what the step changed is durable.

    `locks` are what the step must have to itself (`ports.Locking`); None makes it a plain unit.
    """

    def __call__(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int] | None = None) -> T:
        """What the step returns, from a transaction that it has for itself.

        Raises: what the step raises; `StorageUnavailable`.
        """
        ...

    def run_batched(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int]) -> T:
        """What the step returns; its commit is shared with what others do at the same time.

        Raises: what the step raises; `StorageUnavailable`.
        """
        ...
