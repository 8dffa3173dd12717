"""Settings that are not valid, or that look unintended in an installation that serves or delivers."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from reviewinvite_cli.doctor.checks import Finding, Patient, check, failed, passed, warned
from reviewinvite_cli.errors import warn
from reviewinvite_core import ConfigurationError, Settings

_SHOW = "`reviewinvite settings show` says where each value comes from"


@check("settings")
def check_settings(patient: Patient) -> Finding:
    """Check that the settings are valid, and that none looks unintended; tell all faults, or else all oddities."""
    from reviewinvite_core.maintenance.mail_trial import require_mail_url

    faults = list(patient.faults.values())
    if not patient.missing("mail_url"):
        try:
            require_mail_url(patient.settings)
        except ConfigurationError as fault:
            faults.append(str(fault))
    if faults:
        return failed("; ".join(faults), f"Correct them: {_SHOW}.")
    odd = [each.removesuffix(".") for each in suspicious_settings(patient.settings)]
    odd += [f"{name} is not a setting and has no effect" for name in patient.unknown_variables]
    notes = []
    if not patient.settings.operator_name:
        notes.append("e-mails and pages name the service by its host: see OPERATOR_NAME")
    if not patient.settings.views_per_client_percent:
        notes.append("one IP address may use up a shop's views of a day: see VIEWS_PER_CLIENT_PERCENT")
    if odd:
        note = f" Note: {'; '.join(notes)}." if notes else ""
        return warned("; ".join(odd), f"Check whether this is intended: {_SHOW}.{note}")
    return passed("; ".join(["valid", *notes]))


def warn_of_suspicious_settings(settings: Settings) -> None:
    """Warn about settings that look unintended when deliveries start."""
    for oddity in suspicious_settings(settings):
        warn(oddity)


def suspicious_settings(settings: Settings, *, served_at: str | None = None, assumed: str | None = None) -> list[str]:
    """Return one sentence for each setting that looks unintended in an installation that delivers mail.

    `served_at` is the address at which this process listens, if it does, and `assumed` is the `base_url` of commands
    that do not listen.
    """
    found = []
    if settings.database_url == "memory:":
        found.append("database_url is memory:, so all orders are lost when this process ends.")
    if settings.mail_url.startswith("outbox:"):
        found.append("mail_url is an outbox, so invitations are written to files and reach no customer.")
    sends = settings.mail_url.startswith(("smtp:", "smtps:"))
    if sends and settings.mail_from.endswith("@localhost"):
        found.append(f"mail_from is {settings.mail_from}, which other mail servers refuse: set it to your address.")
    found += _about_base_url(settings.base_url, served_at, assumed, sends=sends)
    if sends and settings.widget_url.startswith("http://") and settings.base_url.startswith("https://"):
        found.append(f"widget_url is {settings.widget_url}: badges need https://, as shops' pages have it.")
    if sends and settings.dashboard_url.startswith("http://") and settings.base_url.startswith("https://"):
        found.append(f"dashboard_url is {settings.dashboard_url}: signing in needs https://.")
    return found


def _about_base_url(url: str, served_at: str | None, assumed: str | None, *, sends: bool) -> list[str]:
    """Return warnings about this `base_url`; none if it is https, because it is then taken to be a proxy's."""
    found: list[str] = []
    if url.startswith("https://"):
        return found
    if served_at and not _leads_to(url, served_at):
        leads_to, listens_on = urlsplit(url).netloc, urlsplit(served_at).netloc
        found.append(
            f"base_url leads to {leads_to}, but this process listens on {listens_on}: links work only if a proxy "
            "forwards them."
        )
    if sends:
        where = "links in invitations open on this machine only, and " if is_loopback(url) else ""
        found.append(f"base_url is {url}: {where}badges, the snippet and one-click opt-out need https://.")
    elif assumed not in (None, url):
        found.append(
            "base_url is not set: links use the address of this process, but `worker`, `badge embed` and `snippet "
            "embed` assume port 8000."
        )
    return found


def openable(address: str) -> str:
    """Return an address at which a browser on this machine reaches a service that listens on `address`."""
    return address.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")


def is_loopback(url: str) -> bool:
    """Return whether a URL opens on this machine only."""
    host = urlsplit(url).hostname or ""
    return host == "localhost" or (_is_ip(host) and ip_address(host).is_loopback)


def _leads_to(url: str, served_at: str) -> bool:
    """Return whether an http:// URL can lead to this address; a host name may be that of any machine."""
    host, served = urlsplit(url).hostname or "", urlsplit(served_at)
    if (urlsplit(url).port or 80) != served.port:
        return False
    listens_on = ip_address(served.hostname or "")
    if listens_on.is_unspecified or not (_is_ip(host) or host == "localhost"):
        return True
    return listens_on.is_loopback if is_loopback(url) else listens_on == ip_address(host)


def _is_ip(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
