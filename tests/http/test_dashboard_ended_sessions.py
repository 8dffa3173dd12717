"""A form that is sent after the session ended: nothing that was typed is lost. Spec: §10.3, §10.4."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from datetime import timedelta

import attrs
import pytest
from tests.http.dashboard import OWN, Visitor, a_link, a_new_link, opened, where, words
from tests.http.page_parser import FORM, Page
from tests.http.service import SITE, Answer, Service
from tests.http.serving import serving
from tests.shop_with_reviews import written

from reviewinvite_core import OPERATOR, NewShop, Role, accepted
from reviewinvite_core.testing.builders import a_shop

EMAIL = "anna@example.com"
TEXT = "Dank u wel!\n\n</textarea><script>alert(1)</script> & tot ziens"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with serving() as service:
        service.app.shops.add(a_shop(SITE))
        a_link(service, SITE, EMAIL, Role.STAFF)
        yield service


@attrs.frozen
class Typed:
    """A browser in which somebody has typed a reply to a review, and sent nothing yet."""

    visitor: Visitor
    review_id: str
    fields: dict[str, str]

    @property
    def path(self) -> str:
        return f"/dashboard/{SITE}/reviews/{self.review_id}/reply"

    def send(self) -> Answer:
        return self.visitor.post(self.path, self.fields, Referer=f"http://127.0.0.1:8000{self.path[:-6]}")

    def sign_in(self, email: str = EMAIL, site: str = SITE) -> None:
        """Sign in in another tab of this browser."""
        token = self.visitor.token
        self.visitor.post(a_new_link(self.visitor.service, site, email))
        assert self.visitor.get("/dashboard/sessions").status == 200
        self.visitor.token = token  # the tab with the text still shows the old page

    @property
    def stored(self) -> str | None:
        reply = accepted(self.visitor.service.app.reviews.show(OPERATOR, self.review_id)).review.reply
        return reply.text if reply else None


@pytest.fixture
def typed(service: Service) -> Typed:
    review = written(service.app, SITE)
    visitor = opened(service, a_new_link(service, SITE, EMAIL))
    page = f"/dashboard/{SITE}/reviews/{review.review_id}"
    return Typed(visitor, review.review_id, {"version": visitor.version(page, f"{page}/reply"), "text": TEXT})


def resent(answer: Answer) -> dict[str, str]:
    """Return the fields of the form that sends the same again, as a browser reads them."""
    found = re.findall(r'<textarea name="(\w+)" hidden>\n(.*?)</textarea>', answer.body.decode(), re.DOTALL)
    return {name: html.unescape(value) for name, value in found}


def end_by_time(typed: Typed) -> None:
    typed.visitor.service.clock.advance(timedelta(hours=13))


def end_elsewhere(typed: Typed) -> None:
    """Sign out in another tab, which also takes the cookie away."""
    assert typed.visitor.post("/dashboard/sign-out").status == 303
    assert "session" not in typed.visitor.cookies


@pytest.mark.parametrize("end", [end_by_time, end_elsewhere])
def test_a_reply_sent_after_the_session_ended_is_stored_after_the_sign_in(
    typed: Typed, end: Callable[[Typed], None]
) -> None:
    end(typed)
    for _ in range(2):  # also if it is sent again too early
        kept = typed.send()
        assert kept.status == 403
        assert "Uw sessie is verlopen" in words(kept)
        assert b"<script>" not in kept.body
        assert resent(kept) == typed.fields
        (link,) = [each for each in Page(kept.body).all("a") if each.get("target") == "_blank"]
        page = f"%2Fdashboard%2F{SITE}%2Freviews%2F{typed.review_id}"
        assert (link["href"], link["rel"]) == (f"/dashboard/sign-in?next={page}", "noopener")
    typed.sign_in()
    shown = typed.send()
    assert shown.status == 403
    assert "Controleer wat u hebt ingevuld" in words(shown)
    assert resent(shown) == typed.fields
    assert typed.stored is None
    assert where(typed.send()).endswith("?done=replied")
    assert typed.stored == TEXT


def test_another_member_who_signs_in_there_sends_nothing_unseen(typed: Typed, service: Service) -> None:
    """The page of the ended session holds no token of a later one: what is sent again is shown first."""
    service.app.shops.add(NewShop(site_id="other-shop", name="Other"))
    a_link(service, "other-shop", "other@example.com")
    end_by_time(typed)
    typed.send()
    typed.sign_in("other@example.com", "other-shop")
    assert "Controleer wat u hebt ingevuld" in words(typed.send())
    refused = typed.send()
    assert refused.status == 404
    assert "Dank u wel!" in words(refused)
    assert not Page(refused.body).all("form")
    assert typed.stored is None


@pytest.mark.parametrize("headers", [{"Sec_Fetch_Site": "cross-site"}, {"Origin": "null"}, {}], ids=str)
@pytest.mark.parametrize("has_cookie", [True, False])
def test_another_site_cannot_make_a_page_with_its_own_words(
    typed: Typed, headers: dict[str, str], *, has_cookie: bool
) -> None:
    end_by_time(typed) if has_cookie else end_elsewhere(typed)
    answer = typed.visitor.request("POST", typed.path, b"text=Click+here", Content_Type=FORM, **headers)
    assert answer.status == 403
    assert b"Click here" not in answer.body
    assert not Page(answer.body).all("form")


def test_what_a_button_sends_leads_to_the_sign_in(service: Service) -> None:
    answer = Visitor(service).request(
        "POST", f"/dashboard/{SITE}/invitations/x/cancel", b"cancel=", Content_Type=FORM, **OWN
    )
    assert where(answer).startswith("/dashboard/sign-in?next=")


def test_a_part_of_a_page_leads_the_whole_page_to_the_sign_in(service: Service) -> None:
    answer = Visitor(service).get(f"/dashboard/{SITE}/reviews", Hx_Request="true")
    assert answer.headers["HX-Redirect"].startswith("/dashboard/sign-in?next=")
