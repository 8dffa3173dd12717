"""Access tokens for the mail server: kept for a while, and renewed once for all sessions. ADR-62."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Protocol

import attrs

from reviewinvite_core.adapters import daemon_threads
from reviewinvite_core.adapters.loggers import get_logger
from reviewinvite_core.adapters.mail.smtp_wire import SessionBroken

READ_SECONDS = 30.0  # for a command to end, or a file to be read
LONGEST_TOKEN = 8192  # in base64 with the user's name, it fits into the 12288 octets of RFC 4954, section 4
_log = get_logger("reviewinvite.delivery")
_TOKEN = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # RFC 6750, section 2.1


class TokenUnavailable(SessionBroken):
    """There is no token, so there is no login. The class name says why; an argument, for the log, has no token."""


class TokenMalformed(TokenUnavailable):
    """The first line of the source is not a token."""


class TokenTimeout(TokenUnavailable):
    """The source took too long."""


@attrs.frozen
class Token:
    """An access token. RFC 6750."""

    text: str = attrs.field(repr=False)

    @classmethod
    def parse(cls, content: bytes) -> Token:
        """Return the token in the first line.

        Raises: `TokenMalformed`.
        """
        text = content.partition(b"\n")[0].decode("ascii", "replace").strip()
        if len(text) > LONGEST_TOKEN or not _TOKEN.fullmatch(text):
            raise TokenMalformed
        return cls(text)


class TokenSource(Protocol):
    """Where tokens come from."""

    @property
    def lifetime(self) -> float:
        """Seconds for which a token is used without asking again."""

    @property
    def pause(self) -> float:
        """Seconds after a failure or a refusal during which the source is not asked again."""

    def read(self) -> Token:
        """Return a token that is valid now; it may block.

        Raises: `TokenUnavailable`.
        """


class Tokens:
    """The tokens of one mail server. Sessions on any number of event loops may ask at once: one reading serves all."""

    def __init__(
        self, source: TokenSource, *, monotonic: Callable[[], float] = time.monotonic, seconds: float = READ_SECONDS
    ) -> None:
        """Use this source; a reading is waited for at most `seconds`."""
        self._source = source
        self._monotonic = monotonic
        self._seconds = seconds
        self._lock = threading.Lock()
        self._reading: Future[Token | TokenUnavailable] | None = None
        self._latest: Token | TokenUnavailable | None = None
        self._read_at = 0.0
        self._renewed_at: float | None = None  # after a refusal

    async def current(self) -> Token:
        """Return the token to log in with; it may turn out to be refused.

        Raises: `TokenUnavailable`.
        """
        with self._lock:
            latest, age = self._latest, self._monotonic() - self._read_at
            fresh_for = self._source.pause if isinstance(latest, TokenUnavailable) else self._source.lifetime
            reading = None if latest and age < fresh_for else self._begin()
        return await self._token(reading, latest)

    async def other_than(self, refused: Token) -> Token | None:
        """Return a token after this one was refused, or None if there is no other.

        Raises: `TokenUnavailable`.
        """
        with self._lock:
            now, latest = self._monotonic(), self._latest
            reading = self._reading
            if latest == refused and reading is None:
                if self._renewed_at is not None and now - self._renewed_at < self._source.pause:
                    return None
                self._renewed_at = now
                reading = self._begin()
        token = await self._token(reading, latest)
        return None if token == refused else token

    async def _token(
        self, reading: Future[Token | TokenUnavailable] | None, latest: Token | TokenUnavailable | None
    ) -> Token:
        if reading:
            try:
                async with asyncio.timeout(self._seconds):
                    latest = await asyncio.wrap_future(reading)
            except TimeoutError:
                latest = TokenTimeout()
        if isinstance(latest, Token):
            return latest
        raise type(latest or TokenUnavailable())

    def _begin(self) -> Future[Token | TokenUnavailable]:
        """Return the reading that is under way, or begin one; call it with the lock held."""
        if self._reading is None:
            reading: Future[Token | TokenUnavailable] = Future()
            reading.set_running_or_notify_cancel()  # a session that gives up cancels it for no other
            try:
                daemon_threads.start(partial(self._read, reading))
            except RuntimeError:  # no thread can be started
                raise TokenUnavailable from None
            self._reading = reading
        return self._reading

    def _read(self, reading: Future[Token | TokenUnavailable]) -> None:
        found: Token | TokenUnavailable
        try:
            found = self._source.read()
        except TokenUnavailable as error:
            found = type(error)()
            _note(error, error.args)
        except Exception as error:  # a fault of ours: the sessions must not wait for ever
            found = TokenUnavailable()
            _note(error)
        with self._lock:
            self._latest, self._read_at, self._reading = found, self._monotonic(), None
        reading.set_result(found)


def _note(trouble: Exception, details: Sequence[object] = ()) -> None:
    """Log why there is no token; an unexpected error only by its class, as its text may contain anything."""
    _log.warning("no access token", cause=type(trouble).__name__, **({"detail": details[0]} if details else {}))
