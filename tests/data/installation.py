"""An installation whose clock, entropy, mail server and proofs of domains are scripted, so that each run is alike."""

from __future__ import annotations

import email
import email.policy
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TypeAlias

import attrs

from reviewinvite_core import Actor, Application, OrderReport, Settings, accepted, build
from reviewinvite_core.adapters.high_water_mark import HighWaterMarkFile
from reviewinvite_core.ports import Accepted, AnswerLost, Message, RefusedForNow, Rejected, Unreachable
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock
from reviewinvite_core.testing.inline_worker_pool import InlineWorkerPool
from reviewinvite_core.values import Domain, FailureReason, ProofWay, VerificationResult

BASE_URL = "https://reviews.example.com"
_LINK = re.compile(rf"{BASE_URL}/([ru])/([A-Za-z0-9_-]{{48}})")

Answer: TypeAlias = Accepted | RefusedForNow | Rejected | AnswerLost
StageAnswer: TypeAlias = RefusedForNow | Rejected | Unreachable | None

TAKEN = Accepted("250 2.0.0")


def nothing() -> None:
    """Do nothing."""


class Killed(BaseException):
    """Raised where the worker is killed."""


def kill() -> None:
    """Die, as a worker does that gets SIGKILL."""
    raise Killed


@attrs.frozen(kw_only=True)
class Reaction:
    """How the mail server treats a message, and what happens before it answers; `stage` None takes the body."""

    stage: StageAnswer = None
    before_fence: Callable[[], object] = nothing
    before_answer: Callable[[], object] = nothing
    answer: Answer = TAKEN


@attrs.frozen
class Links:
    """The tokens in one message."""

    review: str
    unsubscribe: str


class ScriptedMailer:
    """A mailer that reacts to each recipient as scripted, and takes all other mail; it keeps the links it was shown."""

    def __init__(self) -> None:
        self.reactions: dict[str, Reaction] = {}
        self.links: dict[str, Links] = {}  # by invitation
        self.sent: list[tuple[str, str]] = []  # recipient and invitation

    async def stage(self, message: Message) -> ScriptedMessage | RefusedForNow | Rejected | Unreachable:
        """Take all but the end of the message, or refuse it."""
        invite_id = message.message_id.strip("<>").partition("@")[0]
        body = email.message_from_bytes(message.content, policy=email.policy.SMTP).get_body(("plain",))
        assert body is not None
        tokens = dict(_LINK.findall(body.get_content()))
        if tokens:  # a message that is no invitation has none
            self.links[invite_id] = Links(tokens["r"], tokens["u"])
        reaction = self.reactions.get(message.recipient, Reaction())
        reaction.before_fence()
        return reaction.stage or ScriptedMessage(self, reaction, message.recipient, invite_id)

    async def close(self) -> None:
        """Keep no connection."""


@attrs.frozen
class ScriptedMessage:
    """A message of which everything but the end is transmitted."""

    _mailer: ScriptedMailer
    _reaction: Reaction
    _recipient: str
    _invite_id: str

    async def commit(self) -> Answer:
        """Transmit the end, and return the scripted answer."""
        self._mailer.sent.append((self._recipient, self._invite_id))
        self._reaction.before_answer()
        return self._reaction.answer

    def abandon(self) -> None:
        """Send nothing."""


class ScriptedProof:
    """A DNS in which only the listed hosts publish their proof."""

    def __init__(self) -> None:
        self.published: set[str] = set()

    def verify(self, domain: Domain) -> VerificationResult:
        """Return whether the proof is there."""
        if domain.host.text in self.published:
            return VerificationResult(found=ProofWay.DNS)
        absences = ((ProofWay.DNS, FailureReason.NO_RECORD), (ProofWay.WELL_KNOWN, FailureReason.REFUSED))
        return VerificationResult(found=None, absences=absences)


class Disk:
    """The disk that holds the high-water mark; a test can make it fail."""

    def __init__(self) -> None:
        self.fault: Exception | None = None

    def sync(self, _: int) -> None:
        """Make the mark durable, or raise the fault."""
        if self.fault:
            raise self.fault


class Installation:
    """One installation, opened, with everything around it that decides what happens."""

    def __init__(self, settings: Settings, *, at: datetime, seed: int = 0) -> None:
        assert settings.handover_mark is not None
        self.settings = settings
        self.clock = ManualClock(at)
        self.mailer = ScriptedMailer()
        self.proof = ScriptedProof()
        self.disk = Disk()
        # The mark draws from a source of its own, since PostgreSQL makes it later than SQLite does.
        self.mark_file = settings.handover_mark
        self.mark = HighWaterMarkFile(self.mark_file, CountingEntropy(seed + 1_000), sync=self.disk.sync)
        self.app: Application = build(
            settings,
            clock=self.clock,
            entropy=CountingEntropy(seed),
            mailer=self.mailer,
            high_water_mark=self.mark,
            domain_verifier=self.proof,
            worker_pool=InlineWorkerPool,
        )

    def caller(self, site_id: str) -> Actor:
        """Return the right to act for a shop."""
        return accepted(self.app.shops.act_for(site_id))

    def report(self, site_id: str, address: str, number: str | None = None, *, delay: float | None = 0) -> str:
        """Report an order, due at once unless there is a delay, and return its invitation's id."""
        order = OrderReport(email=address, order_number=number, delay_days=delay)
        return accepted(self.app.orders.report(self.caller(site_id), order)).invite_id

    def deliver(self, stop: threading.Event | None = None) -> list[str]:
        """Deliver once, whatever goes wrong, and return the ids of what changed."""
        changed: list[str] = []
        with suppress(Exception, Killed):  # faults and deaths are part of the script
            changed.extend(each.invite_id for each in self.app.delivery.once(stop))
        return changed

    def react(self, address: str, reaction: Reaction) -> None:
        """Have the mail server react like this to messages for an address from now on."""
        self.mailer.reactions[address] = reaction

    def wait(self, **span: float) -> None:
        """Let time pass."""
        self.clock.advance(timedelta(**span))


@contextmanager
def opened(settings: Settings, *, at: datetime, seed: int = 0) -> Iterator[Installation]:
    """An installation, closed in the end."""
    installation = Installation(settings, at=at, seed=seed)
    try:
        yield installation
    finally:
        installation.app.close()


def settings_for(database_url: str, folder: Path, *, secret_file: Path | None = None) -> Settings:
    """Return the settings of an installation whose secret and hand-over mark are files in this folder.

    The limits are low enough for the data to come near them.
    """
    return Settings(
        database_url=database_url,
        secret_file=secret_file or folder / "reviewinvite.secret",
        handover_mark=folder / "reviewinvite.mark",
        mail_url="recording:",
        mail_from="invitations@reviews.example.com",
        base_url=BASE_URL,
        orders_per_minute=3,
        snippets_per_minute=2,
        views_per_day_free=3,
        views_per_day_member=5,
    )
