"""Logins: AUTH PLAIN and LOGIN with a password, AUTH XOAUTH2 with an access token. RFC 4954, ADR-62."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Awaitable, Callable, Collection
from typing import TypeAlias

from reviewinvite_core.adapters.mail.smtp_replies import (
    CHALLENGE,
    LOGGED_IN,
    LOGIN_REFUSED,
    Refusal,
    Reply,
    expect,
    refusal,
)
from reviewinvite_core.adapters.mail.smtp_wire import SessionBroken
from reviewinvite_core.adapters.mail.tokens import Token

Ask: TypeAlias = Callable[[bytes], Awaitable[Reply]]
"""Send a line, and return the reply."""

LONGEST_COMMAND = 512  # RFC 5321, section 4.5.3.1.4: a longer response waits for its own line


class LoginNotOffered(SessionBroken):
    """The server offers no login with a password that is supported here (PLAIN or LOGIN)."""


class Xoauth2NotOffered(SessionBroken):
    """The server does not offer AUTH XOAUTH2."""


class TokenRefused(Refusal):
    """The server refused the access token."""


class _Hidden(bytes):
    """Bytes that no traceback shows, not even one with the values of variables."""

    def __repr__(self) -> str:
        return "..."

    __str__ = __repr__


async def log_in_with_password(ask: Ask, mechanisms: Collection[str], user: str, password: str) -> None:
    """Log in by AUTH PLAIN, or else LOGIN.

    Raises: `LoginNotOffered`; `Refusal`.
    """
    if "PLAIN" in mechanisms:
        reply = await ask(_line(b"AUTH PLAIN " + _base64(f"\0{user}\0{password}")))
    elif "LOGIN" in mechanisms:
        expect(await ask(b"AUTH LOGIN\r\n"), CHALLENGE)
        expect(await ask(_line(_base64(user))), CHALLENGE)
        reply = await ask(_line(_base64(password)))
    else:
        raise LoginNotOffered
    expect(reply, LOGGED_IN)


async def log_in_with_token(ask: Ask, mechanisms: Collection[str], user: str, token: Token) -> None:
    """Log in by AUTH XOAUTH2, with an initial response if it fits into the line.

    A server that refuses the token may first ask: its challenge explains the error, and an empty line answers it.

    Raises: `Xoauth2NotOffered`; `TokenRefused`, or another `Refusal` that is not about the token.
    """
    if "XOAUTH2" not in mechanisms:
        raise Xoauth2NotOffered
    response = _line(_base64(f"user={user}\1auth=Bearer {token.text}\1\1"))
    at_once = _Hidden(b"AUTH XOAUTH2 " + response)
    if len(at_once) <= LONGEST_COMMAND:
        reply = await ask(at_once)
        is_asked = reply.code == CHALLENGE and not b"".join(reply.words).strip()  # it ignored the initial response
    else:
        reply = await ask(b"AUTH XOAUTH2\r\n")
        is_asked = reply.code == CHALLENGE
    if is_asked:
        reply = await ask(response)
    was_explained = reply.code == CHALLENGE
    if was_explained:
        reply = await ask(b"\r\n")
    if reply.code == LOGIN_REFUSED or (was_explained and reply.code // 100 == 5):
        raise TokenRefused(refusal(reply, about_us=True))
    expect(reply, LOGGED_IN)


def _line(content: bytes) -> _Hidden:
    return _Hidden(content + b"\r\n")


def _base64(text: str) -> _Hidden:
    return _Hidden(b64encode(text.encode("ascii")))
