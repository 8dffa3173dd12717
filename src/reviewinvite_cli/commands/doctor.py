"""`doctor`: check the whole installation, and say for each finding what to do next."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from reviewinvite_cli.context import GivenOptions
from reviewinvite_cli.errors import FAILURE, wrong_usage
from reviewinvite_cli.output import JsonOption, print_json, tell


def doctor(
    context: typer.Context,
    dkim_selector: Annotated[
        str | None,
        typer.Option("--dkim-selector", metavar="NAME", help="The selector that the mail server signs with."),
    ] = None,
    dns_server: Annotated[
        str | None,
        typer.Option(
            "--dns-server", metavar="ADDRESS[:PORT]", help="The name server to ask, instead of this machine's."
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Check the installation.

    It changes nothing, and takes at most 15 seconds. Exits with 1 if there is a failure; warnings do not count.
    Run it as the user that runs the service.
    """
    from reviewinvite_cli.doctor.checks import examine, patient_of
    from reviewinvite_cli.doctor.finding import Status
    from reviewinvite_cli.doctor.records import resolver_at, system_resolver
    from reviewinvite_cli.doctor.report import show, summary

    try:
        new_resolver = resolver_at(dns_server) if dns_server else system_resolver
    except ValueError:
        wrong_usage(context, "must be an IP address, and optionally a port.", "--dns-server")
    given: GivenOptions = context.obj
    patient = patient_of(
        {"database_url": given.database_url},
        os.environ,
        given.config,
        new_resolver=new_resolver,
        dkim_selector=dkim_selector,
    )
    findings = examine(patient)
    if json:
        print_json([{"check": f.check, "status": f.status, "detail": f.detail, "next": f.next} for f in findings])
    else:
        show(findings)
        tell(summary(findings))
    if all(each.status is not Status.FAILURE or "no answer within" not in each.detail for each in findings):
        patient.inspection.close()  # otherwise a check may still be using it, and it ends with this process
    if any(each.status is Status.FAILURE for each in findings):
        raise typer.Exit(FAILURE)
