"""The public addresses use https, with a certificate that is valid and stays so for a while."""

from __future__ import annotations

import ssl

from reviewinvite_cli.doctor.finding import Finding, failure, ok, warning
from reviewinvite_cli.doctor.patient import Patient
from reviewinvite_cli.doctor.web import PUBLISH, NoAnswer, UnknownHost, get
from reviewinvite_cli.suspicious_settings import is_loopback
from reviewinvite_core.bootstrap.adapter_factory import machine_time

CHECK = "https"
DAYS_LEFT = 14


def check(patient: Patient) -> Finding:
    settings = patient.settings
    urls = dict.fromkeys((settings.base_url, settings.widget_url, settings.dashboard_url))
    plain = [url for url in urls if not url.startswith("https://")]
    if plain:
        report = warning if all(map(is_loopback, plain)) else failure
        return report(CHECK, f"{', '.join(plain)} is not https: no badge, snippet or one-click opt-out works there",
                      "Put a proxy with TLS in front, and set BASE_URL to https://: see "
                      "docs/how-to/run-behind-a-proxy.md in the source code.")  # fmt: skip
    days: list[tuple[int, str]] = []
    for url in urls:
        try:
            until = get(f"{url.rstrip('/')}/healthz", patient.seconds).certificate_until
        except UnknownHost as error:
            return failure(CHECK, f"{url}: {error}", PUBLISH)
        except NoAnswer as error:
            return failure(CHECK, f"{url}: {error}", "Check the proxy's certificate, and that it listens on port 443.")
        if until:
            days.append((int((ssl.cert_time_to_seconds(until) - machine_time().timestamp()) // 86400), url))
    least, url = min(days, default=(0, ""))
    if days and least < DAYS_LEFT:
        return warning(CHECK, f"the certificate of {url} expires in {_days(least)}", "Check why it was not renewed.")
    return ok(CHECK, f"the certificate is valid for {_days(least)}")


def _days(number: int) -> str:
    return f"{number} day{'' if number == 1 else 's'}"
