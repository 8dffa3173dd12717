"""The client verifies a shop's statement: what the service signs now, and documents at hand. Spec: §4.4, §4.5."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta

import pytest
from tests.core.domain.signing_kit import KEYS, SIGNING, STANDBY, a_statement, document_of, jws_of, signed_claims
from tests.http.clients import (
    KINDS,
    Blocking,
    SteppedClock,
    a_client,
    compromise_signing_key,
    retire_signing_key,
    trusted_shop,
    with_shop,
)
from tests.http.faulty_proxy import answer, faulty_proxy, lose_request
from tests.http.service import Service
from tests.http.serving import serving

from reviewinvite_core.domain.signing import jwk_set
from reviewinvite_core.testing.builders import NOON
from reviewinvite_http.client import Flaw, NotFound, RefusedStatement, Status, verify_document

SITE = "molen"
DAY = timedelta(hours=24)


@pytest.fixture
def here() -> Iterator[Service]:
    with serving() as service:
        trusted_shop(service, SITE)
        yield service


@pytest.fixture
def clock() -> SteppedClock:
    """The clock of the verifier."""
    return SteppedClock(at=NOON)


@pytest.fixture(params=KINDS)
def client(request: pytest.FixtureRequest, here: Service, clock: SteppedClock) -> Iterator[Blocking]:
    """A stranger's client of each kind: it has no key."""
    with a_client(request.param, here.address, clock=clock) as client:
        yield client


def flaw_of(client: Blocking) -> Flaw:
    with pytest.raises(RefusedStatement) as raised:
        client.verify(SITE)
    assert str(raised.value) == f"the statement failed verification: {raised.value.reason}"
    return raised.value.reason


def test_a_trusted_shop_is_verified_without_a_key(client: Blocking) -> None:
    statement = client.verify(SITE)
    assert (statement.site_id, statement.status, statement.domains) == (SITE, Status.TRUSTED, ("molen.example.nl",))
    assert (statement.count, statement.mean) == (0, None)
    assert statement.expires_at - statement.issued_at == timedelta(minutes=10)


def test_a_shop_without_the_mark_is_valid_and_not_trusted(client: Blocking, here: Service) -> None:
    with_shop(here, "unverified")
    assert client.verify("unverified").status is Status.UNVERIFIED


def test_an_unknown_shop_is_not_found(client: Blocking) -> None:
    with pytest.raises(NotFound, match="shop_unknown"):
        client.verify("nobody")


@pytest.mark.parametrize(
    ("later", "flaw"), [(timedelta(minutes=10), Flaw.EXPIRED), (timedelta(minutes=-2), Flaw.NOT_YET_ISSUED)]
)
def test_a_statement_holds_for_ten_minutes_by_the_verifier_s_clock(
    client: Blocking, clock: SteppedClock, later: timedelta, flaw: Flaw
) -> None:
    clock.at = NOON + later
    assert flaw_of(client) is flaw


def test_a_retired_key_is_believed_while_its_statements_may_last(
    client: Blocking, here: Service, clock: SteppedClock
) -> None:
    client.get_public_keys()  # the keys are made when they are first asked for
    here.clock.advance(DAY)
    document = client.get_statement(SITE)
    retire_signing_key(here)
    clock.at = here.clock.now()
    keys = client.get_public_keys()
    assert verify_document(document, keys, now=clock.now(), site_id=SITE).status is Status.TRUSTED
    assert json.loads(client.get_statement(SITE))["signature"] != json.loads(document)["signature"]
    assert client.verify(SITE)
    here.clock.advance(timedelta(minutes=11))
    with pytest.raises(RefusedStatement, match="unknown_key"):
        verify_document(document, client.get_public_keys(), now=clock.now())


def test_a_compromised_key_is_not_believed_from_then_on(client: Blocking, here: Service, clock: SteppedClock) -> None:
    document = client.get_statement(SITE)
    compromise_signing_key(here, json.loads(document)["signature"]["keyId"])
    with pytest.raises(RefusedStatement, match="unknown_key"):
        verify_document(document, client.get_public_keys(), now=clock.now(), site_id=SITE)
    assert client.verify(SITE).status is Status.TRUSTED  # another key has signed it


@pytest.mark.parametrize("kind", KINDS)
def test_each_request_of_a_verification_is_repeated(here: Service, kind: str) -> None:
    clock = SteppedClock(at=NOON)
    with faulty_proxy(here.address) as proxy:
        proxy.faults = [lose_request, lose_request]
        with a_client(kind, proxy.address, "rvi_secret", clock=clock) as client:
            assert client.verify(SITE)
            proxy.faults = [answer(503, b"")]
            assert client.verify(SITE)
    assert [request.path for request in proxy.received] == [
        *["/v1/verify/molen"] * 3,
        "/v1/badge/public-keys",
        *["/v1/verify/molen"] * 2,
        "/v1/badge/public-keys",
    ]
    assert {request.headers["Cache-Control"] for request in proxy.received} == {"no-cache"}
    assert not any("rvi_secret" in str(request.headers) for request in proxy.received)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("document", "keys", "flaw"),
    [
        (b"<html>", KEYS, Flaw.MALFORMED),
        (document_of(a_statement()), b"<html>", Flaw.KEY_SET_MALFORMED),
        (document_of(a_statement()), jwk_set([STANDBY]), Flaw.UNKNOWN_KEY),
        (document_of(a_statement(site_id="another")), KEYS, Flaw.ANOTHER_SITE),
        (document_of(a_statement()).replace(b"Bakkerij", b"Slagerij"), KEYS, Flaw.WRONG_SIGNATURE),
        (signed_claims({**a_statement().claims, "type": "other/v1"}), KEYS, Flaw.WRONG_TYPE),
        (signed_claims(a_statement().claims, algorithm="none"), KEYS, Flaw.WRONG_ALGORITHM),
    ],
)
def test_what_is_not_to_be_believed_is_refused_with_the_reason(
    kind: str, document: bytes, keys: bytes, flaw: Flaw
) -> None:
    with faulty_proxy() as proxy:
        proxy.faults = [answer(200, document), answer(200, keys)]
        with a_client(kind, proxy.address, clock=SteppedClock(at=NOON)) as client:
            assert flaw_of(client) is flaw


@pytest.mark.parametrize("encode", [document_of, jws_of])
def test_a_document_at_hand_is_verified_without_a_service(encode: object) -> None:
    assert callable(encode)
    document = encode(a_statement())
    assert verify_document(document, KEYS, now=NOON, site_id=SITE) == a_statement()
    assert verify_document(document, jwk_set([SIGNING]), now=NOON) == a_statement()
