"""Mailers for tests that are not coroutines: each call runs on one event loop, and is waited for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any, TypeVar

import attrs

from reviewinvite_core.ports import Accepted, AnswerLost, Mailer, Message, RefusedForNow, Rejected, Staged, Unreachable

T = TypeVar("T")


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return the loop that all tests of this process use; its thread ends with the process."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="mailers of tests", daemon=True).start()
    return loop


def wait_for(coroutine: Coroutine[Any, Any, T]) -> T:
    """Return the result of the coroutine."""
    return asyncio.run_coroutine_threadsafe(coroutine, _loop()).result()


@attrs.frozen
class BlockingStaged:
    """A staged message whose calls wait."""

    _staged: Staged

    def commit(self) -> Accepted | RefusedForNow | Rejected | AnswerLost:
        return wait_for(self._staged.commit())

    def abandon(self) -> None:
        async def abandon() -> None:
            self._staged.abandon()

        wait_for(abandon())


@attrs.frozen
class BlockingMailer:
    """A mailer whose calls wait; any number of threads may call it."""

    inner: Mailer

    def stage(self, message: Message) -> BlockingStaged | RefusedForNow | Rejected | Unreachable:
        staged = wait_for(self.inner.stage(message))
        return staged if isinstance(staged, RefusedForNow | Rejected | Unreachable) else BlockingStaged(staged)

    def close(self) -> None:
        wait_for(self.inner.close())


def staged(mailer: BlockingMailer, message: Message) -> BlockingStaged:
    """Stage the message; fail unless the mailer takes it."""
    answer = mailer.stage(message)
    assert isinstance(answer, BlockingStaged), answer
    return answer
