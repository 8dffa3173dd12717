"""Ids of requests, by which an error that a client shows is found in the log."""

from __future__ import annotations

import itertools
import os
from typing import Any, cast

from litestar.types import Scope

_KEY = "reviewinvite.request_id"

_process = os.urandom(8).hex()
_numbers = itertools.count(1)


def next_request_id() -> str:
    """Return an id that no other request to this service has."""
    return f"{_process}-{next(_numbers):x}"


def request_id_of(scope: Scope) -> str:
    """Return the id of this request, made when it is first asked for.

    It is in the scope itself: some servers hand the same `state` to all requests.
    """
    request_id: str = cast("dict[str, Any]", scope).setdefault(_KEY, next_request_id())
    return request_id
