"""A database that is older than what was sent sends nothing more, until reconciled (ADR-20)."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import pytest
from tests.builders import a_hand_over
from tests.core.usecases.delivery.stepped_delivery import InMemoryMark
from tests.core.usecases.harness import AppHarness, Killed, MailScript, kill, present
from tests.links import token_of
from tests.logs import captured_logs
from tests.members import STAFF, add_member, links_to, signed_in_as
from tests.older_high_water_marks import write_first_edition

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.adapters.high_water_mark import HighWaterMarkFile
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.handovers import DeliveryHost, DeliveryPaused, Pause
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import NotRetried
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.timing import to_microseconds
from reviewinvite_core.ports import AnswerLost, HighWaterMarkUnwritten, RefusedForNow, Rejected
from reviewinvite_core.testing.builders import CountingEntropy
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext
from reviewinvite_core.usecases.delivery.reconcile import reconcile
from reviewinvite_core.usecases.invitations.read import InvitationQuery

T = TypeVar("T")

DAY, HOUR, MINUTE, SECOND = (timedelta(seconds=seconds) for seconds in (86_400, 3_600, 60, 1))


class Installation:
    """A shop on a SQLite file with its high-water mark; the file can be copied, and the copy put back."""

    def __init__(self, folder: Path, *scripts: MailScript) -> None:
        self.file, self.copy = folder / "reviewinvite.db", folder / "copy.db"
        self.mark_file = folder / "reviewinvite.mark"
        self.mark = HighWaterMarkFile(self.mark_file, CountingEntropy(1))
        self.harness = AppHarness(*scripts, storage=SqliteStorage(self.file), mark=self.mark)

    def copy_away(self) -> None:
        with contextlib.closing(sqlite3.connect(self.file)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copyfile(self.file, self.copy)

    def put_back(self) -> None:
        """Put the copy back as an operator does: the file alone, while nothing runs."""
        self.harness.storage.close()
        for leftover in ("-wal", "-shm"):
            self.file.with_name(self.file.name + leftover).unlink(missing_ok=True)
        shutil.copyfile(self.copy, self.file)
        self.harness.storage = SqliteStorage(self.file)
        self.harness.rebuild(mark=self.mark)

    def execute(self, statement: str, **values: object) -> None:
        """Change the database behind the application's back."""
        with contextlib.closing(sqlite3.connect(self.file)) as connection, connection:
            connection.execute(statement, values)

    def forget_what_was_sent(self, number: int) -> str:
        """Make the mark one of the first edition, which has let out this many; return its host."""
        mark = self.mark.read()
        assert mark is not None
        write_first_edition(self.mark_file, mark.host, number, self.harness.clock.now())
        return mark.host

    def hosts(self) -> list[DeliveryHost]:
        return list(self.harness.storage.read(lambda store: store.hosts.every()))


@pytest.fixture
def installation(sqlite_folder: Path) -> Iterator[Installation]:
    made = Installation(sqlite_folder)
    yield made
    made.harness.storage.close()


def paused(harness: AppHarness) -> Pause:
    """Return why deliveries are paused; fail the test unless they are, and nothing was staged."""
    staged = len(harness.mailer.staged)
    with pytest.raises(DeliveryPaused) as refusal:
        harness.deliver()
    assert len(harness.mailer.staged) == staged
    assert harness.app.delivery.paused() is refusal.value.pause
    return refusal.value.pause


def test_a_new_database_and_its_mark_are_made_together(installation: Installation) -> None:
    mark = installation.mark.read()
    assert mark is not None
    assert installation.hosts() == [DeliveryHost(host=mark.host, fence=0)]
    assert installation.harness.app.delivery.paused() is None


def test_the_mark_is_written_after_the_fence_and_before_the_end_of_the_message(installation: Installation) -> None:
    seen = []

    def look() -> None:
        mark = installation.mark.read()
        assert mark is not None
        seen.append((mark.number, installation.hosts()[0].fence, installation.harness.invitation(first).state))

    installation.harness.mailer.scripts = [MailScript(while_staged=look, while_handed_over=look)]
    first = installation.harness.report_due()
    installation.harness.deliver()
    look()
    assert seen == [(0, 0, State.CLAIMED), (1, 1, State.HANDING_OVER), (1, 1, State.SENT)]


