"""`POST /v1/orders/snippet`, durable, against a bare Litestar handler that only decodes the same body.

And what it costs to refuse: a page of another origin, and a client that is over its limit.

`python -m benchmarks.snippet_http`
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from ipaddress import IPv4Address
from pathlib import Path

from benchmarks.load import CONNECTIONS, Load, Talk, generate_talk
from benchmarks.measure import Measure, Row, at_least, at_most, compared, in_turns, report
from benchmarks.servers import bare_server, free_port, our_server, sqlite_settings
from reviewinvite_core import NewShop, build

CLIENTS = 20_000  # enough that none comes near its limit of 30 a minute
ORDERS_A_RUN = 1_000_000  # room for the numbers of one run's orders
OWN_PAGE = "https://bakery.example.com"
ENVIRONMENT = {
    "REVIEWINVITE_TRUSTED_PROXIES": "127.0.0.1",  # so that the load comes from many clients
    "REVIEWINVITE_SNIPPETS_PER_DAY": "1000000000",  # counted, and never reached
}


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


def measure(*, seconds: float = 4, repetitions: int = 7) -> Iterator[Row]:
    """Load ours and the bare one in turns, after a warm-up of each."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        _make_shop(directory)
        first_orders = itertools.count(ORDERS_A_RUN, ORDERS_A_RUN)
        loads: dict[str, list[Load]] = {}

        def load(name: str, port: int, talk: Talk) -> float:
            done = generate_talk(port, talk=talk, seconds=seconds, first_order=next(first_orders))
            loads.setdefault(name, []).append(done)
            return done.requests_per_second

        ours, bare = free_port(), free_port()
        with our_server(directory, ours, environment=ENVIRONMENT), bare_server(bare):
            for port in (ours, bare):
                generate_talk(port, talk=ACCEPTED, seconds=1, first_order=next(first_orders))
            measures: Mapping[str, Measure] = {
                "ours, requests/s": lambda: load("ours", ours, ACCEPTED),
                "bare": lambda: load("bare", bare, ACCEPTED),
                "foreign origin": lambda: load("foreign", ours, FOREIGN),
                "over the limit": lambda: load("over", ours, OVER_LIMIT),
            }
            in_turns(measures, repetitions)
    speeds = {name: [each.requests_per_second for each in done] for name, done in loads.items()}
    yield compared(
        f"POST /v1/orders/snippet, durable, {CONNECTIONS} connections",
        "requests/s",
        speeds["ours"],
        speeds["bare"],
        at_least(0.55),
    )
    yield compared(
        "the same, 99th percentile of latency",
        "ms",
        [each.latency_99 for each in loads["ours"]],
        [each.latency_99 for each in loads["bare"]],
        at_most(2.5),
    )
    for name, claim in (("foreign", "a foreign origin"), ("over", "a client over its limit")):
        yield compared(
            f"the same, {claim}, against what is accepted", "requests/s", speeds[name], speeds["ours"], at_least(1)
        )


def _make_shop(directory: Path) -> None:
    """One shop, whose host an operator has vouched for."""
    with closing(build(sqlite_settings(directory))) as app:
        app.shops.add(NewShop(site_id="bakery", name="Bakery"))
        app.domains.add("bakery", "bakery.example.com", assume_verified=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4, help="of each load")
    parser.add_argument("--repetitions", type=int, default=7)
    given = parser.parse_args()
    report(measure(seconds=given.seconds, repetitions=given.repetitions))


if __name__ == "__main__":
    main()
