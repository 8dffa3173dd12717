"""The cookie that holds a session's secret: not readable by scripts, and sent by no other site's form.

Its name is `__Host-session`; over plain http, which is for loopback only, it is `session`. Spec: §10.3.
"""

from __future__ import annotations

from litestar.datastructures import Cookie

from reviewinvite_core.domain.policy import DEVICE_KNOWN_FOR, SIGNED_IN_FOR
from reviewinvite_http.dashboard.address import DashboardAddress, address_of
from reviewinvite_http.requests import AnyRequest

SESSION = "session"
RETURN = "return"
LANGUAGE = "language"
DEVICE = "device"

_SESSION_SECONDS = int(SIGNED_IN_FOR.total_seconds())
_RETURN_SECONDS = 15 * 60
_DEVICE_SECONDS = int(DEVICE_KNOWN_FOR.total_seconds())
_LANGUAGE_SECONDS = 365 * 24 * 3600


def cookie_in(request: AnyRequest, name: str) -> str | None:
    """Return the value of one of the dashboard's cookies, or None."""
    return request.cookies.get(address_of(request).cookie(name)) or None


def session_secret(request: AnyRequest) -> str | None:
    """Return the secret that the session's cookie holds, or None."""
    return cookie_in(request, SESSION)


def session_cookie(address: DashboardAddress, secret: str) -> Cookie:
    """Return the cookie of a new session; the browser drops it when no session lives any longer."""
    return _cookie(address, SESSION, secret, _SESSION_SECONDS)


def return_cookie(address: DashboardAddress, path: str) -> Cookie:
    """Return the cookie that remembers where to go after the sign-in."""
    return _cookie(address, RETURN, path, _RETURN_SECONDS)


def device_cookie(address: DashboardAddress, token: str) -> Cookie:
    """Return the cookie by which a browser is recognised in which a member was signed in; signing out leaves it."""
    return _cookie(address, DEVICE, token, _DEVICE_SECONDS)


def language_cookie(address: DashboardAddress, language: str) -> Cookie:
    """Return the cookie that remembers the language that was chosen."""
    return _cookie(address, LANGUAGE, language, _LANGUAGE_SECONDS)


def ended(address: DashboardAddress, *names: str) -> list[Cookie]:
    """Return cookies that make the browser forget these."""
    return [_cookie(address, name, "", 0) for name in names]


def _cookie(address: DashboardAddress, name: str, value: str, seconds: int) -> Cookie:
    return Cookie(
        key=address.cookie(name),
        value=value,
        path="/",
        max_age=seconds,
        secure=address.is_secure,
        httponly=True,
        samesite="lax",
    )
