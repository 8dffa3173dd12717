"""The key ring sealed under a new secret: in which order, and what becomes of it when something fails on the way."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import attrs
import pytest

from reviewinvite_core.domain.errors import (
    ConfigurationError,
    RotationIncomplete,
    SecretBusy,
    SecretChanged,
    SecretWrong,
    StorageUnavailable,
)
from reviewinvite_core.domain.sealing import KEY_BYTES, NONCE_BYTES, KeyRing, Secret
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import CountingEntropy
from reviewinvite_core.usecases.secret import RotationRecovery, finish_rotation, rotate

FIRST, SECOND, THIRD = (Secret.parse(f"the {name} secret, which is long enough") for name in ("1st", "2nd", "3rd"))
RING = KeyRing.make(CountingEntropy(7).draw(4 * KEY_BYTES))
GONE = StorageUnavailable("the answer was lost")


@attrs.define
class FakeSecretStore:
    """A `ports.SecretStore` in memory, which can be made to fail; `done` records the calls."""

    secret: Secret = FIRST
    waiting: Secret | None = None
    next: Secret = SECOND
    ours: bool = True
    full: bool = False
    file: Path = Path("secret")
    done: list[str] = attrs.field(factory=list)
    before_prepare: Callable[[], object] = lambda: None
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    @contextmanager
    def alone(self) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            raise SecretBusy
        try:
            yield
        finally:
            self._lock.release()

    def current(self) -> Secret:
        return self.secret

    def successor(self) -> Secret | None:
        return self.waiting

    def stage(self) -> Secret:
        self.done.append("prepare")
        self.waiting = self.next
        self.before_prepare()
        return self.next

    def promote(self) -> Path | None:
        if self.full:
            raise OSError(28, "No space left on device")
        self.done.append("succeed")
        assert self.waiting
        self.secret, self.waiting = self.waiting, None
        return Path("kept")

    def discard(self) -> bool:
        self.done.append("withdraw")
        if self.ours:
            self.waiting = None
        return self.ours


class FailingStorage:
    """Storage whose single answers can be made to fail; it has only what a rotation uses."""

    def __init__(self, inner: Storage) -> None:
        self.storage = cast(Storage, self)
        self._inner = inner
        self.next_runs: list[Callable[[Any], Any]] = []
        self.away = False
        self.in_the_way = False

    def run(self, unit: Any) -> Any:
        if self.away:
            raise GONE
        return self.next_runs.pop(0)(unit) if self.next_runs else self._inner.run(unit)

    def read(self, unit: Any) -> Any:
        if self.away:
            raise GONE
        return self._inner.read(unit)

    def forget_old_ring(self) -> None:
        if self.in_the_way:
            raise StorageUnavailable("somebody reads")
        self._inner.forget_old_ring()


def keep(storage: Storage, secret: Secret, *, nonce: int = 1) -> bytes:
    sealed = RING.sealed(secret, bytes([nonce]) * NONCE_BYTES)
    storage.run(lambda store: store.keep_key_ring(sealed))
    return sealed


def sealed_in(storage: Storage) -> bytes:
    sealed = storage.read(lambda store: store.sealed_key_ring())
    assert sealed
    return sealed


def opened(storage: Storage, secret: Secret) -> bool:
    try:
        return KeyRing.opened(sealed_in(storage), secret) == RING
    except SecretWrong:
        return False


@pytest.fixture
def storage(each_storage: Storage) -> Storage:
    keep(each_storage, FIRST)
    return each_storage


@pytest.fixture
def entropy() -> CountingEntropy:
    return CountingEntropy(3)


def test_the_same_ring_is_sealed_under_the_new_secret_and_the_old_one_opens_it_no_more(
    storage: Storage, entropy: CountingEntropy
) -> None:
    place = FakeSecretStore()
    rotation = rotate(storage, place, entropy)
    assert opened(storage, SECOND)
    assert not opened(storage, FIRST)
    assert (place.secret, place.waiting) == (SECOND, None)
    assert (rotation.file, rotation.old_file, rotation.earlier) == (
        Path("secret"),
        Path("kept"),
        RotationRecovery.NOTHING,
    )
    assert rotation.traces is None


def test_the_new_secret_is_durable_before_anything_is_sealed_under_it(
    storage: Storage, entropy: CountingEntropy
) -> None:
    seen = []
    place = FakeSecretStore()
    place.before_prepare = lambda: seen.append(opened(storage, FIRST))
    rotate(storage, place, entropy)
    assert seen == [True]
    assert place.done == ["prepare", "succeed"]


@pytest.mark.parametrize("waiting", [None, THIRD])
def test_a_wrong_secret_changes_nothing(storage: Storage, entropy: CountingEntropy, waiting: Secret | None) -> None:
    before, place = sealed_in(storage), FakeSecretStore(secret=SECOND, waiting=waiting, next=THIRD)
    with pytest.raises(SecretWrong):
        rotate(storage, place, entropy)
    assert sealed_in(storage) == before
    assert place.done == []


def test_a_database_without_a_ring_has_no_secret_to_change(each_storage: Storage, entropy: CountingEntropy) -> None:
    place = FakeSecretStore()
    with pytest.raises(ConfigurationError, match="no key ring"):
        rotate(each_storage, place, entropy)
    assert place.done == []


def test_one_that_was_broken_off_after_the_commit_is_finished_and_nothing_more_is_done(
    storage: Storage, entropy: CountingEntropy
) -> None:
    sealed, place = keep(storage, SECOND), FakeSecretStore(waiting=SECOND, next=THIRD)
    assert rotate(storage, place, entropy).earlier is RotationRecovery.FINISHED
    assert sealed_in(storage) == sealed
    assert (place.secret, place.done) == (SECOND, ["succeed"])


def test_one_that_was_broken_off_before_the_commit_is_undone_and_done_again(
    storage: Storage, entropy: CountingEntropy
) -> None:
    place = FakeSecretStore(waiting=SECOND, next=THIRD)
    assert rotate(storage, place, entropy).earlier is RotationRecovery.UNDONE
    assert opened(storage, THIRD)
    assert (place.secret, place.done) == (THIRD, ["withdraw", "prepare", "succeed"])


def test_a_start_settles_either_and_where_nothing_waits_it_writes_nothing(
    storage: Storage, entropy: CountingEntropy
) -> None:
    before = sealed_in(storage)
    assert finish_rotation(storage, FakeSecretStore(), entropy).earlier is RotationRecovery.NOTHING
    assert sealed_in(storage) == before
    undone = FakeSecretStore(waiting=SECOND)
    assert finish_rotation(storage, undone, entropy).earlier is RotationRecovery.UNDONE
    assert (undone.secret, undone.waiting) == (FIRST, None)
    keep(storage, SECOND)
    finished = FakeSecretStore(waiting=SECOND)
    assert finish_rotation(storage, finished, entropy).earlier is RotationRecovery.FINISHED
    assert (finished.secret, finished.waiting) == (SECOND, None)


def test_a_commit_that_is_still_on_its_way_comes_too_late_once_its_secret_is_withdrawn(
    storage: Storage, entropy: CountingEntropy
) -> None:
    """Of a process that was killed, or whose connection was lost: the server may carry it out at any later time."""
    late: list[Any] = []

    def lose(unit: Any) -> Any:
        late.append(unit)
        raise GONE

    failing, place = FailingStorage(storage), FakeSecretStore()
    failing.next_runs = [lose]
    with pytest.raises(StorageUnavailable):
        rotate(failing.storage, place, entropy)
    assert place.waiting is None
    assert storage.run(late[0]) is False
    assert opened(storage, FIRST)


def test_where_the_answer_to_the_commit_is_lost_it_is_found_out_and_finished(
    storage: Storage, entropy: CountingEntropy
) -> None:
    def commit_and_lose(unit: Any) -> Any:
        storage.run(unit)
        raise GONE

    failing, place = FailingStorage(storage), FakeSecretStore()
    failing.next_runs = [commit_and_lose]
    rotation = rotate(failing.storage, place, entropy)
    assert rotation.earlier is RotationRecovery.NOTHING
    assert opened(storage, SECOND)
    assert place.secret == SECOND


@pytest.mark.parametrize("kept", [True, False])
def test_where_that_cannot_be_found_out_both_secrets_stay(
    storage: Storage, entropy: CountingEntropy, kept: bool
) -> None:
    failing, place = FailingStorage(storage), FakeSecretStore()

    def go_away(unit: Any) -> Any:
        if kept:
            storage.run(unit)
        failing.away = True
        raise GONE

    failing.next_runs = [go_away]
    with pytest.raises(RotationIncomplete) as caught:
        rotate(failing.storage, place, entropy)
    assert caught.value.sealed is None
    assert (place.secret, place.waiting) == (FIRST, SECOND)
    failing.away = False
    assert finish_rotation(storage, place, entropy).earlier is (
        RotationRecovery.FINISHED if kept else RotationRecovery.UNDONE
    )
    assert opened(storage, place.secret)


def test_where_the_new_secret_cannot_be_put_in_place_it_goes_on_waiting(
    storage: Storage, entropy: CountingEntropy
) -> None:
    place = FakeSecretStore(full=True)
    with pytest.raises(RotationIncomplete, match="No space left") as caught:
        rotate(storage, place, entropy)
    assert caught.value.sealed is True
    assert place.waiting == SECOND
    place.full = False
    assert finish_rotation(storage, place, entropy).earlier is RotationRecovery.FINISHED
    assert place.secret == SECOND


def test_what_cannot_be_let_go_of_is_told_and_the_change_stands(storage: Storage, entropy: CountingEntropy) -> None:
    failing, place = FailingStorage(storage), FakeSecretStore()
    failing.in_the_way = True
    assert rotate(failing.storage, place, entropy).traces == "somebody reads"
    assert place.secret == SECOND
    assert opened(storage, SECOND)


def test_of_two_places_one_wins_and_the_other_is_left_as_it_was(storage: Storage, entropy: CountingEntropy) -> None:
    winner, loser = FakeSecretStore(next=SECOND), FakeSecretStore(next=THIRD)
    loser.before_prepare = lambda: rotate(storage, winner, entropy)
    with pytest.raises(SecretChanged):
        rotate(storage, loser, entropy)
    assert opened(storage, SECOND)
    assert (winner.secret, loser.secret, loser.waiting) == (SECOND, FIRST, None)


def test_a_ring_that_was_sealed_again_under_the_same_secret_meanwhile_is_no_obstacle(
    storage: Storage, entropy: CountingEntropy
) -> None:
    failing, place = FailingStorage(storage), FakeSecretStore()

    def too_late(unit: Any) -> Any:
        keep(storage, FIRST, nonce=9)  # as a start on another machine does that undoes a change of its own
        return storage.run(unit)

    failing.next_runs = [too_late]
    rotate(failing.storage, place, entropy)
    assert opened(storage, SECOND)
    assert place.secret == SECOND


def test_many_at_once_over_one_storage_one_wins(concurrent_storage: Storage) -> None:
    keep(concurrent_storage, FIRST)
    places = [FakeSecretStore(next=Secret.parse(f"the secret of the place number {number}")) for number in range(6)]
    begin, ended = threading.Barrier(len(places)), []

    def take_part(number: int, place: FakeSecretStore) -> None:
        begin.wait()
        try:
            rotate(concurrent_storage, place, CountingEntropy(number))
        except (SecretChanged, SecretWrong) as lost:
            ended.append(lost)

    threads = [threading.Thread(target=take_part, args=each) for each in enumerate(places)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    [winner] = [place for place in places if place.secret != FIRST]
    assert opened(concurrent_storage, winner.secret)
    assert len(ended) == len(places) - 1
    assert all(place.waiting is None for place in places)


def test_in_one_place_only_one_at_a_time(storage: Storage, entropy: CountingEntropy) -> None:
    place = FakeSecretStore()
    with place.alone(), pytest.raises(SecretBusy):
        rotate(storage, place, entropy)
    assert place.done == []
    assert opened(storage, FIRST)


def test_what_the_operator_keeps_is_left_alone_when_nothing_came_of_it(
    storage: Storage, entropy: CountingEntropy
) -> None:
    place = FakeSecretStore(waiting=SECOND, ours=False)
    assert rotate(storage, place, entropy).earlier is RotationRecovery.NOTHING
    assert opened(storage, SECOND)
