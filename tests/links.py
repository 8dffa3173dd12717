"""The tokens in customers' links, found without reading mail."""

from __future__ import annotations

from reviewinvite_core import Application
from reviewinvite_core.domain.links import Purpose, link_token
from reviewinvite_core.usecases.context import UnitContext


def token_of(app: Application, invite_id: str, purpose: Purpose = Purpose.UNSUBSCRIBE) -> str:
    """Return the token in the link of this invitation's e-mail."""

    def made(work: UnitContext) -> str:
        invitation = work.store.invitations.locate(invite_id)
        assert invitation is not None
        return link_token(work.ring.tokens, purpose, invitation.shop_number, invite_id)

    return app.delivery._transactions().run(made)
