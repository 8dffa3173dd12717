"""Links belong to one invitation, and nobody can make one up."""

from __future__ import annotations

import base64

from reviewinvite_core.domain.invitations import invite_id
from reviewinvite_core.domain.links import Purpose, link_token
from reviewinvite_core.testing.builders import NOON

KEY = bytes(range(32))
ID, OTHER_ID = (invite_id(NOON, bytes([each] * 10)) for each in (1, 2))


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
