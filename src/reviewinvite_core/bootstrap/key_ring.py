"""Open or create the key ring of an installation, and find the secret that opens it. ADR-6, ADR-31.

Adapters are imported where they are chosen, so that `import reviewinvite_core` stays fast.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from reviewinvite_core.bootstrap.adapter_factory import is_postgres, open_storage, sqlite_path
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.domain.errors import (
    ConfigurationError,
    DatabaseMissing,
    RotationIncomplete,
    SchemaTooOld,
    SecretBusy,
    SecretMissing,
    SecretWrong,
    StorageUnavailable,
)
from reviewinvite_core.domain.sealing import KEY_BYTES, NONCE_BYTES, KeyRing, Secret
from reviewinvite_core.ports import Entropy, HighWaterMarkStore, Storage, Store
from reviewinvite_core.usecases.secret import RotationRecovery, finish_rotation


def open_key_ring(
    storage: Storage, settings: Settings, entropy: Entropy, high_water_mark: HighWaterMarkStore | None = None
) -> KeyRing:
    """Return the stored key ring, opened with the secret; create one for a new database.

    With it, storage for one host gets its high-water mark.

    If a change of the secret was interrupted, it is finished or undone, and logged.

    A weak secret is refused for a new database, and logged for one that is sealed under it.

    Raises: `SecretMissing`, `SecretWrong`, `ConfigurationError`, `StorageUnavailable`.
    """
    given = secrets = secrets_of(settings)
    is_new = _sealed(storage) is None
    if is_new:
        if given:
            given[-1].require_strong("the secret")
        secrets = secrets or [_new_secret(settings, entropy)]
        made = KeyRing.make(entropy.draw(4 * KEY_BYTES)).sealed(secrets[-1], entropy.draw(NONCE_BYTES))
        host = high_water_mark.make().host if high_water_mark and storage.one_host else None
        storage.run(lambda store: _set_up(store, made, host))
    storage.condition()  # a copy into this database may have begun since it was opened
    ring = _opened(lambda: _sealed(storage) or b"", lambda: secrets_of(settings) or secrets, settings)
    if is_secret_changing(settings):
        _finish_interrupted_rotation(storage, settings, entropy)
    if given and not is_new and given[-1].is_weak:
        from reviewinvite_core.adapters.log import note_weak_secret

        note_weak_secret()
    return ring


def require_right_secret(read: Callable[[], bytes | None], settings: Settings) -> None:
    """Raise unless `read` returns no sealed key ring, or one that the secret opens.

    Raises: `SecretMissing`, `SecretWrong`, `ConfigurationError`.
    """
    if read() is not None:
        _opened(lambda: read() or b"", lambda: secrets_of(settings), settings)


def require_secret_for_new(settings: Settings) -> None:
    """Raise if there is no database yet, or only an empty one, and the secret given must not seal its key ring.

    Raises: `ConfigurationError`, `SecretMissing`, before anything is created; `StorageUnavailable`.
    """
    given = secrets_of(settings)
    if given and given[-1].is_weak and _is_new(settings.database_url):
        given[-1].require_strong("the secret")


def require_shared_secret(settings: Settings) -> None:
    """Raise if several machines can share the database and no secret is given.

    Raises: `SecretMissing`, before anything is read or written.
    """
    if is_postgres(settings.database_url) and not secrets_of(settings):
        raise SecretMissing(
            "on PostgreSQL the secret must be given, as secret or secret_file: machines with different secrets would "
            "not recognise each other's orders"
        )


def is_secret_changing(settings: Settings) -> bool:
    """Return whether a new secret waits in its file: a change is in progress or was interrupted."""
    from reviewinvite_core.adapters.secret_file import successor_path

    path = secret_path(settings)
    return path is not None and successor_path(path).exists()


def is_secret_weak(settings: Settings) -> bool:
    """Return whether the configured secret is easy to guess; False if there is none, or none that can be read."""
    try:
        secrets = secrets_of(settings)
    except ConfigurationError:
        return False
    return bool(secrets) and secrets[-1].is_weak


def earlier_secret(sealed: bytes, settings: Settings) -> Path | None:
    """Return the file in which `rotate_secret` kept the secret that opens this ring, or None."""
    from reviewinvite_core.adapters.secret_file import earlier_secrets, read_secret

    path = secret_path(settings)
    for earlier in earlier_secrets(path) if path else ():
        with suppress(ConfigurationError):  # the file cannot be read
            secret = read_secret(earlier)
            if secret and _first_that_opens(sealed, [secret]):
                return earlier
    return None


def _finish_interrupted_rotation(storage: Storage, settings: Settings, entropy: Entropy) -> None:
    from reviewinvite_core.adapters.log import note_rotation_pending, note_rotation_recovered
    from reviewinvite_core.adapters.secret_file import SecretFile
    from reviewinvite_core.adapters.system import SystemClock

    path = secret_path(settings)
    if path is None:
        return
    store = SecretFile(path, entropy, SystemClock())
    try:
        with store.alone():
            recovered = finish_rotation(storage, store, entropy)
    except SecretBusy:
        return  # a change is in progress
    except (ConfigurationError, OSError, RotationIncomplete, StorageUnavailable) as error:
        note_rotation_pending(str(path), error)
    else:
        if recovered.earlier is not RotationRecovery.NOTHING:
            note_rotation_recovered(str(path), recovered.earlier)


def _opened(read: Callable[[], bytes], find: Callable[[], list[Secret]], settings: Settings) -> KeyRing:
    """Read a sealed key ring with `read`, open it with one of the secrets that `find` returns, and return it.

    The ring is read before the secrets, and the successor before the secret. So they fit together, unless a change of
    the secret is completed in between; in that case the ring is different when it is read a second time.
    """
    sealed = read()
    while True:
        secrets = find()
        if not secrets:
            raise missing_secret(settings)
        ring = _first_that_opens(sealed, secrets)
        if ring:
            return ring
        before, sealed = sealed, read()
        if sealed == before:
            return KeyRing.opened(sealed, secrets[-1])  # raises the error that says what is wrong


def _first_that_opens(sealed: bytes, secrets: list[Secret]) -> KeyRing | None:
    for secret in secrets:
        try:
            return KeyRing.opened(sealed, secret)
        except SecretWrong:
            continue
    return None


def secrets_of(settings: Settings) -> list[Secret]:
    """Return the secret, preceded by its successor if one waits in a file; an empty list if no secret is given.

    Raises: `SecretMissing` if a named file does not exist; `ConfigurationError`.
    """
    from reviewinvite_core.adapters.secret_file import read_secret, successor_path

    if settings.secret is not None:
        return [Secret.parse(settings.secret)]
    path = secret_path(settings)
    if path is None:
        return []
    found = [read_secret(successor_path(path)), read_secret(path)]
    if found[-1] is None and settings.secret_file:
        message = f"there is no secret in {settings.secret_file}"
        raise SecretMissing(message)
    return [secret for secret in found if secret] if found[-1] else []


def _is_new(database_url: str) -> bool:
    try:
        storage = open_storage(database_url, create=False)
    except DatabaseMissing:
        return True
    except SchemaTooOld:
        return False
    try:
        return _sealed(storage) is None
    finally:
        storage.close()


def missing_secret(settings: Settings) -> SecretMissing:
    """Return the error for an installation whose secret is not given."""
    path = secret_path(settings)
    message = "the secret of this database is missing: set secret or secret_file"
    return SecretMissing(f"{message} (there is no file {path})" if path else message)


def _sealed(storage: Storage) -> bytes | None:
    return storage.read(lambda store: store.sealed_key_ring())


def _set_up(store: Store, ring: bytes, host: str | None) -> None:
    """Store the ring and the host of a new database, unless another process was first."""
    if store.sealed_key_ring() is None:
        store.keep_key_ring(ring)
        if host:
            store.hosts.register(host)


def _new_secret(settings: Settings, entropy: Entropy) -> Secret:
    from reviewinvite_core.adapters.secret_file import make_secret

    path = secret_path(settings)
    return make_secret(path, entropy.draw(KEY_BYTES)) if path else Secret(entropy.draw(KEY_BYTES).hex())


def secret_path(settings: Settings) -> Path | None:
    """Return the file of the secret, or None if the secret is not in a file.

    Storage in memory gets a new secret each time.
    """
    if settings.secret_file:
        return settings.secret_file
    if settings.database_url == "memory:" or is_postgres(settings.database_url):
        return None
    database = sqlite_path(settings.database_url)
    return database.with_name(database.name + ".secret")
