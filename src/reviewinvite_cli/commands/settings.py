"""`settings`: what applies, and where it comes from. Spec: §8, Settings."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from reviewinvite_cli.context import GivenOptions
from reviewinvite_cli.errors import CONFIGURATION, print_error, warn
from reviewinvite_cli.options import JsonOption
from reviewinvite_cli.output import print_json, print_table

app = typer.Typer(help="Show the settings that apply.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def show(
    context: typer.Context,
    changed: Annotated[bool, typer.Option("--changed", help="Leave out settings that have their default.")] = False,
    json: JsonOption = False,
) -> None:
    """Show each setting's value and source.

    The source is an option, a variable, the file, or the default.

    Secrets are masked, and so are the passwords in URLs. Values that are not valid are shown as given; it then exits
    with 3.
    """
    from reviewinvite_core.admin import unknown_variables
    from reviewinvite_core.bootstrap.settings import DEFAULT
    from reviewinvite_core.bootstrap.settings_report import report_settings

    given: GivenOptions = context.obj
    report = report_settings({"database_url": given.database_url}, environment=os.environ, file=given.config)
    shown = [each for each in report.effective if not changed or each.source != DEFAULT]
    if json:
        print_json([{"name": each.name, "value": each.value, "source": each.source} for each in shown])
    else:
        print_table(("SETTING", "VALUE", "SOURCE"), [(each.name, each.value, each.source) for each in shown])
    for name in unknown_variables(os.environ):
        warn(f"{name} is not a setting and has no effect.")
    for fault in report.faults.values():
        print_error(f"{fault}.")
    if report.faults:
        raise typer.Exit(CONFIGURATION)
