"""What the tests of SMTP share: servers that are stopped, and mailers that are closed, in the end."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tests.blocking_mailer import BlockingMailer
from tests.core.adapters.mail.mail_server import MailServer
from tests.core.adapters.mail.servers import CERTIFICATE, FaultyServer, MakeMailer, StartMailServer, smtp_mailer
from tests.smtp_server import SmtpTestServer, smtp_server

from reviewinvite_core.adapters.mail.smtp import SmtpServer, Timeouts

PATIENT = Timeouts(connect=600.0, idle=600.0)


@pytest.fixture
def start_mail_server() -> Iterator[StartMailServer]:
    """Starts servers of aiosmtpd."""
    with ExitStack() as stack:

        def start(**options: Any) -> MailServer:
            server = MailServer(**options)
            stack.callback(server.stop)
            return server

        yield start


@pytest.fixture
def server(start_mail_server: StartMailServer) -> MailServer:
    return start_mail_server()


@pytest.fixture
def unused_address() -> Iterator[tuple[str, int]]:
    """An address on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # so that nobody else takes it
        yield taken.getsockname()


@pytest.fixture
def faulty_server(tmp_path: Path) -> Iterator[FaultyServer]:
    """Starts servers that fail by a script; keyword arguments are the fields of `Capabilities`."""
    with ExitStack() as stack:

        def start(*faults: Mapping[str, object], **capabilities: Any) -> SmtpTestServer:
            return stack.enter_context(smtp_server(tmp_path / "log", faults, **capabilities))

        yield start


@pytest.fixture
def make_mailer() -> Iterator[MakeMailer]:
    """Makes mailers to a server; keyword arguments are fields of `SmtpServer`."""
    with ExitStack() as stack:

        def connect(
            server: MailServer | SmtpTestServer, timeouts: Timeouts | None = None, **fields: Any
        ) -> BlockingMailer:
            host, port = server.address
            mailer = smtp_mailer(SmtpServer(**{"host": host, "port": port, **fields}), timeouts or PATIENT)
            stack.callback(mailer.close)
            return mailer

        yield connect


@pytest.fixture
def trusted() -> Iterator[Path]:
    """A certificate that this process trusts during the test."""
    before = os.environ.get("SSL_CERT_FILE")
    os.environ["SSL_CERT_FILE"] = str(CERTIFICATE)
    yield CERTIFICATE
    if before is None:
        del os.environ["SSL_CERT_FILE"]
    else:
        os.environ["SSL_CERT_FILE"] = before
