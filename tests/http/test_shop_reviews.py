"""The reviews on `GET /shops/<site_id>`, to people and to programs. Spec: §2 (Review and score), §4 (Pages)."""

from __future__ import annotations

import itertools
import json
import re
from datetime import timedelta
from urllib.parse import urljoin

import attrs
import pytest
from tests.http.page_parser import Page
from tests.http.service import Answer, Service, http_request
from tests.http.structured_data import structured_data
from tests.links import token_of

from reviewinvite_core import (
    OPERATOR,
    Actor,
    ClientAddress,
    InvitationQuery,
    NewReply,
    NewShop,
    OrderReport,
    ReviewDraft,
    ShopChanges,
    SiteId,
    SnippetReport,
    accepted,
)
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.testing.builders import NOON
from reviewinvite_core.values import HideReason, Review, ReviewLink, Shop

DAY = timedelta(days=1)
HOSTILE = [
    "</script><img src=x onerror=alert(1)>",
    "<!--<script>",
    "]]></p></article>{{ 7 * 7 }}",
    "a\u2028b\u2029c",
    "مخبز الطاحونة",
    "🎁" * 70,
    "Z\u0336\u030d\u0311a\u0335\u0357l\u0338\u0300go" * 5,
    "'\"&amp;\\u003c\\",
]

_numbers = itertools.count(1)


@attrs.frozen
class Bakery:
    """A shop of its own, and its customers."""

    service: Service
    shop: Shop

    @property
    def site(self) -> str:
        return self.shop.site_id.text

    @property
    def caller(self) -> Actor:
        return accepted(self.service.app.shops.act_for(self.site))

    def link(self, email: str | None = None) -> str:
        """The token in the invitation of a new order."""
        number = next(_numbers)
        order = OrderReport(email=email or f"customer{number}@example.com", order_number=str(number), delay_days=0)
        reported = accepted(self.service.app.orders.report(self.caller, order))
        return token_of(self.service.app, reported.invite_id, Purpose.REVIEW)

    def write(self, rating: int = 5, *, link: str | None = None, **fields: str | None) -> Review:
        written = self.service.app.reviews.write(link or self.link(), ReviewDraft(rating=rating, **fields))
        assert isinstance(written, ReviewLink)
        assert written.review
        return written.review

    def reply(self, review: Review, text: str) -> None:
        accepted(self.service.app.reviews.reply(self.caller, review.review_id, NewReply(text=text)))

    def get(self, address: str = "", **headers: str) -> Answer:
        return http_request(self.service.address, "GET", urljoin(f"/shops/{self.site}", address), **headers)


@pytest.fixture
def bakery(service: Service) -> Bakery:
    service.clock.set(NOON)
    shop = NewShop(site_id=f"reviewed-{next(_numbers)}", name="Bakkerij De Molen")
    return Bakery(service, accepted(service.app.shops.add(shop)))


def words(answer: Answer) -> str:
    return " ".join(Page(answer.body.partition(b"</head>")[2]).words.split())


def texts(answer: Answer) -> list[str]:
    """What customers and shop say, each with its line breaks."""
    found = re.findall(r'<p class="said"[^>]*>.*?</p>', answer.body.decode(), re.DOTALL)
    return [Page(each.encode()).words for each in found]


def links(answer: Answer) -> dict[str, str]:
    """Where links lead, by their words."""
    found = re.findall(r"<a ([^>]*)>(.*?)</a>", answer.body.decode())
    return {text: str(Page(f"<a {written}>".encode()).all("a")[0]["href"]) for written, text in found}


