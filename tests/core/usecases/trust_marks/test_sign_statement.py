"""Statements: what they say of a shop, and that what was signed once in a minute is not signed again."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import timedelta
from functools import partial

import attrs
import pytest
from tests.builders import a_domain
from tests.core.usecases.harness import present

from reviewinvite_core import Application, Settings, ShopChanges, build
from reviewinvite_core.domain import signed_statements
from reviewinvite_core.domain.signing import is_signed_by
from reviewinvite_core.ports import Storage, Store
from reviewinvite_core.testing.builders import NOON, CountingEntropy, ManualClock, a_shop
from reviewinvite_core.usecases.trust_marks import sign_compactly, sign_statements
from reviewinvite_core.values import Domain, Shop, SignedStatement

SECRET = "only for tests, and long enough"


@pytest.fixture(autouse=True)
def empty_caches() -> None:
    """Start without what other tests have signed in this process."""
    signed_statements._SIGNED._made.clear()
    signed_statements._COMPACT._made.clear()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def with_two_shops(storage: Storage, clock: ManualClock) -> Application:
    settings = Settings(secret=SECRET, mail_url="recording:")
    application = build(settings, clock=clock, entropy=CountingEntropy(), storage=storage)
    for site_id in ("molen", "kaas"):
        application.shops.add(a_shop(site_id))
    return application


@pytest.fixture
def app(each_storage: Storage, clock: ManualClock) -> Iterator[Application]:
    with closing(with_two_shops(each_storage, clock)) as application:
        yield application


def statements(app: Application) -> Mapping[str, SignedStatement]:
    """Sign a statement about every shop, and return them by site id."""
    shops = app.shops.list()
    signed = app.delivery._transactions().run(lambda work: sign_statements(work, shops))
    return {shop.site_id.text: signed[shop.number] for shop in shops}


def compact(app: Application) -> bytes:
    """Sign the statement about molen as a JWS."""
    [shop] = [shop for shop in app.shops.list() if shop.site_id.text == "molen"]
    return app.delivery._transactions().run(lambda work: sign_compactly(work, [shop]))[shop.number]


def add_domain(store: Store, *, domain: Domain) -> None:
    store.domains.add(domain)


def test_a_statement_tells_the_shop_its_verified_hosts_its_mark_and_its_score(
    app: Application, each_storage: Storage
) -> None:
    shop = app.shops.show("molen")
    assert isinstance(shop, Shop)
    for host, verified_at in (("www.molen.example.nl", NOON), ("molen.example.nl", NOON), ("other.example.nl", None)):
        domain = a_domain(shop.number, host, verified_at=verified_at, vouched=verified_at is not None)
        each_storage.run(partial(add_domain, domain=domain))
    app.trust_marks.grant("molen")
    signed = statements(app)
    assert signed["molen"].statement.claims == {
        "type": "reviewinvite/statement/v1",
        "siteId": "molen",
        "name": "Bakkerij De Molen",
        "domains": ["molen.example.nl", "www.molen.example.nl"],
        "status": "trusted",
        "rating": {"count": 0, "mean": None},
        "issuedAt": "2026-03-02T12:00:00.000Z",
        "expiresAt": "2026-03-02T12:10:00.000Z",
    }
    assert signed["kaas"].statement.claims["domains"] == []
    assert signed["kaas"].statement.claims["status"] == "unverified"


def test_a_document_holds_the_statement_and_the_signature_over_its_canonical_form(app: Application) -> None:
    signed = statements(app)["molen"]
    document = json.loads(signed.document)
    [key] = [key for key in app.signing_keys.published() if key.key_id == signed.key_id]
    assert document["statement"] == signed.statement.claims
    value = document["signature"].pop("value")
    assert document["signature"] == {"keyId": key.key_id, "algorithm": "Ed25519"}
    assert base64.urlsafe_b64decode(value + "==") == signed.signature
    assert is_signed_by(key.public_key, signed.statement.canonical, signed.signature)
    assert key.state == "signing"


def test_a_statement_already_signed_in_this_minute_is_not_signed_again(app: Application, clock: ManualClock) -> None:
    first = statements(app)["molen"]
    first_compact = compact(app)
    clock.set(NOON.replace(second=59))
    assert statements(app)["molen"] is first
    assert compact(app) is first_compact
    clock.advance(timedelta(seconds=1))
    assert statements(app)["molen"].statement.issued_at == first.statement.issued_at + timedelta(minutes=1)
    assert compact(app) != first_compact


def test_what_has_changed_is_signed_again_in_the_same_minute(app: Application) -> None:
    said = [statements(app)["molen"]]
    app.trust_marks.grant("molen")
    said.append(statements(app)["molen"])
    app.shops.update("molen", ShopChanges(name="Another"))
    said.append(statements(app)["molen"])
    app.trust_marks.revoke("molen")
    said.append(statements(app)["molen"])
    app.signing_keys.revoke(said[0].key_id)
    said.append(statements(app)["molen"])
    assert [one.statement.status for one in said] == ["unverified", "trusted", "trusted", "revoked", "revoked"]
    assert said[3].key_id != said[4].key_id
    assert len({one.document for one in said}) == 5
    keys = {key.key_id: key.public_key for key in app.signing_keys.list()}
    assert all(is_signed_by(keys[one.key_id], one.statement.canonical, one.signature) for one in said)


def test_what_is_kept_of_signing_is_bounded_and_holds_no_seed(app: Application, clock: ManualClock) -> None:
    key = next(key for key in app.signing_keys.published() if key.state == "signing")
    ring = app.delivery._transactions().run(lambda work: work.ring)
    sealed = present(key.sealed_seed)
    first = statements(app)["molen"]
    kept = repr(signed_statements._SIGNED._made).encode()
    assert first.key_id.encode() in kept
    assert not any(secret in kept for secret in (ring.open_seed(sealed), sealed))
    assert statements(app)["molen"] is first
    for number in range(signed_statements.CACHE_SIZE):
        another = attrs.evolve(first.statement, name=f"Shop {number}")
        signed_statements.sign_statement(another, key, ring)
    assert len(signed_statements._SIGNED._made) <= signed_statements.CACHE_SIZE
    assert statements(app)["molen"] is not first


def test_many_threads_may_sign_at_once(concurrent_storage: Storage, clock: ManualClock) -> None:
    app = with_two_shops(concurrent_storage, clock)
    seen: list[bytes] = []
    threads = [threading.Thread(target=lambda: seen.append(statements(app)["molen"].document)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len(set(seen)) == 1
    assert len(app.signing_keys.list()) == 2
