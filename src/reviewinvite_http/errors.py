"""Map refusals and failures to HTTP: a status for each kind of refusal, and a row for each error of HTTP itself.

Sentences are English here and in the refusals; the catalogues have the other languages (ADR-37).

Spec: §7.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import attrs

from reviewinvite_core import ApplicationClosed, Invalid, Language, Refusal, StorageUnavailable
from reviewinvite_core.texts.catalogue import gettext_noop, texts_in
from reviewinvite_core.values import KeyRefused, LimitReached, Problem, RefusalKind
from reviewinvite_core.wire.errors import ErrorBody, FieldError
from reviewinvite_core.wire.json_converter import as_json

RETRY_STORAGE_AFTER_SECONDS = 5
ERRORS_PATH = "/v1/errors"
"""Path of the page that explains all codes; each has an anchor there."""


STATUS_OF: Mapping[RefusalKind, int] = {
    RefusalKind.UNKNOWN: 404,
    RefusalKind.CONFLICT: 409,
    RefusalKind.FORBIDDEN: 403,
    RefusalKind.LIMITED: 429,
    RefusalKind.INVALID: 422,
    RefusalKind.UNAVAILABLE: 503,
}


@attrs.frozen
class ErrorRow:
    """HTTP form of an error: status, stable code, and a short description, translated by `sentence_in`."""

    status: int
    code: str
    sentence: str


def row_of(refused: type[Refusal | StorageUnavailable]) -> ErrorRow:
    """Return the HTTP form of a refusal or failure: its kind gives the status, except where HTTP has a special one."""
    status = 401 if refused is KeyRefused else STATUS_OF[refused.kind]
    return ErrorRow(status, refused.code, refused.sentence)


KEY_MISSING = attrs.evolve(row_of(KeyRefused), code="key_missing", sentence=KeyRefused.missing)

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
            row = row_of(KeyRefused) if presented else KEY_MISSING
            return _row_answer(row, request_id, {"WWW-Authenticate": "Bearer"})
        case LimitReached():
            return _row_answer(row_of(LimitReached), request_id, {"Retry-After": str(refusal.retry_after_seconds)})
        case StorageUnavailable() | ApplicationClosed():
            headers = {"Retry-After": str(RETRY_STORAGE_AFTER_SECONDS)}
            return _row_answer(row_of(StorageUnavailable), request_id, headers)
        case _:
            return _row_answer(row_of(type(refusal)), request_id)


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
