"""`METRICS_PORT`: a listener of its own, on threads, so that it answers while the event loop or storage is busy."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

from reviewinvite_core import ConfigurationError, Settings
from reviewinvite_core.bootstrap.loggers import get_logger
from reviewinvite_http.metrics.metrics import Metrics

CLIENT_SECONDS = 10.0
"""Maximum seconds for a client to send its request, and to accept each part of the response."""

_log = get_logger("reviewinvite.http")


class _Handler(BaseHTTPRequestHandler):
    """Answers `GET /metrics` from memory, and everything else with 404."""

    timeout = CLIENT_SECONDS
    metrics: ClassVar[Metrics]

    def do_GET(self) -> None:
        """Answer a request."""
        if self.path.partition("?")[0] != "/metrics":
            self.send_error(404)
            return
        body, content_type = self.metrics.exposition(self.headers.get("Accept", ""))
        self.send_response(200)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 - http.server's name

    def version_string(self) -> str:
        """Return what the Server field says."""
        return "reviewinvite"

    def log_message(self, *_: object) -> None:
        """Log nothing: the lines would hold what clients write."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, *_: object) -> None:
        """Log nothing: a client went away."""


class _ServerOnIPv6(_Server):
    address_family = socket.AF_INET6


@contextmanager
def _listening(metrics: Metrics, host: str, port: int) -> Iterator[str]:
    handler = type("Handler", (_Handler,), {"metrics": metrics})
    try:
        server = (_ServerOnIPv6 if ":" in host else _Server)((host, port), handler)
    except (OSError, OverflowError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        message = f"cannot show metrics on {host} port {port}: {cause.lower()}"
        raise ConfigurationError(message) from error
    shown_host, shown_port = server.server_address[:2]
    address = f"http://[{shown_host!s}]:{shown_port}" if ":" in host else f"http://{shown_host!s}:{shown_port}"
    threading.Thread(target=server.serve_forever, name="metrics", daemon=True).start()
    try:
        _log.info("showing metrics", address=f"{address}/metrics")
        yield address
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def shown(metrics: Metrics | None, settings: Settings) -> Iterator[None]:
    """Listen on `METRICS_PORT`, if it is set, as long as the block runs.

    Raises: `ConfigurationError` if that is not possible.
    """
    is_on = metrics is not None and settings.metrics_port
    with _listening(metrics, settings.metrics_host, settings.metrics_port) if metrics and is_on else nullcontext():
        yield
