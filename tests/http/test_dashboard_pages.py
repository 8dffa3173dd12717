"""What all pages of the dashboard have in common: languages, assets, errors, and storage that is away. Spec: §10.4."""

from __future__ import annotations

import asyncio
import csv
import io
import traceback
from collections.abc import AsyncIterator, Iterator, Sequence
from importlib.resources import files

import pytest
from hypothesis import example, given, strategies as st
from tests.http.absent_storage import AbsentStorage
from tests.http.dashboard import Visitor, a_link, a_new_link, signed_in, where, words
from tests.http.service import SITE, Service
from tests.http.serving import serving
from tests.logs import captured_logs

from reviewinvite_core import NewMember, NewShop, Role, StorageUnavailable, accepted
from reviewinvite_core.domain.shop import TAKEN_SITE_IDS
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_http.dashboard.assets import MEDIA_TYPES, asset
from reviewinvite_http.dashboard.csv_export import ExportInterrupted, csv_lines, defused


@pytest.fixture
def storage() -> AbsentStorage:
    return AbsentStorage()


@pytest.fixture
def member(storage: AbsentStorage) -> Iterator[Visitor]:
    """An owner who is signed in, at a service whose storage can go away."""
    with serving(storage=storage) as service:
        service.app.shops.add(a_shop(SITE))
        yield signed_in(service, SITE, "owner@example.com")


def test_a_log_names_the_route_and_neither_link_nor_session(storage: AbsentStorage, member: Visitor) -> None:
    link = a_new_link(member.service, SITE, "owner@example.com")
    storage.away = True
    with captured_logs() as logged:
        assert [member.get(link).status, member.post(link).status] == [503, 503]
    assert [line["route"] for line in logged] == ["/dashboard/sign-in/..."] * 2
    for secret in (link.rpartition("/")[2], member.cookies["session"], member.token, "owner@"):
        assert secret not in str(logged)


def test_the_sign_in_page_needs_no_storage(storage: AbsentStorage, member: Visitor) -> None:
    storage.away = True
    assert Visitor(member.service).get("/dashboard/sign-in").status == 200
    assert member.get(f"/dashboard/{SITE}/settings").status == 503


def test_an_unknown_address_is_a_page_with_a_way_on(service: Service) -> None:
    for path in ("/dashboard/a/b/c/d", "/dashboard//nothing/there", "/dashboard/assets/x/evil.js"):
        answer = Visitor(service).get(path)
        assert (answer.status, answer.headers["Content-Type"]) == (404, "text/html; charset=utf-8")
        assert b'href="/dashboard/"' in answer.body
    wrong = Visitor(service).request("PUT", "/dashboard/sign-in")
    assert wrong.status == 405
    assert {"GET", "HEAD", "POST", "OPTIONS"} == {each.strip() for each in wrong.headers["Allow"].split(",")}


def test_the_language_is_the_members_until_another_is_chosen(service: Service) -> None:
    service.app.members.add(SITE, NewMember(email="english@example.com", role=Role.OWNER, language="en"))
    visitor = Visitor(service)
    visitor.post(a_new_link(service, SITE, "english@example.com"))
    path = f"/dashboard/{SITE}/activity"
    assert visitor.get(path, Accept_Language="nl").headers["Content-Language"] == "en"
    links = [each["href"] for each in visitor.page(f"{path}?since=2026-01-01").all("a") if each.get("hreflang") == "nl"]
    assert links == [f"{path}?since=2026-01-01&language=nl"]
    assert visitor.get(links[0] or "").headers["Content-Language"] == "nl"
    assert visitor.get(path).headers["Content-Language"] == "nl"
    assert visitor.get(f"{path}?language=xx").headers["Content-Language"] == "nl"


@pytest.mark.parametrize(("accepted", "language"), [("en-GB", "en"), ("nl", "nl"), ("fr", "nl")])
def test_before_the_sign_in_the_browser_says_the_language(service: Service, accepted: str, language: str) -> None:
    assert Visitor(service).get("/dashboard/sign-in", Accept_Language=accepted).headers["Content-Language"] == language


def test_who_has_one_shop_goes_there_and_who_has_more_chooses(service: Service) -> None:
    visitor = signed_in(service, SITE, "shops@example.com")
    assert where(visitor.get("/dashboard")) == f"/dashboard/{SITE}/"
    service.app.shops.add(NewShop(site_id="second", name="<i>Second</i>"))
    a_link(service, "second", "shops@example.com", Role.STAFF)
    page = visitor.page("/dashboard/")
    assert "<i>Second</i>" in page.words
    assert {f"/dashboard/{SITE}/", "/dashboard/second/"} <= {each["href"] for each in page.all("a")}
    sections = {each["href"] for each in visitor.page(f"/dashboard/{SITE}/settings").all("a")}
    assert {"/dashboard/second/", f"/dashboard/{SITE}/members"} <= sections


