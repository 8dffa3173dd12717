"""The keys in use: one signs, and a standby is published beside it. Spec: §4.5, ADR-24."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from reviewinvite_core.domain.errors import StorageUnavailable
from reviewinvite_core.domain.limits import MINUTE
from reviewinvite_core.domain.sealing import NONCE_BYTES
from reviewinvite_core.domain.signing import SEED_BYTES, KeyState, SigningKey
from reviewinvite_core.domain.statements import LIFE
from reviewinvite_core.execution import read, write
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


@write()
def current_keys(ctx: UnitContext) -> KeySet:
    """The keys in use; what is missing of them is made, so this wants a unit of work that may change something.

    Two processes that both find none make one pair: only one key can sign (`ports.SigningKeys.add`), and whoever did
    not come to it takes what the other has made.
    """
    return published_keys(ctx) or _completed(ctx)


@read
def published_keys(ctx: UnitContext) -> KeySet | None:
    """The keys in use, where none is missing. Changes nothing, and asks storage once."""
    published = ctx.store.signing_keys.in_use(ctx.now - PUBLISHED_ON)
    signing = [key for key in published if key.state is KeyState.SIGNING]
    standbys = [key for key in published if key.state is KeyState.ANNOUNCED]
    if not signing or not standbys:
        return None
    return KeySet(signing=signing[0], standby=standbys[0], published=published)


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


def move_key(ctx: UnitContext, key: SigningKey, to: KeyState) -> None:
    if not ctx.store.signing_keys.change(key, key.moved(to, ctx.now)):
        raise StorageUnavailable("the signing keys are being changed")
