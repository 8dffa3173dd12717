"""`/dashboard/<site_id>/activity`: who changed what. Spec: §10.7."""

from __future__ import annotations

import csv
import re
from datetime import timedelta

import pytest
from tests.http.dashboard import Visitor, words
from tests.http.page_parser import Page
from tests.http.service import Service
from tests.shop_with_reviews import reported, written

from reviewinvite_core import OPERATOR, Language, NewMember, Role, ShopChanges, accepted
from reviewinvite_core.texts import texts_in
from reviewinvite_core.values import BadgeChanges, HideReason
from reviewinvite_http.dashboard.activity import handlers
from reviewinvite_http.dashboard.activity.handlers import settings_in_words


def rows(owner: Visitor, path: str) -> list[dict[str, str]]:
    """Return the rows of an export."""
    answer = owner.get(path)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    return list(csv.DictReader(answer.body.decode("utf-8-sig").splitlines()))


def change(service: Service, site: str, times: int) -> None:
    """Give somebody one role after the other."""
    service.clock.advance(timedelta(seconds=1))
    email = f"=somebody-of-{site}@example.com"
    service.app.members.add(site, NewMember(email=email))
    member = next(each for each in accepted(service.app.members.list(site)) if each.email == email)
    other = {Role.STAFF: Role.OWNER, Role.OWNER: Role.STAFF}
    role = member.role
    for _ in range(times):
        service.clock.advance(timedelta(seconds=1))
        role = other[role]
        accepted(service.app.members.set_role(site, member.member_id, role))


def test_it_names_who_acted_and_what_was_done(owner: Visitor, site: str) -> None:
    owner.post(f"/dashboard/{site}/members", {"email": f"new-at-{site}@example.com", "role": "staff"})
    text = words(owner.get(f"/dashboard/{site}/activity"))
    assert f"Teamlid toegevoegd: new-at-{site}@example.com medewerker owner-of-{site}@example.com ·" in text
    assert f"Teamlid toegevoegd: owner-of-{site}@example.com eigenaar 127.0.0.1 ·" in text


def test_settings_and_badge_are_named_as_their_pages_name_them(service: Service, owner: Visitor, site: str) -> None:
    app = service.app
    changes = ShopChanges(language="en", delay_days=0.5, frequency_days=30, reply_to="hallo@example.com")
    accepted(app.shops.update(site, changes))
    accepted(app.badges.configure(site, BadgeChanges(theme="auto", size="large", language="en")))
    log = words(owner.get(f"/dashboard/{site}/activity?language=en"))
    for said in (
        "Language of new invitations: from Nederlands to English",
        "Days between an order and its invitation: from 5 to 0.5",
        "Days between two invitations to one address: from 0 to 30",
        "Reply address",
        "Large, English",
    ):
        assert said in log
    for machine in ("delayDays", "frequencyDays", "replyTo", "large"):
        assert machine not in log
    assert "hallo@example.com" not in log
    assert "delayDays=5:0.5" in rows(owner, f"/dashboard/{site}/activity.csv")[1]["subject"]


def test_a_domain_is_written_as_people_write_it_unless_that_looks_like_another(
    service: Service, owner: Visitor, site: str
) -> None:
    mixed = "\u0430pple"  # its first letter is Cyrillic
    for host in (f"bücher-{site}.example.nl", f"{mixed}-{site}.example.nl"):
        accepted(service.app.domains.add(site, host))
        accepted(service.app.domains.remove(site, host))
    log = words(owner.get(f"/dashboard/{site}/activity?language=en"))
    for done in ("Added", "Removed"):
        assert f"{done} a domain: bücher-{site}.example.nl" in log
        assert f"{done} a domain: xn--" in log
    assert mixed not in log
    exported = {each["subject"] for each in rows(owner, f"/dashboard/{site}/activity.csv")[:4]}
    assert len(exported) == 2
    assert all(each.startswith("xn--") for each in exported)


def test_an_entry_without_values_names_what_was_changed() -> None:
    """Earlier releases have stored no values."""
    said = settings_in_words("delayDays, replyTo, unheardOf", texts_in(Language.EN))
    assert said == ["Days between an order and its invitation", "Reply address", "unheardOf"]


