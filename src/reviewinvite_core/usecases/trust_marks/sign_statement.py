"""Sign statements about shops. Spec: §4.4, ADR-24."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.signed_statements import SignedStatement, compact_jws, sign_statement
from reviewinvite_core.domain.statements import Statement
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.reviews.scores import scores_for_shops
from reviewinvite_core.usecases.signing_keys.key_set import current_keys


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
