"""`/dashboard/<site_id>/`: what is left to do, the year in figures, and what is wrong, each with a way to mend it."""

from __future__ import annotations

import itertools
from datetime import timedelta

import attrs
import pytest
from tests.builders import a_domain
from tests.http.dashboard import Visitor, signed_in, words
from tests.http.page_parser import Page
from tests.http.service import Service
from tests.links import token_of

from reviewinvite_core import Actor, NewShop, OrderReport, Reported, ReviewDraft, Role, ShopChanges, accepted
from reviewinvite_core.domain.links import Purpose

_numbers = itertools.count(1)


@attrs.frozen
class Shop:
    """A shop of the test's own, and what happens to it."""

    service: Service
    site: str
    path: str

    @property
    def caller(self) -> Actor:
        return accepted(self.service.app.shops.act_for(self.site))

    def report(self, number: int = 1) -> str:
        """Report an order that is due at once; return the id of its invitation."""
        order = OrderReport(email=f"c{number}@example.com", order_number=str(number), delay_days=0)
        reported = self.service.app.orders.report(self.caller, order)
        assert isinstance(reported, Reported)
        return reported.invite_id

    def deliver(self) -> None:
        self.service.clock.advance(timedelta(seconds=1))
        self.service.app.delivery.once()

    def review(self, invite_id: str, rating: int) -> None:
        token = token_of(self.service.app, invite_id, Purpose.REVIEW)
        self.service.app.reviews.write(token, ReviewDraft(rating=rating))


@pytest.fixture
def shop(service: Service) -> Shop:
    site = f"new-shop-{next(_numbers)}"
    service.app.shops.add(NewShop(site_id=site, name="De Molen"))
    return Shop(service, site, f"/dashboard/{site}/")


@pytest.fixture
def owner(shop: Shop) -> Visitor:
    return signed_in(shop.service, shop.site, f"owner-of-{shop.site}@example.com")


def links_of(page: Page) -> set[str]:
    return {each["href"] or "" for each in page.all("a")}


def test_domains_that_wait_are_named_with_what_to_do_next(shop: Shop, owner: Visitor) -> None:
    english = f"{shop.path}?language=en"
    assert "Add a domain" in words(owner.get(english))
    hosts = [f"ya-{shop.site}.example", f"bücher-{shop.site}.example", f"yc-{shop.site}.example"]
    accepted(shop.service.app.domains.add(shop.site, hosts[0]))
    one = words(owner.get(english))
    assert "1 domain is waiting for its proof: publish the TXT record or the file" in one
    assert "See what to publish" in one
    assert "Add a domain" not in one
    assert f"{hosts[0]} is not verified yet." in one
    for host in (*hosts[1:], f"yd-{shop.site}.example", f"ye-{shop.site}.example"):
        accepted(shop.service.app.domains.add(shop.site, host))
    many = words(owner.get(english))
    assert "5 domains are waiting for their proof" in many
    first, more = many.partition("These domains are not verified yet: ")[2].partition(" and 2 more.")[:2]
    assert more
    assert len(first.split(", ")) == 3
    assert hosts[1] in first.split(", ")
    assert "xn--" not in many


def test_who_may_not_do_the_steps_sees_them_without_links(shop: Shop) -> None:
    staff = signed_in(shop.service, shop.site, f"staff-of-{shop.site}@example.com", Role.STAFF)
    page = staff.page(shop.path)
    assert "Een eigenaar van de winkel kan de overige stappen afronden." in page.words
    assert not [link for link in links_of(page) if "/integrations" in link]


def test_a_running_shop_sees_its_year(shop: Shop, owner: Visitor) -> None:
    first, *_ = [shop.report(number) for number in range(4)]
    shop.deliver()
    shop.review(first, 4)
    answer = owner.get(shop.path)
    text = words(answer).replace(" ", "")
    assert "Verstuurdeuitnodigingen4indeafgelopen52weken" in text
    assert "Beoordelingenper100uitnodigingen25,01op4,indelaatste52weken" in text
    assert "Score4,00uit1beoordelingin12maanden,zoalsopdebadge" in text
    assert "5sterren04sterren13sterren0" in text
    assert "Verstuurd4" in text
    assert answer.body.count(b'<tr><th scope="row" class="whole">') == 52
    assert answer.body.count(b'class="chart-dot"') == 2  # that of the key and that of the week
    assert b"style=" not in answer.body


def test_the_figures_are_written_as_the_reader_writes_them(shop: Shop, owner: Visitor) -> None:
    first = shop.report()
    shop.deliver()
    shop.review(first, 5)
    assert "Gemiddelde score per week" in owner.page(shop.path).words
    english = owner.page(f"{shop.path}?language=en").words
    assert "Average rating by week" in english
    assert "Reviewsper100invitations100.0" in "".join(english.split())


def test_what_is_wrong_is_said_with_the_way_to_mend_it(shop: Shop, owner: Visitor) -> None:
    domain = a_domain(shop.caller.shop_number, f"lost-{shop.site}.example", lost_at=shop.service.clock.now())
    storage = shop.service.app.delivery._transactions()
    storage.run(lambda work: work.store.domains.add(domain))
    storage.run(
        lambda work: work.store.shops.change(
            attrs.evolve(accepted(shop.service.app.shops.show(shop.site)), requested_name="<b>Nieuw</b>")
        )
    )
    page = owner.page(shop.path)
    text = " ".join(page.words.split())
    assert f"lost-{shop.site}.example is niet meer geverifieerd" in text
    assert "De nieuwe naam <b>Nieuw</b> wacht op goedkeuring" in text
    assert {f"/dashboard/{shop.site}/integrations#domains", f"/dashboard/{shop.site}/settings"} <= links_of(page)


def test_it_leads_to_the_public_page(shop: Shop, owner: Visitor) -> None:
    assert f"{shop.service.app.base_url}/shops/{shop.site}" in links_of(owner.page(shop.path))


def test_an_inactive_shop_can_still_be_looked_at(shop: Shop, owner: Visitor) -> None:
    accepted(shop.service.app.shops.update(shop.site, ShopChanges(active=False)))
    assert "Deze winkel is niet actief" in owner.page(shop.path).words
