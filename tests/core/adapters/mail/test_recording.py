"""The mailer that keeps what it is given keeps the contract too."""

import pytest

from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.testing.mailer_contract import Delivered, MailerContract


class TestRecordingMailer(MailerContract):
    @pytest.fixture
    def mailer(self) -> RecordingMailer:
        return RecordingMailer()

    @pytest.fixture
    def delivered(self, mailer: RecordingMailer) -> Delivered:
        return lambda: [message.content for message in mailer.messages]
