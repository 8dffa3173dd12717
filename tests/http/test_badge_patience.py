"""A badge is waited for as long as a page can wait, and no longer."""

from __future__ import annotations

import asyncio

import pytest
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core import StorageUnavailable
from reviewinvite_http.widget.badge import within


def test_an_answer_in_time_is_returned_and_one_that_is_late_is_given_up() -> None:
    async def scenario() -> None:
        loop = asyncio.get_running_loop()
        late, in_time = loop.create_future(), loop.create_future()
        in_time.set_result("badge")
        assert await within(TIMEOUT_SECONDS, in_time) == "badge"
        with pytest.raises(StorageUnavailable, match="no answer in time"):
            await within(0.01, late)
        assert late.cancelled()
        await asyncio.sleep(0)  # the task itself was not cancelled

    asyncio.run(scenario())


def test_a_caller_that_goes_away_is_not_taken_for_an_answer_that_is_late() -> None:
    async def scenario() -> None:
        task = asyncio.create_task(within(TIMEOUT_SECONDS, asyncio.get_running_loop().create_future()))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(scenario())