def test_a_review_is_told_with_all_that_belongs_to_it(bakery: Bakery) -> None:
    link = bakery.link()
    bakery.write(3, link=link, text="Goed.", author="Anna")
    bakery.service.clock.advance(DAY)
    review = bakery.write(4, link=link, text="Snel geleverd.\nLekker brood!", author="Anna")
    bakery.service.clock.advance(DAY)
    bakery.reply(review, "Dank u!\nTot ziens.")
    dutch, english = bakery.get(), bakery.get("?language=en")
    assert (
        "Anna Geverifieerde bestelling 2 maart 2026 (gewijzigd op 3 maart 2026) 4 van 5 Snel geleverd. Lekker brood! "
        "Reactie van Bakkerij De Molen 4 maart 2026 Dank u! Tot ziens."
    ) in words(dutch)
    assert (
        "Anna Verified order 2 March 2026 (edited on 3 March 2026) 4 out of 5 Snel geleverd. Lekker brood! "
        "Reply from Bakkerij De Molen 4 March 2026 Dank u! Tot ziens."
    ) in words(english)
    for answer in (dutch, english):
        assert texts(answer) == ["Snel geleverd.\nLekker brood!", "Dank u!\nTot ziens."]
        assert re.findall(r'<time datetime="(.*?)">', answer.body.decode()) == [
            "2026-03-02",
            "2026-03-03",
            "2026-03-04",
        ]
    assert '<p class="said" dir="auto" lang="nl">' in english.body.decode()
    assert b"@example.com" not in dutch.body


def test_without_a_name_it_is_by_a_customer_and_without_a_text_there_is_none(bakery: Bakery) -> None:
    bakery.write(5)
    assert "Een klant van Bakkerij De Molen Geverifieerde bestelling 2 maart 2026 5 van 5" in words(bakery.get())
    assert "A customer of Bakkerij De Molen Verified order 2 March 2026 5 out of 5" in words(bakery.get("?language=en"))
    assert texts(bakery.get()) == []


def test_the_score_is_told_for_both_spans_and_by_rating(bakery: Bakery) -> None:
    for rating in (1, 5):
        bakery.write(rating)
    bakery.service.clock.advance(364 * DAY)
    for rating in (5, 5, 4):
        bakery.write(rating)
    assert "4,00 van 5 Op basis van 5 beoordelingen in de laatste 12 maanden." in words(bakery.get())
    bakery.service.clock.advance(DAY)
    answer = bakery.get("?language=en")
    assert "4.67 out of 5 Based on 3 reviews in the last 12 months." in words(answer)
    assert "All time: 4.00 out of 5, based on 5 reviews." in words(answer)
    assert "All reviews by rating 5 stars 3 4 stars 1 3 stars 0 2 stars 0 1 star 1" in words(answer)
    assert re.findall(r'<rect class="full" width="([0-9.]+)"', answer.body.decode()) == [
        "60.0",
        "20.0",
        "0.0",
        "0.0",
        "20.0",
    ]
    assert float(re.findall(r'<svg width="([0-9.]+)" height="24">', answer.body.decode())[0]) == pytest.approx(112.08)
    assert [each["scope"] for each in Page(answer.body).all("th")] == ["row"] * 5


def test_one_review_is_told_in_the_singular_and_an_old_one_as_old(bakery: Bakery) -> None:
    bakery.write(5)
    assert "5,00 van 5 Op basis van één beoordeling in de laatste 12 maanden." in words(bakery.get())
    assert "All time" not in words(bakery.get("?language=en"))  # it would say the same again
    bakery.service.clock.advance(365 * DAY)
    assert "Geen beoordelingen in de laatste 12 maanden. Sinds het begin: 5,00 van 5" in words(bakery.get())


@pytest.mark.parametrize(
    ("query", "said"),
    [
        (
            "",
            [
                "Alleen mensen die we hebben uitgenodigd nadat ons een bestelling was gemeld.",
                "rechtstreeks, of een script op de bevestigingspagina doet dat",
                "Dat er een bestelling was, weten we alleen uit deze meldingen.",
                "De winkel bepaalt welke bestellingen ze meldt",
                "en kan een uitnodiging annuleren voordat die is verstuurd",
                "Elke mening wordt geplaatst. Meteen en volledig, goed of slecht.",
                "Verborgen beoordelingen tellen niet mee.",
                "Een ingetrokken beoordeling is weg en telt niet mee.",
                "Geen beloning.",
                "De score is het gemiddelde van de geplaatste beoordelingen van de laatste 12 maanden",
            ],
        ),
        (
            "?language=en",
            [
                "Only people we invited after an order was reported to us.",
                "directly, or a script on its confirmation page does",
                "We know only from these reports that there was an order.",
                "The shop decides which orders it reports",
                "and it can cancel an invitation before it is sent",
                "Every opinion is published. Immediately and in full, good or bad.",
                "Hidden reviews do not count.",
                "A withdrawn review is gone and does not count.",
                "No rewards.",
                "The score is the average of the published reviews of the last 12 months",
            ],
        ),
    ],
)
def test_it_says_how_reviews_are_collected_and_checked_also_before_there_is_one(
    bakery: Bakery, query: str, said: list[str]
) -> None:
    for sentence in said:
        assert sentence in words(bakery.get(query))
    bakery.write()
    for sentence in said:
        assert sentence in words(bakery.get(query))


