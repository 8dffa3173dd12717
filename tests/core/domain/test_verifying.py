"""The verifier believes what the service signs, and nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, strategies as st
from tests.builders import a_signing_key
from tests.core.domain.signing_kit import (
    HOSTILE_NAMES,
    KEYS,
    SIGNING,
    STANDBY,
    a_statement,
    document_of,
    jws_of,
    signed_claims,
    signed_jws,
)

from reviewinvite_core import StatementRefused, verify_statement
from reviewinvite_core.domain.scores import NO_REVIEWS
from reviewinvite_core.domain.signing import base64url, jwk_set
from reviewinvite_core.domain.strict_json import NonCanonicalJson, read_json
from reviewinvite_core.domain.verifying import CLOCK_SKEW, LARGEST_DOCUMENT
from reviewinvite_core.testing.builders import NOON
from reviewinvite_core.values import Flaw, Statement, Status

SECOND = timedelta(seconds=1)
MICROSECOND = timedelta(microseconds=1)
MINUTE = timedelta(minutes=1)
STATEMENT = a_statement()
DOCUMENT, JWS = document_of(STATEMENT), jws_of(STATEMENT)
CLAIMS = STATEMENT.claims
ISSUED = STATEMENT.issued_at


def verdict(document: bytes, keys: bytes = KEYS, **how: Any) -> Statement | StatementRefused:
    return verify_statement(document, keys, **{"now": NOON, **how})


def flaw(document: bytes, keys: bytes = KEYS, **how: Any) -> Flaw | None:
    """Return why it is refused, or None if it is not."""
    found = verdict(document, keys, **how)
    return found.reason if isinstance(found, StatementRefused) else None


def changed(**members: Any) -> dict[str, Any]:
    return {**CLAIMS, **members}


def without(name: str) -> dict[str, Any]:
    return {other: value for other, value in CLAIMS.items() if other != name}


# What is believed


@pytest.mark.parametrize("form", [document_of, jws_of])
@pytest.mark.parametrize("status", Status)
def test_what_the_service_signs_is_believed_in_both_forms(form: Callable[[Statement], bytes], status: Status) -> None:
    statement = a_statement(status=status)
    assert verdict(form(statement)) == statement
    assert verdict(form(statement), site_id="molen") == statement


@pytest.mark.parametrize("form", [document_of, jws_of])
@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=range(len(HOSTILE_NAMES)))
def test_hostile_names_are_read_as_they_are(form: Callable[[Statement], bytes], name: str) -> None:
    statement = a_statement(name=name, score=NO_REVIEWS, domains=())
    assert verdict(form(statement)) == statement


def test_the_layout_of_a_document_does_not_matter_only_its_content() -> None:
    pretty = json.dumps(json.loads(DOCUMENT), indent=4, ensure_ascii=True).encode()
    reversed_ = json.dumps(dict(reversed(json.loads(DOCUMENT).items()))).encode()
    assert verdict(b"\n" + pretty + b"\n") == verdict(reversed_) == STATEMENT
    assert verdict(JWS + b"\n") == STATEMENT


def test_any_key_of_the_set_is_good() -> None:
    assert verdict(DOCUMENT, jwk_set([STANDBY, SIGNING])) == STATEMENT


def test_keys_of_another_kind_or_use_are_passed_over() -> None:
    others = [
        {"kty": "EC", "crv": "P-256", "x": "x", "y": "y", "kid": "1"},
        {"kty": "oct", "k": "a secret"},
        {"kty": "OKP", "crv": "X25519", "x": "AA"},
        {},
    ]
    keys = json.loads(KEYS)
    assert verdict(DOCUMENT, json.dumps({"keys": [*others, *keys["keys"]], "more": 1}).encode()) == STATEMENT
    named = [{**key, "use": "sig", "alg": "Ed25519", "key_ops": ["verify"]} for key in keys["keys"]]
    assert verdict(DOCUMENT, json.dumps({"keys": named}).encode()) == STATEMENT
    for_encryption = [{**key, "use": "enc"} for key in keys["keys"]]
    assert flaw(DOCUMENT, json.dumps({"keys": for_encryption}).encode()) is Flaw.UNKNOWN_KEY
    of_another_name = [{**key, "alg": "EdDSA"} for key in keys["keys"]]
    assert flaw(DOCUMENT, json.dumps({"keys": of_another_name}).encode()) is Flaw.UNKNOWN_KEY
    for operations in (["sign"], [], "verify", None):
        not_to_verify = [{**key, "key_ops": operations} for key in keys["keys"]]
        assert flaw(DOCUMENT, json.dumps({"keys": not_to_verify}).encode()) is Flaw.UNKNOWN_KEY


# The clock


@pytest.mark.parametrize("form", [document_of, jws_of])
def test_a_statement_holds_from_its_issue_to_its_end_by_the_verifier_s_clock(
    form: Callable[[Statement], bytes],
) -> None:
    end = STATEMENT.expires_at
    document = form(STATEMENT)
    assert flaw(document, now=ISSUED) is None
    assert flaw(document, now=end - MICROSECOND) is None
    assert flaw(document, now=end) is Flaw.EXPIRED
    assert flaw(document, now=end + timedelta(days=400)) is Flaw.EXPIRED
    assert flaw(document, now=ISSUED - CLOCK_SKEW) is None
    assert flaw(document, now=ISSUED - CLOCK_SKEW - MICROSECOND) is Flaw.NOT_YET_ISSUED


def test_no_statement_lives_longer_than_ten_minutes() -> None:
    assert flaw(signed_claims(changed(expiresAt="2026-03-02T12:10:00.000Z"))) is None
    assert flaw(signed_claims(changed(expiresAt="2026-03-02T12:10:00.001Z"))) is Flaw.LIVES_TOO_LONG
    assert flaw(signed_claims(changed(expiresAt="2099-03-02T12:10:00.000Z"))) is Flaw.LIVES_TOO_LONG
    assert flaw(signed_claims(changed(expiresAt=CLAIMS["issuedAt"]))) is Flaw.MALFORMED
    assert flaw(signed_claims(changed(issuedAt="2026-03-02T12:00:50.000Z", expiresAt="2026-03-02T12:00:40.000Z")))


# Who signed, and what about


@pytest.mark.parametrize("form", [document_of, jws_of])
def test_another_site_s_statement_is_refused(form: Callable[[Statement], bytes]) -> None:
    for other in ("kaas", "Molen", "molen ", ""):
        assert flaw(form(STATEMENT), site_id=other) is Flaw.ANOTHER_SITE


@pytest.mark.parametrize("form", [document_of, jws_of])
def test_a_key_that_is_not_in_the_set_is_not_believed(form: Callable[[Statement], bytes]) -> None:
    """As a compromised one is after a refresh."""
    assert flaw(form(STATEMENT), jwk_set([STANDBY])) is Flaw.UNKNOWN_KEY
    assert flaw(form(STATEMENT), b'{"keys":[]}') is Flaw.UNKNOWN_KEY


def test_another_key_s_signature_under_a_known_id_is_refused() -> None:
    forged = DOCUMENT.replace(SIGNING.key_id.encode(), STANDBY.key_id.encode())
    assert flaw(forged) is Flaw.WRONG_SIGNATURE
    header = json.dumps({"alg": "Ed25519", "kid": STANDBY.key_id}, separators=(",", ":")).encode()
    assert flaw(signed_jws(header, STATEMENT.canonical)) is Flaw.WRONG_SIGNATURE


def test_a_signature_of_one_form_is_none_in_the_other() -> None:
    document = json.loads(DOCUMENT)
    document["signature"]["value"] = JWS.rpartition(b".")[2].decode()
    assert flaw(json.dumps(document).encode()) is Flaw.WRONG_SIGNATURE
    value = json.loads(DOCUMENT)["signature"]["value"].encode()
    assert flaw(JWS.rpartition(b".")[0] + b"." + value) is Flaw.WRONG_SIGNATURE


@pytest.mark.parametrize("type_", ["reviewinvite/statement/v2", "reviewinvite/statement/v1 ", "", None, 1, ["x"]])
def test_what_else_the_key_may_have_signed_is_no_statement(type_: object) -> None:
    claims = changed(type=type_)
    assert flaw(signed_claims(claims)) is Flaw.WRONG_TYPE
    assert flaw(signed_claims({"type": type_})) is Flaw.WRONG_TYPE
    assert flaw(signed_claims(without("type"))) is Flaw.WRONG_TYPE


# Content that is signed well and is not a statement


@pytest.mark.parametrize("name", [name for name in CLAIMS if name != "type"])
def test_a_field_that_is_missing_or_of_another_type_is_refused_though_it_is_signed(name: str) -> None:
    assert flaw(signed_claims(without(name))) is Flaw.MALFORMED
    values: tuple[Any, ...] = (None, 1, True, {}, [1], [[]], "x", "", [None])
    for value in values:
        if (name in ("siteId", "name") and isinstance(value, str)) or (name == "domains" and value == []):
            continue
        assert flaw(signed_claims(changed(**{name: value}))) is Flaw.MALFORMED, value


def test_fields_that_are_too_many_are_refused_at_every_level() -> None:
    for more in ("more", "count", "mean", "site_id", "issued_at", "Status"):
        assert flaw(signed_claims(changed(**{more: 1}))) is Flaw.MALFORMED
    assert flaw(signed_claims(changed(rating={"count": 8, "mean": "4.63", "more": 1}))) is Flaw.MALFORMED
    assert flaw(signed_claims(CLAIMS, more="x")) is Flaw.MALFORMED
    document = json.loads(DOCUMENT)
    assert flaw(json.dumps({**document, "more": 1}).encode()) is Flaw.MALFORMED
    assert flaw(json.dumps({"statement": document["statement"]}).encode()) is Flaw.MALFORMED
    for name in ("keyId", "value"):
        signature = {key: value for key, value in document["signature"].items() if key != name}
        assert flaw(json.dumps({**document, "signature": signature}).encode()) is Flaw.MALFORMED


@pytest.mark.parametrize(
    "rating",
    [
        {"count": 8},
        {"count": 8, "mean": None},
        {"count": 0, "mean": "4.63"},
        {"count": True, "mean": "4.63"},
        {"count": "8", "mean": "4.63"},
        {"count": None, "mean": "4.63"},
        *({"count": 8, "mean": mean} for mean in ("4.6", "4.633", "0.99", "5.01", "6.00", "4,63", " 4.63", 4)),
        {"count": 8, "mean": "\u0664.63"},
    ],
)
def test_a_rating_that_cannot_be_is_refused_though_it_is_signed(rating: dict[str, Any]) -> None:
    assert flaw(signed_claims(changed(rating=rating))) is Flaw.MALFORMED


@pytest.mark.parametrize(
    "instant",
    [
        "2026-03-02T12:00:00Z",
        "2026-03-02T12:00:00.000000Z",
        "2026-03-02T12:00:00.000+00:00",
        "2026-03-02T13:00:00.000+01:00",
        "2026-03-02 12:00:00.000Z",
        "2026-03-02T12:00:00.000z",
        "2026-03-02T12:00:60.000Z",
        "2026-03-02T24:00:00.000Z",
        "2026-02-30T12:00:00.000Z",
        "20260302T120000.000Z",
        "2026-W10-1T12:00:00.000Z",
        "0000-03-02T12:00:00.000Z",
        "2026-03-02T12:00:00.000Z\n",
        "\uff12026-03-02T12:00:00.000Z",
    ],
)
def test_an_instant_that_is_written_in_another_way_is_refused_though_it_is_signed(instant: str) -> None:
    assert flaw(signed_claims(changed(issuedAt=instant))) is Flaw.MALFORMED
    assert flaw(signed_claims(changed(expiresAt=instant))) is Flaw.MALFORMED


# JSON, exactly


@pytest.mark.parametrize("number", ["8.0", "8e0", "80e-1", "-0", "-8", "08", "+8", "8.", "NaN", "Infinity", "9" * 17])
def test_a_number_is_written_in_one_way(number: str) -> None:
    assert DOCUMENT.count(b'"count":8') == 1
    assert flaw(DOCUMENT.replace(b'"count":8', f'"count":{number}'.encode())) is Flaw.MALFORMED


def test_the_largest_number_is_one_that_every_reader_of_json_holds_exactly() -> None:
    assert read_json(b"9007199254740991") == 2**53 - 1
    for number in (2**53, 10**16 - 1):
        with pytest.raises(NonCanonicalJson):
            read_json(str(number).encode())


def test_members_that_come_twice_are_refused_at_every_level() -> None:
    for once in (b'"status":"trusted"', b'"mean":"4.63"', b'"algorithm":"Ed25519"'):
        assert DOCUMENT.count(once) == 1
        assert flaw(DOCUMENT.replace(once, once + b"," + once)) is Flaw.MALFORMED
    assert flaw(DOCUMENT[:-1] + b"," + DOCUMENT[1:]) is Flaw.MALFORMED
    assert flaw(DOCUMENT, KEYS[:-1] + b"," + KEYS[1:]) is Flaw.KEY_SET_MALFORMED
    assert flaw(DOCUMENT, KEYS.replace(b'"kty":"OKP"', b'"kty":"OKP","kty":"OKP"')) is Flaw.KEY_SET_MALFORMED


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'"text"',
        DOCUMENT[:-1],
        DOCUMENT + b"x",
        DOCUMENT + DOCUMENT,
        b"\xef\xbb\xbf" + DOCUMENT,
        DOCUMENT.decode().encode("utf-16"),
        DOCUMENT.replace(b"Molen", b"Mo\xff\xfeen"),
        DOCUMENT.replace(b"Molen", b"Mo\\ud800en"),
        DOCUMENT.replace(b"Molen", b"Mo\nlen"),
        DOCUMENT.replace(b'"', b"'"),
        b'{"statement":' + b"[" * 100_000 + b"]" * 100_000 + b',"signature":{}}',
        b'{"statement":' + b'{"a":' * 40_000 + b"1" + b"}" * 40_000 + b',"signature":{}}',
        b'{"statement":{"count":' + b"9" * 10_000 + b'},"signature":{}}',
        JWS + b".AA",
        b"a.b",
        b"a.b.c.d",
        b"..",
        b"\xff.\xff.\xff",
    ],
    ids=range(22),
)
def test_what_is_no_document_is_refused(document: bytes) -> None:
    assert flaw(document) is Flaw.MALFORMED


def test_what_is_too_large_is_not_even_read() -> None:
    assert flaw(DOCUMENT + b" " * (LARGEST_DOCUMENT - len(DOCUMENT))) is None
    assert flaw(DOCUMENT + b" " * (LARGEST_DOCUMENT - len(DOCUMENT) + 1)) is Flaw.TOO_LARGE
    assert flaw(DOCUMENT, KEYS + b" " * LARGEST_DOCUMENT) is Flaw.TOO_LARGE


@pytest.mark.parametrize(
    "keys", [b"", b"[]", b"{}", b'{"keys":{}}', b'{"keys":[1]}', b'{"keys":null}', KEYS[:-1], b"\xff"]
)
def test_what_is_no_key_set_is_refused(keys: bytes) -> None:
    assert flaw(DOCUMENT, keys) is Flaw.KEY_SET_MALFORMED


@pytest.mark.parametrize(
    "members",
    [
        {"x": None},
        {"x": "AA"},
        {"x": SIGNING.jwk["x"] + "="},
        {"x": SIGNING.jwk["x"] + "A"},
        {"x": STANDBY.jwk["x"]},
        {"kid": STANDBY.key_id},
        {"kid": None},
        {"kid": ""},
        {"d": "AA"},
    ],
)
def test_a_key_that_is_not_what_its_id_says_makes_the_set_worth_nothing(members: dict[str, Any]) -> None:
    assert flaw(DOCUMENT, json.dumps({"keys": [{**SIGNING.jwk, **members}]}).encode()) is Flaw.KEY_SET_MALFORMED


def test_a_key_that_comes_twice_makes_the_set_worth_nothing() -> None:
    assert flaw(DOCUMENT, jwk_set([SIGNING, SIGNING])) is Flaw.KEY_SET_MALFORMED


# Base64url, exactly


@pytest.mark.parametrize("form", [DOCUMENT, JWS])
def test_a_signature_is_written_in_one_way(form: bytes) -> None:
    value = json.loads(DOCUMENT)["signature"]["value"] if form is DOCUMENT else JWS.rpartition(b".")[2].decode()
    last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    same_bits = value[:-1] + last[last.index(value[-1]) + 1]  # differs in bits that stand for nothing
    for other in (value + "==", value + "=", same_bits, value[:40] + "\n" + value[40:], value[:40] + "!" + value[40:]):
        assert flaw(form.replace(value.encode(), json.dumps(other)[1:-1].encode())) is Flaw.MALFORMED
    if re.search("[-_]", value):
        standard = value.replace("-", "+").replace("_", "/")
        assert flaw(form.replace(value.encode(), standard.encode())) is Flaw.MALFORMED
    assert flaw(form.replace(value.encode(), value[:-2].encode())) is Flaw.MALFORMED


# The algorithm and the head of a JWS


@pytest.mark.parametrize("algorithm", ["none", "EdDSA", "ed25519", "Ed25519 ", "HS256", "", None, 1])
def test_no_other_algorithm_is_taken(algorithm: object) -> None:
    assert flaw(signed_claims(CLAIMS, algorithm=algorithm)) is Flaw.WRONG_ALGORITHM
    header = json.dumps({"alg": algorithm, "kid": SIGNING.key_id}, separators=(",", ":")).encode()
    assert flaw(signed_jws(header, STATEMENT.canonical)) is Flaw.WRONG_ALGORITHM


def test_an_unsigned_jws_is_refused() -> None:
    header = base64url(b'{"alg":"none"}')
    assert flaw(f"{header}.{base64url(STATEMENT.canonical)}.".encode()) is Flaw.WRONG_ALGORITHM
    signed = JWS.rpartition(b".")[0]
    assert flaw(signed + b".") is Flaw.MALFORMED


@pytest.mark.parametrize(
    "more",
    [
        {"crit": ["exp"], "exp": 1},
        {"crit": []},
        {"b64": False, "crit": ["b64"]},
        {"jwk": SIGNING.jwk},
        {"jku": "https://example.com"},
        {"typ": "JWT"},
        {"kid": None},
    ],
)
def test_a_jws_has_a_head_of_two_members_and_no_more(more: dict[str, Any]) -> None:
    header = json.dumps({"alg": "Ed25519", "kid": SIGNING.key_id, **more}, separators=(",", ":")).encode()
    assert flaw(signed_jws(header, STATEMENT.canonical)) is Flaw.MALFORMED
    assert flaw(signed_jws(b'{"alg":"Ed25519"}', STATEMENT.canonical)) is Flaw.MALFORMED


def test_head_and_claims_of_a_jws_are_canonical_byte_for_byte() -> None:
    header = json.dumps({"alg": "Ed25519", "kid": SIGNING.key_id}, separators=(",", ":")).encode()
    assert flaw(signed_jws(header, STATEMENT.canonical)) is None
    assert flaw(signed_jws(header.replace(b":", b": "), STATEMENT.canonical)) is Flaw.MALFORMED
    assert flaw(signed_jws(header, STATEMENT.canonical.replace(b",", b", ", 1))) is Flaw.MALFORMED
    assert flaw(signed_jws(header, STATEMENT.canonical + b" ")) is Flaw.MALFORMED
    twice = STATEMENT.canonical[:-1] + b"," + STATEMENT.canonical[1:]
    assert flaw(signed_jws(header, twice)) is Flaw.MALFORMED


def test_the_jws_of_rfc_8037_is_refused_by_the_name_of_its_algorithm() -> None:
    example = (
        b"eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
        b"hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"
    )
    assert flaw(example) in (Flaw.WRONG_ALGORITHM, Flaw.MALFORMED)


# Mutations: none of them is believed to say anything else


@given(st.data())
def test_no_changed_document_is_believed_to_say_anything_else(data: st.DataObject) -> None:
    original = data.draw(st.sampled_from([DOCUMENT, JWS]))
    mutated = bytearray(original)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(mutated) - 1))
        match data.draw(st.sampled_from(["replace", "delete", "insert", "copy", "flip"])):
            case "replace":
                mutated[place] = data.draw(st.integers(0, 255))
            case "delete":
                del mutated[place]
            case "insert":
                mutated[place:place] = data.draw(st.binary(min_size=1, max_size=4))
            case "copy":
                mutated[place:place] = mutated[place : place + data.draw(st.integers(1, 40))]
            case _:
                mutated[place] ^= 1 << data.draw(st.integers(0, 7))
    found = verdict(bytes(mutated))
    assert isinstance(found, StatementRefused) or found == STATEMENT
    if isinstance(found, Statement) and original is JWS:
        assert bytes(mutated).strip() == JWS


a_value = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(CLAIMS)), a_value)
def test_no_document_whose_content_was_changed_is_believed(name: str, value: object) -> None:
    document = json.loads(DOCUMENT)
    if document["statement"][name] == value:
        return
    document["statement"][name] = value
    assert isinstance(verdict(json.dumps(document).encode()), StatementRefused)


@given(st.binary(max_size=300) | st.text(max_size=300).map(str.encode), st.binary(max_size=60))
def test_nothing_at_all_makes_the_verifier_fail(document: bytes, keys: bytes) -> None:
    assert flaw(document) is not None
    assert flaw(DOCUMENT, keys) is Flaw.KEY_SET_MALFORMED


@given(a_value)
def test_nothing_that_is_signed_makes_the_verifier_fail(value: object) -> None:
    for claims in ({"any": value}, changed(name=value), changed(rating=value), changed(domains=value)):
        try:
            document = signed_claims(claims)
        except ValueError:
            continue  # it has no canonical form
        found = verdict(document)
        assert isinstance(found, StatementRefused) or found.name == value or list(found.domains) == value


def test_another_key_of_the_same_service_is_not_believed_for_ever() -> None:
    assert flaw(DOCUMENT, jwk_set([a_signing_key(3), STANDBY])) is Flaw.UNKNOWN_KEY
