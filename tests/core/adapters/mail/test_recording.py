"""The mailer that keeps what it is given keeps the contract too."""

from functools import partial

import pytest

from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.ports import AnswerLost, RefusedForNow, Rejected
from reviewinvite_core.testing.mailer_contract import Delivered, MailerContract, Trouble


class TestRecordingMailer(MailerContract):
    @pytest.fixture
    def mailer(self) -> RecordingMailer:
        return RecordingMailer()

    @pytest.fixture
    def delivered(self, mailer: RecordingMailer) -> Delivered:
        return lambda: [message.content for message in mailer.messages]

    @pytest.fixture
    def lose_answer(self, mailer: RecordingMailer) -> Trouble:
        return partial(setattr, mailer, "answer", AnswerLost())

    @pytest.fixture
    def refuse(self, mailer: RecordingMailer) -> Trouble:
        return partial(setattr, mailer, "answer", Rejected())

    @pytest.fixture
    def disconnect(self, mailer: RecordingMailer) -> Trouble:
        return partial(setattr, mailer, "answer", RefusedForNow())
