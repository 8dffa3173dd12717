"""Where an order was reported, and whether that confirms it. Spec: §2, ADR-65."""

from __future__ import annotations

from enum import Enum, StrEnum

import attrs


class Source(StrEnum):
    """The door through which an order was first reported."""

    API = "api"
    """The HTTP API, or a shop that embeds the library."""

    IMPORT = "import"
    DASHBOARD = "dashboard"
    OPERATOR = "operator"
    SNIPPET = "snippet"
    UNKNOWN = "unknown"
    """Reported before sources were kept, and by no snippet."""


class Confirmation(Enum):
    """Whether the shop has confirmed an order, by a report that only the shop itself could make."""

    MISSING = 0
    """Only an open snippet has reported the order so far."""

    GIVEN = 1
    TOO_LATE = 2
    """It was missing when the review was first written; since then the shop could choose by the rating."""


@attrs.frozen(kw_only=True)
class Provenance:
    """Where an order was first reported, the id of the API key that reported it, and whether the order is confirmed.

    Everything but an open snippet confirms the order that it reports.
    """

    source: Source
    key_id: str | None = None
    confirmation: Confirmation = Confirmation.GIVEN

    @property
    def confirmed(self) -> bool:
        """Whether a report that only the shop could make came before the review."""
        return self.confirmation is Confirmation.GIVEN


OPEN_SNIPPET = Provenance(source=Source.SNIPPET, confirmation=Confirmation.MISSING)
SIGNED_SNIPPET = Provenance(source=Source.SNIPPET)
UNKNOWN = Provenance(source=Source.UNKNOWN)
