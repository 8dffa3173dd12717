"""The mail server can be reached, over TLS, and accepts the login."""

from __future__ import annotations

from reviewinvite_cli.doctor.finding import Finding, failure, ok, warning
from reviewinvite_cli.doctor.mail_words import failure_in_words, next_step
from reviewinvite_cli.doctor.patient import Patient

CHECK = "mail"


def check(patient: Patient) -> Finding:
    """Open a session as deliveries do, and send nothing: `mail test` does that."""
    from reviewinvite_core import ConfigurationError
    from reviewinvite_core.maintenance.mail_trial import TrialStep, sends_by_smtp, try_mail_server

    if not sends_by_smtp(patient.settings):
        return warning(CHECK, f"{patient.settings.mail_url.partition(':')[0]}: no e-mail reaches anybody", "Set "
                       "MAIL_URL to your mail server: see docs/how-to/send-e-mail.md in the source code.")  # fmt: skip
    try:
        report = try_mail_server(patient.settings, seconds=patient.seconds)
    except ConfigurationError as wrong:
        return failure(CHECK, str(wrong), "Correct MAIL_URL: see docs/how-to/send-e-mail.md in the source code.")
    if report.failed_at:
        return failure(CHECK, failure_in_words(report, patient.settings), next_step(report, patient.settings))
    said = dict(report.steps)
    text = f"{said[TrialStep.CONNECT].partition(':')[0]}; {said[TrialStep.TLS]}; login {said[TrialStep.LOGIN]}"
    if said[TrialStep.TLS] == "not encrypted":
        return (
            ok(CHECK, text)
            if _is_local(patient)
            else warning(
                CHECK,
                f"{text}: whoever is on the way can read the e-mails",
                "Let the mail server offer STARTTLS, or use smtps://.",
            )
        )
    return ok(CHECK, text)


def _is_local(patient: Patient) -> bool:
    from reviewinvite_cli.suspicious_settings import is_loopback

    return is_loopback(patient.settings.mail_url)
