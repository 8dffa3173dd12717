"""Pass the point of no return, after which mail counts as sent unless the mail server says no. ADR-7, ADR-50, ADR-57.

All requests of a batch are decided with one set of statements. One request is the batch of one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import attrs

from reviewinvite_core.domain.deliveries import Claim, ItemKey
from reviewinvite_core.domain.frequency import Contacts, Recipient, is_too_soon, recipient_lock
from reviewinvite_core.domain.handovers import DeliveryPaused, Pause, host_lock, pause_of
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation, may_have_arrived
from reviewinvite_core.domain.notices import MailItem, Notice
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.outcomes import change_all, reread_all
from reviewinvite_core.usecases.delivery.restore_guard import HighWaterMarkSnapshot, check_for_rollback


@attrs.frozen(kw_only=True)
class FenceRequest:
    """What we claimed, whose message is staged; and the mark as read before the unit of work began.

    There is no mark if storage does not outlive the process.
    """

    item: MailItem
    high_water_mark: HighWaterMarkSnapshot | None = None

    @property
    def locks(self) -> frozenset[int]:
        """Those of the item, of an invitation's recipient, and of the host's fence number."""
        item, snapshot = self.item, self.high_water_mark
        locks = {item.lock}
        if isinstance(item, Invitation):
            locks.add(recipient_lock(item.shop_number, item.address_hash))
        return frozenset(locks | {host_lock(snapshot.mark.host)} if snapshot else locks)


@attrs.frozen(kw_only=True)
class Fenced:
    """An invitation or notice after the fence: `number` is set if it passed, and `trouble` if nothing may pass.

    `unwritten` is why the high-water mark could not be written: then the end of the message must not be transmitted.
    `is_awaited` is whether the mail server has refused mail, so that an acceptance has to be noted (ADR-69).
    """

    item: MailItem
    number: int | None = None
    trouble: Exception | None = None
    unwritten: Exception | None = None
    is_awaited: bool = False


@attrs.frozen(kw_only=True)
class _Facts:
    """What decides about the invitations of a batch, besides what is stored with them."""

    shops: Mapping[int, Shop]
    pause: Pause | None
    suppressed: Collection[Recipient]
    reviewed: Collection[ItemKey]
    contacts: Contacts


def fence_all(ctx: UnitContext, requests: Sequence[FenceRequest]) -> Sequence[Fenced]:
    """Pass the point of no return, as if one after the other; return what became of each.

    It is passed only while our claim holds and there is an address; never while the database is older than what was
    sent. An invitation passes only if its shop is active and the address is not suppressed; not if the order has been
    reviewed or the frequency rule forbids it. A notice passes only before it expires. If anything may pause deliveries,
    the requests are handled one by one: the pause is then recorded by the first that finds it.
    """
    clear = len(requests) > 1 and _is_clear(ctx, [each.high_water_mark for each in requests])
    shops = ctx.store.shops.by_numbers({each.shop_number for each in _invitations(each.item for each in requests)})
    parts = _apart(requests, shops) if clear else ([request] for request in requests)
    return [fenced for part in parts for fenced in _fence_part(ctx, part, shops, clear=clear)]


def _invitations(items: Iterable[MailItem]) -> Sequence[Invitation]:
    return [item for item in items if isinstance(item, Invitation)]


def _is_clear(ctx: UnitContext, snapshots: Sequence[HighWaterMarkSnapshot | None]) -> bool:
    """Return whether it is certain that none of these snapshots of one host pauses deliveries; change nothing.

    The mark with the highest number stands for all, since fence numbers only rise meanwhile.
    """
    marks = [snapshot.mark for snapshot in snapshots if snapshot]
    if not marks:
        return True
    host = marks[0].host
    if len(marks) < len(snapshots) or any(mark.host != host for mark in marks):
        return False
    known = ctx.store.hosts.with_all_ahead(host)
    newest = max(marks, key=lambda mark: mark.number)
    return pause_of(newest, known) is None and any(each.host == host for each in known)


def _apart(requests: Sequence[FenceRequest], shops: Mapping[int, Shop]) -> Iterator[Sequence[FenceRequest]]:
    """Split requests into parts, in order, so that within a part none affects the decision about another.

    If two are for one recipient of a shop with the frequency rule, the second has to see what became of the first.
    """
    part: list[FenceRequest] = []
    taken: set[object] = set()
    for request in requests:
        item = request.item
        affected: set[object] = {item.key}
        if isinstance(item, Invitation) and _has_rule(item, shops):
            affected.add(_recipient(item))
        if not taken.isdisjoint(affected):
            yield part
            part, taken = [], set()
        part.append(request)
        taken |= affected
    if part:
        yield part


def _fence_part(
    ctx: UnitContext, requests: Sequence[FenceRequest], shops: Mapping[int, Shop], *, clear: bool
) -> Sequence[Fenced]:
    """Fence requests that do not affect each other; unless it is `clear` that nothing pauses them, it is one."""
    items = {each.item.key: each.item for each in requests}
    stored = reread_all(ctx, items.values())
    held = [stored[key] for key, item in items.items() if item.claim and stored[key].held_by(item.claim.token, ctx.now)]
    if not held:
        return [Fenced(item=stored[key]) for key in items]
    high_water_mark = requests[0].high_water_mark
    facts = _facts(ctx, _invitations(held), shops, None if clear else check_for_rollback(ctx, high_water_mark))
    changed = change_all(ctx, [(item, _decided(ctx, item, facts)) for item in held])
    passed = [key for key, item in changed.items() if item.state is State.HANDING_OVER]
    numbers, is_awaited = _numbers(ctx, passed, high_water_mark)
    lost = reread_all(ctx, [item for item in held if item.key not in changed])
    after = {**stored, **changed, **lost}
    return [
        Fenced(
            item=after[key],
            number=numbers.get(key),
            is_awaited=is_awaited,
            trouble=DeliveryPaused(facts.pause) if facts.pause and key in changed else None,
        )
        for key in items
    ]


def _facts(ctx: UnitContext, held: Sequence[Invitation], shops: Mapping[int, Shop], pause: Pause | None) -> _Facts:
    """Query what decides about these invitations; rules that do not apply to them cost no statement."""
    retried = [each.key for each in held if each.attempts > 1]  # nobody has the link before the first attempt
    return _Facts(
        shops=shops,
        pause=pause,
        suppressed=ctx.store.suppressions.covered([_recipient(each) for each in held], ctx.now),
        reviewed=ctx.store.reviews.reviewed(retried),
        contacts=ctx.store.invitations.contacts([_recipient(each) for each in held if _has_rule(each, shops)]),
    )


def _decided(ctx: UnitContext, item: MailItem, facts: _Facts) -> MailItem:
    """Return the item as it is after the fence; it may pass unless something speaks against it."""
    if facts.pause:
        return item.moved(State.SCHEDULED, Reason.PAUSED, ctx.now)
    against = _notice_kept(ctx, item) if isinstance(item, Notice) else _invitation_kept(ctx, item, facts)
    if against:
        return item.moved(*against, ctx.now)
    claim = Claim(token=item.claim.token, lease_until=ctx.now + ctx.policies.lease) if item.claim else None
    return item.moved(State.HANDING_OVER, Reason.FENCED, ctx.now, claim=claim)


def _notice_kept(ctx: UnitContext, notice: Notice) -> tuple[State, Reason] | None:
    """Return what keeps a notice from passing, or None; suppressions of invitations do not."""
    if notice.sealed is None:
        return State.CANCELLED, Reason.ERASED
    return (State.EXPIRED, Reason.OVERDUE) if ctx.now >= notice.expires_at else None


def _invitation_kept(ctx: UnitContext, invitation: Invitation, facts: _Facts) -> tuple[State, Reason] | None:
    """Return what keeps an invitation from passing, or None."""
    shop = facts.shops.get(invitation.shop_number)
    if _recipient(invitation) in facts.suppressed:
        return State.SUPPRESSED, Reason.OPTED_OUT
    if invitation.sealed_address is None:
        return State.CANCELLED, Reason.ERASED
    if shop is None or not shop.active:
        return State.SCHEDULED, Reason.SHOP_INACTIVE
    if invitation.key in facts.reviewed and may_have_arrived(ctx.store.invitations.history(invitation)):
        return State.SENT, Reason.REVIEWED  # an earlier attempt has arrived after all
    if shop.frequency_days and _is_recently_invited(ctx, invitation, shop.frequency_days, facts.contacts):
        return State.SUPPRESSED, Reason.RECENTLY_INVITED
    return None


def _is_recently_invited(ctx: UnitContext, invitation: Invitation, frequency_days: int, contacts: Contacts) -> bool:
    """Return whether the shop has handed over another invitation to this address too recently (ADR-47).

    The fence's lock of the recipient keeps another hand-over from being missed. One that an operator had sent at once,
    or once more, goes all the same.
    """
    of_recipient = contacts.get(_recipient(invitation), ())
    others = [each for each in of_recipient if each.handed_over and each.invite_id != invitation.invite_id]
    if not is_too_soon(frequency_days, others, ctx.now, confirmed=invitation.provenance.confirmed):
        return False
    return all(change.reason is not Reason.OPERATOR for change in ctx.store.invitations.history(invitation))


def _numbers(
    ctx: UnitContext, passed: Sequence[ItemKey], high_water_mark: HighWaterMarkSnapshot | None
) -> tuple[Mapping[ItemKey, int], bool]:
    """Return the fence number of each item that passed, in order, and whether an acceptance is awaited.

    The number is 0 if storage does not outlive the process; then a statement costs nothing.
    """
    if not passed:
        return {}, False
    if high_water_mark is None:
        return dict.fromkeys(passed, 0), ctx.store.relay.state().is_acceptance_awaited
    last, is_awaited = ctx.store.hosts.raise_fence(high_water_mark.mark.host, len(passed))
    return {key: last - len(passed) + place for place, key in enumerate(passed, start=1)}, is_awaited


def _has_rule(invitation: Invitation, shops: Mapping[int, Shop]) -> bool:
    """Return whether its shop has a frequency rule."""
    shop = shops.get(invitation.shop_number)
    return shop is not None and bool(shop.frequency_days)


def _recipient(invitation: Invitation) -> Recipient:
    return invitation.shop_number, invitation.address_hash
