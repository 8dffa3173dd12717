"""What a host has let out, as its mark remembers it: never fewer than may have left since an older copy (ADR-42)."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given, strategies as st
from tests.builders import a_hand_over

from reviewinvite_core.domain.handovers import HandOver, HighWaterMark, RecordedHandOvers
from reviewinvite_core.testing.builders import NOON

HOUR = timedelta(hours=1)
CAPACITY = 16

some_hand_overs = st.lists(
    st.builds(
        lambda hours, early: (NOON + hours * HOUR, early * HOUR), st.integers(0, 50), st.sampled_from([0, 0, 0, 1, 100])
    ),
    min_size=20,
    max_size=60,
).map(lambda found: [a_hand_over(number, when, at=when - early) for number, (when, early) in enumerate(found, 1)])


def remembered(hand_overs: list[HandOver]) -> RecordedHandOvers:
    """Return the mark that has let out these, one after the other."""
    let_out = RecordedHandOvers(mark=HighWaterMark(host="host", number=0))
    for each in hand_overs:
        if len(let_out.named) == CAPACITY:
            let_out = let_out.compacted(CAPACITY)
            assert len(let_out.named) <= CAPACITY - CAPACITY // 8
        let_out = RecordedHandOvers(mark=let_out.mark, named=(*let_out.named, each))
    return let_out


@given(some_hand_overs)
def test_whatever_the_copy_knows_all_that_left_since_is_named_or_was_scheduled_by_the_horizon(
    hand_overs: list[HandOver],
) -> None:
    let_out = remembered(hand_overs)
    for fence in range(len(hand_overs)):
        since = let_out.since(fence)
        for each in hand_overs[fence:]:
            covered = since.horizon is not None and each.scheduled_for <= since.horizon
            assert covered or (each.shop_number, each.invite_id) in since.named


@given(some_hand_overs)
def test_nothing_is_named_that_the_copy_knows_and_as_long_as_all_is_named_there_is_no_horizon(
    hand_overs: list[HandOver],
) -> None:
    let_out = remembered(hand_overs)
    for fence in range(len(hand_overs) + 1):
        since = let_out.since(fence)
        later = {(each.shop_number, each.invite_id) for each in hand_overs[fence:]}
        assert set(since.named) <= later
        assert (since.horizon is None) is (fence >= let_out.mark.forgotten)


def test_an_early_one_raises_the_horizon_only_once_there_is_room_for_no_other() -> None:
    early = [a_hand_over(number, NOON + number * 100 * HOUR, at=NOON) for number in range(1, CAPACITY - 1)]
    in_time = [a_hand_over(100 + number, NOON + number * HOUR) for number in range(500)]
    let_out = remembered([*early, *in_time])
    assert let_out.mark.horizon is not None
    assert let_out.mark.horizon < NOON + 500 * HOUR
    assert set(early[5:]) <= set(let_out.named)  # those for up to 500 hours later are covered by the horizon


def test_an_early_one_is_let_go_of_when_the_horizon_has_passed_it() -> None:
    early = a_hand_over(1, NOON + 3 * HOUR, at=NOON)
    in_time = [a_hand_over(number, NOON + number * HOUR) for number in range(2, CAPACITY + 2)]
    assert early not in remembered([early, *in_time]).named
    assert early in remembered([early, *in_time[:-1]]).named


def test_an_invitation_that_was_tried_several_times_is_named_once() -> None:
    tries = [a_try_of_the_first(number) for number in (1, 2, 3)]
    assert len(remembered(tries).since(1).named) == 1


def a_try_of_the_first(number: int) -> HandOver:
    first = a_hand_over(1)
    return HandOver(
        number=number,
        shop_number=first.shop_number,
        invite_id=first.invite_id,
        scheduled_for=first.scheduled_for,
        at=first.at,
    )