def test_what_is_hidden_withdrawn_or_erased_is_nowhere_and_comes_back_only_when_shown_again(bakery: Bakery) -> None:
    app = bakery.service.app
    stays = bakery.write(5, text="stays")
    hidden = bakery.write(1, text="hidden words", author="Hidden Name")
    bakery.reply(hidden, "hidden reply")
    link = bakery.link()
    bakery.write(1, link=link, text="withdrawn words", author="Withdrawn Name")
    bakery.write(1, link=bakery.link("gone@example.com"), text="erased words", author="Erased Name")
    assert structured_data(bakery.get().body)["aggregateRating"]["reviewCount"] == 4  # type: ignore[index]

    app.reviews.hide(hidden.review_id, HideReason.INSULT)
    app.reviews.withdraw(link)
    app.privacy.erase_address("gone@example.com")
    answer = bakery.get()
    for word in (b"idden words", b"idden Name", b"idden reply", b"ithdrawn", b"rased", b"nsult"):
        assert word not in answer.body
    assert texts(answer) == ["stays"]
    told = structured_data(answer.body)
    assert told
    assert [each["reviewBody"] for each in told["review"]] == ["stays"]
    assert told["aggregateRating"]["ratingValue"] == "5.00"
    assert "van één beoordeling" in words(answer)

    app.reviews.show_again(hidden.review_id)
    assert sorted(texts(bakery.get())) == ["hidden reply", "hidden words", "stays"]
    app.reviews.hide(hidden.review_id, HideReason.SPAM)
    app.reviews.hide(stays.review_id, HideReason.SPAM)
    assert "Er zijn nog geen beoordelingen." in words(bakery.get())
    assert structured_data(bakery.get().body) is None


def test_the_other_language_is_that_of_the_same_reviews_and_stays(bakery: Bakery) -> None:
    for number in range(41):
        bakery.write(text=f"review {number}")
        bakery.service.clock.advance(DAY)
    older = links(bakery.get())["Oudere beoordelingen"].partition("#")[0]
    english = bakery.get(links(bakery.get(older))["English"])
    assert (english.headers["Content-Language"], texts(english)) == ("en", texts(bakery.get(older)))
    oldest = bakery.get(links(english)["Older reviews"].partition("#")[0])
    assert (oldest.headers["Content-Language"], texts(oldest)) == ("en", ["review 0"])
    assert bakery.get(links(oldest)["Back to the newest"].partition("#")[0]).headers["Content-Language"] == "en"
    assert bakery.get(links(english)["Nederlands"]).headers["Content-Language"] == "nl"


def test_each_page_names_the_one_address_that_it_is_to_be_found_under(bakery: Bakery) -> None:
    for _ in range(21):
        bakery.write()
    address = f"http://127.0.0.1:8000/shops/{bakery.site}"
    after = links(bakery.get())["Oudere beoordelingen"].partition("#")[0].removeprefix("?")
    for query, canonical in {
        "": "",
        "?language=nl": "",
        "?language=de&x=1": "",
        "?language=en": "?language=en",
        f"?{after}": f"?{after}",
        f"?{after}&language=en": f"?language=en&{after}",
    }.items():
        found = Page(bakery.get(query).body).all("link")
        (told,) = (each["href"] for each in found if each["rel"] == "canonical")
        assert told == address + canonical
        others = {each["hreflang"]: each["href"] for each in found if each["rel"] == "alternate"}
        assert told in others.values()
        assert others.keys() == {"nl", "en"}


