"""How long the client pauses, and when it repeats nothing any more."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from reviewinvite_http.client import Retries, SystemClock

CHANCES = st.floats(0, 1)
RETRIES = st.builds(
    Retries, attempts=st.integers(1, 10_000), first_pause=st.floats(0, 100), longest_pause=st.floats(0, 1000)
)


@given(RETRIES, st.integers(1, 10_000), CHANCES)
def test_a_pause_is_the_upper_half_of_its_length_which_doubles_up_to_the_longest(
    retries: Retries, attempt: int, chance: float
) -> None:
    longest = min(retries.longest_pause, retries.first_pause * 2.0 ** min(attempt - 1, 60))
    assert longest / 2 <= retries.pause(attempt, chance) <= longest


@given(RETRIES, st.integers(1, 10_000), CHANCES, st.integers(0, 10**9))
def test_a_pause_is_never_shorter_than_the_service_asks_for(
    retries: Retries, attempt: int, chance: float, retry_after: int
) -> None:
    assert retries.pause(attempt, chance, retry_after) >= retry_after


def test_clients_that_failed_together_do_not_return_together() -> None:
    retries, clock = Retries(), SystemClock()
    assert len({retries.pause(3, clock.chance()) for _ in range(100)}) > 90
    assert len({retries.pause(3, clock.chance(), 60) for _ in range(100)}) > 90


@pytest.mark.parametrize(
    "wrong", [{"attempts": 0}, {"seconds": 0}, {"first_pause": -1}, {"longest_pause": -1}], ids=str
)
def test_bounds_that_cannot_be_are_a_value_error(wrong: dict[str, int]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        Retries(**wrong)
