"""An address without a mailbox is suppressed at all shops, until it shows a sign of life. Spec: §6, ADR-47."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import attrs
import pytest
from tests.core.usecases.harness import AppHarness, MailScript, present
from tests.links import token_of
from tests.smtp_server import SmtpTestServer, smtp_server

from reviewinvite_core import Settings, accepted, build
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.refusals import NotSuppressed
from reviewinvite_core.domain.reviews import ReviewDraft
from reviewinvite_core.domain.suppressions import Reach, SuppressedBy
from reviewinvite_core.ports import AnswerLost, RefusedForNow, Rejected
from reviewinvite_core.testing.builders import NOON, CountingEntropy, ManualClock, a_shop, an_order_report

DAY, TICK = timedelta(days=1), timedelta(microseconds=1)
ANNA = "anna@example.com"
DEAD = MailScript(at_stage=Rejected("550 5.1.1", no_mailbox=True))
STOPPED = (State.SUPPRESSED, Reason.OPTED_OUT)
WAITS = (State.SCHEDULED, Reason.REPORTED)


@pytest.fixture
def read(harness: AppHarness) -> str:
    """The invitation that anna has got, before her mailbox was found dead."""
    harness.app.shops.add(a_shop("molen"))
    invite_id = harness.report_due()
    harness.deliver()
    return invite_id


def bounce(harness: AppHarness, script: MailScript = DEAD) -> str:
    """Have another invitation to anna refused."""
    invite_id = harness.report_due(order_number="bounced")
    harness.mailer.scripts.append(script)
    harness.deliver()
    return invite_id


def next_order(harness: AppHarness, number: str = "later", site_id: str = "bakkerij-1") -> tuple[State, Reason]:
    """Report another order of anna and return the state of its invitation."""
    return harness.state(harness.report(order_number=number, site_id=site_id).invite_id)


def origins(harness: AppHarness) -> list[SuppressedBy]:
    return [each.suppression.by for each in harness.app.privacy.list_suppressions()]


def test_a_dead_mailbox_is_suppressed_at_all_shops_with_what_waits(harness: AppHarness, read: str) -> None:
    waiting = harness.report(order_number="waiting", site_id="molen").invite_id
    assert harness.state(bounce(harness)) == (State.REJECTED, Reason.REFUSED)
    assert harness.state(waiting) == STOPPED
    later = harness.report(order_number="later", site_id="molen").invite_id
    assert (harness.state(later), harness.invitation(later).sealed_address) == (STOPPED, None)
    assert harness.state(harness.report("bert@example.com").invite_id) == WAITS
    (record,) = harness.app.privacy.export(ANNA).suppressions
    assert (record.shop, record.suppression.by) == (None, SuppressedBy.BOUNCE)
    assert record.suppression.expires_at == harness.clock.now() + 180 * DAY
    assert origins(harness) == [SuppressedBy.BOUNCE]


@pytest.mark.parametrize(
    "script",
    [
        MailScript(at_stage=Rejected("550")),
        MailScript(at_stage=RefusedForNow("450 4.1.1")),
        MailScript(answer=Rejected("550 5.1.1")),
        MailScript(answer=AnswerLost()),
    ],
)
def test_any_other_refusal_suppresses_nothing(harness: AppHarness, read: str, script: MailScript) -> None:
    bounce(harness, script)
    assert origins(harness) == []
    assert next_order(harness) == WAITS


def test_it_ends_after_180_days_even_if_it_is_still_stored(harness: AppHarness, read: str) -> None:
    bounce(harness)
    harness.clock.advance(180 * DAY - TICK)
    assert next_order(harness, "before") == STOPPED
    harness.clock.advance(TICK)
    assert next_order(harness, "after") == WAITS
    assert origins(harness) == []
    assert harness.app.privacy.remove_suppression(ANNA, None, SuppressedBy.OPERATOR) == NotSuppressed(elsewhere=False)


def test_what_has_expired_is_deleted_by_the_worker_and_by_a_purge(harness: AppHarness, read: str) -> None:
    bounce(harness)
    harness.clock.advance(180 * DAY)
    assert len(harness.app.privacy.export(ANNA).suppressions) == 1
    harness.deliver()
    assert harness.app.privacy.export(ANNA).suppressions == []
    harness.report_due(order_number="again")
    harness.mailer.scripts.append(DEAD)
    harness.deliver()
    harness.clock.advance(180 * DAY)
    list(harness.app.privacy.purge())
    assert harness.app.privacy.export(ANNA).suppressions == []


def opened(harness: AppHarness, read: str) -> None:
    assert harness.show_link(token_of(harness.app, read, Purpose.REVIEW)).in_doubt
    assert harness.app.reviews.note_opened(token_of(harness.app, read, Purpose.REVIEW))
    assert not harness.show_link(token_of(harness.app, read, Purpose.REVIEW)).in_doubt


def reviewed(harness: AppHarness, read: str) -> None:
    harness.write_review(token_of(harness.app, read, Purpose.REVIEW), ReviewDraft(rating=5))


def opted_out_elsewhere(harness: AppHarness, read: str) -> None:
    assert harness.app.privacy.unsubscribe(token_of(harness.app, read), Reach.THIS_SHOP)


def removed(harness: AppHarness, _: str) -> None:
    gone = accepted(harness.app.privacy.remove_suppression(ANNA, None, SuppressedBy.OPERATOR))
    assert gone.suppression.by is SuppressedBy.BOUNCE


@pytest.mark.parametrize("sign", [opened, reviewed, opted_out_elsewhere, removed])
def test_an_opened_link_the_customer_or_an_operator_ends_it(
    harness: AppHarness, read: str, sign: Callable[[AppHarness, str], None]
) -> None:
    bounce(harness)
    sign(harness, read)
    assert SuppressedBy.BOUNCE not in origins(harness)
    assert next_order(harness, site_id="molen") == WAITS


def test_the_customers_page_does_not_take_it_for_an_opt_out(harness: AppHarness, read: str) -> None:
    bounce(harness)
    page = present(harness.app.privacy.show_subscription(token_of(harness.app, read)))
    assert (page.stopped, page.stopped_everywhere) == (False, False)


def test_a_persons_suppression_outlasts_it(harness: AppHarness, read: str) -> None:
    bounce(harness)
    harness.app.privacy.suppress(ANNA)
    assert origins(harness) == [SuppressedBy.OPERATOR]
    opened_link = harness.app.reviews.note_opened(token_of(harness.app, read, Purpose.REVIEW))
    assert not opened_link
    harness.clock.advance(181 * DAY)
    assert next_order(harness) == STOPPED


def test_the_list_is_as_long_as_was_asked_for_whatever_has_expired(harness: AppHarness) -> None:
    accepted(harness.app.privacy.suppress("bert@example.com", None))
    bounce(harness)
    harness.clock.advance(181 * DAY)
    assert [each.suppression.by for each in harness.app.privacy.list_suppressions(1)] == [SuppressedBy.OPERATOR]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[SmtpTestServer]:
    fault = {"at": "rcpt", "do": "reply", "with": "550 5.1.1 anna@example.com unknown", "times": 1}
    with smtp_server(tmp_path / "log", [fault]) as server:
        yield server


def test_a_mail_servers_word_suffices(server: SmtpTestServer) -> None:
    settings = Settings(
        database_url="memory:", secret="a secret for tests, long enough", mail_url=server.url, mail_from="i@example.com"
    )
    clock = ManualClock(NOON)
    with build(settings, clock=clock, entropy=CountingEntropy()) as app:
        app.shops.add(a_shop())
        caller = accepted(app.shops.act_for("bakkerij-1"))
        for number in ("1", "2"):
            accepted(app.orders.report(caller, attrs.evolve(an_order_report(order_number=number, delay_days=0))))
            app.delivery.once()
        assert [each.suppression.by for each in app.privacy.list_suppressions()] == [SuppressedBy.BOUNCE]
    assert server.messages == []
