"""The installation that a command works on: its settings, and its application while the command runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from reviewinvite_cli.errors import warn

if TYPE_CHECKING:
    from reviewinvite_core import Application, Settings
    from reviewinvite_core.ports import Telemetry


class GivenOptions(NamedTuple):
    """The global options as given.

    A caller that runs commands in its own process may supply `build`, for example to set another clock.
    """

    config: Path | None
    database_url: str | None
    build: Callable[[Settings], Application] | None = None
    log_level: str | None = None
    log_format: str | None = None


def require_http() -> None:
    """Raise unless the packages for HTTP are installed.

    Raises: `ConfigurationError`.
    """
    from importlib.util import find_spec

    from reviewinvite_core import ConfigurationError

    if any(find_spec(package) is None for package in ("litestar", "uvicorn", "uvloop", "httptools", "httpx")):
        raise ConfigurationError("the packages for HTTP are not installed: install reviewinvite[http]")


def load_settings(
    context: typer.Context, *, warn: Callable[[str], object] = warn, served_at: str | None = None
) -> Settings:
    """Return the settings from options, environment and file; call `warn` for variables that only look like settings.

    `served_at` is the default of `base_url`, if given.

    Raises: `ConfigurationError`.
    """
    from reviewinvite_core.admin import is_secret_changing, is_secret_weak, unknown_variables

    for name in unknown_variables(os.environ):
        warn(f"{name} is not a setting and has no effect.")
    given: GivenOptions = context.obj
    defaults = {"base_url": served_at} if served_at else {}
    names = ("database_url", "log_level", "log_format")
    flags = {name: getattr(given, name) for name in names}
    settings = _loaded(flags, os.environ, given.config, defaults)
    if settings.database_url.startswith("memory:"):
        return settings
    if not _is_closed_file(settings.database_url) or is_secret_changing(settings) or is_secret_weak(settings):
        tell_of_waiting(settings)
    return settings


def _loaded(
    flags: Mapping[str, object],
    environment: Mapping[str, str],
    file: Path | None,
    defaults: Mapping[str, object] | None = None,
) -> Settings:
    """Return the settings.

    Raises: `ConfigurationError`, with the values that are not valid and where they come from.
    """
    from reviewinvite_core import ConfigurationError, Settings

    try:
        return Settings.load(flags, environment=environment, file=file, defaults=defaults)
    except ConfigurationError as error:
        from reviewinvite_core.bootstrap.settings_report import explained

        raise explained(error, flags, environment, file) from None


def _is_closed_file(database_url: str) -> bool:
    """Return whether the database is a SQLite file without a write-ahead log, so that no other process has it open."""
    if not database_url.startswith("sqlite:"):
        return False
    return not Path(database_url.partition(":///")[2] + "-wal").exists()


def tell_of_waiting(settings: Settings | None = None) -> None:
    """Report on standard error when a command waits for its database, repairs something or warns of its secret."""
    from reviewinvite_cli.log import log_to

    log_to(sys.stderr, settings)


def log_as_set(context: typer.Context) -> None:
    """Log to standard error if the options or the environment set a level or a format; of settings, read these only.

    Raises: `ConfigurationError`.
    """
    from reviewinvite_cli.log import log_to

    given: GivenOptions = context.obj
    variables = {name: value for name, value in os.environ.items() if name.startswith("REVIEWINVITE_LOG_")}
    flags = {"log_level": given.log_level, "log_format": given.log_format}
    if variables or any(flags.values()):
        log_to(sys.stderr, _loaded(flags, variables, Path(os.devnull)))


@contextmanager
def open_application(context: typer.Context, *, create_database: bool = False) -> Iterator[Application]:
    """Open the installation's application for the block; a database that does not exist is set up if `create_database`.

    Raises: `DatabaseMissing`; `ConfigurationError`, `StorageUnavailable`.
    """
    application = built(context, load_settings(context), create_database=create_database)
    try:
        yield application
    finally:
        application.close()


def built(
    context: typer.Context, settings: Settings, *, create_database: bool = False, telemetry: Telemetry | None = None
) -> Application:
    """Build the application from the settings; the caller closes it. See `open_application`.

    Raises: `DatabaseMissing`; `ConfigurationError`, `StorageUnavailable`.
    """
    from reviewinvite_core import build

    given: GivenOptions = context.obj
    return (
        given.build(settings) if given.build else build(settings, create_database=create_database, telemetry=telemetry)
    )
