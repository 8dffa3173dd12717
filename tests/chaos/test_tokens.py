"""A real mail server that accepts access tokens only: logins, expired tokens, and their renewal."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.browser.fake_web import create_certificate
from tests.chaos.token_server import USER, access_token, dovecot
from tests.smtp_server import SmtpTestServer, smtp_server

from reviewinvite_core import OrderReport, Settings, accepted, build
from reviewinvite_core.testing.builders import a_shop

pytestmark = pytest.mark.full
ORDERS = 8
EXPIRED = -60.0


class TokenMail(NamedTuple):
    """What an installation needs to send through Dovecot, and where its messages arrive."""

    settings: dict[str, object]
    relay: SmtpTestServer
    folder: Path

    def command(self, *tokens: str) -> str:
        """Return a command that prints these tokens, one each time, and then the last one; each run adds to `runs`."""
        (self.folder / "tokens").write_text("\n".join(tokens))
        program = (
            "import pathlib, sys; folder = pathlib.Path(sys.argv[1]); open(folder / 'runs', 'a').write('x');"
            "tokens = (folder / 'tokens').read_text().split(); runs = len((folder / 'runs').read_text());"
            "print(tokens[min(runs, len(tokens)) - 1])"
        )
        return shlex.join([sys.executable, "-c", program, str(self.folder)])

    @property
    def runs(self) -> int:
        return len((self.folder / "runs").read_text())

    def deliver(self, orders: int = ORDERS, **settings: object) -> list[tuple[str, str | None]]:
        """Report orders and deliver their invitations; return their states, each with the server's reply."""
        with build(Settings.load({**self.settings, **settings})) as app:
            app.shops.add(a_shop())
            caller = accepted(app.shops.act_for("bakkerij-1"))
            for number in range(orders):
                accepted(app.orders.report(caller, OrderReport(email=f"customer{number}@example.com", delay_days=0)))
            return [(each.state.value, each.reply) for each in app.delivery.once()]


@pytest.fixture
def mail(short_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[TokenMail]:
    create_certificate(short_folder, "localhost")
    monkeypatch.setenv("SSL_CERT_FILE", str(short_folder / "certificate.pem"))
    with (
        smtp_server(tmp_path / "relayed") as relay,
        dovecot(short_folder, short_folder / "certificate.pem", relay.address[1]) as port,
    ):
        yield TokenMail(
            {
                "database_url": f"sqlite:///{tmp_path / 'test.db'}",
                "secret": "a secret for tests, long enough",
                "mail_url": f"smtp://{USER.replace('@', '%40')}@localhost:{port}?starttls=required",
                "mail_auth": "xoauth2",
            },
            relay,
            tmp_path,
        )


def test_an_expired_token_is_renewed_once_for_all_connections(mail: TokenMail) -> None:
    states = mail.deliver(mail_token_command=mail.command(access_token(valid_for=EXPIRED), access_token()))
    assert {state for state, _ in states} == {"sent"}
    assert len(mail.relay.messages) == ORDERS
    assert mail.runs == 2


@pytest.mark.parametrize("size", [1, 2000], ids=["with an initial response", "too long for it"])
def test_a_token_from_a_file_logs_in(mail: TokenMail, size: int) -> None:
    token = access_token(note="x" * size)
    file = mail.folder / "token"
    file.write_text(f"{token}\n")
    assert {state for state, _ in mail.deliver(mail_token_file=file)} == {"sent"}
    assert len(mail.relay.messages) == ORDERS


@pytest.mark.parametrize(
    "token",
    [access_token(valid_for=EXPIRED), access_token("another@example.com"), access_token() + "x", "not-a-jwt"],
    ids=["expired", "of another user", "forged", "not a JWT"],
)
def test_a_token_that_is_not_valid_is_a_refused_login_and_the_command_runs_once_more(
    mail: TokenMail, token: str
) -> None:
    states = mail.deliver(1, mail_token_command=mail.command(token))
    assert states == [("scheduled", "535 5.7.8")]
    assert mail.relay.messages == []
    assert mail.runs == 2
