"""Why a mail server could not be used, and what to do about it, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from reviewinvite_core import Settings
    from reviewinvite_core.maintenance.mail_trial import TrialReport

_CAUSES: Mapping[str, str] = {
    "ConnectionRefusedError": "nothing listens there",
    "gaierror": "the host name is not known",
    "TimeoutError": "there was no answer in time",
    "HungUp": "the server closed the connection",
    "ConnectionResetError": "the server closed the connection",
    "StarttlsNotOffered": "the server does not offer TLS",
    "LoginNotOffered": "the server offers no login that is supported",
    "Xoauth2NotOffered": "the server does not offer AUTH XOAUTH2",
    "TokenCommandFailed": "the token command failed",
    "TokenFileUnreadable": "the token file cannot be read",
    "TokenMalformed": "the first line of the token command or file is not a token",
    "TokenTimeout": "there was no access token in time",
    "TokenUnavailable": "there is no access token",
    "ReplyUnreadable": "the answer is not SMTP",
    "SSLError": "the TLS handshake failed",
    "AnswerLost": "there was no answer to the end of the message, which may have been sent",
}


def failure_in_words(report: TrialReport, settings: Settings) -> str:
    """Return what failed, as a clause: the step, the server, the cause and what the server said."""
    server = urlsplit(settings.mail_url)
    place = f"{server.hostname}{f' port {server.port}' if server.port else ''}" if server.hostname else "the outbox"
    name, _, more = report.failure.partition(": ")
    cause = _CAUSES.get(name, report.failure if name[:1].isdigit() else name)
    if more:
        cause = f"the certificate is not valid ({more})"
    if name.startswith("Token"):
        return f"cannot log in at {place}: {cause}"
    said = f'; it said "{report.said}"' if report.said else ""
    what = {
        "connect": f"cannot connect to {place}",
        "tls": f"TLS with {place} failed",
        "login": f"the login at {place} failed",
        "message": f"the e-mail was not accepted at {place}",
    }
    return f"{what[report.failed_at or 'connect']}: {cause}{said}"


def next_step(report: TrialReport, settings: Settings) -> str:
    """Return what to do about the failure, as a sentence."""
    name = report.failure.partition(": ")[0]
    if name.startswith("Token"):
        return "Run the token command by hand as the service's user, or look at the token file."
    by_token = settings.mail_auth == "xoauth2"
    sentences = {
        "connect": "Check host and port in MAIL_URL, and whether a firewall lets this machine reach them.",
        "tls": "Check the port in MAIL_URL: smtps:// is usually 465, and smtp:// with ?starttls=required 587.",
        "login": "Check the user in MAIL_URL, and that the access token is valid for it."
        if by_token
        else "Check user and password in MAIL_URL; some providers ask for an app password.",
        "message": "Check that the server may send from MAIL_FROM for this machine or login.",
    }
    if name == "SSLCertVerificationError":
        return "Use the host name in MAIL_URL for which the certificate was issued, or renew it on the mail server."
    if name in ("LoginNotOffered", "Xoauth2NotOffered") and "starttls=required" not in settings.mail_url:
        return "Many servers offer the login over TLS only: add ?starttls=required to MAIL_URL."
    if name == "Xoauth2NotOffered":
        return "Check host and port in MAIL_URL; if the server accepts a password only, set MAIL_AUTH to password."
    if name == "OSError" or not settings.mail_url.startswith(("smtp:", "smtps:")):
        return "Check that this user may write to the folder in MAIL_URL, and that its disk is not full."
    return sentences[report.failed_at or "connect"]
