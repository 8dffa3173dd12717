"""Identifiers are UUIDs that sort by the time of their making."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime

from hypothesis import given, strategies as st

from reviewinvite_core.domain.identifiers import id_bytes, id_text, parse_uuid, uuid7, uuid7_after
from reviewinvite_core.domain.timing import to_microseconds
from reviewinvite_core.testing.builders import NOON

instants = st.datetimes(datetime(1970, 1, 2), datetime(2900, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001 - bounds are naive
random_bits = st.binary(min_size=10, max_size=10)


@given(at=instants, entropy=random_bits)
def test_an_id_is_a_uuid_of_version_7_with_its_milliseconds(at: datetime, entropy: bytes) -> None:
    made = uuid.UUID(uuid7(at, entropy))
    assert made.version == 7
    assert made.variant == uuid.RFC_4122
    assert made.int >> 80 == to_microseconds(at) // 1000
    assert str(made) == uuid7(at, entropy)


@given(one=instants, two=instants, entropies=st.tuples(random_bits, random_bits))
def test_ids_are_in_the_order_of_their_milliseconds(
    one: datetime, two: datetime, entropies: tuple[bytes, bytes]
) -> None:
    first, second = uuid7(one, entropies[0]), uuid7(two, entropies[1])
    if to_microseconds(one) // 1000 < to_microseconds(two) // 1000:
        assert first < second


@given(at=instants, entropies=st.lists(random_bits, min_size=2, max_size=50))
def test_an_id_after_another_is_greater_and_of_the_same_millisecond(at: datetime, entropies: list[bytes]) -> None:
    ids = [uuid7(at, entropies[0][:4] + bytes(6))]
    for entropy in entropies[1:]:
        ids.append(uuid7_after(ids[-1], entropy))
    assert ids == sorted(set(ids))
    assert {(uuid.UUID(each).version, uuid.UUID(each).int >> 80) for each in ids} == {(7, to_microseconds(at) // 1000)}
    assert [parse_uuid(each) for each in ids] == ids


@given(one=random_bits, two=random_bits)
def test_74_random_bits_tell_two_ids_apart(one: bytes, two: bytes) -> None:
    mask = ~(0xF << 76 | 0x3 << 62)
    same = int.from_bytes(one, "big") & mask == int.from_bytes(two, "big") & mask
    assert (uuid7(NOON, one) == uuid7(NOON, two)) == same


def test_an_id_is_read_only_as_it_is_printed() -> None:
    printed = uuid7(NOON, bytes(range(10)))
    assert parse_uuid(printed) == printed
    for other in (printed.upper(), printed.replace("-", ""), f"{{{printed}}}", f"urn:uuid:{printed}", f" {printed}"):
        assert uuid.UUID(other.strip()) == uuid.UUID(printed)
        assert parse_uuid(other) is None
    misplaced = f"{printed[:7]}-{printed[7]}{printed[9:]}"
    for wrong in ("", "x", printed[:-1], printed + "0", misplaced, f"{printed}\n", "\udc80" * 36, "1" * 100_000):
        assert parse_uuid(wrong) is None


@given(stored=st.binary(min_size=16, max_size=16))
def test_an_id_is_stored_as_the_bytes_that_its_text_names(stored: bytes) -> None:
    text = id_text(stored)
    assert text == str(uuid.UUID(bytes=stored))
    assert id_bytes(text) == stored
