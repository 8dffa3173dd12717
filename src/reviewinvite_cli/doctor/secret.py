"""The secret is there, strong, readable by its owner only, and opens the database."""

from __future__ import annotations

from reviewinvite_cli.doctor.finding import Finding, failure, ok, unread, warning
from reviewinvite_cli.doctor.patient import Patient

CHECK = "secret"


def check(patient: Patient) -> Finding:
    from reviewinvite_core import ConfigurationError, StorageUnavailable
    from reviewinvite_core.domain.errors import SecretMissing, SecretWrong

    try:
        place = patient.inspection.secret()
    except SecretMissing as missing:
        return failure(CHECK, str(missing), "Set SECRET_FILE to the file of the secret, or put a copy of it back.")
    except ConfigurationError as unreadable:
        return failure(CHECK, str(unreadable), "Correct SECRET or the file in SECRET_FILE.")
    where = "not there yet" if place is None else f"in {place.file}" if place.file else "given as SECRET"
    try:
        tried = "it opens the database" if patient.inspection.try_secret() else "the database has no keys to try it on"
    except (SecretMissing, SecretWrong) as wrong:
        return failure(CHECK, str(wrong), "Put back the secret that this database was made with, from its own copy.")
    except (ConfigurationError, StorageUnavailable) as error:
        tried = unread(CHECK, error).detail.replace("not checked:", "not tried, as")
        if place is None:
            return warning(CHECK, "there is none yet", "It is created with the database.")
    if place is not None and place.is_weak:
        return failure(CHECK, f"{where}, and easy to guess", "Replace it: `reviewinvite secret rotate`.")
    if place is not None and place.others_can_read:
        return warning(CHECK, f"{where}, and other users can read it", f"Run `chmod 600 {place.file}`.")
    return ok(CHECK, f"{where}; {tried}")
