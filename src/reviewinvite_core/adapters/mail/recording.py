"""A mailer that keeps messages in memory, for tests and trials."""

from __future__ import annotations

import attrs

from reviewinvite_core.ports import Accepted, AnswerLost, Message, Refused, RefusedForNow, Unreachable


class RecordingMailer:
    """Accepts every message; `messages` holds those handed over, in order, without messages that were only staged.

    Implements `ports.Mailer`.
    """

    def __init__(self) -> None:
        self.messages: list[Message] = []

    async def stage(self, message: Message) -> _StagedRecord | RefusedForNow | Refused | Unreachable:
        return _StagedRecord(self.messages, message)

    async def close(self) -> None:
        pass


@attrs.frozen
class _StagedRecord:
    _messages: list[Message]
    _message: Message

    async def commit(self) -> Accepted | RefusedForNow | Refused | AnswerLost:
        self._messages.append(self._message)
        return Accepted()

    def abandon(self) -> None:
        pass
