"""A mailer that keeps messages in memory, for tests and trials."""

from __future__ import annotations

import attrs

from reviewinvite_core.ports import Accepted, AnswerLost, Message, RefusedForNow, Rejected, Unreachable


class RecordingMailer:
    """Accepts every message; `messages` holds those handed over, in order, without messages that were only staged.

    Set `answer` to try out what a program does with another one: a message whose answer is lost was handed over, one
    that is refused was not. Implements `ports.Mailer`.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.answer: Accepted | RefusedForNow | Rejected | AnswerLost = Accepted()

    async def stage(self, message: Message) -> _StagedRecord | RefusedForNow | Rejected | Unreachable:
        return _StagedRecord(self, message)

    async def close(self) -> None:
        pass


@attrs.frozen
class _StagedRecord:
    _mailer: RecordingMailer
    _message: Message

    async def commit(self) -> Accepted | RefusedForNow | Rejected | AnswerLost:
        answer = self._mailer.answer
        if isinstance(answer, Accepted | AnswerLost):
            self._mailer.messages.append(self._message)
        return answer

    def abandon(self) -> None:
        pass
