"""What is available to a use case while its unit of work runs."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol, TypeVar

import attrs

from reviewinvite_core.domain.client_counts import ClientCounts
from reviewinvite_core.domain.limits import DailyQuota, Limit
from reviewinvite_core.domain.sealing import KeyRing
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_core.domain.views import ViewLimits
from reviewinvite_core.ports import Entropy, Store

T = TypeVar("T")


@attrs.frozen(kw_only=True)
class Policies:
    """The service's limits and periods as the operator set them, and the dashboard's address. Spec: §8."""

    orders_per_minute: Limit
    reads_per_minute: Limit
    snippets_per_minute: Limit
    snippets_per_day: DailyQuota
    snippets_per_recipient: Limit
    snippets_per_person: Limit
    snippets_per_client: DailyQuota
    views_per_day: ViewLimits
    domain_recheck: timedelta
    review_link: timedelta
    lease: timedelta
    retention: timedelta
    dashboard_url: str


@attrs.frozen(kw_only=True)
class UnitContext:
    """One open transaction, the instant at which it runs, and what else a use case needs from its process.

    `note_empty_number` is called with a shop that has sent an empty order number, and that instant, and
    `note_name_waiting` with a shop that asks for a name which the operator has to approve. The transaction may still
    fail then.
    """

    store: Store
    now: datetime
    entropy: Entropy
    ring: KeyRing
    policies: Policies
    client_counts: ClientCounts
    note_empty_number: Callable[[SiteId, datetime], None] = attrs.field(default=lambda *_: None, eq=False)
    note_name_waiting: Callable[[SiteId], None] = attrs.field(default=lambda _: None, eq=False)


class TransactionRunner(Protocol):
    """Runs steps as units of work; a step's changes are durable on return.

    `locks` are those of the step (`ports.LockedUnit`); None means the global lock, which is shared by all units without
    named locks.
    """

    def run(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int] | None = None) -> T:
        """Run the step in its own transaction and return its result.

        Raises: what the step raises; `StorageUnavailable`.
        """

    def run_batched(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int]) -> T:
        """Run the step and return its result; share the commit with other steps that run at the same time.

        Raises: what the step raises; `StorageUnavailable`.
        """
