"""Decide which requests count as views, and log when a shop approaches its daily limit. Spec: §8."""

from __future__ import annotations

from collections.abc import Iterable

from reviewinvite_core import CountMode, Crossing
from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_http.requests import AnyRequest

_log = get_logger("reviewinvite.views")


def count_mode(request: AnyRequest) -> CountMode:
    """Return `DRY_RUN` for HEAD; all other requests count as views, including those answered 304."""
    return CountMode.DRY_RUN if request.method == "HEAD" else CountMode.COUNT


def log_crossings(site_id: str, crossed: Iterable[Crossing]) -> None:
    """Log each share (in per cent) of the daily limit that a view has reached."""
    for crossing in crossed:
        _log.info("share of daily views reached", siteId=site_id, percent=crossing.share, limit=crossing.limit)
