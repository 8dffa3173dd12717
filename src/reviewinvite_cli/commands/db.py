"""`db`: set up and check the database; commands that copy it are in `db_copies`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.commands import db_copies
from reviewinvite_cli.consent import YesOption, ask, require_terminal
from reviewinvite_cli.context import load_settings, open_application
from reviewinvite_cli.errors import FAILURE
from reviewinvite_cli.output import JsonOption, print_facts, print_json, size, tell
from reviewinvite_cli.progress import progress_of

if TYPE_CHECKING:
    from reviewinvite_core.admin import DatabaseStatistics

app = typer.Typer(help="Set up, check, back up, restore and copy the database.", rich_markup_mode=None)


@app.command()
def migrate(context: typer.Context, json: JsonOption = False) -> None:
    """Migrate the database to this release's schema.

    A new or empty database is set up.
    """
    from reviewinvite_core.admin import migrate_database

    settings = load_settings(context)
    with progress_of("Migrating"):
        applied = migrate_database(settings)
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
        bool, typer.Option("--statistics", help="Also print row counts and sizes, if nothing is wrong.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Check for a wrong secret, damage and an older copy.

    Exits with 3 if the secret is wrong, and with 1 if it finds other problems.
    """
    from reviewinvite_core.admin import check_database, database_statistics
    from reviewinvite_core.domain.errors import DAMAGE_ADVICE, MORE_DAMAGE

    settings = load_settings(context)
    with progress_of("Checking"):
        problems = check_database(settings)
    counted = database_statistics(settings) if statistics and not problems else None  # damaged data may not count
    if json:
        print_json({"problems": list(problems)} | ({"statistics": _as_json(counted)} if counted else {}))
    else:
        for problem in problems:
            typer.echo(problem)
        if counted:
            free = None if counted.free_bytes is None else size(counted.free_bytes)
            print_facts([*counted.rows.items(), ("size", size(counted.bytes)), ("free", free)])
        count = len(set(problems) - {DAMAGE_ADVICE, MORE_DAMAGE})
        least = "at least " if MORE_DAMAGE in problems else ""
        tell(f"Problems found: {least}{count}." if problems else "The database is sound.")
    if problems:
        raise typer.Exit(FAILURE)


def _as_json(counted: DatabaseStatistics) -> dict[str, object]:
    sizes = {"bytes": counted.bytes, "freeBytes": counted.free_bytes}
    return {"engine": counted.engine, **sizes, "rows": dict(counted.rows)}


@app.command()
def recount(context: typer.Context, json: JsonOption = False) -> None:
    """Correct the stored figures of shops.

    Counts all reviews and invitations, and corrects figures that differ. `db check` shows whether any do.
    """
    with open_application(context) as application, progress_of("Counting"):
        mended = sorted({*application.reviews.recount(), *application.invitations.recount()})
    if json:
        print_json({"mended": mended})
        return
    for site_id in mended:
        typer.echo(site_id)
    tell(f"Shops whose figures were corrected: {len(mended)}." if mended else "All figures are correct.")


@app.command()
def reconcile(context: typer.Context, yes: YesOption = False, json: JsonOption = False) -> None:
    """Resume deliveries after a database was restored.

    Run it after an older copy of the database was put in place. All invitations that may have been sent since the
    copy was made become uncertain. Does nothing unless deliveries are paused.
    """
    require_terminal(context, yes=yes)
    with open_application(context) as application:
        pause = application.delivery.paused()
        if pause:
            warning = "invitations that may have been sent since the copy become uncertain, and deliveries resume."
            ask(warning, "Reconcile?", yes=yes)
        uncertain = application.delivery.reconcile()
    if json:
        print_json({"pause": pause, "uncertain": uncertain})
        return
    if pause is None and not uncertain:
        tell("Nothing to reconcile: the database is up to date.")
        return
    tell(f"{_uncertain_in_words(uncertain)} Deliveries are no longer paused.")
    tell("If a `reviewinvite worker` has exited, start it again; `serve` resumes by itself.")
    if uncertain:
        tell(
            "To see which: `reviewinvite invitation list --state uncertain`. Look for each id in the mail server's log,"
        )
        tell("then record the result: `reviewinvite invitation resolve ID --sent`, or `--resend`.")
    if uncertain > 1:
        tell("Or all at once: `reviewinvite invitation resolve --all --reason reconciled --sent`, or `--resend`.")


@app.command("finish-upgrade")
def finish_upgrade(context: typer.Context, json: JsonOption = False) -> None:
    """Finish an upgrade on this host.

    Do so once you will not go back. The hand-over mark takes the format of this release, which the last release cannot
    read. Run it on each host.
    """
    _change_mark(context, json=json, back=False, done="It can be read by this release and later ones only.")


@app.command("prepare-rollback")
def prepare_rollback(context: typer.Context, json: JsonOption = False) -> None:
    """Prepare this host for the last release.

    Its hand-over mark becomes readable by that release. Run it on each host with its `serve` and `worker` stopped,
    before you install the last release.
    """
    _change_mark(context, json=json, back=True, done="The last release can read it.")


def _change_mark(context: typer.Context, *, json: bool, back: bool, done: str) -> None:
    from reviewinvite_core.maintenance.database import change_mark_format

    changed = change_mark_format(load_settings(context), back=back)
    if json:
        print_json({"changed": bool(changed), "mark": changed is not None})
    elif changed is None:
        tell("This host has no hand-over mark, so there is nothing to do.")
    else:
        tell(f"The hand-over mark {'was changed' if changed else 'already had this format'}. {done}")


def _uncertain_in_words(count: int) -> str:
    if not count:
        return "No invitation became uncertain."
    invitations, are = ("invitation", "is") if count == 1 else ("invitations", "are")
    return f"{count} {invitations} may already have been sent and {are} now uncertain."


app.command()(db_copies.backup)
app.command()(db_copies.restore)
app.command()(db_copies.copy)
