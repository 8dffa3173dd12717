"""API keys: made, shown, used and revoked."""

from __future__ import annotations

import re

from features.drivers.base import Driver
from features.drivers.http import HttpDriver
from features.drivers.values import Order
from features.steps.context import KEYS, TEXT, ScenarioContext, text
from features.steps.order import report
from pytest_bdd import given, parsers, then, when
from tests.cli.command import Installation

from reviewinvite_core import SecretKey, accepted

ORDER = Order(email="anna@example.com", number="1001")


@given(parsers.parse("{shop} has a second API key"))
@when(parsers.parse("the operator makes {shop} another API key"))
def another_key(driver: Driver, context: ScenarioContext, shop: str) -> None:
    context.api_keys[shop].append(accepted(driver.app.api_keys.create(shop, "second")))


@when(parsers.re(r"the operator revokes (?P<shop>\w+)'s (?P<which>first|second) key"))
def revoke(driver: Driver, context: ScenarioContext, shop: str, which: str) -> None:
    key_id = context.api_keys[shop][KEYS[which]].api_key.key_id
    assert accepted(driver.app.api_keys.revoke(key_id)).revoked_at == driver.clock.now()


@when(parsers.parse("the operator revokes {shop}'s key with the command, in another process"))
def revoke_elsewhere(driver: HttpDriver, context: ScenarioContext, shop: str) -> None:
    variables = {"REVIEWINVITE_DATABASE_URL": driver.database_url}
    if driver.secret:
        variables["REVIEWINVITE_SECRET"] = driver.secret
    key_id = context.api_keys[shop][0].api_key.key_id
    assert Installation(driver.folder, **variables).run("key", "revoke", key_id, "--yes").code == 0


@when(parsers.re(r"(?P<shop>\w+) reports an order with its (?P<which>first|second) key"))
def report_with(driver: Driver, context: ScenarioContext, shop: str, which: str) -> None:
    report(driver, context, context.next_order(), context.key_of(shop, which))


@when(parsers.re(rf"someone reports an order with the key (?P<key>{TEXT})"), converters={"key": text})
def report_with_a_text(driver: Driver, context: ScenarioContext, key: str) -> None:
    report(driver, context, ORDER, key)


@when("someone reports an order with a key that looks right but was never made")
def report_with_an_unknown_key(driver: Driver, context: ScenarioContext) -> None:
    report(driver, context, ORDER, SecretKey.make(bytes(23)).text)


@when(parsers.parse("someone reports an order with {shop}'s key, mistyped in one character"))
def report_with_a_mistyped_key(driver: Driver, context: ScenarioContext, shop: str) -> None:
    key = context.key_of(shop)
    report(driver, context, ORDER, key[:9] + ("b" if key[9] == "a" else "a") + key[10:])


@when(parsers.parse("someone reports an order with {shop}'s key, without its last character"))
def report_with_a_cut_key(driver: Driver, context: ScenarioContext, shop: str) -> None:
    report(driver, context, ORDER, context.key_of(shop)[:-1])


@then(parsers.parse("{shop}'s key is rvi_ and {count:d} letters and digits"))
def key_form(context: ScenarioContext, shop: str, count: int) -> None:
    assert re.fullmatch(rf"rvi_[0-9A-Za-z]{{{count}}}", context.key_of(shop))


@then(parsers.parse("no two keys of {shop} are the same"))
def keys_differ(context: ScenarioContext, shop: str) -> None:
    keys = [key.secret.text for key in context.api_keys[shop]]
    assert len(keys) > 1
    assert len(set(keys)) == len(keys)


@then(parsers.parse("the list of {shop}'s keys shows of each its last four characters, and no more"))
def last_four_only(driver: Driver, context: ScenarioContext, shop: str) -> None:
    shown = accepted(driver.app.api_keys.list(shop))
    assert sorted(key.last_four for key in shown) == sorted(key.secret.text[-4:] for key in context.api_keys[shop])
    assert all(key.secret.text[:-4] not in repr(shown) for key in context.api_keys[shop])


@then(parsers.parse("no file of the service holds {shop}'s key"))
def key_in_no_file(driver: Driver, context: ScenarioContext, shop: str) -> None:
    files = [path.read_bytes() for path in driver.folder.rglob("*") if path.is_file()]
    assert any(shop.encode() in content for content in files), "the files were not found"
    assert not any(context.key_of(shop).encode() in content for content in files)
