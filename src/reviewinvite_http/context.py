"""State that a server has in addition to the application."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from reviewinvite_core import AsyncApplication
from reviewinvite_http.exchanges import Exchange
from reviewinvite_http.log import log_exchange
from reviewinvite_http.metrics.metrics import Metrics


@attrs.define
class ServerContext:
    """The application that handlers call, and the state of its delivery worker, if any.

    `worker_ended` is true if the worker ended before it was asked to. Whoever made `app` closes it.
    `metrics`, if any, are shown at `/metrics`, and count exchanges.
    Each of the `observers` receives all exchanges; see `exchanges.Observer`.
    """

    app: AsyncApplication
    worker: bool = False
    worker_ended: bool = False
    metrics: Metrics | None = None
    observers: list[Callable[[Exchange], None]] = attrs.field(factory=lambda: [log_exchange])

    def __attrs_post_init__(self) -> None:
        if self.metrics:
            self.observers.append(self.metrics.observe)
