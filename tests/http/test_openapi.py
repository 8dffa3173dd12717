"""The OpenAPI description: valid, true of the running server, and the same as the specification."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import schemathesis
from hypothesis import example, given, strategies as st
from litestar import Request
from tests.budgets import in_full
from tests.http.service import SITE, Service, http_request
from tests.http.serving import serving
from tests.waiting import TIMEOUT_SECONDS

from reviewinvite_core import (
    OPERATOR,
    Invalid,
    InvitationQuery,
    MerchantReviewQuery,
    OrderReport,
    SnippetReport,
    StorageUnavailable,
    __version__,
    accepted,
)
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.values import LimitReached, ShopUnknown
from reviewinvite_core.wire.json_converter import structure_body
from reviewinvite_http.api.parameters import invitation_query, review_query
from reviewinvite_http.errors import BY_STATUS, STATUS_OF, row_of

FUZZER = "from schemathesis.cli import schemathesis; schemathesis()"
SPECIFICATION = Path(__file__).parents[2] / "docs" / "specification.md"
DESCRIPTION: dict[str, Any] = json.loads((SPECIFICATION.parent / "openapi.json").read_text(encoding="utf-8"))
FIELDS: dict[str, dict[str, Any]] = DESCRIPTION["components"]["schemas"]["OrderReport"]["properties"]


@pytest.fixture(scope="module")
def unlimited() -> Iterator[Service]:
    """A server that never says that there were too many requests."""
    limits = ("orders_per_minute", "reads_per_minute", "snippets_per_minute", "snippets_per_day", "views_per_day_free")
    unlimited: dict[str, Any] = dict.fromkeys(limits, 0)
    with serving(**unlimited) as service:
        service.app.shops.add(a_shop(SITE))
        yield service


def parameter(path: str, name: str) -> dict[str, Any]:
    """Return the schema of a parameter of this GET."""
    described: list[dict[str, Any]] = DESCRIPTION["paths"][path]["get"]["parameters"]
    (schema,) = [each["schema"] for each in described if each["name"] == name]
    assert isinstance(schema, dict)
    return schema


def asked(query: str) -> Request[Any, Any, Any]:
    """Return a request with this query."""
    scope: Any = {"type": "http", "query_string": query.encode(), "headers": []}
    return Request(scope)


def test_the_description_is_served_as_it_is(unlimited: Service) -> None:
    answer = http_request(unlimited.address, "GET", "/v1/openapi.json")
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json == {**DESCRIPTION, "servers": [{"url": unlimited.app.base_url}]}
    assert answer.json["info"]["version"] == __version__


def test_the_description_is_valid_openapi_3_1() -> None:
    assert DESCRIPTION["openapi"].startswith("3.1.")
    schemathesis.openapi.from_dict(DESCRIPTION).validate()


def test_an_invalid_description_would_be_noticed() -> None:
    wrong = {**DESCRIPTION, "paths": {"/v1/orders": {"post": {"responses": []}}}}
    with pytest.raises(ValueError, match="is not of type"):
        schemathesis.openapi.from_dict(wrong).validate()


@pytest.mark.parametrize("budget", [10, in_full(150)])
@pytest.mark.parametrize("with_key", [True, in_full(False)], ids=["with a good key", "without a key"])
def test_a_fuzzer_finds_no_difference_between_description_and_server(
    unlimited: Service, run_python: Callable[..., subprocess.CompletedProcess[str]], with_key: bool, budget: int
) -> None:
    """All checks that schemathesis makes by default: statuses, bodies, headers, what is valid and what is not."""
    authorization = ["--header", f"Authorization: Bearer {unlimited.a_key()}"] if with_key else []
    done = run_python(
        FUZZER,
        *("run", f"{unlimited.address}/v1/openapi.json", "--url", unlimited.address, *authorization),
        *("--max-examples", str(budget), "--generation-deterministic", "--continue-on-failure", "--no-color"),
        *("--request-timeout", str(TIMEOUT_SECONDS)),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"Stateful", done.stdout), done.stdout
    generated = re.search(r"(\d+) generated, (\d+) passed", done.stdout)
    assert generated, done.stdout
    assert generated[1] == generated[2]
    assert int(generated[1]) > budget
    if with_key:
        assert accepted(unlimited.app.invitations.list(OPERATOR, InvitationQuery())).invitations


order_numbers = st.text(st.characters(exclude_categories=["Cs"]), max_size=140)


@given(order_numbers)
@example("\u3000")
@example("\u202e1")
@example("1\u00a0")
@example("\x85")
@example("1\n")
@example("\x1c5")
@example("1" * 128)
@example("1" * 129)
def test_an_order_number_is_described_as_it_is_taken(number: str) -> None:
    field = FIELDS["orderNumber"]
    described = bool(re.search(field["pattern"], number)) and len(number) <= field["maxLength"]
    try:
        OrderReport(email="anna@example.com", order_number=number)
        taken = True
    except Invalid:
        taken = False
    if described or len(number) <= field["maxLength"]:  # blanks around a longer one, which do not count, are not told
        assert described == taken


@given(order_numbers)
@example("Ö-12")
@example("\x1c5")
@example("")
@example("1 + 1 & 2")
def test_an_order_number_is_asked_for_as_it_is_reported(number: str) -> None:
    field = parameter("/v1/invitations", "orderNumber")
    described = bool(re.search(field["pattern"], number)) and field["minLength"] <= len(number) <= field["maxLength"]
    try:
        taken = bool(OrderReport(email="anna@example.com", order_number=number).order_number)
    except Invalid:
        taken = False
    if described or len(number) <= field["maxLength"]:
        assert described == taken
    query = invitation_query(asked(f"orderNumber={quote(number)}"), order_number=number)
    assert isinstance(query, InvitationQuery) == taken


@given(st.tuples(st.integers(1971, 3899), st.integers(0, 13), st.integers(0, 32)))
@example((2028, 2, 29))
@example((2000, 2, 29))
@example((2027, 2, 29))
@example((2100, 2, 29))
def test_a_day_to_begin_at_is_described_as_it_is_taken(day: tuple[int, int, int]) -> None:
    text = "{:04}-{:02}-{:02}".format(*day)
    described = bool(re.search(parameter("/v1/reviews", "since")["pattern"], text))
    assert described == isinstance(review_query(asked(f"since={text}"), since=text), MerchantReviewQuery)


@given(st.emails() | st.from_regex(r"[a-z.]{1,8}@([a-z0-9-]{1,8}\.){0,2}(test|local|com|nl|onion)", fullmatch=True))
@example("anna@example.test")
@example('"anna b"@example.com')
@example("anna@[127.0.0.1]")
@example("anna@example.com")
@example("anna@bücher.example.nl")
def test_no_address_that_is_taken_is_described_as_wrong(email: str) -> None:
    try:
        OrderReport(email=email)
    except Invalid:
        return
    assert re.search(FIELDS["email"]["pattern"], email)
    assert len(email) <= FIELDS["email"]["maxLength"]


@pytest.mark.parametrize(
    "email",
    [
        "anna@example.test",
        "anna@local",
        "a@b.onion",
        '"anna b"@example.com',
        "anna@[127.0.0.1]",
        "anna@127.0.0.1",
        "anna(x)@example.com",
    ],
)
def test_addresses_that_no_mail_can_reach_are_described_as_wrong(email: str) -> None:
    assert not re.search(FIELDS["email"]["pattern"], email)


def test_the_fields_and_their_bounds_are_those_of_the_specification() -> None:
    section = SPECIFICATION.read_text(encoding="utf-8").partition("### Order report (body of `POST /v1/orders`)")[2]
    table = re.findall(r"^\| `(\w+)` \| (\w+) \| (yes|no) \|", section.partition("###")[0], re.MULTILINE)
    report = DESCRIPTION["components"]["schemas"]["OrderReport"]
    assert [
        (name, field["type"], "yes" if name in report["required"] else "no") for name, field in FIELDS.items()
    ] == table
    assert (FIELDS["delayDays"]["minimum"], FIELDS["delayDays"]["maximum"]) == (0, 60)
    assert FIELDS["orderNumber"]["maxLength"] == 128
    assert FIELDS["language"]["enum"] == ["nl", "en"]
    assert report["additionalProperties"] is False


def test_the_fields_of_the_snippet_are_those_of_the_specification() -> None:
    _, _, rest = SPECIFICATION.read_text(encoding="utf-8").partition("(body of `POST /v1/orders/snippet`)")
    table = re.findall(r"^\| `(\w+)` \| (\w+) \| (yes|no) \|", rest.partition("###")[0], re.MULTILINE)
    report = DESCRIPTION["components"]["schemas"]["SnippetReport"]
    fields = report["properties"]
    described = [(name, field["type"], "yes" if name in report["required"] else "no") for name, field in fields.items()]
    assert described == table
    assert (fields["email"], fields["orderNumber"]) == (FIELDS["email"], FIELDS["orderNumber"])
    assert report["additionalProperties"] is False


@given(st.text(max_size=70) | st.from_regex(r"[A-Za-z0-9_-]{0,70}", fullmatch=True))
@example("a" * 64)
@example("a" * 65)
@example("a\n")
@example("a-")
def test_a_site_id_is_described_as_it_is_taken(text: str) -> None:
    field = DESCRIPTION["components"]["schemas"]["SnippetReport"]["properties"]["siteId"]
    pattern = field["pattern"].removesuffix("$") + r"\Z"  # what `$` means in a JSON schema
    described = bool(re.search(pattern, text)) and field["minLength"] <= len(text) <= field["maxLength"]
    body = json.dumps({"siteId": text, "email": "a@example.com"}).encode()
    assert described == isinstance(structure_body(body, SnippetReport), SnippetReport)


def test_every_status_of_the_orders_api_is_described() -> None:
    described = {int(status) for status in DESCRIPTION["paths"]["/v1/orders"]["post"]["responses"]}
    by_refusal = {401, *STATUS_OF.values()} - {404, 409, 422}
    assert described == {200, 201, 422} | by_refusal | set(BY_STATUS) - {404, 405}


def test_every_status_of_the_snippet_is_described() -> None:
    responses = DESCRIPTION["paths"]["/v1/orders/snippet"]["post"]["responses"]
    by_refusal = set(STATUS_OF.values()) - {404, 409, 422}
    assert {int(status) for status in responses} == {202, 422} | by_refusal | set(BY_STATUS) - {404, 405}


def test_a_statement_is_described_as_it_is_handed_out(unlimited: Service) -> None:
    answer = http_request(unlimited.address, "GET", f"/v1/verify/{SITE}")
    described = DESCRIPTION["components"]["schemas"]["Statement"]
    assert answer.status == 200
    assert sorted(answer.json["statement"]) == sorted(described["properties"]) == sorted(described["required"])
    table = SPECIFICATION.read_text(encoding="utf-8").partition("### Statement")[2].partition("## 3.")[0]
    named = {
        name for row in re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)
    }
    assert named == set(described["properties"])


def test_every_status_of_verification_is_described() -> None:
    responses = DESCRIPTION["paths"]["/v1/verify/{site_id}"]["get"]["responses"]
    refused = {row_of(kind).status for kind in (ShopUnknown, LimitReached, StorageUnavailable)}
    assert {int(status) for status in responses} == {200, 304, 400, 408, 431, 500} | refused
