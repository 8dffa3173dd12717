"""Report orders from customers' browsers. Spec: §4.2."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import Enum, auto
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.api_key import Actor, Credential
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.frequency import Recipient
from reviewinvite_core.domain.limits import Crossed, LimitKey, crossings, day_of
from reviewinvite_core.domain.orders import OrderResult, SnippetReport, order_lock, person_hash, person_lock
from reviewinvite_core.domain.origins import all_covering, covering, host_of_origin
from reviewinvite_core.domain.provenance import OPEN_SNIPPET, SIGNED_SNIPPET, Provenance
from reviewinvite_core.domain.refusals import (
    KeyRefused,
    LimitReached,
    OriginForeign,
    ShopInactive,
    ShopUnknown,
    SignatureRefused,
    SnippetOff,
)
from reviewinvite_core.domain.sealing import KeyRing, SnippetSecretDecryptionError
from reviewinvite_core.domain.shop import Shop, shop_lock
from reviewinvite_core.domain.snippets import SnippetMode, SnippetSignature
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.admission import consume_rate_limit, credential_locks, is_charged, shop_of_reader
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.orders.report import NewOrder, schedule_invitations

WRONG_SIGNATURES = "wrong_signatures"


class _Signed(Enum):
    UNSIGNED = auto()
    VALID = auto()
    WRONG = auto()


def check_signatures(
    ctx: UnitContext, reports: Sequence[tuple[Shop, SnippetReport]]
) -> Sequence[Provenance | SnippetOff | SignatureRefused]:
    """Return for each report its provenance, which a valid signature confirms, or why the shop does not take it.

    Wrong signatures are counted by shop and day, and a shop's first valid one is noted. Nothing is written for a report
    without a signature, nor for a later valid one.
    """
    checked = [(shop, _signed(ctx.ring, shop, report)) for shop, report in reports]
    wrong = Counter(shop.number for shop, signed in checked if signed is _Signed.WRONG)
    counts = {LimitKey(number, WRONG_SIGNATURES): wrong[number] for number in sorted(wrong)}
    ctx.store.daily_counters.count(counts, day_of(ctx.now))
    first = {shop.number for shop, signed in checked if signed is _Signed.VALID and shop.snippet_signed_at is None}
    ctx.store.shops.note_snippets_signed(first, ctx.now)
    return [_answer(shop, signed) for shop, signed in checked]


def _signed(ring: KeyRing, shop: Shop, report: SnippetReport) -> _Signed:
    """Return how a report is signed; a shop that is off has nothing checked."""
    if report.signature is None or shop.snippet is SnippetMode.OFF:
        return _Signed.UNSIGNED
    valid = any(_is_keyed_with(ring, report.signature, sealed) for sealed in shop.snippet_secrets)
    return _Signed.VALID if valid else _Signed.WRONG


def _is_keyed_with(ring: KeyRing, signature: SnippetSignature, sealed: bytes) -> bool:
    """Return whether a signature was made with a sealed secret; one that cannot be opened makes none valid."""
    try:
        return signature.is_keyed_with(ring.open_snippet_secret(sealed))
    except SnippetSecretDecryptionError:
        return False


def _answer(shop: Shop, signed: _Signed) -> Provenance | SnippetOff | SignatureRefused:
    if shop.snippet is SnippetMode.OFF:
        return SnippetOff()
    if shop.snippet is SnippetMode.SIGNED and signed is not _Signed.VALID:
        return SignatureRefused()
    return SIGNED_SNIPPET if signed is _Signed.VALID else OPEN_SNIPPET


NO_SHOP = 0
SNIPPET_QUOTA = "snippets"
NEW = frozenset({OrderResult.CREATED, OrderResult.SUPPRESSED})


@attrs.frozen
class Acknowledged:
    """The report was accepted. It does not say whether the order is new, repeated or dropped. Spec: §4.2.

    `crossed` are the shares of the shop's daily quota that were reached, and `result` is what became of the report:
    for the operator's log and metrics. Do not pass them on.
    """

    ok: bool = True
    crossed: Crossed = attrs.field(default=(), eq=False, repr=False)
    result: OrderResult = attrs.field(default=OrderResult.CREATED, eq=False, repr=False)


_NotTaken: TypeAlias = OriginForeign | ShopInactive | SnippetOff | SignatureRefused
SnippetAnswer: TypeAlias = Acknowledged | Invalid | _NotTaken | LimitReached
Request: TypeAlias = tuple[ClientAddress, str | None, SnippetReport | Invalid]


def snippet_locks(client: ClientAddress, _: str | None, report: SnippetReport | Invalid) -> frozenset[int]:
    """Return the exclusive locks of a request: the client's limit, the order, and the caps on the person."""
    if isinstance(report, Invalid):
        return frozenset({client.lock})
    return frozenset({client.lock, order_lock(report.order), person_lock(report.order.email)})


