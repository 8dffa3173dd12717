"""What has happened in a scenario so far, and how its words become values."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

import attrs
from features.drivers.answers import (
    Acknowledged,
    Answer,
    Order,
    Page,
    ReadReview,
    Refused,
    Scheduled,
    Seen,
    ShopPage,
    Told,
)
from features.drivers.cli import Ended
from features.drivers.http import LoadedScript, Response
from features.drivers.review_page import ReviewPage

from reviewinvite_core import NewKey, Subscription

# A word as it stands, or a JSON string where blanks or odd characters matter: anna@example.com, " 1001", "10\u000a01"
TEXT = r'(?:"(?:[^"\\]|\\.)*"|[^\s"]\S*)'

KEYS = {None: 0, "first": 0, "second": 1}

INSTANT_FORMS = ("%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M:%S.%f")


def text(words: str | None) -> str | None:
    """The text that the words of a scenario stand for."""
    return json.loads(words) if words and words.startswith('"') else words


def instant(words: str) -> datetime:
    """The instant, in UTC, that the words of a scenario stand for."""
    for form in INSTANT_FORMS:
        try:
            return datetime.strptime(words, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    message = f"not an instant: {words}"
    raise AssertionError(message)


@attrs.define
class Story:
    """The keys that were made, what was reported, what pages told of, and what was answered, in order."""

    keys: dict[str, list[NewKey]] = attrs.field(factory=dict)
    told: list[tuple[Order, str]] = attrs.field(factory=list)
    answers: list[Answer] = attrs.field(factory=list)
    shown: list[tuple[Page, str, Order]] = attrs.field(factory=list)
    response: Response | None = None
    looks: list[Seen | None] = attrs.field(factory=list)
    reviews: list[str] = attrs.field(factory=list)  # their ids
    review_links: list[str] = attrs.field(factory=list)  # of the same reviews
    pages: list[ShopPage | None] = attrs.field(factory=list)
    told_of: list[Told | Refused] = attrs.field(factory=list)
    script: LoadedScript | None = None
    page: Subscription | None = None
    page_status: int | None = None
    review_page: ReviewPage | Refused | None = None
    command: Ended | None = None
    read_reviews: Sequence[ReadReview] = ()
    shop_refused: Refused | None = None
    printed_key: str | None = None
    domain_answer: object = None
    known_keys: bytes = b""
    rotated: object = None
    numbers: Iterator[int] = attrs.field(factory=lambda: itertools.count(5001))

    def key_of(self, shop: str, which: str | None = None) -> str:
        """The shop's API key; the first unless told otherwise."""
        return self.keys[shop][KEYS[which]].secret.text

    @property
    def accepted(self) -> list[Scheduled]:
        return [answer for answer in self.answers if isinstance(answer, Scheduled)]

    @property
    def acknowledged(self) -> list[Acknowledged]:
        return [answer for answer in self.answers if isinstance(answer, Acknowledged)]

    @property
    def latest(self) -> Scheduled:
        """The latest answer, which has to be an invitation."""
        answer = self.answers[-1]
        assert isinstance(answer, Scheduled), answer
        return answer

    @property
    def refusal(self) -> Refused:
        """The latest answer, which has to be a refusal."""
        answer = self.answers[-1]
        assert isinstance(answer, Refused), answer
        return answer

    def next_order(self) -> Order:
        """An order like no other in the scenario."""
        number = next(self.numbers)
        return Order(email=f"customer-{number}@example.com", number=str(number))
