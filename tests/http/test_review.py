"""`/r/<token>`: a page that changes nothing when it is looked at, and a form that writes one review. Spec: §4, §6."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import count
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given, strategies as st
from tests.http.page_parser import FORM, Page
from tests.http.service import SITE, Answer, Deployment, Service, http_request, state_of
from tests.http.serving import serving
from tests.links import token_of

from reviewinvite_core import (
    OPERATOR,
    InvitationQuery,
    Language,
    NewReply,
    OrderReport,
    ReviewDraft,
    ReviewQuery,
    ReviewState,
    ShopChanges,
    accepted,
)
from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.policy import LARGEST_FORM
from reviewinvite_core.ports import AnswerLost, Message, RefusedForNow, Rejected, Staged, Unreachable
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.values import HideReason, Problem, Review
from reviewinvite_http.pages.review.form import WHOLE, decode_review
from reviewinvite_http.pages.review.handlers import _rendered_first_page

DAY = timedelta(days=1)
PUBLIC = "Iedereen kan deze nu lezen op de openbare pagina van Bakkerij De Molen."

_numbers = count(1)
HOSTILE = {
    "a script": '</textarea><script>alert("x")</script><!--',
    "a template": "{{ 7 * 7 }}{% raw %}",
    "an attribute": "\"'><img src=x onerror=alert(1)>&amp;&#39;",
    "from right to left": "مخبز \u05d0\u05d1\u05d2",
    "pictures": "🍞👩‍👩‍👧‍👧🏳️‍🌈",
    "other ends of lines": "a\u2028b",
    "a leading line": "x\n\n y",
}


HOME = "http://127.0.0.1:8000/"
SWITCH = {"form": "review", "name": "action", "value": "show"}


class UnconfirmedMailer:
    """A mailer that delivers every message; while `answers` is false, its server's confirmation is lost."""

    def __init__(self) -> None:
        self.answers = True
        self._recording = RecordingMailer()

    @property
    def messages(self) -> Sequence[Message]:
        return self._recording.messages

    async def stage(self, message: Message) -> Staged | RefusedForNow | Rejected | Unreachable:
        staged = await self._recording.stage(message)
        if self.answers or isinstance(staged, RefusedForNow | Rejected | Unreachable):
            return staged
        return Unconfirmed(staged)

    async def close(self) -> None:
        await self._recording.close()


class Unconfirmed:
    """A staged message whose confirmation is lost."""

    def __init__(self, staged: Staged) -> None:
        self._staged = staged

    async def commit(self) -> AnswerLost:
        await self._staged.commit()
        return AnswerLost()

    def abandon(self) -> None:
        self._staged.abandon()


