"""A mail server that refuses all mail: nothing is lost, and all of it is sent once (ADR-69)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import timedelta
from itertools import pairwise

import attrs
import pytest
from tests.budgets import in_full
from tests.core.usecases.harness import AppHarness, MailScript, ScriptedMailer
from tests.messages import queue

from reviewinvite_core import accepted
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.ports import Message, RefusedForNow, Rejected, Storage, Unreachable
from reviewinvite_core.testing.builders import a_shop, an_order_report

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
CLOSED = MailScript(at_stage=Rejected("554 5.7.1"))


class Relay(ScriptedMailer):
    """A mail server that treats each recipient as `treat` says."""

    def __init__(self, treat: Callable[[str], MailScript]) -> None:
        super().__init__()
        self.treat = treat

    async def stage(self, message: Message):  # type: ignore[no-untyped-def]
        self.scripts = [self.treat(message.recipient)]
        return await super().stage(message)


class Shops(AppHarness):
    """Two shops whose mail goes through one relay."""

    def __init__(self, treat: Callable[[str], MailScript], storage: Storage | None = None) -> None:
        super().__init__(storage=storage)
        self.relay = self.mailer = Relay(treat)
        self.rebuild(mark=None)
        self.app.shops.add(a_shop("molen"))

    def order(self, address: str, shop: str = "bakkerij-1", *, delay: float = 0) -> str:
        caller = accepted(self.app.shops.act_for(shop))
        return accepted(self.app.orders.report(caller, an_order_report(address, delay_days=delay))).invite_id

    def run_for(self, span: timedelta, every: timedelta = 10 * MINUTE) -> None:
        end = self.clock.now() + span
        while self.clock.now() < end:
            self.clock.advance(every)
            self.deliver()

    def sent(self) -> list[str]:
        return sorted(each.recipient for each in self.mailer.committed)


def closed(_: str) -> MailScript:
    return CLOSED


def healthy(_: str) -> MailScript:
    return MailScript()


@pytest.fixture(params=[pytest.param("memory"), pytest.param("sqlite"), in_full("postgres")])
def storage(request: pytest.FixtureRequest) -> Iterator[Storage]:
    if request.param == "memory":
        stored: Storage = MemoryStorage()
    elif request.param == "sqlite":
        stored = SqliteStorage(request.getfixturevalue("sqlite_folder") / "test.db")
    else:
        stored = PostgresStorage(request.getfixturevalue("postgres_url"))
    with closing(stored):
        yield stored


@pytest.mark.parametrize(
    "failure",
    [
        pytest.param(MailScript(at_stage=Rejected("554 5.7.1")), id="554 5.7.1 to all"),
        in_full(MailScript(at_stage=Unreachable("ConnectionRefusedError")), id="a closed port"),
        in_full(MailScript(answer=Rejected("550")), id="a bare 550 after the dot"),
        in_full(MailScript(at_stage=RefusedForNow("451")), id="451 to all"),
        in_full(MailScript(at_stage=RefusedForNow("553 5.1.8")), id="the sender is refused"),
    ],
)
def test_after_a_week_without_relay_all_is_sent_exactly_once(storage: Storage, failure: MailScript) -> None:
    shops = Shops(lambda _: failure, storage)
    customers = [f"anna{number}@example{number % 7}.com" for number in range(21)]
    for number, customer in enumerate(customers):
        shops.order(customer, ("bakkerij-1", "molen")[number % 2], delay=number / 3)
    shops.run_for(7 * DAY, every=HOUR)
    assert shops.app.delivery.backlog().relay_refuses
    assert shops.sent() == [] or failure.at_stage is None
    shops.mailer.committed.clear()
    shops.relay.treat = healthy
    shops.run_for(HOUR)
    assert shops.sent() == sorted(customers)
    assert not shops.app.delivery.backlog().relay_refuses


def test_a_permanent_refusal_is_believed_once_somebody_elses_mail_was_accepted() -> None:
    shops = Shops(lambda to: CLOSED if to.startswith("anna") else MailScript())
    invite_id = shops.order("anna@example.com")
    shops.run_for(4 * DAY, every=HOUR)
    assert shops.state(invite_id) == (State.SCHEDULED, Reason.REFUSED_FOR_NOW)
    shops.order("bert@example.org")
    shops.run_for(HOUR)
    assert shops.invitation(invite_id).state is State.SCHEDULED  # the acceptance came after its last refusal
    shops.run_for(5 * HOUR)
    assert shops.state(invite_id) == (State.REJECTED, Reason.REFUSED)
    assert shops.sent() == ["bert@example.org"]


def test_a_temporary_refusal_follows_the_ordinary_rule_once_others_are_accepted() -> None:
    shops = Shops(lambda to: MailScript(at_stage=RefusedForNow("451")) if to.startswith("anna") else MailScript())
    invite_id = shops.order("anna@example.com")
    shops.run_for(4 * DAY, every=HOUR)
    assert shops.invitation(invite_id).state is State.SCHEDULED
    for number in range(2 * 24):  # from now on others are accepted all the time
        shops.order(f"bert{number}@example.org", delay=number / 24)
    shops.run_for(2 * DAY, every=HOUR)
    assert shops.invitation(invite_id).state is State.SCHEDULED
    for number in range(2 * 24):
        shops.order(f"carla{number}@example.org", delay=number / 24)
    shops.run_for(2 * DAY, every=HOUR)
    assert shops.state(invite_id) == (State.REJECTED, Reason.RETRIES_EXHAUSTED)


def test_an_acceptance_handed_over_before_the_refusal_proves_nothing() -> None:
    """A relay closes while messages are on their way: some are refused before the last one is accepted."""
    shops = Shops(healthy)
    invite_ids: list[str] = []

    def close() -> None:
        shops.relay.treat = closed
        shops.clock.advance(MINUTE)
        invite_ids.append(shops.order("anna@example.com"))
        shops.deliver()
        shops.clock.advance(MINUTE)

    shops.relay.treat = lambda _: MailScript(while_handed_over=close)
    shops.order("bert@example.org")
    shops.deliver()
    assert shops.sent() == ["bert@example.org"]
    shops.run_for(6 * HOUR)
    assert shops.invitation(invite_ids[0]).state is State.SCHEDULED


def test_in_an_outage_one_at_a_time_is_tried_and_the_turns_go_round() -> None:
    shops = Shops(closed)
    for number in range(12):
        shops.order(f"anna@example{number}.com", ("bakkerij-1", "molen")[number % 2])
    shops.deliver()
    assert shops.app.delivery.backlog().relay_refuses_since == shops.clock.now()
    shops.clock.advance(5 * HOUR)  # all are due again
    shops.mailer.staged.clear()
    for _ in range(12):
        shops.deliver()
        shops.deliver()  # it is not its turn yet
        shops.clock.advance(MINUTE / 2)
    assert len({each.recipient for each in shops.mailer.staged}) == len(shops.mailer.staged) == 12
    numbers = [int(each.recipient.removeprefix("anna@example")[:-4]) % 2 for each in shops.mailer.staged]
    assert all(one != other for one, other in pairwise(numbers))


def test_a_probe_whose_worker_died_gives_its_turn_up_when_the_lease_ends() -> None:
    shops = Shops(closed)
    shops.order("anna@example.com")
    shops.run_for(30 * MINUTE)
    assert shops.app.delivery.backlog().relay_refuses
    shops.clock.advance(DAY)
    known = shops.in_transaction(lambda store: store.relay.lock())
    lost = attrs.evolve(known, probe_at=shops.clock.now() + timedelta(seconds=900))
    shops.in_transaction(lambda store: store.relay.keep(lost))
    shops.relay.treat = healthy
    shops.run_for(14 * MINUTE, every=MINUTE)
    assert shops.sent() == []
    shops.run_for(2 * MINUTE, every=MINUTE)
    assert shops.sent() == ["anna@example.com"]


def test_one_shop_or_one_domain_that_is_refused_stops_no_other() -> None:
    shops = Shops(lambda to: CLOSED if to.endswith("@example.com") else MailScript())
    for number in range(9):
        shops.order(f"anna{number}@example.com", ("bakkerij-1", "molen")[number % 2])
    shops.run_for(HOUR)
    assert shops.app.delivery.backlog().relay_refuses  # all there is has been refused
    for number in range(9):
        shops.order(f"bert{number}@example.org")
    shops.run_for(2 * MINUTE, every=MINUTE)  # their first one is tried before the others' next
    assert len(shops.sent()) == 9
    assert not shops.app.delivery.backlog().relay_refuses


def test_a_message_is_evidence_and_its_acceptance_ends_an_outage() -> None:
    shops = Shops(closed)
    message = queue(shops.app, expires_after=DAY)
    shops.order("anna@example.com")
    shops.run_for(HOUR)
    assert shops.app.delivery.backlog().relay_refuses
    assert accepted_state(shops, message.message_id) is State.SCHEDULED
    shops.relay.treat = lambda to: CLOSED if to == "anna@example.com" else MailScript()
    shops.run_for(4 * HOUR)
    assert accepted_state(shops, message.message_id) is State.SENT
    assert not shops.app.delivery.backlog().relay_refuses


def test_a_message_is_refused_for_good_once_others_are_accepted() -> None:
    shops = Shops(lambda to: MailScript() if to == "anna@example.com" else CLOSED)
    message = queue(shops.app, expires_after=DAY)
    shops.deliver()
    assert accepted_state(shops, message.message_id) is State.SCHEDULED
    shops.clock.advance(MINUTE / 4)
    shops.order("anna@example.com")
    shops.run_for(10 * MINUTE, every=MINUTE / 4)
    assert accepted_state(shops, message.message_id) is State.REJECTED


def test_no_domain_is_stored_in_clear_and_an_acceptance_without_a_refusal_notes_nothing() -> None:
    shops = Shops(healthy)
    shops.order("anna@example.com")
    shops.deliver()
    assert shops.in_transaction(lambda store: store.relay.state()).accepted_at is None
    shops.relay.treat = closed
    shops.order("bert@example.com")
    shops.clock.advance(MINUTE)
    shops.deliver()
    (refused,) = shops.in_transaction(lambda store: store.relay.refused_mail())
    assert b"example" not in refused.domain


def accepted_state(shops: Shops, message_id: str) -> State:
    message = shops.in_transaction(lambda store: store.notices.find(message_id))
    assert message is not None
    return message.state
