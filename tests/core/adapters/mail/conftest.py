"""What the tests of SMTP share: servers that are stopped, and mailers that are closed, in the end."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.core.adapters.mail.mail_server import MailServer
from tests.smtp_server import SmtpTestServer, smtp_server

from reviewinvite_core.adapters.mail.smtp import SmtpMailer, SmtpServer, Timeouts

PATIENT = Timeouts(connect=600.0, idle=600.0)
CERTIFICATE = Path(__file__).with_name("certificate.pem")  # for 127.0.0.1, with its key; nobody vouches for it

Faulting: TypeAlias = Callable[..., SmtpTestServer]
MailerTo: TypeAlias = Callable[..., SmtpMailer]


@pytest.fixture
def serving() -> Iterator[Callable[..., MailServer]]:
    """Starts servers of aiosmtpd."""
    with ExitStack() as stack:

        def serve(**options: object) -> MailServer:
            server = MailServer(**options)
            stack.callback(server.stop)
            return server

        yield serve


@pytest.fixture
def server(serving: Callable[..., MailServer]) -> MailServer:
    return serving()


@pytest.fixture
def nobody() -> Iterator[tuple[str, int]]:
    """An address on which nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # so that nobody else takes it
        yield taken.getsockname()


@pytest.fixture
def faulting(tmp_path: Path) -> Iterator[Faulting]:
    """Starts servers that fail as they are told to."""
    with ExitStack() as stack:

        def serve(*faults: Mapping[str, object], **offer: object) -> SmtpTestServer:
            return stack.enter_context(smtp_server(tmp_path / "log", faults, **offer))

        yield serve


@pytest.fixture
def mailer_to() -> Iterator[MailerTo]:
    """Makes mailers to a server, as the fields of `SmtpServer` change it."""
    with ExitStack() as stack:

        def connect(
            server: MailServer | SmtpTestServer, timeouts: Timeouts | None = None, **fields: object
        ) -> SmtpMailer:
            host, port = server.address
            mailer = SmtpMailer(SmtpServer(**{"host": host, "port": port, **fields}), timeouts or PATIENT)
            stack.callback(mailer.close)
            return mailer

        yield connect


@pytest.fixture
def trusted() -> Iterator[Path]:
    """A certificate that this machine trusts meanwhile."""
    before = os.environ.get("SSL_CERT_FILE")
    os.environ["SSL_CERT_FILE"] = str(CERTIFICATE)
    yield CERTIFICATE
    if before is None:
        del os.environ["SSL_CERT_FILE"]
    else:
        os.environ["SSL_CERT_FILE"] = before
