"""The database has the schema of this release."""

from __future__ import annotations

from reviewinvite_cli.doctor.finding import Finding, failure, ok, unread
from reviewinvite_cli.doctor.patient import Patient

CHECK = "schema"


def check(patient: Patient) -> Finding:
    from reviewinvite_core import ConfigurationError, StorageUnavailable, __version__
    from reviewinvite_core.domain.errors import CopyUnfinished, SchemaTooNew, SchemaTooOld

    try:
        patient.inspection.condition()
    except SchemaTooOld as old:
        return failure(CHECK, str(old).partition(":")[0], "Back up, then run `reviewinvite db migrate`.")
    except SchemaTooNew as new:
        return failure(CHECK, str(new).partition(":")[0], "Install that release or a later one; nothing was changed.")
    except CopyUnfinished as unfinished:
        return failure(CHECK, str(unfinished).partition(":")[0], "Run `reviewinvite db copy` again.")
    except (ConfigurationError, StorageUnavailable) as error:
        return unread(CHECK, error)
    return ok(CHECK, f"that of release {__version__}")
