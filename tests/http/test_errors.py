"""The table of errors: complete, in Dutch and English, and the same as in the specification."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from reviewinvite_core import Invalid, Language, Refusal, StorageUnavailable
from reviewinvite_core.domain import refusals
from reviewinvite_core.testing.builders import NOON
from reviewinvite_core.values import KeyRefused, LimitReached, Problem, RefusalKind
from reviewinvite_http import errors
from reviewinvite_http.errors import (
    BY_PROBLEM,
    BY_STATUS,
    KEY_MISSING,
    STATUS_OF,
    ErrorAnswer,
    ErrorRow,
    refusal_answer,
    row_of,
    sentence_in,
    status_answer,
    title_of,
)
from reviewinvite_http.pages.errors.handlers import meanings
from reviewinvite_http.requests import next_request_id

SPECIFICATION = Path(__file__).parents[2] / "docs" / "specification.md"

ROWS = [*map(row_of, (*refusals.EVERY, StorageUnavailable)), KEY_MISSING, *BY_STATUS.values()]
SENTENCES = {
    language: {
        **{row.code: sentence_in(language, row) for row in ROWS},
        **{problem.value: sentence_in(language, problem, "email") for problem in Problem},
    }
    for language in (Language.NL, Language.EN)
}

# Words that a sentence in Dutch, or in English, can hardly do without, and that the other language does not have.
DUTCH = {"de", "het", "een", "is", "deze", "dit", "te", "niet", "moet", "er", "voor", "hiervoor"}
ENGLISH = {
    "the",
    "this",
    "not",
    "invalid",
    "request",
    "field",
    "must",
    "key",
    "shop",
    "unknown",
    "missing",
    "it",
    "no",
    "requests",
}

REFUSALS = {
    kind: kind(*(arguments))
    for kind, arguments in (
        (kind, () if not kind.__attrs_attrs__ else ("x",) * len(kind.__attrs_attrs__))
        for kind in refusals.EVERY
        if kind not in (KeyRefused, LimitReached)
    )
}


BASE_URL = "https://reviews.example.nl/api"


def body_of(answer: ErrorAnswer) -> dict[str, Any]:
    """Return the body of an answer, as the service at `BASE_URL` sends it."""
    body: dict[str, Any] = json.loads(answer.content(BASE_URL))
    return body


def without_field(row: ErrorRow) -> dict[str, Any]:
    """Return the body of an error that concerns no single field."""
    dutch, english = (sentence_in(language, row) for language in (Language.NL, Language.EN))
    return {
        "error": dutch,
        "code": row.code,
        "requestId": "request-1",
        "type": f"{BASE_URL}/v1/errors#{row.code}",
        "title": title_of(row.code),
        "status": row.status,
        "detail": english,
        "errors": [{"field": None, "code": row.code, "error": dutch, "detail": english}],
    }


def documented() -> tuple[dict[str, int], set[str]]:
    """Of the specification's section on errors: the status of each code, and the codes of 422."""
    section = SPECIFICATION.read_text(encoding="utf-8").partition("\n## 7.")[2].partition("\n## 8.")[0]
    assert section
    rows = re.findall(r"^\| (\d{3}) \|[^|]*\| `(\w+)` \|", section, re.MULTILINE)
    of_status = {code: int(status) for status, code in rows}
    of_422 = set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) - {
        "error",
        "code",
        "requestId",
        "field",
        "type",
        "title",
        "status",
        "detail",
        "errors",
    }
    return of_status, of_422


def test_the_example_in_the_specification_is_an_answer_as_it_is_given() -> None:
    section = SPECIFICATION.read_text(encoding="utf-8").partition("\n## 7.")[2]
    example = json.loads(section.partition("```json")[2].partition("```")[0])
    request_id = example["requestId"]
    assert body_of(refusal_answer(Invalid(Problem.INVALID_ADDRESS, "email"), request_id)) == example
    assert re.sub("[0-9a-f]", "x", request_id) == re.sub("[0-9a-f]", "x", next_request_id())


def test_every_kind_of_refusal_has_a_status_and_every_problem_a_sentence() -> None:
    assert set(STATUS_OF) == set(RefusalKind)
    assert set(BY_PROBLEM) == set(Problem)


@pytest.mark.parametrize("refusal", REFUSALS.values(), ids=lambda refusal: type(refusal).__name__)
def test_a_refusal_is_answered_by_its_row(refusal: Refusal) -> None:
    answer = refusal_answer(refusal, "request-1")
    row = row_of(type(refusal))
    assert answer.status == row.status
    assert body_of(answer) == without_field(row)
    assert not answer.headers


@pytest.mark.parametrize("problem", Problem)
def test_a_problem_is_422_and_names_its_field(problem: Problem) -> None:
    answer = refusal_answer(Invalid(problem, "veld"), "request-1")
    body = body_of(answer)
    assert answer.status == 422
    assert (body["code"], body["requestId"], body["field"]) == (problem.value, "request-1", "veld")
    assert not set("{%") & set(body["error"])
    assert body["error"] == sentence_in(Language.NL, problem, "veld")


