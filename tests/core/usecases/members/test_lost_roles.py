"""A member acts as long as the role lasts: each call checks it in its own transaction. Spec: §10.1."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import pytest
from tests.core.usecases.harness import AppHarness
from tests.members import OWNER, SITE, STAFF, add_member, member_id_of, resumed, signed_in_as
from tests.units import unit_of

from reviewinvite_core import Actor, Role, SiteId, State, accepted
from reviewinvite_core.domain.members import role_lock
from reviewinvite_core.ports import LockedUnit, Store
from reviewinvite_core.testing.builders import an_order_report
from reviewinvite_core.usecases.members.change import remove_member, set_role
from reviewinvite_core.usecases.orders.report import MOST_LOCKS, import_locks
from reviewinvite_core.values import KeyRefused, Permission

LOST = KeyRefused(presented=True)
BARELY = 0.3  # seconds in which the other transaction may come to its end, but must not


def caller_for(harness: AppHarness, email: str, permission: Permission) -> Actor:
    """Return a member's right to act for the shop, as a request gets it."""
    signed_in = resumed(harness.app, signed_in_as(harness.app, email))
    caller = signed_in.actor(SITE, permission, harness.clock.now())
    assert isinstance(caller, Actor)
    return caller


def with_members(harness: AppHarness) -> AppHarness:
    add_member(harness.app, OWNER)
    add_member(harness.app, STAFF, role=Role.OWNER)
    return harness


def test_a_member_imports_orders_as_long_as_the_role_lasts(harness: AppHarness) -> None:
    app, orders = with_members(harness).app, [an_order_report(f"{name}@example.com") for name in "ab"]
    as_owner, as_member = (
        caller_for(harness, STAFF, each) for each in (Permission(Role.OWNER), Permission(Role.STAFF))
    )
    accepted(app.members.set_role(SITE, member_id_of(app, STAFF), Role.STAFF))
    assert app.orders.report(as_owner, orders[0]) == LOST
    assert app.orders.import_many(as_owner, orders) == [LOST, LOST]
    assert [accepted(each).duplicate for each in app.orders.import_many(as_member, orders)] == [False, False]
    accepted(app.members.remove(SITE, member_id_of(app, STAFF)))
    assert app.orders.report(as_member, orders[0]) == LOST
    assert app.orders.import_many(as_member, orders) == [LOST, LOST]


def test_an_import_of_any_size_holds_the_members_role() -> None:
    caller = Actor(shop_number=1, site_id=SiteId.parse(SITE), member_id="mem_1")
    for orders in ([an_order_report()], [an_order_report()] * (MOST_LOCKS + 1)):
        assert role_lock("mem_1") in import_locks(caller, orders)


@pytest.mark.parametrize("ends", ["lowered", "removed"])
def test_who_acts_while_the_role_is_being_taken_away_is_refused(concurrent_harness: AppHarness, ends: str) -> None:
    app = with_members(concurrent_harness).app
    invite_id = concurrent_harness.report().invite_id
    caller, member_id = caller_for(concurrent_harness, STAFF, Permission(Role.OWNER)), member_id_of(app, STAFF)
    taking_away = (
        unit_of(app, set_role, SITE, member_id, Role.STAFF)
        if ends == "lowered"
        else unit_of(app, remove_member, SITE, member_id)
    )
    assert isinstance(taking_away, LockedUnit)
    acting: list[Future[object]] = []

    with ThreadPoolExecutor(1) as other:

        def take_away_while_the_member_acts(store: Store) -> None:
            accepted(taking_away(store))
            acting.append(other.submit(app.invitations.cancel, caller, invite_id))
            with suppress(TimeoutError):  # the other transaction waits for the end of this one
                acting[0].result(BARELY)

        concurrent_harness.storage.run(LockedUnit(take_away_while_the_member_acts, taking_away.locks))
        assert acting[0].result() == LOST
    assert concurrent_harness.state(invite_id)[0] is State.SCHEDULED
