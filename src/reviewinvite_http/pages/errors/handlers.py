"""`GET /v1/errors`: what each code of an error means; `type` in an error leads here. Spec: §7."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import attrs
from litestar import route
from litestar.di import NamedDependency
from litestar.params import FromQuery
from litestar.response.base import ASGIResponse

from reviewinvite_core import Language, StorageUnavailable
from reviewinvite_core.domain import refusals
from reviewinvite_core.values import Problem
from reviewinvite_http.context import ServerContext
from reviewinvite_http.errors import BY_STATUS, ERRORS_PATH, KEY_MISSING, ErrorRow, row_of, sentence_in
from reviewinvite_http.negotiation import preferred_language
from reviewinvite_http.pages.page import About, chosen_language, page_of_browsers_language
from reviewinvite_http.requests import READ, AnyRequest, header
from reviewinvite_http.responses import FIVE_MINUTES, Variant, cacheable

_ANY_FIELD = "…"
_OF_THE_API = [row_of(each) for each in refusals.EVERY if each.in_api]
_ROWS = sorted([KEY_MISSING, *_OF_THE_API, row_of(StorageUnavailable), *BY_STATUS.values()], key=lambda row: row.status)


@attrs.frozen
class ErrorMeaning:
    """A code, its status, and what it means."""

    code: str
    status: int
    sentence: str


def meanings(language: Language) -> Sequence[ErrorMeaning]:
    """Return all codes that the API answers with, ordered by status."""
    return [
        *(_of_row(row, language) for row in _ROWS if row.status < 422),
        *(ErrorMeaning(each.value, 422, sentence_in(language, each, _ANY_FIELD)) for each in Problem),
        *(_of_row(row, language) for row in _ROWS if row.status > 422),
    ]


def _of_row(row: ErrorRow, language: Language) -> ErrorMeaning:
    return ErrorMeaning(row.code, row.status, sentence_in(language, row))


@route(ERRORS_PATH, http_method=READ, include_in_schema=False)
async def errors_page(
    server: NamedDependency[ServerContext], request: AnyRequest, language: FromQuery[str | None] = None
) -> ASGIResponse:
    """Explain the codes of errors, in the language chosen or preferred by the browser."""
    preferred = preferred_language(header(request, "accept-language") or "", Language.EN)
    return cacheable(request, _page(About.of(server.app), chosen_language(language, preferred)), FIVE_MINUTES)


@lru_cache(maxsize=64)
def _page(about: About, language: Language) -> Variant:
    return page_of_browsers_language("errors", language, about, is_public=False, errors=meanings(language))
