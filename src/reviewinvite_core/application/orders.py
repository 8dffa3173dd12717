"""`app.orders`: report completed orders."""

from __future__ import annotations

from collections.abc import Sequence

from reviewinvite_core.application.facade import AsyncFacade, Facade, derived, require_items
from reviewinvite_core.domain.api_key import Actor, Credential
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.orders import OrderReport, Reported, SnippetReport
from reviewinvite_core.domain.refusals import (
    KeyRefused,
    LimitReached,
    OriginForeign,
    ShopInactive,
    ShopUnknown,
    SignatureRefused,
    SnippetOff,
)
from reviewinvite_core.usecases.orders.report import import_orders, report_order
from reviewinvite_core.usecases.orders.snippet import Acknowledged, DayOfSnippets, report_snippet, show_snippets


class Orders(Facade):
    """Report completed orders. Each order leads to one invitation, however often it is reported."""

    __slots__ = ()

    def report(
        self, actor: Actor | Credential, order: OrderReport | Invalid
    ) -> Reported | KeyRefused | ShopInactive | LimitReached | Invalid:
        """Report an order and schedule its invitation; return once that is on disk.

        Return the invitation's id and scheduled time. If the order was reported before, they are those of the first
        report and `duplicate` is true, so it is safe to retry after any failure.

        No limit applies to an `Actor` (from `shops.act_for` or `api_keys.authenticate`). A `SecretKey` is checked and
        charged one of its orders per minute. An `order` that is `Invalid` is refused, but still charged.

        Refusals, in this order:
        - `KeyRefused`: the key is unknown or revoked.
        - `ShopInactive`: the shop is not active.
        - `LimitReached`: the key's limit is used up; `retry_at` says when to try again.
        - `Invalid`: the `Invalid` that you passed as `order`, returned unchanged.

        Raises: `StorageUnavailable`; all or nothing was stored, so it is safe to repeat. `TypeError` if an argument has
        another type, such as `str`.

        >>> order = OrderReport(email="anna@example.com", order_number="1001")
        >>> accepted(app.orders.report(SecretKey.parse(key_text), order)).invite_id

        Spec: §1, §4.1. ADR-4, ADR-41.
        """
        return self._use_cases.run(report_order, actor, order)

    def report_from_snippet(
        self, client: ClientAddress, origin: str | None, report: SnippetReport | Invalid
    ) -> Acknowledged | LimitReached | Invalid | OriginForeign | ShopInactive | SnippetOff | SignatureRefused:
        """Report an order from a customer's browser, without a key; return once that is on disk.

        `client` is the browser's IP address and `origin` its whole `Origin` header. Return `Acknowledged` for new and
        repeated orders alike, and for those that are dropped because the address has reached the shop's cap on reports
        from browsers, so that nobody learns which orders are known.

        Refusals, in this order:
        - `LimitReached`: the client's limit is used up.
        - `Invalid`: the `Invalid` that you passed as `report`, returned unchanged.
        - `OriginForeign`: the origin is not a verified domain of the shop, or there is no such shop.
        - `ShopInactive`: the shop is not active.
        - `SnippetOff`: the shop takes no orders from browsers.
        - `SignatureRefused`: the shop takes signed orders only, and the signature is missing or wrong.
        - `LimitReached`: the shop's daily limit, or the client's share of its day, is used up.

        Raises: `StorageUnavailable`; all or nothing was stored, so it is safe to repeat.

        Spec: §4.2. ADR-23, ADR-43, ADR-66.
        """
        return self._use_cases.run(report_snippet, client, origin, report)

    def import_many(
        self, actor: Actor, orders: Sequence[OrderReport]
    ) -> Sequence[Reported | KeyRefused | ShopInactive]:
        """Report many orders in one transaction: all are stored, or none.

        Return an answer for each order, in the same sequence. No limit applies. Report a few hundred at a time: larger
        calls only make other writers wait longer.

        Refusals, the same for each order:
        - `KeyRefused`: the actor is a member without the role.
        - `ShopInactive`: the shop is not active.

        Raises: `StorageUnavailable`; all or nothing was stored, so it is safe to repeat. `TypeError` if an argument or
        an item has another type.

        Spec: §1.
        """
        require_items(orders, OrderReport, "orders")
        return self._use_cases.run(import_orders, actor, orders)

    def show_snippets(self, actor: str | Actor | Credential) -> DayOfSnippets | ShopUnknown | KeyRefused | LimitReached:
        """Return how many new orders browsers reported to a shop today (UTC), its daily limit, and wrong signatures.

        Refusals:
        - `ShopUnknown`: there is no shop with this site id.
        - `KeyRefused`: the key is unknown or revoked.
        - `LimitReached`: the key's reads per minute are used up.

        Raises: `StorageUnavailable`.

        Spec: §8.
        """
        return self._use_cases.run(show_snippets, actor)


class AsyncOrders(AsyncFacade):
    """Report completed orders; see `Orders`."""

    __slots__ = ()

    report = derived(Orders.report)
    report_from_snippet = derived(Orders.report_from_snippet)
    import_many = derived(Orders.import_many)
    show_snippets = derived(Orders.show_snippets)
