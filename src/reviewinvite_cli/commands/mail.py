"""`mail`: try the way in which e-mails are sent. Spec: §6."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from reviewinvite_cli.context import load_settings
from reviewinvite_cli.errors import FAILURE, print_error
from reviewinvite_cli.output import JsonOption, print_facts, print_json, tell

app = typer.Typer(help="Try the way in which e-mails are sent.", no_args_is_help=True, rich_markup_mode=None)

STANDARD_INPUT = "-"
LONGEST_LINE = 1000
_STEPS = {"connect": "Connected", "tls": "TLS", "login": "Login", "message": "E-mail"}


@app.command("test")
def send_test(
    context: typer.Context,
    address: Annotated[
        str,
        typer.Argument(
            metavar="EMAIL", help="Where to send it; - reads the address from standard input.", show_default=False
        ),
    ],
    json: JsonOption = False,
) -> None:
    """Send one test e-mail.

    It shows what the mail server says at each step. The e-mail goes through MAIL_URL from MAIL_FROM, as invitations do.
    The database is not used, and nothing is stored.
    """
    from reviewinvite_cli.doctor.mail_words import failure_in_words, next_step
    from reviewinvite_core.maintenance.mail_trial import send_trial_message, sends_by_smtp

    given = sys.stdin.readline(LONGEST_LINE).strip() if address == STANDARD_INPUT else address
    settings = load_settings(context)
    report = send_trial_message(settings, given)
    if json:
        steps = [{"step": step, "said": said} for step, said in report.steps]
        failure = failure_in_words(report, settings) if report.failed_at else None
        step = next_step(report, settings) if report.failed_at else None
        print_json({"sent": report.failed_at is None, "steps": steps, "failure": failure, "next": step})
    elif report.steps:
        print_facts([(_STEPS[step], said) for step, said in report.steps])
    if report.failed_at is None:
        if not json and sends_by_smtp(settings):
            tell("Sent. If it does not arrive, look among the spam, and run `reviewinvite doctor`.")
        return
    if not json:
        print_error(f"{failure_in_words(report, settings)}.")
        tell(next_step(report, settings))
    raise typer.Exit(FAILURE)
