"""The settings are valid, and none looks unintended."""

from __future__ import annotations

from reviewinvite_cli.doctor.finding import Finding, failure, ok, warning
from reviewinvite_cli.doctor.patient import Patient
from reviewinvite_cli.suspicious_settings import suspicious_settings

CHECK = "settings"
_SHOW = "`reviewinvite settings show` says where each value comes from"


def check(patient: Patient) -> Finding:
    """Report all faults together, or else all oddities."""
    from reviewinvite_core import ConfigurationError
    from reviewinvite_core.maintenance.mail_trial import require_mail_url

    faults = list(patient.faults.values())
    if not patient.missing("mail_url"):
        try:
            require_mail_url(patient.settings)
        except ConfigurationError as fault:
            faults.append(str(fault))
    if faults:
        return failure(CHECK, "; ".join(faults), f"Correct them: {_SHOW}.")
    odd = [each.removesuffix(".") for each in suspicious_settings(patient.settings)]
    odd += [f"{name} is not a setting and has no effect" for name in patient.unknown_variables]
    notes = []
    if not patient.settings.operator_name:
        notes.append("e-mails and pages name the service by its host: see OPERATOR_NAME")
    if not patient.settings.views_per_client_percent:
        notes.append("one IP address may use up a shop's views of a day: see VIEWS_PER_CLIENT_PERCENT")
    if odd:
        note = f" Note: {'; '.join(notes)}." if notes else ""
        return warning(CHECK, "; ".join(odd), f"Check whether this is intended: {_SHOW}.{note}")
    return ok(CHECK, "; ".join(["valid", *notes]))
