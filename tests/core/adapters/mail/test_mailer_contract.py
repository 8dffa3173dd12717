"""The contract of mailers fails for an adapter that would have a message sent twice."""

from __future__ import annotations

from functools import partial

import attrs
import pytest
from tests.core.adapters.mail.servers import FaultyServer, MakeMailer

from reviewinvite_core.ports import Accepted, AnswerLost, Mailer, Message, RefusedForNow, Rejected, Staged, Unreachable
from reviewinvite_core.testing.mailer_contract import MailerContract


@attrs.frozen
class Untruthful:
    """A mailer that says something else where no answer came."""

    _inner: Mailer
    _instead: Accepted | RefusedForNow | Rejected

    async def stage(self, message: Message) -> UntruthfulStaged | RefusedForNow | Rejected | Unreachable:
        answer = await self._inner.stage(message)
        if isinstance(answer, RefusedForNow | Rejected | Unreachable):
            return answer
        return UntruthfulStaged(answer, self._instead)

    async def close(self) -> None:
        await self._inner.close()


@attrs.frozen
class UntruthfulStaged:
    _inner: Staged
    _instead: Accepted | RefusedForNow | Rejected

    async def commit(self) -> Accepted | RefusedForNow | Rejected | AnswerLost:
        answer = await self._inner.commit()
        return self._instead if answer == AnswerLost() else answer

    def abandon(self) -> None:
        self._inner.abandon()


@pytest.mark.parametrize("instead", [RefusedForNow(), Rejected(), Accepted()])
def test_an_adapter_that_tells_a_lost_answer_as_another_one_fails(
    faulty_server: FaultyServer, make_mailer: MakeMailer, instead: Accepted | RefusedForNow | Rejected
) -> None:
    server = faulty_server()
    mailer = Untruthful(make_mailer(server).inner, instead)
    with pytest.raises(AssertionError):
        MailerContract().test_a_lost_answer_is_never_told_as_another_one(
            mailer, partial(server.then, {"at": "logged", "do": "drop"})
        )
    assert len(server.messages) == 1
