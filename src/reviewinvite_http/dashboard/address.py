"""Where the dashboard is: its links, its origin and its cookies follow `DASHBOARD_URL`, never the `Host` header."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Self
from urllib.parse import urlsplit

import attrs
from litestar.datastructures import State
from litestar.types import Scope

from reviewinvite_core import Application, AsyncApplication
from reviewinvite_http.requests import READ, AnyRequest, header, routed_path

PATH = "/dashboard"
RETURN_FIELD = "next"
"""Parameter with the page to go to after the sign-in."""

LONGEST = 1000
_STATE = "dashboard"
_PATH = re.compile(r"(?:/[A-Za-z0-9_~-][A-Za-z0-9._-]*)*/?(?:\?[A-Za-z0-9._~=&%+-]*)?", re.ASCII)

NOWHERE = {"path": "/nowhere", "raw_path": b"/nowhere"}
"""What is routed in place of a path that is not on the dashboard's own host: 404 for every method."""


@attrs.frozen
class DashboardAddress:
    """The dashboard's URL, and the URL of everything else."""

    url: str
    base_url: str

    @classmethod
    def of(cls, app: Application | AsyncApplication) -> Self:
        """Return where the dashboard of this application is."""
        return cls(app.dashboard_url, app.base_url)

    def as_state(self) -> State:
        """Return the state of the HTTP application, from which `address_of` reads it."""
        return State({_STATE: self})

    @property
    def root(self) -> str:
        """Path of the dashboard, under which all its pages are."""
        return urlsplit(self.url).path + PATH

    @property
    def origin(self) -> str:
        """Origin of the dashboard's pages, as browsers send it."""
        parts = urlsplit(self.url.lower())
        default = {"https": 443, "http": 80}[parts.scheme]
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port not in (None, default) else "")

    @property
    def is_secure(self) -> bool:
        """Whether it is served over https, also if a proxy does that."""
        return urlsplit(self.url).scheme == "https"

    @property
    def keeps_secrets(self) -> bool:
        """Whether nobody between browser and service can read a session: it uses https, or stays on this machine."""
        return self.is_secure or _is_loopback(urlsplit(self.url).hostname or "")

    def cookie(self, name: str) -> str:
        """Return the name of a cookie; a browser takes one with this prefix only from this host, over https."""
        return f"__Host-{name}" if self.is_secure else name

    @property
    def is_apart(self) -> bool:
        """Whether the dashboard has a host of its own."""
        return urlsplit(self.url).hostname != urlsplit(self.base_url).hostname

    def is_at(self, host: str) -> bool:
        """Return whether this `Host` is that of the dashboard, which a dot at its end does not change."""
        return _without_port(host.lower()).removesuffix(".") == urlsplit(self.url).hostname


def address_of(request: AnyRequest) -> DashboardAddress:
    """Return where the dashboard of the application that serves this request is."""
    address: DashboardAddress = request.app.state[_STATE]
    return address


def is_beside_dashboard(scope: Scope, dashboard: DashboardAddress) -> bool:
    """Return whether a request asks the dashboard's own host for something else, which is not there.

    So neither strangers' texts nor scripts for other sites are ever in the session's origin.
    """
    hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    return any(map(dashboard.is_at, hosts)) and not is_dashboard(routed_path(scope))


def is_dashboard(path: str) -> bool:
    """Return whether a routed path is the dashboard's, whose errors are pages of its own."""
    return path == PATH or path.startswith(f"{PATH}/")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).strip("[]")


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
