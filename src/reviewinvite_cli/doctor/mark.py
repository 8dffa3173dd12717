"""The hand-over mark is there, can be written, and agrees with the database."""

from __future__ import annotations

import os

from reviewinvite_cli.doctor.finding import Finding, failure, ok, unread
from reviewinvite_cli.doctor.patient import Patient

CHECK = "mark"


def check(patient: Patient) -> Finding:
    from reviewinvite_core import ConfigurationError, StorageUnavailable
    from reviewinvite_core.domain.errors import HighWaterMarkUnreadable

    file = None
    try:
        file = patient.inspection.mark_file()
        pause = patient.inspection.pause()
    except HighWaterMarkUnreadable as wrong:
        return failure(CHECK, str(wrong).partition(":")[0], "Let this user read it; if it is damaged, remove it and "
                       "run `reviewinvite db reconcile`.")  # fmt: skip
    except (ConfigurationError, StorageUnavailable) as error:
        return unread(CHECK, error)
    if pause:
        return failure(CHECK, str(pause).partition("; ")[0], "Run `reviewinvite db reconcile`; see "
                       "docs/how-to/recover-from-an-older-copy.md in the source code.")  # fmt: skip
    if file is None or not file.exists():
        return ok(CHECK, "there is none yet; the first delivery creates it")
    if not os.access(file, os.W_OK):
        return failure(CHECK, f"{file} cannot be written", "Give it to the user that runs the service.")
    if patient.inspection.is_mark_of_last_release():
        return ok(CHECK, f"{file} agrees with the database, and the last release can read it; when you will not go "
                  "back, run `reviewinvite db finish-upgrade`")  # fmt: skip
    return ok(CHECK, f"{file} agrees with the database")
