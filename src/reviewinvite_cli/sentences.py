"""The sentences of the command line; apart from `errors`, as the core takes long to import."""

from __future__ import annotations

from collections.abc import Mapping

from reviewinvite_core import (
    AddressErased,
    AlreadyCompromised,
    DomainTaken,
    DomainUnknown,
    Flaw,
    InvitationUnknown,
    KeyUnknown,
    Language,
    NotSuppressed,
    NotUncertain,
    OptedOut,
    Problem,
    ReviewStateConflict,
    ReviewUnknown,
    ShopExists,
    ShopInactive,
    ShopUnknown,
    SigningKeyUnknown,
    StandbyTooNew,
    TooLate,
    TrustMarkStateConflict,
)

PARAMETERS: Mapping[str, str] = {
    "siteId": "SITE_ID",
    "email": "EMAIL",
    "name": "--name",
    "label": "--label",
    "orderNumber": "--order-number",
    "language": "--language",
    "delayDays": "--delay-days",
    "replyTo": "--reply-to",
    "host": "HOST",
    "reason": "--reason",
    "text": "TEXT",
    "theme": "--theme",
    "size": "--size",
}
"""What the command line calls a field of the interface."""

PROBLEMS: Mapping[str, str] = {
    Problem.INVALID_ADDRESS: "is not an e-mail address that can be written to",
    Problem.EMPTY: "must not be empty",
    Problem.TOO_LONG: "is too long",
    Problem.FORBIDDEN_CHARACTERS: "holds characters that are not allowed",
    Problem.OUT_OF_RANGE: "must be a number from 0 to 60",
    Problem.NOT_A_HOST: "is not a host name: give one like www.example.nl, without https://, port or path",
    Problem.PUBLIC_SUFFIX: "is a name under which anybody may register one, so it is nobody's own",
    Problem.UNKNOWN_LANGUAGE: f"must be one of: {', '.join(Language)}",
    Problem.UNKNOWN_THEME: "must be light, dark or auto",
    Problem.UNKNOWN_SIZE: "must be small, medium or large",
    Problem.UNKNOWN_REASON: "must be unlawful, personal_data, insult, spam, not_a_customer or other",
    Problem.MALFORMED: "is not written as it has to be",
    Problem.WRONG_TYPE: "must be a number from 0 to 60",
    "wrong_number_of_fields": "the line has another number of fields than the first line",
    "malformed_csv": "the line cannot be read: a quote or a field does not end where it should",
}
"""What is wrong with a value."""

FLAWS: Mapping[Flaw, str] = {
    Flaw.TOO_LARGE: "the statement or the key set is larger than any can be",
    Flaw.MALFORMED: "it is not a statement as the service writes it",
    Flaw.KEY_SET_MALFORMED: "the key set is not a JWK Set with keys as the service publishes them",
    Flaw.WRONG_ALGORITHM: "it is signed in another way than with Ed25519",
    Flaw.UNKNOWN_KEY: (
        "its key is not in the key set. The set is older than the key (fetch it anew), "
        "or the key is compromised, retired long ago, or another service's"
    ),
    Flaw.WRONG_SIGNATURE: "its signature is not that of the key it names: it was changed, or forged",
    Flaw.WRONG_TYPE: "what was signed is not a statement about a shop",
    Flaw.ANOTHER_SITE: "it is about another shop",
    Flaw.LIVES_TOO_LONG: "it would hold for more than 10 minutes, which no statement does",
    Flaw.NOT_YET_ISSUED: "it was issued in the future, by the clock of this machine",
    Flaw.EXPIRED: "it has expired, by the clock of this machine",
}
"""Why a statement is not to be trusted."""

REFUSALS: Mapping[type, str] = {
    AddressErased: "the customer's address is erased: there is nothing to send to.",
    AlreadyCompromised: "the signing key {0.key_id} is withdrawn already.",
    DomainTaken: "another shop has verified {0.host}, or one that covers it; that shop has to remove it first.",
    DomainUnknown: "the shop has no domain {0.host}; `reviewinvite domain add SITE_ID {0.host}` adds it.",
    InvitationUnknown: "there is no invitation {0.invite_id}.",
    KeyUnknown: "there is no key {0.key_id}.",
    NotSuppressed: "the address is not suppressed there.",
    NotUncertain: "there is nothing to resolve: the invitation is {0.state}, not uncertain.",
    OptedOut: "the customer opted out; add --customer-asked if it is the customer who wants it taken back.",
    ReviewStateConflict: "that cannot be done: the review is {0.state}.",
    ReviewUnknown: "there is no review {0.review_id}.",
    ShopExists: "there is a shop {0.site_id} already.",
    ShopInactive: "the shop is not active; `reviewinvite shop activate SITE_ID` makes it so.",
    ShopUnknown: "there is no shop {0.site_id}.",
    SigningKeyUnknown: "there is no signing key {0.key_id}; `reviewinvite signing-key list` lists them.",
    StandbyTooNew: (
        "the standby can take over from {0.ready_at:%Y-%m-%d %H:%M:%S} UTC on, when every verifier knows it; "
        "--now does not wait for that."
    ),
    TooLate: "it is too late: the invitation is {0.state}.",
    TrustMarkStateConflict: "there is nothing to revoke: the shop's trust mark is {0.mark}.",
}
"""What is said of each refusal, with its attributes in it."""


def refusal_in_words(result: object) -> str | None:
    """Return the sentence of a refusal, or None for any other result."""
    sentence = REFUSALS.get(type(result))
    if sentence is None:
        return None
    if isinstance(result, NotSuppressed) and result.elsewhere:
        sentence += " It is elsewhere: `reviewinvite privacy export EMAIL` tells where."
    return sentence.format(result)
