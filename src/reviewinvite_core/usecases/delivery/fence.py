"""Pass the point of no return, after which an invitation counts as sent unless the mail server says no. ADR-7."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.frequency import is_too_soon
from reviewinvite_core.domain.handovers import DeliveryPaused
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation, may_have_arrived
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.delivery.restore_guard import HighWaterMarkSnapshot, check_for_rollback
from reviewinvite_core.usecases.invitations.records import reread


@attrs.frozen(kw_only=True)
class Fenced:
    """The invitation after the fence: `number` is set if it passed, and `trouble` if nothing may pass."""

    invitation: Invitation
    number: int | None = None
    trouble: Exception | None = None


def fence(ctx: UnitContext, ours: Invitation, high_water_mark: HighWaterMarkSnapshot | None) -> Fenced:
    """Pass the point of no return.

    It is passed only while our claim holds, the shop is active, and the address exists and is not suppressed; never
    while the database is older than what was sent, and not if the order has been reviewed or the frequency rule
    forbids it.
    """
    now = reread(ctx, ours)
    if ours.claim is None or not now.held_by(ours.claim.token, ctx.now):
        return Fenced(invitation=now)
    pause = check_for_rollback(ctx, high_water_mark)
    shop = ctx.store.shops.by_number(now.shop_number)
    if pause:
        after = now.moved(State.SCHEDULED, Reason.PAUSED, ctx.now)
    elif ctx.store.suppressions.covers(now.shop_number, now.address_hash, ctx.now):
        after = now.moved(State.SUPPRESSED, Reason.OPTED_OUT, ctx.now)
    elif now.sealed_address is None:
        after = now.moved(State.CANCELLED, Reason.ERASED, ctx.now)
    elif shop is None or not shop.active:
        after = now.moved(State.SCHEDULED, Reason.SHOP_INACTIVE, ctx.now)
    elif _is_reviewed(ctx, now):
        after = now.moved(State.SENT, Reason.REVIEWED, ctx.now)
    elif shop.frequency_days and _is_recently_invited(ctx, now, shop.frequency_days):
        after = now.moved(State.SUPPRESSED, Reason.RECENTLY_INVITED, ctx.now)
    else:
        claim = attrs.evolve(ours.claim, lease_until=ctx.now + ctx.policies.lease)
        after = now.moved(State.HANDING_OVER, Reason.FENCED, ctx.now, claim=claim)
    if not ctx.store.invitations.change(now, after):
        return Fenced(invitation=reread(ctx, ours))
    if after.state is not State.HANDING_OVER:
        return Fenced(invitation=after, trouble=DeliveryPaused(pause) if pause else None)
    number = ctx.store.hosts.raise_fence(high_water_mark.mark.host) if high_water_mark else 0
    return Fenced(invitation=after, number=number)


def _is_reviewed(ctx: UnitContext, invitation: Invitation) -> bool:
    """Return whether an earlier attempt has arrived after all: its link was used to write a review."""
    if invitation.attempts < 2:  # nobody has the link before the first attempt
        return False
    if ctx.store.reviews.of_invitation(invitation.shop_number, invitation.invite_id) is None:
        return False
    return may_have_arrived(ctx.store.invitations.history(invitation))


def _is_recently_invited(ctx: UnitContext, invitation: Invitation, frequency_days: int) -> bool:
    """Return whether the shop has handed over another invitation to this address too recently (ADR-47).

    The fence's lock of the recipient keeps another hand-over from being missed. One that an operator had sent at once,
    or once more, goes all the same.
    """
    recipient = (invitation.shop_number, invitation.address_hash)
    contacts = ctx.store.invitations.contacts([recipient]).get(recipient, ())
    others = [each for each in contacts if each.handed_over and each.invite_id != invitation.invite_id]
    if not is_too_soon(frequency_days, others, ctx.now):
        return False
    return all(change.reason is not Reason.OPERATOR for change in ctx.store.invitations.history(invitation))
