"""Report orders, and schedule their invitations. Spec: §4.1."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple, TypeAlias

import attrs

from reviewinvite_core.domain.api_key import Actor, Credential
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.frequency import OFF, Contacts, Recipient, is_too_soon
from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.orders import OrderReport, Reported, address_hash, dedup_key, order_lock, person_hash
from reviewinvite_core.domain.provenance import Confirmation, Provenance, Source
from reviewinvite_core.domain.refusals import KeyRefused, LimitReached, ShopInactive
from reviewinvite_core.domain.sealing import NONCE_BYTES
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.timing import cut_to_millisecond
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.admission import ORDER, Admitted, NotAdmitted, admit, admit_all, credential_locks
from reviewinvite_core.usecases.context import UnitContext


class NewOrder(NamedTuple):
    """A report, the shop that it is for, and where it was made."""

    shop: Shop
    report: OrderReport
    provenance: Provenance


def schedule_invitations(ctx: UnitContext, orders: Sequence[NewOrder]) -> Sequence[Reported]:
    """Return the invitations of the reported orders, scheduling those that are new; the first report wins (ADR-4).

    A repeat may confirm the order, and changes nothing else (ADR-65).

    If the address is suppressed, is that of one of the shop's members, or the shop's frequency rule forbids the
    invitation, nothing is sent, and not even the address is stored (ADR-16, ADR-47, ADR-67). A shop that sends an empty
    order number is noted: orders of its customers may be merged without its knowledge.
    """
    for shop, report, _ in orders:
        if report.order_number == "":
            ctx.note_empty_number(shop.site_id, ctx.now)
    people = [
        (shop.number, address_hash(ctx.ring.address, report.email), person_hash(ctx.ring.address, report.email))
        for shop, report, _ in orders
    ]
    against = ctx.store.suppressions.reasons_against(people, ctx.now)
    asked = [
        _Order(*order, recipient=(shop, address), against=against.get(place))
        for place, (order, (shop, address, _)) in enumerate(zip(orders, people, strict=True))
    ]
    answers: dict[int, Reported] = {}
    for places in _rounds(asked):
        answers.update(zip(places, _schedule(ctx, [asked[place] for place in places]), strict=True))
    return [answers[place] for place in range(len(asked))]


@attrs.frozen
class _Order:
    shop: Shop
    report: OrderReport
    provenance: Provenance
    recipient: Recipient
    against: Reason | None = attrs.field(kw_only=True)

    @property
    def is_limited(self) -> bool:
        """Whether the frequency rule decides about this order."""
        return self.shop.frequency_days != OFF and self.against is None


def _rounds(orders: Sequence[_Order]) -> Sequence[Sequence[int]]:
    """Return the places of the orders to schedule together: all, or one for each address under a frequency rule."""
    if not any(order.is_limited for order in orders):
        return [range(len(orders))]
    rounds: list[list[int]] = [[]]
    turns: Counter[Recipient] = Counter()
    for place, order in enumerate(orders):
        turn = turns[order.recipient] if order.is_limited else 0
        turns[order.recipient] += 1
        if turn == len(rounds):
            rounds.append([])
        rounds[turn].append(place)
    return rounds


def _schedule(ctx: UnitContext, orders: Sequence[_Order]) -> Sequence[Reported]:
    contacts = _contacts(ctx, orders)
    reasons = [_reason_against(ctx, order, contacts) for order in orders]
    new = [
        (_invitation(ctx, order, stored=reason is None), dedup_key(ctx.ring.dedup, order.shop.site_id, order.report))
        for order, reason in zip(orders, reasons, strict=True)
    ]
    stored = ctx.store.invitations.schedule(new)
    _confirm(ctx, zip(orders, stored, strict=True))
    return [
        _reported(ctx, mine, found, against) for (mine, _), found, against in zip(new, stored, reasons, strict=True)
    ]


def _confirm(ctx: UnitContext, repeats: Iterable[tuple[_Order, Invitation]]) -> None:
    """Confirm the orders that this report confirms and no report has yet; new ones already are as their reports."""
    missing = [
        stored
        for order, stored in repeats
        if order.provenance.confirmed and stored.provenance.confirmation is Confirmation.MISSING
    ]
    for invitation in sorted(missing, key=lambda each: (each.shop_number, each.invite_id)):  # so that none waits twice
        ctx.store.invitations.settle(invitation, Confirmation.GIVEN)


def _contacts(ctx: UnitContext, orders: Sequence[_Order]) -> Contacts:
    limited = {order.recipient for order in orders if order.is_limited}
    return ctx.store.invitations.contacts(limited) if limited else {}


def _reason_against(ctx: UnitContext, order: _Order, contacts: Contacts) -> Reason | None:
    """Return why an order leads to no e-mail, or None if it may."""
    if order.against:
        return order.against
    recent = contacts.get(order.recipient)
    if recent and is_too_soon(
        order.shop.frequency_days, recent, _due_at(ctx, order), confirmed=order.provenance.confirmed
    ):
        return Reason.RECENTLY_INVITED
    return None


def _due_at(ctx: UnitContext, order: _Order) -> datetime:
    return (order.report.delay_days or order.shop.delay_days).after(ctx.now)


def _invitation(ctx: UnitContext, order: _Order, *, stored: bool) -> Invitation:
    """Return a new invitation, with its address if that may be stored."""
    shop, report = order.shop, order.report
    reported_at = cut_to_millisecond(ctx.now)
    scheduled_for = _due_at(ctx, order)
    entropy = ctx.entropy.draw(10 + NONCE_BYTES)
    return Invitation(
        invite_id=uuid7(reported_at, entropy[:10]),
        shop_number=shop.number,
        order_number=report.order_number or None,
        language=report.language or shop.language,
        address_hash=order.recipient[1],
        sealed_address=ctx.ring.seal_address(report.email, entropy[10:]) if stored else None,
        reported_at=reported_at,
        scheduled_for=scheduled_for,
        due_at=scheduled_for,
        changed_at=reported_at,
        provenance=order.provenance,
    )


def _reported(ctx: UnitContext, mine: Invitation, stored: Invitation, against: Reason | None) -> Reported:
    """Return the answer to a report; suppress the new invitation if there is a reason against it."""
    duplicate = stored.invite_id != mine.invite_id
    suppressed = against is not None and not duplicate
    if against and suppressed:
        ctx.store.invitations.change(mine, mine.moved(State.SUPPRESSED, against, mine.reported_at))
    return Reported(
        invite_id=stored.invite_id, scheduled_for=stored.scheduled_for, duplicate=duplicate, suppressed=suppressed
    )


OrderAnswer: TypeAlias = Reported | NotAdmitted | Invalid


def order_locks(actor: Actor | Credential, report: OrderReport | Invalid) -> frozenset[int]:
    """Return the locks of the key's limit and of the order."""
    locks = credential_locks(actor)
    return locks if isinstance(report, Invalid) else locks | {order_lock(report)}


