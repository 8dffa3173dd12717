"""`GET /v1/badge/public-keys`: the key set as anyone gets it. Spec: §4.5."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, cast

import pytest
from joserfc.jwk import KeySet as JoseKeySet
from tests.http.service import Answer, Service, http_request
from tests.http.serving import serving

from reviewinvite_core import accepted, verify_statement
from reviewinvite_core.adapters.memory.storage import MemoryStorage
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.values import KeyState, Statement

if TYPE_CHECKING:
    from joserfc.jwk import KeySetSerialization


@pytest.fixture
def storage() -> MemoryStorage:
    return MemoryStorage()


@pytest.fixture
def here(storage: MemoryStorage) -> Iterator[Service]:
    with serving(storage=storage) as service:
        service.app.shops.add(a_shop("molen"))
        yield service


def keys(here: Service, method: str = "GET", **headers: str) -> Answer:
    return http_request(here.address, method, "/v1/badge/public-keys", **headers)


def test_the_first_who_asks_gets_the_key_that_signs_and_the_standby(here: Service) -> None:
    assert here.app.signing_keys.list() == []
    answer = keys(here)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/jwk-set+json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    stored = here.app.signing_keys.list()
    assert {key.state for key in stored} == {KeyState.SIGNING, KeyState.ANNOUNCED}
    assert answer.json == {"keys": [key.jwk for key in stored]}
    assert all(set(key) == {"kty", "crv", "x", "kid"} for key in answer.json["keys"])
    assert keys(here).body == answer.body


def test_joserfc_takes_what_is_served_as_it_is(here: Service) -> None:
    answer = keys(here)
    taken = JoseKeySet.import_key_set(cast("KeySetSerialization", answer.json))
    assert [key.thumbprint() for key in taken.keys] == [key["kid"] for key in answer.json["keys"]]
    assert not any(key.is_private for key in taken.keys)


def test_what_is_served_verifies_what_is_served(here: Service) -> None:
    document = http_request(here.address, "GET", "/v1/verify/molen").body
    statement = verify_statement(document, keys(here).body, now=here.clock.now(), site_id="molen")
    assert statement == verify_statement(document, keys(here).body, now=here.clock.now())
    assert isinstance(statement, Statement)
    assert statement.status == "unverified"


def test_the_key_set_may_be_kept_for_five_minutes_and_is_sent_again_only_when_it_changed(here: Service) -> None:
    first = keys(here)
    assert first.headers["Cache-Control"] == "public, max-age=300"
    tag = first.headers["ETag"]
    for given in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        again = keys(here, **{"If-None-Match": given})
        assert (again.status, again.body, again.headers["ETag"]) == (304, b"", tag)
        assert again.headers["Cache-Control"] == "public, max-age=300"
        assert again.headers["Access-Control-Allow-Origin"] == "*"
    here.app.signing_keys.revoke(first.json["keys"][0]["kid"])
    changed = keys(here, **{"If-None-Match": tag})
    assert changed.status == 200
    assert changed.headers["ETag"] != tag


def test_a_page_of_any_origin_may_read_it(here: Service) -> None:
    origins: list[dict[str, str]] = [{}, {"Origin": "https://anybody.example.com"}, {"Origin": "null"}]
    for headers in origins:
        assert keys(here, **headers).headers["Access-Control-Allow-Origin"] == "*"
    preflight = keys(here, "OPTIONS", Origin="https://anybody.example.com")
    assert preflight.status == 204
    assert preflight.headers["Access-Control-Allow-Methods"] == "GET, HEAD"


def test_it_is_never_a_view(here: Service) -> None:
    for _ in range(3):
        keys(here)
    assert accepted(here.app.badges.show_views("molen")).counted == 0


def opened_seed(sealed: bytes, work: UnitContext) -> bytes:
    return work.ring.open_seed(sealed)


def test_no_seed_is_in_any_answer(here: Service, storage: MemoryStorage) -> None:
    bodies = [keys(here).body, http_request(here.address, "GET", "/v1/verify/molen").body]
    transactions = here.app.delivery._transactions()
    for key in here.app.signing_keys.list():
        assert key.sealed_seed
        seed = transactions.run(partial(opened_seed, key.sealed_seed))
        assert len(seed) == 32
        for body in bodies:
            assert seed not in body
            assert seed.hex() not in body.decode()
            assert json.dumps(key.jwk, separators=(",", ":")) in bodies[0].decode()
