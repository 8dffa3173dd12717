"""The load generator: a process of its own that keeps many connections busy, with distinct orders or by looking.

`python -m benchmarks.load` is started by `generate_talk`; it prints its figures as JSON.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import attrs
import uvloop

CONNECTIONS = 64
PATIENCE_SECONDS = 30
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)\r\n", re.IGNORECASE)
_STATUS = re.compile(rb"HTTP/1.1 (\d+) ")


@attrs.frozen(kw_only=True)
class Talk:
    """What the clients send: one distinct order after the other, with the header lines of `heads` in turn.

    In `body` each `#` stands for the order's number; without one they ask by GET. Any answer but one of `statuses`
    ends the run.
    """

    path: str
    heads: Sequence[str]
    body: str | None
    statuses: Collection[int]


@attrs.frozen(kw_only=True)
class Load:
    """What a server did under load, all of its answers as expected; latencies in milliseconds."""

    requests: int
    requests_per_second: float
    latency_median: float
    latency_99: float


def talk_with_keys(keys: Path) -> Talk:
    """Return what clients of the orders API say, with the keys in the file in turn."""
    return Talk(
        path="/v1/orders",
        heads=[f"Authorization: Bearer {key}" for key in keys.read_text().split()],
        body='{"email":"customer#@example.com","orderNumber":"2026-#"}',
        statuses=[201],
    )


def generate_talk(*ports: int, talk: Talk, seconds: float, first_order: int) -> Load:
    """Put the servers at `ports` under load.

    Raises: `RuntimeError` where an answer was none of those expected.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(attrs.asdict(talk), file)
        file.flush()
        command = [sys.executable, "-m", "benchmarks.load", file.name, str(seconds), str(first_order)]
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
        status = _STATUS.match(head)
        if status is None or int(status[1]) not in self._run.statuses:
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

    def __init__(self, requests: Iterator[bytes], statuses: Collection[int], seconds: float) -> None:
        self.requests = requests
        self.statuses = frozenset(statuses)
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


def _requests(talk: Talk, first_order: int) -> Iterator[bytes]:
    if talk.body is None:
        gets = [f"GET {talk.path} HTTP/1.1\r\nHost: localhost\r\n{head}\r\n\r\n".encode() for head in talk.heads]
        yield from itertools.cycle(gets)
        return
    heads = [
        f"POST {talk.path} HTTP/1.1\r\nHost: localhost\r\n{head}\r\n"
        "Content-Type: application/json\r\nContent-Length: ".encode()
        for head in talk.heads
    ]
    body_for = talk.body.encode()
    for number, head in zip(itertools.count(first_order), itertools.cycle(heads), strict=False):
        body = body_for.replace(b"#", b"%d" % number)
        yield b"%s%d\r\n\r\n%s" % (head, len(body), body)


async def _load(ports: list[int], talk: Talk, seconds: float, first_order: int) -> Load:
    run = _Run(_requests(talk, first_order), talk.statuses, seconds)
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
    parser.add_argument("talk", type=Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("first_order", type=int)
    parser.add_argument("ports", type=int, nargs="+")
    given = parser.parse_args()
    talk = Talk(**json.loads(given.talk.read_text()))
    print(json.dumps(attrs.asdict(uvloop.run(_load(given.ports, talk, given.seconds, given.first_order)))))


if __name__ == "__main__":
    main()
