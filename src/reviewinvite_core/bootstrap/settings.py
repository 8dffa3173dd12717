"""The table of settings: name, type, default, bounds and meaning of each; the numbers stand in `domain.policy`.

Flags override the environment, the file and the defaults. Whatever reads or shows settings goes by the fields of
`Settings`; a test holds docs/reference/settings.md to them. No error quotes a value, which may be secret.
Spec: §8, Settings.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import attrs

from reviewinvite_core.domain import policy
from reviewinvite_core.domain.errors import ConfigurationError, Invalid

ENVIRONMENT_PREFIX = "REVIEWINVITE_"
SETTINGS_FILE = "reviewinvite.toml"
DEFAULT = "default"

_LONGEST_WEB_ADDRESS = 200  # so that a link fits into a line of an e-mail
_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
_WEB_ADDRESS = re.compile(
    rf"https?://(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?(?:/[\w.~!$&'()*+,;=:@%/-]*)?", re.ASCII
)

_PAGE_ADDRESS = re.compile(
    rf"https?://{_LABEL}(?:\.{_LABEL})*(?::[0-9]+)?(?:[/?#][\w.~!$&'()*+,;=:@%/?#-]*)?", re.ASCII
)
_LONGEST_NAME = 100
_PER_MINUTE = (0, 1_000_000)
_PER_DAY = (0, 1_000_000_000)
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,200}")  # as RFC 6750 defines it


def _number(default: int, bounds: tuple[int, int], about: str) -> Any:
    """Return the field of a setting that is a whole number within these bounds."""
    least, most = bounds

    def check(_: object, attribute: attrs.Attribute[int], value: int) -> None:
        if not least <= value <= most:
            message = f"{attribute.name} must be a whole number from {least} to {most}"
            raise ConfigurationError(message)

    return attrs.field(default=default, validator=check, metadata={"kind": int, "about": about, "bounds": bounds})


def _text(
    default: str | None,
    about: str,
    *,
    check: Callable[[str, str], None] | None = None,
    convert: Callable[[str], str | None] | None = None,
    secret: bool = False,
) -> Any:
    """Return the field of a setting that is text, which `check(name, text)` may refuse and `convert` may change.

    What `Settings` or a report shows is masked where it is `secret`.
    """

    def validate(_: object, attribute: attrs.Attribute[str | None], value: str | None) -> None:
        if check and value is not None:
            check(attribute.name, value)

    metadata = {"kind": str, "about": about}
    return attrs.field(default=default, converter=convert, validator=validate, repr=not secret, metadata=metadata)


def _path(about: str) -> dict[str, object]:
    return {"kind": Path, "about": about}


def _address(about: str, *, default: str | None = None) -> Any:
    """Return the field of a web address, which by default is `base_url`."""
    of_others: Any = attrs.Factory(lambda self: self.base_url, takes_self=True)
    return _text(default or of_others, about, check=_web_address)


def _one_of(*values: str) -> Callable[[str, str], None]:
    def check(name: str, value: str) -> None:
        if value not in values:
            message = f"{name} must be {', '.join(values[:-1])} or {values[-1]}"
            raise ConfigurationError(message)

    return check


def _web_address(name: str, value: str) -> None:
    try:
        is_one = bool(_WEB_ADDRESS.fullmatch(value)) and urlsplit(value).port != 0
    except ValueError:  # the port is too large
        is_one = False
    if not is_one:
        message = (
            f"{name} must be an http:// or https:// URL with a host, and optionally a port and a path; "
            "blanks, a user, ? and # are not allowed"
        )
        raise ConfigurationError(message)
    if len(value) > _LONGEST_WEB_ADDRESS:
        message = f"{name} must be at most {_LONGEST_WEB_ADDRESS} characters"
        raise ConfigurationError(message)


def _sender(value: str) -> str:
    """Return the address in the form that mail servers accept."""
    from reviewinvite_core.domain.email_address import SenderAddress

    try:
        return SenderAddress.parse(value).text
    except Invalid:
        raise ConfigurationError("mail_from must be an e-mail address and nothing else") from None


def _proxies(value: str) -> str:
    """Return the addresses and networks in canonical form, separated by single blanks."""
    try:
        return " ".join(str(ip_network(each)) for each in value.replace(",", " ").split())
    except ValueError:
        raise ConfigurationError(
            "trusted_proxies must be IP addresses or networks (192.0.2.7, 10.0.0.0/8, 2001:db8::/32), separated by "
            "commas"
        ) from None


def _operator_name(value: str | None) -> str | None:
    """Return the name on one line, or None if it is empty."""
    from reviewinvite_core.domain.text import one_line

    try:
        return one_line(value or "", "operator_name", longest=_LONGEST_NAME)
    except Invalid:
        message = f"operator_name must be one line of at most {_LONGEST_NAME} characters"
        raise ConfigurationError(message) from None


def _operator_contact(value: str | None) -> str | None:
    """Return an e-mail address or an https:// URL, or None if it is empty."""
    from reviewinvite_core.domain.email_address import SenderAddress

    contact = (value or "").strip()
    if not contact or (contact.startswith("https://") and _PAGE_ADDRESS.fullmatch(contact)):
        return contact or None
    try:
        return SenderAddress.parse(contact.removeprefix("mailto:")).text
    except Invalid:
        raise ConfigurationError("operator_contact must be an e-mail address or an https:// URL") from None


