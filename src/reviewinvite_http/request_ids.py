"""Request ids, which connect an error that a client shows with its log entry."""

from __future__ import annotations

import itertools
import os
from typing import Any, cast

from litestar.types import Scope

_KEY = "reviewinvite.request_id"

_process = os.urandom(8).hex()
_numbers = itertools.count(1)


def next_request_id() -> str:
    """Return an id that is unique among the requests to this service."""
    return f"{_process}-{next(_numbers):x}"


def request_id_of(scope: Scope) -> str:
    """Return the id of this request, created on first use.

    It is in the scope itself, because some servers share one `state` between all requests.
    """
    request_id: str = cast("dict[str, Any]", scope).setdefault(_KEY, next_request_id())
    return request_id
