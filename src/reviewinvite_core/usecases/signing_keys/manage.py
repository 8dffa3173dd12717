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


def current_keys(ctx: UnitContext) -> KeySet:
    """The keys in use; what is missing of them is made, so this wants a unit of work that may change something.

    Two processes that both find none make one pair: only one key can sign (`ports.SigningKeys.add`), and whoever did
    not come to it takes what the other has made.
    """
    return published_keys(ctx) or _completed(ctx)


def published_keys(ctx: UnitContext) -> KeySet | None:
    """The keys in use, where none is missing. Changes nothing, and asks storage once."""
    published = ctx.store.signing_keys.in_use(ctx.now - PUBLISHED_ON)
    signing = [key for key in published if key.state is KeyState.SIGNING]
    standbys = [key for key in published if key.state is KeyState.ANNOUNCED]
    if not signing or not standbys:
        return None
    return KeySet(signing=signing[0], standby=standbys[0], published=published)


def list_keys(ctx: UnitContext) -> Sequence[SigningKey]:
    """All signing keys there ever were, by when they were announced."""
    return ctx.store.signing_keys.every()


def rotate(ctx: UnitContext) -> Rotated:
    """Let the standby sign, retire the key that did, and announce another standby.

    Refused where the standby has not been published for 24 hours: verifiers may not know it.
    """
    ripe_at = current_keys(ctx).standby.ripe_at
    return StandbyTooNew(ripe_at) if ctx.now < ripe_at else rotate_now(ctx)


def rotate_now(ctx: UnitContext) -> KeySet:
    """The same, however new the standby is: for an emergency."""
    _move(ctx, current_keys(ctx).signing, KeyState.RETIRED)
    return current_keys(ctx)


def revoke_key(ctx: UnitContext, key_id: str) -> Withdrawn:
    """Publish a compromised key no more, from now on, and take its place with others where it signed or stood by."""
    known = {key.key_id: key for key in ctx.store.signing_keys.every()}
    key = known.get(key_id)
    if key is None:
        return SigningKeyUnknown(key_id)
    if key.state is KeyState.COMPROMISED:
        return AlreadyCompromised(key_id)
    _move(ctx, key, KeyState.COMPROMISED)
    return current_keys(ctx)


def _completed(ctx: UnitContext) -> KeySet:
    """The keys in use, once what is missing is there: the standby signs where none does, and a new one stands by.

    The key that begins to sign is the one step that only one of several can take; whoever takes it announces the
    standby, too.
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


def _move(ctx: UnitContext, key: SigningKey, to: KeyState) -> None:
    if not ctx.store.signing_keys.change(key, key.moved(to, ctx.now)):
        raise StorageUnavailable("the signing keys are being changed")
