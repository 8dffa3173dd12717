"""Schedule rejected invitations again, if they certainly never left. Spec: §3, ADR-69."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from itertools import islice

import attrs

from reviewinvite_core.domain.deliveries import ItemKey
from reviewinvite_core.domain.handovers import DeliveryPaused, HighWaterMark
from reviewinvite_core.domain.identifiers import parse_uuid
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation, NotRetried, obstacle_to_retry
from reviewinvite_core.ports import Storage
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.outcomes import change_all
from reviewinvite_core.usecases.delivery.restore_guard import RestoreGuard, pause_at

MOST_AT_ONCE = 500


@attrs.frozen(kw_only=True)
class ManyRetried:
    """The ids of the invitations that were scheduled again, and of the others, by the reason why not."""

    scheduled: Sequence[str]
    refused: Mapping[NotRetried, Sequence[str]]


@attrs.frozen(kw_only=True)
class Retries:
    """Tries invitations again, in transactions of up to 500."""

    transactions: TransactionRunner
    storage: Storage
    guard: RestoreGuard | None

    def retry(self, invite_ids: Sequence[str]) -> ManyRetried:
        """Try the invitations with these ids again.

        Raises: `DeliveryPaused`, `ConfigurationError`, `StorageUnavailable`; the transactions before stay.
        """
        found = {text: self._locate(text) for text in invite_ids}
        tried = self._retry(each for each in found.values() if each)
        unknown = {NotRetried.UNKNOWN: [text for text, invitation in found.items() if invitation is None]}
        return attrs.evolve(tried, refused={**tried.refused, **unknown}) if unknown[NotRetried.UNKNOWN] else tried

    def retry_rejected(self, since: datetime) -> ManyRetried:
        """Try all invitations again that were rejected since then; see `retry`."""
        return self._retry(self._rejected(since))

    def count_rejected(self, since: datetime) -> int:
        """Count the invitations that were rejected since then, whether they can be tried again or not."""
        return sum(1 for _ in self._rejected(since))

    def _locate(self, text: str) -> Invitation | None:
        invite_id = parse_uuid(text)
        return self.storage.read(lambda store: store.invitations.locate(invite_id)) if invite_id else None

    def _rejected(self, since: datetime) -> Iterator[Invitation]:
        for shop in self.storage.read(lambda store: store.shops.every()):
            page = partial(self._page, shop.number)
            found = page(None)
            while found:
                yield from (each for each in found if each.changed_at >= since)
                found = page(found[-1].invite_id) if len(found) == MOST_AT_ONCE else ()

    def _page(self, shop_number: int, before: str | None) -> Sequence[Invitation]:
        return self.storage.read(
            lambda store: store.invitations.of_shop(
                shop_number, before=before, order_number=None, limit=MOST_AT_ONCE, state=State.REJECTED
            )
        )

    def _retry(self, invitations: Iterable[Invitation]) -> ManyRetried:
        scheduled: list[str] = []
        refused: dict[NotRetried, list[str]] = {}
        waiting = (each.key for each in invitations)
        while some := list(islice(waiting, MOST_AT_ONCE)):
            for invite_id, obstacle in retry(self.transactions, self.guard, some).items():
                (scheduled if obstacle is None else refused.setdefault(obstacle, [])).append(invite_id)
        return ManyRetried(scheduled=scheduled, refused=refused)


def retry(
    transactions: TransactionRunner, guard: RestoreGuard | None, keys: Sequence[ItemKey]
) -> Mapping[str, NotRetried | None]:
    """Schedule these invitations again in one transaction; return for each id why not, or None.

    No unit of `reconcile` runs meanwhile: one that it has passed over must not be scheduled before sending resumes.

    Raises: `DeliveryPaused`, `ConfigurationError`, `StorageUnavailable`.
    """
    mark = guard.store.read() if guard else None
    return transactions.run(lambda ctx: _retry(ctx, guard, mark, keys))


def _retry(
    ctx: UnitContext, guard: RestoreGuard | None, mark: HighWaterMark | None, keys: Sequence[ItemKey]
) -> Mapping[str, NotRetried | None]:
    if guard and (pause := pause_at(mark, ctx.store.hosts.every(), one_host=guard.one_host)):
        raise DeliveryPaused(pause)
    stored = ctx.store.invitations.find_all(keys)
    found = [stored[key] for key in keys if key in stored]
    suppressed = ctx.store.suppressions.covered([_recipient(each) for each in found], ctx.now)
    epoch = ctx.store.relay.state().epoch
    obstacles = {
        each.invite_id: obstacle_to_retry(
            each, ctx.store.invitations.history(each), epoch=epoch, suppressed=_recipient(each) in suppressed
        )
        for each in found
    }
    changes = [
        (each, each.moved(State.SCHEDULED, Reason.RETRIED, ctx.now, due_at=ctx.now))
        for each in found
        if obstacles[each.invite_id] is None
    ]
    changed = change_all(ctx, changes)
    lost = (before.invite_id for before, _ in changes if before.key not in changed)
    return {**obstacles, **dict.fromkeys(lost, NotRetried.NOT_REJECTED)}


def _recipient(invitation: Invitation) -> tuple[int, bytes]:
    return invitation.shop_number, invitation.address_hash
