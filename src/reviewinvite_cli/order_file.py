"""Orders in a CSV file, read line by line: what a shop may send, and nothing more. Spec: §1, §2.

The file is never held in memory, and a broken line harms no other: where a quote is left open, reading goes on at
the line after the one that opened it.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Self, TextIO

from reviewinvite_cli.converter import converter
from reviewinvite_cli.order_lines import OrderLine, RefusedLine
from reviewinvite_core import Invalid, OrderReport, structure_fields

LONGEST_FIELD = 16_384
"""Characters. More than any value may have; it bounds what a quote that is left open can swallow."""

_LONGEST_LINE = 1 << 17
_CHUNK = 1 << 20
_COLUMNS = {
    "email": "email",
    "ordernumber": "orderNumber",
    "order_number": "orderNumber",
    "language": "language",
    "delaydays": "delayDays",
    "delay_days": "delayDays",
}
_NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)


class FileRefused(Exception):
    """The file cannot be imported at all; the text tells why. Nothing of it was."""


class NoFile(FileRefused):
    """There is no file of that name, or none that can be read."""


class OrderFile:
    """A CSV file of orders, with a header line. Use it as a context manager.

    Raises: `FileRefused` if it is no file, is not UTF-8, or its header names anything but what may be sent.
    """

    def __init__(self, path: Path) -> None:
        """Open the file, look through all of it for what is not UTF-8, and read its header line."""
        try:
            status = path.stat()  # first, since opening a pipe waits for somebody to write to it
            if not stat.S_ISREG(status.st_mode):
                message = f"{path} is not a regular file"
                raise NoFile(message)
            self.size = status.st_size
            self._bytes = path.open("rb")
        except OSError as error:
            message = f"{path} cannot be read: {error.strerror}"
            raise NoFile(message) from error
        try:
            _require_utf8(self._bytes, path)
            self._text = io.TextIOWrapper(self._bytes, encoding="utf-8-sig", newline="")
            self._lines = _Lines(self._text)
            self._separator, self._columns = _header(self._lines, path)
        except BaseException:
            self._bytes.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bytes.close()

    @property
    def bytes_read(self) -> int:
        """How much of the file was read so far, for a progress bar."""
        return self._bytes.tell()

    def orders(self) -> Iterator[OrderLine | RefusedLine]:
        """Every line that is not blank, as an order or as refused, in the order of the file."""
        columns = self._columns
        comma_is_point = self._separator == ";"
        for line, fields in _records(self._lines, self._separator):
            if isinstance(fields, str):
                yield RefusedLine(line, None, fields)
            elif len(fields) != len(columns):
                yield RefusedLine(line, None, "wrong_number_of_fields")
            else:
                values = _values(zip(columns, fields, strict=True), comma_is_point)
                report = structure_fields(converter(), values, OrderReport)
                if isinstance(report, Invalid):
                    yield RefusedLine(line, report.field, report.problem.value)
                else:
                    yield OrderLine(line, report)


class _Lines:
    """The file's physical lines, for a CSV reader; it can go back to the second line of the record it is in."""

    def __init__(self, text: TextIO) -> None:
        self._text = text
        self._again: list[str] = []
        self._record: list[str] = []
        self.number = 0

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        line = self._again.pop() if self._again else self._read()
        if not line:
            raise StopIteration
        self.number += 1
        self._record.append(line)
        if len(line) == _LONGEST_LINE:
            raise csv.Error("the line is too long")
        return line

    def _read(self) -> str:
        """The next line; of one that is too long its beginning, so that a file without lines fills no memory."""
        line = piece = self._text.readline(_LONGEST_LINE)
        while len(piece) == _LONGEST_LINE and not piece.endswith(("\n", "\r")):
            piece = self._text.readline(_LONGEST_LINE)
        return line

    def begin_record(self) -> int:
        """The number of the line on which the next record begins."""
        self._record.clear()
        return self.number + 1

    def give_up_first_line(self) -> None:
        """Read the record anew from its second line on."""
        self.number -= len(self._record) - 1
        self._again.extend(reversed(self._record[1:]))


def _records(lines: _Lines, separator: str) -> Iterator[tuple[int, list[str] | str]]:
    """Each record with the number of its first line: its fields, or the problem that it has none."""
    while True:
        reader = csv.reader(lines, delimiter=separator, strict=True)
        first = 0
        try:
            while True:
                first = lines.begin_record()
                fields = next(reader)
                if fields:
                    yield first, fields
        except csv.Error:
            lines.give_up_first_line()
            yield first, "malformed_csv"
        except StopIteration:
            return


def _values(fields: Iterable[tuple[str, str]], comma_is_point: bool) -> dict[str, str | float]:
    """The fields as JSON would have them: blank ones are absent, and days are a number, if they are one."""
    values: dict[str, str | float] = {}
    for name, text in fields:
        stripped = text.strip()
        if name == "email":
            values[name] = text
        elif stripped:
            values[name] = _days(stripped, comma_is_point) if name == "delayDays" else stripped
    return values


def _days(text: str, comma_is_point: bool) -> float | str:
    """The number in `text`; anything else is passed on, to be refused for what it is."""
    text = text.replace(",", ".") if comma_is_point else text
    return float(text) if _NUMBER.fullmatch(text) else text


def _header(lines: _Lines, path: Path) -> tuple[str, Sequence[str]]:
    """The separator and the columns that the first line gives."""
    csv.field_size_limit(LONGEST_FIELD)
    try:
        first = next(lines, "")
    except csv.Error:
        first = ""
    if not first.strip():
        message = f"{path} does not begin with a line that names the columns: email, orderNumber, language, delayDays"
        raise FileRefused(message)
    separator = ";" if first.count(";") > first.count(",") else ","
    try:
        names = [name.strip() for name in next(csv.reader([first], delimiter=separator, strict=True))]
    except csv.Error:
        message = f"the first line of {path} cannot be read: a quote or a field does not end where it should"
        raise FileRefused(message) from None
    columns = [_COLUMNS.get(name.lower()) for name in names]
    unknown = [name for name, column in zip(names, columns, strict=True) if column is None]
    if any("@" in name for name in names):  # an order, it seems: a customer's address is not shown
        message = f"the first line of {path} does not name the columns: email, orderNumber, language, delayDays"
        raise FileRefused(message)
    if unknown:
        listed = ", ".join(f'"{name[:40]}"' for name in unknown[:10])
        message = (
            f"the first line of {path} names what may not be sent: {listed}. "
            "The columns are email, orderNumber, language and delayDays"
        )
        raise FileRefused(message)
    known = [column for column in columns if column]
    if len(set(known)) < len(known):
        message = f"the first line of {path} names a column twice"
        raise FileRefused(message)
    if "email" not in known:
        message = f"the first line of {path} names no column email"
        raise FileRefused(message)
    return separator, known


def _require_utf8(file: BinaryIO, path: Path) -> None:
    """Raise unless the whole file is UTF-8; rewind it afterwards."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines_before = 0
    chunk = b""
    try:
        while chunk := file.read(_CHUNK):
            decoder.decode(chunk)
            lines_before += chunk.count(b"\n")
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        # Where a character was cut by the end of a chunk, the decoder had bytes of the chunk before.
        carried = len(error.object) - len(chunk)
        line = 1 + lines_before + chunk[: max(0, error.start - carried)].count(b"\n")
        message = f"{path} is not UTF-8 (line {line}); save it as UTF-8 and try again"
        raise FileRefused(message) from None
    file.seek(0)
