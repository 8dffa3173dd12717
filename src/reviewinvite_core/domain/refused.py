"""What all refusals have in common, and the exception that they become for callers who prefer one. ADR-2, ADR-41.

A refusal is data, with its kind, its stable code and its sentence. A transport answers by the kind, and shows the
sentence.
"""

from __future__ import annotations

from collections.abc import Awaitable
from enum import Enum, auto
from typing import ClassVar, TypeVar

T = TypeVar("T")


class RefusalKind(Enum):
    """What a refusal means to its caller: a transport has one status, exit code or page for each kind."""

    UNKNOWN = auto()
    """There is no such thing, or it belongs to somebody else."""
    CONFLICT = auto()
    """The current state does not allow this."""
    FORBIDDEN = auto()
    """The caller may not do this."""
    LIMITED = auto()
    """A limit is used up for some time."""
    INVALID = auto()
    """The request itself is wrong."""
    UNAVAILABLE = auto()
    """The service cannot do this at the moment; the same call may succeed later."""


def gettext_noop(sentence: str) -> str:
    """Return `sentence` itself, marked for extraction into the catalogues; `core/texts` translates it when shown."""
    return sentence


class Refusal:
    """What all refusals have in common."""

    __slots__ = ()

    kind: ClassVar[RefusalKind]
    code: ClassVar[str]
    """Its stable name."""
    in_api: ClassVar[bool] = False
    """Whether the JSON API answers with it (Spec: §7), so that `/v1/errors` explains its code."""
    sentence: ClassVar[str]
    """What was refused, for anybody and without values, in English: the catalogues have the other languages."""
    detail: ClassVar[str] = ""
    """The same for developers and operators, in English, if values make it clearer; `{0.name}` is an attribute."""

    @property
    def explanation(self) -> str:
        """A sentence for developers and operators, in English: `There is no key 7Q2M.`."""
        return (self.detail or self.sentence).format(self)


class Refused(Exception):
    """A call was refused; `refusal` is what it returned."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal

    def __str__(self) -> str:
        """Return the refusal as a sentence: `No shop "bakery".`."""
        return self.refusal.explanation


def accepted(answer: T | Refusal) -> T:
    """Return the answer of a call, unless it is a refusal.

    `LinkClosed` is an answer and no refusal: it holds the link, with what the customer may still see.

    Raises: `Refused`; `TypeError` for a coroutine, whose answer is not known yet.
    """
    if isinstance(answer, Refusal):
        raise Refused(answer)
    if isinstance(answer, Awaitable):
        raise TypeError("a coroutine has no answer yet: write `accepted(await ...)`")
    return answer
