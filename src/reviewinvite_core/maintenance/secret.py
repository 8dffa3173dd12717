"""Rotate the secret of an installation. ADR-31.

Adapters are imported where they are chosen, so that `import reviewinvite_core` stays fast.
"""

from __future__ import annotations

from pathlib import Path

from reviewinvite_core.bootstrap.adapter_factory import open_storage
from reviewinvite_core.bootstrap.key_ring import missing_secret, require_shared_secret, secret_path, secrets_of
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.ports import Clock, Entropy, SecretStore, Storage
from reviewinvite_core.usecases.secret import SecretRotation, rotate


def rotate_secret(
    settings: Settings,
    *,
    new_secret_file: Path | None = None,
    storage: Storage | None = None,
    entropy: Entropy | None = None,
    clock: Clock | None = None,
) -> SecretRotation:
    """Seal the key ring under a new secret; its keys stay the same, and nothing needs to be stopped. ADR-31.

    If the secret is in a file, a new secret is created in its place, and the old one is kept next to it. With
    `new_secret_file` the caller keeps both: the new secret is read from that file, or created there, and no other file
    changes. At any moment one of the two secrets opens the database. Running processes need the new secret at their
    next start.

    Raises: `SecretMissing`, `SecretWrong`, `ConfigurationError`, `SecretBusy`, `SecretChanged`, `StorageUnavailable`,
    `OSError`, all with nothing changed; `RotationIncomplete`.
    """
    from reviewinvite_core.adapters.system import SystemClock, SystemEntropy

    entropy = entropy or SystemEntropy()
    if storage is None and settings.database_url == "memory:":
        raise ConfigurationError("a database in memory has no secret to rotate")
    require_shared_secret(settings)
    store = _secret_store(settings, new_secret_file, entropy, clock or SystemClock())
    if storage is not None:
        return rotate(storage, store, entropy)
    storage = open_storage(settings.database_url, create=False)
    try:
        storage.condition()  # a copy into this database may have begun since it was opened
        return rotate(storage, store, entropy)
    finally:
        storage.close()


def _secret_store(settings: Settings, new_secret_file: Path | None, entropy: Entropy, clock: Clock) -> SecretStore:
    from reviewinvite_core.adapters.secret_file import ExternalSecret, SecretFile

    secrets, path = secrets_of(settings), secret_path(settings)
    if new_secret_file:
        if not secrets:
            raise missing_secret(settings)
        return ExternalSecret(secrets[-1], new_secret_file, entropy)
    if settings.secret is not None or path is None:
        raise ConfigurationError(
            "SECRET cannot be changed from here: name a file for the new secret with --new-secret-file FILE (it is "
            "read if it exists, or else created), then set SECRET to its content"
        )
    return SecretFile(path, entropy, clock)
