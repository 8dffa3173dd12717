"""An operator says who must not be written to, and takes that back; a customer's own word stands above it."""

from __future__ import annotations

from datetime import timedelta

from tests.core.usecases.harness import AppHarness
from tests.links import token_of

from reviewinvite_core import accepted
from reviewinvite_core.domain.refusals import NotSuppressed
from reviewinvite_core.domain.suppressions import Reach, SuppressedBy

ANNA = "anna@example.com"
OPERATOR, CUSTOMER = SuppressedBy.OPERATOR, SuppressedBy.CUSTOMER


def opt_out(harness: AppHarness, invite_id: str, reach: Reach = Reach.THIS_SHOP) -> None:
    assert harness.app.privacy.unsubscribe(token_of(harness.app, invite_id), reach)


def test_adding_one_that_stands_gives_it_as_it_stands(harness: AppHarness) -> None:
    first = harness.app.privacy.suppress(ANNA, None)
    harness.clock.advance(timedelta(days=1))
    assert harness.app.privacy.suppress(ANNA, None) == first
    opt_out(harness, harness.report().invite_id)
    again = accepted(harness.app.privacy.suppress(ANNA, "bakkerij-1"))
    assert again.suppression.by is CUSTOMER


def test_removing_what_does_not_stand_there_says_whether_it_stands_elsewhere(harness: AppHarness) -> None:
    assert harness.app.privacy.remove_suppression(ANNA, None, OPERATOR) == NotSuppressed(elsewhere=False)
    harness.app.privacy.suppress(ANNA, "bakkerij-1")
    assert harness.app.privacy.remove_suppression(ANNA, None, CUSTOMER) == NotSuppressed(elsewhere=True)
    assert harness.app.privacy.remove_suppression("bert@example.com", None, CUSTOMER) == NotSuppressed(elsewhere=False)


def test_the_newest_are_listed_first_with_their_shop_and_no_address(harness: AppHarness) -> None:
    harness.app.privacy.suppress(ANNA, None)
    harness.clock.advance(timedelta(seconds=1))
    harness.app.privacy.suppress("bert@example.com", "bakkerij-1")
    listed = harness.app.privacy.list_suppressions(10)
    assert [record.shop and record.shop.site_id.text for record in listed] == ["bakkerij-1", None]
    assert harness.app.privacy.list_suppressions(1) == listed[:1]
    assert "example.com" not in repr(listed)
    assert len({record.suppression.short_hash for record in listed}) == 2
