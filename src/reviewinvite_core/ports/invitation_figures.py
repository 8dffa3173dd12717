"""Storage of the figures about invitations."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Protocol

from reviewinvite_core.domain.invitation_figures import Counted, InvitationFigures


class InvitationFigureLog(Protocol):
    """Figures about invitations, which follow each change of an invitation in its own transaction (ADR-58)."""

    def figures(self, shop_number: int, since: date = ...) -> InvitationFigures:
        """Return a shop's stored figures, those by week from the week `since` on; the default is all."""

    def totals(self, shop_number: int, since: date) -> Mapping[Counted, int]:
        """Return a shop's figures of the week `since` and later ones, summed over the weeks."""

    def recount(self, shop_number: int) -> InvitationFigures:
        """Return a shop's figures computed from its invitations; reads every one of them."""

    def freeze(self) -> None:
        """Keep other transactions from changing any figure until this one has ended."""

    def keep(self, shop_number: int, figures: InvitationFigures) -> None:
        """Replace a shop's stored figures; call `freeze` before counting them."""
