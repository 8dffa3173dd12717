"""Many units of work under one commit, and none acknowledged before it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Future
from pathlib import Path
from typing import TypeVar

import pytest
from tests.core.adapters.sql.raw import ask

from reviewinvite_core.adapters.group_commit import LARGEST_BATCH, GroupCommit
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.ports import Done, Executor, Failed, Outcome, Storage, Store, UnitOfWork
from reviewinvite_core.testing.builders import a_shop

T = TypeVar("T")

PATIENCE = 60.0


class UnitBroken(Exception):
    """What a unit raises here."""


def adding(site_id: str) -> UnitOfWork[Shop | None]:
    return lambda store: store.shops.add(a_shop(site_id))


def giving(number: int) -> UnitOfWork[int]:
    return lambda _: number


def broken(store: Store) -> None:
    store.shops.add(a_shop("half-done"))
    raise UnitBroken


def site_ids(storage: Storage) -> list[str]:
    return storage.read(lambda store: [shop.site_id.text for shop in store.shops.every()])


@pytest.fixture(params=["memory", "sqlite"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Storage]:
    storage = MemoryStorage() if request.param == "memory" else SqliteStorage(tmp_path / "test.db")
    yield storage
    storage.close()


@pytest.fixture
def writer(storage: Storage) -> Iterator[GroupCommit]:
    writer = GroupCommit(storage)
    yield writer
    writer.close()


class Held:
    """A unit that holds the writer until it is let go, so that others gather behind it."""

    def __init__(self, writer: GroupCommit) -> None:
        self.begun, self.let_go = threading.Event(), threading.Event()
        self.answer = writer.submit(self._unit)
        assert self.begun.wait(PATIENCE)

    def _unit(self, _: Store) -> str:
        self.begun.set()
        assert self.let_go.wait(PATIENCE)
        return "held"


class Batches:
    """Storage that notes the size of each batch, and can be made to fail."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.sizes: list[int] = []
        self.fail: Callable[[], object] = lambda: None

    def run_all(self, units: Sequence[UnitOfWork[object]], *, place: Executor | None = None) -> Sequence[Outcome]:
        self.fail()
        outcomes = self.storage.run_all(units, place=place)
        self.sizes.append(len(outcomes))
        return outcomes


def test_each_unit_gets_its_own_result(writer: GroupCommit) -> None:
    answers = [writer.submit(giving(number)) for number in range(50)]
    assert [answer.result(PATIENCE) for answer in answers] == list(range(50))
    assert writer.run(lambda _: "waited") == "waited"


def test_units_of_many_threads_are_all_kept(writer: GroupCommit, storage: Storage) -> None:
    def report(thread: int) -> None:
        for number in range(25):
            assert writer.run(adding(f"s-{thread}-{number:02}"))

    threads = [threading.Thread(target=report, args=[thread]) for thread in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE)
    assert len(site_ids(storage)) == 200


def test_what_gathers_while_one_runs_shares_one_commit(storage: Storage) -> None:
    batches = Batches(storage)
    writer = GroupCommit(batches)
    held = Held(writer)
    answers = [writer.submit(adding(f"s-{number:03}")) for number in range(40)]
    held.let_go.set()
    for answer in answers:
        answer.result(PATIENCE)
    writer.close()
    assert batches.sizes == [1, 40]


def test_no_batch_is_larger_than_the_largest(storage: Storage) -> None:
    batches = Batches(storage)
    writer = GroupCommit(batches)
    held = Held(writer)
    answers = [writer.submit(lambda _: None) for _ in range(2 * LARGEST_BATCH + 1)]
    held.let_go.set()
    for answer in answers:
        answer.result(PATIENCE)
    writer.close()
    assert batches.sizes == [1, LARGEST_BATCH, LARGEST_BATCH, 1]


def test_a_unit_that_raises_harms_no_other_of_its_batch(writer: GroupCommit, storage: Storage) -> None:
    held = Held(writer)
    first, failing, last = writer.submit(adding("a")), writer.submit(broken), writer.submit(adding("b"))
    held.let_go.set()
    assert first.result(PATIENCE)
    assert last.result(PATIENCE)
    with pytest.raises(UnitBroken):
        failing.result(PATIENCE)
    assert site_ids(storage) == ["a", "b"]


def test_a_batch_that_is_lost_is_acknowledged_to_nobody(tmp_path: Path) -> None:
    def fill_up(store: Store) -> None:
        ask(store, f"PRAGMA max_page_count = {ask(store, 'PRAGMA page_count')}")
        store.keep_key_ring(bytes(1_000_000))

    storage = SqliteStorage(tmp_path / "test.db")
    writer = GroupCommit(storage)
    held = Held(writer)
    answers: list[Future[object]] = [writer.submit(unit) for unit in (adding("a"), fill_up, adding("b"))]
    held.let_go.set()
    for answer in answers:
        assert isinstance(answer.exception(PATIENCE), StorageUnavailable)
    assert site_ids(storage) == []
    assert writer.run(adding("c"))
    assert site_ids(storage) == ["c"]
    writer.close()
    storage.close()