def test_each_try_has_a_number_and_the_mark_names_them_all(installation: Installation) -> None:
    installation.harness.mailer.scripts = [MailScript(answer=RefusedForNow("451"))]
    first = installation.harness.report_due()
    installation.harness.deliver()
    installation.harness.clock.advance(DAY)
    late = installation.harness.report(order_number="2", delay_days=2)
    installation.harness.deliver()
    installation.harness.clock.set(late.scheduled_for)
    installation.harness.deliver()
    let_out = installation.mark.recall()
    assert (let_out.mark.number, let_out.mark.forgotten, let_out.mark.horizon) == (3, 0, None)
    assert [each.invite_id for each in let_out.named] == [first, first, late.invite_id]
    assert installation.harness.invitation(first).state is State.SENT


def test_an_older_copy_put_back_by_hand_sends_nothing_until_reconciled_and_nothing_twice_after(
    installation: Installation,
) -> None:
    harness = installation.harness
    ids = [harness.report_due(f"c{number}@example.com") for number in range(12)]
    installation.copy_away()
    assert len(harness.deliver()) == 12
    installation.put_back()
    assert paused(harness) is Pause.MARK_AHEAD
    assert {harness.invitation(each).state for each in ids} == {State.SCHEDULED}
    assert harness.app.delivery.reconcile() == 12
    assert {harness.state(each) for each in ids} == {(State.UNCERTAIN, Reason.RECONCILED)}
    assert harness.app.delivery.paused() is None
    assert harness.app.delivery.reconcile() == 0
    harness.clock.advance(DAY)
    later = harness.report_due("later@example.com")
    assert [each.invite_id for each in harness.deliver()] == [later]
    assert len(harness.mailer.committed) == 13
    assert len({message.message_id for message in harness.mailer.committed}) == 13


def test_what_signs_in_is_void_once_a_copy_is_found_to_be_older(installation: Installation) -> None:
    harness = installation.harness
    waiting = add_member(harness.app)
    session = signed_in_as(harness.app)
    add_member(harness.app, STAFF)
    unused = links_to(harness.app, STAFF)[0]
    installation.copy_away()
    harness.report_due()
    harness.deliver()
    installation.put_back()
    with pytest.raises(DeliveryPaused):
        harness.deliver()
    assert harness.app.sign_in.resume(session.secret.text) is None
    assert [harness.app.sign_in.show_link(each) for each in (waiting, unused)] == [None, None]
    since = signed_in_as(harness.app)
    with pytest.raises(DeliveryPaused):
        harness.deliver()
    assert harness.app.sign_in.resume(since.secret.text)


def test_a_link_of_which_an_older_copy_knows_no_hand_over_lives_no_longer_for_being_opened_late(
    installation: Installation,
) -> None:
    harness = installation.harness
    invite_id = harness.report_due()
    installation.copy_away()
    harness.deliver()
    installation.put_back()
    harness.app.delivery.reconcile()
    token = token_of(harness.app, invite_id, Purpose.REVIEW)
    ends_at = harness.clock.now() + 90 * DAY
    assert present(harness.app.reviews.show_link(token)).ends_at == ends_at
    harness.clock.advance(80 * DAY)
    assert harness.app.reviews.note_opened(token)
    assert present(harness.app.reviews.show_link(token)).ends_at == ends_at


def test_a_copy_that_is_as_new_as_what_was_sent_goes_on(installation: Installation) -> None:
    sent = installation.harness.report_due()
    installation.harness.deliver()
    installation.copy_away()
    installation.harness.report_due("bert@example.com")
    installation.put_back()
    assert installation.harness.app.delivery.paused() is None
    other = installation.harness.report_due("cees@example.com")
    assert [each.invite_id for each in installation.harness.deliver()] == [other]
    assert installation.harness.invitation(sent).state is State.SENT


def test_a_copy_put_back_while_a_message_is_staged_lets_it_not_out(installation: Installation) -> None:
    harness = installation.harness
    first = harness.report_due()
    installation.copy_away()
    harness.deliver()
    ours = harness.report_due("bert@example.com")

    def become_older() -> None:
        installation.execute("UPDATE hosts SET fence = 0")

    harness.mailer.scripts = [MailScript(while_staged=become_older)]
    with pytest.raises(DeliveryPaused):
        harness.deliver()
    assert [message.recipient for message in harness.mailer.abandoned] == ["bert@example.com"]
    assert harness.state(ours) == (State.SCHEDULED, Reason.PAUSED)
    assert harness.invitation(first).state is State.SENT
    assert len(harness.mailer.committed) == 1


