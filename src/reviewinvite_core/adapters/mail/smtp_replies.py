"""The meaning of a mail server's replies for a message. RFC 5321, section 4.2; RFC 3463."""

from __future__ import annotations

import re
from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.relay import names_dead_mailbox
from reviewinvite_core.ports import Accepted, AnswerLost, RefusedForNow, Rejected

_ENHANCED = re.compile(rb"\s*(([245])\.\d{1,3}\.\d{1,3})(?!\S)")

GOING_AWAY = 421
LOGGED_IN = 235
CHALLENGE = 334
GO_AHEAD = 354
HELLO = 250
LOGIN_REQUIRED = 530
LOGIN_REFUSED = 535
MESSAGE_TOO_LARGE = 552
NO_SUCH_COMMAND = frozenset({500, 502})
ABOUT_US = frozenset({LOGIN_REQUIRED, 534, LOGIN_REFUSED, 538})  # login missing or insufficient: an operator can fix it

# Our own answers, with the same codes, for messages that cannot be transmitted as they are.
TOO_LARGE = Rejected("552 5.3.4")
NOT_TRANSMITTABLE = Rejected("554 5.6.0")
BAD_SENDER = Rejected("553 5.1.7")
BAD_RECIPIENT = Rejected("553 5.1.3")


@attrs.frozen(kw_only=True)
class Reply:
    """A reply: its code, its enhanced code, and its text, which may quote the customer's address."""

    code: int
    enhanced: str | None = None
    words: tuple[bytes, ...] = attrs.field(default=(), repr=False)

    @classmethod
    def of(cls, code: int, words: Sequence[bytes]) -> Reply:
        """Return the reply with this code and these lines; the enhanced code is that of the last line."""
        enhanced = _ENHANCED.match(words[-1])
        agrees = enhanced is not None and int(enhanced[2]) == code // 100
        return cls(code=code, enhanced=enhanced[1].decode() if enhanced and agrees else None, words=tuple(words))

    @property
    def status(self) -> str:
        """The codes, such as `550 5.1.1`."""
        return f"{self.code} {self.enhanced}" if self.enhanced else str(self.code)

    @property
    def accepts(self) -> bool:
        """Whether it is a 2xx."""
        return self.code // 100 == 2

    @property
    def refuses(self) -> bool:
        """Whether it is a 4xx or 5xx."""
        return self.code // 100 in {4, 5}


class Refusal(Exception):
    """The server refused before the end of the message; `usable` is whether the session may carry another one."""

    def __init__(self, answer: Rejected | RefusedForNow, *, usable: bool = False) -> None:
        super().__init__()
        self.answer, self.usable = answer, usable


def expect(reply: Reply, code: int) -> None:
    """Raise unless the reply has this code.

    Raises: `Refusal`, never permanent, since it is not about a message.
    """
    if reply.code != code:
        raise Refusal(refusal(reply, about_us=True))


def refusal(reply: Reply, *, about_us: bool = False, to_recipient: bool = False) -> Rejected | RefusedForNow:
    """Return what an unexpected reply means for a message whose end has not been transmitted.

    5xx is permanent, including 552 5.2.2 (mailbox full): a mailbox that may empty again gets 452 4.2.2. A refusal of
    our connection, login or sender (`about_us`) may be fixed, so it is never permanent: one wrong setting must not
    reject everything that is due. The use case decides what a 5xx means that names nobody (ADR-69). Only a reply to
    RCPT (`to_recipient`) is about a missing mailbox.
    """
    final = reply.code // 100 == 5 and not about_us and reply.code not in ABOUT_US
    no_mailbox = to_recipient and names_dead_mailbox(reply.status)
    return Rejected(reply.status, no_mailbox) if final else RefusedForNow(reply.status)


def answer(reply: Reply) -> Accepted | RefusedForNow | Rejected | AnswerLost:
    """Return what the reply to the end of a message means: only 2xx, 4xx and 5xx are definite."""
    if reply.accepts:
        return Accepted(reply.status)
    return refusal(reply) if reply.refuses else AnswerLost()
