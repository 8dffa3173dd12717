"""Where to go after the sign-in: a page of the dashboard, and nowhere else."""

from __future__ import annotations

import re

from reviewinvite_http.dashboard.address import PATH, address_of
from reviewinvite_http.requests import READ, AnyRequest, header, routed_path

RETURN_FIELD = "next"
LONGEST = 1000

_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._-]*)*/?(?:\?[A-Za-z0-9._~=&%+-]*)?", re.ASCII)


def checked_return_path(root: str, wanted: str | None) -> str | None:
    """Return a path below the dashboard's `root`, or None for anything else, such as an address elsewhere.

    The path may hold only what our own pages' paths do: no `//`, no backslash, no dots that lead upwards.
    """
    if wanted is None or len(wanted) > LONGEST or not wanted.startswith(root):
        return None
    return wanted if _PATH.fullmatch(wanted.removeprefix(root)) else None


def path_of(request: AnyRequest) -> str:
    """Return the page to which a request belongs: its own address, or that of the page whose form was sent."""
    address = address_of(request)
    if request.method in READ:
        path = address.root + routed_path(request.scope).removeprefix(PATH)
        query = request.scope["query_string"].decode("latin-1")
        return f"{path}?{query}" if query else path
    page = (header(request, "referer") or "").removeprefix(address.origin)
    return checked_return_path(address.root, page) or f"{address.root}/"
