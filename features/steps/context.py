"""What a scenario's steps share, and how its words become values."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import attrs
from features.drivers.cli import CommandResult
from features.drivers.http import HtmlResponse, JsonResponse, ScriptResponse
from features.drivers.member_browser import MemberBrowser, Outcome
from features.drivers.review_page import ReviewPage
from features.drivers.values import (
    Acknowledged,
    BrowserPage,
    DisplayedBadge,
    MerchantReview,
    Order,
    Rejected,
    ReportResult,
    Scheduled,
    ShopPage,
    SignedStatement,
)

from reviewinvite_core.values import NewKey, Subscription

# A word as it stands, or a JSON string where blanks or odd characters matter: anna@example.com, " 1001", "10\u000a01"
TEXT = r'(?:"(?:[^"\\]|\\.)*"|[^\s"]\S*)'

KEYS = {None: 0, "first": 0, "second": 1}

INSTANT_FORMS = ("%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.%f")


def text(words: str) -> str:
    """Return the text that the words of a scenario stand for."""
    return str(json.loads(words)) if words.startswith('"') else words


def instant(words: str) -> datetime:
    """Return the instant, in UTC, that the words of a scenario stand for."""
    for form in INSTANT_FORMS:
        try:
            return datetime.strptime(words, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    message = f"not an instant: {words}"
    raise AssertionError(message)


@attrs.define
class ScenarioContext:
    """What the steps of one scenario leave for the steps after them; lists are in the order of events."""

    api_keys: dict[str, list[NewKey]] = attrs.field(factory=dict)
    """The API keys made, by shop."""
    snippet_secrets: dict[str, list[str]] = attrs.field(factory=dict)
    """The secrets that a shop's server has signed with, by shop."""
    order_numbers: Iterator[int] = attrs.field(factory=lambda: itertools.count(5001))
    """Numbers for orders that no step names."""
    reports: list[tuple[Order, str]] = attrs.field(factory=list)
    """The orders reported, each with its API key."""
    page_reports: list[tuple[BrowserPage, str, Order]] = attrs.field(factory=list)
    """The orders that pages reported, each with its page and shop."""
    results: list[ReportResult] = attrs.field(factory=list)
    """The results of both."""
    badge_views: list[DisplayedBadge | None] = attrs.field(factory=list)
    verifications: list[SignedStatement | Rejected] = attrs.field(factory=list)
    shop_pages: list[ShopPage | None] = attrs.field(factory=list)
    review_ids: list[str] = attrs.field(factory=list)
    review_tokens: list[str] = attrs.field(factory=list)
    """The tokens in the links of the reviews in `review_ids`."""
    review_page: ReviewPage | Rejected | None = None
    opt_out_page: Subscription | None = None
    opt_out_status: int | None = None
    merchant_reviews: Sequence[MerchantReview] = ()
    merchant_rejection: Rejected | None = None
    domain_result: object = None
    fetched_keys: bytes = b""
    """The public keys, as a verifier fetched them."""
    rotation_result: object = None
    response: JsonResponse | None = None
    html_page: HtmlResponse | None = None
    script: ScriptResponse | None = None
    command_result: CommandResult | None = None
    printed_key: str | None = None
    browsers: dict[str, MemberBrowser] = attrs.field(factory=dict)
    """The members' browsers, by person and place."""
    link_owner: str = ""
    """The person for whom the latest sign-in link was made."""
    old_links: dict[str, int] = attrs.field(factory=dict)
    """How many sign-in links a person was sent in the background of a scenario."""
    told: list[str] = attrs.field(factory=list)
    """What the sign-in page said to those who asked for a link."""
    offered: str | None = None
    """The address that a sign-in link offered to sign in."""
    member_outcome: Outcome | None = None

    def key_of(self, shop: str, which: str | None = None) -> str:
        """Return the shop's API key: its first, unless `which` names another."""
        return self.api_keys[shop][KEYS[which]].secret.text

    @property
    def scheduled(self) -> list[Scheduled]:
        return [result for result in self.results if isinstance(result, Scheduled)]

    @property
    def acknowledged(self) -> list[Acknowledged]:
        return [result for result in self.results if isinstance(result, Acknowledged)]

    @property
    def latest_invitation(self) -> Scheduled:
        """The latest result, which must be an invitation."""
        result = self.results[-1]
        assert isinstance(result, Scheduled), result
        return result

    @property
    def latest_rejection(self) -> Rejected:
        """The latest result, which must be a rejection."""
        result = self.results[-1]
        assert isinstance(result, Rejected), result
        return result

    def next_order(self) -> Order:
        """Return an order like no other in the scenario."""
        number = next(self.order_numbers)
        return Order(email=f"customer-{number}@example.com", number=str(number))
