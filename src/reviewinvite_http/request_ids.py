"""Names for requests, by which a line of the log and an error on the screen are found to be the same."""

from __future__ import annotations

import itertools
import os

_process = os.urandom(8).hex()
_numbers = itertools.count(1)


def next_request_id() -> str:
    """An id that no other request to this service has."""
    return f"{_process}-{next(_numbers):x}"
