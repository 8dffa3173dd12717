"""`GET /shops/<site_id>` and `GET /r/<token>` with many reviews stored, against the same with few, and against a bare
Litestar GET that gives back as many bytes.

`python -m benchmarks.reviews_http`
"""

from __future__ import annotations

import argparse
import http.client
import re
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import attrs

from benchmarks.load import CONNECTIONS, Talk, generate_talk
from benchmarks.measure import Row, at_least, at_most, compared, in_turns, progress, report
from benchmarks.servers import bare_server, free_port, our_server, sqlite_settings
from reviewinvite_core import Caller, NewShop, OrderReport, Reported, Settings, build
from reviewinvite_core.bootstrap.adapter_factory import open_storage
from reviewinvite_core.domain.identifiers import uuid7
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.links import Purpose, link_token
from reviewinvite_core.domain.reviews import Review
from reviewinvite_core.ports import Store
from reviewinvite_core.testing.builders import ManualClock
from reviewinvite_core.usecases.context import UnitContext

SITE = "bakery"
FEW = 1_000
MANY = 1_000_000
AT_ONCE = 1_000
AT_LEAST = 100  # times at which some were written: few of them are as old as many are
YEARS = 5
BROWSER = ["Accept: text/html,*/*;q=0.8\r\nAccept-Encoding: gzip, deflate, br"]
TEXT = "Snel geleverd, en het brood was nog warm. De doos was netjes dicht.\nVolgende keer bestel ik er twee."


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
    at_once = min(AT_ONCE, count // AT_LEAST)
    step = (now - clock.now()) / (count // at_once)
    storage = open_storage(settings.database_url)
    with closing(build(settings, clock=clock, storage=storage)) as app:
        app.shops.add(NewShop(site_id=SITE, name="Bakery"))
        caller = app.shops.act_for(SITE)
        assert isinstance(caller, Caller)
        for first in range(0, count, at_once):
            clock.advance(step)
            orders = [
                OrderReport(email=f"customer{number}@example.com", order_number=str(number))
                for number in range(first, first + at_once)
            ]
            reported = app.orders.import_many(caller, orders)
            written = [
                a_review(caller, first + place, each.invite_id, clock.now())
                for place, each in enumerate(reported)
                if isinstance(each, Reported)
            ]
            storage.run(partial(_add, written))
        reported = app.orders.import_many(
            caller, [OrderReport(email="customer@example.com", order_number="last", delay=0)]
        )
        assert isinstance(reported[0], Reported)
        link = reported[0].invite_id

        def token(work: UnitContext) -> str:
            return link_token(work.ring.tokens, Purpose.REVIEW, caller.shop_number, link)

        progress(f"{count:,} reviews stored in {time.perf_counter() - begin:.0f} s")
        return app.delivery._transactions().run(token)


def a_review(caller: Caller, number: int, invitation: str, at: datetime) -> Review:
    """The review with this number; two of three have a text, every other one a name."""
    return Review(
        review_id=uuid7(at, number.to_bytes(10, "big")),
        shop_number=caller.shop_number,
        invite_id=invitation,
        rating=1 + number % 5,
        text=TEXT if number % 3 else None,
        author="Anna" if number % 2 else None,
        language=Language.NL,
        written_at=at + timedelta(microseconds=number % AT_ONCE),
        changed_at=at + timedelta(microseconds=number % AT_ONCE),
    )


def _add(reviews: list[Review], store: Store) -> None:
    for review in reviews:
        assert store.reviews.add(review)


def measure(*, many: int = MANY, seconds: float = 4, repetitions: int = 7) -> Iterator[Row]:
    """Each page of each server in turns, after a warm-up of each."""
    with tempfile.TemporaryDirectory() as temporary:
        served: dict[int, Served] = {}
        for count in (FEW, many):
            directory = Path(temporary, str(count))
            directory.mkdir()
            served[count] = Served(free_port(), {"/r/<token>": f"/r/{fill(sqlite_settings(directory), count)}"})
        bare = free_port()
        with (
            our_server(Path(temporary, str(FEW)), served[FEW].port),
            our_server(Path(temporary, str(many)), served[many].port),
            bare_server(bare),
        ):
            for page in ("/shops/<site_id>", "/shops/<site_id>, the second page", "/r/<token>"):
                yield from _of_page(page, served[FEW], served[many], many, bare, seconds, repetitions)


def _of_page(
    page: str, few: Served, many: Served, stored: int, bare: int, seconds: float, repetitions: int
) -> Iterator[Row]:
    asked = {server.port: _path(page, server) for server in (few, many)}
    size = len(_get(many.port, asked[many.port]))
    asked[bare] = f"/bytes/{size}"

    def load(port: int) -> float:
        talk = Talk(path=asked[port], heads=BROWSER, body=None, statuses=[200])
        return generate_talk(port, talk=talk, seconds=seconds, first_order=0).requests_per_second

    figures = in_turns(
        {"few": lambda: load(few.port), "many": lambda: load(many.port), "bare": lambda: load(bare)}, 1 + repetitions
    )
    warm = {name: rates[1:] for name, rates in figures.items()}
    yield compared(
        f"GET {page}: {stored:,} reviews stored, against {FEW:,}",
        "ms",
        [1000 / rate for rate in warm["many"]],
        [1000 / rate for rate in warm["few"]],
        at_most(1.3),
    )
    yield compared(
        f"GET {page}, {size:,} bytes, {stored:,} reviews stored, {CONNECTIONS} connections",
        "requests/s",
        warm["many"],
        warm["bare"],
        # An older page is rendered for each visitor; its rate is reported and has no goal.
        None if "second" in page else at_least(0.3),
    )


def _path(page: str, server: Served) -> str:
    """Where this server has the page."""
    if page in server.paths:
        return server.paths[page]
    newest = f"/shops/{SITE}"
    if "second" not in page:
        return newest
    older = re.search(rb'rel="next" href="([^"#]+)', _get(server.port, newest, encoding="identity"))
    assert older, "there is no second page"
    return newest + older[1].decode()


def _get(port: int, path: str, *, encoding: str = "gzip, deflate, br") -> bytes:
    """What a browser gets, compressed where it is."""
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", path, headers={"Accept-Encoding": encoding})
        return connection.getresponse().read()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--many", type=int, default=MANY, help="reviews stored, in steps of 1,000")
    parser.add_argument("--seconds", type=float, default=4, help="of each load")
    parser.add_argument("--repetitions", type=int, default=7)
    given = parser.parse_args()
    report(measure(many=given.many, seconds=given.seconds, repetitions=given.repetitions))


if __name__ == "__main__":
    main()
