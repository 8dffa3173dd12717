"""Contract tests for the storage of signing keys."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from tests.builders import a_signing_key

from reviewinvite_core.domain.signing import KeyState, SigningKey
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import NOON

HOUR = timedelta(hours=1)
MICROSECOND = timedelta(microseconds=1)


def add(storage: Storage, *keys: SigningKey) -> None:
    """Store these keys."""
    for key in keys:
        storage.run(lambda store, key=key: store.signing_keys.add(key))  # type: ignore[misc]


class SigningKeysContract:
    """Part of `StorageContract`: signing keys."""

    def test_keys_come_back_as_they_were_stored_the_oldest_first(self, storage: Storage) -> None:
        late, early = a_signing_key(1, announced_at=NOON + HOUR), a_signing_key(2)
        add(storage, late, early)
        assert storage.read(lambda store: store.signing_keys.every()) == [early, late]

    def test_a_change_is_kept_with_the_loss_of_the_seed(self, storage: Storage) -> None:
        key = a_signing_key()
        signing = key.moved(KeyState.SIGNING, NOON + HOUR)
        retired = signing.moved(KeyState.RETIRED, NOON + 2 * HOUR)
        add(storage, key)
        for before, after in ((key, signing), (signing, retired)):
            assert storage.run(lambda store, b=before, a=after: store.signing_keys.change(b, a))  # type: ignore[misc]
            assert storage.read(lambda store: store.signing_keys.every()) == [after]
        assert retired.sealed_seed is None

    def test_a_change_from_another_state_is_not_made(self, storage: Storage) -> None:
        key = a_signing_key()
        signing = key.moved(KeyState.SIGNING, NOON)
        gone = key.moved(KeyState.COMPROMISED, NOON)
        assert not storage.run(lambda store: store.signing_keys.change(key, signing))
        add(storage, key)
        assert storage.run(lambda store: store.signing_keys.change(key, gone))
        assert not storage.run(lambda store: store.signing_keys.change(key, signing))
        assert storage.read(lambda store: store.signing_keys.every()) == [gone]

    def test_one_key_signs_at_a_time(self, storage: Storage) -> None:
        first, second = a_signing_key(1), a_signing_key(2)
        add(storage, first, second)
        storage.run(lambda store: store.signing_keys.change(first, first.moved(KeyState.SIGNING, NOON)))
        with pytest.raises(Exception):  # noqa: B017, PT011 - each engine has its own exception
            storage.run(lambda store: store.signing_keys.change(second, second.moved(KeyState.SIGNING, NOON)))
        states = [key.state for key in storage.read(lambda store: store.signing_keys.every())]
        assert sorted(states) == [KeyState.ANNOUNCED, KeyState.SIGNING]

    def test_of_two_new_keys_that_are_to_sign_the_first_is_stored(self, storage: Storage) -> None:
        first, second = (a_signing_key(serial).moved(KeyState.SIGNING, NOON) for serial in (1, 2))
        assert storage.run(lambda store: store.signing_keys.add(first))
        assert not storage.run(lambda store: store.signing_keys.add(second))
        assert storage.run(lambda store: store.signing_keys.add(a_signing_key(3)))
        stored = {key.key_id for key in storage.read(lambda store: store.signing_keys.every())}
        assert stored == {first.key_id, a_signing_key(3).key_id}

    def test_a_retired_key_is_in_use_for_a_while_and_a_compromised_one_is_not(self, storage: Storage) -> None:
        announced, signing, retired, compromised = (a_signing_key(serial) for serial in (1, 2, 3, 4))
        signing = signing.moved(KeyState.SIGNING, NOON)
        retired = retired.moved(KeyState.SIGNING, NOON - HOUR).moved(KeyState.RETIRED, NOON)
        compromised = compromised.moved(KeyState.COMPROMISED, NOON)
        add(storage, announced, signing, retired, compromised)

        def in_use(after: datetime) -> set[str]:
            return {key.key_id for key in storage.read(lambda store: store.signing_keys.in_use(after))}

        assert in_use(NOON - MICROSECOND) == {announced.key_id, signing.key_id, retired.key_id}
        assert in_use(NOON) == {announced.key_id, signing.key_id}
