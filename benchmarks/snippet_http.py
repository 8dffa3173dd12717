"""`POST /v1/orders/snippet`, durable, against a bare Litestar handler that only decodes the same body.

And what it costs to refuse: a page of another origin, and a client that is over its limit.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from ipaddress import IPv4Address
from pathlib import Path

from benchmarks.http_turns import Target, compared_loads, load_in_turns
from benchmarks.load import CONNECTIONS, Load, Talk
from benchmarks.measure import Claim, Group, Row, Sizes, at_least, at_most
from benchmarks.servers import bare_server, free_port, our_server, sqlite_settings, store_orders
from reviewinvite_core import NewShop, build

CLIENTS = 20_000  # enough that none comes near its limit of 30 a minute
OWN_PAGE = "https://bakery.example.com"
ENVIRONMENT = {
    "REVIEWINVITE_TRUSTED_PROXIES": "127.0.0.1",  # so that the load comes from many clients
    "REVIEWINVITE_SNIPPETS_PER_DAY": "1000000000",  # counted, and never reached
}

REPORTS = Claim(
    key="snippet-http",
    what=f"`POST /v1/orders/snippet`, durable, SQLite, {CONNECTIONS} connections",
    against="bare Litestar, nothing stored",
    unit="requests/s",
    goal=at_least(0.45),
    stretch=at_least(0.5),
)
LATENCY = Claim(
    key="snippet-http-p99",
    what="`POST /v1/orders/snippet`, the same load, 99th percentile",
    against="that of bare Litestar",
    unit="ms",
    goal=at_most(2.5),
    stretch=at_most(2),
)
FROM_ELSEWHERE = Claim(
    key="snippet-foreign-origin",
    what="refusing a report from a foreign origin",
    against="accepting one",
    unit="requests/s",
    goal=at_least(1),
)
OVER = Claim(
    key="snippet-over-limit",
    what="refusing a client that is over its limit",
    against="accepting a report",
    unit="requests/s",
    goal=at_least(1),
)

MANY = [str(IPv4Address("198.18.0.0") + number) for number in range(CLIENTS)]
ONE = ["192.0.2.1"]


def talk_of(origin: str, clients: Sequence[str], statuses: Sequence[int]) -> Talk:
    """Distinct orders of distinct customers, from a page of this origin and these addresses in turn."""
    return Talk(
        path="/v1/orders/snippet",
        heads=[f"Origin: {origin}\r\nX-Forwarded-For: {client}" for client in clients],
        body='{"siteId":"bakery","email":"customer#@example.com","orderNumber":"2026-#"}',
        statuses=statuses,
    )


ACCEPTED = talk_of(OWN_PAGE, MANY, [202])
FOREIGN = talk_of("https://evil.example.com", MANY, [403])
OVER_LIMIT = talk_of(OWN_PAGE, ONE, [202, 429])  # 202 for 30 of them a minute


def _loads(sizes: Sizes, talks: Mapping[str, Talk]) -> dict[str, list[Load]]:
    """Load our server with each talk, and the bare one with what is accepted, in turns."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        _make_shop(directory)
        store_orders(directory, sizes.stored)
        ours, bare = free_port(), free_port()
        with our_server(directory, ours, environment=ENVIRONMENT), bare_server(bare):
            targets = {name: Target([ours], talk) for name, talk in talks.items()}
            return load_in_turns({**targets, "bare": Target([bare], ACCEPTED)}, sizes)


def _measure(sizes: Sizes) -> Iterator[Row]:
    loads = _loads(sizes, {"ours": ACCEPTED})
    yield from compared_loads(loads["ours"], loads["bare"], REPORTS, LATENCY)


def _measure_refusals(sizes: Sizes) -> Iterator[Row]:
    loads = _loads(sizes, {"ours": ACCEPTED, "foreign": FOREIGN, "over": OVER_LIMIT})
    yield from compared_loads(loads["foreign"], loads["ours"], FROM_ELSEWHERE)
    yield from compared_loads(loads["over"], loads["ours"], OVER)


def _make_shop(directory: Path) -> None:
    """One shop, whose host an operator has vouched for."""
    with closing(build(sqlite_settings(directory))) as app:
        app.shops.add(NewShop(site_id="bakery", name="Bakery"))
        app.domains.add("bakery", "bakery.example.com", assume_verified=True)


GROUP = Group((REPORTS, LATENCY), _measure)
REFUSALS = Group((FROM_ELSEWHERE, OVER), _measure_refusals)
