"""`doctor`: check the whole installation, and say for each finding what to do next."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from reviewinvite_cli.context import GivenOptions
from reviewinvite_cli.errors import FAILURE, wrong_usage
from reviewinvite_cli.options import JsonOption
from reviewinvite_cli.output import print_json, tell


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
    from reviewinvite_cli.doctor.checks import Status
    from reviewinvite_cli.doctor.dns_records import resolver_at, system_resolver
    from reviewinvite_cli.doctor.examine import as_json, examine, patient_of, show, summary

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
        print_json(as_json(findings))
    else:
        show(findings)
        tell(summary(findings))
    failures = [each.detail for each in findings.values() if each.status is Status.FAILURE]
    if not any("no answer within" in each for each in failures):
        patient.inspection.close()  # otherwise a check may still be using it, and it ends with this process
    if failures:
        raise typer.Exit(FAILURE)