def test_a_mark_that_is_missing_where_the_database_knows_a_host_pauses(
    installation: Installation, tmp_path: Path
) -> None:
    invite_id = installation.harness.report_due()
    (tmp_path / "reviewinvite.mark").unlink()
    assert paused(installation.harness) is Pause.MARK_MISSING
    assert installation.mark.read() is None
    assert installation.harness.app.delivery.reconcile() == 1
    assert installation.harness.invitation(invite_id).state is State.UNCERTAIN
    other = installation.harness.report_due("bert@example.com")
    assert [each.invite_id for each in installation.harness.deliver()] == [other]


def test_a_copy_that_only_knows_a_mark_that_was_lost_since_pauses_and_all_that_is_due_is_in_doubt(
    installation: Installation,
) -> None:
    harness = installation.harness
    sent = harness.report_due("a@example.com")
    installation.copy_away()
    harness.deliver()
    installation.mark_file.unlink()
    assert paused(harness) is Pause.MARK_MISSING
    harness.app.delivery.reconcile()  # with a new mark, of which the copy knows nothing, and which has let out nothing
    installation.put_back()
    assert paused(harness) is Pause.MARK_MISSING
    assert harness.app.delivery.reconcile() == 1
    assert harness.invitation(sent).state is State.UNCERTAIN
    assert harness.app.delivery.paused() is None
    harness.deliver()
    assert len(harness.mailer.committed) == 1


def test_a_mark_that_has_let_something_out_of_a_host_that_is_not_known_pauses(installation: Installation) -> None:
    installation.execute("DELETE FROM hosts")
    assert installation.harness.deliver() == []
    installation.mark.advance([a_hand_over(1)])
    installation.execute("DELETE FROM hosts")
    installation.harness.report_due()
    assert paused(installation.harness) is Pause.MARK_AHEAD


def test_a_database_of_before_there_were_marks_gets_one(installation: Installation, tmp_path: Path) -> None:
    installation.execute("DELETE FROM hosts")
    (tmp_path / "reviewinvite.mark").unlink()
    installation.harness.report_due()
    assert [each.state for each in installation.harness.deliver()] == [State.SENT]
    assert [each.fence for each in installation.hosts()] == [1]


def test_a_damaged_mark_ends_deliveries_with_its_own_words(installation: Installation, tmp_path: Path) -> None:
    invite_id = installation.harness.report_due()
    (tmp_path / "reviewinvite.mark").write_bytes(b"")
    for use in (
        installation.harness.deliver,
        installation.harness.app.delivery.paused,
        installation.harness.app.delivery.reconcile,
    ):
        with pytest.raises(ConfigurationError, match="is damaged"):
            use()
    assert installation.harness.invitation(invite_id).state is State.SCHEDULED


@pytest.mark.parametrize(("fault", "ends"), [(RuntimeError, False), (ConfigurationError, True)])
def test_of_who_is_told_of_a_pause_only_a_configuration_error_ends_deliveries(
    installation: Installation, tmp_path: Path, fault: type[Exception], ends: bool
) -> None:
    (tmp_path / "reviewinvite.mark").write_bytes(b"")
    stop = threading.Event()

    def fail(_: object) -> None:
        stop.set()
        raise fault("told")

    with pytest.raises(fault, match="told") if ends else nullcontext():
        installation.harness.app.delivery.continually(stop, on_pause=fail)
    assert stop.is_set()


def test_a_mark_that_cannot_be_written_keeps_the_message_in(installation: Installation, tmp_path: Path) -> None:
    file = tmp_path / "reviewinvite.mark"
    kept = file.read_bytes()
    invite_id = installation.harness.report_due()
    installation.harness.rebuild(mark=UnwritableMark(installation.mark))
    with pytest.raises(HighWaterMarkUnwritten, match="permission denied"):
        installation.harness.deliver()
    left = installation.harness.invitation(invite_id)
    assert (left.state, left.reason, left.first_tried_at) == (State.SCHEDULED, Reason.MARK_UNWRITTEN, None)
    assert (installation.harness.mailer.committed, len(installation.harness.mailer.abandoned)) == ([], 1)
    assert (file.read_bytes(), installation.hosts()[0].fence) == (kept, 1)
    installation.harness.rebuild(mark=installation.mark)
    assert installation.harness.app.delivery.paused() is None
    installation.harness.clock.advance(MINUTE)
    assert [each.state for each in installation.harness.deliver()] == [State.SENT]


