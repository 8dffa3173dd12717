"""Where the secret is stored (ADR-31)."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from reviewinvite_core.domain.sealing import Secret


class SecretStore(Protocol):
    """Where the secret is, and where its successor waits until the key ring is sealed under it (ADR-31)."""

    @property
    def file(self) -> Path:
        """The file that holds the secret once it was changed."""

    def alone(self) -> AbstractContextManager[None]:
        """Inside, nobody else changes what is kept in this place.

        Raises: `SecretBusy` if somebody does.
        """

    def current(self) -> Secret:
        """The secret that is to be used.

        Raises: `SecretMissing`, `ConfigurationError`.
        """

    def successor(self) -> Secret | None:
        """The secret that waits to take its place, where there is one.

        Raises: `ConfigurationError` if there is one that cannot be.
        """

    def stage(self) -> Secret:
        """Have a successor wait; durable when this returns.

        Raises: `ConfigurationError`, `OSError`, with nothing changed.
        """

    def promote(self) -> Path | None:
        """Put the successor in the place of the secret; durable when this returns. Where the old one is kept, if it is.

        Raises: `OSError`, with the successor still waiting.
        """

    def discard(self) -> bool:
        """Take away the successor that waits; False where that is not for us to do."""
