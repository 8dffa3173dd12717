"""Which workers are missing goes by the observer's own monotonic clock."""

from __future__ import annotations

from datetime import timedelta

from reviewinvite_core.domain.workers import Heartbeat, WorkerWatch
from reviewinvite_core.testing.builders import NOON


def _beat(worker: bytes, counter: int) -> Heartbeat:
    return Heartbeat(worker=worker, host="h", counter=counter, at=NOON)


def test_a_worker_is_missing_once_its_counter_has_stood_for_two_minutes_of_the_observers_clock() -> None:
    watch = WorkerWatch(timedelta(minutes=2))
    assert watch.observe([_beat(b"a", 7), _beat(b"b", 1)], 1_000.0) == []
    assert watch.observe([_beat(b"a", 7), _beat(b"b", 2)], 1_119.9) == []
    assert watch.observe([_beat(b"a", 7), _beat(b"b", 2)], 1_120.0) == [_beat(b"a", 7)]
    assert watch.observe([_beat(b"a", 8), _beat(b"b", 2)], 1_239.9) == [_beat(b"b", 2)]


def test_a_counter_that_moves_at_all_shows_life_even_if_it_sinks() -> None:
    watch = WorkerWatch(timedelta(minutes=2))
    watch.observe([_beat(b"a", 7)], 0.0)
    assert watch.observe([_beat(b"a", 1)], 120.0) == []


def test_only_what_has_not_beaten_since_the_observer_began_is_from_before() -> None:
    watch = WorkerWatch(timedelta(minutes=2))
    watch.observe([_beat(b"dead", 7), _beat(b"alive", 1)], 0.0)
    watch.observe([_beat(b"dead", 7), _beat(b"alive", 2), _beat(b"new", 1)], 60.0)
    watch.observe([_beat(b"dead", 7), _beat(b"alive", 2), _beat(b"new", 1)], 600.0)
    from_before = [each for each in (b"dead", b"alive", b"new") if watch.is_from_before(_beat(each, 0))]
    assert from_before == [b"dead"]
