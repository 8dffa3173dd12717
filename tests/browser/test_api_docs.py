"""The page of the API in a real browser: complete under its own policy, from the service alone, and of use."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect
from tests.browser.accessibility import violations
from tests.browser.fake_web import BASE_URL, SITE
from tests.browser.page_visit import ConsoleLog, PageVisit, TakePicture
from tests.waiting import wait_until

from reviewinvite_core import OPERATOR, Application, InvitationQuery, accepted

PAGE = f"{BASE_URL}/v1/docs"
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"
TAGS = ("Orders", "Reviews", "Invitations", "Shop", "Domains", "Verification", "Health")
NARROW, WIDE = 360, 1280


def open_page(visit: PageVisit, width: int = WIDE) -> None:
    """Open the page in a window of this width, and wait until it is drawn."""
    visit.tab.set_viewport_size({"width": width, "height": 800})
    visit.open(PAGE)
    visit.tab.get_by_text("Report completed orders.", exact=False).first.wait_for()


def open_operation(visit: PageVisit, summary: str) -> None:
    """Open an operation by the text of its link."""
    visit.tab.get_by_text(summary, exact=True).first.click()
    visit.tab.get_by_role("button", name="EXECUTE").wait_for()


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_it_is_drawn_under_its_own_policy_and_from_the_service_alone(
    visit: PageVisit, console_log: ConsoleLog, take_picture: TakePicture, width: int
) -> None:
    requested: list[str] = []
    visit.tab.on("request", lambda request: requested.append(request.url))
    open_page(visit, width)
    for tag in TAGS:
        expect(visit.tab.get_by_text(tag, exact=True).first).to_be_visible()
    visit.wait_until_idle()
    take_picture(f"api-docs-{width}")
    assert visit.tab.evaluate(OVERFLOW) <= 0
    assert {url.startswith(f"{BASE_URL}/") for url in requested} == {True}
    assert len(requested) >= 3  # the page, its script and the description
    assert visit.errors == []
    assert console_log.lines == []


@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_an_operation_shows_an_example_of_what_it_answers(
    visit: PageVisit, take_picture: TakePicture, width: int
) -> None:
    open_page(visit, width)
    open_operation(visit, "Retrieve the shop and its settings")
    expect(visit.tab.get_by_text('"bakkerij-de-molen"').last).to_be_visible()
    take_picture(f"api-docs-operation-{width}", full_page=True)
    assert visit.tab.evaluate(OVERFLOW) <= 0


def test_a_request_can_be_tried_out(visit: PageVisit, console_log: ConsoleLog) -> None:
    open_page(visit)
    open_operation(visit, "Check that the process responds")
    visit.tab.get_by_role("button", name="EXECUTE").click()
    expect(visit.tab.locator(".response-message")).to_contain_text("200")
    expect(visit.tab.get_by_text('"ok"').first).to_be_visible()
    assert console_log.lines == []


def test_an_order_is_reported_with_a_key_that_the_page_forgets(
    visit: PageVisit, console_log: ConsoleLog, app: Application
) -> None:
    open_page(visit)
    visit.tab.get_by_text("AUTHENTICATION", exact=False).first.click()
    visit.tab.locator("input[name=api-key]").fill(accepted(app.api_keys.create(SITE, "docs")).secret.text)
    visit.tab.get_by_role("button", name="SET", exact=True).click()
    open_operation(visit, "Report a completed order and schedule its invitation")
    visit.tab.get_by_role("button", name="EXECUTE").click()
    expect(visit.tab.locator(".response-message")).to_contain_text("201")
    (listed,) = accepted(app.invitations.list(OPERATOR, InvitationQuery())).invitations
    assert listed.invitation.order_number == "1001"
    assert console_log.lines == []
    assert visit.tab.evaluate("[localStorage.length, sessionStorage.length, document.cookie]") == [0, 0, ""]
    visit.tab.reload()
    visit.tab.get_by_text("AUTHENTICATION", exact=False).first.click()
    wait_until(lambda: visit.tab.locator("input[name=api-key]").input_value() == "")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_it_hinders_nobody(visit: PageVisit, width: int, scheme: str) -> None:
    visit.tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    open_page(visit, width)
    assert violations(visit.tab) == []
    open_operation(visit, "Reply to a review")
    assert violations(visit.tab) == []
