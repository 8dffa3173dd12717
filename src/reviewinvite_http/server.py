"""Run the API under uvicorn together with the delivery worker, and shut both down gracefully."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from types import FrameType

import uvicorn
from litestar.types import ASGIApp

from reviewinvite_core import Application, AsyncApplication, ConfigurationError, Settings, StorageUnavailable, build
from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_http.app import create_app
from reviewinvite_http.connection import BoundedConnection
from reviewinvite_http.connection_limits import ServerConfig
from reviewinvite_http.context import ServerContext
from reviewinvite_http.exceptions import answer_at_deadline
from reviewinvite_http.exchanges import Observer
from reviewinvite_http.metrics.listener import shown
from reviewinvite_http.metrics.metrics import Metrics, metrics_for
from reviewinvite_http.tracing import traced

LARGEST_BACKLOG = 2048

UNREAD_SECONDS = 30.0
"""Seconds for which a client may leave a response unread or unacknowledged, without accepting a byte of it."""

# While two threads are busy, here the event loop and the writer, Python switches between them every 5 ms by default.
# The writer needs several turns for each order (ADR-3).
SWITCH_SECONDS = 0.0005

# A request creates some hundred objects and hardly ever a cycle. The default, a collection every 700 objects, would
# search objects in use again and again.
GARBAGE_THRESHOLDS = (10_000, 20, 10)

# Time for the worker to store uncertain deliveries after the shutdown deadline.
STOP_SECONDS = 3.0

# Minimum time for a last commit, even if requests have used up all the time until the deadline.
COMMIT_SECONDS = 1.0

_log = get_logger("reviewinvite.http")


class ShutdownDeadline:
    """A requested shutdown, and the time left for work in flight."""

    def __init__(self, seconds: int) -> None:
        self.seconds = seconds
        self.requested = threading.Event()
        self.left = 0  # units of work without an outcome from storage
        self._deadline = 0.0

    def begin(self) -> None:
        """Request the shutdown; later calls change nothing."""
        if not self.requested.is_set():
            self._deadline = time.monotonic() + self.seconds
            self.requested.set()

    def seconds_left(self) -> float:
        """Return how many seconds work in flight may still take."""
        return max(0.0, self._deadline - time.monotonic())


class GracefulServer(uvicorn.Server):
    """Uvicorn's server; it stops on SIGTERM and SIGINT and leaves the rest of the shutdown to `serve`."""

    def __init__(self, config: uvicorn.Config, ending: ShutdownDeadline) -> None:
        super().__init__(config)
        self._ending = ending

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop accepting connections, and start no new deliveries."""
        self._ending.begin()
        super().handle_exit(sig, frame)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Begin the shutdown on the first signal; uvicorn itself would raise the signal a second time at the end."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {which: signal.signal(which, self.handle_exit) for which in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for which, handler in before.items():
                signal.signal(which, handler)


def serve(settings: Settings | Callable[[str], Settings], *, host: str, port: int, worker: bool) -> None:
    """Serve until SIGTERM or SIGINT, then finish work in flight, up to a deadline. What is acknowledged is on disk.

    `settings` may be a function that takes the URL at which the service listens. Work that a silent database holds up
    is dropped at the deadline without an acknowledgement (ADR-15).

    Raises: `ConfigurationError`, `StorageUnavailable`.
    """
    with traced(os.environ) as spans, bound(host, port) as listener:
        settings = settings if isinstance(settings, Settings) else settings(address_of(listener))
        metrics = metrics_for(settings)
        app = build(settings, telemetry=metrics)
        if spans:
            app.telemetry.add(spans)
        ending = ShutdownDeadline(settings.shutdown_seconds)
        try:
            if worker:
                app.delivery.paused()  # report a damaged mark before announcing that we are listening
            _report_unwritable(app)
            listen(listener)
            services = running_services(app, ending, worker=worker, metrics=metrics)
            with services as context, shown(metrics, settings):
                if spans:
                    context.observers.append(spans.observe)
                config = server_config(
                    create_app(app, server=context), ending.seconds, observers=context.observers, base_url=app.base_url
                )
                server = GracefulServer(config, ending)
                with server.capture_signals():  # before we announce that we are listening
                    _log.info("listening", address=address_of(listener), worker=worker)
                    server.run(sockets=[listener])
            _log.info("stopped")
        finally:
            if not ending.left:  # a connection in use cannot be closed; it ends with this process
                app.close()


def _report_unwritable(app: Application) -> None:
    """Log if nothing can be written; the service starts anyway, because it recovers as soon as the cause is gone."""
    try:
        app.check_writable()
    except StorageUnavailable as error:
        _log.error("cannot write to the database: requests get 503 until that works", cause=str(error))


@contextmanager
def running(
    app: Application,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    worker: bool,
    shutdown_seconds: int = 5,
    unread_seconds: float = UNREAD_SECONDS,
    connection: type[BoundedConnection] = BoundedConnection,
    around: Callable[[ASGIApp], ASGIApp] = lambda service: service,
    metrics: Metrics | None = None,
) -> Iterator[str]:
    """Run a server in a thread of this process, for trials and tests; yield its URL, and stop it after the block.

    `around` returns what is served in place of the service, to which it may pass requests on. `metrics` are those that
    the application was built with.
    """
    ending = ShutdownDeadline(shutdown_seconds)
    services = running_services(app, ending, worker=worker, metrics=metrics)
    with listening(host, port, unread_seconds) as listener, services as context:
        served = around(create_app(app, server=context))
        config = server_config(served, shutdown_seconds, connection, observers=context.observers, base_url=app.base_url)
        server = GracefulServer(config, ending)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, name="http")
        thread.start()
        try:
            yield address_of(listener)
        finally:
            ending.begin()
            server.should_exit = True
            thread.join()


def server_config(
    application: ASGIApp,
    shutdown_seconds: int,
    connection: type[BoundedConnection] = BoundedConnection,
    *,
    observers: Sequence[Observer] = (),
    base_url: str = "",
) -> ServerConfig:
    """Return uvicorn's configuration: no access log (it would contain links), trusted proxy or Server field.

    `observers` receive the requests that connections refuse.
    """
    return ServerConfig(
        answer_at_deadline(application),
        observers=observers,
        base_url=base_url,
        loop="uvloop",
        http=connection,
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=shutdown_seconds,
    )


def tune_process() -> None:
    """Tune this process for one event loop that is always busy."""
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.freeze()  # imported objects stay, so the collector need not search them
    gc.set_threshold(*GARBAGE_THRESHOLDS)


@contextmanager
def running_services(
    app: Application, ending: ShutdownDeadline, *, worker: bool, metrics: Metrics | None = None
) -> Iterator[ServerContext]:
    """Yield the context that handlers and worker share; if `worker`, deliver and recheck domains in the background.

    At shutdown, a message that may be on its way gets the time left, and then its invitation becomes uncertain. If
    storage fails, the invitation's lease expires instead. Unanswered commits are dropped, because no client was told
    that they succeeded.
    """
    tune_process()
    context = ServerContext(AsyncApplication(app), worker=worker, metrics=metrics)
    deliveries = threading.Thread(target=_deliver, args=(context, ending), name="worker", daemon=True)
    rechecker = app.domain_rechecker.in_background() if worker else None
    if worker:
        deliveries.start()
    try:
        with _measured(context):
            yield context
    finally:
        ending.begin()
        if worker:
            deliveries.join(ending.seconds_left() + STOP_SECONDS)
            if deliveries.is_alive():
                _log.warning("a delivery in progress was left to expire with its lease")
        ending.left = context.app.close(max(ending.seconds_left(), COMMIT_SECONDS))
        if rechecker and not rechecker.end(COMMIT_SECONDS):
            ending.left += 1
        if ending.left:
            _log.warning("the database did not respond in time: unacknowledged work was dropped", left=ending.left)


def _measured(context: ServerContext) -> AbstractContextManager[None]:
    """Return a block during which the metrics, if any, show what storage says, and whether deliveries run."""
    if context.metrics is None:
        return nullcontext()
    return context.metrics.reading(
        context.app.sync, is_worker_running=lambda: context.worker and not context.worker_ended, on_loop=context.app
    )


def _deliver(context: ServerContext, ending: ShutdownDeadline) -> None:
    """Run deliveries until shutdown; log if they stop earlier, since nothing else would reveal it."""
    try:
        app = context.app
        app.sync.delivery.continually(ending.requested, commits=app.commits, grace_seconds=ending.seconds)
    except Exception as fault:  # its text may contain secrets
        _log.error("delivery stopped: restart the service", cause=type(fault).__name__)
    finally:
        context.worker_ended = not ending.requested.is_set()


@contextmanager
def listening(host: str, port: int, unread_seconds: float = UNREAD_SECONDS) -> Iterator[socket.socket]:
    """Yield a socket that listens on this address; see `bound`.

    Raises: `ConfigurationError`.
    """
    with bound(host, port, unread_seconds) as listener:
        listen(listener)
        yield listener


@contextmanager
def bound(host: str, port: int, unread_seconds: float = UNREAD_SECONDS) -> Iterator[socket.socket]:
    """Yield a socket that has this address and does not listen yet; port 0 selects a free port.

    On Linux, the kernel ends a connection whose client accepts no byte of a response for `unread_seconds`.

    Raises: `ConfigurationError`.
    """
    with ExitStack() as stack:
        with _refused_as_configuration(host, port):
            family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            listener = stack.enter_context(socket.socket(family, kind, protocol))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if sys.platform == "linux":  # accepted connections inherit the option
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(unread_seconds * 1000))
            listener.bind((address[0], port, *address[2:]))  # the port in `address` is truncated to 16 bits
        yield listener


def listen(listener: socket.socket) -> None:
    """Let clients connect to a bound socket.

    Raises: `ConfigurationError` if another process began to listen on its address meanwhile.
    """
    with _refused_as_configuration(*listener.getsockname()[:2]):
        listener.listen(LARGEST_BACKLOG)


@contextmanager
def _refused_as_configuration(host: str, port: int) -> Iterator[None]:
    try:
        yield
    except (OSError, OverflowError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        message = f"cannot listen on {host} port {port}: {cause.lower()}"
        raise ConfigurationError(message) from error


def address_of(listener: socket.socket) -> str:
    """Return the http:// URL of a listening socket."""
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}" if listener.family == socket.AF_INET6 else f"http://{host}:{port}"
