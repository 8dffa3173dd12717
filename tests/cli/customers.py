"""What customers do that no command can: they write reviews, and opt out."""

from __future__ import annotations

from typing import Any

from tests.cli.applications import application_of
from tests.cli.harness import Installation
from tests.http.merchant import an_invitation, write
from tests.links import token_of

from reviewinvite_core.values import Reach


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
    with application_of(installation) as application:
        return write(application, an_invitation(application, site, order_number, email=email), rating, **fields)


def opt_out(installation: Installation, invite_id: str, reach: Reach) -> None:
    """Do what the customer does on the page behind the link."""
    with application_of(installation) as application:
        assert application.privacy.unsubscribe(token_of(application, invite_id), reach)
