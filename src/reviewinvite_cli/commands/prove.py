"""`prove`: kill the service and its mail server under load, and count what became of each order."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.context import GivenOptions, require_http
from reviewinvite_cli.errors import FAILURE, INTERRUPTED
from reviewinvite_cli.options import JsonOption, option
from reviewinvite_cli.output import print_json, tell

if TYPE_CHECKING:
    from reviewinvite_cli.prove.databases import Database
    from reviewinvite_cli.prove.janitor import Janitor
    from reviewinvite_core import Settings

_FULL_SECONDS, _QUICK_SECONDS = 600, 45
_SEEDS = 2**32


def prove(
    context: typer.Context,
    quick: Annotated[bool, typer.Option("--quick", help="One minute in place of ten.")] = False,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--folder", metavar="FOLDER", help="Work in a new folder in FOLDER, not beside the configured database."
        ),
    ] = None,
    database_url: Annotated[
        str | None,
        option(
            "--database-url",
            "URL",
            "Use this PostgreSQL database, which must be empty, in place of a new one on the configured server.",
        ),
    ] = None,
    seed: Annotated[int | None, option("--seed", "N", "Repeat the choices of an earlier trial.", min=0)] = None,
    seconds: Annotated[int | None, typer.Option("--seconds", min=1, hidden=True)] = None,
    json: JsonOption = False,
) -> None:
    """Prove here that nothing is sent twice or lost.

    Reports orders under load to a service and a mail server of its own, which it kills, stops and freezes at random. It
    also fills the disk, and restores a backup. Then it counts what became of each order.

    It never touches your database, mark, secret or mail server: it uses a new SQLite file beside the configured one, or
    a new database on the configured PostgreSQL server, and removes it at the end. Exits with 1 if anything was sent
    twice or lost.
    """
    require_http()
    from reviewinvite_cli.prove.databases import SqliteDatabase
    from reviewinvite_cli.prove.installation import Installation
    from reviewinvite_cli.prove.janitor import Janitor
    from reviewinvite_cli.prove.report import as_json, print_result, shown_progress
    from reviewinvite_cli.prove.run import Result, Trial
    from reviewinvite_cli.prove.small_disk import try_small_disk

    settings = _settings(context)
    seed = int.from_bytes(os.urandom(4)) if seed is None else seed % _SEEDS
    place = folder or _place(settings)
    janitor = Janitor()
    interrupted = False
    try:
        work = Path(tempfile.mkdtemp(prefix="reviewinvite-prove-", dir=place)).absolute()
        janitor.remove_folder(work)
        database = _database(settings, work, janitor, database_url)
        duration = seconds or (_QUICK_SECONDS if quick else _FULL_SECONDS)
        result = Result(seed=seed, engine=database.engine, seconds=duration)
        tell(f"Working in {work}, with seed {seed}; your own database and mail server are not touched.")
        installation = Installation(work, database, seed=seed)
        try:
            with shown_progress() as progress:
                Trial(installation, result, progress).run()
                installation.kill_all()
                if isinstance(database, SqliteDatabase) and not result.problems:
                    result.small_disk = try_small_disk(work / "small", seed, progress)
                    if result.small_disk.why_not:
                        result.not_done.append(f"full disk on a file system of its own: {result.small_disk.why_not}")
        except KeyboardInterrupt:
            interrupted = True
            if result.tally and result.tally.is_complete:
                result.not_done.append("full disk on a file system of its own: interrupted")
        finally:
            installation.close()
    finally:
        janitor.close()
    if json:
        print_json(as_json(result))
    else:
        print_result(result)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if not result.is_good:
        raise typer.Exit(FAILURE)


def _settings(context: typer.Context) -> Settings:
    """Return the configured settings; only their database URL is used, and the database is not opened."""
    from reviewinvite_core import Settings

    given: GivenOptions = context.obj
    return Settings.load({"database_url": given.database_url}, environment=os.environ, file=given.config)


def _place(settings: Settings) -> Path:
    """Return the folder of the configured database, or with PostgreSQL that of the mark: these disks matter."""
    if settings.database_url.startswith("sqlite:"):
        return Path(settings.database_url.partition(":///")[2]).parent
    return settings.handover_mark.parent if settings.handover_mark else Path()


def _database(settings: Settings, work: Path, janitor: Janitor, empty_url: str | None) -> Database:
    from reviewinvite_cli.prove.databases import PostgresDatabase, SqliteDatabase

    if empty_url is not None:
        if not empty_url.startswith(("postgresql://", "postgres://")):
            raise typer.BadParameter(
                "must be a postgresql:// URL; for SQLite use --folder.", param_hint="--database-url"
            )
        return PostgresDatabase(janitor, empty_url=empty_url)
    if settings.database_url.startswith(("sqlite:", "memory:")):
        return SqliteDatabase(work)
    return PostgresDatabase(janitor, server_url=settings.database_url)
