"""The database is there, and answers."""

from __future__ import annotations

from reviewinvite_cli.doctor.finding import Finding, failure, ok
from reviewinvite_cli.doctor.patient import Patient
from reviewinvite_cli.errors import UNLOCK

CHECK = "database"
_PAGE = "docs/how-to/run-with-sqlite.md in the source code"


def check(patient: Patient) -> Finding:
    """Leave what is wrong with its schema to the check of the schema."""
    from reviewinvite_core import ConfigurationError, StorageUnavailable
    from reviewinvite_core.admin import DatabaseDamaged
    from reviewinvite_core.bootstrap.settings_report import without_password
    from reviewinvite_core.domain.errors import (
        CopyUnfinished,
        DatabaseLocked,
        DatabaseMissing,
        SchemaTooNew,
        SchemaTooOld,
    )

    url = without_password(patient.settings.database_url)
    try:
        engine = patient.inspection.condition().engine
        is_checked = patient.inspection.look_for_damage()
    except DatabaseMissing as missing:
        what = str(missing).partition(":")[0]
        return failure(CHECK, what, "Correct DATABASE_URL, or set up a new installation: reviewinvite init.")
    except (SchemaTooNew, SchemaTooOld, CopyUnfinished):
        return ok(CHECK, f"{url} answers")
    except DatabaseDamaged as damaged:
        return failure(CHECK, str(damaged).partition(": `")[0], "Run `reviewinvite db check`, then restore a backup.")
    except ConfigurationError as wrong:
        return failure(CHECK, str(wrong), "Correct DATABASE_URL, or what it names.")
    except DatabaseLocked as locked:
        return failure(CHECK, str(locked), UNLOCK)
    except StorageUnavailable as error:
        return failure(CHECK, f"{url}: {error}", "Check that it runs, and that this user may read and write it.")
    unsound = patient.inspection.unsound_sqlite() if engine == "sqlite" else None
    heeded = f" {unsound}; let no other program write to it, see {_PAGE}" if unsound else ""
    unchecked = "" if is_checked else "; too large to look for damage here: `reviewinvite db check` does"
    return ok(CHECK, f"{url} answers ({engine}{heeded}){unchecked}")
