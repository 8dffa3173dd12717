"""State that a server has in addition to the application."""

from __future__ import annotations

import attrs

from reviewinvite_core import AsyncApplication


@attrs.define
class ServerContext:
    """The application that handlers call, and the state of its delivery worker, if any.

    `worker_ended` is true if the worker ended before it was asked to. Whoever made `app` closes it.
    """

    app: AsyncApplication
    worker: bool = False
    worker_ended: bool = False
