"""What customers do that no command can: they write reviews."""

from __future__ import annotations

from typing import Any

from tests.cli.command import Installation
from tests.http.merchant import an_invitation, write

from reviewinvite_core import Settings, build


def a_review(
    installation: Installation,
    order_number: str,
    rating: int = 5,
    *,
    site: str = "molen",
    email: str = "anna@example.com",
    **fields: Any,
) -> str:
    """The id of a review of an order, which is reported if it is not known yet."""
    url = f"sqlite:///{installation.folder / 'reviewinvite.db'}"
    application = build(Settings(database_url=url, mail_url="recording:"))
    try:
        return write(application, an_invitation(application, site, order_number, email=email), rating, **fields)
    finally:
        application.close()
