"""All refusals: what a use case answers instead of doing what it was asked to (ADR-2).

First those of the JSON API.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import attrs

from reviewinvite_core.domain.refused import Refusal, RefusalKind, gettext_noop


@attrs.frozen
class KeyRefused(Refusal):
    """No key was presented, or the key is malformed, unknown or revoked (Spec: §5, 401), or may not do this (§4.13).

    An actor gets it as well who is a member without the role any more (§10.1), or acts for another database's shop.
    """

    kind, code, in_api = RefusalKind.FORBIDDEN, "key_invalid", True
    sentence = gettext_noop("The API key is invalid or has been revoked.")
    missing = gettext_noop("The API key is missing.")
    presented: bool

    @property
    def explanation(self) -> str:
        """A sentence in English; it tells a missing key from a bad one."""
        return self.sentence if self.presented else self.missing


@attrs.frozen
class ShopInactive(Refusal):
    """The shop is not active (Spec: §5, 403)."""

    kind, code, in_api = RefusalKind.FORBIDDEN, "shop_inactive", True
    sentence = gettext_noop("The shop is not active.")


@attrs.frozen
class OriginForeign(Refusal):
    """The request comes from no verified domain of the shop, or there is no such shop (Spec: §5, 403)."""

    kind, code, in_api = RefusalKind.FORBIDDEN, "origin_refused", True
    sentence = gettext_noop("This request does not come from a verified domain of the shop.")


@attrs.frozen
class SnippetOff(Refusal):
    """The shop takes no orders from browsers (Spec: §4.2, 403)."""

    kind, code, in_api = RefusalKind.FORBIDDEN, "snippet_off", True
    sentence = gettext_noop("The shop does not accept orders from web pages.")


@attrs.frozen
class SignatureRefused(Refusal):
    """The shop takes signed orders from browsers only, and this one's signature is missing or wrong (§4.2, 403)."""

    kind, code, in_api = RefusalKind.FORBIDDEN, "signature_refused", True
    sentence = gettext_noop("The signature of the order is missing or incorrect.")


@attrs.frozen
class ShopUnknown(Refusal):
    """There is no shop with this site id."""

    kind, code, in_api = RefusalKind.UNKNOWN, "shop_unknown", True
    sentence = gettext_noop("This shop does not exist.")
    detail = 'No shop "{0.site_id}".'
    site_id: str


@attrs.frozen
class InvitationUnknown(Refusal):
    """There is no invitation with this id, or it belongs to another shop."""

    kind, code, in_api = RefusalKind.UNKNOWN, "invitation_unknown", True
    sentence = gettext_noop("This invitation does not exist.")
    detail = "There is no invitation {0.invite_id}."
    invite_id: str


@attrs.frozen
class ReviewUnknown(Refusal):
    """There is no review with this id, or it belongs to another shop."""

    kind, code, in_api = RefusalKind.UNKNOWN, "review_unknown", True
    sentence = gettext_noop("This review does not exist.")
    detail = "There is no review {0.review_id}."
    review_id: str


@attrs.frozen
class DomainUnknown(Refusal):
    """The shop has no such host."""

    kind, code, in_api = RefusalKind.UNKNOWN, "domain_unknown", True
    sentence = gettext_noop("This domain does not belong to this shop.")
    detail = "The shop has no domain {0.host}."
    host: str


@attrs.frozen
class TooLate(Refusal):
    """The invitation's current `state` no longer allows this (docs/states.md)."""

    kind, code, in_api = RefusalKind.CONFLICT, "too_late", True
    sentence = gettext_noop("It is too late for this.")
    detail = "It is too late: the invitation is {0.state}."
    state: str


@attrs.frozen
class ReviewStateConflict(Refusal):
    """The review's current `state` does not allow the requested change (docs/states.md)."""

    kind, code, in_api = RefusalKind.CONFLICT, "review_stands", True
    sentence = gettext_noop("This is not possible for a review that is hidden or withdrawn.")
    detail = "The review is {0.state}, so this is not possible."
    state: str


