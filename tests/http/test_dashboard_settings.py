"""`/dashboard/<site_id>/settings`: what owners change about their shop. Spec: §10.5, §10.6."""

from __future__ import annotations

from datetime import timedelta

import attrs
import pytest
from tests.http.dashboard import Visitor, signed_in, where, words
from tests.http.page_parser import Page
from tests.http.service import Answer, Service

from reviewinvite_core import accepted
from reviewinvite_core.domain.language import Language
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.values import Shop


@write()
def _store(ctx: UnitContext, shop: Shop) -> None:
    ctx.store.shops.change(shop)


GROUPS = {"name": "/name", "reply_to": "/reply-to"}


def shop_of(owner: Visitor, site: str) -> Shop:
    return accepted(owner.service.app.shops.show(site))


def change(owner: Visitor, site: str, version: str | None = None, **fields: str) -> Answer:
    """Send the form that has these fields."""
    action = f"/dashboard/{site}/settings" + GROUPS.get(next(iter(fields)), "")
    version = version or owner.version(f"/dashboard/{site}/settings", action)
    return owner.post(action, {"version": version, **fields})


INVITATIONS = {"language": "en", "delay_days": "0,5", "frequency_days": "30"}


def test_an_owner_changes_when_the_shop_invites(owner: Visitor, site: str) -> None:
    assert where(change(owner, site, **INVITATIONS)) == f"/dashboard/{site}/settings?done=saved"
    shop = shop_of(owner, site)
    assert (shop.language, shop.delay_days.days, shop.frequency_days) == (Language.EN, 0.5, 30)
    page = Page(owner.get(f"/dashboard/{site}/settings?done=saved").body)
    assert "Opgeslagen." in page.words
    assert [each["value"] for each in page.all("input") if each["name"] == "delay_days"] == ["0,5"]


def test_an_owner_changes_the_name_and_the_address_for_replies(owner: Visitor, site: str) -> None:
    assert change(owner, site, name="  De Nieuwe Molen ").status == 303
    assert change(owner, site, reply_to="hallo@example.com").status == 303
    shop = shop_of(owner, site)
    assert (shop.name, shop.reply_to) == ("De Nieuwe Molen", "hallo@example.com")
    assert change(owner, site, reply_to="").status == 303
    assert shop_of(owner, site).reply_to is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"language": "xx", "delay_days": "61", "frequency_days": "1.5"},
        {"language": "", "delay_days": "-1", "frequency_days": "366"},
        {"language": "NL", "delay_days": "NaN", "frequency_days": "\u0663"},
        {"language": "nl ", "delay_days": "1e1", "frequency_days": ""},
        {"name": ""},
        {"name": "x" * 301},
        {"name": "<b>\u202e" * 2_500},
        {"delay_days": "9" * 10_000, "language": "n" * 10_000, "frequency_days": "1" * 10_000},
        {"name": "a\nb"},
        {"reply_to": "nobody"},
        {"reply_to": "a@example.com\nBcc: b@example.com"},
    ],
    ids=lambda wrong: str(wrong)[:60],
)
def test_each_wrong_field_says_so_and_keeps_what_was_typed(owner: Visitor, site: str, wrong: dict[str, str]) -> None:
    before = shop_of(owner, site)
    answer = change(owner, site, **wrong)
    assert answer.status == 422
    page = Page(answer.body)
    invalid = [each for tag, each in page.tags if each.get("aria-invalid") == "true" and tag in ("input", "select")]
    assert {each["name"] for each in invalid} == set(wrong)
    for each in page.all("input"):
        if each.get("name") in wrong:
            assert each["value"] == wrong[each["name"] or ""]
    assert shop_of(owner, site) == before


@pytest.mark.parametrize(("name", "named"), [("Mo\u202elen", "U+202E"), ("\u2067Molen", "U+2067"), ("a\nb", "U+000A")])
def test_a_character_that_a_name_cannot_have_is_named(owner: Visitor, site: str, name: str, named: str) -> None:
    assert f"een onzichtbaar teken dat daar niet mag: {named}." in words(change(owner, site, name=name))


def test_a_name_from_before_that_is_not_allowed_any_more_still_opens(
    service: Service, owner: Visitor, site: str
) -> None:
    service.app._use_cases.run(_store, attrs.evolve(shop_of(owner, site), name="\u2067Molen"))
    assert owner.get(f"/dashboard/{site}/settings").status == 200
    assert change(owner, site, **{**INVITATIONS, "delay_days": "9"}).status == 303
    assert shop_of(owner, site).name == "\u2067Molen"


