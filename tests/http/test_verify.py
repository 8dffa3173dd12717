"""`GET /v1/verify/<site_id>`: what is signed, in which form, and who may read and keep it. Spec: §4.4."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from typing import Any

import pytest
import rfc8785
from nacl.signing import VerifyKey
from tests.base64url import decoded
from tests.http.service import Answer, Service, counted, http_request
from tests.http.serving import serving

from reviewinvite_core.testing.builders import NOON, a_shop

JOSE = "application/jose"
JSON = "application/json"


@pytest.fixture(scope="module")
def here() -> Iterator[Service]:
    with serving() as service:
        yield service


_numbers = count(1)


@pytest.fixture
def site(here: Service) -> str:
    """A new shop with the mark and the host `winkel-<n>.example.nl`."""
    here.clock.set(NOON)
    return new_site(here)


def new_site(here: Service, name: str = "Bakkerij De Molen") -> str:
    site = f"winkel-{next(_numbers)}"
    here.app.shops.add(a_shop(site, name=name))
    here.app.domains.add(site, f"{site}.example.nl", assume_verified=True)
    here.app.trust_marks.grant(site)
    return site


def verify(here: Service, site: str, method: str = "GET", **headers: str) -> Answer:
    return http_request(here.address, method, f"/v1/verify/{site}", **headers)


def public_key(here: Service, key_id: str) -> VerifyKey:
    return VerifyKey(next(key.public_key for key in here.app.signing_keys.published() if key.key_id == key_id))


def statement_of(here: Service, answer: Answer) -> dict[str, Any]:
    """The statement in an answer, once its signature is seen to be good."""
    assert answer.status == 200
    if answer.headers["Content-Type"] == JSON:
        signature = answer.json["signature"]
        assert sorted(answer.json) == ["signature", "statement"]
        assert sorted(signature) == ["algorithm", "keyId", "value"]
        assert signature["algorithm"] == "Ed25519"
        signed = rfc8785.dumps(answer.json["statement"])
        public_key(here, signature["keyId"]).verify(signed, decoded(signature["value"]))
        statement: dict[str, Any] = answer.json["statement"]
        return statement
    assert answer.headers["Content-Type"] == JOSE
    head, payload, signature = answer.body.decode("ascii").split(".")
    header = json.loads(decoded(head))
    assert header["alg"] == "Ed25519"
    public_key(here, header["kid"]).verify(f"{head}.{payload}".encode(), decoded(signature))
    signed_payload: dict[str, Any] = json.loads(decoded(payload))
    return signed_payload


# --- what is signed -------------------------------------------------------------------------------------------------


def test_the_statement_says_all_there_is_to_say(here: Service, site: str) -> None:
    assert statement_of(here, verify(here, site)) == {
        "type": "reviewinvite/statement/v1",
        "siteId": site,
        "name": "Bakkerij De Molen",
        "domains": [f"{site}.example.nl"],
        "status": "trusted",
        "rating": {"count": 0, "mean": None},
        "issuedAt": "2026-03-02T12:00:00.000Z",
        "expiresAt": "2026-03-02T12:10:00.000Z",
    }


def test_both_forms_say_the_same(here: Service, site: str) -> None:
    plain, compact = verify(here, site), verify(here, site, Accept=JOSE)
    assert statement_of(here, compact) == statement_of(here, plain)
    assert compact.headers["ETag"] != plain.headers["ETag"]


@pytest.mark.parametrize("name", ["</script><img src=x onerror=alert(1)>", "\u202b\u05d0bc\u202c", "\U0001f950" * 200])
@pytest.mark.parametrize("accept", [JSON, JOSE])
def test_a_hostile_name_is_signed_as_it_is(here: Service, name: str, accept: str) -> None:
    answer = verify(here, new_site(here, name), Accept=accept)
    assert statement_of(here, answer)["name"] == name
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


# --- in which form --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        (None, JSON),
        ("", JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        (JSON, JSON),
        ("text/html", JSON),
        (JOSE, JOSE),
        ("Application/JOSE", JOSE),
        ("application/jose; q=0.5", JOSE),
        ("application/jose, */*", JOSE),
        ("application/jose, */*;q=0.8", JOSE),
        ("application/json;q=0.5, application/jose", JOSE),
        ("application/json, application/jose", JSON),
        ("application/jose;q=0.9, application/json", JSON),
        ("application/jose;q=0.9, */*", JSON),
        ("application/jose;q=0", JSON),
        ("application/jose;q=0, */*;q=0", JSON),
        ("application/jose;q=2", JSON),
        ("application/jose;q=, text/plain", JSON),
        ("application/jose+json", JSON),
        (",;=,,application/jose ; charset=utf-8 ; q=1.000", JOSE),
    ],
)
def test_who_would_rather_have_a_jws_gets_one(here: Service, site: str, accept: str | None, media_type: str) -> None:
    answer = verify(here, site, **({} if accept is None else {"Accept": accept}))
    assert (answer.status, answer.headers["Content-Type"]) == (200, media_type)
    assert answer.headers["Vary"] == "Accept"


# --- who may keep it ------------------------------------------------------------------------------------------------


def test_everybody_may_keep_it_for_five_minutes_and_it_outlives_that(here: Service, site: str) -> None:
    for second in range(0, 120, 7):
        here.clock.set(NOON.replace(second=0, microsecond=0) + timedelta(seconds=second))
        answer = verify(here, site)
        assert answer.headers["Cache-Control"] == "public, max-age=300"
        expires_at = datetime.fromisoformat(statement_of(here, answer)["expiresAt"])
        assert expires_at - here.clock.now() >= timedelta(minutes=9)


@pytest.mark.parametrize("accept", [JSON, JOSE])
def test_who_has_it_already_is_told_so_and_that_is_a_view(here: Service, site: str, accept: str) -> None:
    known = verify(here, site, Accept=accept)
    again = verify(here, site, Accept=accept, If_None_Match=known.headers["ETag"])
    assert (again.status, again.body) == (304, b"")
    for name in ("ETag", "Cache-Control", "Vary", "Access-Control-Allow-Origin"):
        assert again.headers[name] == known.headers[name]
    assert counted(here.app, site) == 2
    other = JOSE if accept == JSON else JSON
    assert verify(here, site, Accept=other, If_None_Match=known.headers["ETag"]).status == 200


@pytest.mark.parametrize("accept", [JSON, JOSE])
def test_head_tells_what_get_would_and_is_no_view(here: Service, site: str, accept: str) -> None:
    head, got = verify(here, site, "HEAD", Accept=accept), verify(here, site, Accept=accept)
    assert (head.status, head.body) == (200, b"")
    assert sorted(head.headers) == sorted(got.headers)
    for name in ("Content-Type", "Content-Length", "ETag", "Cache-Control", "Vary"):
        assert head.headers[name] == got.headers[name]
    assert verify(here, site, "HEAD", Accept=accept, If_None_Match=head.headers["ETag"]).status == 304
    assert counted(here.app, site) == 1


# --- who may read it ------------------------------------------------------------------------------------------------


def test_a_page_of_any_origin_may_read_every_answer(here: Service, site: str) -> None:
    for answer in (
        verify(here, site, Origin="https://elsewhere.example.com"),
        verify(here, "nobody", Origin="https://elsewhere.example.com"),
        verify(here, site, "DELETE"),
        verify(here, site, If_None_Match="*"),
    ):
        assert answer.headers.get_all("Access-Control-Allow-Origin") == ["*"]
        assert answer.headers["Access-Control-Expose-Headers"] == "ETag, Retry-After, X-Request-Id"
        assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.parametrize(
    "path", ["//v1/verify/{site}", "/v1//verify/{site}", "//v1/badge/public-keys", "/v1/verify//nobody"]
)
def test_a_slash_too_many_takes_no_page_its_answer(here: Service, site: str, path: str) -> None:
    answer = http_request(here.address, "GET", path.format(site=site))
    assert answer.status == (404 if "nobody" in path else 200)
    assert answer.headers.get_all("Access-Control-Allow-Origin") == ["*"]


def test_a_page_that_sends_a_header_of_its_own_is_told_that_it_may(here: Service, site: str) -> None:
    asked = {"Origin": "https://elsewhere.example.com", "Access_Control_Request_Method": "GET"}
    answer = verify(here, site, "OPTIONS", Access_Control_Request_Headers="if-none-match", **asked)
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers.get_all("Access-Control-Allow-Origin") == ["*"]
    assert answer.headers["Access-Control-Allow-Methods"] == "GET, HEAD"
    assert answer.headers["Access-Control-Allow-Headers"] == "*"
    assert counted(here.app, site) == 0


# --- what is refused ------------------------------------------------------------------------------------------------
