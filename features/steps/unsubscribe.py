"""Customers who opt out, and operators who speak for them."""

from __future__ import annotations

from features.drivers.base import Driver
from features.drivers.http import HttpDriver
from features.steps.context import ScenarioContext
from pytest_bdd import parsers, then, when

from reviewinvite_core.values import OptedOut, Reach, Subscription, SuppressedBy, SuppressionRecord

PART = b'Content-Disposition: form-data; name="List-Unsubscribe"'
ONE_CLICK = {
    "application/x-www-form-urlencoded": b"List-Unsubscribe=One-Click",
    "multipart/form-data": b"--x\r\n%b\r\n\r\nOne-Click\r\n--x--\r\n" % PART,
}


def opt_out_token_of(driver: Driver, context: ScenarioContext, customer: str) -> str:
    """Return the token to opt out in the customer's latest invitation."""
    invitations = zip(context.reports, context.scheduled, strict=True)
    return driver.opt_out_token([answer.invite_id for (order, _), answer in invitations if order.email == customer][-1])


@when(parsers.parse("{customer} opens the link to opt out"))
def opens(driver: Driver, context: ScenarioContext, customer: str) -> None:
    context.opt_out_page = driver.open_opt_out_page(opt_out_token_of(driver, context, customer))


@when("somebody opens a link to opt out that lacks its end")
def opens_a_broken_one(driver: Driver, context: ScenarioContext) -> None:
    context.opt_out_page = driver.open_opt_out_page(driver.opt_out_token(context.latest_invitation.invite_id)[:-1])


@when(parsers.re(r"(?P<customer>\S+) opts out of (?P<shop>\w+)"))
def opts_out(driver: Driver, context: ScenarioContext, customer: str, shop: str) -> None:
    token = opt_out_token_of(driver, context, customer)
    assert driver.shop_of(context.latest_invitation.invite_id) == shop
    context.opt_out_page = driver.opt_out(token, Reach.THIS_SHOP)


@when(parsers.parse("{customer} opts out of all shops"))
def opts_out_of_all(driver: Driver, context: ScenarioContext, customer: str) -> None:
    context.opt_out_page = driver.opt_out(opt_out_token_of(driver, context, customer), Reach.EVERY_SHOP)


@when(parsers.parse("{customer} undoes that by the same link"))
def undoes(driver: Driver, context: ScenarioContext, customer: str) -> None:
    context.opt_out_page = driver.resubscribe(opt_out_token_of(driver, context, customer))


@when(parsers.parse("the worker runs, and {customer} opts out of {shop} at the last moment"))
def delivers_and_opts_out(driver: Driver, context: ScenarioContext, customer: str, shop: str) -> None:
    driver.mailer.before_commit = lambda: opts_out(driver, context, customer, shop)
    driver.deliver()


@when(parsers.parse("the operator suppresses {customer}"))
def suppresses(driver: Driver, customer: str) -> None:
    assert isinstance(driver.app.privacy.suppress(customer, None), SuppressionRecord)


@when(parsers.parse("the operator takes the suppression of {customer} back"))
def takes_back(driver: Driver, customer: str) -> None:
    assert isinstance(driver.app.privacy.remove_suppression(customer, None, SuppressedBy.OPERATOR), SuppressionRecord)


@when(parsers.parse("{customer} asks the operator to be written to again"))
def asks(driver: Driver, customer: str) -> None:
    assert isinstance(driver.app.privacy.remove_suppression(customer, None, SuppressedBy.CUSTOMER), SuppressionRecord)


@then(parsers.parse("the operator can not take the suppression of {customer} back"))
def cannot_take_back(driver: Driver, customer: str) -> None:
    assert driver.app.privacy.remove_suppression(customer, None, SuppressedBy.OPERATOR) == OptedOut()


@then(parsers.parse("she is asked whether to stop the invitations of {shop}"))
def is_asked(context: ScenarioContext, shop: str) -> None:
    assert isinstance(context.opt_out_page, Subscription)
    assert (context.opt_out_page.shop_name, context.opt_out_page.stopped) == (shop.title(), False)


@then(parsers.parse("she reads that the invitations of {shop} have stopped"))
def is_told(context: ScenarioContext, shop: str) -> None:
    assert isinstance(context.opt_out_page, Subscription)
    assert (context.opt_out_page.shop_name, context.opt_out_page.stopped, context.opt_out_page.stopped_everywhere) == (
        shop.title(),
        True,
        False,
    )


@then("she can not undo that")
def cannot_undo(context: ScenarioContext) -> None:
    assert isinstance(context.opt_out_page, Subscription)
    assert (context.opt_out_page.stopped, context.opt_out_page.can_resubscribe) == (True, False)


@then("there is no such page")
def no_such_page(context: ScenarioContext) -> None:
    assert context.opt_out_page is None


@when(parsers.parse("the mail program of {customer} opts out in one click as {media_type}"))
def opts_out_in_one_click(driver: HttpDriver, context: ScenarioContext, customer: str, media_type: str) -> None:
    headers = {"Content-Type": f"{media_type}; boundary=x"}
    path = f"/u/{opt_out_token_of(driver, context, customer)}"
    context.opt_out_status = driver.request_page("POST", path, ONE_CLICK[media_type], headers).status


@when(parsers.parse("somebody asks for {customer}'s link with {method}"))
def asks_with(driver: HttpDriver, context: ScenarioContext, customer: str, method: str) -> None:
    context.opt_out_status = driver.request_page(method, f"/u/{opt_out_token_of(driver, context, customer)}").status


@then(parsers.parse("the page is answered with {status:d}"))
def page_status_is(context: ScenarioContext, status: int) -> None:
    assert context.opt_out_status == status
