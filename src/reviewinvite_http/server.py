"""Run the API under uvicorn, with the delivery worker beside it, and end both in good order."""

from __future__ import annotations

import asyncio
import gc
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import structlog
import uvicorn
from litestar.types import ASGIApp
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from reviewinvite_core import Application, ConfigurationError, Settings, build
from reviewinvite_http.app import create_app
from reviewinvite_http.edge import Edge
from reviewinvite_http.errors import status_answer

REQUEST_SECONDS = 10.0
LARGEST_BACKLOG = 2048

# Between two threads that are both busy, the event loop and the writer, Python hands over every 5 ms unless told
# otherwise; the writer needs its turn a few times for each order (ADR-3).
SWITCH_SECONDS = 0.0005

_TOO_SLOW = status_answer(408, "-").body
TOO_SLOW = (
    b"HTTP/1.1 408 Request Timeout\r\ncontent-type: application/json\r\nconnection: close\r\n"
    b"content-length: %d\r\n\r\n%s" % (len(_TOO_SLOW), _TOO_SLOW)
)

_log = structlog.get_logger("reviewinvite.http")


class DeadlineProtocol(HttpToolsProtocol):
    """Uvicorn's protocol, with a bound on the time that a request may take to arrive: it has none of its own."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._expect_request()

    def on_message_begin(self) -> None:
        """Wait for the rest of a request."""
        super().on_message_begin()
        if self._deadline is None:
            self._expect_request()

    def on_message_complete(self) -> None:
        """The request is there, head and body."""
        self._forget_deadline()
        super().on_message_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for any more."""
        self._forget_deadline()
        super().connection_lost(exc)

    def _expect_request(self) -> None:
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self._too_slow)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self._deadline = None
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is None or not cycle.response_started:
            self.transport.write(TOO_SLOW)
        self.transport.close()


class GracefulServer(uvicorn.Server):
    """Uvicorn's server, which ends on SIGTERM and SIGINT and leaves it to us what comes after."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Ask for an end on the first signal; uvicorn itself would raise it again when all is done."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {which: signal.signal(which, self.handle_exit) for which in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for which, handler in before.items():
                signal.signal(which, handler)


def serve(settings: Settings, *, host: str, port: int, worker: bool) -> None:
    """Serve until SIGTERM or SIGINT; what has been acknowledged is on disk, what is in flight is finished.

    Raises: `ConfigurationError`, `StorageUnavailable`.
    """
    app = build(settings)
    try:
        with listening(host, port) as listener, edge_and_worker(app, worker=worker) as edge:
            server = GracefulServer(server_config(create_app(edge), settings.shutdown_seconds))
            _log.info("listening", address=address_of(listener), worker=worker)
            server.run(sockets=[listener])
            _log.info("stopped")
    finally:
        app.close()


@contextmanager
def running(app: Application, *, host: str = "127.0.0.1", port: int = 0, worker: bool) -> Iterator[str]:
    """A server in a thread of this process, for trials and tests; gives its address, ends with the block."""
    with listening(host, port) as listener, edge_and_worker(app, worker=worker) as edge:
        server = GracefulServer(server_config(create_app(edge), shutdown_seconds=5))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="http")
        thread.start()
        try:
            yield address_of(listener)
        finally:
            server.should_exit = True
            thread.join()


def server_config(application: ASGIApp, shutdown_seconds: int) -> uvicorn.Config:
    """How uvicorn is run: no access log, whose lines would hold links; no proxy trusted; no server's name told."""
    return uvicorn.Config(
        application,
        loop="uvloop",
        http=DeadlineProtocol,
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=shutdown_seconds,
    )


def tune_process() -> None:
    """Set this process up for one event loop that is always busy."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # what was imported stays: it need not be looked through for garbage again and again


@contextmanager
def edge_and_worker(app: Application, *, worker: bool) -> Iterator[Edge]:
    """The edge with its writer, and the worker when wanted, which shares the writer's commits."""
    tune_process()
    edge = Edge(app)
    stop = threading.Event()
    deliveries = threading.Thread(
        target=app.delivery.continually, args=(stop,), kwargs={"through": edge.commits.run}, name="worker"
    )
    if worker:
        deliveries.start()
    try:
        yield edge
    finally:
        stop.set()
        if worker:
            deliveries.join()
        edge.close()


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that listens on this address; port 0 takes a free one.

    Raises: `ConfigurationError`.
    """
    with ExitStack() as stack:
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            listener = stack.enter_context(socket.socket(family, kind, protocol))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(LARGEST_BACKLOG)
        except (OSError, OverflowError) as error:
            message = f"cannot listen on {host} port {port}: {error}"
            raise ConfigurationError(message) from error
        yield listener


def address_of(listener: socket.socket) -> str:
    """The http:// address of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if listener.family == socket.AF_INET6 else f"http://{host}:{port}"
