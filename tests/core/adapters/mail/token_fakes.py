"""A source of access tokens by a script, with a clock that is set."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from reviewinvite_core.adapters.mail.tokens import Token, TokenUnavailable

USER = "shop@example.com"


class ScriptedSource:
    """Gives these tokens, one a reading, and the last one again and again.

    Implements `TokenSource`.
    """

    def __init__(self, *tokens: str | type[TokenUnavailable], lifetime: float = 600.0, pause: float = 60.0) -> None:
        self.lifetime, self.pause = lifetime, pause
        self.readings = 0
        self.may_answer = threading.Event()
        self.may_answer.set()
        self._tokens: Sequence[str | type[TokenUnavailable]] = tokens

    def read(self) -> Token:
        self.readings += 1
        token = self._tokens[min(self.readings, len(self._tokens)) - 1]
        self.may_answer.wait()
        if isinstance(token, str):
            return Token(token)
        raise token


class SetClock:
    """Monotonic seconds that a test sets."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds
