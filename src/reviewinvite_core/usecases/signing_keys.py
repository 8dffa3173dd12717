"""Publish, rotate and revoke the keys that sign statements. Spec: §7."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.errors import AlreadyCompromised, SigningKeyUnknown, StandbyTooNew, StorageUnavailable
from reviewinvite_core.domain.limits import MINUTE
from reviewinvite_core.domain.sealing import NONCE_BYTES
from reviewinvite_core.domain.signing import SEED_BYTES, KeyState, SigningKey
from reviewinvite_core.domain.statements import LIFE
from reviewinvite_core.execution import read, write
from reviewinvite_core.usecases.context import UnitContext

# How long a retired key stays published. With concurrent units of work, one that began before the rotation was
# committed may still sign with it afterwards; none of them lasts a minute.
PUBLISHED_ON = LIFE + MINUTE


@attrs.frozen(kw_only=True)
class KeySet:
    """The keys in use: the signing key, the standby, and all published keys including these two."""

    signing: SigningKey
    standby: SigningKey
    published: Sequence[SigningKey]


@write()
def current_keys(ctx: UnitContext) -> KeySet:
    """Return the keys in use after creating missing ones; this needs a unit of work that may write.

    If two processes find no keys, only one pair is created: only one key can be signing (`ports.SigningKeys.add`), and
    the process that comes second uses the pair of the first.
    """
    return published_keys(ctx) or _completed(ctx)


@read
def published_keys(ctx: UnitContext) -> KeySet | None:
    """Return the keys in use, or None if one is missing. Uses a single query and changes nothing."""
    published = ctx.store.signing_keys.in_use(ctx.now - PUBLISHED_ON)
    signing = [key for key in published if key.state is KeyState.SIGNING]
    standbys = [key for key in published if key.state is KeyState.ANNOUNCED]
    if not signing or not standbys:
        return None
    return KeySet(signing=signing[0], standby=standbys[0], published=published)


def _completed(ctx: UnitContext) -> KeySet:
    """Return the keys in use after completing them: the standby signs if no key does, and a new standby is announced.

    Only one process can make a key sign; that process also announces the standby.
    """
    found = ctx.store.signing_keys.in_use(ctx.now - PUBLISHED_ON)
    signing = [key for key in found if key.state is KeyState.SIGNING]
    standbys = [key for key in found if key.state is KeyState.ANNOUNCED]
    if signing:
        first = True
    elif standbys:
        first = ctx.store.signing_keys.change(standbys[0], standbys[0].moved(KeyState.SIGNING, ctx.now))
        standbys = standbys[1:]
    else:
        first = ctx.store.signing_keys.add(_new(ctx).moved(KeyState.SIGNING, ctx.now))
    if first and not standbys:
        ctx.store.signing_keys.add(_new(ctx))
    keys = published_keys(ctx)
    if keys is None:
        raise StorageUnavailable("the signing keys are being changed")
    return keys


def _new(ctx: UnitContext) -> SigningKey:
    return SigningKey.announced(ctx.entropy.draw(SEED_BYTES), ctx.entropy.draw(NONCE_BYTES), ctx.ring, ctx.now)


def move_key(ctx: UnitContext, key: SigningKey, to: KeyState) -> None:
    if not ctx.store.signing_keys.change(key, key.moved(to, ctx.now)):
        raise StorageUnavailable("the signing keys are being changed")


@read
def list_keys(ctx: UnitContext) -> Sequence[SigningKey]:
    """Return all signing keys, including retired and compromised ones, by time of announcement."""
    return ctx.store.signing_keys.every()


Revoked: TypeAlias = KeySet | SigningKeyUnknown | AlreadyCompromised


@write()
def revoke_key(ctx: UnitContext, key_id: str) -> Revoked:
    """Stop publishing a compromised key, and replace it if it was signing or the standby; return the keys in use."""
    known = {key.key_id: key for key in ctx.store.signing_keys.every()}
    key = known.get(key_id)
    if key is None:
        return SigningKeyUnknown(key_id)
    if key.state is KeyState.COMPROMISED:
        return AlreadyCompromised(key_id)
    move_key(ctx, key, KeyState.COMPROMISED)
    return current_keys(ctx)


Rotated: TypeAlias = KeySet | StandbyTooNew


@write()
def rotate(ctx: UnitContext) -> Rotated:
    """Sign with the standby, retire the previous key, and announce a new standby.

    Refused if the standby has been published for less than 24 hours, since verifiers may not know it.
    """
    ripe_at = current_keys(ctx).standby.ripe_at
    return StandbyTooNew(ripe_at) if ctx.now < ripe_at else rotate_now(ctx)


@write()
def rotate_now(ctx: UnitContext) -> KeySet:
    """Rotate at once, however new the standby is; for emergencies."""
    move_key(ctx, current_keys(ctx).signing, KeyState.RETIRED)
    return current_keys(ctx)
