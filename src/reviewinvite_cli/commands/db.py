"""`db`: set up, check and copy the database."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from reviewinvite_cli.installation import load_settings, tell_of_waiting
from reviewinvite_cli.output import JsonOption, print_json, print_table, tell
from reviewinvite_cli.refusals import FAILURE, complain

app = typer.Typer(help="Set up, check and copy the database.", no_args_is_help=True, rich_markup_mode=None)


@app.command()
def migrate(context: typer.Context, json: JsonOption = False) -> None:
    """Bring the database to this release's schema, making it if there is none."""
    from reviewinvite_core import migrate_database

    applied = migrate_database(load_settings(context))
    if json:
        print_json({"applied": list(applied)})
        return
    for name in applied:
        typer.echo(name)
    tell(f"Migrations applied: {len(applied)}." if applied else "The database is up to date.")


@app.command()
def check(context: typer.Context, json: JsonOption = False) -> None:
    """Look for damage, and check that the secret opens the database; ends with 1 where something is wrong."""
    from reviewinvite_core import check_database

    problems = check_database(load_settings(context))
    if json:
        print_json({"problems": list(problems)})
    else:
        for problem in problems:
            typer.echo(problem)
        tell(f"Problems found: {len(problems)}." if problems else "The database is sound.")
    if problems:
        raise typer.Exit(FAILURE)


@app.command()
def copy(
    source: Annotated[str, typer.Argument(metavar="FROM", help="The database to copy.", show_default=False)],
    target: Annotated[str, typer.Argument(metavar="TO", help="An empty one, on any engine.", show_default=False)],
    json: JsonOption = False,
) -> None:
    """Copy a database into an empty one, and compare every row. Stop serve and worker first.

    FROM and TO are sqlite:///FILE or postgresql://... Nobody can write to FROM meanwhile. Safe to run again: it goes
    on where it was broken off, and until it has ended well every other command refuses TO. The secret stays the same.
    """
    from reviewinvite_core import copy_database

    tell_of_waiting()
    with _progress() as progress:
        report = copy_database(source, target, progress=progress)
    differences = [
        {"table": one.table, "key": [_shown(value) for value in one.key], "what": one.what}
        for one in report.differences
    ]
    if json:
        print_json(
            {
                "rows": dict(report.rows),
                "written": report.written,
                "differences": differences,
            }
        )
    else:
        print_table(("TABLE", "ROWS"), list(report.rows.items()))
    for one in differences:
        complain(f"{one['table']}/{'/'.join(map(str, one['key']))}: {one['what']}.")
    if not report.is_good:
        raise typer.Exit(FAILURE)
    if not json:
        tell(f"Rows compared: {sum(report.rows.values())}, all the same. Written now: {report.written}.")
        tell("The key ring went along: the secret that opens FROM opens TO. Give it as SECRET or SECRET_FILE.")


@contextmanager
def _progress() -> Iterator[Callable[[int, int], None]]:
    """A progress bar on standard error, where that is a terminal; gives what moves it on."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("Copying and comparing"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def _shown(value: object) -> object:
    return value.hex() if isinstance(value, bytes) else value
