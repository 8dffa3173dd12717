"""What an order over HTTP passes: our frames on the way to its row, and calls on the loop's thread.

The application runs in this process, without sockets, so that only its own calls count.
"""

from __future__ import annotations

import asyncio
import cProfile
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pstats import Stats
from sqlite3 import ProgrammingError
from statistics import median_low
from types import CodeType, FrameType
from typing import Any

import attrs

ORDERS_A_KEY = 20
KEYS = 25
AT_ONCE = 64
REPETITIONS = 5
PACKAGES = ("reviewinvite_core", "reviewinvite_http")


@attrs.frozen
class Calls:
    """Calls an order on the loop's thread, of our packages and of all code, and those of a bare handler."""

    ours: float
    all: float
    bare: float


def order_calls() -> Calls:
    """Return the medians of five runs, less what the loop itself takes for an application that answers at once."""
    runs = [_calls(_ours) for _ in range(REPETITIONS)]
    nothing = median_low(every for _, every in (_calls(_nothing) for _ in range(REPETITIONS)))
    bare = median_low(every for _, every in (_calls(_bare) for _ in range(REPETITIONS)))
    return Calls(median_low(ours for ours, _ in runs), median_low(every for _, every in runs) - nothing, bare - nothing)


def order_frames() -> list[str]:
    """Return our distinct functions that are on the stack when a unit is submitted, or when an order's row is written.

    Each is given as `module:function`, in the order of the way.
    """
    watch = _Watch()
    sys.addaudithook(watch.on_audit)
    with _ours() as (application, keys):
        asyncio.run(_served(application, keys, watch.one_order))
    return list(watch.seen)


class _Watch:
    """Notes the stacks of one order."""

    def __init__(self) -> None:
        self.seen: dict[str, None] = {}
        self._connections: list[Any] = []
        self._is_on = False

    def on_audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Remember a connection that is opened; it cannot be traced before it is."""
        if event == "sqlite3.connect/handle" and not self.seen:
            self._connections.append(arguments[0])

    async def one_order(self, send_order: Callable[[int], Any]) -> None:
        """Watch the second order: what only a first request passes is not on the way."""
        await send_order(0)
        for connection in self._connections:
            with suppress(ProgrammingError):  # it is closed, or one of another thread
                connection.set_trace_callback(self._on_statement)
        self._is_on = True
        sys.setprofile(self._on_call)
        await send_order(1)
        sys.setprofile(None)
        self._is_on = False
        self._connections.clear()

    def _on_call(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_name == "submit" and _is_ours(frame.f_code):
            self._note(frame)

    def _on_statement(self, statement: str) -> None:
        if self._is_on and statement.lstrip().startswith("INSERT INTO orders"):
            self._note(sys._getframe(1))

    def _note(self, frame: FrameType | None) -> None:
        stack = []
        while frame is not None:
            stack.append(frame.f_code)
            frame = frame.f_back
        ours = [code for code in reversed(stack) if _is_ours(code) and not _is_inlined(code)]
        self.seen.update(dict.fromkeys(map(_name_of, ours)))


def _name_of(code: CodeType) -> str:
    module = code.co_filename.partition("reviewinvite_")[2].removesuffix(".py").replace("/", ".")
    return f"{module}:{code.co_qualname}"


def _is_ours(code: CodeType) -> bool:
    return any(f"/{package}/" in code.co_filename for package in PACKAGES)


def _is_inlined(code: CodeType) -> bool:
    """Return whether later versions of Python have no frame for it (PEP 709)."""
    return code.co_name in {"<listcomp>", "<dictcomp>", "<setcomp>"}


def _calls(application_of: Callable[[], Any]) -> tuple[float, float]:
    """Return the calls an order: those of our packages, and all of them."""
    profile = cProfile.Profile()
    orders = KEYS * ORDERS_A_KEY

    async def many(send_order: Callable[[int], Any]) -> None:
        await send_order(0)
        await asyncio.gather(*map(send_order, range(1, AT_ONCE)))
        profile.enable()
        for first in range(AT_ONCE, AT_ONCE + orders, AT_ONCE):
            await asyncio.gather(*map(send_order, range(first, min(first + AT_ONCE, AT_ONCE + orders))))
        profile.disable()

    with application_of() as (application, keys):
        asyncio.run(_served(application, keys, many))
    ours = total = 0
    for (file, _, _), (_, calls, *_) in Stats(profile).stats.items():  # type: ignore[attr-defined]
        total += calls
        ours += calls if any(f"/{package}/" in file for package in PACKAGES) else 0
    return ours / orders, total / orders


@contextmanager
def _ours() -> Iterator[tuple[Any, list[str]]]:
    """Yield our application on a SQLite file, and keys of a shop."""
    from reviewinvite_core import NewShop, Settings, accepted, build
    from reviewinvite_http.app import create_app

    with tempfile.TemporaryDirectory() as folder:
        app = build(Settings(database_url=f"sqlite:///{folder}/orders.db", mail_url="recording:"))
        accepted(app.shops.add(NewShop(site_id="bakery", name="Bakery")))
        keys = [accepted(app.api_keys.create("bakery", f"key {n}")).secret.text for n in range(KEYS)]
        yield create_app(app), keys
        app.close()


@contextmanager
def _bare() -> Iterator[tuple[Any, list[str]]]:
    """Yield an idiomatic handler that stores nothing."""
    from benchmarks.bare_litestar import orders
    from litestar import Litestar

    yield Litestar([orders], openapi_config=None, logging_config=None), ["none"]


@contextmanager
def _nothing() -> Iterator[tuple[Any, list[str]]]:
    """Yield an application that answers without looking."""

    async def answer(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 201, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        for event in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{event}.complete"})

    yield answer, ["none"]


async def _served(application: Any, keys: list[str], use: Callable[[Callable[[int], Any]], Any]) -> None:
    """Start an application, pass `use` what reports the order of a number, and stop it."""
    events: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    told: asyncio.Queue[dict[str, str]] = asyncio.Queue()
    lifespan = asyncio.create_task(application({"type": "lifespan", "asgi": _ASGI, "state": {}}, events.get, told.put))
    await events.put({"type": "lifespan.startup"})
    await told.get()

    async def send_order(number: int) -> None:
        body = b'{"email": "customer-%d@example.com", "orderNumber": "%d"}' % (number, number)
        statuses: list[int] = []

        async def receive() -> dict[str, object]:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                statuses.append(message["status"])

        await application(_scope(keys[number % len(keys)], len(body)), receive, send)
        assert statuses == [201], statuses  # noqa: S101

    await use(send_order)
    await events.put({"type": "lifespan.shutdown"})
    await told.get()
    await lifespan


_ASGI = {"version": "3.0", "spec_version": "2.3"}


def _scope(key: str, length: int) -> dict[str, object]:
    return {
        "type": "http",
        "asgi": _ASGI,
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/v1/orders",
        "raw_path": b"/v1/orders",
        "query_string": b"",
        "root_path": "",
        "headers": [
            (b"host", b"127.0.0.1"),
            (b"authorization", f"Bearer {key}".encode()),
            (b"content-type", b"application/json"),
            (b"content-length", str(length).encode()),
        ],
        "client": ("127.0.0.1", 40_000),
        "server": ("127.0.0.1", 8_000),
    }
