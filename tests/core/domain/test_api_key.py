"""API keys: their format, their check digits, and what shows of them."""

from __future__ import annotations

import hashlib
import string
from typing import cast

import pytest
from hypothesis import given, strategies as st

from reviewinvite_core.bootstrap.compose import policies_from
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.domain.api_key import ENTROPY_BYTES, SecretKey
from reviewinvite_core.domain.client_counts import ClientCounts
from reviewinvite_core.domain.errors import KeyRefused
from reviewinvite_core.domain.sealing import KeyRing
from reviewinvite_core.ports import Store
from reviewinvite_core.testing.builders import NOON, CountingEntropy
from reviewinvite_core.usecases.admission import authenticate
from reviewinvite_core.usecases.context import UnitContext

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
entropies = st.binary(min_size=ENTROPY_BYTES, max_size=ENTROPY_BYTES)
KEY = SecretKey.make(bytes(range(ENTROPY_BYTES)))


class UnusedStore:
    """A store that fails the test when it is used."""

    def __getattr__(self, name: str) -> object:
        message = f"storage was asked for {name}"
        raise AssertionError(message)


def authenticated(presented: str) -> object:
    work = UnitContext(
        store=cast(Store, UnusedStore()),
        now=NOON,
        entropy=CountingEntropy(),
        ring=KeyRing.make(bytes(128)),
        policies=policies_from(Settings()),
        client_counts=ClientCounts(),
    )
    return authenticate(work, presented)


@given(entropies)
def test_a_key_has_the_documented_form_and_is_read_back(entropy: bytes) -> None:
    key = SecretKey.make(entropy)
    assert len(key.text) == 40
    assert key.text.startswith("rvi_")
    assert set(key.text[4:]) <= set(BASE62)
    assert SecretKey.parse(key.text) == key


@given(entropies, entropies)
def test_178_bits_of_the_entropy_make_the_key(one: bytes, two: bytes) -> None:
    same = int.from_bytes(one, "big") >> 6 == int.from_bytes(two, "big") >> 6
    assert (SecretKey.make(one) == SecretKey.make(two)) == same


def test_the_largest_entropy_fits() -> None:
    key = SecretKey.make(b"\xff" * ENTROPY_BYTES)
    number = 0
    for digit in key.text[4:34]:
        number = number * 62 + BASE62.index(digit)
    assert number == 2**178 - 1


@given(entropy=entropies, position=st.integers(0, 39), other=st.characters())
def test_any_one_character_changed_is_refused_without_asking_storage(entropy: bytes, position: int, other: str) -> None:
    text = SecretKey.make(entropy).text
    if text[position] == other:
        return
    changed = text[:position] + other + text[position + 1 :]
    assert SecretKey.parse(changed) is None
    assert authenticated(changed) == KeyRefused(presented=True)


def test_every_change_of_one_character_of_one_key_is_refused() -> None:
    for position in range(4, 40):
        for other in set(BASE62) - {KEY.text[position]}:
            assert SecretKey.parse(KEY.text[:position] + other + KEY.text[position + 1 :]) is None


@pytest.mark.parametrize(
    "presented",
    [
        "",
        "rvi_",
        KEY.text[:-1],
        KEY.text[1:],
        KEY.text + "0",
        KEY.text + "\n",
        " " + KEY.text,
        KEY.text.lower(),
        KEY.text.upper(),
        KEY.text.replace("rvi_", "sk_"),
        "RVI_" + KEY.text[4:],
        "rvi_" + "0" * 36,
        "rvi_" + "٣" * 36,
        "\udc80" * 40,
        "x" * 100_000,
    ],
)
def test_what_is_no_key_is_refused_without_asking_storage(presented: str) -> None:
    assert authenticated(presented) == KeyRefused(presented=True)


def test_a_key_swapped_in_two_places_is_refused() -> None:
    for left in range(4, 39):
        text = list(KEY.text)
        text[left], text[left + 1] = text[left + 1], text[left]
        if (swapped := "".join(text)) != KEY.text:
            assert SecretKey.parse(swapped) is None


def test_a_key_is_known_by_its_hash_and_last_four() -> None:
    assert KEY.hash == hashlib.sha256(KEY.text.encode()).digest()
    assert KEY.last_four == KEY.text[-4:]


@given(entropies)
def test_a_key_never_shows_more_than_its_last_four(entropy: bytes) -> None:
    key = SecretKey.make(entropy)
    for shown in (repr(key), str(key), f"{key}", f"{[key]}", f"{key!r:>50}"):
        assert key.text[4:36] not in shown
        assert shown.strip(" []") == f"SecretKey(...{key.text[-4:]})"
