"""`mail test`: one e-mail on the configured way, and what the server says of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.browser.fake_web import create_certificate
from tests.cli.harness import Ended, Installation
from tests.smtp_server import smtp_server


def test_it_says_what_the_server_said_at_each_step(empty: Installation, tmp_path: Path) -> None:
    certificate = create_certificate(tmp_path, "localhost").pem
    with smtp_server(tmp_path / "log", certificate=certificate, starttls=True, login="shop:geheim") as server:
        ended = send(empty, server.address[1], SSL_CERT_FILE=str(certificate))
        assert ended.code == 0, ended
        [message], [recipient] = server.messages, server.recipients
    facts = dict(line.split(maxsplit=1) for line in ended.out.splitlines())
    assert facts["Connected"].startswith(f"localhost port {server.address[1]}: 220 ")
    assert facts["TLS"].startswith("TLSv1.")
    assert facts["Login"].startswith("as shop: 235")
    assert facts["E-mail"].startswith("accepted: 250")
    assert "geheim" not in ended.out + ended.err
    assert "me@example.com" in recipient
    assert b"From: " in message
    assert b"<shop@example.nl>" in message
    assert not (empty.folder / "reviewinvite.db").exists()


@pytest.mark.parametrize(
    ("fault", "failed_at", "next_step"),
    [
        ({"at": "connect", "do": "drop"}, "cannot connect to", "Check host and port"),
        ({"at": "starttls", "do": "reply", "with": "454 4.7.0 not now"}, "TLS with", "Check the port"),
        ({"at": "auth", "do": "reply", "with": "535 5.7.8 wrong password"}, "the login at", "Check user and password"),
        ({"at": "rcpt", "do": "reply", "with": "554 5.7.1 Relay access denied"}, "the e-mail was not", "may send"),
        ({"at": "dot", "do": "drop"}, "the e-mail was not", "may send"),
    ],
    ids=["connect", "tls", "login", "recipient", "no answer"],
)
def test_a_failure_names_the_step_the_servers_words_and_what_to_do(
    empty: Installation, tmp_path: Path, fault: dict[str, str], failed_at: str, next_step: str
) -> None:
    certificate = create_certificate(tmp_path, "localhost").pem
    with smtp_server(tmp_path / "log", [fault], certificate=certificate, starttls=True, login="shop:geheim") as server:
        ended = send(empty, server.address[1], "--json", SSL_CERT_FILE=str(certificate))
    assert ended.out, ended
    said = json.loads(ended.out)
    assert ended.code == 1
    assert said["sent"] is False
    assert said["failure"].startswith(failed_at)
    assert fault.get("with", "") in said["failure"]
    assert next_step in said["next"]
    assert "geheim" not in ended.out + ended.err


@pytest.mark.parametrize(
    ("command", "mechanisms", "failure", "next_step"),
    [
        ("echo good-token", "XOAUTH2", None, None),
        ("echo old-token", "XOAUTH2", "the login at localhost", "that the access token is valid"),
        ("echo good-token", "PLAIN", "does not offer AUTH XOAUTH2", "set MAIL_AUTH to password"),
        ("false", "XOAUTH2", "cannot log in at localhost", "Run the token command by hand"),
    ],
    ids=["accepted", "refused", "not offered", "no token"],
)
def test_a_login_by_token_is_tried_too(
    empty: Installation, tmp_path: Path, command: str, mechanisms: str, failure: str | None, next_step: str | None
) -> None:
    certificate = create_certificate(tmp_path, "localhost").pem
    log, settings = tmp_path / "log", {"MAIL_AUTH": "xoauth2", "MAIL_TOKEN_COMMAND": command}
    with smtp_server(log, certificate=certificate, starttls=True, login="shop", mechanisms=mechanisms) as server:
        server.tokens = {"good-token"}
        ended = empty.run(
            *("mail", "test", "me@example.com", "--json"),
            REVIEWINVITE_MAIL_URL=f"smtp://shop@localhost:{server.address[1]}?starttls=required",
            REVIEWINVITE_MAIL_FROM="shop@example.nl",
            SSL_CERT_FILE=str(certificate),
            **{f"REVIEWINVITE_{name}": value for name, value in settings.items()},
        )
    said = json.loads(ended.out)
    assert said["sent"] is (failure is None)
    assert (failure or "") in (said["failure"] or "")
    assert (next_step or "") in (said["next"] or "")
    assert "-token" not in ended.out + ended.err


def test_a_certificate_that_nobody_trusts_is_named(empty: Installation, tmp_path: Path) -> None:
    certificate = create_certificate(tmp_path, "localhost").pem
    with smtp_server(tmp_path / "log", certificate=certificate, starttls=True, login="shop:geheim") as server:
        ended = send(empty, server.address[1])
    assert ended.code == 1
    assert "the certificate is not valid" in ended.err
    assert "renew it on the mail server" in ended.err
    assert not server.messages


def test_what_is_no_address_is_wrong_usage(empty: Installation) -> None:
    assert "EMAIL is not a valid e-mail address" in empty.refused(2, "mail", "test", "example.com")
    assert "mail test [OPTIONS] EMAIL" in empty.ok("mail", "test", "--help")


def send(installation: Installation, port: int, *options: str, **variables: str) -> Ended:
    variables["REVIEWINVITE_MAIL_URL"] = f"smtp://shop:geheim@localhost:{port}?starttls=required"
    return installation.run(
        "mail", "test", "me@example.com", *options, REVIEWINVITE_MAIL_FROM="shop@example.nl", **variables
    )
