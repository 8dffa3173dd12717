"""Contract tests for the storage of the counts behind limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta

import pytest

from reviewinvite_core.domain.frequency import Recipient
from reviewinvite_core.domain.limits import DAY, LimitKey, Usage
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import NOON

LIMIT_KEY = LimitKey(1, "orders:key_1")


def at(seconds: float) -> datetime:
    """Return the instant that is `seconds` after noon."""
    return NOON + timedelta(seconds=seconds)


def admit(
    storage: Storage, seconds: Sequence[float], *, limit_key: LimitKey = LIMIT_KEY, replacing_nth: int | None = None
) -> None:
    """Record admissions at these instants."""
    for each in seconds:
        instant = at(each)
        storage.run(lambda store, at=instant: store.rate_limit_log.admit([limit_key], at, replacing_nth=replacing_nth))  # type: ignore[misc]


def nth_newest(storage: Storage, count: int, limit_key: LimitKey = LIMIT_KEY) -> datetime | None:
    """Return the storage's answer."""
    return storage.read(lambda store: store.rate_limit_log.nth_newest([limit_key], count)).get(limit_key)


class RateLimitLogContract:
    """Part of `StorageContract`: admissions under rate limits."""

    def test_there_is_no_nth_newest_admission_before_there_are_n(self, storage: Storage) -> None:
        assert nth_newest(storage, 1) is None
        admit(storage, [0, 1])
        assert nth_newest(storage, 3) is None

    def test_the_nth_newest_admission_is_counted_from_the_newest(self, storage: Storage) -> None:
        admit(storage, [0, 1, 2.000001])
        assert [nth_newest(storage, count) for count in (1, 2, 3)] == [at(2.000001), at(1), at(0)]

    def test_admissions_at_one_instant_count_each(self, storage: Storage) -> None:
        admit(storage, [0, 0, 0])
        assert nth_newest(storage, 3) == at(0)
        assert nth_newest(storage, 4) is None

    def test_subjects_and_shops_are_counted_apart(self, storage: Storage) -> None:
        admit(storage, [0])
        admit(storage, [1], limit_key=LimitKey(1, "orders:key_2"))
        admit(storage, [2], limit_key=LimitKey(2, "orders:key_1"))
        assert nth_newest(storage, 1) == at(0)
        assert nth_newest(storage, 2) is None

    @pytest.mark.parametrize("count", [1, 3, 31, 32, 33, 100])
    @pytest.mark.parametrize("gap", [0.000001, 0.1, 5, 59.999999, 60, 61])
    def test_the_newest_are_known_at_any_pace(self, storage: Storage, count: int, gap: float) -> None:
        before, times = [place * gap for place in range(count)], (count * 3 // 2) + 1
        admit(storage, before)
        replacing = [(count + place) * gap for place in range(times)]
        admit(storage, replacing, replacing_nth=count)
        instants = [at(each) for each in (*before, *replacing)]
        assert [nth_newest(storage, nth) for nth in range(1, count + 1)] == instants[: -count - 1 : -1]

    @pytest.mark.parametrize("count", [1, 3, 33, 70])
    @pytest.mark.parametrize("gap", [0.1, 0.9, 20, 61])
    @pytest.mark.parametrize("replacing", [False, True])
    def test_the_use_of_a_limit_is_known_at_any_pace(
        self, storage: Storage, count: int, gap: float, replacing: bool
    ) -> None:
        instants = [at(place * gap) for place in range(count + 5)]
        admit(storage, [place * gap for place in range(count)])
        admit(storage, [place * gap for place in range(count, count + 5)], replacing_nth=count if replacing else None)
        newest = instants[-count:]
        for after in (newest[0], newest[-1], newest[-1] - timedelta(seconds=60), newest[0] - timedelta(seconds=1)):
            usage = storage.read(
                lambda store, after=after: store.rate_limit_log.usage([LIMIT_KEY], count, after=after)  # type: ignore[misc]
            )[LIMIT_KEY]
            within = [instant for instant in instants if instant > after]
            assert usage.nth_newest == newest[0]
            assert min(usage.admitted, count) == min(len(within), count)
            if len(within) <= count:
                assert usage.oldest == (within[0] if within else None)

    def test_the_use_of_a_limit_begins_with_nothing(self, storage: Storage) -> None:
        usage = storage.read(lambda store: store.rate_limit_log.usage([LIMIT_KEY], 2, after=at(0)))
        assert usage == {LIMIT_KEY: Usage()}
        admit(storage, [1])
        usage = storage.read(lambda store: store.rate_limit_log.usage([LIMIT_KEY], 2, after=at(0)))
        assert usage == {LIMIT_KEY: Usage(None, 1, at(1))}

    def test_a_replaced_admission_concerns_its_own_subject_only(self, storage: Storage) -> None:
        other = LimitKey(2, LIMIT_KEY.name)
        admit(storage, [0, 1])
        admit(storage, [0, 1], limit_key=other)
        admit(storage, [60], replacing_nth=2)
        assert [nth_newest(storage, count, other) for count in (1, 2)] == [at(1), at(0)]

    def test_a_replaced_admission_among_more_leaves_the_newer_ones_in_order(self, storage: Storage) -> None:
        admit(storage, [0, 1, 2, 3])
        admit(storage, [60], replacing_nth=2)
        assert [nth_newest(storage, count) for count in (1, 2)] == [at(60), at(3)]

    def test_a_sweep_forgets_what_is_older_and_says_how_many(self, storage: Storage) -> None:
        admit(storage, [0, 100, 200, 260])
        admit(storage, [0, 61], limit_key=LimitKey(2, "orders:key_9"))
        assert storage.run(lambda store: store.rate_limit_log.sweep(at(200), 100)) == 4
        assert [nth_newest(storage, count) for count in (1, 2, 3)] == [at(260), at(200), None]
        assert nth_newest(storage, 1, LimitKey(2, "orders:key_9")) is None

    def test_a_sweep_keeps_all_that_is_not_older(self, storage: Storage) -> None:
        admit(storage, [0, 10, 59.999999])
        storage.run(lambda store: store.rate_limit_log.sweep(at(59.999999), 100))
        assert nth_newest(storage, 1) == at(59.999999)

    def test_a_sweep_forgets_no_more_than_it_is_asked_to(self, storage: Storage) -> None:
        admit(storage, [0, 60, 120])
        admit(storage, [0, 60], limit_key=LimitKey(2, "orders:key_9"))

        def sweep() -> int:
            return storage.run(lambda store: store.rate_limit_log.sweep(at(180), 2))

        assert [sweep() for _ in range(4)] == [2, 2, 1, 0]

    def test_admissions_after_a_sweep_count_on(self, storage: Storage) -> None:
        admit(storage, [0, 100])
        storage.run(lambda store: store.rate_limit_log.sweep(at(60), 100))
        admit(storage, [120, 300])
        assert [nth_newest(storage, count) for count in (1, 2, 3, 4)] == [at(300), at(120), at(100), None]

    def test_admissions_of_a_clock_that_was_ahead_count_as_of_now(self, storage: Storage) -> None:
        other = LimitKey(1, "orders:key_2")
        admit(storage, [0, 30, 31])
        admit(storage, [40], limit_key=other)
        storage.run(lambda store: store.rate_limit_log.bring_back([LIMIT_KEY, LimitKey(9, "unknown")], at(10)))
        assert [nth_newest(storage, count) for count in (1, 2, 3, 4)] == [at(10), at(10), at(0), None]
        assert nth_newest(storage, 1, other) == at(40)

    def test_those_of_all_keys_are_brought_back_a_few_at_a_time(self, storage: Storage) -> None:
        other = LimitKey(2, "orders:key_9")
        admit(storage, [0, 10, 130, 195])
        admit(storage, [200], limit_key=other)

        def bring_back() -> int:
            return storage.run(lambda store: store.rate_limit_log.bring_back_all(at(5), later_than=at(65), limit=2))

        assert [bring_back() for _ in range(3)] == [2, 1, 0]
        assert [nth_newest(storage, count) for count in (1, 2, 3, 4)] == [at(5), at(5), at(10), at(0)]
        assert nth_newest(storage, 1, other) == at(5)

    def test_admissions_of_one_minute_are_brought_back_together(self, storage: Storage) -> None:
        admit(storage, [0, 600, 610, 620])
        storage.run(lambda store: store.rate_limit_log.bring_back_all(at(5), later_than=at(65), limit=10))
        assert [nth_newest(storage, count) for count in (1, 2, 3, 4)] == [at(5), at(5), at(5), at(0)]
        admit(storage, [7, 64.9, 65])
        assert [nth_newest(storage, count) for count in (1, 2, 3, 4)] == [at(65), at(64.9), at(7), at(5)]

    def test_a_busy_minute_is_brought_back_whole(self, storage: Storage) -> None:
        admit(storage, [600 + place / 10 for place in range(100)])
        storage.run(lambda store: store.rate_limit_log.bring_back_all(at(5), later_than=at(65), limit=100))
        assert [nth_newest(storage, count) for count in (1, 50, 100, 101)] == [at(5), at(5), at(5), None]

    def test_those_of_a_minute_are_brought_back_by_its_last(self, storage: Storage) -> None:
        admit(storage, [600, 659])
        storage.run(lambda store: store.rate_limit_log.bring_back_all(at(595), later_than=at(658), limit=10))
        assert nth_newest(storage, 1) == at(595)

    def test_those_before_now_stay_as_they_are(self, storage: Storage) -> None:
        admit(storage, [0, 10, 11, 12, 70, 130])
        storage.run(lambda store: store.rate_limit_log.bring_back([LIMIT_KEY], at(11)))
        instants = [nth_newest(storage, count) for count in range(1, 7)]
        assert instants == [at(11), at(11), at(11), at(11), at(10), at(0)]
        admit(storage, [12])
        assert [nth_newest(storage, count) for count in (1, 2)] == [at(12), at(11)]


TODAY = date(2026, 3, 2)
TOMORROW = TODAY + timedelta(days=1)


def count(storage: Storage, counts: Mapping[LimitKey, int], day: date = TODAY) -> None:
    """Add these counts."""
    storage.run(lambda store: store.daily_counters.count(counts, day))


def counted(storage: Storage, *names: str, day: date = TODAY) -> Mapping[LimitKey, int]:
    """Return shop 1's counts under these names."""
    limit_keys = [LimitKey(1, name) for name in names]
    return storage.read(lambda store: store.daily_counters.counted(limit_keys, day))


class DailyCountersContract:
    """Part of `StorageContract`: daily counters."""

    def test_a_days_counts_add_up(self, storage: Storage) -> None:
        assert counted(storage, "views") == {}
        count(storage, {LimitKey(1, "views"): 1})
        count(storage, {LimitKey(1, "views"): 2, LimitKey(1, "snippets"): 5})
        assert counted(storage, "views", "snippets", "others") == {LimitKey(1, "views"): 3, LimitKey(1, "snippets"): 5}

    def test_days_and_shops_are_counted_apart(self, storage: Storage) -> None:
        count(storage, {LimitKey(1, "views"): 1, LimitKey(2, "views"): 7})
        count(storage, {LimitKey(1, "views"): 9}, TOMORROW)
        assert counted(storage, "views") == {LimitKey(1, "views"): 1}
        assert counted(storage, "views", day=TOMORROW) == {LimitKey(1, "views"): 9}

    def test_more_than_fit_into_one_statement_are_counted(self, storage: Storage) -> None:
        many = {LimitKey(1, f"tally {number}"): number for number in range(1, 300)}
        count(storage, many)
        assert counted(storage, *(limit_key.name for limit_key in many)) == many

    def test_days_that_are_over_are_forgotten_a_few_at_a_time(self, storage: Storage) -> None:
        count(storage, {LimitKey(shop, "views"): 1 for shop in (1, 2, 3)})
        count(storage, {LimitKey(1, "views"): 4}, TOMORROW)
        swept = [storage.run(lambda store: store.daily_counters.sweep(TOMORROW, 2)) for _ in range(3)]
        assert swept == [2, 1, 0]
        assert counted(storage, "views") == {}
        assert counted(storage, "views", day=TOMORROW) == {LimitKey(1, "views"): 4}


TICK = timedelta(microseconds=1)


class SnippetReportsContract:
    """Part of `StorageContract`: orders that open snippets reported of late."""

    def test_a_persons_reports_are_counted_at_a_shop_and_at_all(self, storage: Storage) -> None:
        anna, bert, carla = b"anna", b"bert", b"carla"
        for reported in ([(1, anna), (2, anna), (1, bert)], [(1, anna)], [(1, anna)]):
            storage.run(lambda store, reported=reported: store.snippet_reports.count(reported, NOON))  # type: ignore[misc]
        storage.run(lambda store: store.snippet_reports.count([(2, anna)], NOON + TICK))

        def counted(since: datetime, until: datetime) -> Mapping[Recipient, tuple[int, int]]:
            asked = [(shop, person) for shop in (1, 2) for person in (anna, bert, carla)]
            return storage.read(lambda store: store.snippet_reports.counted(asked, since, until))

        at_noon = {(1, anna): (3, 4), (2, anna): (1, 4), (1, bert): (1, 1), (2, bert): (0, 1)}
        later = {(1, anna): (0, 1), (2, anna): (1, 1)}
        assert counted(NOON - TICK, NOON + TICK) == at_noon
        assert counted(NOON, NOON + 2 * TICK) == later
        assert counted(NOON - TICK, NOON) == counted(NOON + TICK, NOON + DAY) == {}
        swept = [storage.run(lambda store: store.snippet_reports.sweep(NOON + TICK, 2)) for _ in range(3)]
        assert swept == [2, 1, 0]
        assert counted(NOON - DAY, NOON + DAY) == later
