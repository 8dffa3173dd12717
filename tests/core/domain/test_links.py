"""Links belong to one invitation, and nobody can make one up."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, strategies as st

from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.links import Purpose, link_token, read_token
from reviewinvite_core.testing.builders import NOON

KEY = bytes(range(32))
ID, OTHER_ID = (uuid7(NOON, bytes([each] * 10)) for each in (1, 2))
ID_WITH_ODD_CHARACTERS = uuid7(NOON, b"\xff\xff\xff\xfb\xef\xbe\xfb\xef\xbe\xff")


def encoded(token: bytes) -> str:
    return base64.urlsafe_b64encode(token).decode()


def test_a_token_is_48_characters_that_need_no_escape() -> None:
    token = link_token(KEY, Purpose.REVIEW, 1, ID)
    assert len(token) == 48
    assert token.replace("-", "").replace("_", "").isalnum()
    assert base64.urlsafe_b64decode(token)[:4] == (1).to_bytes(4, "big")


def test_another_key_shop_or_invitation_gives_another_proof() -> None:
    tokens = [
        link_token(KEY, Purpose.REVIEW, 1, ID),
        link_token(bytes(32), Purpose.REVIEW, 1, ID),
        link_token(KEY, Purpose.REVIEW, 2, ID),
        link_token(KEY, Purpose.REVIEW, 1, OTHER_ID),
    ]
    proofs = {base64.urlsafe_b64decode(token)[-16:] for token in tokens}
    assert len(proofs) == 4
    assert link_token(KEY, Purpose.REVIEW, 1, ID) == tokens[0]


@pytest.mark.parametrize("shop_number", [0, 1, 2**32 - 1])
def test_a_token_is_read_as_what_it_was_made_of(shop_number: int) -> None:
    token = link_token(KEY, Purpose.UNSUBSCRIBE, shop_number, ID)
    assert read_token(KEY, Purpose.UNSUBSCRIBE, token) == (shop_number, ID)


def test_a_token_for_another_purpose_or_under_another_key_is_worth_nothing() -> None:
    token = link_token(KEY, Purpose.REVIEW, 1, ID)
    assert read_token(KEY, Purpose.UNSUBSCRIBE, token) is None
    assert read_token(bytes(32), Purpose.REVIEW, token) is None
    assert read_token(KEY, Purpose.REVIEW, token) == (1, ID)


def test_a_token_with_any_character_changed_is_worth_nothing() -> None:
    token = link_token(KEY, Purpose.UNSUBSCRIBE, 1, ID)
    for place, character in enumerate(token):
        other = "A" if character != "A" else "B"
        assert read_token(KEY, Purpose.UNSUBSCRIBE, token[:place] + other + token[place + 1 :]) is None


def test_a_token_has_one_form_only() -> None:
    token = link_token(KEY, Purpose.UNSUBSCRIBE, 1, ID_WITH_ODD_CHARACTERS)
    assert "-" in token
    assert "_" in token
    others = (f"{token}\n", f" {token}", token[:-1], f"{token}A", f"{token}====", f"{token[:20]}\n{token[20:]}")
    for other in (*others, token.replace("-", "+"), token.replace("_", "/"), f"{token[:-1]}\uff21", ""):
        assert read_token(KEY, Purpose.UNSUBSCRIBE, other) is None, other
    assert read_token(KEY, Purpose.UNSUBSCRIBE, token)


@given(st.text(st.characters(codec="ascii"), max_size=60) | st.binary(min_size=36, max_size=36).map(encoded))
def test_no_text_that_somebody_thinks_up_is_a_token(text: str) -> None:
    assert read_token(KEY, Purpose.UNSUBSCRIBE, text) is None
