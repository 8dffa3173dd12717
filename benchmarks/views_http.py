"""`GET /v1/verify/<site_id>` and `GET /w/<site_id>.js`, every view counted on disk, against a bare Litestar GET that
gives back as many bytes; and what signing takes.
"""

from __future__ import annotations

import http.client
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from benchmarks.http_turns import Target, compared_loads, load_in_turns
from benchmarks.load import CONNECTIONS, Talk
from benchmarks.measure import Claim, Group, Row, Sizes, at_least, at_most, bounded, checked
from benchmarks.servers import bare_server, free_port, our_server, sqlite_settings
from reviewinvite_core import NewShop, build
from reviewinvite_core.domain.scores import Score
from reviewinvite_core.domain.sealing import KEY_BYTES, NONCE_BYTES, KeyRing
from reviewinvite_core.domain.signed_statements import sign_statement
from reviewinvite_core.domain.signing import SEED_BYTES, SigningKey
from reviewinvite_core.domain.statements import Statement
from reviewinvite_core.domain.trust_mark import Status
from reviewinvite_core.values import DayOfViews

SITE = "bakery"
MORE_THAN_ENOUGH = {"REVIEWINVITE_VIEWS_PER_DAY_MEMBER": "1000000000"}
BROWSER = ["Accept: */*\r\nAccept-Encoding: gzip, deflate, br"]
PATHS = (f"/v1/verify/{SITE}", f"/w/{SITE}.js")
SIGNINGS = 2_000


VERIFY, BADGE = (
    Claim(
        key=f"views-{name}",
        what=f"`GET {path}`, every view counted on disk, SQLite, {CONNECTIONS} connections",
        against="bare Litestar, as many bytes",
        unit="requests/s",
        goal=at_least(0.7),
    )
    for name, path in (("verify", "/v1/verify/<site_id>"), ("badge", "/w/<site_id>.js"))
)
VERIFY_LATENCY, BADGE_LATENCY = (
    Claim(
        key=f"{rate.key}-p99",
        what=rate.what.split(",")[0] + ", the same load, 99th percentile",
        against="that of bare Litestar",
        unit="ms",
    )
    for rate in (VERIFY, BADGE)
)
COUNTED = Claim(key="views-counted", what="views counted", against="views answered", goal=at_least(1))
SIGNING = Claim(key="signing", what="signing a statement, once a minute and shop", unit="us", goal=at_most(60))


def _measure(sizes: Sizes) -> Iterator[Row]:
    """Load ours and the bare one in turns, and see that every view was counted."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        settings = sqlite_settings(directory)
        with closing(build(settings)) as app:
            app.shops.add(NewShop(site_id=SITE, name="Bakery"))
            app.trust_marks.grant(SITE)
        ours, bare = free_port(), free_port()
        seen = 0
        with our_server(directory, ours, environment=MORE_THAN_ENOUGH), bare_server(bare):
            for path, rate, latency in zip(PATHS, (VERIFY, BADGE), (VERIFY_LATENCY, BADGE_LATENCY), strict=True):
                asked = {"ours": (ours, path), "bare": (bare, f"/bytes/{_size(ours, path)}")}
                talks = {name: Target([port], _get(where)) for name, (port, where) in asked.items()}
                loads = load_in_turns(talks, sizes)
                seen += 1 + sum(load.requests for load in loads["ours"])
                yield from compared_loads(loads["ours"], loads["bare"], rate, latency)
        with closing(build(settings)) as app:
            views = app.badges.show_views(SITE)
    assert isinstance(views, DayOfViews)
    yield checked(COUNTED, f"{views.counted:,}", met=views.counted == seen, peer=f"{seen:,}")
    yield bounded(SIGNING, _signing_microseconds())


def _get(path: str) -> Talk:
    return Talk(path=path, heads=BROWSER, body=None, statuses=[200])


def _size(port: int, path: str) -> int:
    """How many bytes a browser gets, compressed where it is."""
    with closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", path, headers={"Accept-Encoding": "gzip, deflate, br"})
        return len(connection.getresponse().read())


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


GROUP = Group((VERIFY, VERIFY_LATENCY, BADGE, BADGE_LATENCY, COUNTED, SIGNING), _measure)
