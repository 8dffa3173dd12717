"""`GET /v1/verify/<site_id>` and `GET /w/<site_id>.js`, every view counted on disk, against a bare Litestar GET that
gives back as many bytes; and what signing takes.

`python -m benchmarks.views_http`
"""

from __future__ import annotations

import argparse
import http.client
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from benchmarks.load import CONNECTIONS, Load, Talk, generate_talk
from benchmarks.measure import Row, at_least, at_most, bounded, compared, in_turns, report
from benchmarks.servers import bare_server, free_port, our_server, sqlite_settings
from reviewinvite_core import DayOfViews, NewShop, build
from reviewinvite_core.domain.scores import Score
from reviewinvite_core.domain.sealing import KEY_BYTES, NONCE_BYTES, KeyRing
from reviewinvite_core.domain.signed_statements import sign_statement
from reviewinvite_core.domain.signing import SEED_BYTES, SigningKey
from reviewinvite_core.domain.statements import Statement
from reviewinvite_core.domain.trust_mark import Status

SITE = "bakery"
MORE_THAN_ENOUGH = {"REVIEWINVITE_VIEWS_PER_DAY_MEMBER": "1000000000"}
BROWSER = ["Accept: */*\r\nAccept-Encoding: gzip, deflate, br"]
PATHS = (f"/v1/verify/{SITE}", f"/w/{SITE}.js")
SIGNINGS = 2_000


def measure(*, seconds: float = 4, repetitions: int = 7) -> Iterator[Row]:
    """Load ours and the bare one in turns, after a warm-up of each, and see that every view was counted."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        settings = sqlite_settings(directory)
        with closing(build(settings)) as app:
            app.shops.add(NewShop(site_id=SITE, name="Bakery"))
            app.trust_marks.grant(SITE)
        ours, bare = free_port(), free_port()
        seen = 0
        with our_server(directory, ours, environment=MORE_THAN_ENOUGH), bare_server(bare):
            for path in PATHS:
                size = _size(ours, path)
                loads = _loads(path, ours, bare, size, seconds, repetitions)
                seen += 1 + sum(load.requests for load in loads[ours])
                yield from _compared(path, size, loads[ours][1:], loads[bare][1:])
        with closing(build(settings)) as app:
            views = app.badges.show_views(SITE)
    assert isinstance(views, DayOfViews)
    yield Row(
        claim="views counted, of those seen",
        ours=f"{views.counted:,}",
        baseline=f"{seen:,}",
        goal="all",
        met=views.counted == seen,
    )
    yield bounded("signing a statement, once a minute and shop", "us", _signing_microseconds(), at_most(60))


def _loads(path: str, ours: int, bare: int, size: int, seconds: float, repetitions: int) -> dict[int, list[Load]]:
    """What each server did, the warm-up first."""
    loads: dict[int, list[Load]] = {ours: [], bare: []}

    def load(port: int, asked: str) -> float:
        talk = Talk(path=asked, heads=BROWSER, body=None, statuses=[200])
        loads[port].append(generate_talk(port, talk=talk, seconds=seconds, first_order=0))
        return loads[port][-1].requests_per_second

    measures = {
        f"{path}, requests/s": lambda: load(ours, path),
        f"{size} bytes of the bare one": lambda: load(bare, f"/bytes/{size}"),
    }
    in_turns(measures, 1 + repetitions)
    return loads


def _size(port: int, path: str) -> int:
    """How many bytes a browser gets, compressed where it is."""
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", path, headers={"Accept-Encoding": "gzip, deflate, br"})
        return len(connection.getresponse().read())


def _compared(path: str, size: int, ours: Sequence[Load], bare: Sequence[Load]) -> Iterator[Row]:
    yield compared(
        f"GET {path}, {size:,} bytes, every view durable, {CONNECTIONS} connections",
        "requests/s",
        [each.requests_per_second for each in ours],
        [each.requests_per_second for each in bare],
        at_least(0.7),
    )
    yield compared(
        "the same, 99th percentile of latency",
        "ms",
        [each.latency_99 for each in ours],
        [each.latency_99 for each in bare],
    )


def _signing_microseconds() -> float:
    """What it takes to sign one statement after another, none of which was signed before."""
    ring = KeyRing.make(os.urandom(4 * KEY_BYTES))
    now = datetime(2026, 3, 2, 12, tzinfo=UTC)
    key = SigningKey.announced(os.urandom(SEED_BYTES), os.urandom(NONCE_BYTES), ring, now)
    statements = iter(
        Statement.issued(
            site_id=f"{SITE}-{number}",
            name="Bakery",
            domains=("shop.example.nl",),
            status=Status.TRUSTED,
            score=Score(count=128, total=593),
            now=now,
        )
        for number in range(SIGNINGS)
    )
    sign_statement(next(statements), key, ring)  # the key is opened once
    took = []
    for statement in statements:
        begun = time.perf_counter()
        sign_statement(statement, key, ring)
        took.append(time.perf_counter() - begun)
    return median(took) * 1_000_000


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4, help="of each load")
    parser.add_argument("--repetitions", type=int, default=7)
    given = parser.parse_args()
    report(measure(seconds=given.seconds, repetitions=given.repetitions))


if __name__ == "__main__":
    main()
