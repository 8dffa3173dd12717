"""A sign-in link reaches the mailbox of a real mail server, through the same session as an invitation."""

from __future__ import annotations

from collections.abc import Iterator
from email import message_from_bytes, policy
from pathlib import Path

import pytest
from tests.browser.fake_web import create_certificate
from tests.budgets import in_full
from tests.chaos.mail_servers import Exim, MailServer, Postfix, running
from tests.chaos.mailboxes import count_messages
from tests.messages import VALUES, queue
from tests.waiting import wait_until

from reviewinvite_core import OrderReport, Settings, accepted, build
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.testing.builders import a_shop

MEMBER, CUSTOMER = "member@example.com", "customer@example.com"


@pytest.fixture(params=[in_full(Postfix, id="postfix"), in_full(Exim, id="exim")])
def mail_server(request: pytest.FixtureRequest, short_folder: Path) -> Iterator[MailServer]:
    """A real mail server with a certificate for `localhost`."""
    create_certificate(short_folder, "localhost")
    with running(request.param, short_folder) as server:
        yield server


def test_a_sign_in_link_arrives_whole_beside_an_invitation(
    mail_server: MailServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(mail_server.certificate))
    settings = Settings(
        database_url=f"sqlite:///{tmp_path / 'test.db'}",
        secret="a secret for tests, long enough",
        mail_url=mail_server.url,
        mail_connections=1,
    )
    with build(settings) as app:
        app.shops.add(a_shop())
        caller = accepted(app.shops.act_for("bakkerij-1"))
        accepted(app.orders.report(caller, OrderReport(email=CUSTOMER, delay_days=0)))
        link = queue(app, to=MEMBER)
        (sent,) = app.delivery.once()
    wait_until(lambda: count_messages(mail_server.mailbox) == 2)
    arrived = [
        message_from_bytes(file.read_bytes(), policy=policy.default) for file in (mail_server.mailbox / "new").iterdir()
    ]
    by_id = {str(each["Message-ID"]).strip("<>").partition("@")[0]: each for each in arrived}
    assert by_id.keys() == {link.message_id, sent.invite_id}
    message = by_id[link.message_id]
    assert message["To"] == MEMBER
    assert message["List-Unsubscribe"] is None
    text = message.get_body(("plain",))
    assert text
    assert VALUES[NoticeKind.SIGN_IN_LINK]["link"] in text.get_content()
