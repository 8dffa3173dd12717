"""Invitations in the dashboard: the list and its filters, cancelling, sending now and the export. Spec: §10.5."""

from __future__ import annotations

import csv
import io
import re
from datetime import timedelta
from urllib.parse import quote, urlencode

import pytest
from tests.http.dashboard import signed_in, where, words
from tests.http.page_parser import Page
from tests.http.service import Service
from tests.links import token_of
from tests.shop_with_reviews import new_shop, reported

from reviewinvite_core import OPERATOR, ReviewDraft, Role, State, accepted
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.testing.builders import an_order_report
from reviewinvite_core.values import ReviewLink


class Shop:
    """A shop of its own, a member of staff who is signed in, and the addresses of the section."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.site = new_shop(service.app)
        self.visitor = signed_in(service, self.site, f"{self.site}@example.com", Role.STAFF)
        self.visitor.get("/dashboard/sessions?language=en")
        self.list = f"/dashboard/{self.site}/invitations"

    def report(self, number: str | None, *, delay: float = 5) -> str:
        """Report an order a second after the last one; return the address of its invitation's page."""
        self.service.clock.advance(timedelta(seconds=1))
        return f"{self.list}/{reported(self.service.app, self.site, order_number=number, delay=delay)}"

    def numbers(self, **filters: str) -> list[str]:
        """Return the order numbers that the list shows, over all its pages, in their order."""
        found, address = [], f"{self.list}?{urlencode(filters)}"
        while address:
            body = self.visitor.get(address).body
            found += re.findall("<bdi>(N-[0-9]+)</bdi>", body.decode())
            (address,) = [str(link["href"]) for link in Page(body).all("a") if link.get("rel") == "next"] or [""]
        return found

    def state(self, address: str) -> State:
        record = accepted(self.service.app.invitations.show(OPERATOR, address.rpartition("/")[2]))
        return record.invitation.state

    def buttons(self, address: str) -> list[str | None]:
        """Return the names of the buttons on a page, but for that of signing out."""
        named = [button.get("name") for button in self.visitor.page(address).all("button")]
        return [name for name in named if name and name != "sign-out"]


@pytest.fixture
def shop(service: Service) -> Shop:
    return Shop(service)


def test_a_new_shop_is_told_how_to_report_its_first_order(shop: Shop) -> None:
    owner = signed_in(shop.service, shop.site, f"owner-{shop.site}@example.com")
    owner.get("/dashboard/sessions?language=en")
    integrations = f"/dashboard/{shop.site}/integrations"
    for visitor, is_owner in ((shop.visitor, False), (owner, True)):
        answer = visitor.get(shop.list)
        assert "No invitations yet" in words(answer)
        assert ("Go to integrations" in words(answer)) == is_owner
        assert (f'href="{integrations}"' in answer.body.decode()) == is_owner


def test_filters_are_in_the_address_and_pages_miss_nothing(shop: Shop) -> None:
    addresses = [shop.report(f"N-{number}") for number in range(120)]
    for address in addresses[::10]:
        shop.service.app.invitations.cancel(OPERATOR, address.rpartition("/")[2])
    assert shop.numbers() == [f"N-{number}" for number in reversed(range(120))]
    assert shop.numbers(state="cancelled") == [f"N-{number}" for number in reversed(range(0, 120, 10))]
    assert shop.numbers(state="scheduled", order="") == [f"N-{n}" for n in reversed(range(120)) if n % 10]
    assert shop.numbers(order=" N-7 ") == ["N-7"]
    page = shop.visitor.page(f"{shop.list}?state=sent&order=N-7")
    assert [each["value"] for each in page.all("option") if "selected" in each] == ["sent"]
    assert "N-7" in [each.get("value") for each in page.all("input")]
    assert "No invitations found" in page.words


@pytest.mark.parametrize("query", ["state=x", "before=x", "before="])
def test_an_address_that_asks_for_no_list_is_not_found(shop: Shop, query: str) -> None:
    assert shop.visitor.get(f"{shop.list}?{query}").status == 404
    assert shop.visitor.get(f"{shop.list}/x").status == 404


@pytest.mark.parametrize("order", ["%00", "N-1%00b"])
def test_a_number_that_no_order_can_have_lists_nothing(shop: Shop, order: str) -> None:
    shop.report("N-1")
    assert "No invitations found" in shop.visitor.page(f"{shop.list}?order={order}").words
    export = shop.visitor.get(f"{shop.list}.csv?order={order}")
    assert (export.status, len(export.body.splitlines())) == (200, 1)


def test_an_invitation_is_sent_before_its_time(shop: Shop) -> None:
    address = shop.report("N-1")
    assert f'href="{address}/send-now"' in shop.visitor.get(address).body.decode()
    assert "Send the invitation now?" in words(shop.visitor.get(f"{address}/send-now"))
    assert shop.buttons(f"{address}/send-now") == ["send-now"]
    assert "at the scheduled time" in words(shop.visitor.get(address))  # asking changes nothing
    due = where(shop.visitor.post(f"{address}/send-now"))
    assert due == f"{address}?done=due"
    shown = words(shop.visitor.get(address))
    assert "as soon as possible" in shown
    assert "at the scheduled time" not in shown
    assert "Scheduled for" not in shown
    assert shop.buttons(address) == ["cancel"]
    shop.service.app.delivery.once()
    assert shop.state(address) is State.SENT
    assert "Send the invitation now?" not in words(shop.visitor.get(f"{address}/send-now"))