@pytest.mark.parametrize("after", ["x", "1-2", "%00", "-", "6-" + "g" * 32, "F" * 15 + "-" + "0" * 32, "1" * 4000])
def test_an_address_that_was_never_given_out_has_no_page(bakery: Bakery, after: str) -> None:
    bakery.write()
    answer = bakery.get(f"?after={after}")
    assert (answer.status, answer.headers["Cache-Control"]) == (404, "no-store")
    assert "Deze pagina bestaat niet" in words(answer)


def test_past_the_last_review_there_are_no_older_ones(bakery: Bakery) -> None:
    bakery.write(text="the only one")
    answer = bakery.get(f"?after=1-{'0' * 32}")
    assert (answer.status, texts(answer)) == (200, [])
    assert "Er zijn geen oudere beoordelingen." in words(answer)
    told = structured_data(answer.body)
    assert told
    assert "review" not in told
    assert "Terug naar de nieuwste" in links(answer)
    assert bakery.get("?after=").body == bakery.get().body


def test_programs_are_told_the_same_by_the_rules_of_schema_org(bakery: Bakery) -> None:
    assert structured_data(bakery.get().body) is None
    bakery.write(4, text="Prima.\nEcht.", author="Anna")
    bakery.service.clock.advance(DAY)
    bakery.write(5)
    assert structured_data(bakery.get("?language=en").body) == {
        "@type": "Organization",
        "@id": f"http://127.0.0.1:8000/shops/{bakery.site}",
        "name": "Bakkerij De Molen",
        "aggregateRating": {
            "@type": "AggregateRating",
            "ratingValue": "4.50",
            "reviewCount": 2,
            "ratingExplanation": "Reviews of verified orders: 2 of 2.",
            "bestRating": 5,
            "worstRating": 1,
        },
        "review": [
            {
                "@type": "Review",
                "author": {"@type": "Person", "name": "A customer of Bakkerij De Molen"},
                "datePublished": "2026-03-03",
                "inLanguage": "nl",
                "keywords": "Verified order",
                "reviewRating": {"@type": "Rating", "ratingValue": "5", "bestRating": 5, "worstRating": 1},
            },
            {
                "@type": "Review",
                "author": {"@type": "Person", "name": "Anna"},
                "datePublished": "2026-03-02",
                "inLanguage": "nl",
                "keywords": "Verified order",
                "reviewBody": "Prima.\nEcht.",
                "reviewRating": {"@type": "Rating", "ratingValue": "4", "bestRating": 5, "worstRating": 1},
            },
        ],
    }


def test_a_review_that_only_a_snippet_led_to_is_nowhere_called_verified(bakery: Bakery) -> None:
    app = bakery.service.app
    accepted(app.domains.add(bakery.site, "made-up.example.nl", assume_verified=True))
    order = SnippetReport(
        site_id=SiteId.parse(bakery.site), order=OrderReport(email="nobody@example.com", order_number="made-up")
    )
    app.orders.report_from_snippet(ClientAddress("203.0.113.9"), "https://made-up.example.nl", order)
    query = InvitationQuery(site_id=bakery.site, order_number="made-up")
    [record] = accepted(app.invitations.list(OPERATOR, query)).invitations
    app.reviews.write(token_of(app, record.invitation.invite_id, Purpose.REVIEW), ReviewDraft(rating=1))
    bakery.write(5)
    dutch, english = bakery.get(), bakery.get("?language=en")
    assert "laatste 12 maanden. Beoordelingen van geverifieerde bestellingen: 1 van 2." in words(dutch)
    assert "Uitgenodigd via de website van de winkel 2 maart 2026 1 van 5" in words(dutch)
    assert "Invited via the shop’s website 2 March 2026 1 out of 5" in words(english)
    told = structured_data(english.body)
    assert told
    assert told["aggregateRating"]["ratingExplanation"] == "Reviews of verified orders: 1 of 2."
    notes = {each["reviewRating"]["ratingValue"]: each["keywords"] for each in told["review"]}
    assert notes == {"1": "Invited via the shop’s website", "5": "Verified order"}


