"""Loads over HTTP in turns, each server warmed up first."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import attrs

from benchmarks.load import Load, Talk, generate_talk
from benchmarks.measure import Claim, Row, Sizes, compared, in_turns

ORDERS_A_RUN = 1_000_000  # room for the numbers of one run's orders


@attrs.frozen
class Target:
    """Servers, on ports of this machine, and what clients say to them."""

    ports: Sequence[int]
    talk: Talk


def load_in_turns(targets: Mapping[str, Target], sizes: Sizes) -> dict[str, list[Load]]:
    """Put each target under load in turns, and return what each did; the first load only warms it up."""
    loads: dict[str, list[Load]] = {name: [] for name in targets}
    first_orders = itertools.count(ORDERS_A_RUN, ORDERS_A_RUN)

    def load(name: str) -> float:
        target = targets[name]
        done = generate_talk(*target.ports, talk=target.talk, seconds=sizes.seconds, first_order=next(first_orders))
        loads[name].append(done)
        return done.requests_per_second

    in_turns({name: partial(load, name) for name in targets}, 1 + sizes.repetitions)
    return loads


def compared_loads(
    ours: Sequence[Load], peer: Sequence[Load], rate: Claim, latency: Claim | None = None
) -> Iterator[Row]:
    """Yield the row of the requests per second, and that of the 99th percentile if there is a claim about it."""
    warm, peer_warm = ours[1:], peer[1:]
    yield compared(rate, [each.requests_per_second for each in warm], [each.requests_per_second for each in peer_warm])
    if latency is not None:
        yield compared(latency, [each.latency_99 for each in warm], [each.latency_99 for each in peer_warm])