def test_reviews_and_invitations_are_named_by_their_order_and_linked(
    service: Service, owner: Visitor, site: str
) -> None:
    app = service.app
    numbers = ("N-<1>", None)
    reviews = [written(app, site, order_number=each) for each in numbers]
    invite_ids = [reported(app, site, order_number=each) for each in numbers]
    for review, invite_id in zip(reviews, invite_ids, strict=True):
        service.clock.advance(timedelta(seconds=1))
        accepted(app.reviews.hide(review.review_id, HideReason.SPAM))
        accepted(app.invitations.cancel(OPERATOR, invite_id))
    answer = owner.get(f"/dashboard/{site}/activity")
    links = re.findall(r'<a href="([^"]+)">(?:<bdi>|Bestelling )', answer.body.decode())
    reviewed = [f"/dashboard/{site}/reviews/{each.review_id}" for each in reviews]
    cancelled = [f"/dashboard/{site}/invitations/{each}" for each in invite_ids]
    assert sorted(links) == sorted(reviewed + cancelled)
    for done in ("Beoordeling verborgen", "Uitnodiging geannuleerd"):
        assert f"{done}: Bestelling N-<1> " in words(answer)
        assert f"{done}: Bestelling zonder nummer " in words(answer)
    assert all(owner.get(each).status == 200 for each in links)
    exported = rows(owner, f"/dashboard/{site}/activity.csv")[:4]
    assert sorted(each["order_number"] for each in exported) == ["", "", "N-<1>", "N-<1>"]


def test_pages_miss_nothing_and_show_nothing_twice(service: Service, owner: Visitor, site: str) -> None:
    change(service, site, 2 * handlers.PAGE - 1)
    seen: list[str] = []
    path: str | None = f"/dashboard/{site}/activity"
    pages = 0
    while path:
        body = owner.get(path).body.decode()
        seen += re.findall(r'<time datetime="([^"]+)"', body)
        following = [each["href"] for each in Page(body.encode()).all("a") if each.get("rel") == "next"]
        path = following[0] if following else None
        pages += 1
        change(service, site, 1)  # a new entry is on no later page
    assert pages == 3
    assert len(seen) == len(set(seen)) == 2 * handlers.PAGE + 1
    assert seen == sorted(seen, reverse=True)


def test_a_day_filters_page_and_export(service: Service, owner: Visitor, site: str) -> None:
    change(service, site, 1)
    today, tomorrow = (f"{service.app.now() + timedelta(days=days):%Y-%m-%d}" for days in (0, 1))
    assert "Rol van teamlid gewijzigd" in words(owner.get(f"/dashboard/{site}/activity?since={today}"))
    later = words(owner.get(f"/dashboard/{site}/activity?since={tomorrow}"))
    assert "Geen wijzigingen sinds die datum" in later
    assert len(rows(owner, f"/dashboard/{site}/activity.csv?since={today}")) == 3
    assert rows(owner, f"/dashboard/{site}/activity.csv?since={tomorrow}") == []


@pytest.mark.parametrize(
    "query", ["since=yesterday", "since=2026-02-30", "since=2026-03-01T10:00%2B02:00", "since=%00"]
)
def test_a_filter_that_is_none_is_told(owner: Visitor, site: str, query: str) -> None:
    answer = owner.get(f"/dashboard/{site}/activity?{query}")
    assert answer.status == 422
    assert f'href="/dashboard/{site}/activity"' in answer.body.decode()


@pytest.mark.parametrize("query", ["after=x", "after=%F0%9F%8E%81", "since=2026-03-01&after=x"])
def test_an_address_that_asks_for_no_page_is_not_found(owner: Visitor, site: str, query: str) -> None:
    assert owner.get(f"/dashboard/{site}/activity?{query}").status == 404


def test_the_export_has_every_entry_and_no_formula(
    service: Service, owner: Visitor, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handlers, "EXPORT", 2)
    change(service, site, 4)
    exported = rows(owner, f"/dashboard/{site}/activity.csv")
    assert [each["action"] for each in exported] == [*["member.role_changed"] * 4, *["member.added"] * 2]
    assert exported[0]["subject"] == f"'=somebody-of-{site}@example.com"
    assert exported[0]["role"] == "staff"
