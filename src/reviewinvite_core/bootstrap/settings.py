"""Settings of an installation. Flags override the environment, the file and the defaults; see docs/specification.md."""

from __future__ import annotations

import re
from collections.abc import Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import attrs

from reviewinvite_core.domain.errors import ConfigurationError, Invalid

ENVIRONMENT_PREFIX = "REVIEWINVITE_"

_LONGEST_WEB_ADDRESS = 200  # so that a link fits into a line of an e-mail
_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
_WEB_ADDRESS = re.compile(
    rf"https?://(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?(?:/[\w.~!$&'()*+,;=:@%/-]*)?", re.ASCII
)

_PAGE_ADDRESS = re.compile(
    rf"https?://{_LABEL}(?:\.{_LABEL})*(?::[0-9]+)?(?:[/?#][\w.~!$&'()*+,;=:@%/?#-]*)?", re.ASCII
)
_LONGEST_NAME = 100
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{16,200}")  # as RFC 6750 defines it


def _from_to(least: int, most: int) -> Any:
    def check(_: object, attribute: attrs.Attribute[int], value: int) -> None:
        if not least <= value <= most:
            message = f"{attribute.name} must be a whole number from {least} to {most}"
            raise ConfigurationError(message)

    return check


def _one_of(*values: str) -> Any:
    def check(_: object, attribute: attrs.Attribute[str], value: str) -> None:
        if value not in values:
            message = f"{attribute.name} must be {', '.join(values[:-1])} or {values[-1]}"
            raise ConfigurationError(message)

    return check


def _web_address(_: object, attribute: attrs.Attribute[str], value: str) -> None:
    if not _is_web_address(value):
        message = (
            f"{attribute.name} must be an http:// or https:// URL with a host, and optionally a port and a path; "
            "blanks, a user, ? and # are not allowed"
        )
        raise ConfigurationError(message)
    if len(value) > _LONGEST_WEB_ADDRESS:
        message = f"{attribute.name} must be at most {_LONGEST_WEB_ADDRESS} characters"
        raise ConfigurationError(message)


def _is_web_address(text: str) -> bool:
    if not _WEB_ADDRESS.fullmatch(text):
        return False
    try:
        return urlsplit(text).port != 0  # reading the port also rejects one that is too large
    except ValueError:
        return False


def _sender(value: str) -> str:
    """Return the address in the form that mail servers accept."""
    from reviewinvite_core.domain.email_address import SenderAddress

    try:
        return SenderAddress.parse(value).text
    except Invalid:
        raise ConfigurationError("mail_from must be an e-mail address and nothing else") from None


def _mail_auth(_: object, attribute: attrs.Attribute[str], value: str) -> None:
    if value not in {"password", "xoauth2"}:
        message = f"{attribute.name} must be password or xoauth2"
        raise ConfigurationError(message)


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


def _metrics_token(_: object, __: object, value: str | None) -> None:
    if value is not None and not _TOKEN.fullmatch(value):
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

    database_url: str = attrs.field(default="sqlite:///reviewinvite.db", repr=False)
    secret: str | None = attrs.field(default=None, repr=False)
    secret_file: Path | None = None
    mail_url: str = attrs.field(default="outbox:outbox", repr=False)
    mail_auth: str = attrs.field(default="password", validator=_mail_auth)
    mail_token_command: str | None = attrs.field(default=None, repr=False)
    mail_token_file: Path | None = None
    mail_from: str = attrs.field(default="invitations@localhost", converter=_sender)
    base_url: str = attrs.field(default="http://127.0.0.1:8000", validator=_web_address)
    widget_url: str = attrs.field(
        default=attrs.Factory(lambda self: self.base_url, takes_self=True), validator=_web_address
    )
    dashboard_url: str = attrs.field(
        default=attrs.Factory(lambda self: self.base_url, takes_self=True), validator=_web_address
    )
    operator_name: str | None = attrs.field(default=None, converter=_operator_name)
    operator_contact: str | None = attrs.field(default=None, converter=_operator_contact)
    privacy_url: str | None = attrs.field(default=None, converter=_privacy_url)
    trusted_proxies: str = attrs.field(default="", converter=_proxies)
    orders_per_minute: int = attrs.field(default=120, validator=_from_to(0, 1_000_000))
    reads_per_minute: int = attrs.field(default=120, validator=_from_to(0, 1_000_000))
    snippets_per_minute: int = attrs.field(default=30, validator=_from_to(0, 1_000_000))
    snippets_per_day: int = attrs.field(default=1_000, validator=_from_to(0, 1_000_000_000))
    snippets_per_recipient: int = attrs.field(default=3, validator=_from_to(0, 1_000_000))
    snippets_per_person: int = attrs.field(default=10, validator=_from_to(0, 1_000_000))
    snippets_per_client_day: int = attrs.field(default=200, validator=_from_to(0, 1_000_000_000))
    views_per_day_free: int = attrs.field(default=1_000, validator=_from_to(0, 1_000_000_000))
    views_per_day_member: int = attrs.field(default=10_000, validator=_from_to(0, 1_000_000_000))
    views_per_client_percent: int = attrs.field(default=0, validator=_from_to(0, 100))
    domain_recheck_hours: int = attrs.field(default=24, validator=_from_to(1, 168))
    review_link_days: int = attrs.field(default=90, validator=_from_to(1, 3_650))
    retention_days: int = attrs.field(default=90, validator=_from_to(4, 3_650))
    mail_connections: int = attrs.field(default=4, validator=_from_to(1, 100))
    handover_mark: Path | None = None
    state_file: Path | None = None
    log_level: str = attrs.field(default="info", validator=_one_of("debug", "info", "warning", "error"))
    log_format: str = attrs.field(default="auto", validator=_one_of("json", "logfmt", "auto"))
    sentry_dsn: str | None = attrs.field(default=None, repr=False)
    lease_seconds: int = attrs.field(default=900, validator=_from_to(660, 86_400))
    metrics_port: int = attrs.field(default=0, validator=_from_to(0, 65_535))
    metrics_host: str = "127.0.0.1"
    metrics_token: str | None = attrs.field(default=None, repr=False, validator=_metrics_token)
    shutdown_seconds: int = attrs.field(default=20, validator=_from_to(1, 3_600))

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
        from reviewinvite_core.bootstrap.settings_loader import load

        return load(cls, flags or {}, environment or {}, file, defaults or {}, prefix=ENVIRONMENT_PREFIX)


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """Return the variables that look like settings but are not, each worth a warning."""
    known = {ENVIRONMENT_PREFIX + field.name.upper() for field in attrs.fields(Settings)}
    return sorted(name for name in environment if name.startswith(ENVIRONMENT_PREFIX) and name not in known)
