"""`POST /v1/orders`, durable, against a bare Litestar handler that only decodes the same body."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.http_turns import Target, compared_loads, load_in_turns
from benchmarks.load import CONNECTIONS, Load, talk_with_keys
from benchmarks.measure import Claim, Group, Row, Sizes, at_least, at_most
from benchmarks.postgres import new_database, server
from benchmarks.servers import bare_server, free_port, make_keys, our_server, store_orders
from reviewinvite_core import Settings

KEYS = 2_000

ORDERS = Claim(
    key="orders-http",
    what=f"`POST /v1/orders`, durable, SQLite, {CONNECTIONS} connections",
    against="bare Litestar, nothing stored",
    unit="requests/s",
    goal=at_least(0.5),
    stretch=at_least(0.55),
)
LATENCY = Claim(
    key="orders-http-p99",
    what="`POST /v1/orders`, the same load, 99th percentile",
    against="that of bare Litestar",
    unit="ms",
    goal=at_most(2.2),
    stretch=at_most(1.8),
)
ON_POSTGRES = Claim(
    key="orders-http-postgres",
    what=f"`POST /v1/orders`, durable, PostgreSQL, {CONNECTIONS} connections",
    against="bare Litestar, nothing stored",
    unit="requests/s",
    goal=at_least(0.38),
    stretch=at_least(0.42),
)
TWO_PROCESSES = Claim(
    key="orders-http-two-processes",
    what=f"two `serve` processes on one PostgreSQL, {CONNECTIONS} connections over both",
    against="one of them",
    unit="requests/s",
)


def _loads(sizes: Sizes, settings: Settings | None, processes: int) -> dict[str, list[Load]]:
    """Load our processes one by one and together, and the bare server, in turns."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        talk = talk_with_keys(make_keys(directory, KEYS, settings))
        store_orders(directory, sizes.stored, settings)
        ours, second, bare = free_port(), free_port(), free_port()
        with bare_server(bare), our_server(directory, ours, settings):
            targets = {"ours": Target([ours], talk), "bare": Target([bare], talk)}
            if processes == 1:
                return load_in_turns(targets, sizes)
            with our_server(directory, second, settings):
                return load_in_turns({"two": Target([ours, second], talk), "ours": targets["ours"]}, sizes)


def _measure(sizes: Sizes) -> Iterator[Row]:
    loads = _loads(sizes, None, 1)
    yield from compared_loads(loads["ours"], loads["bare"], ORDERS, LATENCY)


def _measure_postgres(sizes: Sizes) -> Iterator[Row]:
    with server() as url, new_database(url) as settings:
        loads = _loads(sizes, settings, 1)
    yield from compared_loads(loads["ours"], loads["bare"], ON_POSTGRES)


def _measure_two(sizes: Sizes) -> Iterator[Row]:
    with server() as url, new_database(url) as settings:
        loads = _loads(sizes, settings, 2)
    yield from compared_loads(loads["two"], loads["ours"], TWO_PROCESSES)


SQLITE = Group((ORDERS, LATENCY), _measure)
POSTGRES = Group((ON_POSTGRES,), _measure_postgres)
TWO = Group((TWO_PROCESSES,), _measure_two)
