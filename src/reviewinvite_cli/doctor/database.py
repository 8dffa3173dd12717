"""Check the database, its secret, schema, mark and disk, the deliveries, and the operator's timers."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import timedelta

from reviewinvite_cli.doctor.checks import Finding, Patient, Status, check, failed, passed, warned
from reviewinvite_cli.errors import UNLOCK
from reviewinvite_cli.output import size
from reviewinvite_cli.times import span
from reviewinvite_core import ConfigurationError, StorageUnavailable, __version__
from reviewinvite_core.admin import DatabaseDamaged
from reviewinvite_core.bootstrap.adapter_factory import machine_time
from reviewinvite_core.bootstrap.settings_report import without_password
from reviewinvite_core.domain.errors import (
    CopyUnfinished,
    DatabaseLocked,
    DatabaseMissing,
    HighWaterMarkUnreadable,
    SchemaTooNew,
    SchemaTooOld,
    SecretMissing,
    SecretWrong,
)
from reviewinvite_core.domain.jobs import Job
from reviewinvite_core.maintenance.inspection import DeliveryFigures

LEAST_SPACE, ENOUGH_SPACE = 64 << 20, 1 << 30  # bytes
LONG = timedelta(hours=1)
FEWEST_REJECTED, REJECTED_PERCENT = 5, 5

_STORAGE = ("database_url", "secret", "secret_file", "handover_mark")
_CANNOT_BE_READ = (ConfigurationError, StorageUnavailable)
_SQLITE_PAGE = "docs/how-to/run-with-sqlite.md in the source code"
_ALERT_PAGE = "see docs/how-to/act-on-an-alert.md in the source code."


def _unread(error: Exception) -> Finding:
    """Return the finding of a check that needs the database, and could not read it because of this error."""
    if isinstance(error, CopyUnfinished | SchemaTooNew | SchemaTooOld):
        return warned("not checked: the database has another schema", "See the check of the schema.")
    return warned("not checked: the database cannot be read", "See the check of the database.")


@check("secret", needs=_STORAGE)
def check_secret(patient: Patient) -> Finding:
    """Check that the secret is there, strong, readable by its owner only, and opens the database."""
    try:
        place = patient.inspection.secret()
    except SecretMissing as missing:
        return failed(str(missing), "Set SECRET_FILE to the file of the secret, or put a copy of it back.")
    except ConfigurationError as unreadable:
        return failed(str(unreadable), "Correct SECRET or the file in SECRET_FILE.")
    where = "not there yet" if place is None else f"in {place.file}" if place.file else "given as SECRET"
    try:
        tried = "it opens the database" if patient.inspection.try_secret() else "the database has no keys to try it on"
    except (SecretMissing, SecretWrong) as wrong:
        return failed(str(wrong), "Put back the secret that this database was made with, from its own copy.")
    except _CANNOT_BE_READ as error:
        tried = _unread(error).detail.replace("not checked:", "not tried, as")
        if place is None:
            return warned("there is none yet", "It is created with the database.")
    if place is not None and place.is_weak:
        return failed(f"{where}, and easy to guess", "Replace it: `reviewinvite secret rotate`.")
    if place is not None and place.others_can_read:
        return warned(f"{where}, and other users can read it", f"Run `chmod 600 {place.file}`.")
    return passed(f"{where}; {tried}")


@check("database", needs=_STORAGE)
def check_database(patient: Patient) -> Finding:
    """Check that the database is there, and answers; leave what is wrong with its schema to the next check."""
    url = without_password(patient.settings.database_url)
    try:
        engine = patient.inspection.condition().engine
        is_checked = patient.inspection.look_for_damage()
    except DatabaseMissing as missing:
        what = str(missing).partition(":")[0]
        return failed(what, "Correct DATABASE_URL, or set up a new installation: reviewinvite init.")
    except (SchemaTooNew, SchemaTooOld, CopyUnfinished):
        return passed(f"{url} answers")
    except DatabaseDamaged as damaged:
        return failed(str(damaged).partition(": `")[0], "Run `reviewinvite db check`, then restore a backup.")
    except ConfigurationError as wrong:
        return failed(str(wrong), "Correct DATABASE_URL, or what it names.")
    except DatabaseLocked as locked:
        return failed(str(locked), UNLOCK)
    except StorageUnavailable as error:
        return failed(f"{url}: {error}", "Check that it runs, and that this user may read and write it.")
    unsound = patient.inspection.unsound_sqlite() if engine == "sqlite" else None
    heeded = f" {unsound}; let no other program write to it, see {_SQLITE_PAGE}" if unsound else ""
    unchecked = "" if is_checked else "; too large to look for damage here: `reviewinvite db check` does"
    return passed(f"{url} answers ({engine}{heeded}){unchecked}")


@check("schema", needs=_STORAGE)
def check_schema(patient: Patient) -> Finding:
    """Check that the database has the schema of this release."""
    try:
        patient.inspection.condition()
    except SchemaTooOld as old:
        return failed(str(old).partition(":")[0], "Back up, then run `reviewinvite db migrate`.")
    except SchemaTooNew as new:
        return failed(str(new).partition(":")[0], "Install that release or a later one; nothing was changed.")
    except CopyUnfinished as unfinished:
        return failed(str(unfinished).partition(":")[0], "Run `reviewinvite db copy` again.")
    except _CANNOT_BE_READ as error:
        return _unread(error)
    return passed(f"that of release {__version__}")


@check("mark", needs=_STORAGE)
def check_mark(patient: Patient) -> Finding:
    """Check that the hand-over mark is there, can be written, and agrees with the database."""
    try:
        file = patient.inspection.mark_file()
        pause = patient.inspection.pause()
    except HighWaterMarkUnreadable as wrong:
        then = "Let this user read it; if it is damaged, remove it and run `reviewinvite db reconcile`."
        return failed(str(wrong).partition(":")[0], then)
    except _CANNOT_BE_READ as error:
        return _unread(error)
    if pause:
        page = "docs/how-to/recover-from-an-older-copy.md in the source code"
        return failed(str(pause).partition("; ")[0], f"Run `reviewinvite db reconcile`; see {page}.")
    if file is None or not file.exists():
        return passed("there is none yet; the first delivery creates it")
    if not os.access(file, os.W_OK):
        return failed(f"{file} cannot be written", "Give it to the user that runs the service.")
    if patient.inspection.is_mark_of_last_release():
        until = "when you will not go back, run `reviewinvite db finish-upgrade`"
        return passed(f"{file} agrees with the database, and the last release can read it; {until}")
    return passed(f"{file} agrees with the database")


@check("space", needs=_STORAGE)
def check_space(patient: Patient) -> Finding:
    """Check that there is room on the disk for the database to grow."""
    try:
        space = patient.inspection.space()
    except OSError as error:
        return failed(f"{error.filename}: {error.strerror}", "Create the folder, or correct DATABASE_URL.")
    if space is None:
        return passed("the database's disk is not on this machine: watch it on the server")
    text = f"{size(space.free)} free for {space.file}, which has {size(space.database)}"
    if space.free < LEAST_SPACE:
        return failed(text, "Make room, or move the database; until then, orders may be refused with 503.")
    if space.free < max(ENOUGH_SPACE, 2 * space.database):
        return warned(text, "Make room: `privacy purge` and a backup need as much as the database has.")
    return passed(text)


@check("deliveries", needs=_STORAGE)
def check_deliveries(patient: Patient) -> Finding:
    """Check that deliveries go on; name everything that is wrong, and what to do about the worst of it."""
    try:
        figures = patient.inspection.deliveries()
    except _CANNOT_BE_READ as error:
        return _unread(error)
    troubles = list(_troubles(figures))
    if not troubles:
        waiting = f"{figures.backlog.due:,} due" if figures.backlog.due else "nothing is late"
        return passed(f"{waiting}; workers: {figures.workers}")
    worst = max(troubles, key=lambda each: list(Status).index(each.status))
    return Finding(worst.status, "; ".join(each.detail for each in troubles), worst.next)


def _troubles(figures: DeliveryFigures) -> Iterator[Finding]:
    """Yield each trouble with what to do, the most urgent first."""
    backlog = figures.backlog
    listed = "`reviewinvite invitation list --state"
    if not figures.workers:
        yield (failed if backlog.due + backlog.waiting_retry else warned)(
            "no worker delivers", "Start `reviewinvite serve` or `reviewinvite worker`; the log says why it ended."
        )
    if backlog.relay_refuses:
        yield failed(
            "the mail server refuses all mail, so one is tried at a time",
            f"Look at the replies: {listed} scheduled`; {_ALERT_PAGE}",
        )
    if backlog.oldest_first_due > LONG:
        yield failed(
            f"the oldest invitation was due {span(backlog.oldest_first_due)} ago",
            f"Run `reviewinvite mail test ADDRESS`, and {_ALERT_PAGE}",
        )
    if backlog.waiting_retry:
        yield warned(
            f"{backlog.waiting_retry:,} tried in vain and waiting to be tried again",
            f"Look at the reasons: {listed} scheduled`; {_ALERT_PAGE}",
        )
    if figures.rejected >= FEWEST_REJECTED and figures.rejected * 100 > REJECTED_PERCENT * figures.sent:
        yield warned(
            f"{figures.rejected:,} refused since Monday of last week, and {figures.sent:,} sent",
            f"Look at the reasons: {listed} rejected`; {_ALERT_PAGE}",
        )
    if figures.silent:
        yield warned(
            f"workers without a sign of life for 2 minutes: {figures.silent}",
            f"Start them again, or wait a day until they are forgotten; {_ALERT_PAGE}",
        )
    if backlog.stuck:
        yield warned(
            f"{backlog.stuck:,} held by a worker for more than 5 minutes",
            f"They are freed or become uncertain when LEASE_SECONDS have passed; {_ALERT_PAGE}",
        )
    if backlog.uncertain:
        yield warned(f"{backlog.uncertain:,} uncertain", f"Decide: {listed} uncertain`, then `invitation resolve`.")


@check("backups", needs=("database_url", "state_file"))
def check_backups(patient: Patient) -> Finding:
    """Check that the last backup succeeded, and not long ago."""
    how = "Back up (`db backup`, or another tool and then `backup record`)"
    return _last_run(patient, Job.BACKUP, f"{how}; see docs/how-to/back-up-and-restore.md in the source code.")


@check("purge", needs=("database_url", "state_file"))
def check_purge(patient: Patient) -> Finding:
    """Check that the last purge succeeded, and not long ago."""
    how = "Run `reviewinvite privacy purge` every day"
    return _last_run(patient, Job.PURGE, f"{how}; see docs/how-to/answer-privacy-requests.md in the source code.")


def _last_run(patient: Patient, job: Job, how: str) -> Finding:
    log = patient.inspection.job_log()
    if log.base is None:
        return passed("not needed: the database is in memory")
    try:
        state = log.state(job)
    except ConfigurationError as error:
        return failed(str(error), "Let this user read it, or remove it; the next run writes it again.")
    age = state.age(machine_time())
    last = f"no {job} is known"
    if age is not None and state.succeeded_at:
        last = f"the last {job} succeeded {span(age)} ago"
    if state.has_failed:
        return failed(f"{state.reason or 'it failed'}; {last}", f"Mend that, then run it again. {how}")
    if age is not None and age > job.stale_after:
        return failed(last, how)
    return passed(last) if state.succeeded_at else warned(last, how)
