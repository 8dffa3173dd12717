"""`serve`: the HTTP API, with the delivery worker inside."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from reviewinvite_cli.context import load_settings, require_http, suspicious_settings
from reviewinvite_cli.log import log_to


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="The port; 0 picks a free one.")
    ] = 8000,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Do not deliver; run `reviewinvite worker` for that.")
    ] = False,
) -> None:
    """Serve the HTTP API and deliver invitations that are due.

    Runs until SIGTERM or Ctrl-C, and logs to standard error.
    """
    require_http()
    log = log_to(sys.stderr)
    settings = load_settings(context, warn=log.warning)
    for oddity in suspicious_settings(settings):
        log.warning(oddity)
    from reviewinvite_http.server import serve as serve_http

    serve_http(settings, host=host, port=port, worker=not no_worker)
