"""What a worker does about its own row, and about those of workers that are missing."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import timedelta

import attrs
from tests.core.usecases.harness import AppHarness, MailScript

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.notices import MailItem
from reviewinvite_core.ports import Unreachable
from reviewinvite_core.usecases.delivery.claim import claim_due
from reviewinvite_core.usecases.delivery.worker import Listeners, WorkerHeart, run_continually

OURS, THEIRS = b"worker a", b"worker b"


class _Time:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


def _heart(harness: AppHarness, time: _Time, worker: bytes = OURS) -> WorkerHeart:
    return WorkerHeart(attrs.evolve(harness.delivery_context(), worker=worker, stopwatch=time))


def _claim(harness: AppHarness, worker: bytes) -> None:
    harness.transactions.run(
        lambda ctx: claim_due(ctx, "http://127.0.0.1", 1, since=None, high_water_mark=None, worker=worker)
    )


def _workers(harness: AppHarness) -> dict[bytes, int]:
    beats = harness.in_transaction(lambda store: store.workers.every())
    return {each.worker: each.counter for each in beats}


def _after(heart: WorkerHeart, time: _Time, seconds: float) -> Sequence[MailItem]:
    time.seconds += seconds
    return list(heart.beat())


def test_a_worker_beats_every_twenty_seconds_and_its_row_goes_when_it_ends() -> None:
    harness, time = AppHarness(), _Time()
    heart = _heart(harness, time)
    counts = []
    for seconds in (0, 1, 18.9, 0.1, 20):
        _after(heart, time, seconds)
        counts.append(_workers(harness)[OURS])
    assert counts == [1, 1, 1, 2, 3]
    heart.end()
    assert _workers(harness) == {}


def test_what_a_missing_worker_claimed_is_released_and_what_it_was_handing_over_is_not() -> None:
    harness, time = AppHarness(), _Time()
    fenced, claimed = (harness.report_due(f"{name}@example.com", order_number=name) for name in ("a", "b"))
    for _ in range(2):
        _claim(harness, THEIRS)
    held = harness.invitation(fenced)
    hand_over = held.moved(State.HANDING_OVER, Reason.FENCED, harness.clock.now(), claim=held.claim)
    harness.in_transaction(lambda store: store.invitations.change(held, hand_over))
    harness.in_transaction(lambda store: store.workers.beat(THEIRS, "another host", harness.clock.now()))
    heart = _heart(harness, time)
    assert [_after(heart, time, seconds) for seconds in (0, 60, 59)] == [[], [], []]
    assert [each.reason for each in _after(heart, time, 20)] == [Reason.LEASE_EXPIRED]
    assert (harness.invitation(fenced).state, harness.invitation(claimed).state) == (
        *(State.HANDING_OVER, State.SCHEDULED),
    )


def test_a_worker_that_is_missing_by_mistake_does_not_pass_the_fence() -> None:
    harness, time = AppHarness(), _Time()
    invite_id = harness.report_due()
    _claim(harness, THEIRS)
    theirs = harness.invitation(invite_id)
    harness.in_transaction(lambda store: store.workers.beat(THEIRS, "", harness.clock.now()))
    heart = _heart(harness, time)
    _after(heart, time, 0)
    _after(heart, time, 120)
    assert theirs.claim is not None
    assert not harness.invitation(invite_id).held_by(theirs.claim.token, harness.clock.now())


def test_a_worker_that_starts_removes_the_missing_of_its_host_and_others_go_after_a_day() -> None:
    harness, time = AppHarness(), _Time()
    for worker, host in ((b"killed..", ""), (b"other...", "another host")):
        harness.in_transaction(lambda store, w=worker, h=host: store.workers.beat(w, h, harness.clock.now()))  # type: ignore[misc]
    heart = _heart(harness, time)
    _after(heart, time, 0)
    assert set(_workers(harness)) == {OURS, b"killed..", b"other..."}
    _after(heart, time, 120)
    assert set(_workers(harness)) == {OURS, b"other..."}
    harness.clock.advance(timedelta(days=1))
    _after(heart, time, 20)
    assert set(_workers(harness)) == {OURS}


def test_a_worker_that_goes_missing_beside_another_of_its_host_stays_known() -> None:
    harness, time = AppHarness(), _Time()
    beside = _heart(harness, time, THEIRS)
    heart = _heart(harness, time)
    for seconds in (0, 20):
        _after(beside, time, seconds)
        _after(heart, time, 0)
    _after(heart, time, 121)
    assert set(_workers(harness)) == {OURS, THEIRS}


def test_deliveries_beat_and_remove_their_row_after_a_clean_stop() -> None:
    harness = AppHarness()
    stop, seen = threading.Event(), []

    def on_change(_: MailItem) -> None:
        seen.append(_workers(harness))
        stop.set()

    harness.report_due()
    context = attrs.evolve(harness.delivery_context(stop), worker=OURS)
    troubles: list[Exception] = []
    listeners = Listeners(
        on_change=on_change, on_notice=on_change, on_trouble=troubles.append, on_pause=troubles.append
    )
    run_continually(context, listeners)
    assert (seen, _workers(harness), troubles) == ([{OURS: 1}], {}, [])


def test_the_backlog_says_what_is_tried_again_and_since_when_it_waits() -> None:
    harness = AppHarness(MailScript(at_stage=Unreachable("ConnectionRefusedError")))
    harness.report_due()
    harness.deliver()
    backlog = harness.app.delivery.backlog()
    assert (backlog.due, backlog.waiting_retry) == (0, 1)
    harness.clock.advance(timedelta(hours=1))
    _claim(harness, THEIRS)
    assert harness.app.delivery.backlog().stuck == 0
    harness.clock.advance(timedelta(minutes=5, seconds=1))
    assert harness.app.delivery.backlog().stuck == 1
