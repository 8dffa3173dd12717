"""What lists have in common, and their export as CSV (RFC 4180). Spec: §10.5.

An export is whole, in the order of the page, and harmless to spreadsheets.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Protocol, TypeAlias, TypeVar

from litestar.params import QueryParameter
from litestar.response import Stream

from reviewinvite_core.texts.catalogue import texts_in
from reviewinvite_http.dashboard.page import headers_of
from reviewinvite_http.dashboard.visit import Visit

EXPORT = 500
"""Maximum rows of an export that are read at once."""

CSV = "text/csv"

_FULL_WIDTH = "\uff1d\uff0b\uff0d\uff20"  # spreadsheets may take them for =, +, - and @
# A spreadsheet may split at another character than a comma, also within quotes, and drop spaces and quotes.
_FORMULA = re.compile(rf'(\A(?=[\r\n])|(?:\A|(?<=[,;\t\r\n]))(?=[ "]*[=+\-@\t{_FULL_WIDTH}]))')
_BYTE_ORDER_MARK = "\ufeff"  # without it, spreadsheets take UTF-8 for something else

InState: TypeAlias = Annotated[str, QueryParameter(name="state")]  # `state` is the application's, in Litestar


def in_language(visit: Visit, **tables: Mapping[Any, str]) -> dict[str, Mapping[Any, str]]:
    """Return tables of names, for a template, in the visit's language."""
    texts = texts_in(visit.language)
    return {name: {key: texts.gettext(word) for key, word in table.items()} for name, table in tables.items()}


class Page(Protocol):
    """A page of a list, with the cursor of the next one, or None."""

    @property
    def next(self) -> str | None:
        """The cursor of the next page, or None."""


P = TypeVar("P", bound=Page)


async def export(
    visit: Visit,
    name: str,
    columns: Sequence[str],
    read: Callable[[str | None], Awaitable[P]],
    rows: Callable[[P], Iterable[Sequence[object]]],
) -> Stream:
    """Return a whole list as a file; `read` returns the page at a cursor, or the first page for None."""
    first = await read(None)

    async def all_rows() -> AsyncIterator[Sequence[object]]:
        page = first
        for row in rows(page):
            yield row
        while page.next is not None:
            page = await read(page.next)
            for row in rows(page):
                yield row

    return csv_response(visit, name, columns, all_rows())


def csv_response(visit: Visit, name: str, columns: Sequence[str], rows: AsyncIterator[Sequence[object]]) -> Stream:
    """Return a file to download, sent while its rows are read; if reading fails, the transfer ends incomplete.

    Read the first rows before, so that storage that is away gets a page. None becomes an empty cell.
    """
    file = f"{visit.shop.site_id}-{name}.csv" if visit.shop else f"{name}.csv"
    headers = {**headers_of(visit), "Content-Disposition": f'attachment; filename="{file}"'}
    return Stream(csv_lines(columns, rows), media_type=CSV, headers=headers)


class ExportInterrupted(Exception):
    """Rows could not be read after the first; it names the kind of failure only, because servers log its text."""


async def csv_lines(columns: Sequence[str], rows: AsyncIterator[Sequence[object]]) -> AsyncIterator[str]:
    """Yield the lines of an export.

    Raises: `ExportInterrupted`, which ends the transfer incomplete.
    """
    yield _BYTE_ORDER_MARK + _line(columns)
    try:
        async for row in rows:
            yield _line([defused(each) for each in row])
    except Exception as error:
        raise ExportInterrupted(type(error).__name__) from None


def defused(value: object) -> object:
    """Return a cell's value; in a text, an apostrophe precedes what a spreadsheet would run as a formula.

    That is at its start, and after each character at which a spreadsheet may split it.
    """
    return _FORMULA.sub("'", value) if isinstance(value, str) else value


def _line(cells: Sequence[object]) -> str:
    written = io.StringIO()
    csv.writer(written, quoting=csv.QUOTE_ALL).writerow(cells)
    return written.getvalue()
