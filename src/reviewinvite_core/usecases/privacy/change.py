"""Suppress addresses, lift suppressions, and erase personal data. Spec: §1 (what is kept), §6, ADR-16.

Erasing removes the sealed address, and on request also the customer's reviews and the content of messages. Histories
and the keyed hashes of orders, opt-outs and messages remain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.errors import NotSuppressed, OptedOut, ShopUnknown
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.domain.reviews import Act, ReviewState
from reviewinvite_core.domain.suppressions import Reach, SuppressedBy, Suppression
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.change import note_sign_of_life, transition_if_allowed
from reviewinvite_core.usecases.messages.erase import erase_message
from reviewinvite_core.usecases.privacy.read import (
    Subscription,
    SuppressionRecord,
    address_hash_of,
    invitation_of_link,
    shop_for,
    subscription_of,
)
from reviewinvite_core.usecases.reviews.change import exclusive_locks, save_review


def stop_waiting(ctx: UnitContext, address_hash: bytes, shop_number: int | None) -> int:
    """Suppress the address's pending invitations at one shop, or at all for `shop_number` None; return how many."""
    waiting = ctx.store.invitations.of_address(address_hash, shop_number=shop_number)
    moved = [(each, transition_if_allowed(ctx, each, State.SUPPRESSED, Reason.OPTED_OUT)) for each in waiting]
    return sum(before.state is not after.state is State.SUPPRESSED for before, after in moved)


@write()
def add_suppression(ctx: UnitContext, email: str, site_id: str | None) -> SuppressionRecord | ShopUnknown:
    """Suppress an address for one shop, or for all shops if `site_id` is None.

    Its pending invitations are suppressed. If the address is already suppressed there, that suppression stays as
    it is, unless it is for a dead mailbox: then it is replaced.

    Raises: `Invalid` if `email` is not an address.
    """
    hashed = address_hash_of(ctx, email)
    shop = shop_for(ctx, site_id)
    if isinstance(shop, ShopUnknown):
        return shop
    number = shop.number if shop else None
    new = Suppression(address_hash=hashed, shop_number=number, by=SuppressedBy.OPERATOR, suppressed_at=ctx.now)
    added = ctx.store.suppressions.add(new)
    stored = new if added else _find_stored(ctx, hashed, number) or new
    return SuppressionRecord(suppression=stored, shop=shop, stopped=stop_waiting(ctx, hashed, number))


def _find_stored(ctx: UnitContext, hashed: bytes, shop_number: int | None) -> Suppression | None:
    every = ctx.store.suppressions.of_address(hashed)
    return next((each for each in every if each.shop_number == shop_number), None)


@write()
def remove_suppression(
    ctx: UnitContext, email: str, site_id: str | None, word: SuppressedBy
) -> SuppressionRecord | ShopUnknown | NotSuppressed | OptedOut:
    """Remove the suppression for one shop, or the one for all shops if `site_id` is None; return it.

    A customer's own opt-out is removed only at the customer's request. Invitations already suppressed stay suppressed.

    Raises: `Invalid` if `email` is not an address.
    """
    hashed = address_hash_of(ctx, email)
    shop = shop_for(ctx, site_id)
    if isinstance(shop, ShopUnknown):
        return shop
    removed = ctx.store.suppressions.remove(hashed, shop_number=shop.number if shop else None)
    if removed is None or not removed.holds_at(ctx.now):
        others = ctx.store.suppressions.of_address(hashed)
        return NotSuppressed(elsewhere=any(each.holds_at(ctx.now) for each in others))
    if removed.by is SuppressedBy.CUSTOMER and word is not SuppressedBy.CUSTOMER:
        ctx.store.suppressions.add(removed)
        return OptedOut()
    return SuppressionRecord(suppression=removed, shop=shop)


MOST_MAILBOXES_AT_ONCE = 500


def suppress_dead_mailbox(ctx: UnitContext, address_hash: bytes) -> None:
    """Suppress an address at all shops for 180 days, with its pending invitations: a mail server has no such mailbox.

    A person's suppression for all shops stays as it is.
    """
    ctx.store.suppressions.add(Suppression.of_dead_mailbox(address_hash, ctx.now))
    stop_waiting(ctx, address_hash, None)


@write()
def expire_suppressions(ctx: UnitContext) -> int:
    """Delete suppressions that have expired, at most 500 at once; return how many."""
    return ctx.store.suppressions.sweep(ctx.now, MOST_MAILBOXES_AT_ONCE)


def link_locks(token: str, _: Reach) -> frozenset[int]:
    """Return the lock of the link.

    The lock is not shared with orders, because the link does not reveal the address. An order reported at the same
    instant may therefore be scheduled; its invitation is stopped at the fence.
    """
    return frozenset({lock_id(LockKind.LINK, token)})


