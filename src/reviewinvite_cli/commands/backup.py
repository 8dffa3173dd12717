"""`backup`: report backups that other tools make."""

from __future__ import annotations

from typing import Annotated

import typer

from reviewinvite_cli.context import load_settings
from reviewinvite_cli.options import JsonOption, option
from reviewinvite_cli.output import print_json, tell

app = typer.Typer(help="Report backups that other tools make.", rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Keep `record` a subcommand, although it is the only one."""


@app.command()
def record(
    context: typer.Context,
    failed: Annotated[str | None, option("--failed", "REASON", "The backup failed, for this reason.")] = None,
    json: JsonOption = False,
) -> None:
    """Record that a backup was just made, or failed.

    Alerts and `doctor` go by it. Run it after each pg_dump, base backup or snapshot; `db backup` does so by itself. It
    writes to the file that STATE_FILE names, and does not open the database; a SQLite database has to be there.
    """
    from reviewinvite_core.bootstrap.adapter_factory import open_job_log, require_database_file
    from reviewinvite_core.domain.jobs import Job

    settings = load_settings(context)
    require_database_file(settings)
    log = open_job_log(settings)
    log.succeeded(Job.BACKUP) if failed is None else log.failed(Job.BACKUP, failed)
    if json:
        state = log.state(Job.BACKUP)
        print_json({"succeededAt": state.succeeded_at, "failedAt": state.failed_at, "reason": state.reason})
        return
    tell(f"Recorded in {log.file(Job.BACKUP)}: a backup {'was made' if failed is None else 'failed'}.")
