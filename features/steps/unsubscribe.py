"""Customers who opt out, and operators who speak for them."""

from __future__ import annotations

from features.drivers.http import OverHttp
from features.drivers.library import Library
from features.steps.story import Story
from pytest_bdd import parsers, then, when

from reviewinvite_core import OptedOut, Reach, Subscription, SuppressedBy, SuppressionRecord

PART = b'Content-Disposition: form-data; name="List-Unsubscribe"'
ONE_CLICK = {
    "application/x-www-form-urlencoded": b"List-Unsubscribe=One-Click",
    "multipart/form-data": b"--x\r\n%b\r\n\r\nOne-Click\r\n--x--\r\n" % PART,
}


def link_of(driver: Library, story: Story, customer: str) -> str:
    """The token in the customer's latest invitation."""
    told = zip(story.told, story.accepted, strict=True)
    return driver.link_to_opt_out([answer.invite_id for (order, _), answer in told if order.email == customer][-1])


@when(parsers.parse("{customer} opens the link to opt out"))
def opens(driver: Library, story: Story, customer: str) -> None:
    story.page = driver.look_at_opting_out(link_of(driver, story, customer))


@when("somebody opens a link to opt out that lacks its end")
def opens_a_broken_one(driver: Library, story: Story) -> None:
    story.page = driver.look_at_opting_out(driver.link_to_opt_out(story.latest.invite_id)[:-1])


@when(parsers.re(r"(?P<customer>\S+) opts out of (?P<shop>\w+)"))
def opts_out(driver: Library, story: Story, customer: str, shop: str) -> None:
    link = link_of(driver, story, customer)
    assert driver.shop_of(story.latest.invite_id) == shop
    story.page = driver.opt_out(link, Reach.THIS_SHOP)


@when(parsers.parse("{customer} opts out of all shops"))
def opts_out_of_all(driver: Library, story: Story, customer: str) -> None:
    story.page = driver.opt_out(link_of(driver, story, customer), Reach.EVERY_SHOP)


@when(parsers.parse("the worker runs, and {customer} opts out of {shop} at the last moment"))
def delivers_and_opts_out(driver: Library, story: Story, customer: str, shop: str) -> None:
    driver.mailer.before_the_end = lambda: opts_out(driver, story, customer, shop)
    driver.deliver()


@when(parsers.parse("the operator suppresses {customer}"))
def suppresses(driver: Library, customer: str) -> None:
    assert isinstance(driver.app.add_suppression(customer, None), SuppressionRecord)


@when(parsers.parse("the operator takes the suppression of {customer} back"))
def takes_back(driver: Library, customer: str) -> None:
    assert isinstance(driver.app.remove_suppression(customer, None, SuppressedBy.OPERATOR), SuppressionRecord)


@when(parsers.parse("{customer} asks the operator to be written to again"))
def asks(driver: Library, customer: str) -> None:
    assert isinstance(driver.app.remove_suppression(customer, None, SuppressedBy.CUSTOMER), SuppressionRecord)


@then(parsers.parse("the operator can not take the suppression of {customer} back"))
def cannot_take_back(driver: Library, customer: str) -> None:
    assert driver.app.remove_suppression(customer, None, SuppressedBy.OPERATOR) == OptedOut()


@then(parsers.parse("she is asked whether to stop the invitations of {shop}"))
def is_asked(story: Story, shop: str) -> None:
    assert isinstance(story.page, Subscription)
    assert (story.page.shop_name, story.page.stopped) == (shop.title(), False)


@then(parsers.parse("she is told that the invitations of {shop} have stopped"))
def is_told(story: Story, shop: str) -> None:
    assert isinstance(story.page, Subscription)
    assert (story.page.shop_name, story.page.stopped, story.page.stopped_everywhere) == (shop.title(), True, False)


@then("there is no such page")
def no_such_page(story: Story) -> None:
    assert story.page is None


@when(parsers.parse("the mail program of {customer} opts out in one click as {media_type}"))
def opts_out_in_one_click(driver: OverHttp, story: Story, customer: str, media_type: str) -> None:
    headers = {"Content-Type": f"{media_type}; boundary=x"}
    path = f"/u/{link_of(driver, story, customer)}"
    story.page_status = driver.ask_for_page("POST", path, ONE_CLICK[media_type], headers).status


@when(parsers.parse("somebody asks for {customer}'s link with {method}"))
def asks_with(driver: OverHttp, story: Story, customer: str, method: str) -> None:
    story.page_status = driver.ask_for_page(method, f"/u/{link_of(driver, story, customer)}").status


@then(parsers.parse("the page is answered with {status:d}"))
def page_status_is(story: Story, status: int) -> None:
    assert story.page_status == status
