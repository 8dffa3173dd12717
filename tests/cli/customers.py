"""What customers do that no command can: they write reviews, and opt out."""

from __future__ import annotations

from typing import Any

from tests.cli.harness import Installation
from tests.http.merchant import an_invitation, write
from tests.links import token_of

from reviewinvite_core import Reach, Settings, build


def a_review(
    installation: Installation,
    order_number: str,
    rating: int = 5,
    *,
    site: str = "molen",
    email: str = "anna@example.com",
    **fields: Any,
) -> str:
    """Write a review of an order, which is reported if it is not known yet; return its id."""
    url = f"sqlite:///{installation.folder / 'reviewinvite.db'}"
    application = build(Settings(database_url=url, mail_url="recording:"))
    try:
        return write(application, an_invitation(application, site, order_number, email=email), rating, **fields)
    finally:
        application.close()


def opt_out(installation: Installation, invite_id: str, reach: Reach) -> None:
    """Do what the customer does on the page behind the link."""
    app = build(Settings(database_url=f"sqlite:///{installation.folder / 'reviewinvite.db'}"))
    try:
        assert app.unsubscribe(token_of(app, invite_id), reach)
    finally:
        app.close()
