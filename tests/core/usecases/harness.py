"""An application with one shop, a manual clock and a scripted mail server, for tests of use cases."""

from __future__ import annotations

import contextlib
import copy
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

import attrs

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.application.application import Application
from reviewinvite_core.bootstrap.compose import build
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.domain.api_key import ENTROPY_BYTES, Actor, ApiKey, SecretKey
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.notices import MailItem
from reviewinvite_core.domain.orders import Reported
from reviewinvite_core.domain.reviews import Review, ReviewDraft
from reviewinvite_core.ports import (
    Accepted,
    AnswerLost,
    Clock,
    Done,
    HighWaterMarkStore,
    Message,
    Outcome,
    RefusedForNow,
    Rejected,
    Renderer,
    StopSignal,
    Storage,
    Store,
    Unreachable,
)
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock, a_shop, an_order_report
from reviewinvite_core.testing.inline_worker_pool import InlineWorkerPool
from reviewinvite_core.usecases.context import TransactionRunner
from reviewinvite_core.usecases.delivery.dispatcher import DeliveryContext
from reviewinvite_core.usecases.reviews.link import ReviewLink

T = TypeVar("T")

LEASE = timedelta(seconds=900)
ACCEPTED = Accepted("250 2.0.0")


def present(value: T | None) -> T:
    """Return a value that is not None; fail the test otherwise."""
    assert value is not None
    return value


def invitation_of(item: MailItem) -> Invitation:
    """Return what is delivered as an invitation; fail the test if it is a message."""
    assert isinstance(item, Invitation)
    return item


def done(outcome: Outcome) -> Any:
    """Return the result of a unit of work in a batch; fail the test unless it was committed."""
    assert isinstance(outcome, Done), outcome
    return outcome.result


def do_nothing() -> None:
    """Serve as a callback that has no effect."""


@attrs.frozen(kw_only=True)
class MailScript:
    """How the mail server treats one message, and callbacks that run meanwhile."""

    at_stage: RefusedForNow | Rejected | Unreachable | None = None
    while_staged: Callable[[], object] = do_nothing  # between the body and the fence, or the refusal
    while_handed_over: Callable[[], object] = do_nothing  # between the end of the message and its answer
    answer: Accepted | RefusedForNow | Rejected | AnswerLost = ACCEPTED


class ScriptedMailer:
    """A mailer that follows one script for each message, in order, and accepts every message after those."""

    def __init__(self, *scripts: MailScript) -> None:
        self.scripts = list(scripts)
        self.staged: list[Message] = []
        self.committed: list[Message] = []
        self.abandoned: list[Message] = []
        self.closed = False

    async def stage(self, message: Message) -> _ScriptedStaged | RefusedForNow | Rejected | Unreachable:
        script = self.scripts.pop(0) if self.scripts else MailScript()
        self.staged.append(message)
        script.while_staged()
        if script.at_stage is not None:
            return script.at_stage
        return _ScriptedStaged(self, script, message)

    async def close(self) -> None:
        self.closed = True


@attrs.frozen
class _ScriptedStaged:
    mailer: ScriptedMailer
    script: MailScript
    message: Message

    async def commit(self) -> Accepted | RefusedForNow | Rejected | AnswerLost:
        self.mailer.committed.append(self.message)
        self.script.while_handed_over()
        return self.script.answer

    def abandon(self) -> None:
        self.mailer.abandoned.append(self.message)


class Killed(BaseException):
    """Stands for the end of the process; a BaseException, so that nothing handles it as a fault."""


def kill() -> None:
    raise Killed


