"""`GET /w/<site_id>.js`: whom it is drawn for, how long it is kept, and that nothing harms a page. Spec: §4.3, §8."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Iterator
from datetime import datetime
from importlib.resources import files
from itertools import count
from pathlib import Path

import pytest
from tests.http.service import Answer, Service, http_request
from tests.http.serving import serving
from tests.logs import captured_logs

from reviewinvite_core import ShopChanges, accepted
from reviewinvite_core.testing.builders import ManualClock, a_shop
from reviewinvite_core.values import CountMode, TrustMark

FOREIGN = "https://elsewhere.example.com/"
LIMIT = 1_000
HOSTILE = {
    "ends the script": "</script><img src=x onerror=alert(1)>",
    "opens a comment": "<!--<script>",
    "ends the text": '"});alert(1);({"a":"\\',
    "right to left": "\u202b\u05de\u05d0\u05e4\u05d9\u05d9\u05d4 \u2066\u0627\u0644\u062e\u0628\u0627\u0632\u2069",
    "200 emoji": "🥐" * 200,
    "is Dutch": "Café \u2019t Hóékje & Zn.",
}


@pytest.fixture(scope="module")
def here() -> Iterator[Service]:
    with serving(base_url="https://reviews.example.nl/of/us") as service:
        yield service


_numbers = count(1)


@pytest.fixture
def site(here: Service) -> str:
    """A new shop with the host `shop<n>.example.nl`."""
    return new_site(here)


def new_site(here: Service, name: str = "Bakkerij De Molen", host: str | None = None) -> str:
    site = f"winkel-{next(_numbers)}"
    here.app.shops.add(a_shop(site, name=name))
    here.app.domains.add(site, host or f"{site}.example.nl", assume_verified=True)
    return site


def marked(here: Service, site: str, mark: TrustMark) -> None:
    """Bring the shop's trust mark to this state; one that was had cannot become absent again."""
    if mark is not TrustMark.ABSENT:
        here.app.trust_marks.grant(site)
    if mark is TrustMark.REVOKED:
        here.app.trust_marks.revoke(site)


def look(here: Service, site: str, method: str = "GET", **headers: str) -> Answer:
    return http_request(here.address, method, f"/w/{site}.js", **headers)


def counted(here: Service, site: str) -> int:
    return accepted(here.app.badges.show_views(site)).counted


def use_up(here: Service, site: str, *, but: int = 0) -> None:
    """Count views until `but` are left of the day's."""
    for _ in range(LIMIT - but - counted(here, site)):
        here.app.badges.show(site, None, CountMode.COUNT)
    assert counted(here, site) == LIMIT - but


def is_empty(answer: Answer) -> bool:
    """Nothing for a page to see: a script without a word."""
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
    return answer.body == b""


def configuration(script: bytes) -> dict[str, object]:
    """Return the configuration in a script: the JSON in the place of `BADGE`."""
    before, _, after = files("reviewinvite_http.widget").joinpath("badge.js").read_bytes().partition(b"BADGE")
    assert script.startswith(before)
    assert script.endswith(after)
    told: dict[str, object] = json.loads(script[len(before) : len(script) - len(after)])
    return told


# --- what is served -------------------------------------------------------------------------------------------------


def test_the_script_is_told_all_that_it_draws(here: Service, site: str) -> None:
    marked(here, site, TrustMark.GRANTED)
    assert configuration(look(here, site).body) == {
        "siteId": site,
        "name": "Bakkerij De Molen",
        "hosts": [f"{site}.example.nl"],
        "status": "trusted",
        "count": 0,
        "mean": None,
        "theme": "auto",
        "size": "medium",
        "language": "nl",
        "words": {
            "mark": "Keurmerk",
            "count": "Nog geen beoordelingen",
            "issuer": "via \u2068reviews.example.nl\u2069",
            "title": "Badge uitgegeven door \u2068reviews.example.nl\u2069",
            "label": "\u2068Bakkerij De Molen\u2069: Keurmerk, Nog geen beoordelingen, "
            "via \u2068reviews.example.nl\u2069 (opent in een nieuw tabblad)",
        },
        "link": f"https://reviews.example.nl/of/us/shops/{site}",
    }