def test_a_form_without_its_field_clears_no_address(owner: Visitor, site: str) -> None:
    assert change(owner, site, reply_to="hallo@example.com").status == 303
    page = f"/dashboard/{site}/settings"
    version = owner.version(page, f"{page}/reply-to")
    assert owner.post(f"{page}/reply-to", {"version": version}).status == 422
    assert shop_of(owner, site).reply_to == "hallo@example.com"


def test_the_second_of_two_owners_is_told(service: Service, owner: Visitor, site: str) -> None:
    second = signed_in(service, site, f"second-of-{site}@example.com")
    page = f"/dashboard/{site}/settings"
    version = second.version(page, page)
    change(owner, site, **{**INVITATIONS, "delay_days": "9"})
    told = change(second, site, version, **INVITATIONS)
    assert told.status == 409
    assert "nu opgeslagen: 9" in words(told)
    assert 'name="delay_days" value="0,5"' in told.body.decode()
    assert shop_of(owner, site).delay_days.days == 9
    assert change(second, site, **INVITATIONS).status == 303
    assert shop_of(owner, site).delay_days.days == 0.5


def test_who_changes_something_else_is_not_in_the_way(owner: Visitor, site: str) -> None:
    page = f"/dashboard/{site}/settings"
    version = owner.version(page, page)
    assert change(owner, site, name="Elders").status == 303
    assert change(owner, site, version, **INVITATIONS).status == 303


def test_without_a_recent_sign_in_the_page_shows_the_way_to_one(service: Service, owner: Visitor, site: str) -> None:
    service.clock.advance(timedelta(minutes=16))
    page = owner.page(f"/dashboard/{site}/settings")
    service.clock.advance(timedelta(minutes=-16))
    assert not {"name", "reply_to"} & {each.get("name") for each in page.all("input")}
    link = f"/dashboard/sign-in?next=/dashboard/{site}/settings"
    assert [each["href"] for each in page.all("a")].count(link) == 2
    [field] = [each for each in owner.page(link).all("input") if each["name"] == "email"]
    assert field["value"] == f"owner-of-{site}@example.com"


def test_before_a_name_is_entered_the_page_says_that_it_will_wait(service: Service, owner: Visitor, site: str) -> None:
    settings = f"/dashboard/{site}/settings?language=en"
    assert "waits for approval" not in words(owner.get(settings))
    service.app.trust_marks.grant(site)
    assert "A new name therefore waits for approval by 127.0.0.1" in words(owner.get(settings))
    service.app.trust_marks.revoke(site)
    assert "waits for approval" not in words(owner.get(settings))


def test_an_owner_withdraws_the_name_that_waits(service: Service, owner: Visitor, site: str) -> None:
    service.app.trust_marks.grant(site)
    change(owner, site, name="Een Andere")
    settings, withdraw = f"/dashboard/{site}/settings", f"/dashboard/{site}/settings/name/withdraw"
    version = owner.version(settings, withdraw)
    assert where(owner.post(withdraw, {"version": version})) == f"{settings}?done=withdrawn"
    assert shop_of(owner, site).requested_name is None
    shown = owner.get(f"{settings}?done=withdrawn&language=en")
    assert "The new name is withdrawn." in words(shown)
    assert b"name/withdraw" not in shown.body
    assert "Withdrew the new name: Een Andere" in words(owner.get(f"/dashboard/{site}/activity?language=en"))
    assert where(owner.post(withdraw, {"version": version})) == f"{settings}?done=none-waits"


@pytest.mark.parametrize("name", ['<script>alert("x")</script>', "{{ 7 * 7 }}", "مخبز", "'\"&<b>", "x" * 300])
def test_a_name_is_text_and_nothing_else(owner: Visitor, site: str, name: str) -> None:
    assert change(owner, site, name=name).status == 303
    page = owner.page(f"/dashboard/{site}/settings")
    assert name in page.words
    assert [each["value"] for each in page.all("input") if each.get("name") == "name"] == [name]
    assert not {tag for tag, _ in page.tags} & {"b"}
    assert all(each.get("src") for each in page.all("script"))