def report_orders(
    ctx: UnitContext, requests: Sequence[tuple[Actor | Credential, OrderReport | Invalid]]
) -> Sequence[OrderAnswer]:
    """Return the answer to each request; no two share a key or an order (`ports.Batchable`)."""
    admitted = admit_all(ctx, [actor for actor, _ in requests], ORDER)
    orders = [
        NewOrder(each.shop, report, Provenance(source=source_of(actor), key_id=each.key_id))
        for each, (actor, report) in zip(admitted, requests, strict=True)
        if isinstance(each, Admitted) and isinstance(report, OrderReport)
    ]
    reported = iter(schedule_invitations(ctx, orders))

    def answer(each: Admitted | NotAdmitted, report: OrderReport | Invalid) -> OrderAnswer:
        if not isinstance(each, Admitted):
            return each
        return report if isinstance(report, Invalid) else next(reported)

    return [answer(each, report) for each, (_, report) in zip(admitted, requests, strict=True)]


def source_of(actor: Actor | Credential) -> Source:
    """Return the source of what an actor reports: a member's is the dashboard, and a shop's own program's the API."""
    if isinstance(actor, Actor) and actor.member_id is not None:
        return Source.DASHBOARD
    return Source.OPERATOR if isinstance(actor, Actor) and actor.operator else Source.API


@write(locks=order_locks, batch=report_orders)
def report_order(ctx: UnitContext, actor: Actor | Credential, report: OrderReport | Invalid) -> OrderAnswer:
    """Schedule the order's invitation, or return the existing one. Invalid bodies still count against the limit."""
    return report_orders(ctx, [(actor, report)])[0]


MOST_LOCKS = 1_000


def import_locks(actor: Actor, reports: Sequence[OrderReport]) -> frozenset[int]:
    """Return the lock of a member's role, and those of all orders (`ports.LockedUnit`) unless there are too many.

    A server has room for a few thousand locks, so a larger import takes none for its orders. If two imports contain
    the same orders, each order is still stored once; if the imports wait for each other, one of them is rerun (ADR-13).
    """
    locks = credential_locks(actor)
    return locks.union(map(order_lock, reports)) if len(reports) <= MOST_LOCKS else locks


@write(locks=import_locks)
def import_orders(
    ctx: UnitContext, actor: Actor, reports: Sequence[OrderReport]
) -> Sequence[Reported | KeyRefused | ShopInactive]:
    """Report many orders in one unit of work: all of them are stored, or the whole import has no effect."""
    shop = admit(ctx, actor, ORDER)
    assert not isinstance(shop, LimitReached)  # noqa: S101 - for the type checker: no limit applies to an actor
    if not isinstance(shop, Shop):
        return [shop] * len(reports)
    source = Source.IMPORT if actor.member_id is None else Source.DASHBOARD
    provenance = Provenance(source=source, key_id=actor.key_id)
    return schedule_invitations(ctx, [NewOrder(shop, report, provenance) for report in reports])
