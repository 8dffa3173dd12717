"""Run the checks side by side, and show what they found; each is given up after its time, and none stops another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from reviewinvite_cli.doctor import database, dns_records, mail, settings, web
from reviewinvite_cli.doctor.checks import Check, Finding, Patient, Status, failed, warned
from reviewinvite_cli.output import safe
from reviewinvite_cli.streams import is_decorated
from reviewinvite_core.admin import unknown_variables
from reviewinvite_core.bootstrap.settings_report import report_settings
from reviewinvite_core.maintenance.inspection import Inspection

if TYPE_CHECKING:
    import dns.resolver

CHECKS = (
    *(settings.check_settings, database.check_secret, database.check_database, database.check_schema),
    *(database.check_mark, database.check_space, database.check_deliveries),
    *(database.check_backups, database.check_purge, web.check_clock),
    *(mail.check_mail, dns_records.check_spf, dns_records.check_dkim, dns_records.check_dmarc),
    *(web.check_base_url, web.check_proxies, web.check_https),
)
COME_LATER = (
    database.check_deliveries,
    database.check_backups,
    database.check_purge,
    web.check_base_url,
    web.check_https,
)
"""What a new installation does not pass: the service and its timers are started after `init`."""

CHECK_SECONDS = 11.0
"""After it a check is given up; with the start of the program, all of them take at most 15 seconds."""

Findings = Mapping[str, Finding]

_MARKS: Mapping[Status, tuple[str, str]] = {
    Status.OK: ("✓", "green"),
    Status.WARNING: ("!", "yellow"),
    Status.FAILURE: ("✗", "bold red"),
}


def patient_of(
    flags: Mapping[str, object],
    environment: Mapping[str, str],
    file: Path | None,
    *,
    new_resolver: Callable[[], dns.resolver.Resolver] = dns_records.system_resolver,
    dkim_selector: str | None = None,
) -> Patient:
    """Return the installation that these sources of settings describe; close its `inspection` when done."""
    report = report_settings(flags, environment=environment, file=file)
    return Patient(
        settings=report.settings,
        faults=report.faults,
        unknown_variables=tuple(unknown_variables(environment)),
        inspection=Inspection(report.settings),
        new_resolver=new_resolver,
        dkim_selector=dkim_selector,
    )


def examine(patient: Patient, checks: Sequence[Check] = CHECKS, *, seconds: float = CHECK_SECONDS) -> Findings:
    """Return what each check found, in their order; one that does not end within `seconds` is a failure."""
    found: dict[str, Finding] = {}
    started = [
        threading.Thread(target=_run, args=(each, patient, found), name=f"check-{each.name}", daemon=True)
        for each in checks
    ]
    until = time.monotonic() + seconds
    for thread in started:
        thread.start()
    for thread in started:
        thread.join(max(0.0, until - time.monotonic()))
    given_up = failed(
        f"no answer within {seconds:.0f} seconds", "Something hangs: the disk, the database or the network."
    )
    return {each.name: found.get(each.name, given_up) for each in checks}


def _run(check: Check, patient: Patient, found: dict[str, Finding]) -> None:
    if missing := patient.missing(*check.needs):
        found[check.name] = warned(f"not checked: {missing} is not valid", f"Correct {missing.upper()} first.")
        return
    try:
        found[check.name] = check(patient)
    except Exception as error:  # its text may contain a secret
        found[check.name] = failed(f"the check itself failed: {type(error).__name__}", "Please report this.")


def as_json(findings: Findings) -> list[dict[str, str | None]]:
    return [
        {"check": name, "status": each.status, "detail": each.detail, "next": each.next}
        for name, each in findings.items()
    ]


def show(findings: Findings) -> None:
    """Print the findings to standard output: a table with marks and colours on a terminal, plain lines elsewhere."""
    if is_decorated():
        _show_table(findings)
        return
    width = max(map(len, findings))
    for name, each in findings.items():
        typer.echo(f"{each.status:<7}  {name:<{width}}  {safe(each.detail)}")
        if each.next:
            typer.echo(f"{'':<7}  {'':<{width}}  -> {safe(each.next)}")


def summary(findings: Findings) -> str:
    """Return how many failures and warnings there are, in words."""
    found = [each.status for each in findings.values()]
    counts = [(found.count(status), status.value) for status in list(Status)[:0:-1]]
    parts = [f"{count} {what}{'' if count == 1 else 's'}" for count, what in counts if count]
    return f"{' and '.join(parts)}." if parts else "All is well."


def _show_table(findings: Findings) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False)
    for _ in range(3):
        table.add_column(overflow="fold")
    for name, each in findings.items():
        mark, style = _MARKS[each.status]
        words = Text(safe(each.detail))
        if each.next:
            words.append(f"\n→ {safe(each.next)}", style="bold")
        table.add_row(Text(mark, style=style), Text(name, style=style), words)
    Console(highlight=False).print(table)
