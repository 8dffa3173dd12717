"""What an operator can set. Flag over environment over file over default; the table is in docs/specification.md."""

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

_LONGEST_WEB_ADDRESS = 200  # a link made of it has to fit into a line of an e-mail
_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
_WEB_ADDRESS = re.compile(
    rf"https?://(?:{_LABEL}(?:\.{_LABEL})*|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?(?:/[\w.~!$&'()*+,;=:@%/-]*)?", re.ASCII
)


def _from_to(least: int, most: int) -> Any:
    def check(_: object, attribute: attrs.Attribute[int], value: int) -> None:
        if not least <= value <= most:
            message = f"{attribute.name} must be a whole number from {least} to {most}"
            raise ConfigurationError(message)

    return check


def _web_address(_: object, attribute: attrs.Attribute[str], value: str) -> None:
    if not _is_web_address(value):
        message = (
            f"{attribute.name} must be http:// or https:// and a host, with a port and a path if wanted, and nothing "
            "else: no blank, no user, no ? or #"
        )
        raise ConfigurationError(message)
    if len(value) > _LONGEST_WEB_ADDRESS:
        message = f"{attribute.name} must have {_LONGEST_WEB_ADDRESS} characters at most"
        raise ConfigurationError(message)


def _is_web_address(text: str) -> bool:
    if not _WEB_ADDRESS.fullmatch(text):
        return False
    try:
        return urlsplit(text).port != 0  # asking for it also finds a port that is too great
    except ValueError:
        return False


def _sender(value: str) -> str:
    """Return the address as mail servers take it."""
    from reviewinvite_core.domain.email_address import SenderAddress

    try:
        return SenderAddress.parse(value).text
    except Invalid:
        raise ConfigurationError("mail_from must be an e-mail address, and nothing beside it") from None


def _proxies(value: str) -> str:
    """The addresses and networks, each in its canonical form, with one blank between two."""
    try:
        return " ".join(str(ip_network(each)) for each in value.replace(",", " ").split())
    except ValueError:
        raise ConfigurationError(
            "trusted_proxies must be IP addresses or networks (192.0.2.7, 10.0.0.0/8, 2001:db8::/32), with commas "
            "between them"
        ) from None


@attrs.frozen(kw_only=True)
class Settings:
    """The settings of one installation. Spec: §8, Settings.

    Raises: `ConfigurationError` for a figure or an address that cannot be.
    """

    database_url: str = attrs.field(default="sqlite:///reviewinvite.db", repr=False)
    secret: str | None = attrs.field(default=None, repr=False)
    secret_file: Path | None = None
    mail_url: str = attrs.field(default="outbox:outbox", repr=False)
    mail_from: str = attrs.field(default="invitations@localhost", converter=_sender)
    base_url: str = attrs.field(default="http://127.0.0.1:8000", validator=_web_address)
    widget_url: str = attrs.field(
        default=attrs.Factory(lambda self: self.base_url, takes_self=True), validator=_web_address
    )
    trusted_proxies: str = attrs.field(default="", converter=_proxies)
    orders_per_minute: int = attrs.field(default=120, validator=_from_to(0, 1_000_000))
    reads_per_minute: int = attrs.field(default=120, validator=_from_to(0, 1_000_000))
    snippets_per_minute: int = attrs.field(default=30, validator=_from_to(0, 1_000_000))
    snippets_per_day: int = attrs.field(default=1_000, validator=_from_to(0, 1_000_000_000))
    snippets_per_recipient: int = attrs.field(default=3, validator=_from_to(0, 1_000_000))
    views_per_day_free: int = attrs.field(default=1_000, validator=_from_to(0, 1_000_000_000))
    views_per_day_member: int = attrs.field(default=10_000, validator=_from_to(0, 1_000_000_000))
    domain_recheck_hours: int = attrs.field(default=24, validator=_from_to(1, 168))
    review_link_days: int = attrs.field(default=90, validator=_from_to(1, 3_650))
    retention_days: int = attrs.field(default=90, validator=_from_to(4, 3_650))
    mail_connections: int = attrs.field(default=4, validator=_from_to(1, 100))
    handover_mark: Path | None = None
    lease_seconds: int = attrs.field(default=900, validator=_from_to(660, 86_400))
    shutdown_seconds: int = attrs.field(default=20, validator=_from_to(1, 3_600))

    @classmethod
    def load(
        cls,
        flags: Mapping[str, object] | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        file: Path | None = None,
    ) -> Settings:
        """The settings as given by flags, environment and file, in this order; defaults for the rest.

        Without `file`, `reviewinvite.toml` in the current directory is read where there is one. Without
        `environment`, nothing is read from it.

        Raises: `ConfigurationError` for an unknown key in the file, or a value that does not fit.
        """
        from reviewinvite_core.bootstrap.settings_loader import load

        return load(cls, flags or {}, environment or {}, file, prefix=ENVIRONMENT_PREFIX)


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """The variables that look like settings and are none: worth a warning."""
    known = {ENVIRONMENT_PREFIX + field.name.upper() for field in attrs.fields(Settings)}
    return sorted(name for name in environment if name.startswith(ENVIRONMENT_PREFIX) and name not in known)
