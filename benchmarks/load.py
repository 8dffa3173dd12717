"""The load generator: a process of its own that keeps many connections busy with distinct orders.

`python -m benchmarks.load` is started by `generate`; it prints its figures as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import attrs
import uvloop

CONNECTIONS = 64
PATIENCE_SECONDS = 30
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
_CREATED = b"HTTP/1.1 201 "


@attrs.frozen(kw_only=True)
class Load:
    """What a server did under load, all of its answers 201; latencies in milliseconds."""

    requests: int
    requests_per_second: float
    latency_median: float
    latency_99: float


def generate(*ports: int, keys: Path, seconds: float, first_order: int) -> Load:
    """Put the servers at `ports` under load; orders are numbered from `first_order`, keys are used in turn.

    Raises: `RuntimeError` where an answer was not 201.
    """
    command = [sys.executable, "-m", "benchmarks.load", str(keys), str(seconds), str(first_order)]
    done = subprocess.run([*command, *map(str, ports)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Load(**json.loads(done.stdout))


class _Client(asyncio.Protocol):
    """One connection: a request, its whole answer, the next request."""

    def __init__(self, run: _Run) -> None:
        self._run = run
        self._received = b""
        self._begun = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        self._send()

    def data_received(self, data: bytes) -> None:
        """Wait for head and body, which may come apart."""
        self._received += data
        head, end, body = self._received.partition(b"\r\n\r\n")
        length = _LENGTH.search(head + b"\r\n")
        if not end or length is None or len(body) < int(length[1]):
            return
        now = time.perf_counter()
        self._run.latencies.append(now - self._begun)
        if not head.startswith(_CREATED):
            self._run.refusals.append(self._received)
        self._received = b""
        if now < self._run.until:
            self._send()
        else:
            self._transport.close()

    def connection_lost(self, error: Exception | None) -> None:  # noqa: ARG002 - as asyncio calls it
        """Count this client out."""
        if self._received or time.perf_counter() < self._run.until:
            self._run.refusals.append(b"the connection was closed")
        self._run.ended()

    def _send(self) -> None:
        request = next(self._run.requests)
        self._begun = time.perf_counter()
        self._transport.write(request)


class _Run:
    """What the clients share."""

    def __init__(self, requests: Iterator[bytes], seconds: float) -> None:
        self.requests = requests
        self.latencies: list[float] = []
        self.refusals: list[bytes] = []
        self.begun = time.perf_counter()
        self.until = self.begun + seconds
        self.done = asyncio.Event()
        self._clients = CONNECTIONS

    def ended(self) -> None:
        self._clients -= 1
        if not self._clients:
            self.done.set()


def _requests(keys: list[str], first_order: int) -> Iterator[bytes]:
    heads = [
        b"POST /v1/orders HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"
        b"Content-Type: application/json\r\nContent-Length: " % key.encode()
        for key in keys
    ]
    for number, head in zip(itertools.count(first_order), itertools.cycle(heads), strict=False):
        body = b'{"email":"customer%d@example.com","orderNumber":"2026-%d"}' % (number, number)
        yield b"%s%d\r\n\r\n%s" % (head, len(body), body)


async def _load(ports: list[int], keys: list[str], seconds: float, first_order: int) -> Load:
    run = _Run(_requests(keys, first_order), seconds)
    loop = asyncio.get_running_loop()
    for port in itertools.islice(itertools.cycle(ports), CONNECTIONS):
        await loop.create_connection(lambda: _Client(run), "127.0.0.1", port)
    async with asyncio.timeout(seconds + PATIENCE_SECONDS):
        await run.done.wait()
    took = time.perf_counter() - run.begun
    if run.refusals:
        sys.exit(
            f"{len(run.refusals)} of {len(run.latencies)} requests were refused, the first so: {run.refusals[0]!r}"
        )
    ordered = sorted(run.latencies)
    return Load(
        requests=len(ordered),
        requests_per_second=len(ordered) / took,
        latency_median=ordered[len(ordered) // 2] * 1000,
        latency_99=ordered[len(ordered) * 99 // 100] * 1000,
    )


def main() -> None:
    """Generate the load and print its figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("keys", type=Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("first_order", type=int)
    parser.add_argument("ports", type=int, nargs="+")
    given = parser.parse_args()
    keys = given.keys.read_text().split()
    print(json.dumps(attrs.asdict(uvloop.run(_load(given.ports, keys, given.seconds, given.first_order)))))


if __name__ == "__main__":
    main()
