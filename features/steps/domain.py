"""Hosts, as shops prove them and the operator checks them."""

from __future__ import annotations

from datetime import timedelta

from features.drivers.base import Driver
from features.steps.context import ScenarioContext
from pytest_bdd import given, parsers, then, when

from reviewinvite_core import Invalid, accepted
from reviewinvite_core.values import Domain, DomainCheck, DomainTaken, Problem, ProofWay

WAYS = {"in the DNS": ProofWay.DNS, "in a file": ProofWay.WELL_KNOWN}
REFUSALS = {
    "it is a public suffix": Invalid(Problem.PUBLIC_SUFFIX, "host"),
    "it is no host name": Invalid(Problem.NOT_A_HOST, "host"),
}
HOUR = timedelta(hours=1)


def only_domain(driver: Driver, shop: str) -> Domain:
    """Return the one domain of a shop."""
    (domain,) = accepted(driver.app.domains.list(shop))
    return domain


def add(driver: Driver, context: ScenarioContext, shop: str, host: str, *, assume_verified: bool = False) -> None:
    try:
        context.domain_result = driver.app.domains.add(shop, host, assume_verified)
    except Invalid as invalid:
        context.domain_result = invalid


@given(parsers.parse("{shop} has added the host {host}"))
def has_added(driver: Driver, shop: str, host: str) -> None:
    assert isinstance(driver.app.domains.add(shop, host), Domain)


@when(parsers.parse("{shop} adds the host {host}"))
def adds(driver: Driver, context: ScenarioContext, shop: str, host: str) -> None:
    add(driver, context, shop, host)


@given(parsers.parse("the operator has vouched for {shop}'s host {host}"))
def has_vouched(driver: Driver, shop: str, host: str) -> None:
    assert isinstance(driver.app.domains.add(shop, host, assume_verified=True), Domain)


@when(parsers.parse("the operator vouches for {shop}'s host {host}"))
def vouches(driver: Driver, context: ScenarioContext, shop: str, host: str) -> None:
    add(driver, context, shop, host, assume_verified=True)


@given(parsers.re(r"(?P<shop>\w+) has published its proof (?P<where>in the DNS|in a file)"))
def has_published(driver: Driver, shop: str, where: str) -> None:
    domain = only_domain(driver, shop)
    driver.proofs.published[domain.host.text, domain.proof] = WAYS[where]


@when(parsers.parse("{shop} publishes its proof"))
@when(parsers.parse("{shop} publishes its proof again"))
def publishes(driver: Driver, shop: str) -> None:
    has_published(driver, shop, "in the DNS")


@given(parsers.parse("{shop} has taken its proof away"))
def has_taken_away(driver: Driver, shop: str) -> None:
    domain = only_domain(driver, shop)
    del driver.proofs.published[domain.host.text, domain.proof]


@given(parsers.parse("the operator has checked {shop}'s host {host}"))
def has_checked(driver: Driver, shop: str, host: str) -> None:
    checked = driver.app.domains.check(shop, host)
    assert isinstance(checked, DomainCheck)
    assert checked.proved
    driver.proofs.lookups.clear()


@when(parsers.parse("the operator checks {shop}'s host {host}"))
def checks(driver: Driver, context: ScenarioContext, shop: str, host: str) -> None:
    context.domain_result = driver.app.domains.check(shop, host)


@when(parsers.parse("the operator removes {shop}'s host {host}"))
def removes(driver: Driver, shop: str, host: str) -> None:
    assert isinstance(driver.app.domains.remove(shop, host), Domain)


@when(parsers.parse("{days:d} days pass, with a round of looks every hour"))
def days_pass_with_checks(driver: Driver, days: int) -> None:
    for _ in range(24 * days):
        driver.clock.advance(HOUR)
        driver.app.domain_rechecker.once()


@then(
    parsers.re(r"(?P<host>[\w.-]+) is (?P<standing>unproved|verified|vouched|missing its proof|lost) for (?P<shop>\w+)")
)
def has_status(driver: Driver, host: str, standing: str, shop: str) -> None:
    standings = {domain.host.text: domain.status for domain in accepted(driver.app.domains.list(shop))}
    assert standings[host] == standing.removesuffix(" its proof")


@then(parsers.parse("{shop} has no hosts"))
def has_no_hosts(driver: Driver, shop: str) -> None:
    assert driver.app.domains.list(shop) == []


@then(parsers.parse("{count:d} looks were taken at {host}"))
def was_looked_up(driver: Driver, count: int, host: str) -> None:
    assert driver.proofs.lookups.count(host) == count


@then(parsers.parse("the host is refused, because another shop has it"))
def refused_as_taken(context: ScenarioContext) -> None:
    assert isinstance(context.domain_result, DomainTaken)


@then(parsers.re(r"the host is refused, because (?P<reason>it is .+)"))
def refused_because(context: ScenarioContext, reason: str) -> None:
    assert context.domain_result == REFUSALS[reason]
