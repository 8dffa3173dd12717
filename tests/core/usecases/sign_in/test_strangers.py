"""Whatever strangers ask for, a member's request leaves a valid link in the mailbox. Spec: §10.2, ADR-68."""

from __future__ import annotations

import email
import re
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from datetime import timedelta
from email import policy
from ipaddress import ip_address
from pathlib import Path

import pytest
from tests.core.usecases.harness import AppHarness, MailScript, deliver_till_killed, do_nothing, kill, present
from tests.members import CLIENT, DEVICE, OWNER, SITE, STAFF, add_member, links_to, mails_to, member_id_of, signed_in_as

from reviewinvite_core import ClientAddress, Role, accepted
from reviewinvite_core.adapters.sql.connection import Cursor
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.adapters.sql.store import SqlStore
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.execution import read
from reviewinvite_core.ports import AnswerLost, Refused, Unreachable
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.sign_in.links import request_link
from reviewinvite_core.values import MessageKind, NewSession

SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
LINK = re.compile(r"/dashboard/sign-in/([\w-]{43})")


def a_client(number: int) -> ClientAddress:
    return ClientAddress.of(ip_address("198.51.0.0") + number)


def ask(harness: AppHarness, times: int = 1, *, client: ClientAddress = CLIENT, device: str | None = None) -> None:
    """Ask for links for the owner, and have what waits delivered after every fifth."""
    for number in range(times):
        harness.app.sign_in.request_link(OWNER, client, device)
        if number % 5 == 4:
            harness.deliver()
    harness.deliver()


def mailed(harness: AppHarness) -> list[str]:
    """Return the tokens of all links that the mail server took, oldest first."""
    texts = [email.message_from_bytes(each.content, policy=policy.default) for each in harness.mailer.committed]
    bodies = [str(present(each.get_body(("plain",))).get_content()) for each in texts]
    return [found[1] for each in bodies if (found := LINK.search(each))]


def in_the_mailbox(harness: AppHarness, within: timedelta = 5 * MINUTE - SECOND) -> list[str]:
    """Return the tokens that can be used for some time yet."""
    harness.clock.advance(within)
    valid = [each for each in mailed(harness) if harness.app.sign_in.show_link(each)]
    harness.clock.advance(-within)
    return valid


def sign_in(harness: AppHarness) -> NewSession:
    """Sign in by the latest link that arrived."""
    return present(harness.app.sign_in.use_link(mailed(harness)[-1], DEVICE))


@pytest.fixture
def member(harness: AppHarness) -> AppHarness:
    """An application whose shop has an owner, who was signed in once, by a link that nobody asked for."""
    add_member(harness.app, OWNER)
    signed_in_as(harness.app, OWNER)
    harness.deliver()
    harness.mailer.committed.clear()
    harness.clock.advance(HOUR)
    return harness


