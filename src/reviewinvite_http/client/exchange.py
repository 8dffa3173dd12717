"""One call from its first request to its result, without I/O: what to send next, and when to stop.

An exchange is a generator. It yields an action, `Send` or `Wait`, and receives its outcome; its return value is the
result of the call. The clients only carry out these actions, so the rules exist once.
"""

from __future__ import annotations

import logging
from collections.abc import Generator
from datetime import datetime
from typing import Any, TypeAlias, TypeVar
from urllib.parse import urlsplit

import attrs

from reviewinvite_core.domain.statements import Statement
from reviewinvite_core.domain.verifying import StatementRefused, verify_statement
from reviewinvite_core.version import __version__
from reviewinvite_http.client import calls
from reviewinvite_http.client.calls import Call
from reviewinvite_http.client.errors import (
    ApiError,
    GaveUp,
    MalformedAnswer,
    NoAnswer,
    RefusedStatement,
    ReviewinviteError,
    read_error,
)
from reviewinvite_http.client.rate_limits import RateLimit
from reviewinvite_http.client.retries import Clock, Retries, can_be_repeated, reason_to_give_up

T = TypeVar("T")

_log = logging.getLogger("reviewinvite.client")


@attrs.frozen(kw_only=True)
class Send:
    """Send a request and read its answer within `seconds`."""

    request: dict[str, Any]
    """The arguments for httpx's `stream`."""
    seconds: float


@attrs.frozen
class Wait:
    """Wait before the next attempt."""

    seconds: float


@attrs.frozen(kw_only=True)
class Answer:
    """A complete answer."""

    status: int
    retry_after: int | None
    """Seconds until the request may be repeated, if the service said so."""
    rate_limit: RateLimit | None
    """What is left of the key's limit, if the service said so."""
    location: str | None
    """The target of a redirect."""
    body: bytes


Step: TypeAlias = Send | Wait
Outcome: TypeAlias = Answer | NoAnswer | MalformedAnswer | None
Exchange: TypeAlias = Generator[Step, Outcome, T]


def _without_slash(url: str) -> str:
    return url.rstrip("/")


@attrs.frozen(kw_only=True)
class Service:
    """A service: its URL, the API key, and the retry policy."""

    base_url: str = attrs.field(converter=_without_slash)
    api_key: str | None = attrs.field(repr=False)
    timeout: float = attrs.field(validator=attrs.validators.gt(0))
    retries: Retries
    clock: Clock
    rate_limits: dict[str, RateLimit] = attrs.field(factory=dict, init=False, repr=False)
    """What the service last said of each limit of the key."""

    @base_url.validator
    def _check_address(self, _: attrs.Attribute[str], url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ValueError("base_url must be a URL such as https://reviews.example.nl")

    @api_key.validator
    def _check_key(self, _: attrs.Attribute[str | None], key: str | None) -> None:
        if key is not None and not (key.isascii() and key.isprintable() and key and " " not in key):
            raise ValueError("api_key is empty or has characters that keys never contain")

    def exchange(self, call: Call[T]) -> Exchange[T]:
        """Carry out a call.

        Raises: `ReviewinviteError`.
        """
        request = self._request(call)
        deadline = self.clock.monotonic() + self.retries.seconds
        attempt = 0
        while True:
            attempt += 1
            left = deadline - self.clock.monotonic()
            outcome = yield Send(request=request, seconds=min(max(self.timeout, call.least_seconds), max(left, 0.001)))
            if isinstance(outcome, Answer) and outcome.rate_limit:
                self.rate_limits[outcome.rate_limit.name] = outcome.rate_limit
            try:
                return _result(call, outcome)
            except ReviewinviteError as fault:
                error = fault
            error.attempts = attempt
            pause = self._pause(error, attempt, deadline)
            if pause is None:
                raise error
            _log.info("%s %s: %s; retrying in %.1f s", call.method, call.path, _in_short(error), pause)
            yield Wait(pause)
            if self.clock.monotonic() >= deadline:  # the pause took longer than it should
                error.gave_up = GaveUp.TIME
                raise error

    def verification(self, site_id: str) -> Exchange[Statement]:
        """Fetch the statement about a shop, then the keys, and verify the statement."""
        document = yield from self.exchange(calls.get_statement(site_id))
        keys = yield from self.exchange(calls.get_public_keys())
        return verify_document(document, keys, now=self.clock.now(), site_id=site_id)

    def _pause(self, error: ReviewinviteError, attempt: int, deadline: float) -> float | None:
        """Return the seconds until the next attempt, or None after the last attempt; the error then says why."""
        if not can_be_repeated(error):
            return None
        retry_after = error.retry_after if isinstance(error, ApiError) else None
        pause = self.retries.pause(attempt, self.clock.chance(), retry_after)
        left = deadline - self.clock.monotonic()
        error.gave_up = reason_to_give_up(self.retries, attempt, pause, left, retry_after)
        return None if error.gave_up else pause

    def _request(self, call: Call[Any]) -> dict[str, Any]:
        headers = {
            "Accept": "application/json",
            "Accept-Encoding": "identity",
            "User-Agent": f"reviewinvite-client/{__version__}",
            **call.headers,
        }
        if call.body is not None:
            headers["Content-Type"] = "application/json"
        if self.api_key and not call.is_public:
            headers["Authorization"] = f"Bearer {self.api_key}"
        return {
            "method": call.method,
            "url": self.base_url + call.path,
            "params": dict(call.query),
            "content": call.body,
            "headers": headers,
        }


def verify_document(document: bytes, keys: bytes, *, now: datetime, site_id: str | None = None) -> Statement:
    """Return the statement in `document` if one of `keys` signed it and it is valid at `now`. Spec: §4.4, §4.5.

    `document` is the JSON of the verification or a compact JWS, `keys` the JWK Set of the service, and `now` must have
    a time zone. `site_id` is the shop that the statement must be about; without it, a statement about any shop passes.
    A valid statement can say that the shop is not trusted: check its `status`. A revoked key is refused only if `keys`
    was fetched after the revocation, so fetch it again at least once an hour.

    Raises: `RefusedStatement`.
    """
    verified = verify_statement(document, keys, now=now, site_id=site_id)
    if isinstance(verified, StatementRefused):
        raise RefusedStatement(verified.reason)
    return verified


def _result(call: Call[T], outcome: Outcome) -> T:
    if isinstance(outcome, NoAnswer | MalformedAnswer):
        raise outcome
    assert isinstance(outcome, Answer)  # noqa: S101 - clients send this after `Send`
    if outcome.status in (200, 201):
        return call.read(outcome.body)
    if outcome.location and outcome.status in range(300, 400):
        error = f"redirected to {outcome.location}; use the service's own address as base_url"
        raise ApiError(outcome.status, error=error)
    raise read_error(outcome.status, outcome.body, outcome.retry_after, outcome.rate_limit)


def _in_short(error: ReviewinviteError) -> str:
    """Return the error as text, without any text from the answer."""
    if isinstance(error, ApiError):
        return f"HTTP {error.status}"
    return type(error.__cause__ or error).__name__
