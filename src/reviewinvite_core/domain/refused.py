"""Refusals as exceptions, for callers that prefer them. ADR-2, ADR-41."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from typing import TypeVar, cast, get_args

import attrs

from reviewinvite_core.domain import errors
from reviewinvite_core.domain.errors import Invalid, KeyRefused, NotSuppressed, Refusal

T = TypeVar("T")

_REFUSALS = frozenset(get_args(Refusal))

_SENTENCES: Mapping[type, str] = {
    errors.ShopInactive: "this shop is not active",
    errors.LimitReached: "the limit is used up until {retry_at:%Y-%m-%d %H:%M:%S} UTC",
    errors.ShopUnknown: 'there is no shop "{site_id}"',
    errors.OriginForeign: "the request does not come from a verified domain of the shop",
    errors.SnippetOff: "the shop takes no orders from browsers",
    errors.SignatureRefused: "the signature of the report is missing or wrong",
    errors.SignatureUnseen: "no report with a valid signature has come yet",
    errors.DomainUnknown: 'the shop has no domain "{host}"',
    errors.DomainTaken: 'another shop has verified "{host}", or a domain that covers it',
    errors.ShopExists: 'there already is a shop "{site_id}"',
    errors.KeyExists: 'this request has made the key "{key_id}" before',
    errors.KeyUnknown: 'there is no API key with the id "{key_id}"',
    errors.InvitationUnknown: 'there is no invitation "{invite_id}"',
    errors.ReviewUnknown: 'there is no review "{review_id}"',
    errors.ReviewStateConflict: "the review is {state}, which does not allow this",
    errors.TooLate: "it is too late: the invitation is {state}",
    errors.NotUncertain: "the invitation is not uncertain but {state}",
    errors.TrustMarkStateConflict: "the trust mark is {mark}, which does not allow this",
    errors.SigningKeyUnknown: 'there is no signing key with the id "{key_id}"',
    errors.StandbyTooNew: "the standby key is too new to sign until {ready_at:%Y-%m-%d %H:%M:%S} UTC",
    errors.AlreadyCompromised: 'the signing key "{key_id}" was revoked before',
    errors.AddressErased: "the address is erased, so nothing can be sent to it",
    errors.OptedOut: "the customer opted out, and only the customer can undo that",
    errors.MemberUnknown: "the shop has no such member",
    errors.MemberExists: "this person is a member of the shop already",
    errors.LastOwner: "the shop's last owner can neither leave nor become staff",
    errors.ChangedMeanwhile: "somebody else has changed this since it was shown",
    errors.NoNameWaiting: "no name of this shop waits for approval",
    errors.RoleRefused: "only an owner of the shop may do this",
    errors.SignInTooOld: "this needs a sign-in within the last 15 minutes",
}


class Refused(Exception):
    """A call was refused; `refusal` is what it returned."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal)
        self.refusal = refusal

    def __str__(self) -> str:
        """Return the refusal as a sentence: `there is no shop "bakery"`."""
        match self.refusal:
            case Invalid() as invalid:
                return f"invalid value: {invalid}"
            case KeyRefused(presented):
                return "malformed, unknown or revoked API key" if presented else "no API key was given"
            case NotSuppressed(elsewhere):
                return "this address is not suppressed" + (" there, only elsewhere" if elsewhere else "")
            case refusal:
                return _SENTENCES[type(refusal)].format(**attrs.asdict(refusal, recurse=False))


def accepted(answer: T | Refusal) -> T:
    """Return the answer of a call, unless it is a refusal.

    `LinkClosed` is an answer and no refusal: it holds the link, with what the customer may still see.

    Raises: `Refused`; `TypeError` for a coroutine, whose answer is not known yet.
    """
    if type(answer) in _REFUSALS:  # `isinstance` would ask each of them, for every answer
        raise Refused(cast("Refusal", answer))
    if isinstance(answer, Awaitable):
        raise TypeError("a coroutine has no answer yet: write `accepted(await ...)`")
    return cast("T", answer)
