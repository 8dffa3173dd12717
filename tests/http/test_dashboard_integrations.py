"""`/dashboard/<site_id>/integrations`: keys, domains, what to paste, and the badge. Spec: §10.5, §10.6."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from tests.http.dashboard import Visitor, signed_in, where, words
from tests.http.page_parser import Page
from tests.http.published_proofs import PublishedProofs
from tests.http.service import Answer, Service, http_request
from tests.http.serving import serving

from reviewinvite_core import ClientAddress, NewShop, OrderReport, SiteId, SnippetReport, accepted
from reviewinvite_core.values import FailureReason, ProofWay, SnippetSignature
from reviewinvite_http.dashboard.integrations.programs import key_setting, programs

ABSENCES = ((ProofWay.DNS, FailureReason.NO_RECORD), (ProofWay.WELL_KNOWN, FailureReason.NOT_TRUSTED))

NAME = "Bakkerij <b>De Molen</b>"
_numbers = itertools.count(1)


PROOFS = PublishedProofs(ABSENCES)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """A server whose checks find the proofs of `PROOFS`."""
    with serving(domain_verifier=PROOFS) as service:
        yield service


@pytest.fixture
def site(service: Service) -> str:
    """A shop of the test's own."""
    site = f"shop-{next(_numbers)}"
    service.app.shops.add(NewShop(site_id=site, name=NAME))
    return site


@pytest.fixture
def page(site: str) -> str:
    """The address of the section."""
    return f"/dashboard/{site}/integrations"


def form_of_a_key(owner: Visitor, page: str, label: str) -> dict[str, str]:
    """Return the form for a key as the page has it now, with a label."""
    (once,) = [str(each["value"]) for each in owner.page(page).all("input") if each.get("name") == "once"]
    return {"once": once, "label": label}


def new_key(owner: Visitor, page: str, label: str = "Webwinkel") -> str:
    """Make a key and return its text."""
    answer = owner.post(f"{page}/keys", form_of_a_key(owner, page, label))
    assert answer.status == 200
    found = re.search(r"rvi_[0-9A-Za-z]{36}", answer.body.decode())
    assert found
    return found[0]


def test_a_key_is_shown_once_works_and_is_revoked(owner: Visitor, page: str) -> None:
    key = new_key(owner, page, "Kassa <1>")
    assert http_request(owner.service.address, "GET", "/v1/shop", Authorization=f"Bearer {key}").status == 200
    listed = owner.get(page)
    assert key.encode() not in listed.body
    assert "Kassa <1>" in words(listed)
    assert key[-4:] in words(listed)

    (revoke,) = [str(each["href"]) for each in Page(listed.body).all("a") if str(each.get("href")).endswith("/revoke")]
    asked = owner.get(revoke)
    assert (asked.status, "Kassa <1> intrekken?" in words(asked)) == (200, True)
    assert where(owner.post(revoke)) == f"{page}?done=revoked"
    assert http_request(owner.service.address, "GET", "/v1/shop", Authorization=f"Bearer {key}").status == 401
    assert "ingetrokken" in words(owner.get(f"{page}?done=revoked"))
    assert not [each for each in owner.page(page).all("a") if str(each.get("href")).endswith("/revoke")]


def test_the_page_of_a_new_key_gives_the_programs_their_setting(owner: Visitor, page: str) -> None:
    answer = owner.post(f"{page}/keys", form_of_a_key(owner, page, ""))
    found = re.search(r"rvi_[0-9A-Za-z]{36}", answer.body.decode())
    assert found
    assert key_setting(found[0]) in words(answer)
    assert answer.headers["Cache-Control"] == "no-store"


def test_reloading_the_page_of_a_new_key_makes_no_other_and_does_not_show_it_again(
    owner: Visitor, site: str, page: str
) -> None:
    form = form_of_a_key(owner, page, "Kassa <1>")
    made = owner.post(f"{page}/keys", form)
    assert (made.status, b"rvi_" in made.body) == (200, True)
    again = owner.post(f"{page}/keys", form)
    assert again.status == 409
    assert "Kassa <1>" in words(again)
    assert not re.search(r"rvi_[0-9A-Za-z]", words(again))
    (key,) = accepted(owner.service.app.api_keys.list(site))
    assert f"{page}/keys/{key.key_id}/revoke" in again.body.decode()
    new_key(owner, page)
    assert len(accepted(owner.service.app.api_keys.list(site))) == 2


