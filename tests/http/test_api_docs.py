"""The pages about the API: complete, from this service alone, and right below any path."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files

import pytest
from tests.http.service import Service, http_request
from tests.http.serving import serving

PAGES = ("/v1/docs", "/v1/errors")


@pytest.fixture(scope="module")
def below_a_path() -> Iterator[Service]:
    with serving(base_url="https://example.nl/reviews") as service:
        yield service


def script_of(service: Service, prefix: str = "") -> str:
    """Return the path of the script of the page, as the service sees it."""
    page = http_request(service.address, "GET", "/v1/docs").body.decode()
    (source,) = re.findall(r'<script type="module" src="([^"]+)"', page)
    assert source.startswith(f"{prefix}/v1/docs/")
    return str(source).removeprefix(prefix)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_is_html_and_head_is_answered_like_get(service: Service, path: str) -> None:
    got, head = (http_request(service.address, method, path) for method in ("GET", "HEAD"))
    assert got.status == head.status == 200
    assert got.headers["Content-Type"] == head.headers["Content-Type"] == "text/html; charset=utf-8"
    assert (head.body, head.headers["Content-Length"]) == (b"", str(len(got.body)))
    assert set(http_request(service.address, "OPTIONS", path).headers["Allow"].split(", ")) == {
        "GET",
        "HEAD",
        "OPTIONS",
    }


def test_its_policy_allows_this_service_only_and_inline_code_for_styles_only(service: Service) -> None:
    policy = http_request(service.address, "GET", "/v1/docs").headers["Content-Security-Policy"]
    directives = dict(each.strip().split(" ", 1) for each in policy.split(";"))
    assert directives.pop("style-src") == "'unsafe-inline'"
    assert directives.pop("default-src") == "'none'"
    assert set(directives.values()) == {"'self'", "'none'"}


def test_the_script_is_kept_by_browsers_and_compressed(service: Service) -> None:
    path = script_of(service)
    plain = http_request(service.address, "GET", path)
    compressed = http_request(service.address, "GET", path, Accept_Encoding="gzip")
    assert plain.headers["Content-Type"] == "text/javascript; charset=utf-8"
    assert "immutable" in plain.headers["Cache-Control"]
    assert compressed.headers["Content-Encoding"] == "gzip"
    assert len(compressed.body) < len(plain.body) / 3
    assert http_request(service.address, "GET", "/v1/docs/another/explorer.js").status == 404


def test_its_links_are_right_below_a_path(below_a_path: Service) -> None:
    assert http_request(below_a_path.address, "GET", script_of(below_a_path, "/reviews")).status == 200
    page = http_request(below_a_path.address, "GET", "/v1/docs").body.decode()
    assert 'spec-url="/reviews/v1/openapi.json"' in page
    assert 'href="/reviews/v1/errors"' in page


def test_the_description_names_the_public_address_of_the_service(below_a_path: Service) -> None:
    description = http_request(below_a_path.address, "GET", "/v1/openapi.json").json
    assert description["servers"] == [{"url": "https://example.nl/reviews"}]


def test_the_type_of_an_error_leads_to_its_explanation(below_a_path: Service) -> None:
    error = http_request(below_a_path.address, "GET", "/v1/reviews").json
    address, _, anchor = error["type"].removeprefix("https://example.nl/reviews").partition("#")
    page = http_request(below_a_path.address, "GET", address)
    assert page.status == 200
    assert f'id="{anchor}"' in page.body.decode()


@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("application/problem+json", "application/problem+json"),
        ("application/json, application/problem+json;q=0.5", "application/problem+json"),
        ("application/problem+json;q=0", "application/json"),
        ("*/*", "application/json"),
        ("text/html", "application/json"),
    ],
)
def test_an_error_is_a_problem_for_those_who_name_its_type(service: Service, accept: str, media_type: str) -> None:
    answer = http_request(service.address, "GET", "/v1/reviews", Accept=accept)
    assert (answer.status, answer.headers["Content-Type"]) == (401, media_type)


def test_the_explorer_comes_with_its_licence() -> None:
    licence = files("reviewinvite_http.pages.docs").joinpath("vendor/openapi-explorer.LICENSE.txt").read_text("utf-8")
    assert "Apache License" in licence
