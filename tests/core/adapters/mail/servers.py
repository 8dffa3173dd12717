"""Types of the fixtures that start servers and make mailers, and the certificate of the servers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from tests.blocking_mailer import BlockingMailer
from tests.core.adapters.mail.mail_server import MailServer
from tests.smtp_server import SmtpTestServer

from reviewinvite_core.adapters.mail.smtp import SmtpMailer, SmtpServer, Timeouts

CERTIFICATE = Path(__file__).with_name("certificate.pem")  # for 127.0.0.1, with its key; no authority signed it

FaultyServer: TypeAlias = Callable[..., SmtpTestServer]
StartMailServer: TypeAlias = Callable[..., MailServer]
MakeMailer: TypeAlias = Callable[..., BlockingMailer]


def smtp_mailer(server: SmtpServer, timeouts: Timeouts | None = None) -> BlockingMailer:
    """Return a mailer to this server; nothing closes it."""
    return BlockingMailer(SmtpMailer(server, timeouts))