def test_a_form_for_a_key_that_is_incomplete_makes_none_and_keeps_the_label(
    owner: Visitor, site: str, page: str
) -> None:
    owner.get(page)
    answer = owner.post(f"{page}/keys", {"label": "Kassa"})
    (field,) = [each for each in Page(answer.body).all("input") if each.get("name") == "label"]
    assert (answer.status, field["value"]) == (422, "Kassa")
    assert accepted(owner.service.app.api_keys.list(site)) == []


@pytest.mark.parametrize("label", ["x" * 101, "a\nb", "\u202e"])
def test_a_label_that_cannot_be_is_said_so_and_makes_no_key(owner: Visitor, page: str, label: str) -> None:
    answer = owner.post(f"{page}/keys", form_of_a_key(owner, page, label))
    assert answer.status == 422
    (field,) = [each for each in Page(answer.body).all("input") if each.get("name") == "label"]
    assert (field["aria-invalid"], field["value"]) == ("true", label.strip())
    assert b"rvi_" not in answer.body


def test_a_new_member_has_an_hour_for_the_first_key_and_for_nothing_else(
    service: Service, site: str, owner: Visitor, page: str
) -> None:
    accepted(service.app.domains.add(site, "example.nl"))
    owner.get(page)
    service.clock.advance(timedelta(minutes=59))
    try:
        assert owner.post(f"{page}/domains/example.nl/remove").status == 403
        assert owner.post(f"{page}/snippet/secret").status == 403
        assert "label" in {each.get("name") for each in owner.page(page).all("input")}
        form = form_of_a_key(owner, page, "shop")
        assert owner.post(f"{page}/keys", form).status in (200, 201)
        assert owner.post(f"{page}/keys", {**form, "once": "another"}).status == 403
    finally:
        service.clock.advance(timedelta(minutes=-59))


def test_a_domain_is_added_published_checked_and_removed(owner: Visitor, site: str, page: str) -> None:
    owner.get(page)
    assert where(owner.post(f"{page}/domains", {"host": " De-Molen.example.nl. "})) == f"{page}?done=added#domains"
    (domain,) = accepted(owner.service.app.domains.list(site))
    shown = words(owner.get(page))
    for published in (domain.record_name, domain.proof, domain.well_known_url, "niet geverifieerd"):
        assert published in shown
    check = f"{page}/domains/{domain.host}/check"
    missed = owner.post(check)
    assert missed.status == 200
    assert "Dit record staat niet in de DNS." in words(missed)
    assert "De site heeft geen vertrouwd certificaat voor deze naam." in words(missed)
    PROOFS.hosts.add(domain.host.text)
    assert "Code gevonden: dit domein is geverifieerd." in words(owner.post(check))
    assert "Meldingen vanaf een pagina worden daarom geweigerd" not in words(owner.get(page))

    remove = f"{page}/domains/{domain.host}/remove"
    assert f"{domain.host} verwijderen?" in words(owner.get(remove))
    assert where(owner.post(remove)) == f"{page}?done=removed#domains"
    assert accepted(owner.service.app.domains.list(site)) == []


def test_a_public_suffix_is_refused_with_what_to_enter_instead(owner: Visitor, site: str) -> None:
    answer = owner.post(f"/dashboard/{site}/integrations/domains?language=en", {"host": "co.uk"})
    assert answer.status == 422
    assert "Many shops have names below this domain. Enter your own" in words(answer)


@pytest.mark.parametrize(
    "typed", ["https://www.Example.nl/", "http://www.example.nl:8443/brood?a=b#c", "www.example.nl/"]
)
def test_a_pasted_address_adds_its_host(owner: Visitor, site: str, page: str, typed: str) -> None:
    owner.get(page)
    assert where(owner.post(f"{page}/domains", {"host": typed})) == f"{page}?done=added#domains"
    assert [each.host.text for each in accepted(owner.service.app.domains.list(site))] == ["www.example.nl"]


@pytest.mark.parametrize(
    "host", ["", "co.uk", "https://co.uk/", "anna@example.nl", "https:///", "127.0.0.1", "<b>x</b>", "x" * 10_000]
)
def test_what_is_no_domain_is_said_so_and_kept(owner: Visitor, site: str, page: str, host: str) -> None:
    owner.get(page)
    answer = owner.post(f"{page}/domains", {"host": host})
    assert answer.status == 422
    (field,) = [each for each in Page(answer.body).all("input") if each.get("name") == "host"]
    assert (field["aria-invalid"], field["value"]) == ("true", host)
    assert accepted(owner.service.app.domains.list(site)) == []


