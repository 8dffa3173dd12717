"""Contract tests for every mailer: two phases, nothing sent before the second (ADR-7), and many messages at once."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Concatenate, ParamSpec, TypeAlias

import pytest

from reviewinvite_core.ports import Accepted, AnswerLost, Mailer, Message, RefusedForNow, Rejected, Staged, Unreachable

Delivered: TypeAlias = Callable[[], Sequence[bytes]]
Trouble: TypeAlias = Callable[[], object]
PATIENCE_SECONDS = 60.0
SESSIONS = 4

P = ParamSpec("P")

_HEAD = b"From: <shop@example.com>\r\nTo: <anna@example.com>\r\nSubject: x\r\n\r\n"
AWKWARD_BODIES = {
    "plain": b"Hello\r\n",
    "empty": b"",
    "a dot alone": b".\r\n",
    "lines that begin with dots": b"..\r\n.a\r\n...\r\n. \r\nend\r\n",
    "a dot at the very end": b"end\r\n.\r\n",
    "an end of message in the middle": (
        b"one\r\n.\r\nMAIL FROM:<a@example.com>\r\nRCPT TO:<b@example.com>\r\nDATA\r\nsmuggled\r\n.\r\nQUIT\r\n"
    ),
    "empty lines": b"\r\n\r\n\r\n",
    "a line of 998 characters": b"x" * 998 + b"\r\n",
    "large": b"0123456789abcdef\r\n" * 20_000,
}


def a_message(serial: int = 1, recipient: str = "anna@example.com", body: bytes = b"Hello\r\n") -> Message:
    """Return a message ready to be handed over, with a different id for each serial."""
    return Message(
        message_id=f"<{serial:032x}@example.com>",
        sender="shop@example.com",
        recipient=recipient,
        content=b"X-Serial: %d\r\n" % serial + _HEAD + body,
    )


async def staged(mailer: Mailer, message: Message) -> Staged:
    """Stage the message; fail unless the mailer takes it."""
    answer = await mailer.stage(message)
    assert not isinstance(answer, RefusedForNow | Rejected | Unreachable), answer
    return answer


def _on_a_loop(test: Callable[Concatenate[Any, Mailer, P], Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """Return the test as a function, which runs it on an event loop and closes the mailer there."""

    async def run(suite: Any, mailer: Mailer, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            await test(suite, mailer, *args, **kwargs)
        finally:
            await mailer.close()

    def run_on_a_loop(suite: Any, mailer: Mailer, *args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(run(suite, mailer, *args, **kwargs))

    functools.update_wrapper(run_on_a_loop, test)  # pytest looks at the test's own parameters
    return run_on_a_loop


class MailerContract:
    """Suite for a mailer. Supply five fixtures, the first being `mailer`, a `ports.Mailer` connected to something real.

    `delivered` is a callable that returns the raw bytes of each message that has arrived, in any order. It may be
    called often, and is called repeatedly for a while if a message has not yet arrived.

    The other three are callables that make trouble. Each is called at most once, between `stage` and `commit`:

    - `lose_answer` lets the end of the staged message arrive, but no answer come back;
    - `refuse` makes the other side answer that it does not take the message;
    - `disconnect` ends the connection before the end of the message is transmitted.

    Each test uses the mailer on one event loop, and closes it there.
    """

    @_on_a_loop
    async def test_a_staged_message_is_not_delivered(self, mailer: Mailer, delivered: Delivered) -> None:
        waiting = await staged(mailer, a_message())
        assert list(delivered()) == []
        waiting.abandon()

    @pytest.mark.parametrize("body", list(AWKWARD_BODIES.values()), ids=list(AWKWARD_BODIES))
    @_on_a_loop
    async def test_a_committed_message_is_delivered_once_byte_by_byte(
        self, mailer: Mailer, delivered: Delivered, body: bytes
    ) -> None:
        message = a_message(body=body)
        assert isinstance(await (await staged(mailer, message)).commit(), Accepted)
        assert await _awaited(delivered, 1) == [message.content]

    @_on_a_loop
    async def test_an_abandoned_message_is_never_delivered(self, mailer: Mailer, delivered: Delivered) -> None:
        (await staged(mailer, a_message(1))).abandon()
        committed = a_message(2)
        await (await staged(mailer, committed)).commit()
        assert await _awaited(delivered, 1) == [committed.content]

    @_on_a_loop
    async def test_messages_that_are_staged_together_do_not_mix(self, mailer: Mailer, delivered: Delivered) -> None:
        first, second = a_message(1, "anna@example.com", b"one\r\n"), a_message(2, "bert@example.com", b"two\r\n")
        waiting = [await staged(mailer, message) for message in (first, second)]
        assert isinstance(await waiting[1].commit(), Accepted)
        assert await _awaited(delivered, 1) == [second.content]
        assert isinstance(await waiting[0].commit(), Accepted)
        assert sorted(await _awaited(delivered, 2)) == sorted([first.content, second.content])

    @_on_a_loop
    async def test_messages_one_after_the_other_do_not_mix(self, mailer: Mailer, delivered: Delivered) -> None:
        messages = [a_message(serial, body=body) for serial, body in enumerate(AWKWARD_BODIES.values())]
        for message in messages:
            assert isinstance(await (await staged(mailer, message)).commit(), Accepted)
            (await staged(mailer, a_message(1000))).abandon()
        assert sorted(await _awaited(delivered, len(messages))) == sorted(message.content for message in messages)

    @_on_a_loop
    async def test_many_sessions_may_stage_and_commit_at_once(self, mailer: Mailer, delivered: Delivered) -> None:
        async def deliver(session: int) -> list[bytes]:
            committed = []
            for serial in range(session * 100, session * 100 + 12):
                message = a_message(serial, f"{serial}@example.com", b"%d\r\n" % serial * 50)
                waiting = await staged(mailer, message)
                if serial % 4 == 3:
                    waiting.abandon()
                else:
                    assert isinstance(await waiting.commit(), Accepted)
                    committed.append(message.content)
            return committed

        committed = await asyncio.gather(*map(deliver, range(SESSIONS)))
        expected = [content for contents in committed for content in contents]
        assert sorted(await _awaited(delivered, len(expected))) == sorted(expected)

    @_on_a_loop
    async def test_a_message_that_was_abandoned_can_be_staged_again(self, mailer: Mailer, delivered: Delivered) -> None:
        message = a_message()
        (await staged(mailer, message)).abandon()
        assert isinstance(await (await staged(mailer, message)).commit(), Accepted)
        assert await _awaited(delivered, 1) == [message.content]

    @_on_a_loop
    async def test_a_commit_gives_a_definite_answer_or_says_that_there_is_none(self, mailer: Mailer) -> None:
        assert isinstance(
            await (await staged(mailer, a_message())).commit(), Accepted | RefusedForNow | Rejected | AnswerLost
        )

    @_on_a_loop
    async def test_a_lost_answer_is_never_told_as_another_one(self, mailer: Mailer, lose_answer: Trouble) -> None:
        """Fail on any other answer: the message would be sent again, or count as sent though it was lost (ADR-7)."""
        waiting = await staged(mailer, a_message())
        lose_answer()
        assert await waiting.commit() == AnswerLost()

    @_on_a_loop
    async def test_a_refusal_at_the_end_is_told_as_one(
        self, mailer: Mailer, delivered: Delivered, refuse: Trouble
    ) -> None:
        waiting = await staged(mailer, a_message())
        refuse()
        assert isinstance(await waiting.commit(), RefusedForNow | Rejected)
        assert list(delivered()) == []

    @_on_a_loop
    async def test_a_connection_that_ended_before_the_message_did_refuses_nothing_for_good(
        self, mailer: Mailer, delivered: Delivered, disconnect: Trouble
    ) -> None:
        waiting = await staged(mailer, a_message())
        disconnect()
        assert isinstance(await waiting.commit(), RefusedForNow | AnswerLost)
        assert list(delivered()) == []

    @_on_a_loop
    async def test_a_mailer_can_be_closed_twice(self, mailer: Mailer) -> None:
        await mailer.close()
        await mailer.close()


async def _awaited(delivered: Delivered, count: int) -> Sequence[bytes]:
    """Return the messages that have arrived, after waiting a while for `count` of them."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(arrived := list(delivered())) < count and time.monotonic() < deadline:
        await asyncio.sleep(0.01)
    return arrived