def test_every_page_loads_its_own_files_and_nothing_else(service: Service) -> None:
    visitor = signed_in(service, SITE, "files@example.com")
    page = visitor.page(f"/dashboard/{SITE}/settings")
    loaded = {each["src"] for each in page.all("script")} | {each["href"] for each in page.all("link")}
    assert {str(each).rpartition("/")[2] for each in loaded} == set(MEDIA_TYPES)
    assert not page.all("style")
    for path in loaded:
        answer = Visitor(service).get(str(path))
        name = str(path).rpartition("/")[2]
        assert answer.body == asset(name)
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert answer.headers["Content-Type"].startswith(MEDIA_TYPES[name])
        assert Visitor(service).get(str(path), If_None_Match=answer.headers["ETag"]).status == 304
        older = Visitor(service).get(f"/dashboard/assets/000000000000/{name}")
        assert (older.body, older.headers["Cache-Control"]) == (answer.body, "public, max-age=300")


def test_htmx_is_as_its_authors_publish_it_and_may_evaluate_nothing(service: Service) -> None:
    licence = files("reviewinvite_http.dashboard").joinpath("vendor/htmx.LICENSE.txt").read_text(encoding="utf-8")
    assert licence.startswith("Zero-Clause BSD")
    page = Visitor(service).page("/dashboard/sign-in")
    [config] = [each["content"] for each in page.all("meta") if each.get("name") == "htmx-config"]
    assert '"allowEval":false' in str(config)
    assert '"includeIndicatorStyles":false' in str(config)


def test_robots_are_kept_away(service: Service) -> None:
    assert b"Disallow: /dashboard" in Visitor(service).get("/robots.txt").body


def test_an_export_that_breaks_off_is_incomplete_and_tells_a_log_nothing() -> None:
    async def rows() -> AsyncIterator[Sequence[object]]:
        yield ("first",)
        raise StorageUnavailable("postgresql://user:password@host")

    async def read() -> None:
        lines = csv_lines(["column"], rows())
        assert [await anext(lines), await anext(lines)] == ['\ufeff"column"\r\n', '"first"\r\n']
        await anext(lines)

    with pytest.raises(ExportInterrupted) as interrupted:
        asyncio.run(read())
    assert "password" not in "".join(traceback.format_exception(interrupted.value))


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\nx", "\uff1d1", "\uff0b1", "\uff0d1", "\uff20x"]
)
def test_no_cell_of_an_export_is_a_formula(cell: str) -> None:
    assert defused(cell) == f"'{cell}"


@given(rows=st.lists(st.lists(st.text(" \"',;\t\r\n=+-@a"), min_size=3, max_size=3), max_size=3))
@example(rows=[["goed;=1+1;x", "mooi\n=HYPERLINK(1)", 'x;"=1"'], ["a, =1", ";\t=1", 'a\r\n" =1"']])
def test_no_cell_is_a_formula_wherever_a_spreadsheet_splits(rows: list[list[str]]) -> None:
    async def each() -> AsyncIterator[Sequence[object]]:
        for row in rows:
            yield row

    async def read() -> str:
        return "".join([line async for line in csv_lines(["first", "second", "third"], each())])

    text = asyncio.run(read()).removeprefix("\ufeff")
    for separator in ",;\t":
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            assert not [cell for cell in row if cell.lstrip(" \r\n").startswith(("=", "+", "-", "@", "\t"))], separator


@pytest.mark.parametrize("cell", ["plain", "1=1", "goed; mooi, top\n\nAnna", "a - b", "'=1", -1, 4.5, None, ""])
def test_other_cells_stay_as_they_are(cell: object) -> None:
    assert defused(cell) == cell


@pytest.mark.parametrize("site", sorted(TAKEN_SITE_IDS))
def test_a_shop_of_the_first_edition_whose_id_is_the_address_of_a_page_has_its_dashboard(
    service: Service, monkeypatch: pytest.MonkeyPatch, site: str
) -> None:
    with monkeypatch.context() as first_edition:
        first_edition.setattr("reviewinvite_core.usecases.shops.TAKEN_SITE_IDS", frozenset())
        accepted(service.app.shops.add(NewShop(site_id=site, name="De Oude")))
    owner = signed_in(service, site, f"owner@{site}.example.com")
    home = where(owner.get("/dashboard/"))
    assert home == f"/dashboard/~{site}/"
    for link in {str(each["href"]) for each in owner.page(home).all("a") if str(each["href"]).startswith(home)}:
        assert owner.get(link).status == 200, link
    assert "De Oude" in words(owner.get(f"{home}settings"))
    changed = {"delay_days": "7", "language": "nl", "frequency_days": "0"}
    version = owner.version(f"{home}settings", f"{home}settings")
    assert where(owner.post(f"{home}settings", {"version": version, **changed})) == f"{home}settings?done=saved"
    leads_to = where(Visitor(service).get(f"{home}reviews?rating=5"))
    assert leads_to == f"/dashboard/sign-in?next=%2Fdashboard%2F~{site}%2Freviews%3Frating%3D5"
    assert b'value="/dashboard/~' in Visitor(service).get(leads_to).body


def test_no_other_shop_has_a_second_address(member: Visitor) -> None:
    assert member.get(f"/dashboard/~{SITE}/").status == 404
