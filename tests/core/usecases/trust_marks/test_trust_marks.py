"""Trust marks: granted and revoked by an operator, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from reviewinvite_core import Application, Settings, ShopChanges, build
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock, a_shop
from reviewinvite_core.values import Shop, ShopUnknown, Status, TrustMark, TrustMarkStateConflict

SECRET = "only for tests, and long enough"


@pytest.fixture
def app(each_storage: Storage) -> Iterator[Application]:
    settings = Settings(secret=SECRET, mail_url="recording:")
    application = build(settings, clock=ManualClock(), entropy=CountingEntropy(), storage=each_storage)
    application.shops.add(a_shop("molen"))
    application.shops.add(a_shop("kaas"))
    yield application
    application.close()


def mark_of(app: Application, site_id: str) -> TrustMark:
    shop = app.shops.show(site_id)
    assert isinstance(shop, Shop)
    return shop.trust_mark


def test_a_mark_is_granted_revoked_and_granted_again(app: Application) -> None:
    assert mark_of(app, "molen") is TrustMark.ABSENT
    for word, mark in (
        (app.trust_marks.grant, TrustMark.GRANTED),
        (app.trust_marks.revoke, TrustMark.REVOKED),
        (app.trust_marks.grant, TrustMark.GRANTED),
    ):
        changed = word("molen")
        assert isinstance(changed, Shop)
        assert changed.trust_mark is mark
        assert app.shops.show("molen") == changed
        assert word("molen") == changed
    assert mark_of(app, "kaas") is TrustMark.ABSENT


def test_a_mark_that_was_never_granted_cannot_be_revoked(app: Application) -> None:
    assert app.trust_marks.revoke("molen") == TrustMarkStateConflict("absent")
    assert mark_of(app, "molen") is TrustMark.ABSENT


def test_there_is_no_mark_without_a_shop(app: Application) -> None:
    assert app.trust_marks.grant("nobody") == ShopUnknown("nobody")
    assert app.trust_marks.revoke("nobody") == ShopUnknown("nobody")


def test_a_change_of_the_shop_keeps_its_mark(app: Application) -> None:
    app.trust_marks.grant("molen")
    for changes in (ShopChanges(name="Another"), ShopChanges(active=False), ShopChanges(active=True)):
        app.shops.update("molen", changes)
        assert mark_of(app, "molen") is TrustMark.GRANTED


def test_a_statement_says_of_an_inactive_shop_that_it_is_inactive_whatever_its_mark(app: Application) -> None:
    seen = []
    for step in (app.trust_marks.grant, app.trust_marks.revoke):
        step("molen")
        for active in (True, False):
            shop = app.shops.update("molen", ShopChanges(active=active))
            assert isinstance(shop, Shop)
            seen.append(shop.status)
        app.shops.update("molen", ShopChanges(active=True))
    assert seen == [Status.TRUSTED, Status.INACTIVE, Status.REVOKED, Status.INACTIVE]
