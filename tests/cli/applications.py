"""The application of an installation, as an embedder would build it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tests.cli.harness import Installation

from reviewinvite_core import Application, Settings, build


def settings_of(installation: Installation) -> Settings:
    """Return the settings of an installation that has none of its own."""
    folder = installation.folder
    return Settings(
        database_url=f"sqlite:///{folder / 'reviewinvite.db'}",
        secret_file=folder / "reviewinvite.db.secret",
        mail_url=f"outbox:{folder / 'outbox'}",
    )


@contextmanager
def application_of(installation: Installation) -> Iterator[Application]:
    """Build the installation's application, and close it."""
    application = build(settings_of(installation))
    try:
        yield application
    finally:
        application.close()