MAILER = UnconfirmedMailer()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A server whose mail server may leave its answer out."""
    with serving(mailer=MAILER, handover_mark=tmp_path_factory.mktemp("service") / "reviewinvite.mark") as service:
        service.app.shops.add(a_shop(SITE))
        yield service


@pytest.fixture
def invite_id(service: Service) -> str:
    return sent(service)


@pytest.fixture
def path(service: Service, invite_id: str) -> str:
    return path_of(service, invite_id)


def sent(service: Service, *, answered: bool = True, **fields: Any) -> str:
    """Return the id of an invitation sent just now, to a new address each time."""
    number = next(_numbers)
    order = an_order_report(f"customer{number}@example.com", order_number=f"N{number}", delay_days=0, **fields)
    invite_id = reported(service, order)
    MAILER.answers = answered
    service.app.delivery.once()
    MAILER.answers = True
    return invite_id


def reported(service: Service, order: OrderReport) -> str:
    """Return the id of the invitation of an order."""
    return accepted(service.app.orders.report(accepted(service.app.shops.act_for(SITE)), order)).invite_id


def order_number_of(service: Service, invite_id: str) -> str | None:
    return accepted(service.app.invitations.show(OPERATOR, invite_id)).invitation.order_number


def path_of(service: Service, invite_id: str) -> str:
    return f"/r/{token_of(service.app, invite_id, Purpose.REVIEW)}"


def get(service: Service, path: str) -> Answer:
    return http_request(service.address, "GET", path)


def post(
    service: Service, path: str, body: bytes | None = None, content_type: str | None = FORM, /, **form: str
) -> Answer:
    headers = {"Content_Type": content_type} if content_type else {}
    return http_request(service.address, "POST", path, urlencode(form).encode() if body is None else body, **headers)


def review_of(service: Service, path: str) -> Review:
    review = review_or_none(service, path)
    assert review is not None
    return review


def review_or_none(service: Service, path: str) -> Review | None:
    link = service.app.reviews.show_link(path.removeprefix("/r/"))
    assert link is not None
    return link.review


def words(answer: Answer) -> str:
    visible = re.sub(rb"<(style|script)>.*?</\1>", b"", answer.body, flags=re.DOTALL)
    return " ".join(Page(visible).words.split())


def stored(service: Service) -> object:
    """All that reviews and invitations are."""
    return (
        service.app.reviews.list(ReviewQuery(limit=1000)),
        service.app.invitations.list(OPERATOR, InvitationQuery(limit=1000)),
        service.app.privacy.list_suppressions(1000),
    )


class Fields(Page):
    """What is filled in, as a browser would send it."""

    def __init__(self, body: bytes) -> None:
        self.text: str | None = None
        self.inside = False
        super().__init__(body)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        super().handle_starttag(tag, attrs)
        if tag == "textarea":
            self.inside, self.text = True, ""

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "textarea"

    def handle_data(self, data: str) -> None:
        super().handle_data(data)
        if self.inside and self.text is not None:
            self.text += data

    @property
    def typed(self) -> dict[str, str | None]:
        chosen = [each["value"] for each in self.all("input") if "checked" in each]
        (author,) = [each["value"] for each in self.all("input") if each["name"] == "author"]
        assert self.text is not None
        return {"rating": chosen[0] if chosen else None, "text": self.text.removeprefix("\n"), "author": author}


class Unsaved(Fields):
    """What is given back because it was not stored."""

    @property
    def sent_again(self) -> dict[str, str | None]:
        """What the form sends once more, as a browser would."""
        hidden = {str(each["name"]): each["value"] for each in self.all("input") if each["type"] == "hidden"}
        return hidden if self.text is None else {**hidden, "text": self.text.removeprefix("\n")}


def test_the_page_asks_for_stars_a_text_and_a_name_and_says_what_becomes_of_them(
    service: Service, invite_id: str, path: str
) -> None:
    answer = get(service, path)
    page = Page(answer.body)
    assert (answer.status, answer.headers["Content-Language"]) == (200, "nl")
    assert page.all("html") == [{"lang": "nl"}]
    assert page.all("form") == [{"method": "post", "novalidate": None, "class": "review card", "id": "review"}]
    ratings = [each for each in page.all("input") if each["type"] == "radio"]
    assert [(each["name"], each["value"]) for each in ratings] == [("rating", str(n)) for n in range(1, 6)]
    assert {each["for"] for each in page.all("label")} == {f"rating-{n}" for n in range(1, 6)} | {"text", "author"}
    for told in (
        "Hoe was uw bestelling bij Bakkerij De Molen?",
        f"uw bestelling {order_number_of(service, invite_id)} bij Bakkerij De Molen",
        "Wij, 127.0.0.1, plaatsen uw sterren, tekst en naam op de openbare pagina van de winkel",
        "Uw e-mailadres staat er nergens bij.",
        "“een klant van Bakkerij De Molen”",
    ):
        assert told in words(answer)
    shop = f"http://127.0.0.1:8000/shops/{SITE}"
    assert [each["href"] for each in page.all("a")] == [HOME, shop]
    english = Page(get(service, f"{path}?language=en").body)
    assert [each["href"] for each in english.all("a")] == [HOME, f"{shop}?language=en"]
    for shown, other in ((page, "en"), (english, "nl")):
        [switch] = [each for each in shown.all("button") if "formaction" in each]
        assert switch == {**SWITCH, "formaction": f"?language={other}", "lang": other}


def test_each_customer_sees_the_own_order_and_the_shop_as_it_is_now(service: Service) -> None:
    before = accepted(service.app.shops.show(SITE)).name
    numbers = ["1", "2026-7", "A/2_b", None, "{{ 2 }}", "1"]
    paths = []
    for place, number in enumerate(numbers):
        order = an_order_report(f"own{place}@example.com", order_number=number, delay_days=0)
        paths.append(path_of(service, reported(service, order)))
    tags = [tag for tag, _ in Page(get(service, paths[-1]).body).tags]
    try:
        for name in (before, "Molen \ue000"):
            service.app.shops.update(SITE, ShopChanges(name=name))
            for path, number in zip(paths[:3], numbers[:3], strict=True):
                answer = get(service, path)
                assert [tag for tag, _ in Page(answer.body).tags] == tags
                assert f"uw bestelling {number} bij {name}." in words(answer)
            assert "uw bestelling bij" in words(get(service, paths[3]))
            assert "uw bestelling bij" in words(get(service, paths[4]))
    finally:
        service.app.shops.update(SITE, ShopChanges(name=before))


def test_a_page_on_which_nothing_is_written_yet_is_drawn_once_for_all_of_a_shops_customers(service: Service) -> None:
    get(service, path_of(service, sent(service)))
    drawn = _rendered_first_page.cache_info().misses
    for _ in range(3):
        service.clock.advance(timedelta(seconds=1))
        assert get(service, path_of(service, sent(service))).status == 200
    assert _rendered_first_page.cache_info().misses == drawn


def test_every_answer_has_the_headers_that_forbid_all_else(service: Service, path: str) -> None:
    answers = [
        get(service, path),
        post(service, path),
        post(service, path, rating="5"),
        get(service, f"{path}?done=yes"),
        get(service, "/r/x"),
        post(service, "/r/x", rating="5"),
        post(service, path, b"x" * (LARGEST_FORM + 1)),
        post(service, path, b"{}", "application/json"),
        http_request(service.address, "PUT", path),
    ]
    assert [answer.status for answer in answers] == [200, 422, 303, 200, 404, 404, 413, 415, 405]
    for answer in answers:
        (policy,) = answer.headers.get_all("Content-Security-Policy", [])
        assert policy.startswith("default-src 'none'; ")
        assert policy.endswith("; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
        for tag in ("style", "script"):
            for text in re.findall(rb"<%b>(.*?)</%b>" % (tag.encode(), tag.encode()), answer.body, re.DOTALL):
                digest = base64.b64encode(hashlib.sha256(text).digest()).decode()
                assert f"; {tag}-src 'sha256-{digest}';" in policy
        assert "unsafe" not in policy
        body = answer.body.partition(b"<body>")[2].partition(b"<script>")[0]
        assert not re.search(rb"url\(|@import|\son\w+=|\sstyle=|\ssrc=", body)
        expected = {
            "Content-Type": "text/html; charset=utf-8",
            "Referrer-Policy": "no-referrer",
            "X-Robots-Tag": "noindex",
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Set-Cookie": None,
        }
        assert {name: answer.headers.get_all(name) for name in expected} == {
            name: [value] if value else None for name, value in expected.items()
        }


def test_what_is_sent_is_written_and_shown_with_the_next_look(service: Service, path: str) -> None:
    answer = post(service, path, rating="4", text=" Goed\r\nbrood \r\n", author=" Anna ")
    assert (answer.status, answer.headers["Location"], answer.body) == (303, "?language=nl&done=yes", b"")
    review = review_of(service, path)
    assert (review.rating, review.text, review.author, review.language) == (4, "Goed\nbrood", "Anna", "nl")
    done, later = get(service, path + answer.headers["Location"]), get(service, path)
    assert "Dank u wel, uw beoordeling is geplaatst" in words(done)
    assert PUBLIC in words(done)
    assert f"http://127.0.0.1:8000/shops/{SITE}" in [each["href"] for each in Page(done.body).all("a")]
    assert PUBLIC not in words(later)
    assert "Uw beoordeling van Bakkerij De Molen" in words(later)
    for page in (done, later):
        assert page.status == 200
        assert "Anna 2 maart 2026 4 sterren Goed brood" in words(page)
        assert "U kunt uw beoordeling wijzigen of intrekken tot 1 april 2026." in words(page)
        assert Fields(page.body).typed == {"rating": "4", "text": "Goed\nbrood", "author": "Anna"}


def test_what_is_refused_after_it_was_saved_is_not_thanked_for(service: Service, path: str) -> None:
    done = post(service, path, rating="4").headers["Location"]
    refused = post(service, path + done, text="x")
    assert refused.status == 422
    assert "Dank u wel" not in words(refused)
    before = service.clock.now()
    try:
        service.clock.advance(30 * DAY)
        assert "Dank u wel" not in words(post(service, path + done, rating="1"))
    finally:
        service.clock.set(before)


@pytest.mark.parametrize("is_written", [False, True], ids=["new", "written"])
def test_the_page_can_be_had_in_the_other_language_with_what_was_typed(
    service: Service, path: str, is_written: bool
) -> None:
    if is_written:
        post(service, path, rating="4", text="Goed")
    before = stored(service)
    typed = {"rating": "2", "text": "Half een zin\nen", "author": "A" * 81}
    answer = post(service, f"{path}?language=en", action="show", **typed)
    assert (answer.status, answer.headers["Content-Language"]) == (200, "en")
    assert Fields(answer.body).typed == typed
    assert not [each for each in Page(answer.body).all("p") if each.get("class") == "error"]
    assert [("open" in each) for each in Page(answer.body).all("details")] == ([True, False] if is_written else [])
    [switch] = [each for each in Page(answer.body).all("button") if "formaction" in each]
    assert switch == {**SWITCH, "formaction": "?language=nl", "lang": "nl"}
    assert post(service, path, action="show").status == 200
    assert stored(service) == before


def test_a_hidden_review_tells_its_writer_why_and_stays_hidden(service: Service, path: str) -> None:
    post(service, path, rating="1", text="Boe")
    service.app.reviews.hide(review_of(service, path).review_id, HideReason.INSULT)
    told = "We hebben de beoordeling verborgen omdat er beledigingen in staan. Ook als u de beoordeling wijzigt,"
    assert told in words(get(service, path))
    done = post(service, path, rating="2")
    assert done.status == 303
    assert review_of(service, path).state is ReviewState.HIDDEN
    page = get(service, path + done.headers["Location"])
    assert "Dank u wel, uw beoordeling is opgeslagen" in words(page)
    assert PUBLIC not in words(page)


@pytest.mark.parametrize("reason", HideReason)
@pytest.mark.parametrize("language", ["nl", "en"])
def test_there_are_words_for_every_reason_and_a_reply_is_shown(
    service: Service, path: str, reason: HideReason, language: str
) -> None:
    post(service, path, rating="1")
    review_id = review_of(service, path).review_id
    service.app.reviews.reply(
        accepted(service.app.shops.act_for(SITE)), review_id, NewReply(text="Jammer!\n<b>Bel</b>")
    )
    service.app.reviews.hide(review_id, reason)
    answer = get(service, f"{path}?language={language}")
    assert answer.status == 200
    assert "Jammer! <b>Bel</b>" in words(answer)


def test_after_30_days_it_stands_as_it_is(service: Service, path: str) -> None:
    post(service, path, rating="4", text="Goed")
    written = review_of(service, path)
    before = service.clock.now()
    try:
        service.clock.set(written.changeable_until - timedelta(microseconds=1))
        assert Page(get(service, path).body).all("form")
        service.clock.set(written.changeable_until)
        page = get(service, path)
        assert (page.status, Page(page.body).all("form")) == (200, [])
        assert "Sinds 1 april 2026 kunt u deze beoordeling niet meer wijzigen of intrekken." in words(page)
        assert "Goed" in words(page)
        forms: list[dict[str, str]] = [
            {"rating": "1", "text": "Toch </textarea> niet"},
            {"action": "withdraw"},
            {"rating": ""},
        ]
        for form in forms:
            late = post(service, path, **form)
            assert late.status == 409
            assert Unsaved(late.body).text == (f"\n{form['text']}" if "text" in form else None)
            assert "Wat u net hebt verstuurd, is niet opgeslagen: het kwam te laat." in words(late)
        assert review_of(service, path) == written
    finally:
        service.clock.set(before)


def test_in_every_state_the_page_names_the_shop_and_the_order(service: Service, invite_id: str, path: str) -> None:
    named = f"uw bestelling {order_number_of(service, invite_id)} bij Bakkerij De Molen"
    before = service.clock.now()
    try:
        assert named in words(get(service, path))
        service.clock.advance(91 * DAY)
        assert named in words(get(service, path))
        service.clock.set(before)
        forms: list[dict[str, str]] = [{"rating": "4"}, {"action": "withdraw"}]
        for form in forms:
            post(service, path, **form)
            assert named in words(get(service, path))
            service.clock.advance(31 * DAY)
            assert named in words(get(service, path))
            service.clock.set(before)
    finally:
        service.clock.set(before)


def test_what_was_written_too_often_can_be_withdrawn_and_no_more(service: Service, path: str) -> None:
    token = path.removeprefix("/r/")
    for number in range(100):
        service.app.reviews.write(token, ReviewDraft(rating=number % 5 + 1))
    page = get(service, path)
    assert page.status == 200
    assert "U kunt deze beoordeling niet vaker wijzigen. U kunt die nog intrekken tot 1 april 2026." in words(page)
    assert [each.get("class") for each in Page(page.body).all("form")] == ["card stack"]
    refused = post(service, f"{path}?language=en", rating="1", text="Once more")
    assert refused.status == 409
    assert "not saved: you have already written or edited this review 100 times." in words(refused)
    assert Unsaved(refused.body).text == "\nOnce more"
    assert review_of(service, path).rating == 5
    assert post(service, path, action="withdraw").status == 303
    assert "We hebben niets bewaard van wat u hebt geschreven." in words(get(service, path))
    assert not Page(get(service, path).body).all("form")


def test_after_90_days_nothing_can_be_written(service: Service, path: str) -> None:
    before = service.clock.now()
    try:
        service.clock.advance(90 * DAY - timedelta(microseconds=1))
        assert get(service, path).status == 200
        service.clock.advance(timedelta(microseconds=1))
        for answer in (get(service, path), post(service, path, rating="5"), get(service, f"{path}?language=en")):
            assert answer.status == 410
            assert not Page(answer.body).all("form")
            assert "Bakkerij De Molen" in words(answer)
        late = post(service, path, rating="5", text="Lekker <brood>")
        assert (late.status, Unsaved(late.body).text) == (410, "\nLekker <brood>")
        [switch] = [each for each in Page(late.body).all("button") if "formaction" in each]
        shown = post(service, path + str(switch["formaction"]), action="show", text="Lekker <brood>")
        assert (shown.status, shown.headers["Content-Language"], Unsaved(shown.body).text) == (
            *(410, "en"),
            "\nLekker <brood>",
        )
        assert "This link is no longer valid" in words(answer)
        assert review_or_none(service, path) is None
    finally:
        service.clock.set(before)


def test_what_is_no_token_is_told_no_more_than_that(service: Service, invite_id: str, path: str) -> None:
    token = path.removeprefix("/r/")
    unsubscribing = token_of(service.app, invite_id, Purpose.UNSUBSCRIBE)
    odd = ("x", token[:-1], f"{token}A", token.swapcase(), unsubscribing, "%00", "%F0%9F%8E%81", "..%2f..", "A" * 4000)
    answers = [get(service, f"/r/{each}") for each in odd]
    answers += [post(service, f"/r/{each}", rating="5") for each in odd]
    assert {answer.status for answer in answers} == {404}
    assert len({answer.body for answer in answers}) == 1
    assert "Deze pagina bestaat niet" in words(answers[0])
    assert "This page does not exist" in words(answers[0])
    assert get(service, f"/u/{token}").status == 404


def test_a_form_that_is_refused_has_come_by_the_link_all_the_same(service: Service) -> None:
    doubtful = sent(service, answered=False)
    assert post(service, path_of(service, doubtful), rating="9").status == 422
    assert state_of(service, doubtful) is State.SENT


def test_the_page_is_in_the_invitations_language_or_the_one_asked_for(service: Service) -> None:
    path = path_of(service, sent(service, language="en"))
    assert "How was your order from Bakkerij De Molen?" in words(get(service, path))
    for query, language in (("language=nl", "nl"), ("language=de", "en"), ("language=", "en"), ("%ff&&=", "en")):
        answer = get(service, f"{path}?{query}")
        assert (answer.status, answer.headers["Content-Language"]) == (200, language)
    written = post(service, f"{path}?language=nl", rating="5")
    assert written.headers["Location"] == "?language=nl&done=yes"
    assert review_of(service, path).language == "nl"
    assert get(service, path).headers["Content-Language"] == "nl"


def test_a_text_stays_in_its_language_whatever_the_page_is_in_when_something_else_is_changed(
    service: Service, path: str
) -> None:
    post(service, path, rating="4", text="Goed brood")
    changed = post(service, f"{path}?language=en", rating="5", text="Goed brood ")
    assert changed.headers["Location"] == "?language=en&done=yes"
    assert (review_of(service, path).rating, review_of(service, path).language) == (5, "nl")
    before = review_of(service, path)
    post(service, f"{path}?language=en", rating="5", text="Goed brood")
    assert review_of(service, path) == before
    post(service, f"{path}?language=en", rating="5", text="Good bread")
    assert review_of(service, path).language == "en"
    post(service, f"{path}?language=nl", rating="5")
    assert review_of(service, path).language == "nl"


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_text_and_nothing_else(service: Service, path: str, text: str) -> None:
    name = text.replace("\n", " ").replace("\u2028", " ")
    tags = {tag for tag, _ in Page(get(service, path).body).tags}
    refused = post(service, path, rating="6", text=text, author=name)
    assert refused.status == 422
    assert Fields(refused.body).typed == {"rating": None, "text": text, "author": name}
    assert {tag for tag, _ in Page(refused.body).tags} == tags
    assert post(service, path, rating="5", text=text, author=name).status == 303
    shown = get(service, path)
    assert Fields(shown.body).typed == {"rating": "5", "text": text.strip(), "author": name.strip()}
    stars = {"defs", "g", "use"}
    assert {tag for tag, _ in Page(shown.body).tags} == tags | stars | {"article", "strong", "details", "summary"}
    assert text.strip() in Page(shown.body).words
    assert len(re.findall(rb"<script", shown.body)) == 1


@pytest.mark.parametrize("name", ['<script>alert("x")</script>', "{{ 7 * 7 }}", "مخبز", "'\"&<b>"])
def test_a_shops_name_is_text_and_nothing_else(service: Service, path: str, name: str) -> None:
    before = accepted(service.app.shops.show(SITE)).name
    service.app.shops.update(SITE, ShopChanges(name=name))
    try:
        answer = get(service, path)
    finally:
        service.app.shops.update(SITE, ShopChanges(name=before))
    assert f"Hoe was uw bestelling bij {name}?" in words(answer)
    assert len(Page(answer.body).all("script")) == 1


@pytest.mark.parametrize("letter", ["a", "€", "🎁", "\n"])
def test_4000_characters_of_any_kind_fit(service: Service, path: str, letter: str) -> None:
    text = f"x{letter * 3998}x".replace("\n", "\r\n")
    answer = post(service, path, rating="5", text=text, author="🎁" * 80)
    assert answer.status == 303
    assert review_of(service, path).text == text.replace("\r\n", "\n")
    longer = post(service, path, rating="5", text=f"{text}x", author="🎁" * 81)
    assert longer.status == 422
    assert "Gebruik maximaal 4.000 tekens." in words(longer)
    assert "Gebruik maximaal 80 tekens." in words(longer)
    assert Fields(longer.body).typed["text"] == f"{text}x".replace("\r\n", "\n")


WRONG = {
    "no stars": (b"text=Hallo", {"rating": Problem.FIELD_MISSING}),
    "nothing": (b"", {"rating": Problem.FIELD_MISSING}),
    "an empty rating": (b"rating=", {"rating": Problem.FIELD_MISSING}),
    "six stars": (b"rating=6", {"rating": Problem.OUT_OF_RANGE}),
    "no stars at all": (b"rating=0", {"rating": Problem.OUT_OF_RANGE}),
    "stars in other digits": ("rating=٤".encode(), {"rating": Problem.OUT_OF_RANGE}),
    "a number and more": (b"rating=5%00", {"rating": Problem.OUT_OF_RANGE}),
    "a NUL": (b"rating=5&text=a%00b", {"text": Problem.FORBIDDEN_CHARACTERS}),
    "no UTF-8": (b"rating=5&text=a%ff", {"text": Problem.FORBIDDEN_CHARACTERS}),
    "half a pair": (b"rating=5&author=a%ed%a0%80", {"author": Problem.FORBIDDEN_CHARACTERS}),
    "raw bytes": (b"rating=5&text=\xff", {"text": Problem.FORBIDDEN_CHARACTERS}),
    "a name of two lines": (b"rating=5&author=a%0d%0ab", {"author": Problem.FORBIDDEN_CHARACTERS}),
    "a name turned round": ("rating=5&author=\u202emoc".encode(), {"author": Problem.FORBIDDEN_CHARACTERS}),
    "all of it": (
        b"rating=x&text=%01&author=" + b"n" * 81,
        {"rating": Problem.OUT_OF_RANGE, "text": Problem.FORBIDDEN_CHARACTERS, "author": Problem.TOO_LONG},
    ),
    "an unknown field": (b"rating=5&email=anna%40example.com", {WHOLE: Problem.UNKNOWN_FIELD}),
    "an unknown action": (b"rating=5&action=hide", {WHOLE: Problem.UNKNOWN_FIELD}),
    "a field twice": (b"rating=5&rating=1", {WHOLE: Problem.DUPLICATE_FIELD}),
    "a second field to withdraw with": (b"action=withdraw&admin=1", {WHOLE: Problem.UNKNOWN_FIELD}),
}


@pytest.mark.parametrize("body", [each for each, _ in WRONG.values()], ids=WRONG)
@pytest.mark.parametrize("language", ["nl", "en"])
def test_what_is_wrong_comes_back_on_the_page_and_nothing_is_written(
    service: Service, path: str, body: bytes, language: str
) -> None:
    problems = next(expected for sent_body, expected in WRONG.values() if sent_body == body)
    assert decode_review(body).problems == problems
    answer = post(service, f"{path}?language={language}", body)
    page = Page(answer.body)
    assert answer.status == 422
    assert answer.headers["Content-Language"] == language
    assert [each["id"] for each in page.all("p") if each.get("class") == "error"] == [
        f"{field}-problem" for field in problems
    ]
    described = {
        str(each["aria-describedby"]).split()[0] for _, each in page.tags if each.get("aria-invalid") == "true"
    }
    assert described == {f"{field}-problem" for field in problems if field != WHOLE}
    focused = [each.get("id", "") for _, each in page.tags if "autofocus" in each]
    first = next((field for field in problems if field != WHOLE), None)
    assert focused == ([] if first is None else [first])
    assert review_or_none(service, path) is None
    assert b"\0" not in answer.body


def test_a_review_that_stands_survives_what_is_wrong(service: Service, path: str) -> None:
    post(service, path, rating="4", text="Goed")
    answer = post(service, path, rating="", text="Beter")
    assert answer.status == 422
    assert review_of(service, path).text == "Goed"
    assert "open" in Page(answer.body).all("details")[0]
    assert Fields(answer.body).typed == {"rating": None, "text": "Beter", "author": ""}


def test_pasted_tabs_are_blanks(service: Service, path: str) -> None:
    assert post(service, path, rating="5", text="een\ttwee", author="Anna\tB").status == 303
    review = review_of(service, path)
    assert (review.text, review.author) == ("een twee", "Anna B")


@pytest.mark.parametrize("content_type", [None, "application/json", "multipart/form-data; boundary=x", "text/plain"])
def test_what_is_no_form_is_refused_with_a_page(service: Service, path: str, content_type: str | None) -> None:
    answer = post(service, path, b"rating=5", content_type)
    assert answer.status == 415
    assert "Dat is niet gelukt" in words(answer)
    assert review_or_none(service, path) is None


def test_a_form_may_say_its_encoding(service: Service, path: str) -> None:
    assert post(service, path, b"rating=5", f"{FORM.upper()}; charset=UTF-8").status == 303


def test_a_form_is_read_to_64_kib(service: Service, path: str) -> None:
    padded = b"rating=5&text=x" + b"+" * (LARGEST_FORM - 16) + b"x"
    assert len(padded) == LARGEST_FORM
    assert post(service, path, padded).status == 422
    answer = post(service, path, padded + b"x")
    assert answer.status == 413
    assert "Dat is te lang" in words(answer)


@given(
    st.binary()
    | st.lists(st.sampled_from([b"rating", b"text", b"author", b"action", b"=", b"&", b"5", b"%ff", b"%", b"+"])).map(
        b"".join
    )
)
def test_no_body_is_too_odd_to_be_read(body: bytes) -> None:
    form = decode_review(body)
    if not form.problems and not form.withdraws:
        assert isinstance(form.draft(Language.NL), ReviewDraft)
    assert set(form.problems) <= {"rating", "text", "author", WHOLE}


@given(
    st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"]), max_size=90)
)
def test_what_a_browser_sends_is_what_is_read(text: str, author: str) -> None:
    body = urlencode({"rating": "3", "text": text, "author": author}).encode()
    assert parse_qsl(body.decode(), keep_blank_values=True)[1:] == [("text", text), ("author", author)]
    form = decode_review(body)
    if not form.problems:
        plain = (each.replace("\t", " ").replace("\r\n", "\n").replace("\r", "\n") for each in (text, author))
        assert (form.text, form.author) == tuple(plain)


def test_links_are_in_no_log_and_storage_that_is_away_gives_a_page(deployment: Deployment) -> None:
    with deployment.library() as app:
        invitation = accepted(app.orders.report(accepted(app.shops.act_for(SITE)), an_order_report(delay_days=0)))
        token = token_of(app, invitation.invite_id, Purpose.REVIEW)
    process = deployment.serve("--no-worker")
    path = f"/r/{token}"
    asked = [
        http_request(process.address, "GET", path),
        http_request(process.address, "POST", path, b"rating=5&text=Geheim", Content_Type=FORM),
        http_request(process.address, "POST", path, b"rating=9&text=Geheim", Content_Type=FORM),
        http_request(process.address, "GET", f"{path}x"),
        http_request(process.address, "PUT", path),
    ]
    assert [answer.status for answer in asked] == [200, 303, 422, 404, 405]
    deployment.take_database_away()
    away = [
        http_request(process.address, "GET", path),
        http_request(
            process.address, "POST", path, b"rating=1&author=%22A&text=%0d%0a%3cGeheim%3e%0d%0a", Content_Type=FORM
        ),
        http_request(process.address, "POST", path, b"action=withdraw&text=Geheim", Content_Type=FORM),
        http_request(process.address, "POST", path, b"action=show&text=Geheim", Content_Type=FORM),
    ]
    assert [answer.status for answer in away] == [503, 503, 503, 503]
    assert Unsaved(away[1].body).sent_again == {"rating": "1", "author": '"A', "text": "\n<Geheim>\n"}
    assert Unsaved(away[2].body).sent_again == {"action": "withdraw"}
    assert Unsaved(away[3].body).sent_again == {"action": "show", "rating": "", "author": "", "text": "Geheim"}
    assert all(Page(answer.body).all("form") == [{"method": "post", "class": "review card"}] for answer in away[1:])
    assert all(answer.headers["Retry-After"] == "5" for answer in away)
    assert all("Tijdelijk niet beschikbaar" in words(answer) for answer in away)
    process.terminate()
    assert '"route": "/r/..."' in process.log
    for secret in (token, token[:20], token[-20:], "Geheim", "anna", "example.com"):
        assert secret not in process.log
