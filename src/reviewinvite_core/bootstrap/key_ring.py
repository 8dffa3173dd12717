"""The key ring of an installation, and the secret that opens it: found, made, and changed. ADR-6, ADR-31.

Adapters are imported where they are chosen, so that the front door stays light.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from reviewinvite_core.bootstrap.adapter_factory import is_postgres, open_storage, sqlite_path
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.domain.errors import (
    ConfigurationError,
    RotationIncomplete,
    SecretBusy,
    SecretMissing,
    SecretWrong,
    StorageUnavailable,
)
from reviewinvite_core.domain.sealing import KEY_BYTES, NONCE_BYTES, KeyRing, Secret
from reviewinvite_core.ports import Clock, Entropy, HighWaterMarkStore, SecretStore, Storage, Store
from reviewinvite_core.usecases.secret.rotate import RotationRecovery, SecretRotation, finish_rotation, rotate


def open_key_ring(
    storage: Storage, settings: Settings, entropy: Entropy, high_water_mark: HighWaterMarkStore | None = None
) -> KeyRing:
    """The key ring in storage, opened with the secret; made in a new database, and with it the mark of its one host.

    A change of the secret that was broken off is finished or undone, and that is logged.

    Raises: `SecretMissing`, `SecretWrong`, `ConfigurationError`.
    """
    secrets = _secrets(settings)
    if _sealed(storage) is None:
        secrets = secrets or [_new_secret(settings, entropy)]
        made = KeyRing.make(entropy.draw(4 * KEY_BYTES)).sealed(secrets[-1], entropy.draw(NONCE_BYTES))
        host = high_water_mark.make().host if high_water_mark and storage.one_host else None
        storage.run(lambda store: _set_up(store, made, host))
    storage.condition()  # a copy into it may have begun since it was opened
    ring = _opened(lambda: _sealed(storage) or b"", lambda: _secrets(settings) or secrets, settings)
    if is_secret_changing(settings):
        _finish_interrupted_rotation(storage, settings, entropy)
    return ring


def require_right_secret(read: Callable[[], bytes | None], settings: Settings) -> None:
    """Raise unless `read` returns no sealed key ring, or one that the secret opens.

    Raises: `SecretMissing`, `SecretWrong`, `ConfigurationError`.
    """
    if read() is not None:
        _opened(lambda: read() or b"", lambda: _secrets(settings), settings)


def require_shared_secret(settings: Settings) -> None:
    """Raise if several machines can share the database and no secret is given.

    Raises: `SecretMissing`, before anything is read or written.
    """
    if is_postgres(settings.database_url) and not _secrets(settings):
        raise SecretMissing(
            "on PostgreSQL the secret must be given, as secret or secret_file: machines with different secrets would "
            "not recognise each other's orders"
        )


def is_secret_changing(settings: Settings) -> bool:
    """Whether a new secret waits in its file: it is being changed now, or that was broken off."""
    from reviewinvite_core.adapters.secret_file import successor_path

    path = _secret_path(settings)
    return path is not None and successor_path(path).exists()


def earlier_secret(sealed: bytes, settings: Settings) -> Path | None:
    """The file that `rotate_secret` has kept of the secret with which this ring was sealed, where there is one."""
    from reviewinvite_core.adapters.secret_file import earlier_secrets, read_secret

    path = _secret_path(settings)
    for earlier in earlier_secrets(path) if path else ():
        with suppress(ConfigurationError):  # it cannot be read
            secret = read_secret(earlier)
            if secret and _first_that_opens(sealed, [secret]):
                return earlier
    return None


def rotate_secret(
    settings: Settings,
    *,
    new_secret_file: Path | None = None,
    storage: Storage | None = None,
    entropy: Entropy | None = None,
    clock: Clock | None = None,
) -> SecretRotation:
    """Seal the key ring under a new secret; all that the ring protects stands, and nobody needs to be stopped. ADR-31.

    Where the secret is in a file, the new one is made and takes its place; the old one is kept beside it. With
    `new_secret_file` both are the caller's to keep: the new one is in that file, or made there, and nothing else is
    touched. Whatever happens, one of the two opens the database. Processes that run need the new one when they are
    started again.

    Raises: `SecretMissing`, `SecretWrong`, `ConfigurationError`, `SecretBusy`, `SecretChanged`, `StorageUnavailable`,
    `OSError`, all with nothing changed; `RotationIncomplete`.
    """
    from reviewinvite_core.adapters.system import SystemClock, SystemEntropy

    entropy = entropy or SystemEntropy()
    if storage is None and settings.database_url == "memory:":
        raise ConfigurationError("memory: ends with its process, and its secret with it: there is nothing to change")
    require_shared_secret(settings)
    store = _secret_store(settings, new_secret_file, entropy, clock or SystemClock())
    if storage is not None:
        return rotate(storage, store, entropy)
    storage = _open_what_is_there(settings)
    try:
        storage.condition()  # a copy into it may have begun since it was opened
        return rotate(storage, store, entropy)
    finally:
        storage.close()


def _open_what_is_there(settings: Settings) -> Storage:
    url = settings.database_url
    if not is_postgres(url) and not sqlite_path(url).exists():
        message = f"there is no database {sqlite_path(url)}"
        raise ConfigurationError(message)
    return open_storage(url)


def _secret_store(settings: Settings, new_secret_file: Path | None, entropy: Entropy, clock: Clock) -> SecretStore:
    from reviewinvite_core.adapters.secret_file import ExternalSecret, SecretFile

    secrets, path = _secrets(settings), _secret_path(settings)
    if new_secret_file:
        if not secrets:
            raise _missing(settings)
        return ExternalSecret(secrets[-1], new_secret_file, entropy)
    if settings.secret is not None or path is None:
        raise ConfigurationError(
            "the secret is given as SECRET, so it is for you to keep the new one: name the file that holds it, or in "
            "which it is to be made, with --new-secret-file FILE"
        )
    return SecretFile(path, entropy, clock)


def _finish_interrupted_rotation(storage: Storage, settings: Settings, entropy: Entropy) -> None:
    from reviewinvite_core.adapters.log import note_rotation_pending, note_rotation_recovered
    from reviewinvite_core.adapters.secret_file import SecretFile
    from reviewinvite_core.adapters.system import SystemClock

    path = _secret_path(settings)
    if path is None:
        return
    store = SecretFile(path, entropy, SystemClock())
    try:
        with store.alone():
            recovered = finish_rotation(storage, store, entropy)
    except SecretBusy:
        return  # it is being changed at this moment
    except (ConfigurationError, OSError, RotationIncomplete, StorageUnavailable) as error:
        note_rotation_pending(str(path), error)
    else:
        if recovered.earlier is not RotationRecovery.NOTHING:
            note_rotation_recovered(str(path), recovered.earlier)


def _opened(read: Callable[[], bytes], find: Callable[[], list[Secret]], settings: Settings) -> KeyRing:
    """The ring that `read` gives sealed, opened by a secret that `find` gives.

    The ring is looked at before the secrets, and the successor before the secret: so what is seen of a change of the
    secret fits together, unless it is carried out between the two looks. The ring is another one then.
    """
    sealed = read()
    while True:
        secrets = find()
        if not secrets:
            raise _missing(settings)
        ring = _first_that_opens(sealed, secrets)
        if ring:
            return ring
        before, sealed = sealed, read()
        if sealed == before:
            return KeyRing.opened(sealed, secrets[-1])  # it says what is wrong


def _first_that_opens(sealed: bytes, secrets: list[Secret]) -> KeyRing | None:
    for secret in secrets:
        try:
            return KeyRing.opened(sealed, secret)
        except SecretWrong:
            continue
    return None


def _secrets(settings: Settings) -> list[Secret]:
    """The secret, and before it the successor that waits beside it, where one does; none where none is given.

    Raises: `SecretMissing` if a file was named that is not there; `ConfigurationError`.
    """
    from reviewinvite_core.adapters.secret_file import read_secret, successor_path

    if settings.secret is not None:
        return [Secret.parse(settings.secret)]
    path = _secret_path(settings)
    if path is None:
        return []
    found = [read_secret(successor_path(path)), read_secret(path)]
    if found[-1] is None and settings.secret_file:
        message = f"there is no secret in {settings.secret_file}"
        raise SecretMissing(message)
    return [secret for secret in found if secret] if found[-1] else []


def _missing(settings: Settings) -> SecretMissing:
    message = f"this database has a secret: give it as secret or secret_file (looked for {_secret_path(settings)})"
    return SecretMissing(message)


def _sealed(storage: Storage) -> bytes | None:
    return storage.read(lambda store: store.sealed_key_ring())


def _set_up(store: Store, ring: bytes, host: str | None) -> None:
    """Give a new database its ring and its one host, unless another process was first."""
    if store.sealed_key_ring() is None:
        store.keep_key_ring(ring)
        if host:
            store.hosts.register(host)


def _new_secret(settings: Settings, entropy: Entropy) -> Secret:
    from reviewinvite_core.adapters.secret_file import make_secret

    path = _secret_path(settings)
    return make_secret(path, entropy.draw(KEY_BYTES)) if path else Secret(entropy.draw(KEY_BYTES).hex())


def _secret_path(settings: Settings) -> Path | None:
    """Where the secret is, if it is in a file; storage in memory takes a new one each time."""
    if settings.secret_file:
        return settings.secret_file
    if settings.database_url == "memory:" or is_postgres(settings.database_url):
        return None
    database = sqlite_path(settings.database_url)
    return database.with_name(database.name + ".secret")
