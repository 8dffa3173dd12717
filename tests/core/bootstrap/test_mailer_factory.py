"""The mailer that settings name, and what is refused of its login."""

from __future__ import annotations

import traceback
from pathlib import Path

import pytest
from tests.blocking_mailer import wait_for

from reviewinvite_core import build
from reviewinvite_core.adapters.mail.outbox import OutboxMailer
from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.adapters.mail.smtp import SmtpMailer, SmtpServer
from reviewinvite_core.adapters.mail.tokens import Token
from reviewinvite_core.bootstrap.mailer_factory import open_mailer, smtp_server
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.domain.errors import ConfigurationError

PASSWORD = "hunter2-hunter2-hunter2-hunter2"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "outbox",
        "outbox:",
        "smtp:",
        "smtp://",
        f"smtp://user:{PASSWORD}@",
        f"smtp://user:{PASSWORD}@host:port",
        f"smtp://user:{PASSWORD}@host:99999",
        f"smtp://user:{PASSWORD}@host?starttls=optional",
        f"smtp://user:{PASSWORD}@host?startls=required",
        f"smtp://user:{PASSWORD}@host?starttls=required&x=y",
        f"smtp://user:{PASSWORD}@host?starttls",
        f"smtp://user:{PASSWORD}@[::1",
        f"smtp://user:{PASSWORD}%C3%A9@host?starttls=required",
        f"smtp://user:{PASSWORD}%00@host?starttls=required",
        f"smtp://user:{PASSWORD}@mail.example.com",
        f"smtp://user:{PASSWORD}@192.0.2.1:587",
        f"smtp://user:{PASSWORD}@[2001:db8::1]",
        f"smtp://user:{PASSWORD}@localhost.example.com",
        f"imap://user:{PASSWORD}@host",
        f"user:{PASSWORD}@host",
        "recording",
    ],
)
def test_an_unknown_mail_url_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        open_mailer(Settings(mail_url=url))
    assert PASSWORD not in f"{caught.value} {caught.value!r}"
    with pytest.raises(ConfigurationError):
        build(Settings(database_url="memory:", mail_url=url))


def test_each_mail_url_opens_what_it_names(tmp_path: Path) -> None:
    assert isinstance(open_mailer(Settings(mail_url="recording:")), RecordingMailer)
    assert isinstance(open_mailer(Settings(mail_url=f"outbox:{tmp_path}")), OutboxMailer)
    mailers = {
        "smtp://mail.example.com": SmtpServer(host="mail.example.com", port=25, starttls_if_offered=True),
        "smtps://mail.example.com": SmtpServer(host="mail.example.com", port=465, implicit_tls=True),
        "smtp://us%40er:p%2Fw@mail.example.com:587?starttls=required": SmtpServer(
            host="mail.example.com", port=587, user="us@er", password="p/w", starttls_required=True
        ),
        "smtp://[::1]:2525": SmtpServer(host="::1", port=2525),
        "smtp://user:word@[::1]": SmtpServer(host="::1", port=25, user="user", password="word"),
        "smtp://user:word@127.0.0.1": SmtpServer(host="127.0.0.1", port=25, user="user", password="word"),
        "smtp://user:word@localhost": SmtpServer(host="localhost", port=25, user="user", password="word"),
        "smtps://user:word@mail.example.com": SmtpServer(
            host="mail.example.com", port=465, user="user", password="word", implicit_tls=True
        ),
    }
    for url, server in mailers.items():
        mailer = open_mailer(Settings(mail_url=url))
        assert isinstance(mailer, SmtpMailer)
        assert mailer._server == server


SERVER = "smtps://shop%40example.com@mail.example.com"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"mail_auth": "plain"}, "mail_auth must be password or xoauth2"),
        ({}, "mail_auth=xoauth2 needs either mail_token_command or mail_token_file"),
        (
            {"mail_token_command": f"token {PASSWORD}", "mail_token_file": Path("token")},
            "mail_auth=xoauth2 needs either mail_token_command or mail_token_file",
        ),
        (
            {"mail_url": f"smtps://shop:{PASSWORD}@mail.example.com", "mail_token_file": Path("token")},
            "mail_auth=xoauth2 uses no password: remove it from mail_url",
        ),
        (
            {"mail_url": "smtps://mail.example.com", "mail_token_file": Path("token")},
            "mail_auth=xoauth2 needs the mailbox as the user in mail_url, such as smtps://shop%40example.com@HOST",
        ),
        (
            {"mail_url": "smtp://shop@mail.example.com:587", "mail_token_file": Path("token")},
            "mail_url would send its user and access token in clear: use smtps://, or add ?starttls=required, so that "
            "nobody on the way can read them",
        ),
        (
            {"mail_url": "outbox:outbox", "mail_token_file": Path("token")},
            "mail_auth=xoauth2 needs a mail server: set mail_url to smtp:// or smtps://",
        ),
        (
            {"mail_token_command": f"token '{PASSWORD}"},
            "mail_token_command has a quote without its end, or ends with a backslash",
        ),
        ({"mail_token_command": " "}, "mail_token_command must name a program"),
        (
            {"mail_auth": "password", "mail_token_command": f"token {PASSWORD}"},
            "mail_token_command and mail_token_file need mail_auth=xoauth2",
        ),
        (
            {"mail_auth": "password", "mail_token_file": Path("token"), "mail_url": "outbox:outbox"},
            "mail_token_command and mail_token_file need mail_auth=xoauth2",
        ),
    ],
)
def test_a_login_by_token_that_is_not_complete_is_refused_in_plain_words(
    settings: dict[str, object], words: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        open_mailer(Settings.load({"mail_url": SERVER, "mail_auth": "xoauth2", **settings}))
    assert str(caught.value) == words
    assert PASSWORD not in "".join(traceback.format_exception(caught.value))


def test_settings_show_no_token_command() -> None:
    assert PASSWORD not in repr(Settings(mail_token_command=f"token {PASSWORD}"))


@pytest.mark.parametrize("url", [SERVER, f"{SERVER.replace('smtps', 'smtp')}?starttls=required", "smtp://shop@[::1]"])
def test_a_token_is_used_over_tls_or_on_this_machine(tmp_path: Path, url: str) -> None:
    file = tmp_path / "token"
    file.write_text("ya29.abc\n")
    server = smtp_server(Settings(mail_url=url, mail_auth="xoauth2", mail_token_file=file))
    assert server.tokens
    assert server.user
    assert wait_for(server.tokens.current()) == Token("ya29.abc")


def test_a_token_command_gets_no_setting_of_ours(tmp_path: Path) -> None:
    command = tmp_path / "command"
    command.write_text('#!/bin/sh\necho "mine-${REVIEWINVITE_SECRET-no-secret}-$OTHER"\n')
    command.chmod(0o755)
    settings = Settings(mail_url=SERVER, mail_auth="xoauth2", mail_token_command=f"'{command}'")
    server = smtp_server(settings, {"REVIEWINVITE_SECRET": PASSWORD, "OTHER": "other"})
    assert server.tokens
    assert wait_for(server.tokens.current()) == Token("mine-no-secret-other")