@pytest.mark.parametrize("times", [5, 50, 500])
def test_whoever_asks_before_and_meanwhile_the_member_who_asks_has_a_valid_link(member: AppHarness, times: int) -> None:
    for _ in range(3):
        ask(member, times // 2, client=CLIENT)  # the member's own network
        for number in range(times - times // 2):
            member.app.sign_in.request_link(OWNER, a_client(number))
        ask(member)
        assert in_the_mailbox(member)
        member.clock.advance(7 * MINUTE)
        ask(member)
        assert in_the_mailbox(member)
        member.clock.advance(3 * MINUTE)
    assert len(mailed(member)) <= 20


def test_a_member_who_uses_every_link_gets_twenty_an_hour_and_more_where_signed_in_before(member: AppHarness) -> None:
    devices = []
    for _ in range(20):
        ask(member)
        devices.append(sign_in(member).session.device_token)
    device = devices[-1]
    ask(member, 30)
    assert len(mailed(member)) == 20
    assert not in_the_mailbox(member)
    for asked in range(5):
        ask(member, client=CLIENT, device=device)
        assert len(mailed(member)) == 21 + asked
        assert in_the_mailbox(member)
    ask(member, 5, device=device)
    assert len(mailed(member)) == 25
    member.clock.advance(HOUR)
    ask(member)
    assert len(mailed(member)) == 26


def test_a_link_counts_as_valid_for_five_more_minutes_and_while_it_is_not_used(member: AppHarness) -> None:
    ask(member, 5)
    assert len(mailed(member)) == 1  # all five waited together
    for _ in range(9):
        ask(member)
    assert len(mailed(member)) == 5
    member.clock.advance(10 * MINUTE)
    ask(member)
    assert len(mailed(member)) == 5
    member.clock.advance(timedelta(microseconds=1))
    ask(member)
    assert len(mailed(member)) == 6
    sign_in(member)
    ask(member)
    assert len(mailed(member)) == 7


def test_neither_an_invitation_to_join_nor_the_operators_link_counts(harness: AppHarness) -> None:
    for number in range(40):
        harness.app.sign_in.request_link(f"customer-{number}@example.com", CLIENT)
    add_member(harness.app, OWNER)
    harness.app.members.link(SITE, OWNER)
    harness.deliver()
    assert len(mailed(harness)) == 2
    ask(harness)
    assert len(mailed(harness)) == 3


def test_while_the_mail_server_is_away_one_link_waits_and_is_renewed(member: AppHarness) -> None:
    member.mailer.scripts = [MailScript(at_stage=Unreachable("refused"))] * 40
    tokens = []
    for _ in range(30):
        ask(member, 5)
        tokens += links_to(member.app, OWNER)
        member.clock.advance(MINUTE)
    assert mailed(member) == []
    [token] = set(tokens)
    member.mailer.scripts = []
    ask(member)
    member.clock.advance(MINUTE)  # no link waits longer for its next attempt
    member.deliver()
    assert mailed(member) == [token]
    assert in_the_mailbox(member) == [token]


@pytest.mark.parametrize("moment", ["while_staged", "while_handed_over"])
def test_a_link_that_is_on_its_way_is_renewed_and_no_other_is_made(member: AppHarness, moment: str) -> None:
    def ask_later() -> None:
        member.clock.advance(30 * SECOND)
        for number in range(9):
            member.app.sign_in.request_link(OWNER, a_client(number))

    steps: dict[str, Callable[[], object]] = {"while_staged": do_nothing, "while_handed_over": do_nothing}
    member.mailer.scripts = [MailScript(**{**steps, moment: ask_later})]  # type: ignore[arg-type]
    ask(member)
    [token] = mailed(member)
    assert in_the_mailbox(member, 15 * MINUTE - SECOND) == [token]
    assert sum(each.kind is MessageKind.SIGN_IN_LINK for each in mails_to(member.app, OWNER)) == 0


def test_a_link_in_the_hands_of_a_dead_worker_holds_nobody_up_for_longer_than_a_minute(member: AppHarness) -> None:
    member.mailer.scripts = [MailScript(while_handed_over=kill)]
    member.app.sign_in.request_link(OWNER, CLIENT)
    deliver_till_killed(member)
    ask(member)
    assert len(mailed(member)) == 1
    member.clock.advance(MINUTE)
    ask(member)
    assert len(mailed(member)) == 2


def test_what_the_server_refused_is_no_link_and_what_it_may_have_taken_counts(member: AppHarness) -> None:
    member.mailer.scripts = [MailScript(at_stage=Refused("550 5.1.1"))] * 30
    for _ in range(30):
        ask(member)
    assert mailed(member) == []
    member.mailer.scripts = [MailScript(answer=AnswerLost())] * 30
    for _ in range(30):
        ask(member)
    assert len(mailed(member)) == 20


def test_a_device_is_its_members_for_90_days(member: AppHarness) -> None:
    add_member(member.app, STAFF, role=Role.STAFF)
    own, others = (signed_in_as(member.app, each).session.device_token for each in (OWNER, STAFF))
    member.deliver()

    def gets_one(device: str) -> bool:
        """Ask although there are five valid links."""
        for _ in range(5):
            ask(member)
        before = len(mailed(member))
        ask(member, device=device)
        return len(mailed(member)) > before

    assert gets_one(own)
    assert not any(map(gets_one, (others, own.upper(), own[:-1], "0" * 64, "é", "")))
    member.clock.advance(90 * DAY - SECOND)
    assert gets_one(own)
    member.clock.advance(SECOND)
    assert not gets_one(own)


def test_a_device_is_forgotten_with_the_membership(member: AppHarness) -> None:
    add_member(member.app, STAFF)
    device = signed_in_as(member.app, OWNER).session.device_token
    accepted(member.app.members.remove(SITE, member_id_of(member.app, OWNER)))
    add_member(member.app, OWNER)
    signed_in_as(member.app, OWNER)
    member.deliver()
    for _ in range(5):
        ask(member)
    before = len(mailed(member))
    ask(member, device=device)
    assert len(mailed(member)) == before


def test_whoever_asks_endlessly_in_vain_fills_no_table(member: AppHarness) -> None:
    for number in range(300):
        member.app.sign_in.request_link(f"customer-{number}@example.com", CLIENT)
    client_hash = CLIENT.hash(member.app._use_cases.run(key_of_addresses))
    until = member.clock.now()
    assert member.storage.read(lambda store: store.sign_in_links.count_of_client(client_hash, EPOCH, until)) == 31


@read
def key_of_addresses(ctx: UnitContext) -> bytes:
    return ctx.ring.address


class EndingConnection:
    """A connection to which a link that waits is ended by somebody else, once it was read."""

    def __init__(self, connection: sqlite3.Connection, state: State) -> None:
        self._connection = connection
        self._state = state
        self.has_ended = False

    def execute(self, statement: str, parameters: Mapping[str, object] | None = None, /) -> Cursor:
        if "INSERT INTO sign_in_links" in statement and not self.has_ended:
            self.has_ended = True
            self._connection.execute("UPDATE messages SET state = ? WHERE state = 'scheduled'", (self._state,))
        return self._connection.execute(statement, parameters or {})


@pytest.mark.parametrize(("state", "waiting"), [(State.REJECTED, 1), (State.UNCERTAIN, 1), (State.SENT, 1)])
def test_a_link_whose_delivery_ends_while_it_is_renewed_is_replaced(tmp_path: Path, state: State, waiting: int) -> None:
    path = tmp_path / "test.db"
    harness = AppHarness(storage=SqliteStorage(path))
    add_member(harness.app, OWNER)
    harness.deliver()
    harness.app.sign_in.request_link(OWNER, CLIENT)
    [old] = links_to(harness.app, OWNER)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        store = SqlStore(EndingConnection(connection, state))
        request_link(harness.app._use_cases._context_of(store), EmailAddress.parse(OWNER), CLIENT)
    tokens = links_to(harness.app, OWNER)
    assert len([each for each in tokens if each != old]) == waiting
    harness.storage.close()