@attrs.frozen
class DomainTaken(Refusal):
    """Another shop has verified this host, or one that covers it, and must release it first."""

    kind, code, in_api = RefusalKind.CONFLICT, "domain_taken", True
    sentence = gettext_noop("This domain belongs to another shop.")
    detail = "Another shop has verified {0.host}, or a host that covers it, and must remove it first."
    host: str


@attrs.frozen
class SignatureUnseen(Refusal):
    """The shop has sent no valid signature yet, so that signed orders only would be none (Spec: §4.13, 409)."""

    kind, code, in_api = RefusalKind.CONFLICT, "signature_unseen", True
    sentence = gettext_noop("The shop has not yet sent an order with a correct signature.")
    detail = "No order with a valid signature has come yet."


def whole_seconds(wait: timedelta) -> int:
    """Return the whole seconds of a wait, rounded up, at least 1."""
    return max(1, -(-wait // timedelta(seconds=1)))


@attrs.frozen
class LimitReached(Refusal):
    """A limit is used up; `retry_at` is the earliest instant at which it admits another call (Spec: §8, 429).

    `limit` is the name of its setting, if it has one, for the operator's metrics.
    """

    kind, code, in_api = RefusalKind.LIMITED, "limit_reached", True
    sentence = gettext_noop("Too many requests. Try again later.")
    detail = "The limit is used up until {0.retry_at:%Y-%m-%d %H:%M:%S} UTC."
    asked_at: datetime
    retry_at: datetime
    limit: str = attrs.field(default="", eq=False, repr=False)

    @property
    def retry_after_seconds(self) -> int:
        """Whole seconds to wait, rounded up, at least 1."""
        return whole_seconds(self.retry_at - self.asked_at)


@attrs.frozen
class ShopExists(Refusal):
    """The site id is taken."""

    kind, code = RefusalKind.CONFLICT, "shop_exists"
    sentence = gettext_noop("A shop with this site id already exists.")
    detail = 'Shop "{0.site_id}" already exists.'
    site_id: str


@attrs.frozen
class KeyExists(Refusal):
    """The request that made this key was repeated; the key's text cannot be shown again."""

    kind, code = RefusalKind.CONFLICT, "key_exists"
    sentence = gettext_noop("This API key has already been created.")
    detail = "This request has made the key {0.key_id} before."
    key_id: str


@attrs.frozen
class KeyUnknown(Refusal):
    """There is no API key with this id."""

    kind, code = RefusalKind.UNKNOWN, "key_unknown"
    sentence = gettext_noop("This API key does not exist.")
    detail = "There is no key {0.key_id}."
    key_id: str


@attrs.frozen
class TrustMarkStateConflict(Refusal):
    """The current state of the shop's trust mark, `mark`, does not allow the requested change (docs/states.md)."""

    kind, code = RefusalKind.CONFLICT, "mark_stands"
    sentence = gettext_noop("The trust mark cannot be changed in this way.")
    detail = "There is nothing to revoke: the shop's trust mark is {0.mark}."
    mark: str


@attrs.frozen
class SigningKeyUnknown(Refusal):
    """There is no signing key with this id."""

    kind, code = RefusalKind.UNKNOWN, "signing_key_unknown"
    sentence = gettext_noop("This key does not exist.")
    detail = "There is no signing key {0.key_id}."
    key_id: str


@attrs.frozen
class StandbyTooNew(Refusal):
    """The standby key has been published for less than 24 hours; `ready_at` is when that time is over."""

    kind, code = RefusalKind.CONFLICT, "standby_too_new"
    sentence = gettext_noop("The standby key has not been published for 24 hours yet.")
    detail = "The standby key can be used from {0.ready_at:%Y-%m-%d %H:%M:%S} UTC, when every verifier knows it."
    ready_at: datetime


@attrs.frozen
class AlreadyCompromised(Refusal):
    """The signing key has already been withdrawn as compromised."""

    kind, code = RefusalKind.CONFLICT, "already_compromised"
    sentence = gettext_noop("This key has already been revoked.")
    detail = "The signing key {0.key_id} has already been revoked."
    key_id: str


@attrs.frozen
class NotUncertain(Refusal):
    """The invitation's outcome is not in doubt, so there is nothing to resolve; `state` is its current state."""

    kind, code = RefusalKind.CONFLICT, "not_uncertain"
    sentence = gettext_noop("The invitation is not uncertain.")
    detail = "There is nothing to resolve: the invitation is {0.state}, not uncertain."
    state: str


@attrs.frozen
class AddressErased(Refusal):
    """The customer's address has been erased, so nothing can be sent to it."""

    kind, code = RefusalKind.CONFLICT, "address_erased"
    sentence = gettext_noop("The customer’s address has been erased, so nothing can be sent.")


@attrs.frozen
class NotSuppressed(Refusal):
    """The address has no such suppression; `elsewhere` is whether it has one for another shop or for all shops."""

    kind, code = RefusalKind.UNKNOWN, "not_suppressed"
    sentence = gettext_noop("This address is not unsubscribed here.")
    detail = "That address is not suppressed."
    elsewhere: bool

    @property
    def explanation(self) -> str:
        """A sentence in English; it says if the address is suppressed elsewhere."""
        return self.detail + (" It is suppressed elsewhere." if self.elsewhere else "")


@attrs.frozen
class OptedOut(Refusal):
    """The customer opted out, and only the customer can undo that (ADR-16)."""

    kind, code = RefusalKind.CONFLICT, "opted_out"
    sentence = gettext_noop("The customer has unsubscribed. Only the customer can undo that.")
    detail = "The customer opted out."


@attrs.frozen
class MemberUnknown(Refusal):
    """The shop has no such member."""

    kind, code = RefusalKind.UNKNOWN, "member_unknown"
    sentence = gettext_noop("The shop has no such member.")


@attrs.frozen
class MemberExists(Refusal):
    """The person with this address is a member of the shop already."""

    kind, code = RefusalKind.CONFLICT, "member_exists"
    sentence = gettext_noop("This person is a member of the shop already.")
    member_id: str


@attrs.frozen
class LastOwner(Refusal):
    """The member is the shop's last owner, and can neither leave nor become staff."""

    kind, code = RefusalKind.CONFLICT, "last_owner"
    sentence = gettext_noop("The shop’s last owner can neither leave nor become staff.")
    detail = "This is the shop's last owner."
    member_id: str


@attrs.frozen
class ChangedMeanwhile(Refusal):
    """Somebody else has changed the same thing since it was shown; nothing was changed."""

    kind, code = RefusalKind.CONFLICT, "changed_meanwhile"
    sentence = gettext_noop("Someone else has changed this since it was shown.")


@attrs.frozen
class NoNameWaiting(Refusal):
    """The shop asks for no other name, so there is none to approve."""

    kind, code = RefusalKind.CONFLICT, "no_name_waiting"
    sentence = gettext_noop("No name waits for approval.")


@attrs.frozen
class RoleRefused(Refusal):
    """The member's role at the shop does not allow this; only an owner may do it."""

    kind, code = RefusalKind.FORBIDDEN, "role_refused"
    sentence = gettext_noop("Only an owner of the shop may do this.")


@attrs.frozen
class SignInTooOld(Refusal):
    """The action needs a sign-in within the last 15 minutes."""

    kind, code = RefusalKind.FORBIDDEN, "sign_in_too_old"
    sentence = gettext_noop("Sign in again to do this.")


EVERY: tuple[type[Any], ...] = tuple(
    each
    for each in list(vars().values())
    if isinstance(each, type) and issubclass(each, Refusal) and each is not Refusal
)
"""All refusals except `Invalid`, which is also an exception."""
