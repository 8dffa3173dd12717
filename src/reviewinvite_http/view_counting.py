"""Which requests count as views, and what is logged when a shop comes near its day's limit. Spec: §8."""

from __future__ import annotations

from collections.abc import Iterable

from reviewinvite_core import CountMode, Crossing
from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_http.requests import AnyRequest

_log = get_logger("reviewinvite.views")


def count_mode(request: AnyRequest) -> CountMode:
    """HEAD requests are not counted as views; all others are, including those answered 304."""
    return CountMode.DRY_RUN if request.method == "HEAD" else CountMode.COUNT


def log_crossings(site_id: str, crossed: Iterable[Crossing]) -> None:
    """Log each share (in per cent) of the day's limit that a view has used up."""
    for crossing in crossed:
        _log.info("share of the day's views used up", siteId=site_id, percent=crossing.share, limit=crossing.limit)
