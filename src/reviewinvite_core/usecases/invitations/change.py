"""Cancel invitations, send them now, and resolve uncertain ones. Spec: §3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import attrs

from reviewinvite_core.domain.activity import Action
from reviewinvite_core.domain.api_key import OPERATOR, Actor, Credential, Operator
from reviewinvite_core.domain.errors import Invalid
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation, invitation_lock
from reviewinvite_core.domain.refusals import AddressErased, InvitationUnknown, NotUncertain, ShopUnknown, TooLate
from reviewinvite_core.domain.shop import Shop
from reviewinvite_core.domain.suppressions import SuppressedBy
from reviewinvite_core.execution import read, write
from reviewinvite_core.ports import Store
from reviewinvite_core.usecases.activity import record, who_acts
from reviewinvite_core.usecases.admission import CHANGE, NotAdmitted, admit, credential_locks
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.read import (
    InvitationRecord,
    find_record,
    invitation_locks,
    locate,
    reread,
    resolve_uncertain,
    with_history,
)


def transition_if_allowed(ctx: UnitContext, invitation: Invitation, to: State, reason: Reason) -> Invitation:
    """Move the invitation to `to` if its current state allows that; return the invitation in its resulting state.

    If a worker changed the invitation in the meantime, reread it and retry.
    """
    now = invitation
    while now.can_move(to, reason):
        after = now.moved(to, reason, ctx.now)
        if ctx.store.invitations.change(now, after):
            return after
        now = reread(ctx, now)
    return now


Cancelled: TypeAlias = InvitationRecord | InvitationUnknown | TooLate | NotAdmitted | Invalid


def change_locks(actor: Actor | Credential | Operator, invite_id: str | Invalid) -> frozenset[int]:
    """Return the locks of the key's limit and of the invitation."""
    locks = credential_locks(actor)
    return locks if isinstance(invite_id, Invalid) else locks | invitation_locks(invite_id)


@write(locks=change_locks)
def cancel_invitation(ctx: UnitContext, actor: Actor | Credential | Operator, invite_id: str | Invalid) -> Cancelled:
    """Cancel an invitation that has not been handed over; repeating this changes nothing.

    If a worker holds it already, its next compare-and-set fails and no message is sent (ADR-7).
    """
    whose = actor if actor is OPERATOR else admit(ctx, actor, CHANGE)
    if not isinstance(whose, Shop | Operator):
        return whose
    if isinstance(invite_id, Invalid):
        return invite_id
    found = find_record(ctx, whose, invite_id)
    if found is None:
        return InvitationUnknown(invite_id)
    after = _cancelled(ctx, found.invitation)
    if isinstance(after, TooLate):
        return after
    if after is not found.invitation:
        record(ctx, found.shop, who_acts(ctx, actor), Action.INVITATION_CANCELLED, after.invite_id)
    return with_history(ctx, after, found.shop)


def _cancelled(ctx: UnitContext, invitation: Invitation) -> Invitation | TooLate:
    """Return the cancelled invitation, whether it was cancelled now or earlier; `TooLate` if it cannot be."""
    if invitation.state is State.CANCELLED:
        return invitation
    if not invitation.can_move(State.CANCELLED, Reason.CANCELLED):
        return TooLate(invitation.state)
    withdrawn = invitation.moved(State.CANCELLED, Reason.CANCELLED, ctx.now)
    if not ctx.store.invitations.change(invitation, withdrawn):
        return TooLate(reread(ctx, invitation).state)
    return withdrawn


@write(locks=change_locks)
def send_invitation_now(
    ctx: UnitContext, actor: Actor | Credential | Operator, invite_id: str
) -> Invitation | InvitationUnknown | TooLate | NotAdmitted:
    """Make a scheduled invitation due at once; repeating this changes nothing.

    `scheduled_for` keeps the time that the shop was given. The invitation of an inactive shop still waits.
    """
    whose = actor if actor is OPERATOR else admit(ctx, actor, CHANGE)
    if not isinstance(whose, Shop | Operator):
        return whose
    found = find_record(ctx, whose, invite_id)
    if found is None:
        return InvitationUnknown(invite_id)
    invitation = found.invitation
    if invitation.state is not State.SCHEDULED:
        return TooLate(invitation.state)
    if invitation.reason is Reason.OPERATOR and invitation.due_at <= ctx.now:
        return invitation
    due = invitation.moved(State.SCHEDULED, Reason.OPERATOR, ctx.now, due_at=ctx.now)
    if not ctx.store.invitations.change(invitation, due):
        return TooLate(reread(ctx, invitation).state)
    record(ctx, found.shop, who_acts(ctx, actor), Action.INVITATION_SENT_NOW, due.invite_id)
    return due


