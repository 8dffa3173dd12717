"""Grant, revoke and verify trust marks, and sign statements. Spec: §7."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from enum import StrEnum
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import OPERATOR
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.limits import Crossed
from reviewinvite_core.domain.policy import VIEW_CACHED_FOR
from reviewinvite_core.domain.refusals import LimitReached, ShopUnknown, TrustMarkStateConflict
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.signed_statements import SignedStatement, compact_jws, sign_statement
from reviewinvite_core.domain.statements import Statement, life_left
from reviewinvite_core.domain.trust_mark import TRANSITIONS, TrustMark
from reviewinvite_core.domain.views import CountMode, view_lock
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.activity import record, who_acts
from reviewinvite_core.usecases.badges import count_views
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.read import scores_for_shops
from reviewinvite_core.usecases.signing_keys import current_keys


def sign_statements(ctx: UnitContext, shops: Sequence[Shop]) -> Mapping[int, SignedStatement]:
    """Return each shop's signed statement, by shop number."""
    key = current_keys(ctx).signing
    return {number: sign_statement(one, key, ctx.ring) for number, one in statements_about(ctx, shops).items()}


def sign_compactly(ctx: UnitContext, shops: Sequence[Shop]) -> Mapping[int, bytes]:
    """Return each shop's statement as compact JWS, by shop number."""
    key = current_keys(ctx).signing
    return {number: compact_jws(one, key, ctx.ring) for number, one in statements_about(ctx, shops).items()}


def statements_about(ctx: UnitContext, shops: Sequence[Shop]) -> Mapping[int, Statement]:
    """Return each shop's statement for the current minute, by shop number."""
    numbers = [shop.number for shop in shops]
    hosts = ctx.store.domains.verified_of(numbers)
    scores = scores_for_shops(ctx, shops)
    return {
        shop.number: Statement.issued(
            site_id=shop.site_id.text,
            name=shop.name,
            domains=tuple(hosts.get(shop.number, ())),
            status=shop.status,
            score=scores[shop.number],
            now=ctx.now,
        )
        for shop in shops
    }


TrustMarkChange: TypeAlias = Shop | ShopUnknown | TrustMarkStateConflict


@write()
def grant_trust_mark(ctx: UnitContext, site_id: str) -> Shop | ShopUnknown:
    """Grant the trust mark, whatever its state, from the next statement on; granting it again changes nothing."""
    shop = ctx.store.shops.by_site_id(site_id)
    return _with_trust_mark(ctx, shop, TrustMark.GRANTED) if shop else ShopUnknown(site_id)


@write()
def revoke_trust_mark(ctx: UnitContext, site_id: str) -> TrustMarkChange:
    """Revoke the trust mark, effective from the next statement; repeating this changes nothing.

    Refused for a shop that never had it.
    """
    shop = ctx.store.shops.by_site_id(site_id)
    if shop is None:
        return ShopUnknown(site_id)
    if TrustMark.REVOKED not in {shop.trust_mark, *TRANSITIONS[shop.trust_mark]}:
        return TrustMarkStateConflict(shop.trust_mark.value)
    return _with_trust_mark(ctx, shop, TrustMark.REVOKED)


def _with_trust_mark(ctx: UnitContext, shop: Shop, trust_mark: TrustMark) -> Shop:
    """Set the trust mark and return the shop; setting the current one changes nothing."""
    if shop.trust_mark is trust_mark:
        return shop
    changed = attrs.evolve(shop, trust_mark=trust_mark)
    ctx.store.shops.change(changed)
    action = Action.TRUST_MARK_GRANTED if trust_mark is TrustMark.GRANTED else Action.TRUST_MARK_REVOKED
    record(ctx, shop, who_acts(ctx, OPERATOR), action)
    return changed


class Form(StrEnum):
    """Form in which a statement and its signature are written."""

    JSON = "json"
    COMPACT_JWS = "compact_jws"


@attrs.frozen(kw_only=True)
class Verified:
    """A signed statement as published, which caches may keep for `max_age`.

    `crossed` are the shares of the day's limit that this view reached; `one_client` and `counted` are as in
    `BadgeShown`.
    """

    document: bytes
    max_age: timedelta
    crossed: Crossed
    one_client: bool = False
    counted: bool = attrs.field(default=True, eq=False, repr=False)


VerifyAnswer: TypeAlias = Verified | ShopUnknown | LimitReached
Request: TypeAlias = tuple[str, Form, CountMode, ClientAddress | None]


def view_locks(site_id: str, *_: object) -> frozenset[int]:
    """Return the lock of the shop's views, which requests of one batch may share (`ports.Batchable`)."""
    return frozenset({view_lock(site_id)})


def verify_trust_marks(ctx: UnitContext, requests: Sequence[Request]) -> Sequence[VerifyAnswer]:
    """Return the answers to many requests, in order (`ports.Batchable`)."""
    shops = ctx.store.shops.named({site_id for site_id, *_ in requests})
    known = [(shops[site_id], form, mode, client) for site_id, form, mode, client in requests if site_id in shops]
    counted = count_views(ctx, [(shop, mode, client) for shop, _, mode, client in known])
    answers = zip(known, counted, strict=True)
    documents = _documents(
        ctx, [(shop, form) for (shop, form, *_), each in answers if not isinstance(each, LimitReached)]
    )
    max_age = min(VIEW_CACHED_FOR, life_left(ctx.now))
    in_order = iter(counted)

    def answer(site_id: str, form: Form) -> VerifyAnswer:
        shop = shops.get(site_id)
        if shop is None:
            return ShopUnknown(site_id)
        view = next(in_order)
        if isinstance(view, LimitReached):
            return view
        document = documents[shop.number, form]
        return Verified(
            document=document, max_age=max_age, crossed=view.crossed, one_client=view.one_client, counted=view.counted
        )

    return [answer(site_id, form) for site_id, form, *_ in requests]


@write(locks=view_locks, batch=verify_trust_marks, shared_locks=view_locks)
def verify_trust_mark(
    ctx: UnitContext, site_id: str, form: Form, count_mode: CountMode, client: ClientAddress | None
) -> VerifyAnswer:
    """Return the signed statement about a shop, even an inactive one or one whose mark is revoked; count a view."""
    return verify_trust_marks(ctx, [(site_id, form, count_mode, client)])[0]


def _documents(ctx: UnitContext, wanted: Sequence[tuple[Shop, Form]]) -> Mapping[tuple[int, Form], bytes]:
    """Return each wanted document, by the shop's number and form."""
    made: dict[tuple[int, Form], bytes] = {}
    plain = {shop.number: shop for shop, form in wanted if form is Form.JSON}
    compact = {shop.number: shop for shop, form in wanted if form is Form.COMPACT_JWS}
    if plain:
        signed = sign_statements(ctx, list(plain.values()))
        made.update({(number, Form.JSON): each.document for number, each in signed.items()})
    if compact:
        signed_compactly = sign_compactly(ctx, list(compact.values()))
        made.update({(number, Form.COMPACT_JWS): each for number, each in signed_compactly.items()})
    return made
