"""The snippet in a real browser: it reports, and whatever happens, the page does not notice."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser
from tests.browser.fake_web import (
    BASE_URL,
    HOST,
    SITE,
    FakeWeb,
    Page,
    drop_connection,
    never_respond,
    preflight_when_released,
    respond_with,
)
from tests.browser.page_visit import PageVisit, fill_placeholders, serve_page, visit_in_new_context
from tests.budgets import in_full, others_in_full
from tests.snippet_signature import signed_with
from tests.waiting import wait_until

from reviewinvite_core import OPERATOR, Application, InvitationQuery, accepted
from reviewinvite_core.domain.embedding import SnippetEmbed
from reviewinvite_core.domain.shop import SiteId

SNIPPET = SnippetEmbed(SiteId(SITE), BASE_URL)
DOWN = SnippetEmbed(SiteId(SITE), "https://down.example.nl")
PAGE = f"https://{HOST}/thank-you"
FORMS = {"the tag": SNIPPET.tag, "the inline form": SNIPPET.inline}
POLICIES = {"the tag": SNIPPET.tag_policy, "the inline form": SNIPPET.inline_policy}
FAULTS = {"answers 429": respond_with(429), "answers 500": respond_with(500), "breaks off": drop_connection}

each_form = pytest.mark.parametrize("form", others_in_full(FORMS, "the tag"))
Reported = Callable[[str], list[str]]
_numbers = itertools.count(1)


@pytest.fixture
def visit(browser: Browser, web: FakeWeb) -> Iterator[PageVisit]:
    with visit_in_new_context(browser, web) as opened:
        yield opened


@pytest.fixture
def order() -> tuple[str, str]:
    """A customer and an order number that no other test has."""
    number = next(_numbers)
    return f"anna{number}@example.com", f"B-{number}"


def invited(app: Application, order_number: str) -> int:
    """How many invitations there are for an order."""
    found = accepted(app.invitations.list(OPERATOR, InvitationQuery(limit=1_000))).invitations
    return sum(record.invitation.order_number == order_number for record in found)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("host", [HOST, in_full(f"www.{HOST}"), in_full(f"{HOST}.")])
def test_a_page_of_the_shop_reports_its_order(
    visit: PageVisit, web: FakeWeb, app: Application, order: tuple[str, str], form: str, host: str
) -> None:
    visit.open(serve_page(web, f"https://{host}/thank-you", fill_placeholders(FORMS[form], *order)))
    wait_until(lambda: invited(app, order[1]))
    visit.wait_until_idle()
    visit.assert_undisturbed()
    assert invited(app, order[1]) == 1
    assert list(map(json.loads, web.reports)) == [{"siteId": SITE, "email": order[0], "orderNumber": order[1]}]
    assert web.preflights == 1


def test_what_the_page_has_set_before_is_reported(
    visit: PageVisit, web: FakeWeb, app: Application, order: tuple[str, str]
) -> None:
    """An order number that is a number, too, and a tag without attributes."""
    set_before = f"<script>window.reviewinvite = {{ email: {json.dumps(order[0])}, orderNumber: 77123 }};</script>"
    visit.open(serve_page(web, PAGE, f'{set_before}<script async src="{BASE_URL}/s/{SITE}.js"></script>'))
    wait_until(lambda: invited(app, "77123"))
    visit.assert_undisturbed()
    assert [json.loads(report)["email"] for report in web.reports] == [order[0]]


@pytest.mark.parametrize("form", FORMS)
def test_a_signature_is_passed_on_with_the_very_strings_that_it_is_over(
    visit: PageVisit, web: FakeWeb, app: Application, order: tuple[str, str], form: str
) -> None:
    """Blanks included, which the script would otherwise trim; the service trims them itself."""
    email, number = f" {order[0]}", f"{order[1]} é "
    embed = SnippetEmbed(SiteId(SITE), BASE_URL, is_signed=True)
    tag = fill_placeholders({"the tag": embed.tag, "the inline form": embed.inline}[form], email, number)
    signature = signed_with(accepted(app.shops.snippet_secret(SITE)).text, SITE, email, number)
    visit.open(serve_page(web, PAGE, tag.replace("SIGNATURE", signature)))
    wait_until(lambda: invited(app, number.strip()))
    visit.assert_undisturbed()
    assert list(map(json.loads, web.reports)) == [
        {"siteId": SITE, "email": email, "orderNumber": number, "signature": signature}
    ]
    [found] = accepted(app.invitations.list(OPERATOR, InvitationQuery(order_number=number.strip()))).invitations
    assert found.invitation.provenance.confirmed


@pytest.mark.parametrize("attributes", ["async", in_full("defer"), in_full(""), 'type="module"'])
def test_the_tag_may_be_of_any_kind(
    visit: PageVisit, web: FakeWeb, app: Application, order: tuple[str, str], attributes: str
) -> None:
    visit.open(serve_page(web, PAGE, fill_placeholders(SNIPPET.tag, *order).replace("async", attributes)))
    wait_until(lambda: invited(app, order[1]))
    visit.assert_undisturbed()


def test_a_page_may_insert_the_tag_later(
    visit: PageVisit, web: FakeWeb, app: Application, order: tuple[str, str]
) -> None:
    """As shops do that show the confirmation without a new page; a second order in the same page is reported, too."""
    visit.open(serve_page(web, PAGE, ""))
    for number in (order[1], f"{order[1]}-next"):
        visit.tab.evaluate(
            """([src, email, number]) => {
                const tag = document.createElement("script");
                Object.assign(tag, { src: src });
                Object.assign(tag.dataset, { email: email, orderNumber: number });
                document.head.append(tag);
            }""",
            [f"{BASE_URL}/s/{SITE}.js", order[0], number],
        )
        wait_until(lambda wanted=number: invited(app, wanted))  # type: ignore[misc]
    visit.assert_undisturbed()


def test_two_tags_report_once(visit: PageVisit, web: FakeWeb, app: Application, order: tuple[str, str]) -> None:
    tag = fill_placeholders(SNIPPET.tag, *order)
    visit.open(serve_page(web, PAGE, f"{tag}<p>and again</p>{tag}"))
    wait_until(lambda: invited(app, order[1]))
    visit.wait_until_idle()
    visit.assert_undisturbed()
    assert len(web.reports) == 1


@each_form
def test_a_page_that_is_loaded_again_leads_to_no_second_invitation(
    visit: PageVisit, web: FakeWeb, app: Application, order: tuple[str, str], form: str
) -> None:
    visit.open(serve_page(web, PAGE, fill_placeholders(FORMS[form], *order)))
    wait_until(lambda: invited(app, order[1]))
    visit.open(PAGE)
    wait_until(lambda: len(web.reports) == 2)
    visit.wait_until_idle()
    assert invited(app, order[1]) == 1


@each_form
def test_the_report_arrives_though_the_customer_leaves_at_once(
    visit: PageVisit, web: FakeWeb, app: Application, order: tuple[str, str], form: str
) -> None:
    web.faults["OPTIONS"] = preflight_when_released
    snippet = fill_placeholders(FORMS[form], *order).replace("async ", "")
    web.pages[f"https://{HOST}/next"] = Page("<!doctype html><title>next</title>")
    leaving = '<script>addEventListener("load", () => { location.replace("/next"); });</script>'
    visit.open(serve_page(web, PAGE, snippet + leaving), until="commit")
    visit.tab.wait_for_url(f"https://{HOST}/next")
    wait_until(lambda: web.preflights)
    assert web.reports == []
    web.released.set()
    wait_until(lambda: invited(app, order[1]))
    assert visit.errors == []


@each_form
@pytest.mark.parametrize("host", ["evil-shop.example.nl", "sub.shop.example.nl"])
def test_on_another_host_it_does_nothing(
    visit: PageVisit, web: FakeWeb, app: Application, order: tuple[str, str], form: str, host: str
) -> None:
    visit.open(serve_page(web, f"https://{host}/thank-you", fill_placeholders(FORMS[form], *order)))
    wait_until(lambda: web.reports)
    visit.wait_until_idle()
    visit.assert_undisturbed()
    assert invited(app, order[1]) == 0


def test_in_a_frame_without_an_origin_it_does_nothing(
    visit: PageVisit, web: FakeWeb, app: Application, order: tuple[str, str]
) -> None:
    """As in the sandboxes in which some shop software runs the scripts of others."""
    visit.open(serve_page(web, PAGE, ""))
    visit.tab.evaluate(
        """(page) => { const frame = document.createElement("iframe");
            frame.sandbox = "allow-scripts"; frame.srcdoc = page; document.body.append(frame); }""",
        fill_placeholders(SNIPPET.tag, *order),
    )
    wait_until(lambda: web.reports)
    visit.wait_until_idle()
    visit.assert_undisturbed()
    assert invited(app, order[1]) == 0


@each_form
@pytest.mark.parametrize(
    ("method", "fault"),
    [in_full("POST", "answers 429"), ("POST", "answers 500"), in_full("POST", "breaks off"), ("OPTIONS", "breaks off")],
)
def test_a_service_in_trouble_is_not_noticed(
    visit: PageVisit, web: FakeWeb, order: tuple[str, str], form: str, method: str, fault: str
) -> None:
    web.faults[method] = FAULTS[fault]
    visit.open(serve_page(web, PAGE, fill_placeholders(FORMS[form], *order)))
    wait_until(lambda: web.reports if method == "POST" else web.preflights)
    visit.wait_until_idle()
    visit.assert_undisturbed()


@each_form
@pytest.mark.parametrize("method", ["POST", "OPTIONS"])
def test_a_service_that_takes_minutes_is_not_waited_for(
    visit: PageVisit, web: FakeWeb, order: tuple[str, str], form: str, method: str
) -> None:
    web.faults[method] = never_respond
    visit.open(serve_page(web, PAGE, fill_placeholders(FORMS[form], *order)), until="load")
    wait_until(lambda: web.reports if method == "POST" else web.preflights)
    visit.assert_undisturbed()


@pytest.mark.parametrize("embed", [DOWN.tag, in_full(DOWN.inline)], ids=list(FORMS))
def test_a_service_that_is_down_is_not_noticed(
    visit: PageVisit, web: FakeWeb, order: tuple[str, str], embed: str
) -> None:
    visit.open(serve_page(web, PAGE, fill_placeholders(embed, *order)))
    visit.wait_until_idle()
    visit.assert_undisturbed()


@pytest.mark.parametrize("fault", others_in_full(FAULTS, "answers 500"))
def test_a_script_that_cannot_be_had_is_not_noticed(
    visit: PageVisit, web: FakeWeb, order: tuple[str, str], fault: str
) -> None:
    web.faults["GET"] = FAULTS[fault]
    visit.open(serve_page(web, PAGE, fill_placeholders(SNIPPET.tag, *order)))
    visit.wait_until_idle()
    visit.assert_undisturbed()
    assert web.reports == []


def test_a_script_that_takes_minutes_holds_up_nothing_but_the_load_event(
    visit: PageVisit, web: FakeWeb, order: tuple[str, str]
) -> None:
    """As every tag does that is async; what a shop does not want it to hold up is in `docs/how-to/`."""
    web.faults["GET"] = never_respond
    visit.open(serve_page(web, PAGE, fill_placeholders(SNIPPET.tag, *order)), until="domcontentloaded")
    visit.assert_undisturbed()
    assert visit.tab.locator("p").inner_text() == "Tot ziens"


@each_form
def test_a_strict_policy_that_allows_it_lets_it_report(
    visit: PageVisit, web: FakeWeb, app: Application, order: tuple[str, str], form: str
) -> None:
    script_src, connect_src = POLICIES[form].split("; ")
    policy = f"default-src 'none'; {script_src} 'self'; {connect_src}"
    visit.open(serve_page(web, PAGE, fill_placeholders(FORMS[form], *order), Content_Security_Policy=policy))
    wait_until(lambda: invited(app, order[1]))
    visit.assert_undisturbed()


@each_form
@pytest.mark.parametrize("missing", ["script-src", "connect-src"])
def test_a_strict_policy_that_forbids_it_is_not_noticed(
    visit: PageVisit, web: FakeWeb, order: tuple[str, str], form: str, missing: str
) -> None:
    script_src, connect_src = POLICIES[form].split("; ")
    allowed = connect_src if missing == "script-src" else f"{script_src} 'self'"
    own = "script-src 'self'; " if missing == "script-src" else ""
    policy = f"default-src 'none'; {own}{allowed}"
    visit.open(serve_page(web, PAGE, fill_placeholders(FORMS[form], *order), Content_Security_Policy=policy))
    visit.wait_until_idle()
    visit.assert_undisturbed()
    assert (web.reports, web.preflights) == ([], 0)


@each_form
@pytest.mark.parametrize(
    "broken",
    [
        "window.fetch = undefined",
        in_full("window.fetch = () => { throw new Error('no') }"),
        in_full("window.fetch = () => undefined"),
        in_full("window.fetch = () => Promise.reject(new Error('no'))"),
        in_full("JSON.stringify = () => { throw new Error('no') }"),
    ],
)
def test_a_browser_that_cannot_report_is_left_in_peace(
    visit: PageVisit, web: FakeWeb, order: tuple[str, str], form: str, broken: str
) -> None:
    visit.open(serve_page(web, PAGE, f"<script>{broken};</script>{fill_placeholders(FORMS[form], *order)}"))
    visit.wait_until_idle()
    visit.assert_undisturbed()
    assert web.reports == []


@each_form
def test_without_an_address_nothing_is_asked(visit: PageVisit, web: FakeWeb, form: str) -> None:
    visit.open(serve_page(web, PAGE, fill_placeholders(FORMS[form], "", "1001")))
    visit.wait_until_idle()
    visit.assert_undisturbed()
    assert (web.reports, web.preflights) == ([], 0)


@each_form
def test_without_an_order_number_none_is_sent(
    visit: PageVisit, web: FakeWeb, order: tuple[str, str], form: str
) -> None:
    visit.open(serve_page(web, PAGE, fill_placeholders(FORMS[form], order[0], "")))
    wait_until(lambda: web.reports)
    assert json.loads(web.reports[0]) == {"siteId": SITE, "email": order[0]}


HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(1)>${alert(1)}\\u0022 \u2028&quot;<!--"


@each_form
def test_a_hostile_order_number_is_a_text_like_any_other(
    visit: PageVisit, web: FakeWeb, app: Application, order: tuple[str, str], form: str
) -> None:
    number = f"{order[1]} {HOSTILE}"
    visit.open(serve_page(web, PAGE, fill_placeholders(FORMS[form], order[0], number)))
    wait_until(lambda: invited(app, number))
    visit.assert_undisturbed()
    assert json.loads(web.reports[0])["orderNumber"] == number


@each_form
@pytest.mark.parametrize(
    "email", [HOSTILE, in_full("CUSTOMER_EMAIL"), in_full("a@b" * 4_000)], ids=["markup", "unfilled", "long"]
)
def test_a_hostile_address_is_refused_and_nothing_is_noticed(
    visit: PageVisit, web: FakeWeb, form: str, email: str
) -> None:
    visit.open(serve_page(web, PAGE, fill_placeholders(FORMS[form], email, "1001")))
    wait_until(lambda: web.reports)
    visit.wait_until_idle()
    visit.assert_undisturbed()


def test_it_leaves_nothing_behind_that_a_page_could_trip_over(
    visit: PageVisit, web: FakeWeb, app: Application, order: tuple[str, str]
) -> None:
    """No global, nothing stored, and no cookie."""
    visit.open(serve_page(web, PAGE, ""))
    visit.assert_undisturbed()  # what the page itself leaves behind is there
    before = visit.tab.evaluate("Object.getOwnPropertyNames(window).sort()")
    visit.open(serve_page(web, PAGE, fill_placeholders(SNIPPET.tag, *order)))
    wait_until(lambda: invited(app, order[1]))
    visit.assert_undisturbed()
    after = visit.tab.evaluate("Object.getOwnPropertyNames(window).sort()")
    assert after == before
    left = visit.tab.evaluate("[document.cookie, localStorage.length, sessionStorage.length]")
    assert left == ["", 0, 0]
    assert visit.tab.context.cookies() == []
