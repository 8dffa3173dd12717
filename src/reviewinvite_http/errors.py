"""Map each refusal and failure to HTTP: one row for each type, with its status, stable code and sentence.

Sentences are English here; the catalogues have the other languages (ADR-37).

Spec: §7.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import attrs

from reviewinvite_core import ApplicationClosed, Invalid, Language, Refusal, StorageUnavailable
from reviewinvite_core.admin import StandbyTooNew
from reviewinvite_core.texts import gettext_noop, texts_in
from reviewinvite_core.values import (
    AddressErased,
    AlreadyCompromised,
    ChangedMeanwhile,
    DomainTaken,
    DomainUnknown,
    InvitationUnknown,
    KeyExists,
    KeyRefused,
    KeyUnknown,
    LastOwner,
    LimitReached,
    MemberExists,
    MemberUnknown,
    NoNameWaiting,
    NotSuppressed,
    NotUncertain,
    OptedOut,
    OriginForeign,
    Problem,
    ReviewStateConflict,
    ReviewUnknown,
    RoleRefused,
    ShopExists,
    ShopInactive,
    ShopUnknown,
    SignatureRefused,
    SignatureUnseen,
    SigningKeyUnknown,
    SignInTooOld,
    SnippetOff,
    TooLate,
    TrustMarkStateConflict,
)
from reviewinvite_core.wire.errors import ErrorBody, FieldError
from reviewinvite_core.wire.json_converter import as_json

RETRY_STORAGE_AFTER_SECONDS = 5
ERRORS_PATH = "/v1/errors"
"""Path of the page that explains all codes; each has an anchor there."""


@attrs.frozen
class ErrorRow:
    """HTTP form of one kind of refusal: status, stable code, and a short description, translated by `sentence_in`."""

    status: int
    code: str
    sentence: str


BY_TYPE: Mapping[type, ErrorRow] = {
    KeyRefused: ErrorRow(401, "key_invalid", gettext_noop("The API key is invalid or has been revoked.")),
    ShopInactive: ErrorRow(403, "shop_inactive", gettext_noop("The shop is not active.")),
    OriginForeign: ErrorRow(
        403, "origin_refused", gettext_noop("This request does not come from a verified domain of the shop.")
    ),
    SnippetOff: ErrorRow(403, "snippet_off", gettext_noop("The shop does not accept orders from web pages.")),
    SignatureRefused: ErrorRow(
        403, "signature_refused", gettext_noop("The signature of the order is missing or incorrect.")
    ),
    SignatureUnseen: ErrorRow(
        409, "signature_unseen", gettext_noop("The shop has not yet sent an order with a correct signature.")
    ),
    DomainUnknown: ErrorRow(404, "domain_unknown", gettext_noop("This domain does not belong to this shop.")),
    DomainTaken: ErrorRow(409, "domain_taken", gettext_noop("This domain belongs to another shop.")),
    ShopUnknown: ErrorRow(404, "shop_unknown", gettext_noop("This shop does not exist.")),
    KeyExists: ErrorRow(409, "key_exists", gettext_noop("This API key has already been created.")),
    KeyUnknown: ErrorRow(404, "key_unknown", gettext_noop("This API key does not exist.")),
    InvitationUnknown: ErrorRow(404, "invitation_unknown", gettext_noop("This invitation does not exist.")),
    ReviewUnknown: ErrorRow(404, "review_unknown", gettext_noop("This review does not exist.")),
    ReviewStateConflict: ErrorRow(
        409, "review_stands", gettext_noop("This is not possible for a review that is hidden or withdrawn.")
    ),
    NotSuppressed: ErrorRow(404, "not_suppressed", gettext_noop("This address is not unsubscribed here.")),
    ShopExists: ErrorRow(409, "shop_exists", gettext_noop("A shop with this site id already exists.")),
    TooLate: ErrorRow(409, "too_late", gettext_noop("It is too late for this.")),
    TrustMarkStateConflict: ErrorRow(409, "mark_stands", gettext_noop("The trust mark cannot be changed in this way.")),
    SigningKeyUnknown: ErrorRow(404, "signing_key_unknown", gettext_noop("This key does not exist.")),
    StandbyTooNew: ErrorRow(
        409, "standby_too_new", gettext_noop("The standby key has not been published for 24 hours yet.")
    ),
    AlreadyCompromised: ErrorRow(409, "already_compromised", gettext_noop("This key has already been revoked.")),
    NotUncertain: ErrorRow(409, "not_uncertain", gettext_noop("The invitation is not uncertain.")),
    AddressErased: ErrorRow(409, "address_erased", gettext_noop("The e-mail address has been erased.")),
    OptedOut: ErrorRow(
        409, "opted_out", gettext_noop("The customer has unsubscribed. Only the customer can undo that.")
    ),
    MemberUnknown: ErrorRow(404, "member_unknown", gettext_noop("The shop has no such member.")),
    MemberExists: ErrorRow(409, "member_exists", gettext_noop("This person is a member of the shop already.")),
    LastOwner: ErrorRow(409, "last_owner", gettext_noop("The shop’s last owner can neither leave nor become staff.")),
    ChangedMeanwhile: ErrorRow(
        409, "changed_meanwhile", gettext_noop("Someone else has changed this since it was shown.")
    ),
    NoNameWaiting: ErrorRow(409, "no_name_waiting", gettext_noop("No name of this shop waits for approval.")),
    RoleRefused: ErrorRow(403, "role_refused", gettext_noop("Only an owner of the shop may do this.")),
    SignInTooOld: ErrorRow(403, "sign_in_too_old", gettext_noop("Sign in again to do this.")),
    LimitReached: ErrorRow(429, "limit_reached", gettext_noop("Too many requests. Try again later.")),
    StorageUnavailable: ErrorRow(
        503, "storage_unavailable", gettext_noop("The service is temporarily unavailable. Try again later.")
    ),
}

KEY_MISSING = ErrorRow(401, "key_missing", gettext_noop("The API key is missing."))

BY_PROBLEM: Mapping[Problem, str] = {
    Problem.INVALID_JSON: gettext_noop("The request body is not valid JSON."),
    Problem.NOT_AN_OBJECT: gettext_noop("The request body must be a JSON object."),
    Problem.UNKNOWN_FIELD: gettext_noop("The field '%(field)s' is unknown. Send no more than is needed."),
    Problem.DUPLICATE_FIELD: gettext_noop("The field '%(field)s' occurs more than once."),
    Problem.FIELD_MISSING: gettext_noop("The field '%(field)s' is missing."),
    Problem.WRONG_TYPE: gettext_noop("The field '%(field)s' has the wrong type."),
    Problem.INVALID_ADDRESS: gettext_noop("The field '%(field)s' is not a valid e-mail address."),
    Problem.EMPTY: gettext_noop("The field '%(field)s' is empty."),
    Problem.TOO_LONG: gettext_noop("The field '%(field)s' is too long."),
    Problem.FORBIDDEN_CHARACTERS: gettext_noop("The field '%(field)s' contains characters that are not allowed."),
    Problem.OUT_OF_RANGE: gettext_noop("The value of the field '%(field)s' is out of range."),
    Problem.UNKNOWN_THEME: gettext_noop("The field '%(field)s' must be 'light', 'dark' or 'auto'."),
    Problem.UNKNOWN_SIZE: gettext_noop("The field '%(field)s' must be 'small', 'medium' or 'large'."),
    Problem.UNKNOWN_REASON: gettext_noop("The field '%(field)s' is not a reason that the service knows."),
    Problem.UNKNOWN_SNIPPET: gettext_noop("The field '%(field)s' must be 'open', 'signed' or 'off'."),
    Problem.MALFORMED: gettext_noop("The value of '%(field)s' does not have the right format."),
    Problem.NOT_A_HOST: gettext_noop("The field '%(field)s' is not a domain name."),
    Problem.PUBLIC_SUFFIX: gettext_noop("The field '%(field)s' is a domain under which anyone can register a name."),
    Problem.UNKNOWN_LANGUAGE: gettext_noop("The field '%(field)s' must be %(languages)s."),
}

BY_STATUS: Mapping[int, ErrorRow] = {
    400: ErrorRow(400, "bad_request", gettext_noop("The request is malformed.")),
    404: ErrorRow(404, "not_found", gettext_noop("This page does not exist.")),
    405: ErrorRow(405, "method_not_allowed", gettext_noop("This method is not allowed here.")),
    408: ErrorRow(408, "request_timeout", gettext_noop("The request took too long.")),
    413: ErrorRow(413, "body_too_large", gettext_noop("The request body is too large.")),
    415: ErrorRow(415, "unsupported_media_type", gettext_noop("The content type must be application/json.")),
    431: ErrorRow(431, "head_too_large", gettext_noop("The request head is too large.")),
    500: ErrorRow(500, "internal_error", gettext_noop("Something went wrong on our side. It is safe to try again.")),
}


def sentence_in(language: Language, of: ErrorRow | Problem, field: str | None = None) -> str:
    """Return the sentence of a row, or of a problem with a field, in this language."""
    texts = texts_in(language)
    sentence = of.sentence if isinstance(of, ErrorRow) else BY_PROBLEM[of]
    return texts.gettext(sentence, field=field, languages=texts.either_of([f"'{each}'" for each in Language]))


@attrs.frozen
class ErrorAnswer:
    """A refusal or failure as an HTTP response: status, body and header fields."""

    status: int
    body: ErrorBody
    headers: Mapping[str, str]

    def content(self, base_url: str) -> bytes:
        """Return the body as JSON; its `type` is below this URL."""
        body = attrs.evolve(self.body, type=f"{base_url}{self.body.type}")
        return json.dumps(as_json(body), ensure_ascii=False).encode()


def refusal_answer(refusal: Refusal | StorageUnavailable | ApplicationClosed, request_id: str) -> ErrorAnswer:
    """Return the response to a request that was refused, or that storage could not carry out."""
    match refusal:
        case Invalid():
            return _answer(422, [_error(each.problem, each.field) for each in refusal.errors], request_id)
        case KeyRefused(presented):
            row = BY_TYPE[KeyRefused] if presented else KEY_MISSING
            return _row_answer(row, request_id, {"WWW-Authenticate": "Bearer"})
        case LimitReached():
            return _row_answer(BY_TYPE[LimitReached], request_id, {"Retry-After": str(refusal.retry_after_seconds)})
        case StorageUnavailable() | ApplicationClosed():
            headers = {"Retry-After": str(RETRY_STORAGE_AFTER_SECONDS)}
            return _row_answer(BY_TYPE[StorageUnavailable], request_id, headers)
        case _:
            return _row_answer(BY_TYPE[type(refusal)], request_id)


def status_answer(status: int, request_id: str, headers: Mapping[str, str] | None = None) -> ErrorAnswer:
    """Return the response to a request that fails at the HTTP level; an unlisted status keeps its number."""
    row = BY_STATUS.get(status) or attrs.evolve(BY_STATUS[500 if status >= 500 else 400], status=status)
    return _row_answer(row, request_id, headers)


def title_of(code: str) -> str:
    """Return what a code means, in English and in a few words: the same for each error with this code."""
    words = code.replace("_", " ").replace("json", "JSON")
    return words[0].upper() + words[1:]


def _row_answer(row: ErrorRow, request_id: str, headers: Mapping[str, str] | None = None) -> ErrorAnswer:
    return _answer(row.status, [_error(row)], request_id, headers)


def _error(of: ErrorRow | Problem, field: str | None = None) -> FieldError:
    dutch, english = (sentence_in(language, of, field) for language in (Language.NL, Language.EN))
    return FieldError(field=field, code=of.code if isinstance(of, ErrorRow) else of.value, error=dutch, detail=english)


def _answer(
    status: int, errors: Sequence[FieldError], request_id: str, headers: Mapping[str, str] | None = None
) -> ErrorAnswer:
    first = errors[0]
    body = ErrorBody(
        error=first.error,
        code=first.code,
        request_id=request_id,
        field=first.field,
        type=f"{ERRORS_PATH}#{first.code}",
        title=title_of(first.code),
        status=status,
        detail=first.detail,
        errors=tuple(errors),
    )
    return ErrorAnswer(status, body, headers or {})
