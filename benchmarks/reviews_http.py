"""`GET /shops/<site_id>` and `GET /r/<token>` with many reviews stored, against the same with few, and against a bare
Litestar GET that gives back as many bytes.
"""

from __future__ import annotations

import http.client
import itertools
import re
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import attrs

from benchmarks.http_turns import Target, compared_loads, load_in_turns
from benchmarks.load import CONNECTIONS, Talk
from benchmarks.measure import Claim, Group, Row, Sizes, at_least, progress
from benchmarks.servers import bare_server, free_port, our_server, sqlite_settings
from benchmarks.stored_reviews import YEARS, store_reviews, written_at_once
from reviewinvite_core import Actor, NewShop, OrderReport, Reported, Settings, build
from reviewinvite_core.bootstrap.adapter_factory import open_storage
from reviewinvite_core.domain.links import Purpose, link_token
from reviewinvite_core.testing.builders import ManualClock
from reviewinvite_core.usecases.context import UnitContext

SITE = "bakery"
BROWSER = ["Accept: text/html,*/*;q=0.8\r\nAccept-Encoding: gzip, deflate, br"]
FIRST, SECOND, LINK = "`GET /shops/<site_id>`", "its second page", "`GET /r/<token>`"
PAGES = {FIRST: "public", SECOND: "public-second", LINK: "review"}

GROWTH = {
    page: Claim(
        key=f"page-{name}-growth",
        what=f"{page}, many reviews stored, SQLite, {CONNECTIONS} connections",
        against="the same with few stored",
        unit="requests/s",
        goal=at_least(0.77),
    )
    for page, name in PAGES.items()
}
AGAINST_BARE = {
    page: Claim(
        key=f"page-{name}",
        what=f"{page}, many reviews stored, SQLite, {CONNECTIONS} connections",
        against="bare Litestar, as many bytes",
        unit="requests/s",
        goal=None if page == SECOND else at_least(0.3),  # an older page is rendered for each visitor
    )
    for page, name in PAGES.items()
}


@attrs.frozen
class Served:
    """A server of ours, and what is asked of it, by the name of the page."""

    port: int
    paths: Mapping[str, str]


def fill(settings: Settings, count: int) -> str:
    """Store `count` reviews of one shop, the last of them now; return the token of one more invitation."""
    begin = time.perf_counter()
    now = datetime.now().astimezone()
    clock = ManualClock(now - timedelta(days=365 * YEARS))
    at_once = written_at_once(count)
    step = (now - clock.now()) / (count // at_once)
    storage = open_storage(settings.database_url)
    with closing(build(settings, clock=clock, storage=storage)) as app:
        app.shops.add(NewShop(site_id=SITE, name="Bakery"))
        caller = app.shops.act_for(SITE)
        assert isinstance(caller, Actor)
        for first in range(0, count, at_once):
            clock.advance(step)
            orders = [
                OrderReport(email=f"customer{number}@example.com", order_number=str(number))
                for number in range(first, first + at_once)
            ]
            reported = app.orders.import_many(caller, orders)
            store_reviews(storage, caller.shop_number, reported, first, clock.now())
        reported = app.orders.import_many(
            caller, [OrderReport(email="customer@example.com", order_number="last", delay_days=0)]
        )
        assert isinstance(reported[0], Reported)
        link = reported[0].invite_id

        def token(work: UnitContext) -> str:
            return link_token(work.ring.tokens, Purpose.REVIEW, caller.shop_number, link)

        progress(f"{count:,} reviews stored in {time.perf_counter() - begin:.0f} s")
        return app.delivery._transactions().run(token)


def _measure(sizes: Sizes) -> Iterator[Row]:
    """Each page of each server in turns, after a warm-up of each."""
    with tempfile.TemporaryDirectory() as temporary:
        served: dict[str, Served] = {}
        for name, count in (("few", sizes.few), ("many", sizes.many)):
            directory = Path(temporary, name)
            directory.mkdir()
            served[name] = Served(free_port(), {LINK: f"/r/{fill(sqlite_settings(directory), count)}"})
        bare = free_port()
        with (
            our_server(Path(temporary, "few"), served["few"].port),
            our_server(Path(temporary, "many"), served["many"].port),
            bare_server(bare),
        ):
            for page in PAGES:
                yield from _of_page(page, served, bare, sizes)


def _of_page(page: str, served: Mapping[str, Served], bare: int, sizes: Sizes) -> Iterator[Row]:
    asked = {name: (server.port, _path(page, server)) for name, server in served.items()}
    asked["bare"] = (bare, f"/bytes/{len(_get(*asked['many']))}")
    targets = {
        name: Target([port], Talk(path=path, heads=BROWSER, body=None, statuses=[200]))
        for name, (port, path) in asked.items()
    }
    loads = load_in_turns(targets, sizes)
    yield from compared_loads(loads["many"], loads["few"], GROWTH[page])
    yield from compared_loads(loads["many"], loads["bare"], AGAINST_BARE[page])


def _path(page: str, server: Served) -> str:
    """Where this server has the page."""
    if page in server.paths:
        return server.paths[page]
    newest = f"/shops/{SITE}"
    if page == FIRST:
        return newest
    older = re.search(rb'rel="next" href="([^"#]+)', _get(server.port, newest, encoding="identity"))
    assert older, "there is no second page"
    return newest + older[1].decode()


def _get(port: int, path: str, *, encoding: str = "gzip, deflate, br") -> bytes:
    """What a browser gets, compressed where it is."""
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", path, headers={"Accept-Encoding": encoding})
        return connection.getresponse().read()


GROUP = Group(tuple(itertools.chain.from_iterable((GROWTH[page], AGAINST_BARE[page]) for page in PAGES)), _measure)
