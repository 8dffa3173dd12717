"""What somebody may try who wants to sign in as another: guess who is a member, race, and come back after removal."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from tests.core.usecases.harness import AppHarness
from tests.members import (
    CLIENT,
    DEVICE,
    OWNER,
    SITE,
    STAFF,
    add_member,
    links_to,
    mails_to,
    member_id_of,
    resumed,
    signed_in_as,
    token_of,
)
from tests.waiting import TIMEOUT_SECONDS, run_concurrently

from reviewinvite_core import ClientAddress, NewMember, Role, accepted
from reviewinvite_core.adapters.sql.connection import Cursor
from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.adapters.sql.store import SqlStore
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.timing import EPOCH
from reviewinvite_core.execution import read
from reviewinvite_core.ports import Storage
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.sign_in.links import request_link
from reviewinvite_core.values import LastOwner, MemberRecord, NewSession

STRANGER = "stranger@example.com"


class RecordingConnection:
    """A connection that notes each statement, with the sizes of its texts and bytes."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.done: list[tuple[str, frozenset[str]]] = []

    def execute(self, statement: str, parameters: Mapping[str, object] | None = None, /) -> Cursor:
        self.done.append((statement, frozenset(parameters or {})))
        return self._connection.execute(statement, parameters or {})


def statements(
    harness: AppHarness, path: Path, email: str, device: str | None = None
) -> list[tuple[str, frozenset[str]]]:
    """Return what a request for a link has the database do; nothing of it is kept."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        recording = RecordingConnection(connection)
        connection.execute("BEGIN")
        context = harness.app._use_cases._context_of(SqlStore(recording))
        request_link(context, EmailAddress.parse(email), CLIENT, device)
        connection.execute("ROLLBACK")
    return recording.done


def test_a_request_has_the_same_statements_run_whoever_asks(tmp_path: Path) -> None:
    path = tmp_path / "test.db"
    harness = AppHarness(storage=SqliteStorage(path))
    for email in (OWNER, STAFF):
        add_member(harness.app, email)
    accepted(harness.app.members.remove(SITE, member_id_of(harness.app, STAFF)))
    known = statements(harness, path, OWNER)
    waiting = statements(harness, path, OWNER)
    for _ in range(5):
        harness.deliver()
        harness.app.sign_in.request_link(OWNER, CLIENT)
    harness.deliver()
    device = signed_in_as(harness.app, OWNER).session.device_token
    by_device = statements(harness, path, OWNER, device)
    beyond_limit, former, unknown = (statements(harness, path, email) for email in (OWNER, STAFF, STRANGER))
    for _ in range(40):
        harness.app.sign_in.request_link(STRANGER, CLIENT)
    beyond_client, unknown_then = (statements(harness, path, email) for email in (OWNER, STRANGER))
    all_ = (waiting, by_device, beyond_limit, former, unknown, beyond_client, unknown_then)
    assert [each == known for each in all_] == [True] * 7
    assert sum("INSERT" in statement for statement, _ in known) == 2
    harness.storage.close()


def test_what_is_stored_for_a_stranger_is_never_due_and_goes(harness: AppHarness) -> None:
    client_hash = CLIENT.hash(harness.app._use_cases.run(key_of_addresses))

    def due(at: datetime) -> int:
        return len(harness.storage.run(lambda store: store.messages.due(at, 100)))

    def links() -> int:
        now = harness.clock.now()
        return harness.storage.read(
            lambda store: store.sign_in_links.count_of_client(client_hash, EPOCH, until=now + timedelta(days=1))
        )

    for _ in range(3):
        harness.app.sign_in.request_link(STRANGER, CLIENT)
    assert [due(harness.clock.now() + timedelta(hours=hours)) for hours in (-12, 0, 12)] == [0, 0, 0]
    assert links() == 3
    assert harness.storage.run(lambda store: store.messages.overdue(harness.clock.now(), 100)) == []
    harness.clock.advance(timedelta(hours=1, seconds=1))
    harness.deliver()
    assert links() == 0
    add_member(harness.app)
    harness.app.sign_in.request_link(OWNER, CLIENT)
    assert due(harness.clock.now()) == 2


@read
def key_of_addresses(ctx: UnitContext) -> bytes:
    return ctx.ring.address


def test_of_two_uses_of_one_link_at_once_one_signs_in(concurrent_harness: AppHarness) -> None:
    app = concurrent_harness.app
    add_member(app)
    for _ in range(5):
        token = token_of(accepted(app.members.link(SITE, OWNER)).link)
        new = run_concurrently(4, lambda _, token=token: app.sign_in.use_link(token, DEVICE))  # type: ignore[misc]
        assert sum(isinstance(each, NewSession) for each in new) == 1
        assert app.sign_in.show_link(token) is None


def test_of_two_owners_who_remove_each_other_at_once_one_stays(concurrent_harness: AppHarness) -> None:
    app = concurrent_harness.app

    def lower(member_id: str) -> object:
        return app.members.set_role(SITE, member_id, Role.STAFF)

    def remove(member_id: str) -> object:
        return app.members.remove(SITE, member_id)

    calls: list[Callable[[str], object]] = [remove, lower]
    for first in calls:
        for second in calls:
            ids = [add_owner(concurrent_harness, email) for email in (OWNER, STAFF)]
            both = ((first, ids[0]), (second, ids[1]))
            answers = run_concurrently(2, lambda n, both=both: both[n][0](both[n][1]))  # type: ignore[misc]
            assert sorted(type(each).__name__ for each in answers) == [LastOwner.__name__, MemberRecord.__name__]
            assert [each.role for each in accepted(app.members.list(SITE))].count(Role.OWNER) == 1


def add_owner(harness: AppHarness, email: str) -> str:
    """Have this person be an owner, whatever that person was before, and return the id."""
    members = {each.email: each.member_id for each in accepted(harness.app.members.list(SITE))}
    if email not in members:
        return accepted(harness.app.members.add(SITE, NewMember(email=email, role=Role.OWNER))).member.member_id
    return accepted(harness.app.members.set_role(SITE, members[email], Role.OWNER)).member_id


def test_one_person_who_is_added_twice_at_once_is_one_member(concurrent_harness: AppHarness) -> None:
    app = concurrent_harness.app
    new = NewMember(email=OWNER, role=Role.OWNER)
    run_concurrently(4, lambda _: app.members.add(SITE, new))
    assert [each.email for each in accepted(app.members.list(SITE))] == [OWNER]


def test_of_requests_at_once_one_makes_a_link_and_the_others_renew_it(concurrent_harness: AppHarness) -> None:
    app = concurrent_harness.app
    add_member(app)
    before = len(links_to(app, OWNER))
    clients = [ClientAddress.of(ip_address(f"198.51.100.{number}")) for number in range(8)]
    run_concurrently(8, lambda number: app.sign_in.request_link(OWNER, clients[number]))
    assert len(links_to(app, OWNER)) == before + 1


@pytest.fixture(params=["sqlite", "postgres"])
def processes(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[AppHarness, AppHarness]]:
    """Two applications, each with a storage of its own on the same database."""

    def storage() -> Storage:
        if request.param == "sqlite":
            return SqliteStorage(tmp_path / "test.db")
        return PostgresStorage(request.getfixturevalue("postgres_url"), busy_seconds=TIMEOUT_SECONDS)

    both = AppHarness(storage=storage()), AppHarness(storage=storage())
    yield both
    for each in both:
        each.storage.close()


def test_another_process_sees_a_removal_and_an_ended_session_at_once(processes: tuple[AppHarness, AppHarness]) -> None:
    one, other = (each.app for each in processes)
    for email in (OWNER, STAFF):
        add_member(one, email)
    sessions = [signed_in_as(one, OWNER), signed_in_as(one, STAFF)]
    for session in sessions:
        resumed(other, session)
    accepted(one.members.remove(SITE, member_id_of(one, STAFF)))
    assert other.sign_in.resume(sessions[1].secret.text) is None
    one.sign_in.sign_out(sessions[0].secret.text)
    assert other.sign_in.resume(sessions[0].secret.text) is None


@pytest.mark.parametrize("typed", ["OWNER@EXAMPLE.COM", " owner@example.com\t", "Owner@Example.com"])
def test_a_link_is_mailed_to_the_address_as_it_was_added(harness: AppHarness, typed: str) -> None:
    add_member(harness.app)
    harness.app.sign_in.request_link(typed, CLIENT)
    assert [each.recipient for each in mails_to(harness.app, OWNER)] == [OWNER] * 2
