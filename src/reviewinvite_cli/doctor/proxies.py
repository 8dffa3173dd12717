"""The addresses of clients are known: a proxy in front is named, and nobody else is trusted."""

from __future__ import annotations

from ipaddress import ip_network

from reviewinvite_cli.doctor.finding import Finding, failure, ok, warning
from reviewinvite_cli.doctor.patient import Patient

CHECK = "trusted_proxies"
_MOST = {4: 8, 6: 32}  # a shorter prefix trusts strangers


def check(patient: Patient) -> Finding:
    settings = patient.settings
    networks = [ip_network(each) for each in settings.trusted_proxies.split()]
    wide = [str(each) for each in networks if each.prefixlen < _MOST[each.version]]
    if wide:
        return failure(CHECK, f"{', '.join(wide)} trusts strangers, who can then pretend any address", "Set "
                       "TRUSTED_PROXIES to the addresses of your own proxies.")  # fmt: skip
    if networks:
        return ok(CHECK, f"{', '.join(map(str, networks))}: named; not checked that it is the one that connects")
    if settings.base_url.startswith("https://"):
        return warning(CHECK, "none, but BASE_URL is https, so there is a proxy: all visitors count as one client",
                       "Set TRUSTED_PROXIES to its address, such as 127.0.0.1.")  # fmt: skip
    return ok(CHECK, "none, and BASE_URL needs none")
