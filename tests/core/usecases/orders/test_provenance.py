"""An order keeps where it was reported; only what the shop itself reports before the review confirms it. ADR-65."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import TypeAlias

import attrs
import pytest
from tests.core.usecases.harness import AppHarness, review_of
from tests.links import token_of
from tests.waiting import run_concurrently

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.members import NewMember
from reviewinvite_core.domain.orders import SnippetReport
from reviewinvite_core.domain.provenance import OPEN_SNIPPET, Confirmation, Provenance, Source
from reviewinvite_core.domain.reviews import ReviewDraft
from reviewinvite_core.domain.scores import Score
from reviewinvite_core.domain.shop import SiteId
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import an_order_report
from reviewinvite_core.usecases.invitations.read import InvitationQuery
from reviewinvite_core.usecases.reviews.change import miscounted

Report: TypeAlias = Callable[[AppHarness, str], object]
AT_ONCE = 16


@pytest.fixture
def harness(each_storage: Storage) -> AppHarness:
    return a_harness(each_storage)


def a_harness(storage: Storage) -> AppHarness:
    harness = AppHarness(storage=storage)
    accepted(harness.app.domains.add("bakkerij-1", "shop.nl", assume_verified=True))
    return harness


def by_snippet(harness: AppHarness, number: str = "1001") -> Invitation:
    """Report the order from an open snippet; return its invitation."""
    report = SnippetReport(site_id=SiteId.parse("bakkerij-1"), order=an_order_report(order_number=number))
    client = ClientAddress(f"203.0.113.{1 + int(number) % 250}")
    harness.app.orders.report_from_snippet(client, "https://shop.nl", report)
    query = InvitationQuery(order_number=number)
    [record] = accepted(harness.app.invitations.list(OPERATOR, query)).invitations
    return record.invitation


def by_member(harness: AppHarness, number: str) -> object:
    owner = accepted(harness.app.members.add("bakkerij-1", NewMember(email="owner@example.com"))).member
    caller = attrs.evolve(harness.caller_of("bakkerij-1"), member_id=owner.member_id)
    return harness.app.orders.report(caller, an_order_report(order_number=number))


def by_operator(harness: AppHarness, number: str) -> object:
    caller = attrs.evolve(harness.caller_of("bakkerij-1"), operator=True)
    return harness.app.orders.report(caller, an_order_report(order_number=number))


def by_import(harness: AppHarness, number: str) -> object:
    return harness.app.orders.import_many(harness.caller_of("bakkerij-1"), [an_order_report(order_number=number)])


def by_key(harness: AppHarness, number: str) -> object:
    return harness.app.orders.report(harness.key, an_order_report(order_number=number))


def by_embedder(harness: AppHarness, number: str) -> object:
    return harness.app.orders.report(harness.caller_of("bakkerij-1"), an_order_report(order_number=number))


REPORTS = [
    pytest.param(by_key, Source.API, id="key"),
    pytest.param(by_embedder, Source.API, id="embedder"),
    pytest.param(by_import, Source.IMPORT, id="import"),
    pytest.param(by_member, Source.DASHBOARD, id="member"),
    pytest.param(by_operator, Source.OPERATOR, id="operator"),
]


@pytest.mark.parametrize(("report", "source"), REPORTS)
def test_whoever_the_shop_trusts_confirms_the_order_and_is_its_source(
    harness: AppHarness, report: Report, source: Source
) -> None:
    report(harness, "1001")
    [record] = accepted(harness.app.invitations.list(OPERATOR, InvitationQuery())).invitations
    keys = accepted(harness.app.api_keys.list("bakkerij-1"))
    key_id = keys[0].key_id if report is by_key else None
    assert record.invitation.provenance == Provenance(source=source, key_id=key_id)
    by_snippet(harness)
    assert harness.invitation(record.invitation.invite_id) == record.invitation


@pytest.mark.parametrize("report", [by_key, by_import, by_member, by_operator])
def test_a_repeat_confirms_what_an_open_snippet_reported_and_changes_nothing_else(
    harness: AppHarness, report: Report
) -> None:
    before = by_snippet(harness)
    assert before.provenance == OPEN_SNIPPET
    assert by_snippet(harness) == before
    harness.clock.advance(timedelta(days=6))
    harness.deliver()
    sent = harness.invitation(before.invite_id)
    report(harness, "1001")
    after = harness.invitation(before.invite_id)
    assert after == attrs.evolve(sent, provenance=attrs.evolve(OPEN_SNIPPET, confirmation=Confirmation.GIVEN))
    assert harness.deliver() == []


def test_nothing_confirms_an_order_once_its_review_was_written(harness: AppHarness) -> None:
    late, early = by_snippet(harness, "1"), by_snippet(harness, "2")
    tokens = [token_of(harness.app, each.invite_id, Purpose.REVIEW) for each in (late, early)]
    by_key(harness, "2")
    first, second = (review_of(harness.write_review(token, ReviewDraft(rating=5))) for token in tokens)
    assert (first.source, first.confirmed, second.source, second.confirmed) == (
        *(Source.SNIPPET, False),
        *(Source.SNIPPET, True),
    )
    by_key(harness, "1")
    assert harness.invitation(late.invite_id).provenance.confirmation is Confirmation.TOO_LATE
    harness.withdraw_review(tokens[0])
    by_key(harness, "1")
    again = review_of(harness.write_review(tokens[0], ReviewDraft(rating=4)))
    assert (again.review_id, again.confirmed) == (first.review_id, False)
    page = accepted(harness.app.reviews.show_public("bakkerij-1"))
    assert page.last_12_months == page.all_time.score == Score(count=2, total=9, confirmed=1)
    assert harness.in_transaction(miscounted) == []


def test_of_a_confirmation_and_a_review_at_once_one_comes_first(concurrent_storage: Storage) -> None:
    harness = a_harness(concurrent_storage)
    numbers = [str(number) for number in range(AT_ONCE)]
    harness.clock.advance(timedelta(days=1))
    invited = []
    for number in numbers:
        invited.append(by_snippet(harness, number))
        harness.clock.advance(timedelta(days=2))  # the cap on snippets for one address
    tokens = [token_of(harness.app, each.invite_id, Purpose.REVIEW) for each in invited]

    def act(turn: int) -> None:
        if turn % 2:
            harness.app.orders.report(harness.caller_of("bakkerij-1"), an_order_report(order_number=numbers[turn // 2]))
        else:
            harness.write_review(tokens[turn // 2], ReviewDraft(rating=3))

    run_concurrently(2 * AT_ONCE, act)
    for each, token in zip(invited, tokens, strict=True):
        provenance = harness.invitation(each.invite_id).provenance
        assert provenance.confirmation in (Confirmation.GIVEN, Confirmation.TOO_LATE)
        review = harness.show_link(token).review
        assert review is not None
        assert review.confirmed == provenance.confirmed
    assert harness.in_transaction(miscounted) == []
