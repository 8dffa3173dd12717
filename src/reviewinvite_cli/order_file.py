"""Read orders from a CSV file line by line: only the columns that a shop may send. Spec: §1, §2.

The file is never held in memory, and a broken line does not affect others: after an unclosed quote, reading continues
at the line after the one with the quote.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, Self, TextIO

from reviewinvite_cli.order_lines import OrderLine, RefusedLine
from reviewinvite_core import Invalid, OrderReport
from reviewinvite_core.wire.json_converter import structure_fields

LONGEST_FIELD = 16_384
"""Maximum characters of a value, more than any valid one has; limits how much an unclosed quote can swallow."""

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
_ALLOWED = "email, orderNumber, language, delayDays"
_NUMBER = re.compile(r"\d+(?:\.\d*)?|\.\d+", re.ASCII)


STANDARD_INPUT = "-"


class FileRefused(Exception):
    """The file cannot be imported; the message says why. Nothing was imported."""


class WrongFile(FileRefused):
    """There is no such regular file, it cannot be read, or its first line does not name columns that we know."""


class OrderFile:
    """A CSV file of orders with a header line; `-` is standard input. Use it as a context manager.

    Standard input is held in memory, because it is read twice and addresses do not belong in a temporary file.

    Raises: `WrongFile` if the file cannot be read, is not a regular file, or has a wrong header line; `FileRefused` if
    it is not UTF-8.
    """

    def __init__(self, path: Path, names: Mapping[str, str] | None = None) -> None:
        """Open the file, check that all of it is UTF-8, and read its header line.

        `names` are the file's own names of fields, as from `names_of`; columns that it does not name are then skipped.
        """
        self._bytes, self.size = _opened(path)
        path = Path("standard input") if str(path) == STANDARD_INPUT else path
        try:
            _require_utf8(self._bytes, path)
            self._text = io.TextIOWrapper(self._bytes, encoding="utf-8-sig", newline="")
            self._lines = _Lines(self._text)
            self._separator, self._columns = _header(self._lines, path, names or {})
        except BaseException:
            self._bytes.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._bytes.close()

    @property
    def bytes_read(self) -> int:
        """Number of bytes read so far, for a progress bar."""
        return self._bytes.tell()

    def orders(self) -> Iterator[OrderLine | RefusedLine]:
        """Yield every non-blank line, as an order or as refused, in the order of the file."""
        columns = self._columns
        comma_is_point = self._separator == ";"
        for line, fields in _records(self._lines, self._separator):
            if isinstance(fields, str):
                yield RefusedLine(line, None, fields)
            elif len(fields) != len(columns):
                yield RefusedLine(line, None, "wrong_number_of_fields")
            else:
                named = [(name, text) for name, text in zip(columns, fields, strict=True) if name]
                values = _values(named, comma_is_point)
                report = structure_fields(values, OrderReport)
                if isinstance(report, Invalid):
                    yield RefusedLine(line, report.field, report.problem.value)
                else:
                    yield OrderLine(line, report)


def _opened(path: Path) -> tuple[BinaryIO, int]:
    """Return the file and its size in bytes.

    Raises: `WrongFile`.
    """
    try:
        if str(path) == STANDARD_INPUT:
            content = sys.stdin.buffer.read()
            return io.BytesIO(content), len(content)
        status = path.stat()  # first, since opening a pipe waits for somebody to write to it
        if not stat.S_ISREG(status.st_mode):
            message = f"{path} is not a regular file; - reads standard input"
            raise WrongFile(message)
        return path.open("rb"), status.st_size
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise WrongFile(message) from error


class _Lines:
    """The file's physical lines for a CSV reader; it can go back to the second line of the current record."""

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
        """Return the next line, truncated if it is too long so that a file without line breaks does not fill memory."""
        line = piece = self._text.readline(_LONGEST_LINE)
        while len(piece) == _LONGEST_LINE and not piece.endswith(("\n", "\r")):
            piece = self._text.readline(_LONGEST_LINE)
        return line

    def begin_record(self) -> int:
        """Begin the next record and return the number of its first line."""
        self._record.clear()
        return self.number + 1

    def give_up_first_line(self) -> None:
        """Give up the record's first line, and read on from its second line."""
        self.number -= len(self._record) - 1
        self._again.extend(reversed(self._record[1:]))


