"""Hosts, as shops prove them and the operator checks them."""

from __future__ import annotations

from datetime import timedelta

from features.drivers.library import Library
from features.steps.story import Story
from pytest_bdd import given, parsers, then, when

from reviewinvite_core import Domain, DomainCheck, DomainTaken, Invalid, Problem, ProofWay

WAYS = {"in the DNS": ProofWay.DNS, "in a file": ProofWay.WELL_KNOWN}
WORDS = {
    "it is a public suffix": Invalid(Problem.PUBLIC_SUFFIX, "host"),
    "it is no host name": Invalid(Problem.NOT_A_HOST, "host"),
}
HOUR = timedelta(hours=1)


def the_domain(driver: Library, shop: str) -> Domain:
    """The one host of a shop."""
    [domain] = driver.app.list_domains(shop)
    return domain


def add(driver: Library, story: Story, shop: str, host: str, *, assume_verified: bool = False) -> None:
    try:
        story.domain_answer = driver.app.add_domain(shop, host, assume_verified)
    except Invalid as invalid:
        story.domain_answer = invalid


@given(parsers.parse("{shop} has added the host {host}"))
def has_added(driver: Library, shop: str, host: str) -> None:
    assert isinstance(driver.app.add_domain(shop, host), Domain)


@when(parsers.parse("{shop} adds the host {host}"))
def adds(driver: Library, story: Story, shop: str, host: str) -> None:
    add(driver, story, shop, host)


@given(parsers.parse("the operator has vouched for {shop}'s host {host}"))
def has_vouched(driver: Library, shop: str, host: str) -> None:
    assert isinstance(driver.app.add_domain(shop, host, assume_verified=True), Domain)


@when(parsers.parse("the operator vouches for {shop}'s host {host}"))
def vouches(driver: Library, story: Story, shop: str, host: str) -> None:
    add(driver, story, shop, host, assume_verified=True)


@given(parsers.re(r"(?P<shop>\w+) has published its proof (?P<where>in the DNS|in a file)"))
def has_published(driver: Library, shop: str, where: str) -> None:
    domain = the_domain(driver, shop)
    driver.internet.published[domain.host.text, domain.proof] = WAYS[where]


@when(parsers.parse("{shop} publishes its proof again"))
def publishes_again(driver: Library, shop: str) -> None:
    has_published(driver, shop, "in the DNS")


@given(parsers.parse("{shop} has taken its proof away"))
def has_taken_away(driver: Library, shop: str) -> None:
    domain = the_domain(driver, shop)
    del driver.internet.published[domain.host.text, domain.proof]


@given(parsers.parse("the operator has checked {shop}'s host {host}"))
def has_checked(driver: Library, shop: str, host: str) -> None:
    checked = driver.app.check_domain(shop, host)
    assert isinstance(checked, DomainCheck)
    assert checked.proved
    driver.internet.looks.clear()


@when(parsers.parse("the operator checks {shop}'s host {host}"))
def checks(driver: Library, story: Story, shop: str, host: str) -> None:
    story.domain_answer = driver.app.check_domain(shop, host)


@when(parsers.parse("the operator removes {shop}'s host {host}"))
def removes(driver: Library, shop: str, host: str) -> None:
    assert isinstance(driver.app.remove_domain(shop, host), Domain)


@when(parsers.parse("{days:d} days pass, with a round of looks every hour"))
def days_pass_with_looks(driver: Library, days: int) -> None:
    for _ in range(24 * days):
        driver.clock.advance(HOUR)
        list(driver.app.domain_watch.once())


@then(
    parsers.re(r"(?P<host>[\w.-]+) is (?P<standing>unproved|verified|vouched|missing its proof|lost) for (?P<shop>\w+)")
)
def stands(driver: Library, host: str, standing: str, shop: str) -> None:
    standings = {domain.host.text: domain.standing for domain in driver.app.list_domains(shop)}
    assert standings[host] == standing.removesuffix(" its proof")


@then(parsers.parse("{shop} has no hosts"))
def has_no_hosts(driver: Library, shop: str) -> None:
    assert driver.app.list_domains(shop) == []


@then(parsers.parse("{count:d} looks were taken at {host}"))
def looks_were_taken(driver: Library, count: int, host: str) -> None:
    assert driver.internet.looks.count(host) == count


@then(parsers.parse("the host is refused, because another shop has it"))
def refused_as_taken(story: Story) -> None:
    assert isinstance(story.domain_answer, DomainTaken)


@then(parsers.re(r"the host is refused, because (?P<reason>it is .+)"))
def refused_because(story: Story, reason: str) -> None:
    assert story.domain_answer == WORDS[reason]
