"""What is signed, held against the standards' own examples and against the verifiers of others."""

from __future__ import annotations

import json
import random
import subprocess
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import given, strategies as st
from joserfc import jws
from joserfc.errors import BadSignatureError
from joserfc.jwk import KeySet
from tests.base64url import decoded
from tests.budgets import in_full
from tests.core.domain.signing_kit import HOSTILE_NAMES, KEYS, RING, SIGNING, a_statement, document_of, jws_of

from reviewinvite_core.domain.scores import NO_REVIEWS, Score
from reviewinvite_core.domain.signed_statements import sign_statement
from reviewinvite_core.domain.signing import SigningKey, is_signed_by, signature
from reviewinvite_core.domain.strict_json import canonical
from reviewinvite_core.values import Statement, Status

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


# RFC 8785, Appendix and sections 3.2.2 and 3.2.3


def test_the_canonical_form_is_that_of_the_example_in_rfc_8785() -> None:
    given_ = r"""{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }"""
    expected = (
        r'{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],'
        r'"string":"€$\u000f\nA' + "'" + r'B\"\\\\\"/"}'
    )
    assert canonical(json.loads(given_)) == expected.encode()


def test_members_are_in_the_order_of_rfc_8785() -> None:
    given_ = r"""{
      "\u20ac": "Euro Sign",
      "\r": "Carriage Return",
      "\ufb33": "Hebrew Letter Dalet With Dagesh",
      "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face",
      "\u0080": "Control",
      "\u00f6": "Latin Small Letter O With Diaeresis"
    }"""
    assert list(json.loads(canonical(json.loads(given_))).values()) == [
        "Carriage Return",
        "One",
        "Control",
        "Latin Small Letter O With Diaeresis",
        "Euro Sign",
        "Emoji: Grinning Face",
        "Hebrew Letter Dalet With Dagesh",
    ]


def rfc8785_form(value: Any) -> bytes:
    """Return the canonical form as another library computes it."""
    return rfc8785.dumps(value)


@given(name=texts, domains=st.lists(texts, max_size=4), count=st.integers(0, 10**9), status=st.sampled_from(Status))
def test_a_statement_s_bytes_are_its_canonical_form(name: str, domains: list[str], count: int, status: Status) -> None:
    score = Score(count=count, total=3 * count)
    statement = a_statement(name=name, domains=tuple(domains), score=score, status=status)
    assert statement.canonical == rfc8785_form(statement.claims)


# RFC 8032, section 7.1