def test_every_page_may_load_it_and_nothing_else_is_made_of_it(here: Service, site: str) -> None:
    for answer in (look(here, site), look(here, "nobody"), look(here, site, Referer=FOREIGN)):
        assert answer.headers["Content-Type"] == "text/javascript; charset=utf-8"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_name_is_text_and_nothing_else(here: Service, name: str) -> None:
    script = look(here, new_site(here, name)).body
    assert configuration(script)["name"] == name
    literal = script[script.rindex(b"})(") :]
    assert not set(literal) & set(b"<>")
    assert literal.isascii()


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_node_reads_a_script_with_a_hostile_name(here: Service, node: str, name: str, tmp_path: Path) -> None:
    file = tmp_path / "badge.js"
    file.write_bytes(look(here, new_site(here, name)).body)
    checked = subprocess.run([node, "--check", str(file)], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_what_is_no_script_is_not_there(here: Service, site: str) -> None:
    for path in (f"/w/{site}", f"/w/{site}.css", "/w/", f"/w/{site}/badge.js"):
        assert http_request(here.address, "GET", path).status == 404
    assert http_request(here.address, "POST", f"/w/{site}.js", b"").status == 405


# --- whose page it is -----------------------------------------------------------------------------------------------


def test_what_a_foreign_page_got_is_not_kept_for_the_shops_own(here: Service, site: str) -> None:
    assert look(here, site, Referer=FOREIGN).headers["Cache-Control"] == "no-store"
    assert look(here, site).headers["Cache-Control"] == "private, max-age=300"


# --- who has it already ---------------------------------------------------------------------------------------------


def test_a_browser_that_has_it_already_is_told_so_and_that_is_a_view(here: Service, site: str) -> None:
    known = look(here, site).headers["ETag"]
    again = look(here, site, If_None_Match=known)
    assert (again.status, again.body, again.headers["ETag"]) == (304, b"", known)
    assert again.headers["Cache-Control"] == "private, max-age=300"
    assert counted(here, site) == 2
    here.app.shops.update(site, ShopChanges(name="Another name"))
    changed = look(here, site, If_None_Match=known)
    assert changed.status == 200
    assert changed.headers["ETag"] != known


def test_head_tells_what_get_would_and_is_no_view(here: Service, site: str) -> None:
    forms: list[dict[str, str]] = [{}, {"Accept_Encoding": "gzip"}, {"Referer": FOREIGN}]
    for headers in forms:
        head, got = look(here, site, "HEAD", **headers), look(here, site, **headers)
        assert (head.status, head.body) == (got.status, b"")
        for name in ("Content-Type", "Content-Length", "ETag", "Cache-Control", "Vary", "Content-Encoding"):
            assert head.headers[name] == got.headers[name]
    assert counted(here, site) == 2


def test_it_is_compressed_for_who_takes_that(here: Service, site: str) -> None:
    plain = look(here, site)
    assert plain.headers["Content-Encoding"] is None
    for taken in ("gzip", "br, GZIP;q=0.5", "*", "x-gzip"):
        packed = look(here, site, Accept_Encoding=taken)
        assert packed.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(packed.body) == plain.body
        assert packed.headers["ETag"] != plain.headers["ETag"]
        assert packed.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"
        assert len(packed.body) < 6 * 1024
        again = look(here, site, Accept_Encoding=taken, If_None_Match=packed.headers["ETag"])
        assert (again.status, again.headers["Content-Encoding"]) == (304, "gzip")
    for refused in ("gzip;q=0", "identity", "br", "*;q=0", "gzip;q=0, *", ""):
        assert look(here, site, Accept_Encoding=refused).body == plain.body


def test_an_empty_script_is_not_compressed(here: Service) -> None:
    answer = look(here, "nobody", Accept_Encoding="gzip")
    assert is_empty(answer)
    assert answer.headers["Content-Encoding"] is None


# --- what fails is not seen -----------------------------------------------------------------------------------------


class Broken(ManualClock):
    """A clock that fails: the nearest thing to a fault of the program."""

    broken = False

    def now(self) -> datetime:
        if self.broken:
            raise ZeroDivisionError
        return super().now()


def test_a_fault_of_ours_is_an_empty_script_that_is_not_kept() -> None:
    clock = Broken()
    with serving(clock=clock) as service:
        address = service.address
        service.app.shops.add(a_shop("winkel"))
        assert http_request(address, "GET", "/w/winkel.js").body
        clock.broken = True
        with captured_logs() as logs:
            for method, path in (("GET", "/w/winkel.js"), ("HEAD", "/w/winkel.js"), ("GET", "//w//winkel.js")):
                answer = http_request(address, method, path, If_None_Match="*")
                assert is_empty(answer)
                assert answer.headers["Cache-Control"] == "no-store"
                assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert [line["event"] for line in logs] == ["internal error"] * 3
        clock.broken = False
        assert http_request(address, "GET", "/w/winkel.js").body


def test_a_share_of_the_day_is_logged_once(here: Service, site: str) -> None:
    use_up(here, site, but=501)
    with captured_logs() as logs:
        for _ in range(3):
            look(here, site)
        use_up(here, site, but=101)
        look(here, site, "HEAD")
        for _ in range(3):
            look(here, site)
    told = {"event": "share of daily views reached", "log_level": "info", "siteId": site, "limit": LIMIT}
    assert logs == [{**told, "percent": 50}, {**told, "percent": 90}]