def test_the_list_says_when_each_was_sent_and_whether_a_review_followed(shop: Shop) -> None:
    app = shop.service.app
    reviewed, sent, waiting = shop.report("N-1", delay=0), shop.report("N-2", delay=0), shop.report("N-3")
    shop.service.clock.advance(timedelta(minutes=1))
    app.delivery.once()
    link = app.reviews.write(token_of(app, reviewed.rpartition("/")[2], Purpose.REVIEW), ReviewDraft(rating=5))
    assert isinstance(link, ReviewLink)
    assert link.review
    answer, now = shop.visitor.get(shop.list), shop.service.clock.now().isoformat()
    shown = [each["datetime"] for each in Page(answer.body).all("time")]
    assert shown.count(now) == 4  # both that were sent, in narrow and in wide windows
    assert words(answer).count("Reviewed") == 1
    assert f'href="/dashboard/{shop.site}/reviews/{link.review.review_id}"' in shop.visitor.get(reviewed).body.decode()
    for address in (sent, waiting):
        assert f"/dashboard/{shop.site}/reviews/" not in shop.visitor.get(address).body.decode()
    exported = csv.DictReader(io.StringIO(shop.visitor.get(f"{shop.list}.csv").body.decode("utf-8-sig")))
    listed = {each["order_number"]: (each["sent_at"], each["reviewed"]) for each in exported}
    assert listed == {"N-1": (now, "true"), "N-2": (now, "false"), "N-3": ("", "false")}


def test_an_order_names_the_key_that_reported_it(shop: Shop) -> None:
    app = shop.service.app
    key = accepted(app.api_keys.create(shop.site, "Webshop & Zn."))
    report = accepted(app.orders.report(key.secret, an_order_report(order_number="N-1")))
    for address in (shop.list, f"{shop.list}/{report.invite_id}"):
        assert "The API: Webshop & Zn." in words(shop.visitor.get(address))


def test_the_history_says_who_brought_sending_forward(shop: Shop) -> None:
    by_member, by_operator, waiting = (shop.report(f"N-{number}") for number in range(3))
    shop.visitor.post(f"{by_member}/send-now")
    accepted(shop.service.app.invitations.send_now(OPERATOR, by_operator.rpartition("/")[2]))
    owner = signed_in(shop.service, shop.site, f"owner-{shop.site}@example.com")
    owner.get("/dashboard/sessions?language=en")
    for visitor, address, said in (
        (shop.visitor, by_member, "You brought sending forward"),
        (owner, by_member, "A member of your shop brought sending forward"),
        (owner, by_operator, "127.0.0.1 brought sending forward"),
    ):
        page = words(visitor.get(address))
        assert f"Scheduled{said}" in page.partition("History")[2]
        assert f"Reason{said}" in page
    dutch = words(shop.visitor.get(f"{by_member}?language=nl"))
    assert "U hebt het versturen vervroegd" in dutch
    assert "brought sending forward" not in words(owner.get(waiting))


NUMBERS = ["<b>N-1</b> & co", "N-1 \u0645\u0631\u062d\u0628\u0627", "N" * 128, "../members", "1&state=sent#x"]


@pytest.mark.parametrize("number", NUMBERS)
def test_whatever_shops_call_their_orders_is_text(shop: Shop, number: str) -> None:
    address = shop.report(number)
    for each in (shop.list, f"{shop.list}?order={quote(number, safe='')}", address):
        page = shop.visitor.page(each)
        assert number in page.words
        assert "b" not in [tag for tag, _ in page.tags]
    export = next(link["href"] for link in page_links(shop, number) if ".csv" in str(link["href"]))
    assert len(shop.visitor.get(str(export)).body.splitlines()) == 2


def page_links(shop: Shop, number: str) -> list[dict[str, str | None]]:
    return shop.visitor.page(f"{shop.list}?order={quote(number, safe='')}").all("a")


def test_an_order_without_a_number_is_listed(shop: Shop) -> None:
    address = shop.report(None)
    assert address in [link["href"] for link in shop.visitor.page(shop.list).all("a")]
    assert "Order without a number" in words(shop.visitor.get(address))


def test_the_export_has_the_filters_no_address_and_no_formula(shop: Shop) -> None:
    shop.report("N-1", delay=0)
    shop.report("=HYPERLINK(1)")
    shop.service.app.delivery.once()
    answer = shop.visitor.get(f"{shop.list}.csv?state=scheduled")
    text = answer.body.decode("utf-8-sig")
    assert "@" not in text
    (line,) = csv.DictReader(io.StringIO(text))
    assert (line["order_number"], line["state"], line["reason"]) == ("'=HYPERLINK(1)", "scheduled", "reported")
    assert shop.visitor.get(f"{shop.list}.csv?state=x").status == 404


def test_no_page_shows_an_address(shop: Shop) -> None:
    address = shop.report("N-1", delay=0)
    shop.service.app.delivery.once()
    for each in (shop.list, address):
        shown = shop.visitor.get(each).body.decode().replace(f"{shop.site}@example.com", "the member")
        assert "@example.com" not in shown