@write(locks=link_locks)
def unsubscribe(ctx: UnitContext, token: str, reach: Reach) -> Subscription | None:
    """Suppress the address for the link's shop or for all shops; return None if the token is not ours.

    Its pending invitations are suppressed. The link never expires, not even when the address is erased. Using it
    proves that the invitation arrived: if uncertain, it becomes sent, and a suppression as a dead mailbox ends.
    """
    found = invitation_of_link(ctx, token)
    if found is None:
        return None
    invitation, shop = found
    shop_number = None if reach is Reach.EVERY_SHOP else shop.number
    suppression = Suppression(
        address_hash=invitation.address_hash, shop_number=shop_number, by=SuppressedBy.CUSTOMER, suppressed_at=ctx.now
    )
    note_sign_of_life(ctx, invitation.address_hash)
    ctx.store.suppressions.add(suppression)
    stop_waiting(ctx, invitation.address_hash, shop_number)
    transition_if_allowed(ctx, invitation, State.SENT, Reason.LINK_OPENED)
    return subscription_of(ctx, invitation, shop)


def token_locks(token: str) -> frozenset[int]:
    """Return the lock of the link, the same as for opting out by the link."""
    return frozenset({lock_id(LockKind.LINK, token)})


@write(locks=token_locks)
def resubscribe(ctx: UnitContext, token: str) -> Subscription | None:
    """Remove the customer's own opt-outs of the link's shop and of all shops; return None if the token is not ours.

    Suppressions by an operator stay, and suppressed invitations stay suppressed. Using the link proves that the
    invitation arrived: if uncertain, it becomes sent, and a suppression as a dead mailbox ends.
    """
    found = invitation_of_link(ctx, token)
    if found is None:
        return None
    invitation, shop = found
    for shop_number in (shop.number, None):
        ctx.store.suppressions.remove(invitation.address_hash, shop_number=shop_number, by=SuppressedBy.CUSTOMER)
    note_sign_of_life(ctx, invitation.address_hash)
    transition_if_allowed(ctx, invitation, State.SENT, Reason.LINK_OPENED)
    return subscription_of(ctx, invitation, shop)


MOST_AT_ONCE = 500


@attrs.frozen(kw_only=True)
class Erasure:
    """Result of an erasure: how many invitations, messages and members lost their address; and what was cancelled.

    `reviews` is the number of reviews that were erased, or that lost their author's name if reviews are kept.
    """

    erased: int
    cancelled: Sequence[Invitation]
    reviews: int = 0


@write(locks=exclusive_locks)
def erase_address(ctx: UnitContext, email: str, *, keep_reviews: bool = False) -> Erasure:
    """Erase this address at every shop, whatever the state of its invitations; repeating it changes nothing.

    Invitations that have not been handed over are cancelled. The customer's reviews are erased and no longer count, or
    stay without a name with `keep_reviews`. A member of a shop stays one; a former member is deleted.

    Raises: `Invalid` if `email` is not an address.
    """
    hashed = address_hash(ctx.ring.address, EmailAddress.parse(email))
    invitations = ctx.store.invitations.of_address(hashed, shop_number=None)
    reviews = sum(_erase_review(ctx, each, keep=keep_reviews) for each in invitations)
    messages = sum(erase_message(ctx, each) for each in ctx.store.messages.of_address(hashed))
    erasure = _erase(ctx, invitations)
    return attrs.evolve(erasure, erased=erasure.erased + messages + _erase_former_member(ctx, hashed), reviews=reviews)


@write()
def erase_expired(ctx: UnitContext) -> Erasure:
    """Erase addresses past their retention, at most 500 at once; cancel those invitations that still wait.

    Invitations being handed over wait until that is finished.
    """
    return _erase(ctx, ctx.store.invitations.to_erase(ctx.now - ctx.policies.retention, MOST_AT_ONCE))


def _erase_review(ctx: UnitContext, invitation: Invitation, *, keep: bool) -> bool:
    """Erase an invitation's review, or with `keep` its author's name; return whether there was something to erase."""
    review = ctx.store.reviews.of_invitation(invitation.shop_number, invitation.invite_id)
    if review is None or review.state is ReviewState.WITHDRAWN or (keep and review.author is None):
        return False
    save_review(ctx, review, review.nameless(ctx.now) if keep else review.emptied(Act.ERASED, ctx.now))
    return True


def _erase_former_member(ctx: UnitContext, hashed: bytes) -> bool:
    """Delete a person who is a member of no shop any more; return whether there was one."""
    member = ctx.store.members.by_address(hashed)
    if member is None or member.left_at is None:
        return False
    ctx.store.members.remove(member.member_id)
    return True


def _erase(ctx: UnitContext, invitations: Iterable[Invitation]) -> Erasure:
    erased, cancelled = 0, []
    for invitation in invitations:
        after = transition_if_allowed(ctx, invitation, State.CANCELLED, Reason.ERASED)
        forgotten = ctx.store.invitations.forget_address(invitation)
        erased += forgotten
        if invitation.state is not after.state is State.CANCELLED:
            cancelled.append(attrs.evolve(after, sealed_address=None))
    return Erasure(erased=erased, cancelled=cancelled)