def test_nothing_is_acknowledged_before_the_commit(tmp_path: Path) -> None:
    storage, observer = SqliteStorage(tmp_path / "test.db"), SqliteStorage(tmp_path / "test.db")
    writer = GroupCommit(storage)
    missed: list[str] = []

    def look(site_id: str) -> Callable[[Future[Shop | None]], None]:
        def on_answer(_: Future[Shop | None]) -> None:
            if site_id not in site_ids(observer):
                missed.append(site_id)

        return on_answer

    held = Held(writer)
    answers = [writer.submit(adding(f"s-{number}")) for number in range(30)]
    for number, answer in enumerate(answers):
        answer.add_done_callback(look(f"s-{number}"))
    early: list[bool] = []
    last = writer.submit(lambda _: early.extend(answer.done() for answer in answers))
    held.let_go.set()
    last.result(PATIENCE)
    writer.close()
    assert early == [False] * 30  # the units of one batch are done, and none of them acknowledged
    assert missed == []
    assert len(site_ids(observer)) == 30
    storage.close()
    observer.close()


def test_a_unit_cancelled_before_its_batch_is_not_carried_out(writer: GroupCommit, storage: Storage) -> None:
    held = Held(writer)
    unwanted, wanted = writer.submit(adding("unwanted")), writer.submit(adding("wanted"))
    assert unwanted.cancel()
    held.let_go.set()
    assert wanted.result(PATIENCE)
    with pytest.raises(CancelledError):
        unwanted.result(PATIENCE)
    assert site_ids(storage) == ["wanted"]


def test_a_unit_that_has_begun_cannot_be_cancelled_and_is_carried_out(writer: GroupCommit) -> None:
    held = Held(writer)
    assert not held.answer.cancel()
    held.let_go.set()
    assert held.answer.result(PATIENCE) == "held"


def test_a_batch_of_cancelled_units_leaves_the_writer_alive(writer: GroupCommit) -> None:
    held = Held(writer)
    for answer in [writer.submit(adding(f"s-{number}")) for number in range(3)]:
        assert answer.cancel()
    held.let_go.set()
    assert writer.run(lambda _: "alive") == "alive"


def test_closing_finishes_what_was_submitted_and_refuses_what_comes_later(storage: Storage) -> None:
    writer = GroupCommit(storage)
    held = Held(writer)
    answers = [writer.submit(adding(f"s-{number:03}")) for number in range(2 * LARGEST_BATCH)]
    closer = threading.Thread(target=writer.close)
    closer.start()
    held.let_go.set()
    closer.join(PATIENCE)
    assert not closer.is_alive()
    assert all(answer.done() and answer.result() for answer in answers)
    assert len(site_ids(storage)) == 2 * LARGEST_BATCH
    with pytest.raises(StorageUnavailable):
        writer.submit(adding("late"))
    with pytest.raises(StorageUnavailable):
        writer.run(adding("late"))
    writer.close()
    assert "late" not in site_ids(storage)


@pytest.mark.parametrize("fault", [StorageUnavailable("away"), RuntimeError("a bug"), MemoryError()])
def test_a_storage_that_raises_fails_its_batch_and_not_the_writer(storage: Storage, fault: Exception) -> None:
    batches = Batches(storage)
    writer = GroupCommit(batches)

    def fail() -> None:
        raise fault

    batches.fail = fail
    answers = [writer.submit(adding(f"s-{number}")) for number in range(3)]
    for answer in answers:
        assert answer.exception(PATIENCE) is fault
    batches.fail = lambda: None
    assert writer.run(adding("after"))
    assert site_ids(storage) == ["after"]
    writer.close()


class SilentBatches(Batches):
    """Storage that does not answer until it is let go."""

    def __init__(self, storage: Storage) -> None:
        super().__init__(storage)
        self.asked, self.let_go = threading.Event(), threading.Event()

    def run_all(self, units: Sequence[UnitOfWork[object]], *, place: Executor | None = None) -> Sequence[Outcome]:
        self.asked.set()
        assert self.let_go.wait(PATIENCE)
        return super().run_all(units, place=place)