def shared_locks(_: ClientAddress, __: str | None, report: SnippetReport | Invalid) -> frozenset[int]:
    """Return the locks that batched requests may share: the shop's, whose daily quota they consume together."""
    return frozenset() if isinstance(report, Invalid) else frozenset({shop_lock(report.site_id)})


def report_snippets(ctx: UnitContext, requests: Sequence[Request]) -> Sequence[SnippetAnswer]:
    """Return the answer to each request; no two share a client, an order or a person."""
    limit_keys = [LimitKey(NO_SHOP, f"snippets:{client.hash(ctx.ring.address).hex()}") for client, _, _ in requests]
    refused, _ = consume_rate_limit(ctx, ctx.policies.snippets_per_minute, limit_keys)
    admitted = [request for request, limit_key in zip(requests, limit_keys, strict=True) if limit_key not in refused]
    answers = iter(_answers(ctx, admitted))
    return [refused.get(limit_key) or next(answers) for limit_key in limit_keys]


@write(locks=snippet_locks, batch=report_snippets, shared_locks=shared_locks)
def report_snippet(
    ctx: UnitContext, client: ClientAddress, origin: str | None, report: SnippetReport | Invalid
) -> SnippetAnswer:
    """Consume the client's limit, check origin, shop and signature, then report the order if the shop's day has room.

    `origin` is the whole `Origin` header of the request.
    """
    return report_snippets(ctx, [(client, origin, report)])[0]


def _answers(ctx: UnitContext, requests: Sequence[Request]) -> Sequence[SnippetAnswer]:
    """Return the answers to requests that their clients' limits have admitted."""
    reports = [(origin, report) for _, origin, report in requests if isinstance(report, SnippetReport)]
    taken = iter(_orders(ctx, reports))
    asked = [report if isinstance(report, Invalid) else next(taken) for _, _, report in requests]
    orders = [
        (client, order) for (client, _, _), order in zip(requests, asked, strict=True) if isinstance(order, NewOrder)
    ]
    reported = iter(_within_shares(ctx, orders))
    return [next(reported) if isinstance(each, NewOrder) else each for each in asked]


def _orders(ctx: UnitContext, reports: Sequence[tuple[str | None, SnippetReport]]) -> Sequence[NewOrder | _NotTaken]:
    """Return the order of each report that its shop takes from browsers, or why it does not."""
    shops = _shops(ctx, reports)
    own = [(shop, report) for shop, (_, report) in zip(shops, reports, strict=True) if isinstance(shop, Shop)]
    checked = iter(check_signatures(ctx, own))

    def order(shop: Shop | OriginForeign | ShopInactive, report: SnippetReport) -> NewOrder | _NotTaken:
        if not isinstance(shop, Shop):
            return shop
        found = next(checked)
        return NewOrder(shop, report.order, found) if isinstance(found, Provenance) else found

    return [order(shop, report) for shop, (_, report) in zip(shops, reports, strict=True)]


