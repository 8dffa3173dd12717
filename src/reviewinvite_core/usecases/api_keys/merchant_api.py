"""What the merchant's API does with one request: who asks, within which limit, then the answer. Spec: §4.6, ADR-30."""

from __future__ import annotations

from typing import TypeAlias

import attrs

from reviewinvite_core.domain.api_key import Caller, SecretKey
from reviewinvite_core.domain.bookmarks import Bookmark
from reviewinvite_core.domain.errors import (
    Invalid,
    InvitationUnknown,
    KeyRefused,
    LimitReached,
    ReviewStateConflict,
    ReviewUnknown,
    ShopInactive,
    TooLate,
)
from reviewinvite_core.domain.limits import Limit, LimitKey
from reviewinvite_core.domain.reviews import REVIEWS_LOCK, NewReply
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.api_keys.authentication import holders_of
from reviewinvite_core.usecases.api_keys.rate_limit import consume_rate_limit
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.invitations.merchant import (
    MerchantInvitationQuery,
    MerchantInvitations,
    cancel_merchant_invitation,
    get_merchant_invitation,
    list_merchant_invitations,
)
from reviewinvite_core.usecases.invitations.records import InvitationRecord, invitation_locks
from reviewinvite_core.usecases.reviews.list_changes import MerchantReviews, list_merchant_reviews
from reviewinvite_core.usecases.reviews.records import ReviewRecord
from reviewinvite_core.usecases.reviews.reply import answer_review

RequestRejected: TypeAlias = KeyRefused | LimitReached | Invalid
"""Why a question is not answered, whatever it was about."""
ReplyAnswer: TypeAlias = ReviewRecord | ReviewUnknown | ReviewStateConflict | ShopInactive | RequestRejected
CancellationAnswer: TypeAlias = InvitationRecord | InvitationUnknown | TooLate | ShopInactive | RequestRejected


@attrs.frozen(kw_only=True)
class MerchantReviewQuery:
    """Which of a shop's reviews: those that changed after this place, at most `limit`."""

    after: Bookmark
    limit: int = 50


def read_locks(key: SecretKey, _: object) -> frozenset[int]:
    """What a question must have to itself (`ports.LockedUnit`): its key's limit."""
    return frozenset({key.lock})


def reply_locks(key: SecretKey, _: str, __: object) -> frozenset[int]:
    """What a reply must have to itself: its key's limit, and all reviews (ADR-27)."""
    return frozenset({key.lock, REVIEWS_LOCK})


def cancellation_locks(key: SecretKey, invite_id: str, _: object) -> frozenset[int]:
    """What a cancellation must have to itself: its key's limit, and the invitation."""
    return invitation_locks(invite_id) | {key.lock}


@write(locks=read_locks)
def serve_reviews(
    ctx: UnitContext, key: SecretKey, asked: MerchantReviewQuery | Invalid
) -> MerchantReviews | RequestRejected:
    """List reviews changed since the cursor. Invalid queries still count against the rate limit."""
    caller = _reader(ctx, key)
    if not isinstance(caller, Caller):
        return caller
    return asked if isinstance(asked, Invalid) else list_merchant_reviews(ctx, caller, asked.after, asked.limit)


@write(locks=read_locks)
def serve_invitations(
    ctx: UnitContext, key: SecretKey, asked: MerchantInvitationQuery | Invalid
) -> MerchantInvitations | RequestRejected:
    """List the shop's invitations. Invalid queries still count against the rate limit."""
    caller = _reader(ctx, key)
    if not isinstance(caller, Caller):
        return caller
    return asked if isinstance(asked, Invalid) else list_merchant_invitations(ctx, caller, asked)


@write(locks=read_locks)
def serve_invitation(
    ctx: UnitContext, key: SecretKey, invite_id: str
) -> InvitationRecord | InvitationUnknown | RequestRejected:
    """One invitation of the shop, with its history."""
    caller = _reader(ctx, key)
    return get_merchant_invitation(ctx, caller, invite_id) if isinstance(caller, Caller) else caller


@write(locks=reply_locks)
def receive_reply(ctx: UnitContext, key: SecretKey, review_id: str, reply: NewReply | Invalid) -> ReplyAnswer:
    """The shop's reply to a review; a bad one still takes from the limit."""
    caller = _writer(ctx, key)
    if not isinstance(caller, Caller):
        return caller
    return reply if isinstance(reply, Invalid) else answer_review(ctx, caller, review_id, reply)


@write(locks=cancellation_locks)
def receive_cancellation(ctx: UnitContext, key: SecretKey, invite_id: str, flaw: Invalid | None) -> CancellationAnswer:
    """The shop withdraws an invitation; `flaw` is what is wrong with the request's body, which takes from the limit."""
    caller = _writer(ctx, key)
    if not isinstance(caller, Caller):
        return caller
    return flaw or cancel_merchant_invitation(ctx, caller, invite_id)


def _reader(ctx: UnitContext, key: SecretKey) -> Caller | KeyRefused | LimitReached:
    """Authenticate a read and charge the key's read limit. An inactive shop may still read what is its own."""
    caller = _admitted(ctx, key, ctx.policies.reads_per_minute, "reads", active=False)
    assert not isinstance(caller, ShopInactive)  # noqa: S101 - for the type checker
    return caller


def _writer(ctx: UnitContext, key: SecretKey) -> Caller | KeyRefused | ShopInactive | LimitReached:
    """Authenticate a write and charge the key's write limit (same rate as orders, counted separately)."""
    return _admitted(ctx, key, ctx.policies.orders_per_minute, "changes", active=True)


def _admitted(
    ctx: UnitContext, key: SecretKey, limit: Limit, counter: str, *, active: bool
) -> Caller | KeyRefused | ShopInactive | LimitReached:
    holder = holders_of(ctx, [key])[0]
    if isinstance(holder, KeyRefused):
        return holder
    api_key, shop = holder
    if active and not shop.active:
        return ShopInactive()
    limit_key = LimitKey(shop.number, f"{counter}:{api_key.key_id}")
    refused = consume_rate_limit(ctx, limit, [limit_key]).get(limit_key)
    return refused or Caller(shop_number=shop.number, site_id=shop.site_id, key_id=api_key.key_id)