def test_a_mark_that_cannot_be_written_is_logged_with_its_path_and_cause(installation: Installation) -> None:
    installation.harness.report_due()
    installation.harness.rebuild(mark=UnwritableMark(installation.mark))
    stop = threading.Event()
    with captured_logs() as logged:
        installation.harness.app.delivery.continually(stop, on_change=lambda _: stop.set())
    assert logged == [{"event": "hand-over mark unwritten", "cause": "permission denied", "log_level": "error"}]


class UnwritableMark:
    """A high-water mark that can be read and not written."""

    def __init__(self, mark: HighWaterMarkFile) -> None:
        self.read, self.make, self.recall = mark.read, mark.make, mark.recall

    def advance(self, *_: object) -> None:
        raise HighWaterMarkUnwritten("permission denied")


def test_what_was_sent_before_its_time_by_an_operator_is_in_doubt_as_well(installation: Installation) -> None:
    harness = installation.harness
    early = harness.report(delay_days=10)
    between = harness.report("bert@example.com", delay_days=5)
    after = harness.report("cees@example.com", delay_days=20)
    installation.copy_away()
    installation.execute(
        "UPDATE invitations SET due_at = :now WHERE scheduled_for = :early",
        now=to_microseconds(harness.clock.now()),
        early=to_microseconds(early.scheduled_for),
    )
    assert [each.invite_id for each in harness.deliver()] == [early.invite_id]
    installation.put_back()
    assert harness.app.delivery.reconcile() == 1
    states = [harness.invitation(each.invite_id).state for each in (early, between, after)]
    assert states == [State.UNCERTAIN, State.SCHEDULED, State.SCHEDULED]


def test_what_was_sent_before_its_time_and_is_known_to_the_copy_puts_nothing_in_doubt(
    installation: Installation,
) -> None:
    harness = installation.harness
    waiting = [harness.report(f"w{number}@example.com", delay_days=5) for number in range(3)]
    early = harness.report("early@example.com", delay_days=60)
    harness.app.invitations.send_now(OPERATOR, early.invite_id)
    assert len(harness.deliver()) == 1
    installation.copy_away()
    harness.report_due("after@example.com")
    assert len(harness.deliver()) == 1
    installation.put_back()
    assert paused(harness) is Pause.MARK_AHEAD
    assert harness.app.delivery.reconcile() == 0
    assert {harness.invitation(each.invite_id).state for each in waiting} == {State.SCHEDULED}
    assert harness.invitation(early.invite_id).state is State.SENT
    harness.clock.advance(5 * DAY)
    assert {each.state for each in harness.deliver()} == {State.SENT}


def test_what_was_due_and_did_not_leave_is_still_sent_after_a_restore(installation: Installation) -> None:
    harness = installation.harness
    first, second = harness.report_due("a@example.com"), harness.report_due("b@example.com")
    installation.copy_away()
    harness.mailer.scripts = [MailScript(), MailScript(at_stage=RefusedForNow("451"))]
    harness.deliver()
    installation.put_back()
    reported_since = harness.report_due("c@example.com")
    assert harness.app.delivery.reconcile() == 1
    assert harness.invitation(first).state is State.UNCERTAIN
    assert {each.invite_id for each in harness.deliver()} == {second, reported_since}


def test_where_the_mark_has_forgotten_all_that_was_to_be_sent_by_then_is_in_doubt(installation: Installation) -> None:
    harness = installation.harness
    due, later = harness.report_due("a@example.com"), harness.report("b@example.com", delay_days=1)
    host = installation.forget_what_was_sent(1)
    assert paused(harness) is Pause.MARK_AHEAD
    assert harness.app.delivery.reconcile() == 1
    assert [harness.invitation(each).state for each in (due, later.invite_id)] == [State.UNCERTAIN, State.SCHEDULED]
    harness.clock.advance(DAY)
    assert [each.state for each in harness.deliver()] == [State.SENT]
    assert installation.mark.recall().mark.host == host  # written over, in the format of this edition
    assert [each.invite_id for each in installation.mark.recall().named] == [later.invite_id]


