"""Statements: what they say of a shop, and that what was signed once in a minute is not signed again."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator, Mapping
from datetime import timedelta

import pytest

from reviewinvite_core import Application, Settings, Shop, ShopChanges, SignedStatement, build
from reviewinvite_core.domain import signed_statements
from reviewinvite_core.domain.signing import is_signed_by
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import NOON, CountingEntropy, ManualClock, a_domain, a_shop
from reviewinvite_core.usecases.sign_statement import sign_compactly, sign_statements

SECRET = "only for tests, and long enough"


@pytest.fixture(autouse=True)
def nothing_kept() -> None:
    """How much other tests have signed is of no account here."""
    signed_statements._SIGNED._made.clear()
    signed_statements._COMPACT._made.clear()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def app(each_storage: Storage, clock: ManualClock) -> Iterator[Application]:
    settings = Settings(secret=SECRET, mail_url="recording:")
    application = build(settings, clock=clock, entropy=CountingEntropy(), storage=each_storage)
    for site_id in ("molen", "kaas"):
        application.add_shop(a_shop(site_id))
    yield application
    application.close()


def statements(app: Application, storage: Storage) -> Mapping[str, SignedStatement]:
    """The signed statement about every shop, by site id."""
    shops = app.list_shops()
    signed = storage.run(lambda store: sign_statements(app.show_shop._work_on(store), shops))
    return {shop.site_id.text: signed[shop.number] for shop in shops}


def compact(app: Application, storage: Storage) -> bytes:
    """The statement about molen as a JWS."""
    [shop] = [shop for shop in app.list_shops() if shop.site_id.text == "molen"]
    return storage.run(lambda store: sign_compactly(app.show_shop._work_on(store), [shop]))[shop.number]


def test_a_statement_tells_the_shop_its_verified_hosts_its_mark_and_its_score(
    app: Application, each_storage: Storage
) -> None:
    shop = app.show_shop("molen")
    assert isinstance(shop, Shop)
    for host, verified_at in (("www.molen.example.nl", NOON), ("molen.example.nl", NOON), ("other.example.nl", None)):
        domain = a_domain(shop.number, host, verified_at=verified_at, vouched=verified_at is not None)
        each_storage.run(lambda store, one=domain: store.domains.add(one))
    app.grant_trust_mark("molen")
    signed = statements(app, each_storage)
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


def test_a_document_holds_the_statement_and_the_signature_over_its_canonical_form(
    app: Application, each_storage: Storage
) -> None:
    signed = statements(app, each_storage)["molen"]
    document = json.loads(signed.document)
    [key] = [key for key in app.publish_keys() if key.key_id == signed.key_id]
    assert document["statement"] == signed.statement.claims
    value = document["signature"].pop("value")
    assert document["signature"] == {"keyId": key.key_id, "algorithm": "Ed25519"}
    assert base64.urlsafe_b64decode(value + "==") == signed.signature
    assert is_signed_by(key.public_key, signed.statement.canonical, signed.signature)
    assert key.state == "signing"


def test_a_statement_already_signed_in_this_minute_is_not_signed_again(
    app: Application, each_storage: Storage, clock: ManualClock
) -> None:
    first = statements(app, each_storage)["molen"]
    first_compact = compact(app, each_storage)
    clock.set(NOON.replace(second=59))
    assert statements(app, each_storage)["molen"] is first
    assert compact(app, each_storage) is first_compact
    clock.advance(timedelta(seconds=1))
    assert statements(app, each_storage)["molen"].statement.issued_at == first.statement.issued_at + timedelta(
        minutes=1
    )
    assert compact(app, each_storage) != first_compact


def test_what_has_changed_is_signed_anew_in_the_same_minute(app: Application, each_storage: Storage) -> None:
    said = [statements(app, each_storage)["molen"]]
    app.grant_trust_mark("molen")
    said.append(statements(app, each_storage)["molen"])
    app.set_shop("molen", ShopChanges(name="Another"))
    said.append(statements(app, each_storage)["molen"])
    app.revoke_trust_mark("molen")
    said.append(statements(app, each_storage)["molen"])
    app.withdraw_signing_key(said[0].key_id)
    said.append(statements(app, each_storage)["molen"])
    assert [one.statement.status for one in said] == ["unverified", "trusted", "trusted", "revoked", "revoked"]
    assert said[3].key_id != said[4].key_id
    assert len({one.document for one in said}) == 5
    keys = {key.key_id: key.public_key for key in app.list_signing_keys()}
    assert all(is_signed_by(keys[one.key_id], one.statement.canonical, one.signature) for one in said)


def test_what_is_kept_of_signing_is_bounded_and_holds_no_seed(
    app: Application, each_storage: Storage, clock: ManualClock
) -> None:
    kept = signed_statements._SIGNED._made
    key = next(key for key in app.publish_keys() if key.state == "signing")
    ring = app.show_shop._work_on(None).ring  # type: ignore[arg-type]  # nothing is asked of storage
    seed = ring.open_seed(key.sealed_seed)
    for _ in range(3):
        clock.advance(timedelta(minutes=1))
        statements(app, each_storage)
    assert len(kept) == 6
    assert not any(secret in repr(one).encode() for one in kept.items() for secret in (seed, key.sealed_seed))
    kept.update((("filling", number), None) for number in range(signed_statements.MOST_KEPT - len(kept)))
    clock.advance(timedelta(minutes=1))
    statements(app, each_storage)
    assert len(kept) <= 2


def test_many_threads_may_sign_at_once(app: Application, each_storage: Storage) -> None:
    seen: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: seen.append(statements(app, each_storage)["molen"].document)) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len(set(seen)) == 1
    assert len(app.list_signing_keys()) == 2
