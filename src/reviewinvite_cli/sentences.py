"""Sentences of the command line; separate from `errors` because the core is slow to import."""

from __future__ import annotations

from collections.abc import Mapping

from reviewinvite_core import Language, Refusal
from reviewinvite_core.admin import StandbyTooNew
from reviewinvite_core.values import (
    DomainUnknown,
    Flaw,
    InvitationUnknown,
    KeyUnknown,
    LastOwner,
    MemberExists,
    MemberUnknown,
    NotRetried,
    NotSuppressed,
    OptedOut,
    Problem,
    ReviewUnknown,
    ShopInactive,
    ShopUnknown,
    SignatureUnseen,
    SigningKeyUnknown,
)

PARAMETERS: Mapping[str, str] = {
    "site_id": "SITE_ID",
    "email": "EMAIL",
    "name": "--name",
    "label": "--label",
    "order_number": "--order-number",
    "before": "--cursor",
    "language": "--language",
    "delay_days": "--delay-days",
    "reply_to": "--reply-to",
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

HINTS: Mapping[type, str] = {
    DomainUnknown: ". Add it: reviewinvite domain add SITE_ID {0.host}",
    InvitationUnknown: ". List them: reviewinvite invitation list",
    KeyUnknown: ". List them: reviewinvite key list SITE_ID",
    LastOwner: ". Add another one first: reviewinvite member add SITE_ID EMAIL",
    MemberExists: ". List them: reviewinvite member list SITE_ID",
    MemberUnknown: ". List them: reviewinvite member list SITE_ID",
    OptedOut: "; add --customer-asked if the customer wants to undo that.",
    ReviewUnknown: ". List them: reviewinvite review list",
    ShopInactive: ". Activate it: reviewinvite shop activate SITE_ID",
    ShopUnknown: ". List shops: reviewinvite shop list",
    SignatureUnseen: (
        ", so the shop's pages would lose all orders. Sign them first: reviewinvite snippet secret SITE_ID"
    ),
    SigningKeyUnknown: ". List them: reviewinvite signing-key list",
    StandbyTooNew: ". Use --now to rotate anyway.",
}
"""How a refusal's sentence goes on: what to do on the command line."""

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


def refusal_in_words(refusal: Refusal) -> str:
    """Return the sentence of a refusal, and what to do."""
    if isinstance(refusal, NotSuppressed) and refusal.elsewhere:
        hint = ": `reviewinvite privacy export EMAIL` shows where."
    else:
        hint = HINTS.get(type(refusal), ".").format(refusal)
    return refusal.explanation.removesuffix(".") + hint
