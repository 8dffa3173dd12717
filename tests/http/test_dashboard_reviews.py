"""Reviews in the dashboard: the list and its filters, the reply, the history and the export. Spec: §10.5."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from tests.http.dashboard import Visitor, signed_in, where, words
from tests.http.page_parser import Page
from tests.http.service import Answer, Service
from tests.links import token_of
from tests.shop_with_reviews import new_shop, written

from reviewinvite_core import OPERATOR, Role, accepted
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.values import HideReason, Review


class Shop:
    """A shop of its own, a member of staff who is signed in, and the addresses of the section."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.site = new_shop(service.app)
        self.visitor = signed_in(service, self.site, f"{self.site}@example.com", Role.STAFF)
        self.visitor.get("/dashboard/sessions?language=en")
        self.list = f"/dashboard/{self.site}/reviews"

    def address(self, review: Review) -> str:
        return f"{self.list}/{review.review_id}"

    def send(self, review: Review, *, visitor: Visitor | None = None, **fields: str) -> Answer:
        """Send the form as a member does who has just opened the review's page."""
        sender, form = visitor or self.visitor, f"{self.address(review)}/reply"
        version = sender.version(self.address(review), form)
        return sender.post(form, {"version": version, **fields})

    def texts(self, **filters: str) -> list[str]:
        """Return the texts of all reviews that the list shows, over all its pages, in their order."""
        found, address = [], f"{self.list}?{urlencode(filters)}"
        while address:
            page = self.visitor.page(address)
            found += said(page)
            (address,) = [str(link["href"]) for link in page.all("a") if link.get("rel") == "next"] or [""]
        return found

    def stored_reply(self, review: Review) -> str | None:
        reply = accepted(self.service.app.reviews.show(OPERATOR, review.review_id)).review.reply
        return reply.text if reply else None


def said(page: Page) -> list[str]:
    """Return the texts of reviews, which are all of one word here."""
    return [word for word in page.words.split() if word.startswith("text-")]


@pytest.fixture
def shop(service: Service) -> Shop:
    return Shop(service)


def test_a_new_shop_is_told_what_comes_next(shop: Shop) -> None:
    answer = shop.visitor.get(shop.list)
    assert "No reviews yet" in words(answer)
    assert f"/dashboard/{shop.site}/invitations" in answer.body.decode()


def test_filters_are_in_the_address_and_pages_miss_nothing(shop: Shop) -> None:
    for number in range(60):
        shop.service.clock.advance(timedelta(seconds=1))
        review = written(shop.service.app, shop.site, number % 5 + 1, text=f"text-{number}")
        if number % 7 == 0:
            accepted(shop.service.app.reviews.hide(review.review_id, HideReason.SPAM))
    newest_first = [number for number in reversed(range(60)) if number % 7]
    assert shop.texts() == [f"text-{number}" for number in newest_first]
    assert shop.texts(rating="3") == [f"text-{number}" for number in newest_first if number % 5 == 2]
    assert shop.texts(state="published", rating="") == shop.texts()
    hidden = shop.visitor.page(f"{shop.list}?state=hidden&rating=1")
    assert len(hidden.all("article")) == len([each for each in range(0, 60, 7) if each % 5 == 0])
    chosen = [each["value"] for each in hidden.all("option") if "selected" in each]
    assert chosen == ["1", "hidden"]
    none = shop.visitor.get(f"{shop.list}?state=withdrawn")
    assert "No reviews found" in words(none)
    assert f'href="{shop.list}"' in none.body.decode()


@pytest.mark.parametrize("query", ["rating=6", "rating=x", "rating=%D9%A3", "state=x", "before=x", "before="])
def test_an_address_that_asks_for_no_list_is_not_found(shop: Shop, query: str) -> None:
    assert shop.visitor.get(f"{shop.list}?{query}").status == 404
    assert shop.visitor.get(f"{shop.list}/{query}").status == 404


def test_a_reply_is_published_changed_and_removed(shop: Shop) -> None:
    review = written(shop.service.app, shop.site, 2, text="text-1")
    replied = where(shop.send(review, text="Sorry!\r\nIt is on its way."))
    assert replied == f"{shop.address(review)}?done=replied"
    assert shop.stored_reply(review) == "Sorry!\nIt is on its way."
    assert "Your reply is published. View your public page" in words(shop.visitor.get(replied))
    where(shop.send(review, text="Sorry."))
    assert shop.stored_reply(review) == "Sorry."
    removed = where(shop.send(review, text="Sorry.", action="remove"))
    assert shop.stored_reply(review) is None
    assert "Your reply is removed." in words(shop.visitor.get(removed))
    history = words(shop.visitor.get(shop.address(review))).partition("History")[2]
    for entry in ("CustomerWrote the review", "Your shopReplied", "Your shopRemoved the reply"):
        assert entry in history


