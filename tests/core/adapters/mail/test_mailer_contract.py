"""The contract of mailers fails for an adapter that would have a message sent twice."""

from __future__ import annotations

from functools import partial

import attrs
import pytest
from tests.core.adapters.mail.servers import FaultyServer, MakeMailer

from reviewinvite_core.ports import Accepted, AnswerLost, Mailer, Message, Refused, RefusedForNow, Staged, Unreachable
from reviewinvite_core.testing.mailer_contract import MailerContract


@attrs.frozen
class Untruthful:
    """A mailer, and what it was handed over, that says something else where no answer came."""

    _inner: Mailer | Staged
    _instead: Accepted | RefusedForNow | Refused

    async def stage(self, message: Message) -> Untruthful | RefusedForNow | Refused | Unreachable:
        answer = await self._inner.stage(message)  # type: ignore[union-attr]
        refused = isinstance(answer, RefusedForNow | Refused | Unreachable)
        return answer if refused else Untruthful(answer, self._instead)

    async def commit(self) -> Accepted | RefusedForNow | Refused | AnswerLost:
        answer = await self._inner.commit()  # type: ignore[union-attr]
        return self._instead if answer == AnswerLost() else answer

    def abandon(self) -> None:
        self._inner.abandon()  # type: ignore[union-attr]

    async def close(self) -> None:
        await self._inner.close()  # type: ignore[union-attr]


@pytest.mark.parametrize("instead", [RefusedForNow(), Refused(), Accepted()])
def test_an_adapter_that_tells_a_lost_answer_as_another_one_fails(
    faulty_server: FaultyServer, make_mailer: MakeMailer, instead: Accepted | RefusedForNow | Refused
) -> None:
    server = faulty_server()
    mailer = Untruthful(make_mailer(server).inner, instead)
    with pytest.raises(AssertionError):
        MailerContract().test_a_lost_answer_is_never_told_as_another_one(
            mailer, partial(server.then, {"at": "logged", "do": "drop"})
        )
    assert len(server.messages) == 1
