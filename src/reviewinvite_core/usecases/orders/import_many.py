"""Report many orders in one unit of work."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import KeyRefused, LimitReached, ShopInactive
from reviewinvite_core.domain.orders import OrderReport, Reported, order_lock
from reviewinvite_core.domain.provenance import Provenance, Source
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.admission import ORDER, admit, credential_locks
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.orders.schedule import NewOrder, schedule_invitations

MOST_LOCKS = 1_000


def import_locks(caller: Caller, reports: Sequence[OrderReport]) -> frozenset[int]:
    """Return the lock of a member's role, and those of all orders (`ports.LockedUnit`) unless there are too many.

    A server has room for a few thousand locks, so a larger import takes none for its orders. If two imports contain
    the same orders, each order is still stored once; if the imports wait for each other, one of them is rerun (ADR-13).
    """
    locks = credential_locks(caller)
    return locks.union(map(order_lock, reports)) if len(reports) <= MOST_LOCKS else locks


@write(locks=import_locks)
def import_orders(
    ctx: UnitContext, caller: Caller, reports: Sequence[OrderReport]
) -> Sequence[Reported | KeyRefused | ShopInactive]:
    """Report many orders in one unit of work: all of them are stored, or the whole import has no effect."""
    shop = admit(ctx, caller, ORDER)
    assert not isinstance(shop, LimitReached)  # noqa: S101 - for the type checker: no limit applies to a caller
    if not isinstance(shop, Shop):
        return [shop] * len(reports)
    source = Source.IMPORT if caller.member_id is None else Source.DASHBOARD
    provenance = Provenance(source=source, key_id=caller.key_id)
    return schedule_invitations(ctx, [NewOrder(shop, report, provenance) for report in reports])
