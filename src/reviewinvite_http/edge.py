"""Where the asynchronous edge meets the synchronous core: submit a unit of work, await its commit. ADR-3."""

from __future__ import annotations

import asyncio
import itertools
import os
from collections.abc import Awaitable, Iterator
from typing import ParamSpec, TypeVar

from reviewinvite_core import Application, GroupCommit
from reviewinvite_core.compose import UseCase

P = ParamSpec("P")
R = TypeVar("R")


class Edge:
    """What the routes share: the application, the one writer, and request ids."""

    def __init__(self, app: Application, commits: GroupCommit) -> None:
        self.app = app
        self._commits = commits
        self._request_ids = _request_ids()

    def commit(self, use_case: UseCase[P, R], *args: P.args, **kwargs: P.kwargs) -> Awaitable[R]:
        """The use case's result, once the commit that covers it is on disk.

        Raises: what the use case raises; `StorageUnavailable`.
        """
        return asyncio.wrap_future(self._commits.submit(use_case.unit(*args, **kwargs)))

    def next_request_id(self) -> str:
        """An id that no other request to this service has."""
        return next(self._request_ids)


def _request_ids() -> Iterator[str]:
    process = os.urandom(8).hex()
    return (f"{process}-{number:x}" for number in itertools.count(1))
