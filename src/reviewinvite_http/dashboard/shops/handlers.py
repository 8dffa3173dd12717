"""`/dashboard/`: a member's shops to choose from, or the only one. Spec: §10.1."""

from __future__ import annotations

from typing import Any

from litestar import Response, route
from litestar.di import NamedDependency

from reviewinvite_core.values import SignedIn
from reviewinvite_http.dashboard.page import dashboard_page, see_other
from reviewinvite_http.dashboard.visit import Visit
from reviewinvite_http.requests import READ


@route("/", http_method=READ)
async def shops_page(visit: NamedDependency[Visit], signed_in: NamedDependency[SignedIn]) -> Response[Any]:
    """Show the shops of the member; lead on to the only one."""
    if len(signed_in.shops) == 1:
        return see_other(visit, f"{visit.root}/{signed_in.shops[0].site_id.segment}/", visit.cookies)
    return dashboard_page(visit, "shops")
