"""The database is there, and answers."""

from __future__ import annotations

from reviewinvite_cli.doctor.finding import Finding, failure, ok
from reviewinvite_cli.doctor.patient import Patient

CHECK = "database"


def check(patient: Patient) -> Finding:
    """Leave what is wrong with its schema to the check of the schema."""
    from reviewinvite_core import ConfigurationError, DatabaseDamaged, StorageUnavailable
    from reviewinvite_core.bootstrap.settings_report import without_password
    from reviewinvite_core.domain.errors import CopyUnfinished, DatabaseMissing, SchemaTooNew, SchemaTooOld

    url = without_password(patient.settings.database_url)
    try:
        engine = patient.inspection.condition().engine
    except DatabaseMissing as missing:
        what = str(missing).partition(":")[0]
        return failure(CHECK, what, "Correct DATABASE_URL, or set up a new installation: reviewinvite init.")
    except (SchemaTooNew, SchemaTooOld, CopyUnfinished):
        return ok(CHECK, f"{url} answers")
    except DatabaseDamaged as damaged:
        return failure(CHECK, str(damaged).partition(":")[0], "Run `reviewinvite db check`, then restore a backup.")
    except ConfigurationError as wrong:
        return failure(CHECK, str(wrong), "Correct DATABASE_URL, or the server that it names.")
    except StorageUnavailable as error:
        return failure(CHECK, f"{url}: {error}", "Check that it runs, and that this user may read and write it.")
    return ok(CHECK, f"{url} answers ({engine})")
