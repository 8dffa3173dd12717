"""What the lists of reviews and invitations have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from litestar.params import QueryParameter

from reviewinvite_core.texts import texts_in
from reviewinvite_http.dashboard.visit import Visit

EXPORT = 500
"""Maximum rows of an export that are read at once."""

InState: TypeAlias = Annotated[str, QueryParameter(name="state")]  # `state` is the application's, in Litestar


def in_language(visit: Visit, **tables: Mapping[Any, str]) -> dict[str, Mapping[Any, str]]:
    """Return tables of names, for a template, in the visit's language."""
    texts = texts_in(visit.language)
    return {name: {key: texts.gettext(word) for key, word in table.items()} for name, table in tables.items()}
