"""A shop's overview: what it says at each step of a shop's life, to whom, and that its figures stay right. ADR-58."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import attrs
import pytest
from tests.builders import a_domain
from tests.core.usecases.harness import AppHarness, MailScript

from reviewinvite_core import ShopChanges, accepted
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.domain.domains import VerificationResult
from reviewinvite_core.domain.invitation_figures import week_of
from reviewinvite_core.domain.limits import LimitKey
from reviewinvite_core.ports import AnswerLost, Rejected
from reviewinvite_core.testing.builders import NOON, a_shop
from reviewinvite_core.usecases.invitations.change import miscounted_invitations
from reviewinvite_core.values import CountMode, KeyRefused, Overview, ShopUnknown, Trouble, TroubleCode

SITE = "bakkerij-1"
HOST = "shop.example.nl"
LONG = timedelta(days=7)


def overview(harness: AppHarness, site: str = SITE) -> Overview:
    return accepted(harness.app.shops.overview(site))


def add_domain(harness: AppHarness, **fields: object) -> None:
    harness.storage.run(lambda store: store.domains.add(a_domain(1, HOST, **fields)))


def codes(harness: AppHarness) -> list[str]:
    return [trouble.code.value for trouble in overview(harness).troubles]


def test_a_revoked_key_ticks_nothing_off() -> None:
    harness = AppHarness()
    for key in accepted(harness.app.api_keys.list(SITE)):
        harness.app.api_keys.revoke(key.key_id)
    assert not overview(harness).checklist.key_made
    accepted(harness.app.api_keys.create(SITE, ""))
    assert overview(harness).checklist.key_made


def test_a_badge_once_seen_stays_so_whatever_is_changed() -> None:
    harness = AppHarness()
    add_domain(harness, verified_at=NOON, vouched=True)
    harness.app.badges.show(SITE, f"https://{HOST}/", CountMode.COUNT)
    harness.clock.advance(LONG)
    harness.app.badges.show(SITE, f"https://{HOST}/", CountMode.COUNT)
    accepted(harness.app.shops.update(SITE, ShopChanges(name="Other")))
    assert overview(harness).shop.badge_seen_at == NOON


def test_only_52_weeks_are_shown() -> None:
    harness = AppHarness()
    harness.report(delay_days=0)
    harness.deliver()
    harness.clock.advance(51 * LONG)
    assert overview(harness).weeks[0].sent == 1
    harness.clock.advance(LONG)
    shown = overview(harness)
    assert (shown.weeks[0].monday, shown.weeks[0].sent) == (week_of(NOON.date()) + LONG, 0)
    assert shown.invitations == {}


def test_a_name_that_waits_for_the_operator_is_mentioned() -> None:
    harness = AppHarness()
    waiting = attrs.evolve(overview(harness).shop, requested_name="Other")
    harness.storage.run(lambda store: store.shops.change(waiting))
    assert overview(harness).troubles == [Trouble(code=TroubleCode.NAME_WAITING, name="Other")]


def test_domains_that_prove_nothing_any_more_are_trouble() -> None:
    harness = AppHarness()
    add_domain(harness)
    assert overview(harness).troubles == [
        Trouble(code=TroubleCode.NO_VERIFIED_DOMAIN, host=HOST, hosts=(HOST,), counted=1)
    ]
    assert overview(harness).checklist.domains_waiting == 1
    domain = a_domain(1, HOST, verified_at=NOON)
    missing = domain.after_check(VerificationResult(found=None), NOON)
    lost = missing.after_check(VerificationResult(found=None), NOON + LONG)
    for changed, code in ((missing, TroubleCode.DOMAIN_MISSING), (lost, TroubleCode.DOMAIN_LOST)):
        harness.storage.run(lambda store, changed=changed: store.domains.change(changed))  # type: ignore[misc]
        assert overview(harness).troubles == [Trouble(code=code, host=HOST)]


@pytest.mark.parametrize(
    ("counter", "setting", "code"),
    [
        ("views", "views_per_day_free", TroubleCode.VIEWS_NEAR_LIMIT),
        ("snippets", "snippets_per_day", TroubleCode.SNIPPETS_NEAR_CEILING),
    ],
)
def test_a_limit_of_the_day_is_trouble_when_nine_tenths_are_used(counter: str, setting: str, code: TroubleCode) -> None:
    limits: dict[str, Any] = {setting: 20}
    harness = AppHarness(**limits)
    for more, troubles in ((17, []), (1, [Trouble(code=code, counted=18, limit=20)])):
        harness.storage.run(
            lambda store, more=more: store.daily_counters.count({LimitKey(1, counter): more}, NOON.date())  # type: ignore[misc]
        )
        assert overview(harness).troubles == troubles
    harness.clock.advance(timedelta(days=1))
    assert overview(harness).troubles == []


def test_what_is_uncertain_and_rejected_mail_are_trouble() -> None:
    harness = AppHarness(*[MailScript(answer=Rejected("550 5.2.1"))] * 5, MailScript(answer=AnswerLost()))
    for number in range(5):
        harness.report(f"{number}@example.com", delay_days=0)
    harness.deliver()
    assert overview(harness).troubles == [Trouble(code=TroubleCode.REJECTED_SHARE, counted=5, limit=5)]
    doubtful = harness.report("doubtful@example.com", delay_days=0)
    harness.deliver()
    assert codes(harness) == ["uncertain_invitations", "rejected_share"]
    accepted(harness.app.invitations.resolve_as_sent(doubtful.invite_id))
    assert codes(harness) == ["rejected_share"]
    harness.clock.advance(3 * LONG)
    assert codes(harness) == ["rejected_share"]
    harness.clock.advance(LONG)
    assert codes(harness) == []


def test_an_overview_is_of_the_callers_own_shop() -> None:
    harness = AppHarness()
    harness.app.shops.add(a_shop("other"))
    assert overview(harness) == accepted(harness.app.shops.overview(harness.caller))
    other = accepted(harness.app.shops.overview(harness.caller_of("other")))
    assert (other.shop.site_id, other.checklist.key_made) == ("other", False)
    assert accepted(harness.app.shops.overview(harness.key)).shop.site_id == SITE
    assert harness.app.shops.overview("nobody") == ShopUnknown("nobody")
    [key] = accepted(harness.app.api_keys.list(SITE))
    accepted(harness.app.api_keys.revoke(key.key_id))
    assert isinstance(harness.app.shops.overview(harness.key), KeyRefused)


def test_figures_that_are_wrong_are_found_and_corrected(tmp_path: Path) -> None:
    file = tmp_path / "test.db"
    harness = AppHarness(storage=SqliteStorage(file))
    harness.report(delay_days=0)
    harness.deliver()
    right = overview(harness)
    for change in (
        "UPDATE invitation_figures SET counted = counted + 1",
        "UPDATE invitation_figures SET week = week + 7",
        "DELETE FROM invitation_figures",
        "INSERT INTO invitation_figures VALUES (1, 1, 'uncertain', 3)",
    ):
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(change)
        assert [words.partition(";")[0] for words in harness.storage.read(miscounted_invitations)] == [
            "the stored figures for the invitations of bakkerij-1 differ from a recount"
        ]
        assert harness.app.invitations.recount() == [SITE]
        assert harness.app.invitations.recount() == []
        assert overview(harness) == right
    harness.app.close()