VECTORS = {
    "1": (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595b"
        "be24655141438e7a100b",
    ),
    "2": (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb430"
        "2aeeb00d291612bb0c00",
    ),
    "3": (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716e"
        "d28dc027beceea1ec40a",
    ),
    "SHA(abc)": (
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643c"
        "e80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138a"
        "c17ad9bef1177331a704",
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_a_key_signs_as_rfc_8032_says(name: str) -> None:
    seed, public_key, message, expected = (bytes.fromhex(text) for text in VECTORS[name])
    key = SigningKey.announced(seed, bytes(24), RING, datetime(2026, 3, 2, tzinfo=UTC))
    assert key.public_key == public_key
    assert signature(key, RING, message) == expected
    assert is_signed_by(public_key, message, expected)
    assert not is_signed_by(public_key, message + b"\x00", expected)
    assert not is_signed_by(public_key, message, expected[:-1] + bytes([expected[-1] ^ 1]))


# Other people's verifiers


def generated(count: int, seed: int) -> list[Statement]:
    """Statements of all kinds, the same in every run."""
    dice = random.Random(seed)  # noqa: S311 - nothing is kept secret with it
    alphabet = "abc \"\\/<>&'\u2028\u2029\u202e\u05d0\u00e9\u0301\U0001f389\ufeff\u007f" + "\u4e2d\ud7ff\ue000\uffff"
    statements = []
    for _ in range(count):
        number = dice.choice((0, 1, dice.randrange(10), dice.randrange(10**9)))
        statements.append(
            a_statement(
                site_id=f"shop-{dice.randrange(10**6)}",
                name=dice.choice(HOSTILE_NAMES) if dice.random() < 0.1 else "".join(dice.choices(alphabet, k=30)),
                domains=tuple(f"d{dice.randrange(99)}.example.nl" for _ in range(dice.randrange(4))),
                status=dice.choice(list(Status)),
                score=Score(count=number, total=dice.randint(number, 5 * number)) if number else NO_REVIEWS,
                now=datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=dice.randrange(10**8)),
            )
        )
    return statements


@pytest.mark.parametrize("count", [500, in_full(10_000)])
def test_cryptography_accepts_generated_statements_and_not_one_with_another_s_signature(count: int) -> None:
    public_key = Ed25519PublicKey.from_public_bytes(SIGNING.public_key)
    before, message = bytes(64), b""
    for statement in generated(count, seed=1):
        document = json.loads(sign_statement(statement, SIGNING, RING).document)
        message = rfc8785_form(document["statement"])
        value = decoded(document["signature"]["value"])
        public_key.verify(value, message)
        assert value != before
        before = value
    assert not is_signed_by(SIGNING.public_key, message, bytes(64))


NODE_VERIFIER = """
const { createPublicKey, verify } = require("node:crypto");
const canonical = (value) =>
  Array.isArray(value) ? `[${value.map(canonical)}]`
  : value !== null && typeof value === "object"
    ? `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`)}}`
    : JSON.stringify(value);
const { keys, documents } = JSON.parse(require("node:fs").readFileSync(0, "utf8"));
const known = new Map(keys.keys.map((jwk) => [jwk.kid, createPublicKey({ key: jwk, format: "jwk" })]));
const good = ({ statement, signature: { keyId, value } }) =>
  verify(null, Buffer.from(canonical(statement)), known.get(keyId), Buffer.from(value, "base64url"));
console.log(JSON.stringify(documents.map((document) => good(JSON.parse(document)))));
"""


def test_node_accepts_10_000_generated_statements_and_none_that_was_changed(node: str) -> None:
    documents = [document_of(one).decode() for one in generated(10_000, seed=2)]
    changed = [document.replace('"siteId":"shop-', '"siteId":"shop_', 1) for document in documents[:100]]
    given_ = json.dumps({"keys": json.loads(KEYS), "documents": documents + changed})
    done = subprocess.run([node, "-e", NODE_VERIFIER], input=given_.encode(), capture_output=True, check=True)
    assert json.loads(done.stdout) == [True] * 10_000 + [False] * 100


def test_joserfc_takes_the_key_set_and_the_jws_as_they_are() -> None:
    keys = KeySet.import_key_set(json.loads(KEYS))
    for statement in generated(50, seed=3):
        token = jws_of(statement)
        read = jws.deserialize_compact(token, keys, algorithms=["Ed25519"])
        assert json.loads(read.payload) == statement.claims
        assert read.headers() == {"alg": "Ed25519", "kid": SIGNING.key_id}
        with pytest.raises(BadSignatureError):
            jws.deserialize_compact(token[:-3] + b"AAA", keys, algorithms=["Ed25519"])


def test_every_key_of_the_set_is_known_by_its_thumbprint() -> None:
    assert [key.thumbprint() for key in KeySet.import_key_set(json.loads(KEYS)).keys] == [
        key["kid"] for key in json.loads(KEYS)["keys"]
    ]


@pytest.mark.parametrize("name", HOSTILE_NAMES, ids=range(len(HOSTILE_NAMES)))
def test_a_hostile_name_stays_what_it_is(name: str) -> None:
    statement = a_statement(name=name)
    signed = sign_statement(statement, SIGNING, RING)
    assert json.loads(signed.document)["statement"]["name"] == name
    Ed25519PublicKey.from_public_bytes(SIGNING.public_key).verify(signed.signature, rfc8785_form(statement.claims))


# What it says


def test_a_statement_is_that_of_its_minute() -> None:
    late = a_statement(now=datetime(2026, 3, 2, 12, 0, 59, 999_999, tzinfo=UTC))
    assert late == a_statement()
    assert late.claims["issuedAt"] == "2026-03-02T12:00:00.000Z"
    assert late.claims["expiresAt"] == "2026-03-02T12:10:00.000Z"


def test_a_mean_is_a_text_with_two_decimals_and_halves_go_up() -> None:
    means = {
        (1, 5): "5.00",
        (3, 14): "4.67",
        (8, 37): "4.63",
        (8, 13): "1.63",
        (200, 301): "1.51",
        (400, 601): "1.50",
        (7, 7): "1.00",
    }
    assert {key: Score(count=key[0], total=key[1]).mean for key in means} == means
    assert a_statement(score=NO_REVIEWS).claims["rating"] == {"count": 0, "mean": None}
