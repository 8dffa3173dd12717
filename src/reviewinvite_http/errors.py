"""What each refusal and failure is in HTTP: a row a type, with its status, its stable code and a Dutch sentence.

Spec: §7.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import attrs

from reviewinvite_core import (
    AddressErased,
    AlreadyCompromised,
    DomainTaken,
    DomainUnknown,
    Invalid,
    InvitationUnknown,
    KeyRefused,
    KeyUnknown,
    LimitReached,
    NotSuppressed,
    NotUncertain,
    OptedOut,
    OriginForeign,
    Problem,
    Refusal,
    ReviewStateConflict,
    ReviewUnknown,
    ShopExists,
    ShopInactive,
    ShopUnknown,
    SigningKeyUnknown,
    StandbyTooNew,
    StorageUnavailable,
    TooLate,
    TrustMarkStateConflict,
)

RETRY_STORAGE_AFTER_SECONDS = 5


@attrs.frozen
class ErrorRow:
    """How one kind of refusal looks: HTTP status, stable code, and a short description in Dutch."""

    status: int
    code: str
    sentence: str


BY_TYPE: Mapping[type, ErrorRow] = {
    KeyRefused: ErrorRow(401, "key_invalid", "De API-sleutel is ongeldig of ingetrokken."),
    ShopInactive: ErrorRow(403, "shop_inactive", "De winkel is niet actief."),
    OriginForeign: ErrorRow(403, "origin_refused", "Dit verzoek komt niet van een geverifieerd domein van de winkel."),
    DomainUnknown: ErrorRow(404, "domain_unknown", "Dit domein hoort niet bij deze winkel."),
    DomainTaken: ErrorRow(409, "domain_taken", "Dit domein is van een andere winkel."),
    ShopUnknown: ErrorRow(404, "shop_unknown", "Deze winkel bestaat niet."),
    KeyUnknown: ErrorRow(404, "key_unknown", "Deze API-sleutel bestaat niet."),
    InvitationUnknown: ErrorRow(404, "invitation_unknown", "Deze uitnodiging bestaat niet."),
    ReviewUnknown: ErrorRow(404, "review_unknown", "Deze beoordeling bestaat niet."),
    ReviewStateConflict: ErrorRow(
        409, "review_stands", "Dit kan niet bij een beoordeling die verborgen of ingetrokken is."
    ),
    NotSuppressed: ErrorRow(404, "not_suppressed", "Dit adres is hier niet afgemeld."),
    ShopExists: ErrorRow(409, "shop_exists", "Er is al een winkel met deze aanduiding."),
    TooLate: ErrorRow(409, "too_late", "Hiervoor is het te laat."),
    TrustMarkStateConflict: ErrorRow(409, "mark_stands", "Het keurmerk kan niet zo worden gewijzigd."),
    SigningKeyUnknown: ErrorRow(404, "signing_key_unknown", "Deze sleutel bestaat niet."),
    StandbyTooNew: ErrorRow(409, "standby_too_new", "De reservesleutel is nog geen 24 uur gepubliceerd."),
    AlreadyCompromised: ErrorRow(409, "already_compromised", "Deze sleutel is al ingetrokken."),
    NotUncertain: ErrorRow(409, "not_uncertain", "De uitnodiging is niet onzeker."),
    AddressErased: ErrorRow(409, "address_erased", "Het e-mailadres is gewist."),
    OptedOut: ErrorRow(409, "opted_out", "De klant heeft zich zelf afgemeld. Alleen de klant kan dat terugnemen."),
    LimitReached: ErrorRow(429, "limit_reached", "Te veel verzoeken. Probeer het later opnieuw."),
    StorageUnavailable: ErrorRow(
        503, "storage_unavailable", "De dienst is tijdelijk niet beschikbaar. Probeer het later opnieuw."
    ),
}

KEY_MISSING = ErrorRow(401, "key_missing", "De API-sleutel ontbreekt.")

BY_PROBLEM: Mapping[Problem, str] = {
    Problem.INVALID_JSON: "De inhoud van het verzoek is geen geldige JSON.",
    Problem.NOT_AN_OBJECT: "De inhoud van het verzoek moet een JSON-object zijn.",
    Problem.UNKNOWN_FIELD: "Het veld '{field}' is onbekend. Stuur niet meer dan nodig is.",
    Problem.DUPLICATE_FIELD: "Het veld '{field}' komt meer dan eens voor.",
    Problem.FIELD_MISSING: "Het veld '{field}' ontbreekt.",
    Problem.WRONG_TYPE: "Het veld '{field}' heeft het verkeerde type.",
    Problem.INVALID_ADDRESS: "Het veld '{field}' is geen geldig e-mailadres.",
    Problem.EMPTY: "Het veld '{field}' is leeg.",
    Problem.TOO_LONG: "Het veld '{field}' is te lang.",
    Problem.FORBIDDEN_CHARACTERS: "Het veld '{field}' bevat tekens die niet zijn toegestaan.",
    Problem.OUT_OF_RANGE: "De waarde van het veld '{field}' valt buiten het toegestane bereik.",
    Problem.UNKNOWN_THEME: "Het veld '{field}' moet 'light', 'dark' of 'auto' zijn.",
    Problem.UNKNOWN_SIZE: "Het veld '{field}' moet 'small', 'medium' of 'large' zijn.",
    Problem.UNKNOWN_REASON: "Het veld '{field}' is geen reden die de dienst kent.",
    Problem.MALFORMED: "De waarde van '{field}' heeft niet de juiste vorm.",
    Problem.NOT_A_HOST: "Het veld '{field}' is geen domeinnaam.",
    Problem.PUBLIC_SUFFIX: "Het veld '{field}' is een domein waaronder iedereen een naam kan registreren.",
    Problem.UNKNOWN_LANGUAGE: "Het veld '{field}' moet 'nl' of 'en' zijn.",
}

BY_STATUS: Mapping[int, ErrorRow] = {
    400: ErrorRow(400, "bad_request", "Het verzoek is onjuist."),
    404: ErrorRow(404, "not_found", "Deze pagina bestaat niet."),
    405: ErrorRow(405, "method_not_allowed", "Deze methode is hier niet toegestaan."),
    408: ErrorRow(408, "request_timeout", "Het verzoek duurde te lang."),
    413: ErrorRow(413, "body_too_large", "De inhoud van het verzoek is te groot."),
    415: ErrorRow(415, "unsupported_media_type", "De inhoud moet van het type application/json zijn."),
    431: ErrorRow(431, "head_too_large", "De kop van het verzoek is te groot."),
    500: ErrorRow(500, "internal_error", "Er ging iets mis aan onze kant. Opnieuw proberen kan geen kwaad."),
}


@attrs.frozen
class ErrorAnswer:
    """A refusal as it goes over the wire."""

    status: int
    body: bytes
    headers: Mapping[str, str]


def refusal_answer(refusal: Refusal | StorageUnavailable, request_id: str) -> ErrorAnswer:
    """The answer to a request that was refused, or that storage could not carry out."""
    match refusal:
        case Invalid(problem, field):
            row = ErrorRow(422, problem.value, BY_PROBLEM[problem].format(field=field))
            return _answer(row, request_id, field=field)
        case KeyRefused(presented):
            row = BY_TYPE[KeyRefused] if presented else KEY_MISSING
            return _answer(row, request_id, headers={"WWW-Authenticate": "Bearer"})
        case LimitReached():
            headers = {"Retry-After": str(refusal.retry_after_seconds)}
            return _answer(BY_TYPE[LimitReached], request_id, headers=headers)
        case StorageUnavailable():
            headers = {"Retry-After": str(RETRY_STORAGE_AFTER_SECONDS)}
            return _answer(BY_TYPE[StorageUnavailable], request_id, headers=headers)
        case _:
            return _answer(BY_TYPE[type(refusal)], request_id)


def status_answer(status: int, request_id: str, headers: Mapping[str, str] | None = None) -> ErrorAnswer:
    """The answer to a request that HTTP itself refuses; an unlisted status keeps its number."""
    row = BY_STATUS.get(status) or attrs.evolve(BY_STATUS[500 if status >= 500 else 400], status=status)
    return _answer(row, request_id, headers=headers)


def _answer(
    row: ErrorRow, request_id: str, *, field: str | None = None, headers: Mapping[str, str] | None = None
) -> ErrorAnswer:
    body = {"error": row.sentence, "code": row.code, "requestId": request_id}
    if field is not None:
        body["field"] = field
    return ErrorAnswer(row.status, json.dumps(body, ensure_ascii=False).encode(), headers or {})
