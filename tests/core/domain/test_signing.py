"""Signing keys: their states, how these follow each other, and the ring that opens their seeds."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.builders import a_signing_key

from reviewinvite_core.domain.sealing import KeyRing, SeedDecryptionError
from reviewinvite_core.domain.signing import TRANSITIONS, KeyState, KeyTransitionForbidden, signature
from reviewinvite_core.testing.builders import NOON

HOUR = timedelta(hours=1)


def test_the_table_of_a_key_s_states_is_this_one() -> None:
    possible = {f"{before} -> {after}" for before, follow in TRANSITIONS.items() for after in follow}
    assert possible == {
        "announced -> signing",
        "announced -> compromised",
        "signing -> retired",
        "signing -> compromised",
        "retired -> compromised",
    }


@pytest.mark.parametrize("before", KeyState)
@pytest.mark.parametrize("after", KeyState)
def test_no_key_moves_beside_the_table(before: KeyState, after: KeyState) -> None:
    way = {
        KeyState.ANNOUNCED: (),
        KeyState.SIGNING: (KeyState.SIGNING,),
        KeyState.RETIRED: (KeyState.SIGNING, KeyState.RETIRED),
        KeyState.COMPROMISED: (KeyState.COMPROMISED,),
    }[before]
    key = a_signing_key()
    for state in way:
        key = key.moved(state, NOON)
    if after not in TRANSITIONS[before]:
        with pytest.raises(KeyTransitionForbidden):
            key.moved(after, NOON + HOUR)
        return
    moved = key.moved(after, NOON + HOUR)
    assert moved.state is after
    assert moved.ended_at == (NOON + HOUR if after in (KeyState.RETIRED, KeyState.COMPROMISED) else None)
    assert (moved.sealed_seed is None) == (after in (KeyState.RETIRED, KeyState.COMPROMISED))


def test_another_ring_opens_no_seed() -> None:
    key = a_signing_key()
    assert len(signature(key, KeyRing.make(bytes(128)), b"message")) == 64
    with pytest.raises(SeedDecryptionError):
        signature(key, KeyRing.make(bytes(127) + b"\x01"), b"message")