def _records(lines: _Lines, separator: str) -> Iterator[tuple[int, list[str] | str]]:
    """Yield each record with the number of its first line: its fields, or the reason why it is unreadable."""
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
    """Return the fields as in JSON: blank ones are absent, and `delayDays` is a number if its text is one."""
    values: dict[str, str | float] = {}
    for name, text in fields:
        stripped = text.strip()
        if name == "email":
            values[name] = text
        elif stripped:
            values[name] = _days(stripped, comma_is_point) if name == "delayDays" else stripped
    return values


def _days(text: str, comma_is_point: bool) -> float | str:
    """Return the number in `text`; return any other text unchanged, to be refused later."""
    text = text.replace(",", ".") if comma_is_point else text
    return float(text) if _NUMBER.fullmatch(text) else text


def names_of(given: Sequence[str]) -> Mapping[str, str]:
    """Return the field of each column from texts such as `email=Customer mail`, by the column's name in lower case.

    Raises: `ValueError` with what is wrong.
    """
    names: dict[str, str] = {}
    for each in given:
        field, _, name = each.partition("=")
        column = _COLUMNS.get(field.strip().lower())
        key = name.strip().lower()
        if column is None or not key:
            message = f"must be FIELD=COLUMN, where FIELD is one of: {_ALLOWED}"
            raise ValueError(message)
        if key in names or column in names.values():
            message = f"names {column if column in names.values() else name.strip()} twice"
            raise ValueError(message)
        names[key] = column
    return names


def _header(lines: _Lines, path: Path, given: Mapping[str, str]) -> tuple[str, Sequence[str | None]]:
    """Return the separator and the fields of the first line's columns, None for one to skip.

    Raises: `WrongFile`.
    """
    csv.field_size_limit(LONGEST_FIELD)
    try:
        first = next(lines, "")
    except csv.Error:
        first = ""
    if not first.strip():
        message = f"{path} has no header line. Allowed columns: {_ALLOWED}"
        raise WrongFile(message)
    separator = ";" if first.count(";") > first.count(",") else ","
    try:
        names = [name.strip() for name in next(csv.reader([first], delimiter=separator, strict=True))]
    except csv.Error:
        message = f"the first line of {path} has a misplaced or unclosed quote"
        raise WrongFile(message) from None
    known_names = {**{name: field for name, field in _COLUMNS.items() if field not in given.values()}, **given}
    columns = [known_names.get(name.lower()) for name in names]
    unknown = [name for name, column in zip(names, columns, strict=True) if column is None]
    if any("@" in name for name in unknown):  # apparently an order: do not print a customer's address
        message = f"the first line of {path} is not a header. Allowed columns: {_ALLOWED}"
        raise WrongFile(message)
    absent = [name for name in given if name not in {each.lower() for each in names}]
    if absent:
        message = f'{path} has no column "{absent[0][:40]}"'
        raise WrongFile(message)
    if unknown and not given:
        listed = ", ".join(f'"{name[:40]}"' for name in unknown[:10])
        message = f"unknown columns in {path}: {listed}. Allowed columns: {_ALLOWED}; --map names others"
        raise WrongFile(message)
    known = [column for column in columns if column]
    repeated = [column for column in dict.fromkeys(known) if known.count(column) > 1]
    if repeated:
        message = f"the first line of {path} repeats the column {repeated[0]}"
        raise WrongFile(message)
    if "email" not in known:
        message = f"the first line of {path} has no email column"
        raise WrongFile(message)
    return separator, columns


def _require_utf8(file: BinaryIO, path: Path) -> None:
    """Raise `FileRefused` unless the whole file is UTF-8; rewind it afterwards."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines_before = 0
    chunk = b""
    try:
        while chunk := file.read(_CHUNK):
            decoder.decode(chunk)
            lines_before += chunk.count(b"\n")
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        # If a chunk ended within a character, the decoder still held bytes of it.
        carried = len(error.object) - len(chunk)
        line = 1 + lines_before + chunk[: max(0, error.start - carried)].count(b"\n")
        message = f"{path} is not UTF-8 (line {line}); save it as UTF-8 and try again"
        raise FileRefused(message) from None
    file.seek(0)