@pytest.mark.parametrize(
    ("typed", "said"),
    [("", "Write a reply first."), ("x" * 2_001, "at most 2,000 characters"), ("a\x00b", "control characters")],
)
def test_what_is_no_reply_comes_back_to_be_corrected(shop: Shop, typed: str, said: str) -> None:
    review = written(shop.service.app, shop.site)
    answer = shop.send(review, text=typed)
    assert answer.status == 422
    assert said in words(answer)
    assert f">\n{typed}</textarea>" in answer.body.decode()
    assert shop.stored_reply(review) is None


def test_a_form_without_its_text_removes_no_reply(shop: Shop) -> None:
    review = written(shop.service.app, shop.site)
    where(shop.send(review, text="Thank you."))
    assert shop.send(review).status == 422
    assert shop.stored_reply(review) == "Thank you."
    assert where(shop.send(review, text="")).endswith("?done=removed")


def test_the_second_of_two_members_is_told_and_keeps_the_text(shop: Shop) -> None:
    review = written(shop.service.app, shop.site)
    other = signed_in(shop.service, shop.site, f"other-{shop.site}@example.com")
    other.get("/dashboard/sessions?language=en")
    form = f"{shop.address(review)}/reply"
    seen_by_both = {"version": other.version(shop.address(review), form)}
    where(shop.send(review, text="The first."))
    answer = other.post(form, {**seen_by_both, "text": "The second."})
    assert answer.status == 409
    assert "Someone else changed the reply" in words(answer)
    assert "The first." in words(answer)
    assert "The second.</textarea>" in answer.body.decode()
    assert shop.stored_reply(review) == "The first."
    where(shop.send(review, visitor=other, text="The second."))
    assert shop.stored_reply(review) == "The second."


def test_a_review_that_was_hidden_meanwhile_takes_no_reply_and_shows_what_was_typed(shop: Shop) -> None:
    review = written(shop.service.app, shop.site, text="text-secret", author="Anna")
    form = f"{shop.address(review)}/reply"
    version = shop.visitor.version(shop.address(review), form)
    accepted(shop.service.app.reviews.hide(review.review_id, HideReason.PERSONAL_DATA))
    answer = shop.visitor.post(form, {"version": version, "text": "Thank you!"})
    assert answer.status == 409
    assert "It contains personal data." in words(answer)
    assert "Thank you!" in words(answer)
    for word in ("text-secret", "Anna"):
        assert word not in words(answer) + words(shop.visitor.get(shop.list))
    assert shop.stored_reply(review) is None


ODD = {
    "html": "<script>alert(1)</script> & text-x",
    "right to left": "\u202etext-x \u0645\u0631\u062d\u0628\u0627",
    "long": "text-x " + "w" * 3_900,
}


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_whatever_customers_write_is_text(shop: Shop, text: str) -> None:
    short = text[:80].lstrip("\u202e")  # which names and numbers may not contain
    review = written(shop.service.app, shop.site, text=text, author=short, order_number=short)
    for address in (shop.list, shop.address(review)):
        page = shop.visitor.page(address)
        assert text in page.words
        assert not any("alert" in str(tag) for tag in page.tags)
        isolated = [tag for tag, _ in page.tags if tag == "bdi"]
        assert len(isolated) >= 3  # the shop's name, the author and the order number


def test_the_export_has_the_filters_no_address_and_no_formula(shop: Shop) -> None:
    written(shop.service.app, shop.site, 1, text="text-other")
    review = written(shop.service.app, shop.site, 4, text='=1+1, "x"', author="@Anna", order_number="-7")
    where(shop.send(review, text="+31 20 1234567"))
    answer = shop.visitor.get(f"{shop.list}.csv?rating=4")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    text = answer.body.decode("utf-8-sig")
    assert "@example.com" not in text
    (line,) = csv.DictReader(io.StringIO(text))
    assert (line["text"], line["author"], line["order_number"]) == ('\'=1+1, "x"', "'@Anna", "'-7")
    assert (line["rating"], line["state"], line["reply"]) == ("4", "published", "'+31 20 1234567")
    assert shop.visitor.get(f"{shop.list}.csv?rating=7").status == 404


def test_a_withdrawn_review_leaves_its_history_only(shop: Shop) -> None:
    review = written(shop.service.app, shop.site, text="text-gone", author="Anna")
    shop.service.app.reviews.withdraw(token_of(shop.service.app, review.invite_id, Purpose.REVIEW))
    answer = shop.visitor.get(shop.address(review))
    assert "Withdrew the review" in words(answer)
    assert "text-gone" not in words(answer)
    assert not Page(answer.body).all("textarea")