class AppHarness:
    """An application with the shop `bakkerij-1`, its key, a manual clock and a scripted mailer.

    Storage is in memory unless given; keyword arguments that are not named here are settings.
    """

    def __init__(
        self,
        *scripts: MailScript,
        storage: Storage | None = None,
        mark: HighWaterMarkStore | None = None,
        monotonic: Callable[[], float] | None = None,
        **settings: Any,
    ) -> None:
        self.monotonic = monotonic
        self.clock = ManualClock()
        self.entropy = CountingEntropy()
        self.storage: Storage = storage or MemoryStorage()
        self.mailer = ScriptedMailer(*scripts)
        self.settings = Settings(database_url="memory:", secret="a secret for tests, long enough", **settings)
        self.rebuild(mark=mark)
        self.app.shops.add(a_shop())
        self.key: SecretKey = self._a_key()
        self.caller: Actor = self.caller_of("bakkerij-1")

    def rebuild(self, *, mark: HighWaterMarkStore | None) -> None:
        """Replace the application by a new one with this mark, on the same storage, clock and mailer."""
        self.app: Application = build(
            self.settings,
            clock=self.clock,
            entropy=self.entropy,
            storage=self.storage,
            mailer=self.mailer,
            high_water_mark=mark,
            worker_pool=InlineWorkerPool,
            monotonic=self.monotonic,
        )
        self.transactions: TransactionRunner = self.app.delivery._transactions()

    def _a_key(self) -> SecretKey:
        """Return a new key of the shop, stored without an entry in the shop's activity log."""
        secret = SecretKey.make(self.entropy.draw(ENTROPY_BYTES))
        api_key = ApiKey(
            key_id=f"key_{self.entropy.draw(8).hex()}",
            shop_number=accepted(self.app.shops.show("bakkerij-1")).number,
            hash=secret.hash,
            last_four=secret.last_four,
            label="tests",
            created_at=self.clock.now(),
        )
        self.in_transaction(lambda store: store.api_keys.add(api_key))
        return secret

    def on_another_host(self, *, mark: HighWaterMarkStore) -> AppHarness:
        """Return a harness for a second host with its own mark; all else is shared."""
        other = copy.copy(self)
        other.rebuild(mark=mark)
        return other

    def in_transaction(self, unit: Callable[[Store], T]) -> T:
        """Run a unit of work on the storage and return its result."""
        return self.storage.run(unit)

    # --- orders and their invitations

    def caller_of(self, site_id: str) -> Actor:
        return accepted(self.app.shops.act_for(site_id))

    def report(self, email: str = "anna@example.com", *, site_id: str = "bakkerij-1", **fields: Any) -> Reported:
        """Report an order as the shop itself; `fields` are those of `OrderReport`."""
        return accepted(self.app.orders.report(self.caller_of(site_id), an_order_report(email, **fields)))

    def report_due(self, email: str = "anna@example.com", **fields: Any) -> str:
        """Report an order whose invitation is due at once, and return the invitation's id."""
        return self.report(email, delay_days=0, **fields).invite_id

    def invitation(self, invite_id: str) -> Invitation:
        """Return the invitation as it is stored now."""
        return accepted(self.app.invitations.show(OPERATOR, invite_id)).invitation

    def state(self, invite_id: str) -> tuple[State, Reason]:
        """Return the invitation's state and the reason for it."""
        invitation = self.invitation(invite_id)
        return invitation.state, invitation.reason

    def reasons(self, invite_id: str) -> list[Reason]:
        """Return the reasons in the invitation's history, oldest first."""
        return [change.reason for change in accepted(self.app.invitations.show(OPERATOR, invite_id)).history]

    # --- deliveries

    def deliver(self) -> list[Invitation]:
        """Deliver until nothing is due, and return the resulting invitations."""
        return list(self.app.delivery.once())

    def delivery_context(
        self, stop: StopSignal | None = None, *, renderer: Renderer | None = None, clock: Clock | None = None
    ) -> DeliveryContext:
        """Return the context of one round of deliveries, with another renderer or clock if given."""
        config = self.app.delivery._config
        return DeliveryContext(
            transactions=self.transactions,
            config=attrs.evolve(config, renderer=renderer or config.renderer, clock=clock or config.clock),
            stop=stop or threading.Event(),
            worker_pool=InlineWorkerPool(),
            grace_seconds=1,
            stopwatch=time.monotonic,
        )

    # --- reviews

    def show_link(self, token: str) -> ReviewLink:
        """Return what a review link leads to; fail the test unless the token is valid."""
        return present(self.app.reviews.show_link(token))

    def write_review(self, token: str, draft: ReviewDraft) -> ReviewLink:
        """Write a review by its link; fail the test unless the link takes it."""
        return open_link(self.app.reviews.write(token, draft))

    def withdraw_review(self, token: str) -> ReviewLink:
        """Withdraw a review by its link; fail the test unless the link takes it."""
        return open_link(self.app.reviews.withdraw(token))


def kept(harness: AppHarness, invite_id: str) -> bool:
    """Return whether an invitation still has its sealed address."""
    return harness.invitation(invite_id).sealed_address is not None


def open_link(answer: object) -> ReviewLink:
    """Return the link of an answer that is neither a refusal nor None; fail the test otherwise."""
    assert isinstance(answer, ReviewLink), answer
    return answer


def review_of(link: ReviewLink) -> Review:
    """Return the review that was written by a link; fail the test if there is none."""
    return present(link.review)


def deliver_till_killed(harness: AppHarness) -> None:
    """Deliver what is due until the script kills the worker."""
    with contextlib.suppress(Killed):
        harness.deliver()