def _shops(
    ctx: UnitContext, reports: Sequence[tuple[str | None, SnippetReport]]
) -> Sequence[Shop | OriginForeign | ShopInactive]:
    """Return the shop of each report if the origin is one of its hosts; an unknown shop has no hosts."""
    hosts = [host_of_origin(origin) for origin, _ in reports]
    holders = ctx.store.domains.holders(all_covering(host for host in hosts if host))
    known = ctx.store.shops.named({report.site_id.text for _, report in reports})

    def shop_of(host: str | None, site_id: str) -> Shop | OriginForeign | ShopInactive:
        shop = known.get(site_id)
        if shop is None or host is None or shop.number not in {holders.get(each) for each in covering(host)}:
            return OriginForeign()
        return shop if shop.active else ShopInactive()

    return [shop_of(host, report.site_id.text) for host, (_, report) in zip(hosts, reports, strict=True)]


def _within_shares(
    ctx: UnitContext, orders: Sequence[tuple[ClientAddress, NewOrder]]
) -> Sequence[Acknowledged | LimitReached]:
    """Report each order if its client's share of the shop's day has room; all accepted ones count, also repeats."""
    share, day = ctx.policies.snippets_per_client, day_of(ctx.now)
    if share.off:
        return _below_quotas(ctx, [order for _, order in orders])
    clients = [
        (ctx.client_counts.of(LimitKey(order.shop.number, SNIPPET_QUOTA), day), client.customer.hash(ctx.ring.address))
        for client, order in orders
    ]
    ahead: Counter[tuple[int, bytes]] = Counter()  # of the same customer and shop in this batch
    refusals = []
    for (counts, client), (_, order) in zip(clients, orders, strict=True):
        refusals.append(share.refusal(counts.count(client) + ahead[order.shop.number, client], ctx.now))
        ahead[order.shop.number, client] += 1
    fit = [order for (_, order), refusal in zip(orders, refusals, strict=True) if refusal is None]
    reported = iter(_below_quotas(ctx, fit))
    answers = [refusal or next(reported) for refusal in refusals]
    for (counts, client), answer in zip(clients, answers, strict=True):
        if isinstance(answer, Acknowledged):
            counts.add(client)
    return answers


def _below_quotas(ctx: UnitContext, orders: Sequence[NewOrder]) -> Sequence[Acknowledged | LimitReached]:
    """Report each order if its shop's daily quota has room; a new order counts against the quota.

    A shop's orders are stored together if the quota has room for all of them, even if all are new; otherwise one by
    one.
    """
    quota = ctx.policies.snippets_per_day
    if quota.off:
        return [Acknowledged(result=result) for result in _report_and_count(ctx, orders)]
    asked = Counter(order.shop.number for order in orders)
    counted = Counter(_counted(ctx, asked))
    crossed: dict[int, Crossed] = {}
    results: dict[int, OrderResult] = {}  # by the identity of the order

    def report(orders: Sequence[NewOrder]) -> None:
        became = _report_and_count(ctx, orders)
        results.update(zip(map(id, orders), became, strict=True))
        for shop, new in _new_of(orders, became).items():
            numbers = range(counted[shop] + 1, counted[shop] + new + 1)
            crossed[shop] = tuple(each for nth in numbers for each in crossings(quota, nth))
            counted[shop] += new

    def answer(order: NewOrder) -> Acknowledged | LimitReached:
        shop = order.shop.number
        if shop not in fit:
            refusal = quota.refusal(counted[shop], ctx.now)
            if refusal:
                return refusal
            report([order])
        return Acknowledged(crossed=crossed.pop(shop, ()), result=results[id(order)])

    fit = {shop for shop, count in asked.items() if counted[shop] + count <= quota.count}
    report([order for order in orders if order.shop.number in fit])
    return [answer(order) for order in orders]


def _counted(ctx: UnitContext, shops: Collection[int]) -> Mapping[int, int]:
    """Return the number of new orders counted today, by shop number."""
    limit_keys = [LimitKey(shop, SNIPPET_QUOTA) for shop in shops]
    counted = ctx.store.daily_counters.counted(limit_keys, day_of(ctx.now))
    return {limit_key.shop_number: count for limit_key, count in counted.items()}


