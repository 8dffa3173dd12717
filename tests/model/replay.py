"""A delivery, a reconciliation or a retry that is suspended before each thing it does to the world.

The real code runs. What it does to storage, to the hand-over mark and to the mail server are its *effects*. It is run
from its beginning with the results of the effects it has had so far, has one more, and is thrown away before the next.
So a suspended program is nothing but a tuple of results, and can be copied and compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import attrs

from reviewinvite_core.domain.handovers import HandOver, HighWaterMark, RecordedHandOvers
from reviewinvite_core.ports import (
    Accepted,
    AnswerLost,
    HighWaterMarkStore,
    Letter,
    Message,
    NoticeLetter,
    RefusedForNow,
    Rejected,
)
from reviewinvite_core.usecases.context import TransactionRunner, UnitContext

T = TypeVar("T")


class Suspended(BaseException):
    """The program is about to have this effect."""

    def __init__(self, effect: str) -> None:
        super().__init__(effect)
        self.effect = effect


@attrs.frozen
class Raised:
    """The result of an effect that failed."""

    error: Exception


class Replay:
    """The surroundings of a program: a transaction runner, a mark, a mailer, a renderer and a stop signal."""

    def __init__(
        self, results: tuple[object, ...], transactions: TransactionRunner, mark: HighWaterMarkStore, server: Server
    ) -> None:
        self.results = list(results)
        self._replayed, self._may_act = 0, True
        self._transactions, self._mark, self._server = transactions, mark, server

    def _effect(self, name: str, act: Callable[[], T]) -> T:
        if self._replayed == len(self.results):
            if not self._may_act:
                raise Suspended(name)
            self._may_act = False
            try:
                self.results.append(act())
            except Exception as error:
                self.results.append(Raised(error))
        result: Any = self.results[self._replayed]
        self._replayed += 1
        if isinstance(result, Raised):
            raise result.error
        return result  # type: ignore[no-any-return]

    # --- storage

    def run(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int] | None = None) -> T:
        return self._effect("commits", lambda: self._transactions.run(step, locks=locks))

    def run_batched(self, step: Callable[[UnitContext], T], /, *, locks: frozenset[int]) -> T:
        return self._effect("commits", lambda: self._transactions.run_batched(step, locks=locks))

    # --- the mark

    def read(self) -> HighWaterMark | None:
        return self._effect("reads the mark", self._mark.read)

    def recall(self) -> RecordedHandOvers:
        return self._mark.recall()  # within a transaction, so at once

    def make(self) -> HighWaterMark:
        return self._effect("makes the mark", self._mark.make)

    def advance(self, hand_overs: Sequence[HandOver]) -> None:
        self._effect("writes the mark", lambda: self._mark.advance(hand_overs))

    # --- mail: staging touches nothing that others see, so it is no effect

    def render(self, letter: Letter | NoticeLetter) -> Message:
        item_id = letter.message_id if isinstance(letter, NoticeLetter) else letter.invite_id
        return Message(message_id=item_id, sender="", recipient="", content=b"")

    async def stage(self, message: Message) -> Replay:
        self._message_id = message.message_id
        return self

    async def commit(self) -> Accepted | RefusedForNow | Rejected | AnswerLost:
        return self._effect("sends the end of the data", lambda: self._server.take(self._message_id))

    def abandon(self) -> None:
        """Do nothing: the server drops a message without an end."""

    async def close(self) -> None:
        """Do nothing; no connection is open."""

    # --- a stop that nobody requests

    def is_set(self) -> bool:
        return False

    def wait(self, timeout: float) -> bool:  # noqa: ARG002
        return False


class Server:
    """The mail server: how often it took each message, and what it says to the next one."""

    def __init__(self) -> None:
        self.taken: dict[str, int] = {}
        self.answer: Accepted | RefusedForNow | Rejected | AnswerLost = Accepted("250")

    def take(self, invite_id: str) -> Accepted | RefusedForNow | Rejected | AnswerLost:
        if not isinstance(self.answer, RefusedForNow | Rejected):
            self.taken[invite_id] = self.taken.get(invite_id, 0) + 1
        return self.answer


def digest(value: object) -> object:
    """A value that can be hashed, the same for the same result."""
    kind: Any = type(value)
    if attrs.has(kind):
        return (kind.__name__, *(digest(getattr(value, field.name)) for field in attrs.fields(kind)))
    if isinstance(value, dict):
        return tuple(sorted(value.items()))
    if isinstance(value, list | tuple):
        return tuple(map(digest, value))
    return repr(value) if isinstance(value, Exception) else value
