"""A body that is rendered once and filled many times, with the same bytes as if it were rendered each time.

Running a template and encoding its result takes most of the time of a message, and two letters of one shop differ in
a few values only. So the template runs once, with a *place* in each value's stead: a name between two private-use
characters. The result is split into lines. A line without a place is encoded at once, and never again. A line with
one becomes a format string; filling it inserts the values and encodes that line.

This gives the same bytes because quoted-printable encodes each line by itself. Whether a character is encoded, and
where a line is folded, depends on the line and the line break after it, and on nothing else. Values go in as the
template would insert them: escaped in HTML, unchanged in text. A value is never searched for places, so it may contain
any character. A line break is the exception: the caller must not let a value have one.
"""

from __future__ import annotations

import re
from binascii import b2a_qp
from collections.abc import Callable, Mapping, Sequence
from itertools import groupby

import attrs

_BEGIN, _END = "\ue000", "\ue001"
_PLACE = re.compile(f"{_BEGIN}([a-z_]+){_END}")


def place(name: str) -> str:
    """Return what stands for the value `name` while a template runs."""
    return f"{_BEGIN}{name}{_END}"


def may_hold_place(text: str) -> bool:
    """Return whether a text may look like a place; then it must not shape a pattern."""
    return not text.isascii() and (_BEGIN in text or _END in text)


def quoted_printable(text: str) -> bytes:
    """Return a text as quoted-printable, with CRLF for each line break. RFC 2045.

    `b2a_qp` folds lines with the kind of line break that it finds first, so it gets one in front, also for one line.
    """
    return b2a_qp(f"\n{text}".replace("\n", "\r\n").encode(), istext=True)[2:]


@attrs.frozen
class BodyPattern:
    """An encoded body with places: its pieces, and a format string for the index of each piece that has a place.

    `_escape` is what the template does to a value that it inserts.
    """

    _pieces: Sequence[bytes]
    _formats: Sequence[tuple[int, str]]
    _escape: Callable[[str], str]

    @classmethod
    def of(cls, text: str, escape: Callable[[str], str]) -> BodyPattern:
        """Return the pattern of a rendered text that contains places."""
        pieces, formats = list[bytes](), list[tuple[int, str]]()
        lines = re.findall(r"[^\n]*\n|[^\n]+", text)
        for has_place, those in groupby(lines, lambda line: _PLACE.search(line) is not None):
            if has_place:
                for line in those:
                    formats.append((len(pieces), _PLACE.sub(r"%(\1)s", line.replace("%", "%%"))))
                    pieces.append(b"")
            else:
                pieces.append(quoted_printable("".join(those)))
        return cls(pieces, formats, escape)

    def fill(self, values: Mapping[str, str]) -> bytes:
        """Return the encoded body with these values, none of which may contain a line break."""
        escaped = {name: self._escape(value) for name, value in values.items()}
        pieces = list(self._pieces)
        for index, line in self._formats:
            pieces[index] = quoted_printable(line % escaped)
        return b"".join(pieces)