@pytest.mark.parametrize("forgotten", [False, True])
def test_what_was_tried_again_since_the_copy_is_not_sent_from_it(installation: Installation, forgotten: bool) -> None:
    harness = installation.harness
    harness.mailer.scripts = [MailScript(answer=Rejected("552 5.2.2"))]
    invite_id = harness.report_due()
    harness.deliver()
    installation.copy_away()
    assert harness.app.invitations.retry([invite_id]).scheduled == [invite_id]
    assert [each.state for each in harness.deliver()] == [State.SENT]
    installation.put_back()
    if forgotten:
        installation.forget_what_was_sent(9)
    with pytest.raises(DeliveryPaused):
        harness.app.invitations.retry([invite_id])
    harness.app.delivery.reconcile()
    obstacle = NotRetried.OLDER if forgotten else NotRetried.NOT_REJECTED
    assert harness.app.invitations.retry([invite_id]).refused == {obstacle: [invite_id]}
    assert harness.invitation(invite_id).state is (State.REJECTED if forgotten else State.UNCERTAIN)
    assert harness.deliver() == []


def test_a_copy_that_another_host_has_sent_from_puts_all_in_doubt_that_was_to_be_sent(
    installation: Installation,
) -> None:
    """The mark of that host is elsewhere, and it may have sent more since."""
    harness = installation.harness
    installation.execute("INSERT INTO hosts (host, fence) VALUES ('elsewhere', 4)")
    sent, other = harness.report_due("a@example.com"), harness.report_due("b@example.com")
    installation.copy_away()
    harness.mailer.scripts = [MailScript(), MailScript(at_stage=RefusedForNow("451"))]
    harness.deliver()
    installation.put_back()
    assert harness.app.delivery.reconcile() == 2
    assert {harness.invitation(each).state for each in (sent, other)} == {State.UNCERTAIN}


def test_what_a_copy_has_in_hand_was_sent_if_the_mark_names_it_or_it_had_passed_the_fence(
    installation: Installation,
) -> None:
    harness = installation.harness
    claimed, fenced, sent = (harness.report_due(f"{name}@example.com") for name in "abc")
    installation.execute(
        "UPDATE invitations SET due_at = due_at + 9000000000 WHERE invite_id = :id", id=as_stored(sent)
    )
    harness.mailer.scripts = [MailScript(while_staged=kill)]
    with pytest.raises(Killed):
        harness.deliver()
    installation.execute("UPDATE invitations SET state = 'handing_over' WHERE invite_id = :id", id=as_stored(fenced))
    installation.execute(
        "UPDATE invitations SET due_at = due_at - 9000000000 WHERE invite_id = :id", id=as_stored(sent)
    )
    installation.copy_away()
    assert [each.invite_id for each in harness.deliver()] == [sent]
    installation.put_back()
    assert harness.app.delivery.reconcile() == 2
    states = [harness.invitation(each).state for each in (claimed, fenced, sent)]
    assert states == [State.CLAIMED, State.UNCERTAIN, State.UNCERTAIN]


def as_stored(invite_id: str) -> bytes:
    return bytes.fromhex(invite_id.replace("-", ""))


def test_one_host_that_is_ahead_pauses_all_the_others_until_reconciled() -> None:
    storage = MemoryStorage()
    storage.one_host = False
    marks = [InMemoryMark(host) for host in ("one", "two")]
    for mark in marks:
        mark.make()
    harnesses = [AppHarness(storage=storage, mark=marks[0])]
    harnesses.append(harnesses[0].on_another_host(mark=marks[1]))
    for harness in harnesses:
        assert harness.deliver() == []
    marks[0].advance([a_hand_over(7)])  # of a database that has failed over to an older replica
    invite_id = harnesses[0].report_due()
    assert harnesses[1].app.delivery.paused() is None
    assert paused(harnesses[0]) is Pause.MARK_AHEAD
    assert paused(harnesses[1]) is Pause.OTHER_HOST_AHEAD
    assert harnesses[1].app.delivery.reconcile() == 1
    assert harnesses[0].invitation(invite_id).state is State.UNCERTAIN
    for harness in harnesses:
        assert harness.app.delivery.paused() is None
    assert {each.host: each.fence for each in storage.read(lambda store: store.hosts.every())} == {"one": 7, "two": 0}


def test_a_new_host_of_a_database_that_many_share_is_registered() -> None:
    storage = MemoryStorage()
    storage.one_host = False
    first, second = InMemoryMark("one"), InMemoryMark("two")
    first.make()
    harness = AppHarness(storage=storage, mark=first)
    harness.deliver()
    other = harness.on_another_host(mark=second)
    other.report_due("bert@example.com")
    assert [each.state for each in other.deliver()] == [State.SENT]
    assert {each.host: each.fence for each in storage.read(lambda store: store.hosts.every())} == {"one": 0, "two": 1}