def test_a_problem_of_the_whole_body_names_no_field() -> None:
    assert "field" not in body_of(refusal_answer(Invalid(Problem.INVALID_JSON), "1"))


def test_a_title_depends_on_the_code_only() -> None:
    one, other = (body_of(refusal_answer(Invalid(Problem.TOO_LONG, field), "1")) for field in ("email", "text"))
    assert one["detail"] != other["detail"]
    assert one["title"] == other["title"] == "Too long"


def test_all_problems_are_told_and_the_first_is_the_one_above() -> None:
    others = (Invalid(Problem.OUT_OF_RANGE, "delayDays"), Invalid(Problem.INVALID_JSON))
    body = body_of(refusal_answer(Invalid(Problem.FIELD_MISSING, "email", others), "1"))
    assert [(each["field"], each["code"]) for each in body["errors"]] == [
        ("email", "field_missing"),
        ("delayDays", "out_of_range"),
        (None, "invalid_json"),
    ]
    first = body["errors"][0]
    assert first == {name: body[name] for name in ("field", "code", "error", "detail")}


def test_a_missing_and_a_bad_key_are_told_apart_and_both_say_how_to_authenticate() -> None:
    missing, bad = (refusal_answer(KeyRefused(presented=presented), "1") for presented in (False, True))
    assert [body_of(answer)["code"] for answer in (missing, bad)] == ["key_missing", "key_invalid"]
    assert [answer.status for answer in (missing, bad)] == [401, 401]
    assert missing.headers == bad.headers == {"WWW-Authenticate": "Bearer"}


@pytest.mark.parametrize(
    ("wait", "seconds"), [(60, "60"), (59.000001, "60"), (59, "59"), (0.000001, "1"), (0, "1")], ids=str
)
def test_a_limit_says_after_how_many_whole_seconds_the_next_fits(wait: float, seconds: str) -> None:
    answer = refusal_answer(LimitReached(asked_at=NOON, retry_at=NOON + timedelta(seconds=wait)), "1")
    assert (answer.status, answer.headers) == (429, {"Retry-After": seconds})


def test_storage_that_is_away_is_503_and_its_cause_stays_inside() -> None:
    answer = refusal_answer(StorageUnavailable("/srv/reviewinvite.db: no such file"), "1")
    assert answer.status == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert b"srv" not in answer.content(BASE_URL)


@pytest.mark.parametrize("status", BY_STATUS)
def test_what_http_itself_refuses_has_the_same_form(status: int) -> None:
    answer = status_answer(status, "request-1", {"Allow": "GET"})
    row = BY_STATUS[status]
    assert row.status == status
    assert (answer.status, answer.headers) == (status, {"Allow": "GET"})
    assert body_of(answer) == without_field(row)


@pytest.mark.parametrize(("status", "code"), [(418, "bad_request"), (502, "internal_error"), (599, "internal_error")])
def test_a_status_without_a_row_keeps_its_number(status: int, code: str) -> None:
    answer = status_answer(status, "1")
    assert (answer.status, body_of(answer)["code"]) == (status, code)


def test_every_row_of_the_module_is_looked_at_here() -> None:
    rows = [value for value in vars(errors).values() if isinstance(value, ErrorRow)]
    assert rows == [KEY_MISSING]


def test_a_code_means_one_thing() -> None:
    codes = [row.code for row in ROWS] + [problem.value for problem in Problem]
    assert len(codes) == len(set(codes))
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", code) for code in codes)


def test_a_sentence_stands_for_one_code() -> None:
    for sentences in SENTENCES.values():
        assert len(set(sentences.values())) == len(sentences)


@pytest.mark.parametrize("code", SENTENCES[Language.NL])
def test_every_error_is_a_sentence_in_dutch_and_in_english(code: str) -> None:
    dutch, english = (SENTENCES[language][code] for language in (Language.NL, Language.EN))
    for sentence, own, foreign in ((dutch, DUTCH, ENGLISH), (english, ENGLISH, DUTCH - {"is"})):
        words = set(re.findall(r"[a-z]+", sentence.lower()))
        assert words & own
        assert not words & foreign
        assert re.fullmatch(r"[A-Z].{8,}\.", sentence)


def test_an_unknown_language_is_answered_with_those_there_are() -> None:
    dutch, english = (SENTENCES[language]["unknown_language"] for language in (Language.NL, Language.EN))
    assert dutch == "Het veld 'email' moet 'nl' of 'en' zijn."
    assert english == "The field 'email' must be 'nl' or 'en'."


def test_the_codes_are_those_of_the_specification() -> None:
    of_status, of_422 = documented()
    assert of_422 == {problem.value for problem in Problem}
    elsewhere = {each.code for each in refusals.EVERY if not each.in_api}
    assert {row.code: row.status for row in ROWS if row.code not in elsewhere} == of_status


@pytest.mark.parametrize("language", Language)
def test_the_page_explains_the_codes_of_the_specification(language: Language) -> None:
    of_status, of_422 = documented()
    explained = {each.code: each.status for each in meanings(language)}
    assert explained == {**of_status, **dict.fromkeys(of_422, 422)}
