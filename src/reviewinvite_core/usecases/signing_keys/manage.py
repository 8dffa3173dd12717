"""The signing keys: one signs, a standby is published beside it, and what was withdrawn is gone. Spec: §4.5, ADR-24."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.errors import AlreadyCompromised, SigningKeyUnknown, StandbyTooNew, StorageUnavailable
from reviewinvite_core.domain.limits import MINUTE
from reviewinvite_core.domain.sealing import NONCE_BYTES
from reviewinvite_core.domain.signing import SEED_BYTES, KeyState, SigningKey
from reviewinvite_core.domain.statements import LIFE
from reviewinvite_core.usecases.context import UnitContext

# For so long a retired key stays published. Where units of work run side by side, one that began before the rotation
# was committed may sign with it after that; none of them lasts a minute.
PUBLISHED_ON = LIFE + MINUTE


@attrs.frozen(kw_only=True)
class KeySet:
    """The keys in use: the one that signs, the standby, and all that are published, these two among them."""

    signing: SigningKey
    standby: SigningKey
    published: Sequence[SigningKey]


Rotated: TypeAlias = KeySet | StandbyTooNew
Withdrawn: TypeAlias = KeySet | SigningKeyUnknown | AlreadyCompromised


def current_keys(work: UnitContext) -> KeySet:
    """The keys in use; what is missing of them is made, so this wants a unit of work that may change something.

    Two processes that both find none make one pair: only one key can sign (`ports.SigningKeys.add`), and whoever did
    not come to it takes what the other has made.
    """
    return published_keys(work) or _completed(work)


def published_keys(work: UnitContext) -> KeySet | None:
    """The keys in use, where none is missing. Changes nothing, and asks storage once."""
    published = work.store.signing_keys.in_use(work.now - PUBLISHED_ON)
    signing = [key for key in published if key.state is KeyState.SIGNING]
    standbys = [key for key in published if key.state is KeyState.ANNOUNCED]
    if not signing or not standbys:
        return None
    return KeySet(signing=signing[0], standby=standbys[0], published=published)


def list_keys(work: UnitContext) -> Sequence[SigningKey]:
    """All signing keys there ever were, by when they were announced."""
    return work.store.signing_keys.every()


def rotate(work: UnitContext) -> Rotated:
    """Let the standby sign, retire the key that did, and announce another standby.

    Refused where the standby has not been published for 24 hours: verifiers may not know it.
    """
    ripe_at = current_keys(work).standby.ripe_at
    return StandbyTooNew(ripe_at) if work.now < ripe_at else rotate_now(work)


def rotate_now(work: UnitContext) -> KeySet:
    """The same, however new the standby is: for an emergency."""
    _move(work, current_keys(work).signing, KeyState.RETIRED)
    return current_keys(work)


def revoke_key(work: UnitContext, key_id: str) -> Withdrawn:
    """Publish a compromised key no more, from now on, and take its place with others where it signed or stood by."""
    known = {key.key_id: key for key in work.store.signing_keys.every()}
    key = known.get(key_id)
    if key is None:
        return SigningKeyUnknown(key_id)
    if key.state is KeyState.COMPROMISED:
        return AlreadyCompromised(key_id)
    _move(work, key, KeyState.COMPROMISED)
    return current_keys(work)


def _completed(work: UnitContext) -> KeySet:
    """The keys in use, once what is missing is there: the standby signs where none does, and a new one stands by.

    The key that begins to sign is the one step that only one of several can take; whoever takes it announces the
    standby, too.
    """
    found = work.store.signing_keys.in_use(work.now - PUBLISHED_ON)
    signing = [key for key in found if key.state is KeyState.SIGNING]
    standbys = [key for key in found if key.state is KeyState.ANNOUNCED]
    if signing:
        first = True
    elif standbys:
        first = work.store.signing_keys.change(standbys[0], standbys[0].moved(KeyState.SIGNING, work.now))
        standbys = standbys[1:]
    else:
        first = work.store.signing_keys.add(_new(work).moved(KeyState.SIGNING, work.now))
    if first and not standbys:
        work.store.signing_keys.add(_new(work))
    keys = published_keys(work)
    if keys is None:
        raise StorageUnavailable("the signing keys are being changed")
    return keys


def _new(work: UnitContext) -> SigningKey:
    return SigningKey.announced(work.entropy.draw(SEED_BYTES), work.entropy.draw(NONCE_BYTES), work.ring, work.now)


def _move(work: UnitContext, key: SigningKey, to: KeyState) -> None:
    if not work.store.signing_keys.change(key, key.moved(to, work.now)):
        raise StorageUnavailable("the signing keys are being changed")