@pytest.mark.parametrize(
    ("done", "part"), [("revoked", "keys"), ("added", "domains"), ("removed", "domains"), ("badge", "badge")]
)
def test_what_was_done_is_said_where_the_page_is_opened(owner: Visitor, page: str, done: str, part: str) -> None:
    """The address ends with the part, so the top of the page is out of sight."""
    body = owner.get(f"{page}?done={done}").body.decode()
    assert body.count("notice-ok") == 1
    assert "notice-ok" in body.partition(f'<section class="card stack" id="{part}"')[2].partition("</section>")[0]


def test_the_guide_in_the_package_is_that_of_the_documentation() -> None:
    """A copy, because a link is lost where files are archived; `cp` renews it."""
    guide = Path("docs/how-to/report-orders-from-a-server.md")
    assert Path("src/reviewinvite_http/dashboard/integrations/guide.md").read_text() == guide.read_text()


def test_tags_and_programs_name_the_shop_and_the_service(owner: Visitor, site: str, page: str) -> None:
    shown = owner.page(page).words
    base_url = owner.service.app.base_url
    assert f'<script async src="{base_url}/s/{site}.js"' in shown
    assert f'<script async src="{base_url}/w/{site}.js"></script>' in shown
    for program in programs(base_url, SiteId(site), NAME):
        assert program.text.strip() in shown
        assert f" Reports orders of '{NAME}', {site}.\n" in program.text
        assert "REVIEWS_URL" not in program.text
        assert "REVIEWS_KEY" in program.text


def test_the_badge_is_set_and_the_second_of_two_owners_is_told(
    service: Service, owner: Visitor, site: str, page: str
) -> None:
    second = signed_in(service, site, f"second-of-{site}@example.com")
    action = f"{page}/badge"
    version = second.version(page, action)
    dark = {"theme": "dark", "size": "small", "badge_language": "en"}
    assert where(owner.post(action, {"version": owner.version(page, action), **dark})) == f"{page}?done=badge#badge"
    light = {"theme": "light", "size": "large", "badge_language": ""}
    told = second.post(action, {"version": version, **light})
    assert told.status == 409
    assert "Nu opgeslagen: Donker, Klein, English." in words(told)
    assert accepted(service.app.shops.show(site)).badge.theme == "dark"
    assert second.post(action, {"version": second.version(page, action), **light}).status == 303
    badge = accepted(service.app.shops.show(site)).badge
    assert (badge.theme, badge.size, badge.language) == ("light", "large", None)


@pytest.mark.parametrize("wrong", [{"theme": "blue"}, {"size": ""}, {"badge_language": "fy"}], ids=str)
def test_a_badge_that_cannot_be_says_so_and_keeps_what_can(
    owner: Visitor, site: str, page: str, wrong: dict[str, str]
) -> None:
    version = owner.version(page, f"{page}/badge")
    look = {"theme": "dark", "size": "small", "badge_language": "en", **wrong}
    answer = owner.post(f"{page}/badge", {"version": version, **look})
    assert (answer.status, words(answer).count("Kies een optie uit de lijst.")) == (422, 1)
    shown = Page(answer.body)
    assert [each["name"] for each in shown.all("select") if each.get("aria-invalid") == "true"] == list(wrong)
    chosen = {each["value"] for each in shown.all("option") if "selected" in each}
    assert chosen >= {value for name, value in look.items() if name not in wrong}
    assert accepted(owner.service.app.shops.show(site)).badge.theme == "auto"


def test_a_preview_draws_the_chosen_badge_in_our_own_frame_only_and_counts_no_view(
    owner: Visitor, site: str, page: str
) -> None:
    shown = owner.get(f"{page}?theme=auto&size=large&badge_language=en")
    assert "frame-src 'self'" in shown.headers["Content-Security-Policy"]
    frames = [str(each["src"]) for each in Page(shown.body).all("iframe")]
    assert [re.findall(r"theme=(\w+)&size=(\w+)&badge_language=(\w+)", each) for each in frames] == [
        [("light", "large", "en")],
        [("dark", "large", "en")],
    ]
    for frame in frames:
        framed = owner.get(frame)
        assert "frame-ancestors 'self'" in framed.headers["Content-Security-Policy"]
        assert framed.headers["X-Frame-Options"] == "SAMEORIGIN"
        ((_, script),) = [(tag, str(each["src"])) for tag, each in Page(framed.body).tags if tag == "script"]
        source = owner.get(script)
        assert source.headers["Content-Type"].startswith("text/javascript")
        drawn = json.loads(source.body.decode().rpartition("})(")[2].strip().removesuffix(");"))
        assert (drawn["size"], drawn["language"], drawn["hosts"]) == ("large", "en", ["127.0.0.1"])
        assert drawn["theme"] in frame
    assert accepted(owner.service.app.badges.show_views(site)).counted == 0
    assert accepted(owner.service.app.shops.show(site)).badge.size == "medium"