def test_what_is_in_hand_is_in_doubt_too_and_only_an_awaited_answer_still_counts(installation: Installation) -> None:
    harness = installation.harness
    claimed, handed = harness.report_due("a@example.com"), harness.report_due("b@example.com")
    harness.mailer.scripts = [MailScript(while_staged=kill)]
    with pytest.raises(Killed):
        harness.deliver()
    installation.harness.storage.run(
        lambda store: store.invitations.change(
            harness.invitation(handed),
            harness.invitation(handed).moved(
                State.HANDING_OVER, Reason.FENCED, harness.clock.now(), claim=harness.invitation(handed).claim
            ),
        )
    )
    installation.forget_what_was_sent(99)
    assert harness.app.delivery.reconcile() == 2
    assert {harness.invitation(each).state for each in (claimed, handed)} == {State.UNCERTAIN}
    assert harness.invitation(claimed).claim is None
    assert harness.invitation(handed).claim is not None


def test_a_reconcile_that_is_broken_off_leaves_deliveries_paused_and_can_be_repeated(
    installation: Installation,
) -> None:
    harness = installation.harness
    for number in range(3):
        harness.report_due(f"c{number}@example.com")
    installation.forget_what_was_sent(99)
    guard = harness.app.delivery._config.restore_guard
    assert guard is not None
    with pytest.raises(Killed):
        reconcile(KilledAfter(harness.transactions, steps=2), guard)
    assert paused(harness) is Pause.MARK_AHEAD
    assert {
        each.invitation.state
        for each in accepted(harness.app.invitations.list(OPERATOR, InvitationQuery())).invitations
    } == {State.UNCERTAIN}
    assert harness.app.delivery.reconcile() == 0
    assert harness.app.delivery.paused() is None


class KilledAfter:
    """A transaction runner that is killed after some number of steps."""

    def __init__(self, transactions: TransactionRunner, *, steps: int) -> None:
        self.transactions = transactions
        self.steps = steps

    def run(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int] | None = None) -> T:
        if self.steps == 0:
            raise Killed
        self.steps -= 1
        return self.transactions.run(step, locks=locks)

    def run_batched(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int]) -> T:
        return self.run(step, locks=locks)


def test_a_host_that_is_found_to_be_ahead_during_a_reconcile_is_settled_too() -> None:
    storage = MemoryStorage()
    storage.one_host = False
    marks = [InMemoryMark(host) for host in ("one", "two")]
    for mark in marks:
        mark.make()
    harnesses = [AppHarness(storage=storage, mark=marks[0])]
    harnesses.append(harnesses[0].on_another_host(mark=marks[1]))
    early = [harnesses[0].report(f"{name}@example.com", delay_days=9) for name in "ab"]
    for mark, one in zip(marks, early, strict=True):
        let_out = a_hand_over(1, invitation=harnesses[0].invitation(one.invite_id), at=harnesses[0].clock.now())
        mark.advance([let_out])
    guard = harnesses[0].app.delivery._config.restore_guard
    assert guard is not None
    meanwhile = Meanwhile(harnesses[0].transactions, lambda: paused(harnesses[1]))
    assert reconcile(meanwhile, guard) == 2
    assert {harnesses[0].invitation(one.invite_id).state for one in early} == {State.UNCERTAIN}
    assert [harness.app.delivery.paused() for harness in harnesses] == [None, None]


class Meanwhile:
    """A transaction runner in which something else happens after the first step."""

    def __init__(self, transactions: TransactionRunner, happens: Callable[[], object]) -> None:
        self.transactions = transactions
        self.happens: list[Callable[[], object]] = [happens]

    def run(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int] | None = None) -> T:
        result = self.transactions.run(step, locks=locks)
        if self.happens:
            self.happens.pop()()
        return result

    def run_batched(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int]) -> T:
        return self.run(step, locks=locks)


def test_with_an_answer_lost_before_the_copy_nothing_changes(installation: Installation) -> None:
    installation.harness.mailer.scripts = [MailScript(answer=AnswerLost())]
    invite_id = installation.harness.report_due()
    installation.harness.deliver()
    installation.copy_away()
    installation.harness.report_due("bert@example.com")
    installation.harness.deliver()
    installation.put_back()
    assert installation.harness.app.delivery.reconcile() == 0
    assert installation.harness.invitation(invite_id).reason is Reason.ANSWER_LOST
