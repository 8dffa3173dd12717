"""The limit a minute is exact, checked against an oracle that knows nothing of how it is kept."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import attrs
import pytest
from hypothesis import example, given, strategies as st

from reviewinvite_core import Settings
from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.bootstrap.compose import policies_from
from reviewinvite_core.domain.client_counts import ClientCounts
from reviewinvite_core.domain.limits import MINUTE, Limit, LimitKey, Remaining, Usage
from reviewinvite_core.domain.refusals import LimitReached
from reviewinvite_core.domain.sealing import KeyRing
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON, CountingEntropy
from reviewinvite_core.usecases.admission import consume_rate_limit
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.sweep import sweep_rate_limit_log

T = TypeVar("T")
MICROSECOND = timedelta(microseconds=1)
SUBJECT = LimitKey(1, "orders:key_1")

# steps that crowd around the edges: many at one instant, a hair before the minute, exactly on it, a hair after
steps = st.lists(
    st.one_of(
        st.integers(0, 3),
        st.integers(0, 70_000_000),
        st.sampled_from([59_999_999, 60_000_000, 60_000_001, 20_000_000, 30_000_000]),
    ),
    max_size=40,
)


def in_unit(storage: Storage, now: datetime, step: Callable[[UnitContext], T]) -> T:
    def unit(store: Store) -> T:
        work = UnitContext(
            store=store,
            now=now,
            entropy=CountingEntropy(),
            ring=KeyRing.make(bytes(128)),
            policies=policies_from(Settings()),
            client_counts=ClientCounts(),
        )
        return step(work)

    return storage.run(unit)


def ask_and_see(
    storage: Storage, count: int, now: datetime, subject: LimitKey = SUBJECT
) -> tuple[LimitReached | None, Remaining]:
    refused, usage = in_unit(storage, now, lambda ctx: consume_rate_limit(ctx, Limit(count), [subject]))
    return refused.get(subject), Remaining.after("orders", Limit(count), usage.get(subject, Usage()), now)


def ask(storage: Storage, count: int, now: datetime, subject: LimitKey = SUBJECT) -> LimitReached | None:
    return ask_and_see(storage, count, now, subject)[0]


def fits(admitted: list[datetime], count: int, now: datetime) -> bool:
    """The promise itself: with one more at `now`, no half-open span of a minute holds more than `count`."""
    return sum(now - MINUTE < at <= now for at in admitted) < count


def walk(storage: Storage, count: int, gaps: list[int]) -> None:
    now = NOON
    admitted: list[datetime] = []
    for gap in gaps:
        now += gap * MICROSECOND
        refusal, remaining = ask_and_see(storage, count, now)
        assert (refusal is None) == fits(admitted, count, now)
        if refusal is None:
            admitted.append(now)
        else:
            assert refusal.asked_at == now
            assert fits(admitted, count, refusal.retry_at)
            assert not fits(admitted, count, refusal.retry_at - MICROSECOND)
        within = [at for at in admitted if now - MINUTE < at]
        assert remaining.count == count - len(within)
        wait = (within[0] + MINUTE - now) / timedelta(seconds=1)
        assert remaining.seconds - 1 < wait <= remaining.seconds
    for start in admitted:  # no span admits more, wherever it begins: the fullest ones begin at an admission
        assert sum(start <= at < start + MINUTE for at in admitted) <= count


@given(count=st.integers(1, 6), gaps=steps)
@example(count=1, gaps=[0, 59_999_999, 1])
@example(count=3, gaps=[0, 0, 0, 0, 60_000_000, 0, 0, 0])
def test_no_span_of_a_minute_admits_more_and_nobody_below_the_limit_is_refused(count: int, gaps: list[int]) -> None:
    walk(MemoryStorage(), count, gaps)


@given(count=st.integers(1, 4), gaps=steps)
def test_the_limit_is_as_exact_in_a_database(sqlite_root: Path, count: int, gaps: list[int]) -> None:
    with TemporaryDirectory(dir=sqlite_root) as folder:
        storage = SqliteStorage(Path(folder) / "test.db")
        walk(storage, count, gaps)
        storage.close()


@attrs.frozen
class Turn:
    """Some requests in one unit of work of one of two processes, the last of which may undo them all."""

    gap: int
    process: int
    requests: int
    undone: bool
    swept: bool


turns_of_two = st.lists(
    st.builds(
        Turn,
        gap=st.sampled_from([0, 1, 7, 1_000_000, 20_000_000, 59_999_999, 60_000_000]) | st.integers(0, 70_000_000),
        process=st.integers(0, 1),
        requests=st.integers(1, 20),
        undone=st.booleans(),
        swept=st.booleans(),
    ),
    max_size=25,
)


class Undone(Exception):
    """What a unit of work raises to be undone."""


@given(count=st.sampled_from([1, 3, 31, 32, 33, 70]), turns=turns_of_two)
def test_two_processes_share_one_limit_and_what_is_undone_does_not_count(
    sqlite_root: Path, count: int, turns: list[Turn]
) -> None:
    now = NOON
    admitted: list[datetime] = []
    with TemporaryDirectory(dir=sqlite_root) as folder:
        processes = [SqliteStorage(Path(folder) / "test.db") for _ in range(2)]
        for turn in turns:
            now += turn.gap * MICROSECOND
            storage, kept = processes[turn.process], list(admitted)
            answers: list[bool] = []

            def request(ctx: UnitContext, turn: Turn = turn, answers: list[bool] = answers) -> None:
                answers += [not consume_rate_limit(ctx, Limit(count), [SUBJECT])[0] for _ in range(turn.requests)]
                if turn.undone:
                    raise Undone

            with pytest.raises(Undone) if turn.undone else nullcontext():
                in_unit(storage, now, request)
            for answer in answers:
                assert answer == fits(admitted, count, now)
                admitted += [now] if answer else []
            admitted = kept if turn.undone else admitted
            if turn.swept:
                in_unit(processes[1 - turn.process], now, sweep_rate_limit_log)
        for each in processes:
            each.close()


@given(asked=st.lists(st.tuples(st.integers(0, 40_000_000), st.integers(1, 5)), max_size=40))
def test_a_limit_that_the_operator_changes_holds_from_the_next_request_on(asked: list[tuple[int, int]]) -> None:
    storage, now = MemoryStorage(), NOON
    admitted: list[datetime] = []
    for gap, count in asked:
        now += gap * MICROSECOND
        refusal = ask(storage, count, now)
        assert (refusal is None) == fits(admitted, count, now)
        if refusal is None:
            admitted.append(now)


def test_a_database_keeps_a_changed_limit_as_exactly(sqlite_folder: Path) -> None:
    storage, now = SqliteStorage(sqlite_folder / "test.db"), NOON
    admitted: list[datetime] = []
    for turn in range(120):
        count = (5, 2, 4, 1, 6)[turn // 7 % 5]
        now += timedelta(seconds=(3, 0, 31, 7)[turn % 4])
        refusal = ask(storage, count, now)
        assert (refusal is None) == fits(admitted, count, now)
        if refusal is None:
            admitted.append(now)
    storage.close()


set_back_turns = st.lists(
    st.tuples(st.integers(0, 40_000_000), st.sampled_from([0, 0, 0, 1, 5, 59, 61, 86_400]), st.booleans()), max_size=40
)


@given(count=st.integers(1, 4), turns=set_back_turns)
@example(count=2, turns=[(0, 0, False), (0, 0, False), (1, 86_400, True), (1, 0, False), (1, 0, False)])
def test_a_clock_that_is_set_back_opens_no_limit_twice_and_closes_none_for_long(
    count: int, turns: list[tuple[int, int, bool]]
) -> None:
    walk_back(MemoryStorage(), count, turns)


@given(count=st.integers(1, 4), turns=set_back_turns)
def test_nor_does_it_in_a_database(sqlite_root: Path, count: int, turns: list[tuple[int, int, bool]]) -> None:
    with TemporaryDirectory(dir=sqlite_root) as folder:
        storage = SqliteStorage(Path(folder) / "test.db")
        walk_back(storage, count, turns)
        storage.close()


def walk_back(storage: Storage, count: int, turns: list[tuple[int, int, bool]]) -> None:
    passed, behind = NOON, timedelta(0)
    admitted: list[datetime] = []  # by a clock that was never set
    for gap, set_back, swept in turns:
        passed += gap * MICROSECOND
        behind += timedelta(seconds=set_back)
        if swept:
            in_unit(storage, passed - behind, sweep_rate_limit_log)
        if ask(storage, count, passed - behind) is None:
            assert fits(admitted, count, passed)
            admitted.append(passed)
    now = passed - behind
    refusal = ask(storage, count, now)
    if refusal:
        assert refusal.retry_at <= now + MINUTE
        assert ask(storage, count, refusal.retry_at) is None


def test_a_limit_keeps_no_more_admissions_than_it_has_to_know() -> None:
    storage = MemoryStorage()
    for minute in range(20):
        for _ in range(3):
            ask(storage, 3, NOON + minute * MINUTE)
    assert storage.read(lambda store: store.rate_limit_log.nth_newest([SUBJECT], 4)) == {}


def test_a_refusal_takes_nothing() -> None:
    storage = MemoryStorage()
    assert ask(storage, 1, NOON) is None
    for second in range(1, 60):
        assert ask(storage, 1, NOON + timedelta(seconds=second))
    assert ask(storage, 1, NOON + MINUTE) is None


def test_subjects_do_not_share_a_limit() -> None:
    storage = MemoryStorage()
    assert ask(storage, 1, NOON) is None
    assert ask(storage, 1, NOON, LimitKey(1, "orders:key_2")) is None
    assert ask(storage, 1, NOON, LimitKey(2, SUBJECT.name)) is None
    assert ask(storage, 1, NOON)


def test_a_limit_of_zero_refuses_nothing_and_counts_nothing() -> None:
    storage = MemoryStorage()
    for _ in range(500):
        assert ask(storage, 0, NOON) is None
    assert storage.read(lambda store: store.rate_limit_log.nth_newest([SUBJECT], 1)) == {}
    assert Limit(0).refusal(NOON, NOON) is None


@pytest.mark.parametrize(
    ("wait", "seconds"),
    [
        (timedelta(microseconds=1), 1),
        (timedelta(seconds=1), 1),
        (timedelta(seconds=1, microseconds=1), 2),
        (timedelta(seconds=59, microseconds=999_999), 60),
        (MINUTE, 60),
    ],
)
def test_the_seconds_to_wait_are_rounded_up(wait: timedelta, seconds: int) -> None:
    assert LimitReached(asked_at=NOON, retry_at=NOON + wait).retry_after_seconds == seconds
