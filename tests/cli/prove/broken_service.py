"""The command `reviewinvite` with a delivery that is broken on purpose: `broken_service.py FAULT serve ...`."""

from __future__ import annotations

import itertools
import sys
from typing import Any

from reviewinvite_cli.main import run
from reviewinvite_core.adapters.mail import smtp_session
from reviewinvite_core.ports import Accepted, RefusedForNow


def resend_after_lost_answers() -> None:
    """Take a lost answer for a refusal, so that the message is sent again."""
    vars(smtp_session)["AnswerLost"] = lambda: RefusedForNow("450 no answer")


def drop_some_messages() -> None:
    """Record every third message as sent without transmitting its end."""
    end = smtp_session.SmtpSession.end
    serial = itertools.count()

    async def end_or_drop(self: smtp_session.SmtpSession) -> Any:
        return (Accepted("250 ok"), False) if next(serial) % 3 == 0 else await end(self)

    smtp_session.SmtpSession.end = end_or_drop  # type: ignore[method-assign]


FAULTS = {"twice": resend_after_lost_answers, "lost": drop_some_messages}

if __name__ == "__main__":
    FAULTS[sys.argv.pop(1)]()
    run()
