"""There is room on the disk for the database to grow."""

from __future__ import annotations

from reviewinvite_cli.doctor.finding import Finding, failure, ok, warning
from reviewinvite_cli.doctor.patient import Patient
from reviewinvite_cli.output import size

CHECK = "space"
LEAST, ENOUGH = 64 << 20, 1 << 30  # bytes


def check(patient: Patient) -> Finding:
    try:
        space = patient.inspection.space()
    except OSError as error:
        return failure(CHECK, f"{error.filename}: {error.strerror}", "Create the folder, or correct DATABASE_URL.")
    if space is None:
        return ok(CHECK, "the database's disk is not on this machine: watch it on the server")
    text = f"{size(space.free)} free for {space.file}, which has {size(space.database)}"
    if space.free < LEAST:
        return failure(CHECK, text, "Make room, or move the database; until then, orders may be refused with 503.")
    if space.free < max(ENOUGH, 2 * space.database):
        return warning(CHECK, text, "Make room: `privacy purge` and a backup need as much as the database has.")
    return ok(CHECK, text)