def _metrics_token(_: str, value: str) -> None:
    if not _TOKEN.fullmatch(value):
        raise ConfigurationError("metrics_token must be 16 to 200 characters, only A-Z, a-z, 0-9 and -._~+/=")


def _privacy_url(value: str | None) -> str | None:
    """Return a web address, or None if it is empty."""
    url = (value or "").strip()
    if url and not _PAGE_ADDRESS.fullmatch(url):
        raise ConfigurationError("privacy_url must be an http:// or https:// URL")
    return url or None


@attrs.frozen(kw_only=True)
class Settings:
    """The settings of one installation. Spec: §8, Settings.

    Raises: `ConfigurationError` for a value that is not valid.
    """

    database_url: str = _text("sqlite:///reviewinvite.db", "where the data is stored", secret=True)
    secret: str | None = _text(None, "at least 24 random characters", secret=True)
    secret_file: Path | None = attrs.field(default=None, metadata=_path("at least 24 random characters"))
    mail_url: str = _text("outbox:outbox", "where mail goes", secret=True)
    mail_auth: str = _text("password", "how to log in at the mail server", check=_one_of("password", "xoauth2"))
    mail_token_command: str | None = _text(
        None, "for `xoauth2`: a command whose first line of output is the token", secret=True
    )
    mail_token_file: Path | None = attrs.field(
        default=None, metadata=_path("for `xoauth2`: a file whose first line is the token")
    )
    mail_from: str = _text("invitations@localhost", "the sender's address of invitations", convert=_sender)
    base_url: str = _address("the address in the links of e-mails", default="http://127.0.0.1:8000")
    widget_url: str = _address("the address of the badge's script")
    dashboard_url: str = _address("the address of the dashboard and of the links that sign members in")
    operator_name: str | None = _text(None, "who runs the service", convert=_operator_name)
    operator_contact: str | None = _text(None, "an e-mail address or an `https://` URL", convert=_operator_contact)
    privacy_url: str | None = _text(None, "the URL of the privacy statement", convert=_privacy_url)
    trusted_proxies: str = _text("", "the proxies in front of the service", convert=_proxies)
    orders_per_minute: int = _number(
        policy.ORDERS_PER_MINUTE, _PER_MINUTE, "reports per API key in any 60-second window"
    )
    reads_per_minute: int = _number(policy.READS_PER_MINUTE, _PER_MINUTE, "reads per API key in any 60-second window")
    snippets_per_minute: int = _number(
        policy.SNIPPETS_PER_MINUTE, _PER_MINUTE, "browser reports per IP address in any 60-second window"
    )
    snippets_per_day: int = _number(
        policy.SNIPPETS_PER_DAY, _PER_DAY, "accepted new orders from browsers, per shop and UTC day"
    )
    snippets_per_recipient: int = _number(
        policy.SNIPPETS_PER_RECIPIENT, _PER_MINUTE, "invitations from unsigned browser reports, per shop and person"
    )
    snippets_per_person: int = _number(
        policy.SNIPPETS_PER_PERSON, _PER_MINUTE, "the same per person, at all shops together"
    )
    snippets_per_client_day: int = _number(
        policy.SNIPPETS_PER_CLIENT_DAY, _PER_DAY, "accepted browser reports from one IP address, including repeats"
    )
    views_per_day_free: int = _number(
        policy.VIEWS_PER_DAY_FREE, _PER_DAY, "views of badge and statement per shop and UTC day"
    )
    views_per_day_member: int = _number(
        policy.VIEWS_PER_DAY_MEMBER, _PER_DAY, "views of badge and statement per shop and UTC day"
    )
    views_per_client_percent: int = _number(
        policy.VIEWS_PER_CLIENT_PERCENT, (0, 100), "percentage of a shop's daily views that one IP address may take"
    )
    domain_recheck_hours: int = _number(
        policy.DOMAIN_RECHECK_HOURS, (1, 168), "how often the proof of a verified domain is re-checked"
    )
    review_link_days: int = _number(
        policy.REVIEW_LINK_DAYS,
        (1, 3_650),
        "how many days after the hand-over an invitation's link can be used to write a review",
    )
    retention_days: int = _number(
        policy.RETENTION_DAYS, (4, 3_650), "how many days an address is kept after the invitation's due time"
    )
    mail_connections: int = _number(policy.MAIL_CONNECTIONS, (1, 100), "concurrent sessions with the mail server")
    handover_mark: Path | None = attrs.field(
        default=None, metadata=_path("the file that reveals whether the database is an older copy")
    )
    state_file: Path | None = attrs.field(
        default=None, metadata=_path("where backups and purges report how they ended")
    )
    log_level: str = _text("info", "which lines are logged", check=_one_of("debug", "info", "warning", "error"))
    log_format: str = _text("auto", "how they are written", check=_one_of("json", "logfmt", "auto"))
    sentry_dsn: str | None = _text(
        None, "the Sentry project to which `serve` and `worker` report their errors", secret=True
    )
    lease_seconds: int = _number(policy.LEASE_SECONDS, (660, 86_400), "how long a worker may hold an invitation")
    metrics_port: int = _number(0, (0, 65_535), "the port of a listener that shows `/metrics`")
    metrics_host: str = _text("127.0.0.1", "the address on which `METRICS_PORT` listens")
    metrics_token: str | None = _text(None, "what opens `/metrics`", check=_metrics_token, secret=True)
    shutdown_seconds: int = _number(
        policy.SHUTDOWN_SECONDS,
        (1, 3_600),
        "how long requests in flight and pending answers of the mail server may take",
    )

    @classmethod
    def load(
        cls,
        flags: Mapping[str, object] | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        file: Path | None = None,
        defaults: Mapping[str, object] | None = None,
    ) -> Settings:
        """Return the settings from flags, environment and file, in this precedence, with defaults for the rest.

        `defaults` take the place of the built-in ones. Without `file`, `reviewinvite.toml` in the current directory is
        read if it exists. Without `environment`, no variables are read.

        Raises: `ConfigurationError` for an unknown key in the file, or a value that is not valid.
        """
        path = file or Path(SETTINGS_FILE)
        in_file = read_file(path, must_exist=file is not None)
        if unknown := sorted(set(in_file) - set(FIELDS)):
            raise ConfigurationError(unknown_settings(path.name, unknown))
        values: dict[str, Any] = {}
        faults = []
        for name, given in given_values(flags or {}, environment or {}, in_file, path, defaults or {}).items():
            try:
                values[name] = typed(name, given)
            except ConfigurationError as fault:
                faults.append(str(fault))
        if faults:
            raise ConfigurationError("; ".join(faults))
        return cls(**values)


