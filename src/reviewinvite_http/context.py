"""What a server has beside the application."""

from __future__ import annotations

import attrs

from reviewinvite_core import AsyncApplication


@attrs.define
class ServerContext:
    """The application that handlers call, and the state of the worker that delivers beside it, if any.

    `worker_ended` says that it ended before it was told to.
    """

    app: AsyncApplication
    worker: bool = False
    worker_ended: bool = False
