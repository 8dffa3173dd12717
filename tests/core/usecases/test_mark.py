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

import pytest
import structlog
from tests.core.usecases.stage import Killed, Play, Scene, kill
from tests.links import token_of

from reviewinvite_core.adapters.handover_mark import MarkFile
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.adapters.sql.sqlite import SqliteStorage
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.handovers import DeliveryPaused, Host, Mark, Pause
from reviewinvite_core.domain.invitations import Reason, State
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.timing import to_microseconds
from reviewinvite_core.ports import AnswerLost, MarkUnwritten, RefusedForNow
from reviewinvite_core.testing.builders import CountingEntropy
from reviewinvite_core.usecases.manage_invitations import InvitationQuery
from reviewinvite_core.usecases.reconcile import reconcile
from reviewinvite_core.usecases.work import Perform, Work

DAY, HOUR, MINUTE, SECOND = (timedelta(seconds=seconds) for seconds in (86_400, 3_600, 60, 1))


class Installation:
    """A shop on a SQLite file with its mark; the file can be copied away, and the copy put in its place."""

    def __init__(self, folder: Path, *scenes: Scene) -> None:
        self.file, self.copy = folder / "reviewinvite.db", folder / "copy.db"
        self.mark = MarkFile(folder / "reviewinvite.mark", CountingEntropy(1))
        self.play = Play(*scenes, storage=SqliteStorage(self.file), mark=self.mark)

    def copy_away(self) -> None:
        with contextlib.closing(sqlite3.connect(self.file)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        shutil.copyfile(self.file, self.copy)

    def put_back(self) -> None:
        """By hand: the file alone, while nothing runs."""
        self.play.storage.close()
        for leftover in ("-wal", "-shm"):
            self.file.with_name(self.file.name + leftover).unlink(missing_ok=True)
        shutil.copyfile(self.copy, self.file)
        self.play.storage = SqliteStorage(self.file)
        self.play.rebuild(mark=self.mark)

    def hosts(self) -> list[Host]:
        return list(self.play.storage.read(lambda store: store.hosts.every()))


@pytest.fixture
def at(tmp_path: Path) -> Iterator[Installation]:
    installation = Installation(tmp_path)
    yield installation
    installation.play.storage.close()


def paused(play: Play) -> Pause:
    """Why deliveries are; nothing was staged for it."""
    staged = len(play.mailer.staged)
    with pytest.raises(DeliveryPaused) as refusal:
        play.deliver()
    assert len(play.mailer.staged) == staged
    assert play.app.delivery.paused() is refusal.value.pause
    return refusal.value.pause


def test_a_new_database_and_its_mark_are_made_together(at: Installation) -> None:
    mark = at.mark.read()
    assert mark is not None
    assert at.hosts() == [Host(host=mark.host, fence=0)]
    assert at.play.app.delivery.paused() is None


def test_the_mark_is_written_after_the_fence_and_before_the_end_of_the_message(at: Installation) -> None:
    seen = []

    def look() -> None:
        mark = at.mark.read()
        assert mark is not None
        seen.append((mark.number, at.hosts()[0].fence, at.play.now(first).state))

    at.play.mailer.scenes = [Scene(while_staged=look, while_handed_over=look)]
    first = at.play.report_due()
    at.play.deliver()
    look()
    assert seen == [(0, 0, State.CLAIMED), (1, 1, State.HANDING_OVER), (1, 1, State.SENT)]


def test_each_try_has_a_number_and_the_horizon_is_the_latest_schedule_let_out(at: Installation) -> None:
    at.play.mailer.scenes = [Scene(answer=RefusedForNow("451"))]
    first = at.play.report_due()
    at.play.deliver()
    at.play.clock.advance(DAY)
    late = at.play.report(order_number="2", delay=2)
    at.play.deliver()
    at.play.clock.set(late.scheduled_for)
    at.play.deliver()
    mark = at.mark.read()
    assert mark is not None
    assert (mark.number, mark.horizon) == (3, late.scheduled_for)
    assert at.play.now(first).state is State.SENT


def test_an_older_copy_put_back_by_hand_sends_nothing_until_reconciled_and_nothing_twice_after(
    at: Installation,
) -> None:
    play = at.play
    ids = [play.report_due(f"c{number}@example.com") for number in range(12)]
    at.copy_away()
    assert len(play.deliver()) == 12
    at.put_back()
    assert paused(play) is Pause.MARK_AHEAD
    assert {play.now(each).state for each in ids} == {State.SCHEDULED}
    assert play.app.reconcile() == 12
    assert {(play.now(each).state, play.now(each).reason) for each in ids} == {(State.UNCERTAIN, Reason.RECONCILED)}
    assert play.app.delivery.paused() is None
    assert play.app.reconcile() == 0
    play.clock.advance(DAY)
    later = play.report_due("later@example.com")
    assert [each.invite_id for each in play.deliver()] == [later]
    assert len(play.mailer.out) == 13
    assert len({message.message_id for message in play.mailer.out}) == 13


def test_a_link_of_which_an_older_copy_knows_no_hand_over_lives_no_longer_for_being_opened_late(
    at: Installation,
) -> None:
    play = at.play
    invite_id = play.report_due()
    at.copy_away()
    play.deliver()
    at.put_back()
    play.app.reconcile()
    token = token_of(play.app, invite_id, Purpose.REVIEW)
    ends_at = play.clock.now() + 90 * DAY
    assert play.app.show_review_link(token).ends_at == ends_at
    play.clock.advance(80 * DAY)
    assert play.app.note_opened_link(token)
    assert play.app.show_review_link(token).ends_at == ends_at


def test_a_copy_that_is_as_new_as_what_was_sent_goes_on(at: Installation) -> None:
    sent = at.play.report_due()
    at.play.deliver()
    at.copy_away()
    at.play.report_due("bert@example.com")
    at.put_back()
    assert at.play.app.delivery.paused() is None
    other = at.play.report_due("cees@example.com")
    assert [each.invite_id for each in at.play.deliver()] == [other]
    assert at.play.now(sent).state is State.SENT


def test_a_copy_put_back_while_a_message_is_staged_lets_it_not_out(at: Installation) -> None:
    play = at.play
    first = play.report_due()
    at.copy_away()
    play.deliver()
    ours = play.report_due("bert@example.com")

    def become_older() -> None:
        def lower(store: object) -> None:
            store._connection.execute("UPDATE hosts SET fence = 0")  # type: ignore[attr-defined]

        play.storage.run(lower)

    play.mailer.scenes = [Scene(while_staged=become_older)]
    with pytest.raises(DeliveryPaused):
        play.deliver()
    assert [message.recipient for message in play.mailer.abandoned] == ["bert@example.com"]
    assert (play.now(ours).state, play.now(ours).reason) == (State.SCHEDULED, Reason.PAUSED)
    assert play.now(first).state is State.SENT
    assert len(play.mailer.out) == 1


def test_a_mark_that_is_missing_where_the_database_knows_a_host_pauses(at: Installation, tmp_path: Path) -> None:
    invite_id = at.play.report_due()
    (tmp_path / "reviewinvite.mark").unlink()
    assert paused(at.play) is Pause.MARK_MISSING
    assert at.mark.read() is None
    assert at.play.app.reconcile() == 1
    assert at.play.now(invite_id).state is State.UNCERTAIN
    other = at.play.report_due("bert@example.com")
    assert [each.invite_id for each in at.play.deliver()] == [other]


def test_a_mark_that_has_let_something_out_of_a_host_that_is_not_known_pauses(at: Installation) -> None:
    at.play.storage.run(lambda store: store._connection.execute("DELETE FROM hosts"))
    assert at.play.deliver() == []
    at.mark.advance(1, at.play.clock.now())
    at.play.storage.run(lambda store: store._connection.execute("DELETE FROM hosts"))
    at.play.report_due()
    assert paused(at.play) is Pause.MARK_AHEAD


def test_a_database_of_before_there_were_marks_gets_one(at: Installation, tmp_path: Path) -> None:
    at.play.storage.run(lambda store: store._connection.execute("DELETE FROM hosts"))
    (tmp_path / "reviewinvite.mark").unlink()
    at.play.report_due()
    assert [each.state for each in at.play.deliver()] == [State.SENT]
    assert [each.fence for each in at.hosts()] == [1]


def test_a_damaged_mark_ends_deliveries_with_its_own_words(at: Installation, tmp_path: Path) -> None:
    invite_id = at.play.report_due()
    (tmp_path / "reviewinvite.mark").write_bytes(b"")
    for use in (at.play.deliver, at.play.app.delivery.paused, at.play.app.reconcile):
        with pytest.raises(ConfigurationError, match="is damaged"):
            use()
    assert at.play.now(invite_id).state is State.SCHEDULED


@pytest.mark.parametrize(("fault", "ends"), [(RuntimeError, False), (ConfigurationError, True)])
def test_of_who_is_told_of_a_pause_only_a_configuration_error_ends_deliveries(
    at: Installation, tmp_path: Path, fault: type[Exception], ends: bool
) -> None:
    (tmp_path / "reviewinvite.mark").write_bytes(b"")
    stop = threading.Event()

    def fail(_: object) -> None:
        stop.set()
        raise fault("told")

    with pytest.raises(fault, match="told") if ends else nullcontext():
        at.play.app.delivery.continually(stop, on_pause=fail)
    assert stop.is_set()


def test_a_mark_that_cannot_be_written_keeps_the_message_in(at: Installation, tmp_path: Path) -> None:
    file = tmp_path / "reviewinvite.mark"
    kept = file.read_bytes()
    invite_id = at.play.report_due()
    at.play.rebuild(mark=UnwritableMark(at.mark))
    with pytest.raises(MarkUnwritten, match="permission denied"):
        at.play.deliver()
    left = at.play.now(invite_id)
    assert (left.state, left.reason, left.first_tried_at) == (State.SCHEDULED, Reason.MARK_UNWRITTEN, None)
    assert (at.play.mailer.out, len(at.play.mailer.abandoned)) == ([], 1)
    assert (file.read_bytes(), at.hosts()[0].fence) == (kept, 1)
    at.play.rebuild(mark=at.mark)
    assert at.play.app.delivery.paused() is None
    at.play.clock.advance(MINUTE)
    assert [each.state for each in at.play.deliver()] == [State.SENT]


def test_a_mark_that_cannot_be_written_is_logged_with_its_path_and_cause(at: Installation) -> None:
    at.play.report_due()
    at.play.rebuild(mark=UnwritableMark(at.mark))
    stop = threading.Event()
    with structlog.testing.capture_logs() as logged:
        at.play.app.delivery.continually(stop, on_change=lambda _: stop.set())
    assert logged == [{"event": "hand-over mark unwritten", "cause": "permission denied", "log_level": "error"}]


class UnwritableMark:
    """A mark that can be read and not written."""

    def __init__(self, mark: MarkFile) -> None:
        self.read, self.make = mark.read, mark.make

    def advance(self, *_: object) -> None:
        raise MarkUnwritten("permission denied")


def test_what_was_sent_before_its_time_by_an_operator_is_in_doubt_as_well(at: Installation) -> None:
    play = at.play
    early = play.report(delay=10)
    between = play.report("bert@example.com", delay=5)
    after = play.report("cees@example.com", delay=20)
    at.copy_away()
    due = {"now": to_microseconds(play.clock.now()), "early": to_microseconds(early.scheduled_for)}
    play.storage.run(
        lambda store: store._connection.execute(
            "UPDATE invitations SET due_at = :now WHERE scheduled_for = :early", due
        )
    )
    assert [each.invite_id for each in play.deliver()] == [early.invite_id]
    at.put_back()
    assert play.app.reconcile() == 2
    states = [play.now(each.invite_id).state for each in (early, between, after)]
    assert states == [State.UNCERTAIN, State.UNCERTAIN, State.SCHEDULED]


def test_one_host_that_is_ahead_pauses_all_the_others_until_reconciled() -> None:
    storage = MemoryStorage()
    storage.one_host = False
    marks = [MemoryMark(host) for host in ("one", "two")]
    plays = [Play(storage=storage, mark=marks[0])]
    plays.append(plays[0].beside(mark=marks[1]))
    for play in plays:
        assert play.deliver() == []
    marks[0].advance(7, plays[0].clock.now())  # of a database that has failed over to an older replica
    invite_id = plays[0].report_due()
    assert plays[1].app.delivery.paused() is None
    assert paused(plays[0]) is Pause.MARK_AHEAD
    assert paused(plays[1]) is Pause.OTHER_HOST_AHEAD
    assert plays[1].app.reconcile() == 1
    assert plays[0].now(invite_id).state is State.UNCERTAIN
    for play in plays:
        assert play.app.delivery.paused() is None
    assert {each.host: each.fence for each in storage.read(lambda store: store.hosts.every())} == {"one": 7, "two": 0}


def test_a_new_host_of_a_database_that_many_share_is_registered() -> None:
    storage = MemoryStorage()
    storage.one_host = False
    first, second = MemoryMark("one"), MemoryMark("two", lost=True)
    play = Play(storage=storage, mark=first)
    play.deliver()
    other = play.beside(mark=second)
    other.report_due("bert@example.com")
    assert [each.state for each in other.deliver()] == [State.SENT]
    assert {each.host: each.fence for each in storage.read(lambda store: store.hosts.every())} == {"one": 0, "two": 1}


class MemoryMark:
    """A mark in memory."""

    def __init__(self, host: str, *, lost: bool = False) -> None:
        self.host = host
        self.mark = None if lost else Mark(host=host, number=0)

    def read(self) -> Mark | None:
        return self.mark

    def make(self) -> Mark:
        self.mark = self.mark or Mark(host=self.host, number=0)
        return self.mark

    def advance(self, number: int, horizon: object) -> None:
        self.mark = Mark(host=self.host, number=number, horizon=horizon)  # type: ignore[arg-type]


def test_what_is_in_hand_is_in_doubt_too_and_only_an_awaited_answer_still_counts(at: Installation) -> None:
    play = at.play
    claimed, handed = play.report_due("a@example.com"), play.report_due("b@example.com")
    play.mailer.scenes = [Scene(while_staged=kill)]
    with pytest.raises(Killed):
        play.deliver()
    at.play.storage.run(
        lambda store: store.invitations.change(
            play.now(handed),
            play.now(handed).moved(State.HANDING_OVER, Reason.FENCED, play.clock.now(), claim=play.now(handed).claim),
        )
    )
    at.mark.advance(99, play.clock.now())
    assert play.app.reconcile() == 2
    assert {play.now(each).state for each in (claimed, handed)} == {State.UNCERTAIN}
    assert play.now(claimed).claim is None
    assert play.now(handed).claim is not None


def test_a_reconcile_that_is_broken_off_leaves_deliveries_paused_and_can_be_repeated(at: Installation) -> None:
    play = at.play
    for number in range(3):
        play.report_due(f"c{number}@example.com")
    at.mark.advance(99, play.clock.now())
    watch = play.app.delivery.office.watch
    assert watch is not None
    with pytest.raises(Killed):
        reconcile(KilledAfter(play.perform, steps=2), watch)
    assert paused(play) is Pause.MARK_AHEAD
    assert {each.invitation.state for each in play.app.list_invitations(InvitationQuery())} == {State.UNCERTAIN}
    assert play.app.reconcile() == 0
    assert play.app.delivery.paused() is None


class KilledAfter:
    """Performs so many steps, and is killed then."""

    def __init__(self, perform: Perform, *, steps: int) -> None:
        self.perform = perform
        self.steps = steps

    def __call__(self, step: Callable[[Work], object], /, *, locks: frozenset[int] | None = None) -> object:
        if self.steps == 0:
            raise Killed
        self.steps -= 1
        return self.perform(step, locks=locks)


def test_with_an_answer_lost_before_the_copy_nothing_changes(at: Installation) -> None:
    at.play.mailer.scenes = [Scene(answer=AnswerLost())]
    invite_id = at.play.report_due()
    at.play.deliver()
    at.copy_away()
    at.play.report_due("bert@example.com")
    at.play.deliver()
    at.put_back()
    assert at.play.app.reconcile() == 0
    assert at.play.now(invite_id).reason is Reason.ANSWER_LOST
