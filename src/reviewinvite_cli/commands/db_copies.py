"""`db backup`, `db restore` and `db copy`: the database as a file, and on another engine."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.asking import YesOption, ask, require_terminal, url_given
from reviewinvite_cli.context import load_settings, tell_of_waiting
from reviewinvite_cli.errors import FAILURE, print_error, warn
from reviewinvite_cli.job_reports import reported
from reviewinvite_cli.options import JsonOption, argument
from reviewinvite_cli.output import print_json, print_table, size, tell
from reviewinvite_cli.progress import progress_of

if TYPE_CHECKING:
    from reviewinvite_core import Settings


_DECISIONS = {
    "suppressions": "suppressions",
    "withdrawn": "invitations withdrawn",
    "erased": "addresses erased",
    "keys_revoked": "keys revoked",
    "shops_deactivated": "shops deactivated",
    "frequencies_tightened": "frequency rules tightened",
    "snippets_kept": "snippet modes or secrets kept",
    "marks_revoked": "trust marks revoked",
    "signing_keys_withdrawn": "signing keys revoked",
    "domains_unverified": "domains no longer verified",
    "members_removed": "members removed",
    "roles_lowered": "members made staff",
    "reviews": "reviews hidden, withdrawn, erased or changed",
}


def backup(
    context: typer.Context,
    file: Annotated[Path, argument("FILE", "New file for the backup.")],
    json: JsonOption = False,
) -> None:
    """Copy a SQLite database to FILE, even while it is in use.

    FILE is a snapshot in a single file that only its owner can read; it appears complete or not at all. It does not
    contain the secret. For PostgreSQL use its own tools.
    """
    from reviewinvite_core.admin import backup_database
    from reviewinvite_core.domain.jobs import Job

    settings = load_settings(context)
    try:
        is_ours = settings.database_url.startswith("sqlite:")  # other databases have their own tools
        with reported(settings, Job.BACKUP) if is_ours else nullcontext(), progress_of("Backing up") as progress:
            backup_database(settings, file, progress=progress)
    except FileExistsError as error:
        if file.is_dir():
            print_error(f"{file} is a directory; name a file in it.")
        elif str(error.filename) == str(file):
            print_error(f"{file} already exists and will not be overwritten; choose another name.")
        else:
            print_error(
                f"{error.filename} exists: another backup is running, or was interrupted; if interrupted, remove it."
            )
        raise typer.Exit(FAILURE) from None
    copied = file.stat().st_size
    if json:
        print_json({"file": file, "bytes": copied})
        return
    tell(f"Backed up and checked: {file}, {size(copied)}.")
    tell("The backup does not contain the secret, which is needed to read addresses: store a copy of it elsewhere.")


def restore(
    context: typer.Context,
    file: Annotated[Path, argument("FILE", "The backup.")],
    yes: YesOption = False,
    json: JsonOption = False,
) -> None:
    """Replace the SQLite database with the backup in FILE. Stop serve and worker first.

    The replaced database is kept next to it. Later opt-outs, erasures, cancelled and suppressed invitations, revoked
    keys and marks, compromised signing keys, deactivated shops, stricter frequency rules, domains that lost their
    verification and changes to reviews are carried over from it.

    If e-mails were sent that the backup does not know of, deliveries pause until `db reconcile`. Orders reported after
    the backup are lost: if their shops report them again, their customers are invited again.
    """
    from reviewinvite_core.admin import DatabaseInUse, restore_database
    from reviewinvite_core.wire.shape import json_name

    require_terminal(context, yes=yes)
    settings = load_settings(context)
    if file.is_file():  # otherwise the next step says what is wrong
        ask(f"the database is replaced by {file}: orders reported since are lost.", "Restore it?", yes=yes)
    try:
        with progress_of("Restoring") as progress:
            restored = restore_database(settings, file, progress=progress)
    except DatabaseInUse as error:
        print_error(f"{error}. Nothing was changed.")
        raise typer.Exit(FAILURE) from None
    next_step = _next_step(settings)
    if json:
        over = None if restored.carried is None else {json_name(name): n for name, n in restored.carried.items()}
        print_json({"replaced": restored.replaced, "carriedOver": over, "next": next_step})
        return
    tell(f"Restored: {file}.")
    if restored.replaced:
        tell(f"The replaced database is kept as {restored.replaced}.")
        tell("It contains customers' addresses: delete it once you are sure that you do not need it.")
    if restored.carried is not None:
        carried = [f"{_DECISIONS[name]} ({number})" for name, number in restored.carried.items() if number]
        tell(f"Carried over from it: {', '.join(carried) or 'nothing, as no decisions were made since the backup'}.")
    if restored.not_carried_as:
        warn(f"nothing was carried over, because {restored.not_carried_as}.")
        tell("Repeat any opt-outs, erasures, revocations and domain removals made since the backup.")
    if next_step == "db migrate":
        tell("The backup is from an older release: run `reviewinvite db migrate`, then `reviewinvite db check`.")
    if next_step == "db check":
        tell("Deliveries are paused: run `reviewinvite db check` to see why.")
    if next_step == "db reconcile":
        tell(
            "The database may not know of everything that was sent: deliveries are paused until you run "
            "`reviewinvite db reconcile`."
        )


def _next_step(settings: Settings) -> str | None:
    """Return the command that the restored database needs before deliveries, or None."""
    from reviewinvite_core import ConfigurationError, build
    from reviewinvite_core.domain.errors import SchemaTooOld

    try:
        application = build(settings)
    except SchemaTooOld:
        return "db migrate"
    try:
        return "db reconcile" if application.delivery.paused() else None
    except ConfigurationError:  # the mark is damaged
        return "db check"
    finally:
        application.close()


def copy(
    source: Annotated[str, argument("FROM", "The database to copy.", callback=url_given)],
    target: Annotated[str, argument("TO", "An empty database, on any engine.", callback=url_given)],
    json: JsonOption = False,
) -> None:
    """Copy a database into an empty one, and compare all rows.

    Stop serve and worker first. FROM and TO are sqlite:///FILE or postgresql://..., or - for a line of standard input
    each. Nobody can write to FROM during the copy. After an interruption, run it again: it continues where it stopped.
    Until it has succeeded, every other command refuses TO. The secret stays the same.
    """
    from reviewinvite_core.admin import copy_database

    tell_of_waiting()
    with progress_of("Copying and comparing") as progress:
        report = copy_database(source, target, progress=progress)
    if json:
        unequal = [
            {"table": one.table, "key": list(map(_key_part, one.key)), "what": one.what} for one in report.differences
        ]
        print_json({"rows": report.rows, "written": report.written, "differences": unequal})
    else:
        print_table(("TABLE", "ROWS"), list(report.rows.items()))
    for one in report.differences:
        print_error(f"{one.table}/{'/'.join(str(_key_part(part)) for part in one.key)}: {one.what}.")
    if not report.is_good:
        raise typer.Exit(FAILURE)
    if not json:
        tell(f"Rows compared: {sum(report.rows.values())}, all equal. Rows written: {report.written}.")
        tell("The key ring was copied too: TO has the secret of FROM. Set it as SECRET or SECRET_FILE.")


def _key_part(value: object) -> object:
    return value.hex() if isinstance(value, bytes) else value
