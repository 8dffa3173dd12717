"""Decide which requests count as views, and log when a shop approaches a daily limit. Spec: §8."""

from __future__ import annotations

from collections.abc import Iterable

from structlog.stdlib import BoundLogger

from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_core.values import BadgeShown, CountMode, Crossing, Verified
from reviewinvite_http.requests import AnyRequest

_log = get_logger("reviewinvite.views")


def count_mode(request: AnyRequest) -> CountMode:
    """Return `DRY_RUN` for HEAD; all other requests count as views, including those answered 304."""
    return CountMode.DRY_RUN if request.method == "HEAD" else CountMode.COUNT


def log_view(site_id: str, view: BadgeShown | Verified) -> None:
    """Log what an operator should know about a view, which for most views is nothing."""
    log_crossings(_log, "share of daily views reached", site_id, view.crossed)
    if view.one_client:
        _log.warning("one client makes most views: if it is a proxy, name it in TRUSTED_PROXIES", siteId=site_id)


def log_crossings(logger: BoundLogger, event: str, site_id: str, crossed: Iterable[Crossing]) -> None:
    """Log each share (in per cent) of a shop's daily limit that a request has reached."""
    for crossing in crossed:
        logger.info(event, siteId=site_id, percent=crossing.share, limit=crossing.limit)
