"""Sentences of the command line; separate from `errors` because the core is slow to import."""

from __future__ import annotations

from collections.abc import Mapping

from reviewinvite_cli.times import moment
from reviewinvite_core import Language
from reviewinvite_core.admin import StandbyTooNew
from reviewinvite_core.values import (
    AddressErased,
    AlreadyCompromised,
    ChangedMeanwhile,
    DomainTaken,
    DomainUnknown,
    Flaw,
    InvitationUnknown,
    KeyExists,
    KeyUnknown,
    LastOwner,
    MemberExists,
    MemberUnknown,
    NoNameWaiting,
    NotRetried,
    NotSuppressed,
    NotUncertain,
    OptedOut,
    Problem,
    ReviewStateConflict,
    ReviewUnknown,
    ShopExists,
    ShopInactive,
    ShopUnknown,
    SignatureUnseen,
    SigningKeyUnknown,
    TooLate,
    TrustMarkStateConflict,
)

PARAMETERS: Mapping[str, str] = {
    "siteId": "SITE_ID",
    "email": "EMAIL",
    "name": "--name",
    "label": "--label",
    "orderNumber": "--order-number",
    "before": "--cursor",
    "language": "--language",
    "delayDays": "--delay-days",
    "replyTo": "--reply-to",
    "host": "HOST",
    "reason": "--reason",
    "role": "--role",
    "text": "TEXT",
    "theme": "--theme",
    "size": "--size",
    "snippet": "--snippet",
}
"""The command line's names for the interface's fields."""

PROBLEMS: Mapping[str, str] = {
    Problem.INVALID_ADDRESS: "is not a valid e-mail address",
    Problem.EMPTY: "must not be empty",
    Problem.TOO_LONG: "is too long",
    Problem.FORBIDDEN_CHARACTERS: "contains characters that are not allowed",
    Problem.OUT_OF_RANGE: "must be a number from 0 to 60",
    Problem.NOT_A_HOST: "is not a host name: use one like www.example.nl, without https://, port or path",
    Problem.PUBLIC_SUFFIX: "is a public suffix, under which anybody can register names: use the shop's own host",
    Problem.UNKNOWN_LANGUAGE: f"must be one of: {', '.join(Language)}",
    Problem.UNKNOWN_THEME: "must be light, dark or auto",
    Problem.UNKNOWN_SIZE: "must be small, medium or large",
    Problem.UNKNOWN_SNIPPET: "must be open, signed or off",
    Problem.UNKNOWN_REASON: "must be unlawful, personal_data, insult, spam, not_a_customer or other",
    Problem.MALFORMED: "has the wrong format",
    Problem.WRONG_TYPE: "must be a number from 0 to 60",
    "wrong_number_of_fields": "the line has more or fewer fields than the first line",
    "malformed_csv": "the line has a misplaced or unclosed quote",
}
"""What is wrong with a value."""

FLAWS: Mapping[Flaw, str] = {
    Flaw.TOO_LARGE: "the statement or the key set is too large",
    Flaw.MALFORMED: "it is not a statement in the service's format",
    Flaw.KEY_SET_MALFORMED: "the key set is not a JWK Set in the service's format",
    Flaw.WRONG_ALGORITHM: "it is not signed with Ed25519",
    Flaw.UNKNOWN_KEY: (
        "its key is not in the key set. Either the set is older than the key (fetch it again), "
        "or the key is compromised, retired long ago, or another service's"
    ),
    Flaw.WRONG_SIGNATURE: "its signature does not match its key: it was changed or forged",
    Flaw.WRONG_TYPE: "the signed content is not a statement about a shop",
    Flaw.ANOTHER_SITE: "it is about another shop",
    Flaw.LIVES_TOO_LONG: "it is valid for more than 10 minutes, which no genuine statement is",
    Flaw.NOT_YET_ISSUED: "it was issued in the future, according to this machine's clock",
    Flaw.EXPIRED: "it has expired, according to this machine's clock",
}
"""Why a statement must not be trusted."""

REFUSALS: Mapping[type, str] = {
    AddressErased: "the customer's address has been erased, so nothing can be sent.",
    AlreadyCompromised: "the signing key {0.key_id} has already been revoked.",
    DomainTaken: "another shop has verified {0.host}, or a host that covers it, and must remove it first.",
    DomainUnknown: "the shop has no domain {0.host}. Add it: reviewinvite domain add SITE_ID {0.host}",
    InvitationUnknown: "there is no invitation {0.invite_id}. List them: reviewinvite invitation list",
    KeyExists: "this request has made the key {0.key_id} before.",
    KeyUnknown: "there is no key {0.key_id}. List them: reviewinvite key list SITE_ID",
    LastOwner: "this is the shop's last owner. Add another one first: reviewinvite member add SITE_ID EMAIL",
    MemberExists: "this person is a member of the shop already. List them: reviewinvite member list SITE_ID",
    MemberUnknown: "the shop has no such member. List them: reviewinvite member list SITE_ID",
    ChangedMeanwhile: "somebody else has changed this since it was shown.",
    NoNameWaiting: "no name waits for approval.",
    NotSuppressed: "that address is not suppressed.",
    NotUncertain: "there is nothing to resolve: the invitation is {0.state}, not uncertain.",
    OptedOut: "the customer opted out; add --customer-asked if the customer wants to undo that.",
    ReviewStateConflict: "the review is {0.state}, so this is not possible.",
    ReviewUnknown: "there is no review {0.review_id}. List them: reviewinvite review list",
    ShopExists: 'shop "{0.site_id}" already exists.',
    SignatureUnseen: (
        "no order with a valid signature has come yet, so the shop's pages would lose all orders. Sign them first: "
        "reviewinvite snippet secret SITE_ID"
    ),
    ShopInactive: "the shop is not active. Activate it: reviewinvite shop activate SITE_ID",
    ShopUnknown: 'no shop "{0.site_id}". List shops: reviewinvite shop list',
    SigningKeyUnknown: "there is no signing key {0.key_id}. List them: reviewinvite signing-key list",
    StandbyTooNew: (
        "the standby key can be used from {when}, when every verifier knows it. Use --now to rotate anyway."
    ),
    TooLate: "it is too late: the invitation is {0.state}.",
    TrustMarkStateConflict: "there is nothing to revoke: the shop's trust mark is {0.mark}.",
}
"""The sentence for each refusal, with its attributes filled in."""

NOT_RETRIED: Mapping[NotRetried, str] = {
    NotRetried.UNKNOWN: "there is no such invitation",
    NotRetried.NOT_REJECTED: "only a rejected invitation can be tried again",
    NotRetried.ERASED: "the customer's address has been erased",
    NotRetried.NO_MAILBOX: "the mail server has said that there is no such mailbox",
    NotRetried.SUPPRESSED: "the customer's address is suppressed",
    NotRetried.UNCERTAIN: "it has been uncertain, so it may have arrived",
    NotRetried.OLDER: "it was rejected before a migration or `db reconcile`, and may have been sent elsewhere since",
}
"""Why an invitation is not tried again."""


def refusal_in_words(result: object) -> str | None:
    """Return the sentence of a refusal, or None for any other result."""
    sentence = REFUSALS.get(type(result))
    if sentence is None:
        return None
    if isinstance(result, NotSuppressed) and result.elsewhere:
        sentence += " It is suppressed elsewhere: `reviewinvite privacy export EMAIL` shows where."
    return sentence.format(result, when=moment(result.ready_at) if isinstance(result, StandbyTooNew) else "")
