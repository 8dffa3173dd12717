"""`POST /v1/orders`, durable, against a bare Litestar handler that only decodes the same body.

`python -m benchmarks.orders_http`
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.load import CONNECTIONS, Load, generate
from benchmarks.measure import Row, at_least, at_most, compared, in_turns, report
from benchmarks.servers import bare_server, free_port, make_keys, our_server

KEYS = 2_000
ORDERS_A_RUN = 1_000_000  # room for the numbers of one run's orders


def measure(*, seconds: float = 4, repetitions: int = 7) -> Iterator[Row]:
    """Load ours and the bare one in turns, after a warm-up of each."""
    with tempfile.TemporaryDirectory() as temporary:
        directory = Path(temporary)
        keys = make_keys(directory, KEYS)
        first_orders = itertools.count(ORDERS_A_RUN, ORDERS_A_RUN)
        loads: dict[int, list[Load]] = {}

        def load(port: int) -> float:
            done = generate(port, keys=keys, seconds=seconds, first_order=next(first_orders))
            loads.setdefault(port, []).append(done)
            return done.requests_per_second

        ours, bare = free_port(), free_port()
        with our_server(directory, ours), bare_server(bare):
            for port in (ours, bare):
                generate(port, keys=keys, seconds=1, first_order=next(first_orders))
            in_turns({"ours, requests/s": lambda: load(ours), "bare": lambda: load(bare)}, repetitions)
    yield compared(
        f"POST /v1/orders, durable, {CONNECTIONS} connections",
        "requests/s",
        [each.requests_per_second for each in loads[ours]],
        [each.requests_per_second for each in loads[bare]],
        at_least(0.55),
    )
    yield compared(
        "the same, 99th percentile of latency",
        "ms",
        [each.latency_99 for each in loads[ours]],
        [each.latency_99 for each in loads[bare]],
        at_most(2.5),
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=4, help="of each load")
    parser.add_argument("--repetitions", type=int, default=7)
    given = parser.parse_args()
    report(measure(seconds=given.seconds, repetitions=given.repetitions))


if __name__ == "__main__":
    main()