@pytest.mark.parametrize("text", HOSTILE)
def test_what_people_write_is_text_and_nothing_else(bakery: Bakery, text: str) -> None:
    name = author = text.replace("\u2028", "").replace("\u2029", "")  # neither has line separators
    bakery.service.app.shops.update(bakery.site, ShopChanges(name=name))
    review = bakery.write(text=f"{text}\n{text}", author=author)
    bakery.reply(review, text)
    answer = bakery.get()
    (written,) = accepted(bakery.service.app.reviews.show_public(bakery.site, None)).reviews
    assert written.text
    assert written.reply
    assert texts(answer) == [written.text, written.reply.text]
    assert written.text.count("\n") == 1
    found = Page(answer.body)
    assert f"Reactie van {name} " in found.words
    assert len(found.all("bdi")) == 4  # the heading, the writer, who replies; and the service
    assert not {tag for tag, _ in found.tags} & {"img", "i", "iframe"}
    assert [each.get("type") for each in found.all("script")] == ["application/ld+json"]
    told = structured_data(answer.body)
    assert told
    assert told["name"] == name
    assert told["review"][0]["reviewBody"] == written.text
    assert told["review"][0]["author"]["name"] in {author, f"Een klant van {name}"}


def test_badge_statement_and_page_have_a_review_within_5_minutes(bakery: Bakery) -> None:
    service = bakery.service

    def told() -> tuple[str | None, str | None, bool]:
        badge = http_request(service.address, "GET", f"/w/{bakery.site}.js")
        statement = http_request(service.address, "GET", f"/v1/verify/{bakery.site}")
        assert all(each.status == 200 for each in (badge, statement, bakery.get()))
        assert {each.headers["Cache-Control"].split(", ")[1] for each in (badge, statement, bakery.get())} == {
            "max-age=300"
        }
        mean = re.search(rb'"mean":(null|"[0-9.]+")', badge.body)
        assert mean
        rating = json.loads(statement.body)["statement"]["rating"]
        return json.loads(mean[1]), rating["mean"], b"4,50" in bakery.get().body

    assert told() == (None, None, False)
    bakery.write(4)
    link = bakery.link()
    bakery.write(5, link=link)
    service.clock.advance(timedelta(minutes=5))
    assert told() == ("4.50", "4.50", True)
    service.app.reviews.withdraw(link)
    service.clock.advance(timedelta(minutes=5))
    assert told() == ("4.00", "4.00", False)


def test_a_change_is_seen_at_once_by_who_has_kept_nothing(bakery: Bakery) -> None:
    link = bakery.link()
    first = bakery.write(4, link=link, text="one")
    assert texts(bakery.get()) == ["one"]
    bakery.write(4, link=link, text="two")
    assert texts(bakery.get()) == ["two"]
    bakery.reply(first, "thanks")
    assert texts(bakery.get()) == ["two", "thanks"]
    bakery.service.app.shops.update(bakery.site, ShopChanges(name="De Nieuwe Molen"))
    assert "De Nieuwe Molen" in words(bakery.get())


def test_who_has_the_page_already_is_sent_nothing_until_it_says_something_else(bakery: Bakery) -> None:
    bakery.write(4)
    for encoding in ("identity", "gzip"):
        first = bakery.get(Accept_Encoding=encoding)
        assert first.headers.get("Content-Encoding", "identity") == encoding
        assert first.headers["Vary"] == "Accept-Encoding"
        again = bakery.get(Accept_Encoding=encoding, If_None_Match=first.headers["ETag"])
        assert (again.status, again.body) == (304, b"")
        assert again.headers["Cache-Control"] == "public, max-age=300"
        bakery.write(5)
        later = bakery.get(Accept_Encoding=encoding, If_None_Match=first.headers["ETag"])
        assert later.status == 200
        assert later.headers["ETag"] != first.headers["ETag"]
