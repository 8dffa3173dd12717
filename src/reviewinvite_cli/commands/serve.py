"""`serve`: the HTTP API, with the delivery worker inside."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from reviewinvite_cli.context import load_settings, require_http
from reviewinvite_cli.fault_reports import report_faults
from reviewinvite_cli.log import log_to
from reviewinvite_cli.options import whole

if TYPE_CHECKING:
    from reviewinvite_core import Settings


def serve(
    context: typer.Context,
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="PORT", parser=whole(0, 65535), help="The port; 0 picks a free one.")
    ] = 8000,
    no_worker: Annotated[
        bool, typer.Option("--no-worker", help="Do not deliver; run `reviewinvite worker` for that.")
    ] = False,
) -> None:
    """Serve the HTTP API and deliver invitations that are due.

    Links begin with BASE_URL or, if it is not set, with the address at which the service listens.
    Runs until SIGTERM or Ctrl-C, and logs to standard error.
    """
    require_http()
    log_to(sys.stderr)
    from reviewinvite_cli.doctor.settings import openable, suspicious_settings
    from reviewinvite_http.server import serve as serve_http

    def settings_for(address: str) -> Settings:
        oddities: list[str] = []
        settings = load_settings(context, warn=oddities.append, served_at=openable(address))
        log = log_to(sys.stderr, settings)
        report_faults(settings)
        of_others = load_settings(context, warn=lambda _: None)
        for oddity in (*oddities, *suspicious_settings(settings, served_at=address, assumed=of_others.base_url)):
            log.warning(oddity)
        return settings

    serve_http(settings_for, host=host, port=port, worker=not no_worker)
