"""What an operator can set. Flag over environment over file over default; the table is in docs/specification.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import attrs

from reviewinvite_core.domain.errors import ConfigurationError, Invalid

ENVIRONMENT_PREFIX = "REVIEWINVITE_"
SETTINGS_FILE = "reviewinvite.toml"


def _at_least(least: int) -> Any:
    def check(_: object, attribute: attrs.Attribute[int], value: int) -> None:
        if value < least:
            message = f"{attribute.name} must be {least} or more"
            raise ConfigurationError(message)

    return check


def _web_address(_: object, attribute: attrs.Attribute[str], value: str) -> None:
    if not value.startswith(("http://", "https://")) or value != value.strip():
        message = f"{attribute.name} must begin with http:// or https://"
        raise ConfigurationError(message)


def _sender(_: object, attribute: attrs.Attribute[str], value: str) -> None:
    from reviewinvite_core.domain.email_address import EmailAddress

    if value.endswith("@localhost") and value.isascii() and value.isprintable() and " " not in value:
        return
    try:
        EmailAddress.parse(value)
    except Invalid:
        message = f"{attribute.name} must be an e-mail address"
        raise ConfigurationError(message) from None


@attrs.frozen(kw_only=True)
class Settings:
    """The settings of one installation. Spec: §8, Settings.

    Raises: `ConfigurationError` for a figure or an address that cannot be.
    """

    database_url: str = attrs.field(default="sqlite:///reviewinvite.db", repr=False)
    secret: str | None = attrs.field(default=None, repr=False)
    secret_file: Path | None = None
    mail_url: str = attrs.field(default="outbox:outbox", repr=False)
    mail_from: str = attrs.field(default="invitations@localhost", validator=_sender)
    base_url: str = attrs.field(default="http://127.0.0.1:8000", validator=_web_address)
    orders_per_minute: int = attrs.field(default=120, validator=_at_least(0))
    lease_seconds: int = attrs.field(default=900, validator=_at_least(660))
    shutdown_seconds: int = attrs.field(default=20, validator=_at_least(1))

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
        from reviewinvite_core.settings_sources import load

        return load(cls, flags or {}, environment or {}, file)


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """The variables that look like settings and are none: worth a warning."""
    known = {ENVIRONMENT_PREFIX + field.name.upper() for field in attrs.fields(Settings)}
    return sorted(name for name in environment if name.startswith(ENVIRONMENT_PREFIX) and name not in known)
