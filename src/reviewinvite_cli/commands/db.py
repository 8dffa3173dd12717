"""`db`: set up and check the database; what copies it is in `db_copies`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.commands import db_copies
from reviewinvite_cli.context import load_settings, open_application
from reviewinvite_cli.errors import FAILURE
from reviewinvite_cli.output import JsonOption, print_facts, print_json, tell

if TYPE_CHECKING:
    from reviewinvite_core import DatabaseStatistics

app = typer.Typer(
    help="Set up, check, back up, restore and copy the database.", no_args_is_help=True, rich_markup_mode=None
)


@app.command()
def migrate(context: typer.Context, json: JsonOption = False) -> None:
    """Bring the database to this release's schema.

    It is made if there is none.
    """
    from reviewinvite_core import migrate_database

    applied = migrate_database(load_settings(context))
    if json:
        print_json({"applied": list(applied)})
        return
    for name in applied:
        typer.echo(name)
    tell(f"Migrations applied: {len(applied)}." if applied else "The database is up to date.")


@app.command()
def check(
    context: typer.Context,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Also count rows and bytes, if nothing is wrong.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Look for damage, a wrong secret and an older copy.

    It ends with 1 where it finds any.
    """
    from reviewinvite_core import check_database, database_statistics

    settings = load_settings(context)
    problems = check_database(settings)
    counted = database_statistics(settings) if statistics and not problems else None  # what is damaged may not count
    if json:
        print_json({"problems": list(problems)} | ({"statistics": _as_json(counted)} if counted else {}))
    else:
        for problem in problems:
            typer.echo(problem)
        if counted:
            print_facts([*counted.rows.items(), ("bytes", counted.bytes), ("free bytes", counted.free_bytes)])
        tell(f"Problems found: {len(problems)}." if problems else "The database is sound.")
    if problems:
        raise typer.Exit(FAILURE)


def _as_json(counted: DatabaseStatistics) -> dict[str, object]:
    sizes = {"bytes": counted.bytes, "freeBytes": counted.free_bytes}
    return {"engine": counted.engine, **sizes, "rows": dict(counted.rows)}


@app.command()
def recount(context: typer.Context, json: JsonOption = False) -> None:
    """Count all reviews, and mend figures that differ.

    `db check` tells whether there are any.
    """
    with open_application(context) as application:
        mended = application.reviews.recount()
    if json:
        print_json({"mended": list(mended)})
        return
    for site_id in mended:
        typer.echo(site_id)
    tell(f"Shops whose figures were mended: {len(mended)}." if mended else "All figures are what the reviews give.")


@app.command()
def reconcile(context: typer.Context, json: JsonOption = False) -> None:
    """Settle what an older copy cannot know; deliveries go on.

    All that may have been sent since becomes uncertain. Where deliveries are not paused, nothing is done.
    """
    with open_application(context) as application:
        pause = application.delivery.paused()
        uncertain = application.delivery.reconcile()
    if json:
        print_json({"pause": pause, "uncertain": uncertain})
        return
    if pause is None and not uncertain:
        tell("There is nothing to reconcile: this database is not older than what was sent.")
        return
    tell(f"Invitations that may have been sent already, and are uncertain now: {uncertain}. Sending goes on.")
    if uncertain:
        tell(
            "List them with `reviewinvite invitation list --state uncertain`. Look each up in the mail server's log, by"
        )
        tell("its id, and tell what you found: `reviewinvite invitation resolve ID --sent`, or `--resend`.")


app.command()(db_copies.backup)
app.command()(db_copies.restore)
app.command()(db_copies.copy)
