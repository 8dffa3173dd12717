"""The key ring and what is sealed with it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable

import pytest
from hypothesis import given, strategies as st

from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.errors import ConfigurationError, SecretWrong
from reviewinvite_core.domain.sealing import KEY_BYTES, NONCE_BYTES, AddressDecryptionError, KeyRing, Secret, name_of
from reviewinvite_core.testing.builders import CountingEntropy

SECRET, OTHER = Secret.parse("correct horse battery staple"), Secret.parse("another secret, as long as it")
ANNA = EmailAddress.parse("anna@example.com")
nonces = st.binary(min_size=NONCE_BYTES, max_size=NONCE_BYTES)


def a_ring(seed: int = 0) -> KeyRing:
    return KeyRing.make(CountingEntropy(seed).draw(4 * KEY_BYTES))


@given(entropy=st.binary(min_size=128, max_size=128), nonce=nonces)
def test_a_ring_is_opened_as_it_was_sealed(entropy: bytes, nonce: bytes) -> None:
    ring = KeyRing.make(entropy)
    opened = KeyRing.opened(ring.sealed(SECRET, nonce), SECRET)
    assert opened == ring
    assert opened.dedup + opened.address + opened.tokens + opened.sealing == entropy


def test_each_purpose_has_a_key_of_its_own() -> None:
    ring = a_ring()
    keys = {ring.dedup, ring.address, ring.tokens, ring.sealing}
    assert len(keys) == 4
    assert {len(key) for key in keys} == {32}


@pytest.mark.parametrize("secret", [OTHER, Secret("Correct horse battery staple"), Secret(SECRET.text + " ")])
def test_a_wrong_secret_opens_nothing(secret: Secret) -> None:
    with pytest.raises(SecretWrong) as caught:
        KeyRing.opened(a_ring().sealed(SECRET, bytes(NONCE_BYTES)), secret)
    assert SECRET.text not in str(caught.value)
    assert secret.text not in str(caught.value)


@pytest.mark.parametrize(
    "damage", [lambda ring: ring[:0], lambda ring: ring[:-1], lambda ring: bytes([ring[0] ^ 1]) + ring[1:]]
)
def test_a_damaged_ring_is_not_opened(damage: Callable[[bytes], bytes]) -> None:
    with pytest.raises(SecretWrong):
        KeyRing.opened(damage(a_ring().sealed(SECRET, bytes(NONCE_BYTES))), SECRET)


def test_a_sealed_ring_shows_no_key() -> None:
    ring = a_ring()
    sealed = ring.sealed(SECRET, bytes(NONCE_BYTES))
    for key in (ring.dedup, ring.address, ring.tokens, ring.sealing, SECRET.text.encode()):
        assert key not in sealed


def test_a_ring_keeps_its_name_under_any_secret_and_no_other_ring_has_it() -> None:
    ring = a_ring()
    sealed = [ring.sealed(secret, bytes([number]) * NONCE_BYTES) for number, secret in enumerate((SECRET, OTHER))]
    assert sealed[0] != sealed[1]
    assert {name_of(each) for each in sealed} == {ring.name}
    assert name_of(a_ring(1).sealed(SECRET, bytes(NONCE_BYTES))) != ring.name
    assert len({a_ring(seed).name for seed in range(20)}) == 20


def test_a_ring_that_was_sealed_without_a_name_is_opened_and_gets_one_when_it_is_sealed_again() -> None:
    ring = a_ring()
    old = ring.sealed(SECRET, bytes(NONCE_BYTES)).removeprefix(ring.name)
    assert KeyRing.opened(old, SECRET) == ring
    assert name_of(old) == old
    assert name_of(KeyRing.opened(old, SECRET).sealed(OTHER, bytes(NONCE_BYTES))) == ring.name


def test_a_ring_under_another_ones_name_is_not_opened() -> None:
    sealed = a_ring().sealed(SECRET, bytes(NONCE_BYTES))
    with pytest.raises(SecretWrong):
        KeyRing.opened(a_ring(1).name + sealed.removeprefix(a_ring().name), SECRET)


@given(local=st.from_regex(r"[a-z0-9]{1,40}", fullmatch=True), nonce=nonces)
def test_an_address_is_opened_as_it_was_sealed(local: str, nonce: bytes) -> None:
    ring, address = a_ring(), EmailAddress.parse(f"{local}@example.com")
    sealed = ring.seal_address(address, nonce)
    assert ring.open_address(sealed) == address
    assert address.text.encode() not in sealed
    assert b"example" not in sealed


def test_one_address_is_sealed_differently_each_time() -> None:
    ring, entropy = a_ring(), CountingEntropy()
    assert len({ring.seal_address(ANNA, entropy.draw(NONCE_BYTES)) for _ in range(5)}) == 5


@pytest.mark.parametrize("sealed", [b"", b"short", bytes(60), a_ring(1).seal_address(ANNA, bytes(NONCE_BYTES))])
def test_an_address_that_this_ring_did_not_seal_is_unreadable(sealed: bytes) -> None:
    with pytest.raises(AddressDecryptionError):
        a_ring().open_address(sealed)


def test_secrets_and_rings_never_show() -> None:
    ring = a_ring()
    for value, hidden in ((SECRET, SECRET.text), (ring, ring.dedup.hex()), (ring, repr(ring.sealing))):
        for shown in (repr(value), str(value), f"{value}", f"{[value]}"):
            assert hidden not in shown
            assert shown.strip("[]") == f"{type(value).__name__}(...)"


@pytest.mark.parametrize("text", ["", "x" * 23, " " * 40, "  " + "x" * 23 + "\n"])
def test_a_short_secret_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        Secret.parse(text)
    assert "xxx" not in str(caught.value)


WEAK = [
    "a" * 24,
    "abc" * 8,
    "abcabcabcabcabcabcabcabcabcabc",
    "0123456789abcdef0123456789abcdef",
    "012345678901234567890123",
    "abcdefghijklmnopqrstuvwxyz",
    "ZYXWVUTSRQPONMLKJIHGFEDCBA",
    "qwertyuiopasdfghjklzxcvbnm",
    "passwordpasswordpassword",
    "Password123Password123Password123",
    "changemechangemechangeme",
    "a7ta77tat7a7ttaa7t7ataat",
]


@pytest.mark.parametrize("text", WEAK)
def test_a_secret_that_repeats_itself_or_follows_a_row_is_weak_and_not_shown(text: str) -> None:
    weak = Secret.parse(text)
    assert weak.is_weak
    with pytest.raises(ConfigurationError, match=r"^the secret is too easy to guess.*token_urlsafe") as caught:
        weak.require_strong("the secret")
    assert text not in str(caught.value)


@given(st.binary(min_size=32, max_size=32))
def test_what_is_drawn_at_random_is_not_weak(entropy: bytes) -> None:
    drawn = hashlib.sha256(entropy).digest()  # Hypothesis prefers bytes that are anything but random
    assert not Secret.parse(base64.urlsafe_b64encode(drawn).decode()).is_weak
    assert not Secret.parse(drawn.hex()).is_weak


@pytest.mark.parametrize(
    "text",
    ["correct horse battery staple", "7c1d5e0f9a3b8264d0e75c91", "918273650418273945061827", "K7-pq2.Xz!4mRt8&Wb3_Yd0"],
)
def test_a_secret_of_words_or_of_few_kinds_of_characters_is_not(text: str) -> None:
    assert not Secret.parse(f"{text}..").is_weak


def test_blanks_around_a_secret_do_not_count() -> None:
    assert Secret.parse(f"\n {SECRET.text} \r\n") == SECRET
    assert Secret.parse("x" * 24).text == "x" * 24
