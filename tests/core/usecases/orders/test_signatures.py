"""Reports that a shop's server signed: which are taken, what each costs, and who may see the secret. Spec: §4.2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import attrs
import pytest
from tests.core.adapters.sql.raw import connection_of
from tests.core.usecases.harness import AppHarness
from tests.snippet_signature import signed_with

from reviewinvite_core import OPERATOR, Actor, ClientAddress, InvitationQuery, OrderReport, SnippetReport, accepted
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.provenance import Source
from reviewinvite_core.domain.refusals import (
    KeyRefused,
    LimitReached,
    OriginForeign,
    ShopInactive,
    SignatureRefused,
    SnippetOff,
)
from reviewinvite_core.domain.shop import ShopChanges, SiteId
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.usecases.orders.snippet import Acknowledged, SnippetAnswer
from reviewinvite_core.values import SnippetMode, SnippetSecret, SnippetSignature

SITE = "bakkerij-1"
OWN = "https://shop.nl"
NO_LIMITS: dict[str, Any] = {"snippets_per_minute": 0, "snippets_per_day": 0, "snippets_per_recipient": 0}


class SigningShop(AppHarness):
    """The shop `bakkerij-1` with the host `shop.nl`; `secret` is its newest one, which its server signs with."""

    def __init__(self, *, storage: Storage | None = None, **settings: Any) -> None:
        super().__init__(storage=storage, **{**NO_LIMITS, **settings})
        accepted(self.app.domains.add(SITE, "shop.nl", assume_verified=True))
        self.secret = self.draw()

    def draw(self, *, rotate: bool = False) -> str:
        return accepted(self.app.shops.snippet_secret(SITE, rotate)).text

    def set_mode(self, mode: str) -> object:
        return self.app.shops.update(SITE, ShopChanges(snippet=mode))

    def report(  # type: ignore[override]
        self, number: str = "1001", signature: str | None = None, *, origin: str = OWN, site: str = SITE
    ) -> SnippetAnswer:
        """Report an order of Anna; `signature` is the hex, the secret to sign with, or None for no signature."""
        email = "anna@example.com"
        value = signed_with(signature, site, email, number) if signature and signature.startswith("rvs_") else signature
        signed = value and SnippetSignature(value=value, site_id=site, email=email, order_number=number)
        order = OrderReport(email=email, order_number=number)
        report = SnippetReport(site_id=SiteId(site), order=order, signature=signed or None)
        return self.app.orders.report_from_snippet(ClientAddress("203.0.113.9"), origin, report)

    @property
    def wrong(self) -> int:
        """How many wrong signatures the shop sees."""
        return accepted(self.app.orders.show_snippets(SITE)).wrong_signatures


@pytest.fixture
def shop() -> SigningShop:
    return SigningShop()


def test_off_is_said_before_the_signature_is_looked_at_and_after_whose_page_it_is(shop: SigningShop) -> None:
    shop.set_mode("off")
    assert shop.report(signature=shop.secret) == shop.report(signature="wrong") == shop.report() == SnippetOff()
    assert shop.report(origin="https://evil.nl") == OriginForeign()
    shop.app.shops.update(SITE, ShopChanges(active=False))
    assert shop.report() == ShopInactive()
    assert (shop.wrong, accepted(shop.app.shops.show(SITE)).snippet_signed_at) == (0, None)


def test_a_signature_is_looked_at_before_the_ceiling_and_refused_at_no_cost_to_it() -> None:
    shop = SigningShop(snippets_per_day=1)
    assert shop.report(signature=shop.secret) == Acknowledged()
    shop.set_mode("signed")
    assert shop.report(signature="wrong") == shop.report() == SignatureRefused()
    assert isinstance(shop.report("1002", shop.secret), LimitReached)
    assert accepted(shop.app.orders.show_snippets(SITE)).counted == 1


def test_a_signature_of_another_shop_is_wrong(shop: SigningShop) -> None:
    shop.app.shops.add(a_shop("other"))
    accepted(shop.app.domains.add("other", "other.nl", assume_verified=True))
    other = accepted(shop.app.shops.snippet_secret("other")).text
    shop.report(signature=other)
    shop.report("1002", signed_with(shop.secret, "other", "anna@example.com", "1002"))
    assert shop.wrong == 2
    assert shop.report(signature=shop.secret, site="other", origin="https://other.nl") == Acknowledged()
    assert accepted(shop.app.orders.show_snippets("other")).wrong_signatures == 1


def test_a_shop_without_a_secret_finds_any_signature_wrong() -> None:
    harness = AppHarness(**NO_LIMITS)
    accepted(harness.app.domains.add(SITE, "shop.nl", assume_verified=True))
    signature = SnippetSignature(value=signed_with("", SITE, "a@b.nl"), site_id=SITE, email="a@b.nl")
    report = SnippetReport(site_id=SiteId(SITE), order=OrderReport(email="a@b.nl"), signature=signature)
    assert harness.app.orders.report_from_snippet(ClientAddress("203.0.113.9"), OWN, report) == Acknowledged()
    assert accepted(harness.app.orders.show_snippets(SITE)).wrong_signatures == 1


def test_a_secret_that_cannot_be_opened_makes_no_signature_right_and_loses_no_order(shop: SigningShop) -> None:
    stored = accepted(shop.app.shops.show(SITE))
    shop.in_transaction(lambda store: store.shops.change(attrs.evolve(stored, snippet_secrets=(b"damaged",))))
    assert shop.report(signature=shop.secret) == Acknowledged()
    assert shop.wrong == 1


def test_a_valid_signature_confirms_the_order_also_one_that_was_reported_unsigned(shop: SigningShop) -> None:
    shop.report("valid", shop.secret)
    shop.report("wrong", "wrong")
    shop.report("later")
    shop.report("later", shop.secret)
    listed = accepted(shop.app.invitations.list(OPERATOR, InvitationQuery())).invitations
    provenances = {each.invitation.order_number: each.invitation.provenance for each in listed}
    assert {number: each.confirmed for number, each in provenances.items()} == {
        "valid": True,
        "wrong": False,
        "later": True,
    }
    assert {each.source for each in provenances.values()} == {Source.SNIPPET}


def test_a_shop_that_a_restore_left_signed_may_be_saved_as_it_is(shop: SigningShop) -> None:
    stored = accepted(shop.app.shops.show(SITE))
    shop.in_transaction(lambda store: store.shops.change(attrs.evolve(stored, snippet=SnippetMode.SIGNED)))
    accepted(shop.set_mode("signed"))


def test_a_secret_is_drawn_once_and_two_are_valid_until_the_next_rotation(shop: SigningShop) -> None:
    assert accepted(shop.app.shops.snippet_secret(SITE)) == SnippetSecret(text=shop.secret)
    second = accepted(shop.app.shops.snippet_secret(SITE, rotate=True))
    assert second.is_replacing
    assert second.text != shop.secret
    assert accepted(shop.app.shops.snippet_secret(SITE)) == second
    shop.report("1001", shop.secret)
    shop.report("1002", second.text)
    assert shop.wrong == 0
    third = shop.draw(rotate=True)
    for number, secret in enumerate((second.text, third, shop.secret)):
        shop.report(str(number), secret)
    assert shop.wrong == 1


def test_a_rotation_that_somebody_else_has_made_is_not_made_again(shop: SigningShop) -> None:
    seen = accepted(shop.app.shops.show(SITE))
    second = accepted(shop.app.shops.snippet_secret(SITE, rotate=True, seen=seen))
    assert accepted(shop.app.shops.snippet_secret(SITE, rotate=True, seen=seen)) == second


def test_no_key_sees_or_rotates_a_secret(shop: SigningShop) -> None:
    key = accepted(shop.app.api_keys.create(SITE, "")).secret
    caller = accepted(shop.app.api_keys.authenticate(key.text))
    assert isinstance(caller, Actor)
    assert shop.app.shops.snippet_secret(caller) == KeyRefused(presented=True)
    with pytest.raises(TypeError):
        shop.app.shops.snippet_secret(key)  # type: ignore[arg-type]  # that is tested
    assert shop.draw() == shop.secret


def test_a_secret_is_sealed_and_shown_in_no_repr(shop: SigningShop) -> None:
    stored = accepted(shop.app.shops.show(SITE))
    assert not any(shop.secret.encode() in sealed for sealed in stored.snippet_secrets)
    assert shop.secret not in repr(accepted(shop.app.shops.snippet_secret(SITE)))
    assert "snippet_secrets" not in repr(stored)


def test_a_signature_costs_no_statement_unless_it_is_wrong_or_the_first(sqlite_folder: Path) -> None:
    """The shop is read for each report anyway, and its secrets with it."""
    ran: list[str] = []
    storage = SqliteStorage(sqlite_folder / "test.db")
    shop = SigningShop(storage=storage)
    storage.run(lambda store: connection_of(store)._connection.set_trace_callback(ran.append))  # type: ignore[attr-defined]

    def statements(number: str, signature: str | None) -> int:
        ran.clear()
        assert shop.report(number, signature) == Acknowledged()
        return len(ran)

    statements("1000", None)
    plain, first, valid = statements("1001", None), statements("1002", shop.secret), statements("1003", shop.secret)
    assert first == valid + 1
    assert valid == plain - 1  # it is under no cap, so it is not counted towards one
    assert statements("1004", "wrong") == plain + 1
    shop.app.close()
