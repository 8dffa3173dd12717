"""A message is queued with what causes it, and with its content sealed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.core.usecases.harness import AppHarness
from tests.messages import VALUES, a_new_message, queue

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.notices import queue_notice

MEMBER = "Member@example.com"


@write()
def queue_and_fail(ctx: UnitContext) -> None:
    queue_notice(ctx, a_new_message(to=MEMBER, expires_at=ctx.now))
    raise RuntimeError("the link could not be stored")


def test_a_queued_message_waits_with_all_but_its_kind_and_language_sealed(harness: AppHarness) -> None:
    queued = queue(harness.app, NoticeKind.KEY_CREATED, to=MEMBER, expires_after=timedelta(days=1))
    (found,) = harness.app.privacy.export(MEMBER.lower()).notices
    assert found == queued
    assert (found.state, found.due_at) == (State.SCHEDULED, harness.clock.now())
    assert found.expires_at == harness.clock.now() + timedelta(days=1)
    assert found.sealed
    assert not any(secret.encode() in found.sealed for secret in (MEMBER, *VALUES[NoticeKind.KEY_CREATED].values()))


def test_what_is_undone_queues_nothing(harness: AppHarness) -> None:
    with pytest.raises(RuntimeError, match="could not be stored"):
        harness.app._use_cases.run(queue_and_fail)
    assert harness.app.privacy.export(MEMBER).notices == []


def test_an_erased_address_gets_no_message_that_waits(harness: AppHarness) -> None:
    queue(harness.app, to=MEMBER)
    queue(harness.app, to="bert@example.com")
    assert harness.app.privacy.erase_address(MEMBER).erased == 1
    (erased,) = harness.app.privacy.export(MEMBER).notices
    assert (erased.state, erased.reason, erased.sealed) == (State.CANCELLED, Reason.ERASED, None)
    assert harness.app.privacy.erase_address(MEMBER).erased == 0
    assert [each.state for each in harness.app.privacy.export("bert@example.com").notices] == [State.SCHEDULED]
