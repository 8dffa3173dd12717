"""`GET /s/<site_id>.js`: served to every page, kept by browsers, and safe whatever stands in the settings."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.http.service import SITE, Answer, Service, http_request
from tests.http.serving import serving

from reviewinvite_core import AsyncApplication, Settings, build
from reviewinvite_core.domain.embedding import filled_in, javascript_literal
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http import widget
from reviewinvite_http.app import create_app
from reviewinvite_http.context import ServerContext
from reviewinvite_http.exceptions import answer_at_deadline

BASE_URL = "https://reviews.example.nl/of/us"


@pytest.fixture(scope="module")
def here() -> Iterator[Service]:
    """A service that the world reaches by an address with a path, and a slash at its end."""
    with serving(base_url=f"{BASE_URL}/") as service:
        service.app.shops.add(a_shop(SITE))
        yield service


def script(here: Service, name: str = f"{SITE}.js", method: str = "GET", **headers: str) -> Answer:
    return http_request(here.address, method, f"/s/{name}", **headers)


def test_the_script_names_its_shop_and_the_address_to_report_to(here: Service) -> None:
    answer = script(here)
    assert answer.status == 200
    assert answer.body.decode().rstrip().endswith(f'("{SITE}", "{BASE_URL}/v1/orders/snippet");')
    assert re.search(rb"SITE_ID|ENDPOINT", answer.body) is None


def test_every_page_may_load_it_and_keep_it(here: Service) -> None:
    headers = script(here).headers
    assert headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert headers["Cache-Control"] == "public, max-age=3600, stale-while-revalidate=86400"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert headers["Access-Control-Allow-Origin"] == "*"
    assert "Set-Cookie" not in headers


def test_a_browser_that_has_it_already_is_told_so(here: Service) -> None:
    known = script(here).headers["ETag"]
    for given in (known, f"W/{known}", f'"other", {known}', f'W/"other" , W/{known}', "*"):
        again = script(here, If_None_Match=given)
        assert (again.status, again.body) == (304, b"")
        assert again.headers["ETag"] == known
        assert again.headers["Cache-Control"] == script(here).headers["Cache-Control"]
        assert again.headers["Access-Control-Allow-Origin"] == "*"
    for given in ('"other"', known.strip('"'), "", f'"x{known[1:]}', "*, *"):
        assert script(here, If_None_Match=given).body == script(here).body


def test_each_text_has_an_entity_tag_of_its_own(here: Service) -> None:
    tags = {script(here, f"{name}.js").headers["ETag"] for name in ("one", "two", ".", "-")}
    assert len(tags) == 3  # the empty one is the same for all


def test_a_stranger_does_not_learn_which_shops_there_are(here: Service) -> None:
    known, unknown = script(here), script(here, "of-nobody.js")
    assert unknown.status == 200
    assert unknown.body == known.body.replace(SITE.encode(), b"of-nobody")
    telling = {"etag", "content-length", "date", "x-request-id"}
    assert [field for field in unknown.headers.items() if field[0] not in telling] == [
        field for field in known.headers.items() if field[0] not in telling
    ]


@pytest.mark.parametrize(
    "name",
    [".js", "-.js", "a%20b.js", "%22);alert(1).js", "a.b.js", "%3Cscript%3E.js", "m%C3%B8len.js", f"{'a' * 65}.js"],
)
def test_what_can_be_no_shop_gets_an_empty_script_and_no_error(here: Service, name: str) -> None:
    answer = script(here, name)
    assert (answer.status, answer.body) == (200, b"")
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"


@pytest.mark.parametrize("path", [f"/s/{SITE}.js", f"//s//{SITE}.js"])
def test_a_page_that_waits_when_the_end_comes_gets_an_empty_script_that_nobody_keeps(path: str) -> None:
    app = build(Settings(database_url="memory:", mail_url="recording:"))
    edge = ServerContext(AsyncApplication(app))
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)
        if len(sent) == 1:  # as it is with a client that takes nothing more
            raise asyncio.CancelledError

    scope: Any = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": [], "client": None}
    application: Any = answer_at_deadline(create_app(app, server=edge))
    asyncio.run(application(scope, receive, send))
    edge.app.close()
    app.close()
    _, start, rest = sent
    headers = dict(start["headers"])
    assert (start["status"], rest["body"]) == (200, b"")
    assert headers[b"cache-control"] == b"no-store"
    assert headers[b"content-type"] == b"text/javascript; charset=utf-8"


@pytest.mark.parametrize("name", [SITE, f"{SITE}.css", f"{SITE}.js/x", ""])
def test_other_names_are_not_there(here: Service, name: str) -> None:
    assert script(here, name).status == 404


@pytest.mark.parametrize(
    "hostile", ["</script><script>alert(1)</script>", "\"'\\", "\u2028\u2029\x00", "<!--", "a&quot;"]
)
def test_a_text_in_a_script_can_end_neither_the_text_nor_the_tag(hostile: str) -> None:
    literal = javascript_literal(hostile)
    assert json.loads(literal) == hostile
    assert literal.isascii()
    assert literal.isprintable()
    assert not set("<>&") & set(literal)


@pytest.mark.parametrize("site", ["ENDPOINT", "SITE_ID"])
def test_a_shop_may_be_called_as_it_likes(site: str) -> None:
    assert (
        filled_in("f(SITE_ID, ENDPOINT)", SiteId(site), "https://x.nl")
        == f'f("{site}", "https://x.nl/v1/orders/snippet")'
    )


def test_the_script_has_no_syntax_that_an_older_browser_would_complain_of() -> None:
    source = (Path(widget.__file__).parent / "snippet.js").read_text(encoding="utf-8")
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", source, flags=re.DOTALL)
    assert not re.search(r"\?\.|\?\?|\.\.\.|`|\basync\b|\bawait\b|catch \{|#", code)
    assert "console" not in code
    assert len(source) < 2_500
