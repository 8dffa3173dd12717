"""The states of a trust mark, and how they follow each other."""

from __future__ import annotations

from reviewinvite_core.domain.trust_mark import TRANSITIONS


def test_the_table_of_trust_marks_is_this_one() -> None:
    possible = {f"{before} -> {after}" for before, follow in TRANSITIONS.items() for after in follow}
    assert possible == {"absent -> granted", "granted -> revoked", "revoked -> granted"}
