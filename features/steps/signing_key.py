"""Signing keys, and a verifier that has fetched the public keys at some time."""

from __future__ import annotations

import json
from datetime import datetime

from features.drivers.base import Driver
from features.steps.context import ScenarioContext, instant
from features.steps.view import last_statement
from pytest_bdd import given, parsers, then, when

from reviewinvite_core import StatementRefused, verify_statement
from reviewinvite_core.admin import StandbyTooNew
from reviewinvite_core.values import Flaw, KeySet, KeyState, Shop, Statement, TrustMarkStateConflict


def key_id_in(driver: Driver, state: KeyState) -> str:
    """Return the id of the one key in this state."""
    [key] = [key for key in driver.app.signing_keys.list() if key.state is state]
    return key.key_id


def verdict(driver: Driver, context: ScenarioContext) -> Statement | StatementRefused:
    return verify_statement(
        last_statement(context).document, context.fetched_keys, now=driver.clock.now(), site_id="bakkerij"
    )


@given("a verifier has fetched the public keys")
@when("a verifier fetches the public keys")
def fetches(driver: Driver, context: ScenarioContext) -> None:
    context.fetched_keys = driver.public_keys()


@when("the operator rotates the signing keys")
def rotates(driver: Driver, context: ScenarioContext) -> None:
    context.rotation_result = driver.app.signing_keys.rotate()


@when("the operator rotates the signing keys in an emergency")
def rotates_now(driver: Driver) -> None:
    assert isinstance(driver.app.signing_keys.rotate_now(), KeySet)


@when("the operator says that the key that signs is compromised")
def signing_key_is_compromised(driver: Driver) -> None:
    assert isinstance(driver.app.signing_keys.revoke(key_id_in(driver, KeyState.SIGNING)), KeySet)


@when("the operator says that the standby is compromised")
def standby_is_compromised(driver: Driver) -> None:
    assert isinstance(driver.app.signing_keys.revoke(key_id_in(driver, KeyState.ANNOUNCED)), KeySet)


@when(parsers.parse("the operator revokes {shop}'s trust mark"))
def mark_is_revoked(driver: Driver, shop: str) -> None:
    assert isinstance(driver.app.trust_marks.revoke(shop), Shop)


@then(parsers.parse("{shop}'s trust mark cannot be revoked"))
def mark_cannot_be_revoked(driver: Driver, shop: str) -> None:
    assert driver.app.trust_marks.revoke(shop) == TrustMarkStateConflict("absent")


@then(parsers.parse("there are {count:d} public keys"))
def has_public_keys(driver: Driver, count: int) -> None:
    assert len(json.loads(driver.public_keys())["keys"]) == count


@then("one key signs and one stands by")
def one_signs(driver: Driver) -> None:
    published = {key["kid"] for key in json.loads(driver.public_keys())["keys"]}
    assert {key_id_in(driver, KeyState.SIGNING), key_id_in(driver, KeyState.ANNOUNCED)} <= published


@then("the public keys are those that the verifier has")
def keys_are_the_same(driver: Driver, context: ScenarioContext) -> None:
    assert json.loads(driver.public_keys()) == json.loads(context.fetched_keys)


@then(parsers.parse("that is refused until {at}"), converters={"at": instant})
def is_refused_until(context: ScenarioContext, at: datetime) -> None:
    assert context.rotation_result == StandbyTooNew(at)


@then("the verifier believes it with the keys that it has")
def believes(driver: Driver, context: ScenarioContext) -> None:
    assert isinstance(verdict(driver, context), Statement)


@then("the verifier does not know its key")
def does_not_know(driver: Driver, context: ScenarioContext) -> None:
    assert verdict(driver, context) == StatementRefused(Flaw.UNKNOWN_KEY)


@then("no file of the service holds a private key")
def private_key_in_no_file(driver: Driver) -> None:
    ring = driver.app.delivery._transactions().run(lambda unit: unit.ring)
    sealed = [key.sealed_seed for key in driver.app.signing_keys.list()]
    seeds = [ring.open_seed(each) for each in sealed if each is not None]
    files = [path.read_bytes() for path in driver.folder.rglob("*") if path.is_file()]
    assert len(seeds) == 2
    assert sum(b"signing_keys" in content for content in files) > 1, "the database and its backup were not found"
    assert not any(form in content for seed in seeds for form in (seed, seed.hex().encode()) for content in files)
