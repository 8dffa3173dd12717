"""Report errors to Sentry, if `SENTRY_DSN` is set: needs reviewinvite[sentry].

Only lines of level ERROR of this service are sent, once for each kind and minute. The SDK itself collects nothing: it
has a client of its own without integrations. What a line contains is safe to log, and is scrubbed once more.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from reviewinvite_cli.repeats import Repeats

if TYPE_CHECKING:
    from sentry_sdk import Client
    from sentry_sdk.transport import Transport
    from sentry_sdk.types import Event, Hint

    from reviewinvite_core import Settings

CLOSE_SECONDS = 2.0

_TAGS = ("route", "method", "status", "code", "requestId")
_KEPT = ("event_id", "timestamp", "level", "logger", "message", "tags", "extra", "fingerprint", "release", "platform")
_SECRETS = [
    (re.compile(r"[^\s@\"'<>]+@[^\s@\"'<>]+"), "[address]"),
    (re.compile(r"(?i)\bbearer\s+\S+"), "[key]"),
    (re.compile(r"\brvi_\w+"), "[key]"),
    (re.compile(r"(/(?:r|u|sign-in)/)[\w.~-]+"), r"\1..."),
    (re.compile(r"\?\S*=\S*"), "?..."),
]


def report_faults(settings: Settings, *, transport: type[Transport] | None = None) -> None:
    """Send this process's errors to Sentry from now on, if the settings say so; the log's end sends the last ones.

    Raises: `ConfigurationError` if the package is missing or the DSN is not valid.
    """
    if settings.sentry_dsn is None:
        return
    from reviewinvite_core import ConfigurationError, __version__
    from reviewinvite_core.bootstrap.loggers import ROOT

    try:
        from sentry_sdk import Client
        from sentry_sdk.utils import BadDsn
    except ModuleNotFoundError:
        raise ConfigurationError("sentry_dsn needs another package: install reviewinvite[sentry]") from None
    try:
        client = Client(
            dsn=settings.sentry_dsn,
            transport=transport,
            release=f"reviewinvite@{__version__}",
            default_integrations=False,
            auto_enabling_integrations=False,
            include_local_variables=False,
            include_source_context=False,
            max_breadcrumbs=0,
            send_client_reports=False,
            auto_session_tracking=False,
            before_send=scrub,
        )
    except BadDsn:
        raise ConfigurationError("sentry_dsn is not a DSN of Sentry: copy it from the project's settings") from None
    logging.getLogger(ROOT).addHandler(_FaultReports(client, Repeats(time.monotonic, first=1)))


def scrub(event: Event, _: Hint) -> Event:
    """Return the event with only what we report, and without anything that looks like an address, a key or a token.

    Removed are the request with its body, headers, cookies and query, the user, breadcrumbs, stack frames and the host.
    """
    kept: Any = {name: _scrubbed(value) for name, value in event.items() if name in _KEPT}
    return kept


def _scrubbed(value: Any) -> Any:
    if isinstance(value, str):
        for pattern, replacement in _SECRETS:
            value = pattern.sub(replacement, value)
        return value
    if isinstance(value, Mapping):
        return {name: _scrubbed(each) for name, each in value.items()}
    return [_scrubbed(each) for each in value] if isinstance(value, list | tuple) else value


class _FaultReports(logging.Handler):
    """Sends each error to Sentry, unless one of its kind was sent within a minute."""

    def __init__(self, client: Client, repeats: Repeats) -> None:
        super().__init__(logging.ERROR)
        self._client = client
        self._repeats = repeats

    def emit(self, record: logging.LogRecord) -> None:
        """Queue an event; a thread of the SDK sends it."""
        for _ in self._repeats.summaries():
            pass  # the log has the numbers
        if not self._repeats.admit(record):
            return
        event, fields = getattr(record, "event", record.msg), getattr(record, "fields", {})
        where = str(fields.get("exception", fields.get("cause", "")))
        self._client.capture_event(
            {
                "level": "error",
                "logger": record.name,
                "message": event,
                "tags": {name: str(fields[name]) for name in _TAGS if name in fields},
                "extra": {name: value for name, value in fields.items() if name not in _TAGS},
                "fingerprint": [event, str(fields.get("route", "")), where],
            }
        )

    def close(self) -> None:
        """Send what is queued, within a short time."""
        self._client.close(timeout=CLOSE_SECONDS)
        super().close()
