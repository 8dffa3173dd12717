"""Open the mailer that settings name, for `compose`, with the password or the access token that it logs in with."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from reviewinvite_core.bootstrap.settings import ENVIRONMENT_PREFIX, Settings
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.ports import Mailer

if TYPE_CHECKING:
    from reviewinvite_core.adapters.mail.smtp import SmtpServer
    from reviewinvite_core.adapters.mail.tokens import Tokens


def open_mailer(settings: Settings, environment: Mapping[str, str] = os.environ) -> Mailer:
    """Open the mailer that `mail_url` names: `outbox:DIRECTORY`, `smtp://`, `smtps://` or `recording:`.

    `environment` is what a token command gets, except for our own settings, which may be secret.

    Raises: `ConfigurationError`.
    """
    scheme, _, rest = settings.mail_url.partition(":")
    if scheme in {"smtp", "smtps"}:
        from reviewinvite_core.adapters.mail.smtp import SmtpMailer

        return SmtpMailer(smtp_server(settings, environment))
    if settings.mail_auth != "password":
        raise ConfigurationError("mail_auth=xoauth2 needs a mail server: set mail_url to smtp:// or smtps://")
    _refuse_tokens(settings)
    if settings.mail_url == "recording:":
        from reviewinvite_core.adapters.mail.recording import RecordingMailer

        return RecordingMailer()
    if scheme == "outbox" and rest:
        from reviewinvite_core.adapters.mail.outbox import OutboxMailer
        from reviewinvite_core.adapters.system import SystemClock

        return OutboxMailer(Path(rest), SystemClock())
    raise ConfigurationError("mail_url must be outbox:DIRECTORY, smtp://HOST:PORT or smtps://HOST:PORT")


def smtp_server(settings: Settings, environment: Mapping[str, str] = os.environ) -> SmtpServer:
    """Return the mail server that `mail_url` names, with its login.

    Raises: `ConfigurationError`.
    """
    from reviewinvite_core.adapters.mail.smtp import SmtpServer

    try:
        url = urlsplit(settings.mail_url)
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
        secret = "password" if settings.mail_auth == "password" else "access token"
        message = (
            f"mail_url would send its user and {secret} in clear: use smtps://, or add ?starttls=required, so that "
            "nobody on the way can read them"
        )
        raise ConfigurationError(message)
    return SmtpServer(
        host=url.hostname,
        port=port,
        user=unquote(url.username) if url.username is not None else None,
        password=unquote(url.password) if url.password is not None else None,
        tokens=_tokens(settings, url, environment),
        implicit_tls=url.scheme == "smtps",
        starttls_required=bool(options),
        starttls_if_offered=url.scheme == "smtp" and not options and not _is_this_machine(url.hostname),
    )


def _tokens(settings: Settings, url: SplitResult, environment: Mapping[str, str]) -> Tokens | None:
    """Return the access tokens to log in with, or None for a login with a password.

    Raises: `ConfigurationError`.
    """
    if settings.mail_auth == "password":
        _refuse_tokens(settings)
        return None
    if not url.username:
        raise ConfigurationError(
            "mail_auth=xoauth2 needs the mailbox as the user in mail_url, such as smtps://shop%40example.com@HOST"
        )
    if url.password is not None:
        raise ConfigurationError("mail_auth=xoauth2 uses no password: remove it from mail_url")
    if bool(settings.mail_token_command) == bool(settings.mail_token_file):
        raise ConfigurationError("mail_auth=xoauth2 needs either mail_token_command or mail_token_file")
    from reviewinvite_core.adapters.mail.token_sources import TokenCommand, TokenFile
    from reviewinvite_core.adapters.mail.tokens import Tokens

    if settings.mail_token_file:
        return Tokens(TokenFile(settings.mail_token_file))
    others = {name: value for name, value in environment.items() if not name.startswith(ENVIRONMENT_PREFIX)}
    return Tokens(TokenCommand(_words(settings.mail_token_command or ""), others))


def _refuse_tokens(settings: Settings) -> None:
    """Raise if there is a source of access tokens that would not be used.

    Raises: `ConfigurationError`.
    """
    if settings.mail_token_command or settings.mail_token_file:
        raise ConfigurationError("mail_token_command and mail_token_file need mail_auth=xoauth2")


def _words(command: str) -> list[str]:
    """Return the program and its arguments.

    Raises: `ConfigurationError`, which does not quote them, since they may be secret.
    """
    try:
        words = shlex.split(command)
    except ValueError:
        raise ConfigurationError("mail_token_command has a quote without its end, or ends with a backslash") from None
    if not words:
        raise ConfigurationError("mail_token_command must name a program")
    return words


def _is_this_machine(host: str) -> bool:
    """Return whether traffic to this host stays on this machine."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False  # a host name
