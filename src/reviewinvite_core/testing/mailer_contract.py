"""Contract tests for every mailer: two phases, nothing sent before the second (ADR-7), and any number of threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeAlias

import pytest

from reviewinvite_core.ports import Accepted, AnswerLost, Mailer, Message, Refused, RefusedForNow, Staged, Unreachable

Delivered: TypeAlias = Callable[[], Sequence[bytes]]
PATIENCE_SECONDS = 60.0
THREADS = 4

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


def staged(mailer: Mailer, message: Message) -> Staged:
    """Stage the message; fail unless the mailer takes it."""
    answer = mailer.stage(message)
    assert not isinstance(answer, RefusedForNow | Refused | Unreachable), answer
    return answer


class MailerContract:
    """Suite for a mailer. Supply two fixtures: `mailer`, a `ports.Mailer` connected to something real, and `delivered`.

    `delivered` is a callable that returns the raw bytes of each message that has arrived, in any order. It may be
    called often, and is called repeatedly for a while if a message has not yet arrived.
    """

    def test_a_staged_message_is_not_delivered(self, mailer: Mailer, delivered: Delivered) -> None:
        waiting = staged(mailer, a_message())
        assert list(delivered()) == []
        waiting.abandon()

    @pytest.mark.parametrize("body", list(AWKWARD_BODIES.values()), ids=list(AWKWARD_BODIES))
    def test_a_committed_message_is_delivered_once_byte_by_byte(
        self, mailer: Mailer, delivered: Delivered, body: bytes
    ) -> None:
        message = a_message(body=body)
        assert isinstance(staged(mailer, message).commit(), Accepted)
        assert _awaited(delivered, 1) == [message.content]

    def test_an_abandoned_message_is_never_delivered(self, mailer: Mailer, delivered: Delivered) -> None:
        staged(mailer, a_message(1)).abandon()
        committed = a_message(2)
        staged(mailer, committed).commit()
        assert _awaited(delivered, 1) == [committed.content]

    def test_messages_that_are_staged_together_do_not_mix(self, mailer: Mailer, delivered: Delivered) -> None:
        first, second = a_message(1, "anna@example.com", b"one\r\n"), a_message(2, "bert@example.com", b"two\r\n")
        waiting = [staged(mailer, message) for message in (first, second)]
        assert isinstance(waiting[1].commit(), Accepted)
        assert _awaited(delivered, 1) == [second.content]
        assert isinstance(waiting[0].commit(), Accepted)
        assert sorted(_awaited(delivered, 2)) == sorted([first.content, second.content])

    def test_messages_one_after_the_other_do_not_mix(self, mailer: Mailer, delivered: Delivered) -> None:
        messages = [a_message(serial, body=body) for serial, body in enumerate(AWKWARD_BODIES.values())]
        for message in messages:
            assert isinstance(staged(mailer, message).commit(), Accepted)
            staged(mailer, a_message(1000)).abandon()
        assert sorted(_awaited(delivered, len(messages))) == sorted(message.content for message in messages)

    def test_many_threads_may_stage_and_commit_at_once(self, mailer: Mailer, delivered: Delivered) -> None:
        def deliver(thread: int) -> list[bytes]:
            committed = []
            for serial in range(thread * 100, thread * 100 + 12):
                message = a_message(serial, f"{serial}@example.com", b"%d\r\n" % serial * 50)
                waiting = staged(mailer, message)
                if serial % 4 == 3:
                    waiting.abandon()
                else:
                    assert isinstance(waiting.commit(), Accepted)
                    committed.append(message.content)
            return committed

        with ThreadPoolExecutor(THREADS) as threads:
            expected = [content for committed in threads.map(deliver, range(THREADS)) for content in committed]
        assert sorted(_awaited(delivered, len(expected))) == sorted(expected)

    def test_a_message_that_was_abandoned_can_be_staged_again(self, mailer: Mailer, delivered: Delivered) -> None:
        message = a_message()
        staged(mailer, message).abandon()
        assert isinstance(staged(mailer, message).commit(), Accepted)
        assert _awaited(delivered, 1) == [message.content]

    def test_a_commit_gives_a_definite_answer_or_says_that_there_is_none(self, mailer: Mailer) -> None:
        assert isinstance(staged(mailer, a_message()).commit(), Accepted | RefusedForNow | Refused | AnswerLost)

    def test_a_mailer_can_be_closed_twice(self, mailer: Mailer) -> None:
        mailer.close()
        mailer.close()


def _awaited(delivered: Delivered, count: int) -> Sequence[bytes]:
    """Return the messages that have arrived, after waiting a while for `count` of them."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(arrived := list(delivered())) < count and time.monotonic() < deadline:
        time.sleep(0.01)
    return arrived
