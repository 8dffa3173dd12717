"""The parts of the site: links that lead somewhere, features with their results, and a check that finds faults.

Sphinx is not among the tools of the checks: `nox -s docs` builds the whole.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tools.website import api, links, living
from tools.website.assemble import DOCS, PICTURES, ROOT, assemble, relinked, unlisted, with_pictures
from tools.website.http_reference import write_http_reference

import reviewinvite_core

FEATURE = "badge/serving.feature"


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What Sphinx would read."""
    folder = tmp_path_factory.mktemp("site") / "source"
    assemble(folder)
    return folder


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[the specification](specification.md)", "[the specification](specification.md)"),
        ("[§4](specification.md#4-http)", "[§4](specification.md#4-http)"),
        ("[changes](../CHANGELOG.md)", "[changes](project/CHANGELOG.md)"),
        ("[features](../features/)", "[features](features/index.md)"),
        ("[`core/ports`](../src/reviewinvite_core/ports)", "`core/ports`"),
        ("[elsewhere](https://example.com/x.md)", "[elsewhere](https://example.com/x.md)"),
        ("```\n[code](../src)\n```", "```\n[code](../src)\n```"),
    ],
)
def test_a_link_leads_to_a_page_of_the_site_or_becomes_its_label(tmp_path: Path, written: str, shown: str) -> None:
    assert relinked(written, DOCS / "page.md", tmp_path / "page.md", tmp_path) == shown


def test_a_page_shows_the_pictures_that_its_comments_name(tmp_path: Path) -> None:
    page = tmp_path / "how-to" / "page.md"
    shown = with_pictures("Before.\n<!-- picture: badges Three sizes -->\n", page, tmp_path)
    assert shown == "Before.\n![Three sizes](../pictures/badges.png)\n"
    with pytest.raises(ValueError, match=r"page\.md: no picture is called badge; there are e-mail-light"):
        with_pictures("<!-- picture: badge One -->", page, tmp_path)


def test_the_tutorial_shows_what_its_reader_sees(source: Path) -> None:
    tutorial = (source / "tutorial" / "first-review.md").read_text(encoding="utf-8")
    assert [name for name in PICTURES if f"(../pictures/{name}.png)" in tutorial] == [
        *("e-mail-light", "review-page-light", "public-page-light", "badges")
    ]


def test_every_diagram_is_on_a_page() -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))
    assert [file.name for file in (DOCS / "diagrams").glob("*.svg") if f"diagrams/{file.name})" not in pages] == []


def test_every_page_of_the_project_is_on_the_site(source: Path) -> None:
    pages = {page.relative_to(DOCS) for page in DOCS.rglob("*.md")}
    assert pages <= {page.relative_to(source) for page in source.rglob("*.md")}
    assert "(../specification.md)" in (source / "project" / "README.md").read_text(encoding="utf-8")
    assert (source / "project" / "CHANGELOG.md").read_bytes() != b""
    assert (ROOT / "README.md").exists()


def test_the_reference_has_every_public_name(tmp_path: Path) -> None:
    api.write_reference(tmp_path)
    text = (tmp_path / "core.rst").read_text(encoding="utf-8")
    public = [name for name in dir(reviewinvite_core) if isinstance(getattr(reviewinvite_core, name), type)]
    assert [name for name in public if f":: reviewinvite_core.{name}\n" not in text] == []
    assert "autofunction:: reviewinvite_core.build\n" in text
    assert "autofunction:: reviewinvite_http.app.create_app\n" in (tmp_path / "http.rst").read_text(encoding="utf-8")


def test_the_reference_has_every_operation(tmp_path: Path) -> None:
    write_http_reference(DOCS / "openapi.json", tmp_path / "http-api.md")
    text = (tmp_path / "http-api.md").read_text(encoding="utf-8")
    paths = json.loads((DOCS / "openapi.json").read_text(encoding="utf-8"))["paths"]
    assert [path for path in paths if f" {path}`" not in text] == []


def test_a_page_that_the_index_does_not_name_is_shown_all_the_same() -> None:
    pages = [Path("index.md"), Path("cli.md"), Path("client.md"), Path("how-to/x.md"), Path("reference/y.md")]
    assert unlisted("# Title\n```{toctree}\ncli\n```\n", pages) == ["client", "reference/y"]


def a_record(**changes: Any) -> dict[str, Any]:
    """Return what `--living` records of a scenario."""
    event = {
        "kind": "exchange",
        "request": "GET /w/bakkerij.js",
        "headers": {"referer": "https://shop.example.nl/"},
        "body": "",
        "status": 200,
        "answerHeaders": {"content-type": "text/html; charset=utf-8"},
        "answer": "<p>the page</p>",
    }
    step = {"keyword": "When", "text": "a visitor <looks>", "docstring": "", "table": [], "passed": True}
    return {
        "feature": f"features/{FEATURE}",
        "rule": "The badge is shown on the shop's own pages",
        "scenario": "A visitor sees it",
        "line": 1,
        "driver": "http-memory",
        "passed": True,
        "steps": [{**step, "events": [event]}],
        **changes,
    }


def test_a_rule_shows_its_result_what_was_sent_and_what_was_shown(tmp_path: Path) -> None:
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "one.json").write_text(json.dumps(a_record()), encoding="utf-8")
    failed = a_record(scenario="Another sees it", passed=False)
    (tmp_path / "records" / "two.json").write_text(json.dumps(failed), encoding="utf-8")
    pictures = living.write_features(tmp_path / "records", tmp_path / "features")
    page = (tmp_path / "features" / FEATURE).with_suffix(".md").read_text(encoding="utf-8")
    assert "**1 of 2 scenarios failed**. [Specification](/specification.md), §4.3." in page
    assert "a visitor &lt;looks&gt;" in page
    assert "<summary><code>GET /w/bakkerij.js</code>: 200</summary>" in page
    assert "referer: https://shop.example.nl/" in page
    assert list(pictures.values()) == ["<p>the page</p>"]
    assert next(iter(pictures)) in page
    index = (tmp_path / "features" / "index.md").read_text(encoding="utf-8")
    assert "(badge/serving.md)" in index


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ('<a href="none.html">x</a>', "none.html: no such file"),
        ('<a href="#none">x</a>', "#none: no such anchor"),
        ('<a href="other.html#none">x</a>', "other.html#none: no such anchor"),
        ('<script src="https://cdn.example.com/x.js"></script>', "loads https://cdn.example.com/x.js"),
        ('<link rel="stylesheet" href="//cdn.example.com/x.css">', "loads //cdn.example.com/x.css"),
    ],
)
def test_a_fault_of_a_built_page_is_found(tmp_path: Path, page: str, fault: str) -> None:
    (tmp_path / "other.html").write_text('<h1 id="there">x</h1><a href="https://example.com/">x</a>', encoding="utf-8")
    (tmp_path / "index.html").write_text(f'<a href="other.html#there">x</a>{page}', encoding="utf-8")
    assert list(links.faults_of(tmp_path)) == [f"index.html: {fault}"]


def test_a_style_sheet_that_loads_from_elsewhere_is_found(tmp_path: Path) -> None:
    (tmp_path / "x.css").write_text("@font-face { src: url('https://fonts.example.com/x.woff'); }", encoding="utf-8")
    assert list(links.faults_of(tmp_path)) == ["x.css: loads https://fonts.example.com/x.woff"]
