"""Rotate the secret: seal the key ring under a new one without changing the ring. Spec: §5; ADR-31.

The successor is durable before the ring is sealed under it, and the secret is replaced only after that. So at any
instant both exist, and one of them opens the ring.
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path

import attrs

from reviewinvite_core.domain.errors import (
    ConfigurationError,
    RotationIncomplete,
    SecretChanged,
    SecretWrong,
    StorageUnavailable,
)
from reviewinvite_core.domain.sealing import NONCE_BYTES, KeyRing, Secret
from reviewinvite_core.ports import Entropy, SecretStore, Storage


class RotationRecovery(StrEnum):
    """What happened to an interrupted rotation."""

    NOTHING = "nothing"  # nothing was interrupted
    FINISHED = "finished"
    UNDONE = "undone"


@attrs.frozen(kw_only=True)
class SecretRotation:
    """Result of a rotation.

    `earlier` is what happened to an earlier, interrupted rotation; if it was finished now, no new rotation was started.
    The secret is in `file`; the old one is in `old_file` if we manage the file. `traces` is the reason why the
    database's files may still contain the ring as it was sealed before, or None if they do not.
    """

    file: Path
    old_file: Path | None = None
    earlier: RotationRecovery = RotationRecovery.NOTHING
    traces: str | None = None


def rotate(storage: Storage, store: SecretStore, entropy: Entropy) -> SecretRotation:
    """Seal the key ring under the secret's successor, and make the successor the secret.

    An interrupted rotation is resolved first. All processes keep the ring that they have opened.

    Raises: `SecretMissing`, `SecretWrong`, `ConfigurationError`, `SecretBusy`, `SecretChanged`, `StorageUnavailable`,
    `OSError`, all with nothing changed; `RotationIncomplete`.
    """
    with store.alone():
        recovered = finish_rotation(storage, store, entropy)
        if recovered.earlier is RotationRecovery.FINISHED:
            return recovered
        current = store.current()
        KeyRing.opened(_sealed(storage), current)  # before anything is written
        successor = store.stage()
        try:
            _reseal(storage, current, successor, entropy)
        except StorageUnavailable as fault:
            finished = _finish_after(fault, storage, store, entropy)
            return attrs.evolve(finished, earlier=recovered.earlier)
        except SecretChanged:
            store.discard()
            raise
        return _finished(storage, store, earlier=recovered.earlier)


def finish_rotation(storage: Storage, store: SecretStore, entropy: Entropy) -> SecretRotation:
    """Finish or undo an interrupted rotation; call it inside `SecretStore.alone`.

    Raises: `SecretWrong` if neither secret opens the ring; `StorageUnavailable`, `RotationIncomplete`.
    """
    successor = store.successor()
    if successor is None:
        return SecretRotation(file=store.file)
    while True:
        sealed = _sealed(storage)
        if _opens(sealed, successor):
            return _finished(storage, store, earlier=RotationRecovery.FINISHED)
        # A commit still under way could arrive after the successor is gone. Sealing the ring again under the same
        # secret leaves it nothing to replace.
        current = store.current()
        if _replace(storage, sealed, KeyRing.opened(sealed, current), current, entropy):
            return SecretRotation(
                file=store.file, earlier=RotationRecovery.UNDONE if store.discard() else RotationRecovery.NOTHING
            )


def _finish_after(fault: StorageUnavailable, storage: Storage, store: SecretStore, entropy: Entropy) -> SecretRotation:
    """Find out what a commit with a lost answer did, before removing anything.

    Raises: `fault` if it did nothing; `RotationIncomplete`.
    """
    try:
        recovered = finish_rotation(storage, store, entropy)
    except StorageUnavailable as still:
        raise RotationIncomplete(sealed=None, cause=str(still)) from fault
    if recovered.earlier is not RotationRecovery.FINISHED:
        raise fault
    return recovered


def _reseal(storage: Storage, current: Secret, successor: Secret, entropy: Entropy) -> None:
    """Seal the ring under the successor, if the current secret still opens it.

    Raises: `SecretChanged`, `StorageUnavailable`.
    """
    while True:
        sealed = _sealed(storage)
        try:
            ring = KeyRing.opened(sealed, current)
        except SecretWrong as changed:
            raise SecretChanged from changed
        if _replace(storage, sealed, ring, successor, entropy):
            return


def _finished(storage: Storage, store: SecretStore, *, earlier: RotationRecovery) -> SecretRotation:
    """Complete the rotation of a ring already sealed under the successor, and return its result.

    Raises: `RotationIncomplete`.
    """
    traces = None
    try:
        storage.forget_old_ring()
    except StorageUnavailable as in_the_way:
        traces = str(in_the_way)
    try:
        old_file = store.promote()
    except OSError as error:
        raise RotationIncomplete(sealed=True, cause=error.strerror or type(error).__name__) from error
    return SecretRotation(file=store.file, old_file=old_file, earlier=earlier, traces=traces)


def _sealed(storage: Storage) -> bytes:
    sealed = storage.read(lambda store: store.sealed_key_ring())
    if sealed is None:
        raise ConfigurationError("this database has no key ring yet, so there is no secret to change")
    return sealed


def _replace(storage: Storage, before: bytes, ring: KeyRing, secret: Secret, entropy: Entropy) -> bool:
    after = ring.sealed(secret, entropy.draw(NONCE_BYTES))
    return storage.run(lambda store: store.replace_key_ring(before, after))


def _opens(sealed: bytes, secret: Secret) -> bool:
    try:
        KeyRing.opened(sealed, secret)
    except SecretWrong:
        return False
    return True
