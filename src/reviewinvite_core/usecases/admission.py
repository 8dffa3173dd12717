"""Check key, shop and limit before every use case that a shop may call. Spec: §4.1, §4.6 to §4.11, §5."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import attrs

from reviewinvite_core.domain.actor import ActorKind, ref_of
from reviewinvite_core.domain.api_key import Actor, ApiKey, Credential, Operator, SecretKey
from reviewinvite_core.domain.limits import Limit, LimitKey, Remaining, Usage
from reviewinvite_core.domain.members import role_lock
from reviewinvite_core.domain.refusals import KeyRefused, LimitReached, ShopInactive, ShopUnknown
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.execution import read, write
from reviewinvite_core.ports import GLOBAL_LOCK
from reviewinvite_core.usecases.context import Policies, UnitContext


@read
def authenticate(ctx: UnitContext, presented: str) -> Actor | KeyRefused:
    """Return the actor who holds the presented key; a revoked key is refused from the next call on."""
    key = SecretKey.parse(presented)
    holder = holders_of(ctx, [key])[0] if key else KeyRefused(presented=True)
    if isinstance(holder, KeyRefused):
        return holder
    api_key, shop = holder
    return Actor(shop_number=shop.number, site_id=shop.site_id, key_id=api_key.key_id)


def holders_of(ctx: UnitContext, keys: Sequence[SecretKey]) -> Sequence[tuple[ApiKey, Shop] | KeyRefused]:
    """Return, for each key, the stored key and its shop; or a refusal if the key is unknown or revoked."""
    known = ctx.store.api_keys.holders([key.hash for key in keys])
    holders = [known.get(key.hash) for key in keys]
    return [holder if holder and holder[0].revoked_at is None else KeyRefused(presented=True) for holder in holders]


@read
def act_for(ctx: UnitContext, site_id: str) -> Actor | ShopUnknown:
    """Return an actor without a key, vouched for by an operator or an embedding application; no limit applies to it."""
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    return Actor(shop_number=shop.number, site_id=shop.site_id)


def consume_rate_limit(
    ctx: UnitContext, limit: Limit, limit_keys: Sequence[LimitKey]
) -> tuple[Mapping[LimitKey, LimitReached], Mapping[LimitKey, Usage]]:
    """Count one call against the limit of each key; return the refusals, and the use of each limit before the call.

    All keys must be different. A refused call is not counted. Admissions dated later than now, because the clock was
    set back, count for one more window from now on.
    """
    if limit.off:
        return {}, {}
    rate_limit_log = ctx.store.rate_limit_log
    usage = rate_limit_log.usage(limit_keys, limit.count, after=ctx.now - limit.window)
    nth_newest = {limit_key: each.nth_newest for limit_key, each in usage.items() if each.nth_newest}
    refused = {}
    for limit_key, admitted_at in nth_newest.items():
        refusal = limit.refusal(admitted_at, ctx.now)
        if refusal:
            refused[limit_key] = refusal
    ahead = [limit_key for limit_key, admitted_at in nth_newest.items() if admitted_at > ctx.now]
    if ahead:
        rate_limit_log.bring_back(ahead, ctx.now)
    rate_limit_log.admit([limit_key for limit_key in limit_keys if limit_key not in nth_newest], ctx.now)
    full = [limit_key for limit_key in nth_newest if limit_key not in refused]
    rate_limit_log.admit(full, ctx.now, replacing_nth=limit.count)
    return refused, usage


NotAdmitted: TypeAlias = KeyRefused | ShopInactive | LimitReached


@attrs.frozen
class Charge:
    """The limit that a call with a key is charged to: a counter of that key, and the policy that limits it.

    `needs_active_shop` is true if calls for an inactive shop are refused.
    """

    counter: str
    limit: Callable[[Policies], Limit]
    needs_active_shop: bool = True


class Admitted(NamedTuple):
    """A call that may be made: its shop, the id of the key that it was made with, and the limit it is charged to."""

    shop: Shop
    key_id: str | None = None
    limit_key: LimitKey | None = None


ORDER = Charge("orders", lambda policies: policies.orders_per_minute)
CHANGE = Charge("changes", lambda policies: policies.orders_per_minute)  # as many as orders, counted separately
READ = Charge("reads", lambda policies: policies.reads_per_minute, needs_active_shop=False)
RETRACTION = Charge("changes", lambda policies: policies.orders_per_minute, needs_active_shop=False)


def credential_locks(actor: str | Actor | Credential | Operator, *_: object) -> frozenset[int]:
    """Return the lock of a key's limits, or of a member's role; empty for whoever else acts."""
    if isinstance(actor, SecretKey):
        return frozenset({actor.lock})
    if isinstance(actor, Actor) and actor.member_id is not None:
        return frozenset({role_lock(actor.member_id)})
    return frozenset()


def acting_locks(actor: str | Actor | Credential, *_: object) -> frozenset[int]:
    """Return the locks of a change to a shop itself: the global lock, and those of the credential."""
    return GLOBAL_LOCK | credential_locks(actor)


def is_charged(actor: str | Actor | Credential | Operator, *_: object) -> bool:
    """Return whether a call is charged to a limit, so that even a read writes something."""
    return isinstance(actor, SecretKey)


def shop_of(ctx: UnitContext, actor: str | Actor | Credential, charge: Charge) -> Shop | ShopUnknown | NotAdmitted:
    """Return the shop with this site id, or the shop that a credential is for, charged as `admit` does."""
    if isinstance(actor, str):
        return ctx.store.shops.by_site_id(actor) or ShopUnknown(actor)
    return admit(ctx, actor, charge)


def shop_of_reader(ctx: UnitContext, actor: str | Actor | Credential) -> Shop | ShopUnknown | KeyRefused | LimitReached:
    """Return the shop that a read is about, as `shop_of` does; the shop may be inactive."""
    shop = shop_of(ctx, actor, READ)
    assert not isinstance(shop, ShopInactive)  # noqa: S101 - for the type checker
    return shop


def kept_from_keys(actor: str | Actor | Credential) -> KeyRefused | None:
    """Return the refusal if a key acts: a stolen one must not show or change who acts for the shop. Spec: §4.13."""
    by_key = isinstance(actor, SecretKey) or ref_of(actor).kind is ActorKind.API_KEY
    return KeyRefused(presented=True) if by_key else None


def admit(ctx: UnitContext, actor: Actor | Credential, charge: Charge) -> Shop | NotAdmitted:
    """Return the shop that the call acts for, or the refusal; charge the limit of the key, if there is one."""
    admitted = admit_all(ctx, [actor], charge)[0]
    return admitted.shop if isinstance(admitted, Admitted) else admitted


@write(locks=credential_locks, only_if=is_charged)
def charge_change(ctx: UnitContext, actor: Actor | Credential) -> NotAdmitted | None:
    """Charge an actor for a change that cannot be read."""
    admitted = admit(ctx, actor, CHANGE)
    return None if isinstance(admitted, Shop) else admitted


@write(locks=credential_locks, only_if=is_charged)
def charge_read(ctx: UnitContext, actor: Actor | Credential) -> KeyRefused | LimitReached | None:
    """Charge an actor for a query that cannot be read."""
    admitted = admit_reader(ctx, actor)
    return None if isinstance(admitted, Shop) else admitted


def admit_reader(ctx: UnitContext, actor: Actor | Credential) -> Shop | KeyRefused | LimitReached:
    """Return the shop that a read acts for, or the refusal, as `admit` does; the shop may be inactive."""
    shop = admit(ctx, actor, READ)
    assert not isinstance(shop, ShopInactive)  # noqa: S101 - for the type checker
    return shop


def admit_all(
    ctx: UnitContext, actors: Sequence[Actor | Credential], charge: Charge
) -> Sequence[Admitted | NotAdmitted]:
    """Return, for each call, for which shop and by which key it acts, or the refusal. All keys must be different.

    One call and many calls take the same number of statements, except for members, whose roles are checked one by one.
    A refused call does not count against the limit.
    """
    keys = [actor for actor in actors if isinstance(actor, SecretKey)]
    holders = iter(holders_of(ctx, keys) if keys else ())
    numbers = {actor.shop_number for actor in actors if isinstance(actor, Actor)}
    shops = {number: ctx.store.shops.by_number(number) for number in numbers}

    def account(actor: Actor | Credential) -> Admitted | KeyRefused | ShopInactive:
        if isinstance(actor, SecretKey):
            return _charged(next(holders), charge)
        return _trusted(ctx, actor, shops[actor.shop_number], charge)

    accounts = [account(actor) for actor in actors]
    limit_keys = [each.limit_key for each in accounts if isinstance(each, Admitted) and each.limit_key]
    limit = charge.limit(ctx.policies)
    refused, usage = consume_rate_limit(ctx, limit, limit_keys) if limit_keys else ({}, {})
    for actor, each in zip(actors, accounts, strict=True):
        limit_key = each.limit_key if isinstance(each, Admitted) else None
        if limit_key and limit_key in usage and isinstance(actor, SecretKey) and actor.on_charged:
            actor.on_charged(Remaining.after(charge.counter, limit, usage[limit_key], ctx.now))

    def answer(account: Admitted | KeyRefused | ShopInactive) -> Admitted | NotAdmitted:
        if not isinstance(account, Admitted) or account.limit_key is None:
            return account
        return refused.get(account.limit_key, account)

    return [answer(each) for each in accounts]


def _charged(holder: tuple[ApiKey, Shop] | KeyRefused, charge: Charge) -> Admitted | KeyRefused | ShopInactive:
    if isinstance(holder, KeyRefused):
        return holder
    api_key, shop = holder
    if charge.needs_active_shop and not shop.active:
        return ShopInactive()
    return Admitted(shop, api_key.key_id, LimitKey(shop.number, f"{charge.counter}:{api_key.key_id}"))


def _trusted(ctx: UnitContext, actor: Actor, shop: Shop | None, charge: Charge) -> Admitted | KeyRefused | ShopInactive:
    """Return the actor's shop, or a refusal; an actor from another database may have no shop here.

    A member who has lost the role since is refused, as the holder of a revoked key is.
    """
    if actor.member_id is not None:
        role = ctx.store.members.role_of(actor.shop_number, actor.member_id)
        if role is None or not role.includes(actor.role):
            return KeyRefused(presented=True)
    if charge.needs_active_shop and (shop is None or not shop.active):
        return ShopInactive()
    return Admitted(shop, actor.key_id) if shop else KeyRefused(presented=True)