def test_closing_waits_no_longer_than_it_is_given_and_tells_what_is_left(storage: Storage) -> None:
    batches = SilentBatches(storage)
    writer = GroupCommit(batches)
    batches.let_go.set()
    assert writer.run(adding("answered"))
    batches.let_go.clear()
    batches.asked.clear()
    asked = writer.submit(adding("asked"))
    assert batches.asked.wait(PATIENCE)
    waiting, given_up = writer.submit(adding("waiting")), writer.submit(adding("given-up"))
    assert given_up.cancel()
    assert writer.close(0.1) == 1
    assert isinstance(waiting.exception(0), StorageUnavailable)
    assert not asked.done()  # it may be stored, or not: no outcome is reported before it is known
    batches.let_go.set()
    assert asked.result(PATIENCE)
    assert writer.close() == 0
    assert site_ids(storage) == ["answered", "asked"]


def test_closing_in_time_leaves_nothing(writer: GroupCommit, storage: Storage) -> None:
    answers = [writer.submit(adding(f"s-{number}")) for number in range(3)]
    assert writer.close(PATIENCE) == 0
    assert all(answer.result(0) for answer in answers)
    assert len(site_ids(storage)) == 3


def test_all_that_have_waited_as_long_are_told_with_the_first_that_storage_is_out_of_reach(storage: Storage) -> None:
    batches = Batches(storage)
    writer = GroupCommit(batches)
    held = Held(writer)
    waiting = [writer.submit(adding(f"waiting-{number}")) for number in range(5)]
    assert waiting[3].cancel()
    later: list[Future[Shop | None]] = []

    def fail_once() -> None:
        if not later:
            later.extend(writer.submit(adding(f"later-{number}")) for number in range(2))
            raise StorageUnavailable("no connection")

    batches.fail = fail_once
    held.let_go.set()
    for answer in [*waiting[:3], waiting[4]]:
        assert isinstance(answer.exception(PATIENCE), StorageUnavailable)
    assert all(answer.result(PATIENCE) for answer in later)  # they have not waited for that try
    writer.close()
    assert site_ids(storage) == ["later-0", "later-1"]


def test_outcomes_are_told_once_to_those_who_asked_to_be_told(writer: GroupCommit) -> None:
    told: list[Outcome] = []
    writer.submit_and_tell(lambda _: 1, told.append)
    writer.submit_and_tell(broken, told.append)
    writer.submit_and_tell(lambda _: 2, told.append, begin=lambda: False)
    assert writer.run(lambda _: 3) == 3
    assert told[0] == Done(1)
    assert isinstance(told[1], Failed)
    assert isinstance(told[1].error, UnitBroken)
    assert len(told) == 2


class OtherThread:
    """A place of its own for units to run: one thread that does as it is asked."""

    def __init__(self) -> None:
        self.ran_on: list[str] = []

    def run(self, work: Callable[[], T]) -> T:
        results: list[T] = []

        def note_and_work() -> None:
            self.ran_on.append(threading.current_thread().name)
            results.append(work())

        thread = threading.Thread(target=note_and_work, name="the-place")
        thread.start()
        thread.join(PATIENCE)
        return results[0]


def test_units_run_at_the_place_that_is_given(storage: Storage) -> None:
    place = OtherThread()
    writer = GroupCommit(storage, place=place)
    assert writer.run(lambda _: threading.current_thread().name) == "the-place"
    assert writer.run(adding("a"))
    writer.close()
    assert set(place.ran_on) == {"the-place"}
    assert site_ids(storage) == ["a"]


def test_a_unit_that_ends_its_thread_does_not_end_the_writer(storage: Storage, writer: GroupCommit) -> None:
    def ending(_: Store) -> None:
        raise SystemExit

    with pytest.raises(SystemExit):
        writer.submit(ending).result(PATIENCE)
    writer.submit(adding("after")).result(PATIENCE)
    assert site_ids(storage) == ["after"]


def test_several_writers_run_side_by_side_and_all_end_at_close() -> None:
    storage, others = MemoryStorage(), threading.enumerate()
    together = threading.Barrier(3)
    writers = GroupCommit(_Unserialised(storage, together), writers=3)
    answers = [writers.submit(adding(f"shop-{number}")) for number in range(3)]
    for answer in answers:
        assert answer.result(PATIENCE) is not None  # each waited for the other two
    writers.close()
    left = [thread for thread in threading.enumerate() if thread.name.startswith("group-commit")]
    assert set(left) <= set(others)
    assert len(site_ids(storage)) == 3
    with pytest.raises(StorageUnavailable):
        writers.submit(adding("late"))


class _Unserialised:
    """Storage whose batches, of one unit each, begin only when three are there at once."""

    def __init__(self, storage: Storage, together: threading.Barrier) -> None:
        self._storage = storage
        self._together = together

    def run_all(self, units: Sequence[UnitOfWork[object]], *, place: Executor | None = None) -> Sequence[Outcome]:
        self._together.wait(PATIENCE)
        return self._storage.run_all(units, place=place)