FIELDS: Mapping[str, attrs.Attribute[Any]] = attrs.fields_dict(Settings)
"""The table: each setting by its name."""


@attrs.frozen
class Given:
    """A value as it was given, by which source; a path in it is relative to the folder."""

    value: object
    source: str
    folder: Path


def read_file(path: Path, *, must_exist: bool) -> dict[str, object]:
    """Return what the file has, by the names of the settings; nothing if it need not exist and does not.

    Raises: `ConfigurationError`.
    """
    try:
        if path.exists():
            written = tomllib.loads(path.read_bytes().decode("utf-8"))
            return {name.replace("-", "_"): value for name, value in written.items()}
        if not must_exist:
            return {}
        message = f"there is no settings file {path}"
    except UnicodeDecodeError:
        message = f"{path} is not UTF-8"
    except tomllib.TOMLDecodeError as error:
        message = f"{path} is not TOML: {error}"
    except OSError as error:
        message = f"{path} cannot be read: {(error.strerror or 'it cannot be opened').lower()}"
    raise ConfigurationError(message)


def unknown_settings(place: str, unknown: Iterable[str]) -> str:
    """Say which names are no settings, and which may be meant."""
    from difflib import get_close_matches

    meant = {name: get_close_matches(name.lower(), sorted(FIELDS), n=1, cutoff=0.7) for name in unknown}
    told = (f"{name} (did you mean {close[0]}?)" if close else name for name, close in meant.items())
    return f"unknown setting in {place}: {', '.join(told)}"


def given_values(
    flags: Mapping[str, object],
    environment: Mapping[str, str],
    in_file: Mapping[str, object],
    file: Path,
    defaults: Mapping[str, object],
) -> dict[str, Given]:
    """Return each setting that a source has, from the first one that has it."""
    found = {}
    for name in FIELDS:
        variable = ENVIRONMENT_PREFIX + name.upper()
        sources = (
            Given(flags.get(name), f"--{name.replace('_', '-')}", Path()),
            Given(environment.get(variable), variable, Path()),
            Given(in_file.get(name), str(file), file.parent),
            Given(defaults.get(name), DEFAULT, Path()),
        )
        if first := next((each for each in sources if each.value is not None), None):
            found[name] = first
    return found


def typed(name: str, given: Given) -> int | str | Path:
    """Return the value in the type of its setting; `true` and 1.5 are not whole numbers, and text must be text.

    Raises: `ConfigurationError`.
    """
    value, kind = given.value, FIELDS[name].metadata["kind"]
    wanted = f"{'the secret' if name == 'secret' else name} must be {'a whole number' if kind is int else 'text'}"
    try:
        if kind is int and isinstance(value, int | str) and not isinstance(value, bool):
            return int(value)
        if kind is Path and isinstance(value, str | Path):
            wanted = "secret_file, mail_token_file and handover_mark must be file paths"
            return (given.folder / value).resolve()
        if kind is str and isinstance(value, str | Path):
            return str(value)
    except (OSError, RuntimeError, ValueError):  # not a number, or a path that no file system can have
        pass
    raise ConfigurationError(wanted)


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Return the variables that look like settings but are not, each worth a warning."""
    known = {ENVIRONMENT_PREFIX + name.upper() for name in FIELDS}
    return sorted(name for name in environment if name.startswith(ENVIRONMENT_PREFIX) and name not in known)
