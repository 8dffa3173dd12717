"""Many units of work under one commit, and none acknowledged before it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

import pytest
from tests.core.adapters.sql.raw import ask
from tests.core.stored import site_ids
from tests.steps import submit

from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import MAX_BATCH_SIZE, GroupCommit
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
        self.answer = submit(writer, self._unit)
        assert self.begun.wait(PATIENCE)

    def _unit(self, _: Store) -> str:
        self.begun.set()
        assert self.let_go.wait(PATIENCE)
        return "held"


class Batches:
    """Storage that notes the size of each batch, and can be made to fail."""

    batches_at_once = 1

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self.sizes: list[int] = []
        self.fail: Callable[[], object] = lambda: None

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        self.fail()
        outcomes = self.storage.run_all(units, executor=executor)
        self.sizes.append(len(outcomes))
        return outcomes


def test_each_unit_gets_its_own_result(writer: GroupCommit) -> None:
    answers = [submit(writer, giving(number)) for number in range(50)]
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
    answers = [submit(writer, adding(f"s-{number:03}")) for number in range(40)]
    held.let_go.set()
    for answer in answers:
        answer.result(PATIENCE)
    writer.close()
    assert batches.sizes == [1, 40]


def test_no_batch_is_larger_than_the_largest(storage: Storage) -> None:
    batches = Batches(storage)
    writer = GroupCommit(batches)
    held = Held(writer)
    answers = [submit(writer, lambda _: None) for _ in range(2 * MAX_BATCH_SIZE + 1)]
    held.let_go.set()
    for answer in answers:
        answer.result(PATIENCE)
    writer.close()
    assert batches.sizes == [1, MAX_BATCH_SIZE, MAX_BATCH_SIZE, 1]


def test_a_unit_that_raises_harms_no_other_of_its_batch(writer: GroupCommit, storage: Storage) -> None:
    held = Held(writer)
    first, failing, last = submit(writer, adding("a")), submit(writer, broken), submit(writer, adding("b"))
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
    answers: list[Future[object]] = [submit(writer, unit) for unit in (adding("a"), fill_up, adding("b"))]
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
    answers = [submit(writer, adding(f"s-{number}")) for number in range(30)]
    for number, answer in enumerate(answers):
        answer.add_done_callback(look(f"s-{number}"))
    early: list[bool] = []
    last = submit(writer, lambda _: early.extend(answer.done() for answer in answers))
    held.let_go.set()
    last.result(PATIENCE)
    writer.close()
    assert early == [False] * 30  # the units of one batch are done, and none of them acknowledged
    assert missed == []
    assert len(site_ids(observer)) == 30
    storage.close()
    observer.close()


def test_closing_finishes_what_was_submitted_and_refuses_what_comes_later(storage: Storage) -> None:
    writer = GroupCommit(storage)
    held = Held(writer)
    answers = [submit(writer, adding(f"s-{number:03}")) for number in range(2 * MAX_BATCH_SIZE)]
    closer = threading.Thread(target=writer.close)
    closer.start()
    held.let_go.set()
    closer.join(PATIENCE)
    assert not closer.is_alive()
    assert all(answer.done() and answer.result() for answer in answers)
    assert len(site_ids(storage)) == 2 * MAX_BATCH_SIZE
    with pytest.raises(StorageUnavailable):
        submit(writer, adding("late"))
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
    answers = [submit(writer, adding(f"s-{number}")) for number in range(3)]
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

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        self.asked.set()
        assert self.let_go.wait(PATIENCE)
        return super().run_all(units, executor=executor)


def test_closing_waits_no_longer_than_it_is_given_and_tells_what_is_left(storage: Storage) -> None:
    batches = SilentBatches(storage)
    writer = GroupCommit(batches)
    batches.let_go.set()
    assert writer.run(adding("answered"))
    batches.let_go.clear()
    batches.asked.clear()
    asked = submit(writer, adding("asked"))
    assert batches.asked.wait(PATIENCE)
    waiting = submit(writer, adding("waiting"))
    assert writer.close(0.1) == 1
    assert isinstance(waiting.exception(0), StorageUnavailable)
    assert not asked.done()  # it may be stored, or not: no outcome is reported before it is known
    batches.let_go.set()
    assert asked.result(PATIENCE)
    assert writer.close() == 0
    assert site_ids(storage) == ["answered", "asked"]


def test_closing_in_time_leaves_nothing(writer: GroupCommit, storage: Storage) -> None:
    answers = [submit(writer, adding(f"s-{number}")) for number in range(3)]
    assert writer.close(PATIENCE) == 0
    assert all(answer.result(0) for answer in answers)
    assert len(site_ids(storage)) == 3


def test_all_that_have_waited_as_long_are_told_with_the_first_that_storage_is_out_of_reach(storage: Storage) -> None:
    batches = Batches(storage)
    writer = GroupCommit(batches)
    held = Held(writer)
    waiting = [submit(writer, adding(f"waiting-{number}")) for number in range(5)]
    later: list[Future[Shop | None]] = []

    def fail_once() -> None:
        if not later:
            later.extend(submit(writer, adding(f"later-{number}")) for number in range(2))
            raise StorageUnavailable("no connection")

    batches.fail = fail_once
    held.let_go.set()
    for answer in waiting:
        assert isinstance(answer.exception(PATIENCE), StorageUnavailable)
    assert all(answer.result(PATIENCE) for answer in later)  # they have not waited for that try
    writer.close()
    assert site_ids(storage) == ["later-0", "later-1"]


def test_outcomes_are_told_once_to_those_who_asked_to_be_told(writer: GroupCommit) -> None:
    told: list[Outcome] = []
    writer.submit(lambda _: 1, told.append)
    writer.submit(broken, told.append)
    assert writer.run(lambda _: 3) == 3
    assert told[0] == Done(1)
    assert isinstance(told[1], Failed)
    assert isinstance(told[1].error, UnitBroken)
    assert len(told) == 2


class OtherThread:
    """An executor with a thread for each function."""

    def __init__(self) -> None:
        self.ran_on: list[str] = []

    def run(self, work: Callable[[], T]) -> T:
        results: list[T] = []

        def note_and_work() -> None:
            self.ran_on.append(threading.current_thread().name)
            results.append(work())

        thread = threading.Thread(target=note_and_work, name="the-executor")
        thread.start()
        thread.join(PATIENCE)
        return results[0]


def test_units_run_on_the_executor_that_is_given(storage: Storage) -> None:
    executor = OtherThread()
    writer = GroupCommit(storage, executor=executor)
    assert writer.run(lambda _: threading.current_thread().name) == "the-executor"
    assert writer.run(adding("a"))
    writer.close()
    assert set(executor.ran_on) == {"the-executor"}
    assert site_ids(storage) == ["a"]


def test_a_unit_that_ends_its_thread_does_not_end_the_writer(storage: Storage, writer: GroupCommit) -> None:
    def ending(_: Store) -> None:
        raise SystemExit

    with pytest.raises(SystemExit):
        submit(writer, ending).result(PATIENCE)
    submit(writer, adding("after")).result(PATIENCE)
    assert site_ids(storage) == ["after"]


def test_several_writers_run_side_by_side_and_all_end_at_close() -> None:
    storage, others = MemoryStorage(), threading.enumerate()
    together = threading.Barrier(3)
    writers = GroupCommit(_Unserialised(storage, together))
    answers = [submit(writers, adding(f"shop-{number}")) for number in range(3)]
    for answer in answers:
        assert answer.result(PATIENCE) is not None  # each waited for the other two
    writers.close()
    left = [thread for thread in threading.enumerate() if thread.name.startswith("group-commit")]
    assert set(left) <= set(others)
    assert len(site_ids(storage)) == 3
    with pytest.raises(StorageUnavailable):
        submit(writers, adding("late"))


class _Unserialised:
    """Storage whose batches, of one unit each, begin only when three are there at once."""

    batches_at_once = 3

    def __init__(self, storage: Storage, together: threading.Barrier) -> None:
        self._storage = storage
        self._together = together

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        self._together.wait(PATIENCE)
        return self._storage.run_all(units, executor=executor)
