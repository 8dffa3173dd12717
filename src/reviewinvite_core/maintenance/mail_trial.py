"""Try the configured way of sending mail, with or without a message. Nothing is stored."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import urlsplit

from reviewinvite_core.adapters.mail.smtp_trial import TRIAL_TIMEOUTS, SmtpTrial, TrialReport, TrialStep
from reviewinvite_core.adapters.mail.smtp_wire import Timeouts
from reviewinvite_core.bootstrap.mailer_factory import open_mailer, smtp_server
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.ports import Accepted, Message

__all__ = ["TrialReport", "TrialStep", "require_mail_url", "send_trial_message", "sends_by_smtp", "try_mail_server"]


def sends_by_smtp(settings: Settings) -> bool:
    """Return whether mail goes to a mail server, rather than to files or nowhere."""
    return settings.mail_url.startswith(("smtp:", "smtps:"))


def require_mail_url(settings: Settings) -> None:
    """Raise unless `mail_url` is valid; nothing is opened.

    Raises: `ConfigurationError`.
    """
    if sends_by_smtp(settings):
        smtp_server(settings)
    elif not settings.mail_url.startswith("outbox:") or settings.mail_url == "outbox:":
        open_mailer(settings)


def try_mail_server(settings: Settings, *, seconds: float) -> TrialReport:
    """Open a session with the mail server and close it; each phase may take `seconds`.

    Raises: `ConfigurationError` if `mail_url` is not valid.
    """
    timeouts = Timeouts(connect=seconds, command=seconds)
    return asyncio.run(SmtpTrial(smtp_server(settings), timeouts).run())


def send_trial_message(settings: Settings, recipient: str) -> TrialReport:
    """Send one test e-mail to an address.

    Raises: `Invalid` if that is not an address; `ConfigurationError`.
    """
    message = _message(settings, recipient)
    if sends_by_smtp(settings):
        return asyncio.run(SmtpTrial(smtp_server(settings), TRIAL_TIMEOUTS).run(message))
    return asyncio.run(_without_server(settings, message))


def _message(settings: Settings, recipient: str) -> Message:
    from reviewinvite_core.adapters.mail.trial_message import trial_message
    from reviewinvite_core.adapters.system import SystemClock, SystemEntropy
    from reviewinvite_core.domain.email_address import EmailAddress

    return trial_message(
        sender=settings.mail_from,
        recipient=EmailAddress.parse(recipient).text,
        base_url=settings.base_url,
        operator=settings.operator_name or urlsplit(settings.base_url).hostname or "reviewinvite",
        test_id=f"test.{SystemEntropy().draw(16).hex()}",
        at=SystemClock().now(),
    )


async def _without_server(settings: Settings, message: Message) -> TrialReport:
    mailer = open_mailer(settings)
    staged = await mailer.stage(message)
    answer = await staged.commit() if hasattr(staged, "commit") else staged
    await mailer.close()
    if isinstance(answer, Accepted):
        kind, _, place = settings.mail_url.partition(":")
        where = f"written to {Path(place) / 'new'}" if kind == "outbox" else "kept in memory"
        return TrialReport(steps=((TrialStep.MESSAGE, f"{where}; it reaches nobody"),))
    cause = getattr(answer, "cause", None) or "OSError"
    return TrialReport(steps=(), failed_at=TrialStep.MESSAGE, failure=cause)