def _report_and_count(ctx: UnitContext, orders: Sequence[NewOrder]) -> Sequence[OrderResult]:
    """Report all orders and count the new ones; return what became of each."""
    results = _report(ctx, orders)
    new = _new_of(orders, results)
    ctx.store.daily_counters.count(
        {LimitKey(shop, SNIPPET_QUOTA): count for shop, count in new.items()}, day_of(ctx.now)
    )
    return results


def _new_of(orders: Sequence[NewOrder], results: Sequence[OrderResult]) -> Mapping[int, int]:
    """Return the number of new orders, by shop number."""
    return Counter(order.shop.number for order, result in zip(orders, results, strict=True) if result in NEW)


def _report(ctx: UnitContext, orders: Sequence[NewOrder]) -> Sequence[OrderResult]:
    """Schedule the invitations of all orders within the caps of their people; return what became of each.

    An order over a cap is dropped without a trace, so that the orders API may report it later.
    """
    below_caps = _below_caps(ctx, orders)
    reported = schedule_invitations(ctx, below_caps)
    results = {id(order): each.result for order, each in zip(below_caps, reported, strict=True)}
    counted = [each for each in below_caps if not each.provenance.confirmed and results[id(each)] in NEW]
    ctx.store.snippet_reports.count([_person(ctx, each) for each in counted], ctx.now)
    return [results.get(id(order), OrderResult.DROPPED) for order in orders]


def _below_caps(ctx: UnitContext, orders: Sequence[NewOrder]) -> Sequence[NewOrder]:
    """Return the orders whose person is below both caps on reports of browsers in 24 hours: at the shop, and at all.

    Signed ones are neither capped nor counted: a stranger cannot make them up.

    Reports dated more than a day ahead came from a clock that was ahead, so they do not count. Otherwise later orders
    would be dropped silently until that date. No two orders have the same person.
    """
    at_shop, everywhere = ctx.policies.snippets_per_recipient, ctx.policies.snippets_per_person
    if at_shop.off and everywhere.off:
        return orders
    people = [_person(ctx, order) for order in orders]
    counts = ctx.store.snippet_reports.counted(people, ctx.now - at_shop.window, ctx.now + at_shop.window)

    def fits(order: NewOrder, person: Recipient) -> bool:
        counted_at_shop, counted = counts.get(person, (0, 0))
        within = at_shop.has_room(counted_at_shop) and everywhere.has_room(counted)
        return order.provenance.confirmed or within

    return [order for order, person in zip(orders, people, strict=True) if fits(order, person)]


def _person(ctx: UnitContext, order: NewOrder) -> Recipient:
    return order.shop.number, person_hash(ctx.ring.address, order.report.email)


@attrs.frozen(kw_only=True)
class DayOfSnippets:
    """Number of a shop's new orders from browsers today (UTC), and its limit; `limit` None means no limit.

    `wrong_signatures` is how many reports came with a wrong signature today.
    """

    counted: int
    limit: int | None
    wrong_signatures: int = 0


@write(locks=credential_locks, only_if=is_charged)
def show_snippets(
    ctx: UnitContext, actor: str | Actor | Credential
) -> DayOfSnippets | ShopUnknown | KeyRefused | LimitReached:
    """Return a shop's new orders from browsers today, and their limit."""
    shop = shop_of_reader(ctx, actor)
    if not isinstance(shop, Shop):
        return shop
    limit_key, quota = LimitKey(shop.number, SNIPPET_QUOTA), ctx.policies.snippets_per_day
    wrong = LimitKey(shop.number, WRONG_SIGNATURES)
    counted = ctx.store.daily_counters.counted([limit_key, wrong], day_of(ctx.now))
    return DayOfSnippets(
        counted=counted.get(limit_key, 0),
        limit=None if quota.off else quota.count,
        wrong_signatures=counted.get(wrong, 0),
    )
