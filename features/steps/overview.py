"""What the first page of a shop says."""

from __future__ import annotations

from datetime import date

from features.drivers.base import Driver
from pytest_bdd import parsers, then

from reviewinvite_core import accepted
from reviewinvite_core.values import Overview, TroubleCode, Week


def first_page(driver: Driver, shop: str) -> Overview:
    """Return what the page shows, whose figures are those of a recount."""
    assert driver.app.invitations.recount() == driver.app.reviews.recount() == []
    return accepted(driver.app.shops.overview(shop))


def week_of(driver: Driver, shop: str, monday: str) -> Week:
    """Return the week that begins on this day."""
    return next(week for week in first_page(driver, shop).weeks if week.monday == date.fromisoformat(monday))


def steps_left(driver: Driver, shop: str) -> list[str]:
    """Return the names of the steps that are to be done."""
    steps = first_page(driver, shop).checklist
    done = {
        "key": steps.key_made,
        "order": steps.order_reported,
        "domain": steps.domain_verified,
        "badge": steps.badge_seen,
    }
    return [name for name, is_done in done.items() if not is_done]


@then(parsers.parse("the first page of {shop} has these steps left: {names}"))
def has_steps_left(driver: Driver, shop: str, names: str) -> None:
    assert steps_left(driver, shop) == names.replace(" and ", ", ").split(", ")
    assert not first_page(driver, shop).checklist.is_done


@then(parsers.parse("the first page of {shop} has no steps left"))
def has_no_steps_left(driver: Driver, shop: str) -> None:
    assert steps_left(driver, shop) == []
    assert first_page(driver, shop).checklist.is_done


@then(
    parsers.re(
        r"the first page of (?P<shop>\w+) has (?P<sent>\d+) invitations? in the week of (?P<monday>\S+) (?P<rest>.+)"
    )
)
def has_week(driver: Driver, shop: str, sent: str, monday: str, rest: str) -> None:
    week = week_of(driver, shop, monday)
    assert week.sent == int(sent)
    assert week.mean == (None if rest == "and no reviews" else rest.removeprefix("and a mean of "))


@then(parsers.parse("the response rate of {shop} is {percent} per cent"))
def has_response_rate(driver: Driver, shop: str, percent: str) -> None:
    assert first_page(driver, shop).response_percent == percent


@then(parsers.parse("the first page of {shop} says that it is inactive"))
def says_inactive(driver: Driver, shop: str) -> None:
    assert [trouble.code for trouble in first_page(driver, shop).troubles] == [TroubleCode.INACTIVE]


@then(parsers.parse("nothing on the first page of {shop} says that something is wrong"))
def says_nothing(driver: Driver, shop: str) -> None:
    assert first_page(driver, shop).troubles == []
