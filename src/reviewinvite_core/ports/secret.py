"""Storage of the secret (ADR-31)."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from reviewinvite_core.domain.sealing import Secret


class SecretStore(Protocol):
    """The secret, and its successor while the key ring is not yet sealed under it (ADR-31)."""

    @property
    def file(self) -> Path:
        """The file that holds the secret after `promote`."""

    def alone(self) -> AbstractContextManager[None]:
        """Return a context in which no other process changes this store.

        Raises: `SecretBusy` if another process is changing it.
        """

    def current(self) -> Secret:
        """Return the secret in use.

        Raises: `SecretMissing`, `ConfigurationError`.
        """

    def successor(self) -> Secret | None:
        """Return the staged successor, or None.

        Raises: `ConfigurationError` if it is invalid.
        """

    def stage(self) -> Secret:
        """Stage a successor and return it; durable on return.

        Raises: `ConfigurationError`, `OSError`, with nothing changed.
        """

    def promote(self) -> Path | None:
        """Make the successor the secret; durable on return. Return where the old secret was saved, or None.

        Raises: `OSError`, with the successor still staged.
        """

    def discard(self) -> bool:
        """Remove the staged successor; return False if this store must not remove it."""
