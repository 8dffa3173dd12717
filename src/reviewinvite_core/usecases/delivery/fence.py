"""Pass the point of no return, after which an invitation counts as sent unless the mail server says no. ADR-7, ADR-50.

All requests of a batch are decided with one set of statements. One request is the batch of one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import attrs

from reviewinvite_core.domain.deliveries import Claim
from reviewinvite_core.domain.frequency import Contacts, Recipient, is_too_soon, recipient_lock
from reviewinvite_core.domain.handovers import DeliveryPaused, Pause, host_lock, pause_of
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation, invitation_lock, may_have_arrived
from reviewinvite_core.domain.notices import MailItem
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.restore_guard import HighWaterMarkSnapshot, check_for_rollback


@attrs.frozen(kw_only=True)
class FenceRequest:
    """An invitation as we claimed it, whose message is staged; and the mark as read before the unit of work began.

    There is no mark if storage does not outlive the process.
    """

    ours: Invitation
    high_water_mark: HighWaterMarkSnapshot | None = None

    @property
    def locks(self) -> frozenset[int]:
        """Those of the invitation, of its recipient, and of the host's fence number."""
        ours, snapshot = self.ours, self.high_water_mark
        locks = {invitation_lock(ours.invite_id), recipient_lock(ours.shop_number, ours.address_hash)}
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
    reviewed: Collection[tuple[int, str]]
    contacts: Contacts


def fence_all(ctx: UnitContext, requests: Sequence[FenceRequest]) -> Sequence[Fenced]:
    """Pass the point of no return, as if one after the other; return what became of each.

    It is passed only while our claim holds, the shop is active, and the address exists and is not suppressed; never
    while the database is older than what was sent, and not if the order has been reviewed or the frequency rule
    forbids it. If anything may pause deliveries, the requests are handled one by one: the pause is then recorded by the
    first that finds it.
    """
    clear = len(requests) > 1 and _is_clear(ctx, [each.high_water_mark for each in requests])
    shops = ctx.store.shops.by_numbers({each.ours.shop_number for each in requests})
    parts = _apart(requests, shops) if clear else ([request] for request in requests)
    return [fenced for part in parts for fenced in _fence_part(ctx, part, shops, clear=clear)]


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
        ours = request.ours
        shop = shops.get(ours.shop_number)
        affected: set[object] = {ours.invite_id}
        if shop and shop.frequency_days:
            affected.add(_recipient(ours))
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
    stored = ctx.store.invitations.find_all([_key(each.ours) for each in requests])
    current = [stored.get(_key(each.ours), each.ours) for each in requests]
    held = [
        now
        for now, each in zip(current, requests, strict=True)
        if each.ours.claim and now.held_by(each.ours.claim.token, ctx.now)
    ]
    if not held:
        return [Fenced(item=now) for now in current]
    high_water_mark = requests[0].high_water_mark
    facts = _facts(ctx, held, shops, None if clear else check_for_rollback(ctx, high_water_mark))
    changes = [(now, _decided(ctx, now, facts)) for now in held]
    changed = dict(zip(map(_key, held), ctx.store.invitations.change_all(changes), strict=True))
    after = {_key(each): each for _, each in changes if changed[_key(each)]}
    passed = [key for key, each in after.items() if each.state is State.HANDING_OVER]
    numbers, is_awaited = _numbers(ctx, passed, high_water_mark)
    lost = [key for key, done in changed.items() if not done]
    after.update(ctx.store.invitations.find_all(lost))
    return [
        Fenced(
            item=after.get(_key(now), now),
            number=numbers.get(_key(now)),
            is_awaited=is_awaited,
            trouble=DeliveryPaused(facts.pause) if facts.pause and changed.get(_key(now)) else None,
        )
        for now in current
    ]


def _facts(ctx: UnitContext, held: Sequence[Invitation], shops: Mapping[int, Shop], pause: Pause | None) -> _Facts:
    """Query what decides about these invitations; rules that do not apply to them cost no statement."""
    ruled = [_recipient(each) for each in held if (shop := shops.get(each.shop_number)) and shop.frequency_days]
    retried = [_key(each) for each in held if each.attempts > 1]  # nobody has the link before the first attempt
    return _Facts(
        shops=shops,
        pause=pause,
        suppressed=ctx.store.suppressions.covered([_recipient(each) for each in held], ctx.now),
        reviewed=ctx.store.reviews.reviewed(retried),
        contacts=ctx.store.invitations.contacts(ruled),
    )


def _decided(ctx: UnitContext, now: Invitation, facts: _Facts) -> Invitation:
    """Return the invitation as it is after the fence; it may pass unless something speaks against it."""
    shop = facts.shops.get(now.shop_number)
    if facts.pause:
        return now.moved(State.SCHEDULED, Reason.PAUSED, ctx.now)
    if _recipient(now) in facts.suppressed:
        return now.moved(State.SUPPRESSED, Reason.OPTED_OUT, ctx.now)
    if now.sealed_address is None:
        return now.moved(State.CANCELLED, Reason.ERASED, ctx.now)
    if shop is None or not shop.active:
        return now.moved(State.SCHEDULED, Reason.SHOP_INACTIVE, ctx.now)
    if _key(now) in facts.reviewed and may_have_arrived(ctx.store.invitations.history(now)):
        return now.moved(State.SENT, Reason.REVIEWED, ctx.now)  # an earlier attempt has arrived after all
    if shop.frequency_days and _is_recently_invited(ctx, now, shop.frequency_days, facts.contacts):
        return now.moved(State.SUPPRESSED, Reason.RECENTLY_INVITED, ctx.now)
    claim = Claim(token=now.claim.token, lease_until=ctx.now + ctx.policies.lease) if now.claim else None
    return now.moved(State.HANDING_OVER, Reason.FENCED, ctx.now, claim=claim)


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
    ctx: UnitContext, passed: Sequence[tuple[int, str]], high_water_mark: HighWaterMarkSnapshot | None
) -> tuple[Mapping[tuple[int, str], int], bool]:
    """Return the fence number of each invitation that passed, in order, and whether an acceptance is awaited.

    The number is 0 if storage does not outlive the process; then a statement costs nothing.
    """
    if not passed:
        return {}, False
    if high_water_mark is None:
        return dict.fromkeys(passed, 0), ctx.store.relay.state().is_acceptance_awaited
    last, is_awaited = ctx.store.hosts.raise_fence(high_water_mark.mark.host, len(passed))
    return {key: last - len(passed) + place for place, key in enumerate(passed, start=1)}, is_awaited


def _key(invitation: Invitation) -> tuple[int, str]:
    return invitation.shop_number, invitation.invite_id


def _recipient(invitation: Invitation) -> Recipient:
    return invitation.shop_number, invitation.address_hash
