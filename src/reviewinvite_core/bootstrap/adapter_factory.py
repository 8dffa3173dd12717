"""Open the adapters that settings name, for `compose`.

Adapters are imported where they are chosen, so that `import reviewinvite_core` stays fast.
"""

from __future__ import annotations

from datetime import datetime
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.ports import Entropy, HighWaterMarkStore, Mailer, Storage


def open_storage(database_url: str, *, create: bool = True) -> Storage:
    """Open the storage at a URL: `sqlite:///relative`, `sqlite:////absolute`, `postgresql://...` or `memory:`.

    A new or empty database is set up if `create`.

    Raises: `DatabaseMissing`; `ConfigurationError`, `StorageUnavailable`.
    """
    if database_url == "memory:":
        from reviewinvite_core.adapters.memory import MemoryStorage

        return MemoryStorage()
    if is_postgres(database_url):
        require_driver()
        from reviewinvite_core.adapters.sql.postgres.storage import PostgresStorage

        return PostgresStorage(database_url, create=create)
    from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage

    return SqliteStorage(sqlite_path(database_url), create=create)


def require_driver() -> None:
    """Raise unless the PostgreSQL driver, an optional dependency, is installed.

    Raises: `ConfigurationError`.
    """
    try:
        import psycopg_pool  # noqa: F401 - it brings psycopg, and psycopg the C library
    except ImportError:
        raise ConfigurationError("PostgreSQL needs a driver: install reviewinvite[postgres]") from None


def is_postgres(database_url: str) -> bool:
    return database_url.startswith(("postgresql://", "postgres://"))


def sqlite_path(database_url: str) -> Path:
    """Return the file that a `sqlite:///` URL names.

    Raises: `ConfigurationError` for any other URL.
    """
    scheme, separator, path = database_url.partition(":///")
    if scheme != "sqlite" or not separator or not path:
        raise ConfigurationError("database_url must be sqlite:///FILE, postgresql://... or memory:")
    return Path(path)


def open_mailer(mail_url: str) -> Mailer:
    """Open the mailer at a URL: `outbox:DIRECTORY`, `smtp://`, `smtps://` or `recording:`.

    Raises: `ConfigurationError`.
    """
    if mail_url == "recording:":
        from reviewinvite_core.adapters.mail.recording import RecordingMailer

        return RecordingMailer()
    scheme, _, rest = mail_url.partition(":")
    if scheme == "outbox" and rest:
        from reviewinvite_core.adapters.mail.outbox import OutboxMailer
        from reviewinvite_core.adapters.system import SystemClock

        return OutboxMailer(Path(rest), SystemClock())
    if scheme in {"smtp", "smtps"}:
        return _open_smtp(mail_url)
    raise ConfigurationError("mail_url must be outbox:DIRECTORY, smtp://HOST:PORT or smtps://HOST:PORT")


def _open_smtp(mail_url: str) -> Mailer:
    from reviewinvite_core.adapters.mail.smtp import SmtpMailer, SmtpServer

    try:
        url = urlsplit(mail_url)
        port = url.port or (465 if url.scheme == "smtps" else 25)
        options = parse_qs(url.query, strict_parsing=True) if url.query else {}
    except ValueError:
        raise ConfigurationError("mail_url is not a valid URL") from None
    if not url.hostname or options not in ({}, {"starttls": ["required"]}):
        raise ConfigurationError("mail_url must name a host; the only option is ?starttls=required")
    login = unquote((url.username or "") + (url.password or ""))
    if not (login.isascii() and login.isprintable()):
        raise ConfigurationError("the user and password in mail_url must be printable ASCII")
    if url.username is not None and url.scheme == "smtp" and not options and not _is_this_machine(url.hostname):
        raise ConfigurationError(
            "mail_url would send its user and password in clear: use smtps://, or add ?starttls=required, so that "
            "nobody on the way can read them"
        )
    server = SmtpServer(
        host=url.hostname,
        port=port,
        user=unquote(url.username) if url.username is not None else None,
        password=unquote(url.password) if url.password is not None else None,
        implicit_tls=url.scheme == "smtps",
        starttls_required=bool(options),
    )
    return SmtpMailer(server)


def _is_this_machine(host: str) -> bool:
    """Return whether traffic to this host stays on this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False  # a host name


def open_high_water_mark(settings: Settings, entropy: Entropy) -> HighWaterMarkStore | None:
    """Return the high-water mark of this host, or None for storage that does not outlive the process.

    This does not create the file, which may be absent.
    """
    path = settings.handover_mark or _default_high_water_mark_path(settings.database_url)
    if path is None:
        return None
    from reviewinvite_core.adapters.high_water_mark import HighWaterMarkFile

    return HighWaterMarkFile(path, entropy)


def _default_high_water_mark_path(database_url: str) -> Path | None:
    if database_url == "memory:":
        return None
    if is_postgres(database_url):
        return Path("reviewinvite.mark")
    database = sqlite_path(database_url)
    return database.with_name(database.name + ".mark")


def machine_time() -> datetime:
    """Return this machine's time in UTC, for callers that verify without an application."""
    from reviewinvite_core.adapters.system import SystemClock

    return SystemClock().now()
