"""Types of the fixtures that start servers and make mailers, the servers' certificate, and their troubles."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

import pytest
from tests.blocking_mailer import BlockingMailer
from tests.core.adapters.mail.mail_server import MailServer
from tests.smtp_server import SmtpTestServer

from reviewinvite_core.adapters.mail.smtp import SmtpMailer, SmtpServer, Timeouts
from reviewinvite_core.testing.mailer_contract import Trouble

CERTIFICATE = Path(__file__).with_name("certificate.pem")  # for 127.0.0.1, with its key; no authority signed it

FaultyServer: TypeAlias = Callable[..., SmtpTestServer]
StartMailServer: TypeAlias = Callable[..., MailServer]
MakeMailer: TypeAlias = Callable[..., BlockingMailer]


class TroubleOfServer:
    """The troubles of the mailer's contract, made by the `server` that fails by a script."""

    @pytest.fixture
    def lose_answer(self, server: SmtpTestServer) -> Trouble:
        return partial(server.then, {"at": "logged", "do": "drop"})

    @pytest.fixture
    def refuse(self, server: SmtpTestServer) -> Trouble:
        return partial(server.then, {"at": "dot", "do": "reply", "with": "554 5.6.0 no"})

    @pytest.fixture
    def disconnect(self, server: SmtpTestServer) -> Trouble:
        return server.hang_up


def smtp_mailer(server: SmtpServer, timeouts: Timeouts | None = None) -> BlockingMailer:
    """Return a mailer to this server; nothing closes it."""
    return BlockingMailer(SmtpMailer(server, timeouts))
