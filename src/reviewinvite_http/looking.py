"""Which requests are views, and what is logged of them: a shop that comes near its day's limit. Spec: §8."""

from __future__ import annotations

from collections.abc import Iterable

from litestar.types import HTTPScope

from reviewinvite_core import CountMode, Crossing
from reviewinvite_core.bootstrap.loggers import get_logger

_log = get_logger("reviewinvite.views")


def looking(scope: HTTPScope) -> CountMode:
    """A HEAD is no view, whatever it is told of; all else is one, also where the browser has the answer already."""
    return CountMode.DRY_RUN if scope["method"] == "HEAD" else CountMode.COUNT


def note_crossings(site_id: str, crossed: Iterable[Crossing]) -> None:
    """Each share (in per cent) of the day's limit that a view has used up."""
    for crossing in crossed:
        _log.info("share of the day's views used up", siteId=site_id, percent=crossing.share, limit=crossing.limit)
