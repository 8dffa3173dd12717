"""Layouts of the high-water mark's files. ADR-42, ADR-71.

    0        the header: one line, and zeros up to its end
    512      the first area of slots
    65,792   the second area; the header says which area is in use, and how many of its slots are used

The header and each slot lie within one sector of a disk, so that each of them is written whole or not at all, and each
has a checksum. The file has its full length from the start, so that a full disk cannot stop a write to it.

Release 0.1 reads a single line of fixed length, which names no hand-overs: its horizon is the latest schedule of all of
them. Until an upgrade is finished, the mark stays such a line, and a second file with the layout above names them.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Iterable, Sequence

import attrs

from reviewinvite_core.domain.handovers import HandOver, HighWaterMark
from reviewinvite_core.domain.identifiers import id_bytes, id_text
from reviewinvite_core.domain.timing import EPOCH, from_microseconds, to_microseconds

HEADER_BYTES = 512
SLOT_BYTES = 64
CAPACITY = 1020  # slots in an area: the file has 128 KiB
FILE_BYTES = HEADER_BYTES + 2 * CAPACITY * SLOT_BYTES
LINE_BYTES = 112

_LINE = re.compile(
    rb"reviewinvite-mark 2 ([0-9a-f]{32}) ([0-9]{20}) ([0-9]{20}) ([0-9]{20}) ([01]) ([0-9]{4}) ([0-9a-f]{16})\n\0*"
)
_LAST_RELEASE = re.compile(rb"reviewinvite-mark 1 ([0-9a-f]{32}) ([0-9]{20}) ([0-9]{20}) ([0-9a-f]{16})\n\0*")
_SLOT = struct.Struct(">QQ16sqq")  # number, shop, id, scheduled for, handed over at; then a checksum of 16 bytes
_UNUSED = bytes(SLOT_BYTES)


@attrs.frozen(kw_only=True)
class Header:
    """The mark, the area in use and the number of its used slots; `area` None means a line of the last release."""

    mark: HighWaterMark
    area: int | None = 0
    used: int = 0

    @property
    def free(self) -> int:
        """Number of hand-overs that the area can still name."""
        return 0 if self.area is None else CAPACITY - self.used


def offset_of(area: int, slot: int) -> int:
    return HEADER_BYTES + (area * CAPACITY + slot) * SLOT_BYTES


def new_file(mark: HighWaterMark, named: Sequence[HandOver] = ()) -> bytes:
    return (header_bytes(Header(mark=mark, used=len(named))) + slots_bytes(named)).ljust(FILE_BYTES, b"\0")


def line_bytes(mark: HighWaterMark) -> bytes:
    """Return the mark as the last release writes it; `horizon` is the latest schedule of everything handed over."""
    content = f"reviewinvite-mark 1 {mark.host} {mark.number:020} {_horizon_of(mark):020} ".encode()
    return content + _checksum(content).hex().encode() + b"\n"


def header_beside(line: HighWaterMark, names: Header) -> Header:
    """Return what is known from a line and the header of the names beside it.

    The names are synced before the line, so they lag behind only if the last release has sent without them: then they
    count as having forgotten all up to the line's number.
    """
    if names.mark.host != line.host:  # left behind by another mark
        return Header(mark=line)
    if names.mark.number >= line.number:
        return names
    horizon = max(line.horizon or EPOCH, names.mark.horizon or EPOCH)
    return attrs.evolve(names, mark=attrs.evolve(line, horizon=horizon))


def header_bytes(header: Header) -> bytes:
    mark = header.mark
    content = (
        f"reviewinvite-mark 2 {mark.host} {mark.number:020} {mark.forgotten:020} {_horizon_of(mark):020} "
        f"{header.area or 0} {header.used:04} "
    ).encode()
    return (content + _checksum(content).hex().encode() + b"\n").ljust(HEADER_BYTES, b"\0")


def header_from(block: bytes, length: int) -> Header | None:
    """Return the header in the first 512 bytes of a file of this length, or None if it is damaged."""
    found = _LINE.fullmatch(block)
    if found is None:
        return _last_release(block)
    if length != FILE_BYTES or not _is_intact(block, found):
        return None
    host, number, forgotten, horizon, area, used, _ = found.groups()
    if int(used) > CAPACITY:
        return None
    mark = _mark(host, int(number), int(forgotten), int(horizon))
    return Header(mark=mark, area=int(area), used=int(used))


def _last_release(block: bytes) -> Header | None:
    found = _LAST_RELEASE.fullmatch(block)
    if found is None or not _is_intact(block, found):
        return None
    host, number, horizon, _ = found.groups()
    return Header(mark=_mark(host, int(number), int(number), int(horizon)), area=None)


def _horizon_of(mark: HighWaterMark) -> int:
    return max(0, to_microseconds(mark.horizon or EPOCH))


def _is_intact(block: bytes, found: re.Match[bytes]) -> bool:
    last = found.re.groups
    return _checksum(block[: found.start(last)]).hex().encode() == found[last]


def _mark(host: bytes, number: int, forgotten: int, horizon: int) -> HighWaterMark:
    return HighWaterMark(
        host=host.decode(), number=number, forgotten=forgotten, horizon=from_microseconds(horizon) if horizon else None
    )


def slots_bytes(hand_overs: Iterable[HandOver]) -> bytes:
    return b"".join(map(_slot, hand_overs))


def _slot(one: HandOver) -> bytes:
    invite_id = id_bytes(one.invite_id)
    scheduled_for, at = to_microseconds(one.scheduled_for), to_microseconds(one.at)
    content = _SLOT.pack(one.number, one.shop_number, invite_id, scheduled_for, at)
    return content + _checksum(content) * 2


def hand_overs_from(slots: bytes) -> Sequence[HandOver] | None:
    """Return the hand-overs in the slots, or None if a slot is damaged.

    A slot that was never written is skipped: the process was killed before that hand-over's end was sent.
    """
    found = []
    for start in range(0, len(slots), SLOT_BYTES):
        slot = slots[start : start + SLOT_BYTES]
        if slot == _UNUSED:
            continue
        content, checksum = slot[: _SLOT.size], slot[_SLOT.size :]
        if checksum != _checksum(content) * 2:
            return None
        number, shop_number, invite_id, scheduled_for, at = _SLOT.unpack(content)
        found.append(
            HandOver(
                number=number,
                shop_number=shop_number,
                invite_id=id_text(invite_id),
                scheduled_for=from_microseconds(scheduled_for),
                at=from_microseconds(at),
            )
        )
    return found


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=8).digest()
