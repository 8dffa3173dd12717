"""The command `reviewinvite`: its global options, its commands and its exit codes. Spec: §1, Managing the service.

Start-up imports typer and nothing else that is slow. A command is imported when it is named, and imports what it needs
when it runs.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from reviewinvite_cli.asking import url_given
from reviewinvite_cli.context import GivenOptions
from reviewinvite_cli.errors import INTERRUPTED, OK, USAGE, print_error, report_exception
from reviewinvite_cli.options import offering, option
from reviewinvite_cli.streams import prepare_streams
from reviewinvite_cli.times import local_times
from reviewinvite_cli.usage import lazy_group

app = typer.Typer(
    name="reviewinvite",
    cls=lazy_group(
        *("demo", "prove", "serve", "worker", "verify", "init", "doctor", "settings", "mail"),
        *("shop", "member", "key", "domain", "order", "snippet", "trustmark", "signing-key", "badge"),
        *("invitation", "review", "suppression", "privacy", "secret", "db", "backup"),
        "help",
    ),
    help="Review invitations for shops: one order, one e-mail.",
    epilog="Settings also come from REVIEWINVITE_* variables and from reviewinvite.toml in the current directory.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        from reviewinvite_core import __version__

        typer.echo(f"reviewinvite {__version__}")
        raise typer.Exit


@app.callback()
def _global_options(
    context: typer.Context,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            metavar="FILE",
            help="The settings file, instead of reviewinvite.toml.",
            readable=False,  # one that cannot be read is wrong configuration, and not wrong usage
        ),
    ] = None,
    database_url: Annotated[
        str | None,
        typer.Option(
            "--database-url",
            metavar="URL",
            help="The database: sqlite:///FILE, postgresql://... or memory:; - reads it from standard input.",
            callback=url_given,
        ),
    ] = None,
    log_level: Annotated[
        str | None,
        option(
            "--log-level",
            "LEVEL",
            "debug, info, warning or error.",
            **offering(lambda: ("debug", "info", "warning", "error")),
        ),
    ] = None,
    log_format: Annotated[
        str | None,
        option("--log-format", "FORMAT", "json, logfmt or auto.", **offering(lambda: ("json", "logfmt", "auto"))),
    ] = None,
    local: Annotated[
        bool, typer.Option("--local", help="Print times in this machine's time zone; JSON has UTC always.")
    ] = False,
    version: Annotated[  # noqa: ARG001 - its callback has done all
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    context.with_resource(local_times(wanted=local))
    context.obj = GivenOptions(config, database_url, log_level=log_level, log_format=log_format)


def run() -> None:
    """Run the command in `sys.argv` and exit with 0 (ok), 1 (failure), 2 (usage), 3 (configuration) or 130 (Ctrl-C).

    Commands that run until Ctrl-C (`demo`, `serve`, `worker`) then end with 0.
    """
    code = _run()
    sys.exit(_flushed(code))


def _run() -> int:
    prepare_streams()
    for place, argument in enumerate(sys.argv[1:], start=1):
        if not _is_text(argument):
            print_error(f"argument {place} is not valid UTF-8.")
            return USAGE
    try:
        app(prog_name="reviewinvite")
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else OK
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        return report_exception(error)
    return OK


def _is_text(argument: str) -> bool:
    try:
        argument.encode()
    except UnicodeEncodeError:
        return False
    return True


def _flushed(code: int) -> int:
    """Flush all output and return `code`.

    A log that cannot be written to standard error does not turn success into failure.
    """
    for stream in (sys.stderr, sys.stdout):
        if stream is None:
            continue
        try:
            stream.flush()
        except OSError as error:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            if stream is sys.stdout:
                code = code or report_exception(error)
    return code
