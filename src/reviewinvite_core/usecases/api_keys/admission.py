"""Check key, shop and limit before every use case that a shop may call. Spec: §4.1, §4.6 to §4.11, §5, ADR-41."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import attrs

from reviewinvite_core.domain.actor import Acting, ActorKind, actor_of
from reviewinvite_core.domain.api_key import ApiKey, Caller, Credential, Operator, SecretKey
from reviewinvite_core.domain.errors import KeyRefused, LimitReached, ShopInactive, ShopUnknown
from reviewinvite_core.domain.limits import Limit, LimitKey, Remaining
from reviewinvite_core.domain.members import role_lock
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.ports import GLOBAL_LOCK
from reviewinvite_core.usecases.api_keys.authentication import holders_of
from reviewinvite_core.usecases.api_keys.rate_limit import consume_rate_limit
from reviewinvite_core.usecases.context import Policies, UnitContext

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


def credential_locks(caller: Acting | Operator, *_: object) -> frozenset[int]:
    """Return the lock of a key's limits, or of a member's role; empty for whoever else acts."""
    if isinstance(caller, SecretKey):
        return frozenset({caller.lock})
    if isinstance(caller, Caller) and caller.member_id is not None:
        return frozenset({role_lock(caller.member_id)})
    return frozenset()


def acting_locks(acting: Acting, *_: object) -> frozenset[int]:
    """Return the locks of a change to a shop itself: the global lock, and those of the credential."""
    return GLOBAL_LOCK | credential_locks(acting)


def is_charged(caller: Acting | Operator, *_: object) -> bool:
    """Return whether a call is charged to a limit, so that even a read writes something."""
    return isinstance(caller, SecretKey)


def shop_of(ctx: UnitContext, acting: Acting, charge: Charge) -> Shop | ShopUnknown | NotAdmitted:
    """Return the shop with this site id, or the shop that a credential is for, charged as `admit` does."""
    if isinstance(acting, str):
        return ctx.store.shops.by_site_id(acting) or ShopUnknown(acting)
    return admit(ctx, acting, charge)


def shop_of_reader(ctx: UnitContext, acting: Acting) -> Shop | ShopUnknown | KeyRefused | LimitReached:
    """Return the shop that a read is about, as `shop_of` does; the shop may be inactive."""
    shop = shop_of(ctx, acting, READ)
    assert not isinstance(shop, ShopInactive)  # noqa: S101 - for the type checker
    return shop


def kept_from_keys(acting: Acting) -> KeyRefused | None:
    """Return the refusal if a key acts: a stolen one must not show or change who acts for the shop. Spec: §4.13."""
    by_key = isinstance(acting, SecretKey) or actor_of(acting).kind is ActorKind.API_KEY
    return KeyRefused(presented=True) if by_key else None


def admit(ctx: UnitContext, caller: Credential, charge: Charge) -> Shop | NotAdmitted:
    """Return the shop that the call acts for, or the refusal; charge the limit of the key, if there is one."""
    admitted = admit_all(ctx, [caller], charge)[0]
    return admitted.shop if isinstance(admitted, Admitted) else admitted


def admit_reader(ctx: UnitContext, caller: Credential) -> Shop | KeyRefused | LimitReached:
    """Return the shop that a read acts for, or the refusal, as `admit` does; the shop may be inactive."""
    shop = admit(ctx, caller, READ)
    assert not isinstance(shop, ShopInactive)  # noqa: S101 - for the type checker
    return shop


def admit_all(ctx: UnitContext, callers: Sequence[Credential], charge: Charge) -> Sequence[Admitted | NotAdmitted]:
    """Return, for each call, for which shop and by which key it acts, or the refusal. All keys must be different.

    One call and many calls take the same number of statements, except for members, whose roles are checked one by one.
    A refused call does not count against the limit.
    """
    keys = [caller for caller in callers if isinstance(caller, SecretKey)]
    holders = iter(holders_of(ctx, keys) if keys else ())
    numbers = {caller.shop_number for caller in callers if isinstance(caller, Caller)}
    shops = {number: ctx.store.shops.by_number(number) for number in numbers}

    def account(caller: Credential) -> Admitted | KeyRefused | ShopInactive:
        if isinstance(caller, SecretKey):
            return _charged(next(holders), charge)
        return _trusted(ctx, caller, shops[caller.shop_number], charge)

    accounts = [account(caller) for caller in callers]
    limit_keys = [each.limit_key for each in accounts if isinstance(each, Admitted) and each.limit_key]
    limit = charge.limit(ctx.policies)
    refused, usage = consume_rate_limit(ctx, limit, limit_keys) if limit_keys else ({}, {})
    for caller, each in zip(callers, accounts, strict=True):
        limit_key = each.limit_key if isinstance(each, Admitted) else None
        if limit_key and limit_key in usage and isinstance(caller, SecretKey) and caller.on_charged:
            caller.on_charged(Remaining.after(charge.counter, limit, usage[limit_key], ctx.now))

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


def _trusted(
    ctx: UnitContext, caller: Caller, shop: Shop | None, charge: Charge
) -> Admitted | KeyRefused | ShopInactive:
    """Return the caller's shop, or a refusal; a caller from another database may have no shop here.

    A member who has lost the role since is refused, as the holder of a revoked key is.
    """
    if caller.member_id is not None:
        role = ctx.store.members.role_of(caller.shop_number, caller.member_id)
        if role is None or not role.includes(caller.role):
            return KeyRefused(presented=True)
    if charge.needs_active_shop and (shop is None or not shop.active):
        return ShopInactive()
    return Admitted(shop, caller.key_id) if shop else KeyRefused(presented=True)