# The snippet: which orders it may bring, and the secret that signs them.


def mode_form(owner: Visitor, page: str, mode: str) -> dict[str, str]:
    """Return the form of the snippet's mode as the page has it now."""
    before = owner.get(page).body.decode().partition('id="snippet-mode"')[0]
    return {"version": re.findall(r'name="version" value="(\w+)"', before)[-1], "snippet": mode}


def chosen_mode(owner: Visitor, page: str) -> str:
    select = owner.get(page).body.decode().partition('id="snippet-mode"')[2].partition("</select>")[0]
    return str(re.findall(r'value="(\w+)" selected', select)[0])


def test_a_mode_is_chosen_and_another_members_choice_is_noticed(owner: Visitor, page: str) -> None:
    stale = mode_form(owner, page, "open")
    assert where(owner.post(f"{page}/snippet", mode_form(owner, page, "off"))).startswith(f"{page}?done=snippet")
    assert chosen_mode(owner, page) == "off"
    assert owner.post(f"{page}/snippet", stale).status == 409
    assert chosen_mode(owner, page) == "off"
    assert owner.post(f"{page}/snippet", {**mode_form(owner, page, ""), "snippet": "shut"}).status == 422


def test_signed_cannot_be_chosen_yet_and_the_page_says_why(owner: Visitor, page: str) -> None:
    answer = owner.post(f"{page}/snippet", mode_form(owner, page, "signed"))
    assert answer.status == 409
    assert "nog geen bestelling met een juiste handtekening binnengekomen" in words(answer)
    assert chosen_mode(owner, page) == "open"


def secret_in(answer: Answer) -> str:
    (found,) = set(re.findall(r"rvs_[0-9a-f]{64}", answer.body.decode()))
    return str(found)


def test_the_secret_is_shown_after_a_recent_sign_in_and_replaced_once_however_often_the_form_is_sent(
    owner: Visitor, site: str, page: str
) -> None:
    shown = owner.post(f"{page}/snippet/secret", {})
    first = secret_in(shown)
    assert shown.headers["Cache-Control"] == "no-store"
    assert "data-signature" in owner.get(page).body.decode()
    assert first not in owner.get(page).body.decode()
    (replaces,) = [str(each["value"]) for each in Page(shown.body).all("input") if each.get("name") == "replaces"]
    second = secret_in(owner.post(f"{page}/snippet/secret", {"replaces": replaces}))
    assert secret_in(owner.post(f"{page}/snippet/secret", {"replaces": replaces})) == second != first
    assert accepted(owner.service.app.shops.snippet_secret(site)).is_replacing
    made = owner.get(f"/dashboard/{site}/activity")
    assert words(made).count("Een geheime sleutel voor ondertekende bestellingen aangemaakt") == 2

    owner.service.clock.advance(timedelta(minutes=16))
    assert owner.post(f"{page}/snippet/secret", {}).status == 403
    assert "Log opnieuw in om de geheime sleutel te zien" in words(owner.get(page))


def test_wrong_signatures_of_today_are_told(owner: Visitor, site: str, page: str) -> None:
    assert "onjuiste handtekening binnen" not in words(owner.get(page))
    accepted(owner.service.app.domains.add(site, f"{site}.example.nl", assume_verified=True))
    for number in ("1", "2"):
        signature = SnippetSignature(value="0", site_id=site, email="anna@example.com", order_number=number)
        order = OrderReport(email="anna@example.com", order_number=number)
        report = SnippetReport(site_id=SiteId(site), order=order, signature=signature)
        client = ClientAddress("203.0.113.9")
        accepted(owner.service.app.orders.report_from_snippet(client, f"https://{site}.example.nl", report))
    assert "kwamen er 2 bestellingen met een onjuiste handtekening binnen" in words(owner.get(page))
