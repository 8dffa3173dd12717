"""Header fields that every answer of the dashboard has, whatever is asked, and by whom. Spec: §10.4."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.http.dashboard import OWN, Visitor, a_link
from tests.http.dashboard_routes import POST, ROUTES
from tests.http.page_parser import FORM
from tests.http.service import SITE, Answer, Service
from tests.http.serving import serving

from reviewinvite_core.testing.builders import a_shop

HOST = {"Host": "dashboard.example.com"}
METHODS = ("GET", "HEAD", "POST", "OPTIONS", "PUT", "DELETE", "PATCH", "TRACE")


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A dashboard over https."""
    with serving(dashboard_url="https://dashboard.example.com") as service:
        service.app.shops.add(a_shop(SITE))
        yield service


@pytest.fixture(scope="module")
def owner(service: Service) -> Visitor:
    visitor = Visitor(service)
    link = a_link(service, SITE, "owner@example.com")
    assert visitor.request(POST, link, b"", Content_Type=FORM, **OWN, **HOST).status == 303
    return visitor


def check(answer: Answer) -> None:
    """Clickjacking, sniffing, leaking referrers, copies in caches, and plain http."""
    headers = answer.headers
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["X-Robots-Tag"] == "noindex"
    assert headers["Strict-Transport-Security"] == "max-age=31536000"


UNKNOWN = "/dashboard/a/b/c/d/e"
PREVIEW = "/dashboard/{site_id:str}/integrations/preview"  # it is shown in a frame of our own pages
PATHS = sorted({path for _, path in ROUTES if "assets" not in path} | {UNKNOWN})


@pytest.mark.parametrize("path", [path for path in PATHS if path != PREVIEW])
def test_every_answer_is_shown_and_kept_nowhere_else(service: Service, owner: Visitor, path: str) -> None:
    """Pages, parts of pages and redirects; for members, strangers and other sites, and for any method."""
    sent = re.sub(r"{(\w+):str}", lambda found: SITE if found[1] == "site_id" else "x", path)
    token = owner.token
    for method in METHODS:
        for visitor in (owner, Visitor(service)) if path != "/dashboard/sign-out" else (Visitor(service),):
            for more in (OWN, {**OWN, "Hx_Request": "true"}, {"Sec_Fetch_Site": "cross-site"}):
                for content_type in (FORM, "application/json") if method == "POST" else (FORM,):
                    body = f"csrf_token={token}".encode() if method == "POST" else None
                    check(visitor.request(method, sent, body, Content_Type=content_type, **more, **HOST))


@pytest.mark.parametrize("path", PATHS)
def test_options_names_the_methods_of_an_address_to_everybody_alike(service: Service, path: str) -> None:
    methods = {method for method, each in ROUTES if each == path}
    answer = Visitor(service).request("OPTIONS", path.replace("{site_id:str}", "no-such-shop"), **HOST)
    if path == UNKNOWN:
        assert answer.status == 404
        return
    allowed = methods | {"OPTIONS"} | ({"HEAD"} if "GET" in methods else set())
    assert (answer.status, answer.body) == (204, b"")
    assert answer.headers["Allow"] == ", ".join(sorted(allowed))
    assert "Set-Cookie" not in answer.headers
