"""The mail server of a trial misbehaves in each of its ways, and what it has accepted is counted from its log."""

from __future__ import annotations

import smtplib
from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_cli.prove.installation import MISBEHAVIOUR, mail_faults
from reviewinvite_cli.prove.tally import AcceptedMail
from reviewinvite_core.testing.smtp_server import Script, SmtpServer

MESSAGE = b"To: anna@example.com\r\nMessage-ID: <id-1@shop.example>\r\n\r\nHello\r\n.and goodbye\r\n"
EACH = [{**fault, "seconds": 0.01} for fault in mail_faults(len(MISBEHAVIOUR), "seed")]  # with a chance of 1


def deliver(log: Path, faults: Script) -> None:
    """Send a message to a server with these faults."""
    server = SmtpServer(log, faults)
    try:
        with smtplib.SMTP(*server.address, timeout=TIMEOUT_SECONDS) as client:
            client.sendmail("shop@example.com", ["anna@example.com"], MESSAGE)
    finally:
        server.stop()


@pytest.fixture
def mail(tmp_path: Path) -> AcceptedMail:
    return AcceptedMail(tmp_path / "accepted")


def test_a_message_that_is_accepted_is_counted(mail: AcceptedMail) -> None:
    deliver(mail.log, [])
    mail.update()
    assert (dict(mail.by_invitation), dict(mail.by_recipient)) == ({"id-1": 1}, {"anna@example.com": 1})


@pytest.mark.parametrize("fault", EACH, ids=lambda fault: f"{fault['do']} at {fault['at']}")
def test_only_what_it_keeps_is_in_its_log(mail: AcceptedMail, fault: Mapping[str, object]) -> None:
    with pytest.raises((smtplib.SMTPException, OSError)):
        deliver(mail.log, [fault])
    mail.update()
    assert dict(mail.by_invitation) == ({"id-1": 1} if fault["at"] == "logged" else {})