@write(locks=invitation_locks)
def resolve_as_sent(ctx: UnitContext, invite_id: str) -> Invitation | InvitationUnknown | NotUncertain:
    """Resolve an uncertain invitation as sent, because an operator found out that it has arrived."""
    invitation = locate(ctx, invite_id)
    if invitation is None:
        return InvitationUnknown(invite_id)
    return resolve_uncertain(ctx, invitation, State.SENT)


@write(locks=invitation_locks)
def resolve_by_resending(
    ctx: UnitContext, invite_id: str
) -> Invitation | InvitationUnknown | NotUncertain | AddressErased:
    """Resolve an uncertain invitation by sending it again at once, although it may have arrived already."""
    invitation = locate(ctx, invite_id)
    if invitation is None:
        return InvitationUnknown(invite_id)
    if invitation.state is State.UNCERTAIN and invitation.sealed_address is None:
        return AddressErased()
    return resolve_uncertain(ctx, invitation, State.SCHEDULED)


MOST_AT_ONCE = 500


@attrs.frozen(kw_only=True)
class UncertainQuery:
    """Selects uncertain invitations: of one shop or all, for one reason or any."""

    site_id: str | None = None
    reason: Reason | None = None


@attrs.frozen(kw_only=True)
class ManyResolved:
    """How many invitations were resolved, and how many stay uncertain because their address is erased."""

    resolved: int = 0
    erased: int = 0

    def and_also(self, other: ManyResolved) -> ManyResolved:
        """Return the sum of both."""
        return ManyResolved(resolved=self.resolved + other.resolved, erased=self.erased + other.erased)


@read
def list_uncertain(
    ctx: UnitContext, query: UncertainQuery, after: Invitation | None
) -> Sequence[Invitation] | ShopUnknown:
    """Return the next batch of uncertain invitations, ordered by shop and id; it follows `after`, or is the first."""
    shop = None
    if query.site_id is not None:
        shop = ctx.store.shops.by_site_id(query.site_id)
        if shop is None:
            return ShopUnknown(query.site_id)
    return ctx.store.invitations.uncertain(shop=shop, reason=query.reason, after=after, limit=MOST_AT_ONCE)


def _locks(uncertain: Sequence[Invitation], *, resend: bool) -> frozenset[int]:  # noqa: ARG001 - as the use case
    return frozenset(invitation_lock(each.invite_id) for each in uncertain)


@write(locks=_locks)
def resolve_batch(ctx: UnitContext, uncertain: Sequence[Invitation], *, resend: bool) -> ManyResolved:
    """Resolve those invitations that are still uncertain: as sent, or with `resend` by sending them again at once."""
    resolved = erased = 0
    for now in (reread(ctx, each) for each in uncertain):
        if resend and now.state is State.UNCERTAIN and now.sealed_address is None:
            erased += 1
        elif isinstance(resolve_uncertain(ctx, now, State.SCHEDULED if resend else State.SENT), Invitation):
            resolved += 1
    return ManyResolved(resolved=resolved, erased=erased)


def note_sign_of_life(ctx: UnitContext, address_hash: bytes) -> bool:
    """End the suppression of a dead mailbox, because somebody reads its mail; return whether there was one."""
    return ctx.store.suppressions.remove(address_hash, shop_number=None, by=SuppressedBy.BOUNCE) is not None


def miscounted_invitations(store: Store) -> Sequence[str]:
    """Return, in words, which stored figures differ from a recount; reads every invitation."""
    return [
        f"the stored figures for the invitations of {shop.site_id} differ from a recount; `reviewinvite db recount` "
        "corrects them"
        for shop in _wrong(store)
    ]


@write()
def recount_invitations(ctx: UnitContext) -> Sequence[str]:
    """Replace stored figures that differ from a recount; return the site ids of their shops, sorted."""
    ctx.store.invitation_figures.freeze()
    wrong = _wrong(ctx.store)
    for shop in wrong:
        ctx.store.invitation_figures.keep(shop.number, ctx.store.invitation_figures.recount(shop.number))
    return [shop.site_id.text for shop in wrong]


def _wrong(store: Store) -> Sequence[Shop]:
    figures = store.invitation_figures
    return [shop for shop in store.shops.every() if figures.figures(shop.number) != figures.recount(shop.number)]
