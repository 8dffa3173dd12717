"""A shop, its application and a post office that plays a script: the stage on which use cases are tested."""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from datetime import timedelta

import attrs

from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.application import Application
from reviewinvite_core.compose import build
from reviewinvite_core.domain.api_key import Caller, SecretKey
from reviewinvite_core.domain.invitations import Invitation, Reason
from reviewinvite_core.ports import (
    Accepted,
    AnswerLost,
    HandoverMark,
    Message,
    Refused,
    RefusedForNow,
    Storage,
    Store,
    Unreachable,
)
from reviewinvite_core.settings import Settings
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock, a_shop, an_order_report
from reviewinvite_core.testing.lone_hand import LoneHand
from reviewinvite_core.usecases.deliver_due import Dispatch
from reviewinvite_core.usecases.hand_over import Stop
from reviewinvite_core.usecases.report_order import Reported
from reviewinvite_core.usecases.work import Perform

LEASE = timedelta(seconds=900)


TAKEN = Accepted("250 2.0.0")


def nothing() -> None:
    """Nothing happens meanwhile."""


@attrs.frozen(kw_only=True)
class Scene:
    """How the mail server treats one message, and what happens meanwhile."""

    at_stage: RefusedForNow | Refused | Unreachable | None = None
    while_staged: Callable[[], object] = nothing  # between the body and the fence, or the refusal
    while_handed_over: Callable[[], object] = nothing  # between the end of the message and its answer
    answer: Accepted | RefusedForNow | Refused | AnswerLost = TAKEN


class ScriptedMailer:
    """Plays one scene for each message, in order, and then takes all that comes."""

    def __init__(self, *scenes: Scene) -> None:
        self.scenes = list(scenes)
        self.staged: list[Message] = []
        self.out: list[Message] = []
        self.abandoned: list[Message] = []
        self.closed = False

    def stage(self, message: Message) -> _ScriptedStaged | RefusedForNow | Refused | Unreachable:
        scene = self.scenes.pop(0) if self.scenes else Scene()
        self.staged.append(message)
        scene.while_staged()
        if scene.at_stage is not None:
            return scene.at_stage
        return _ScriptedStaged(self, scene, message)

    def close(self) -> None:
        self.closed = True


@attrs.frozen
class _ScriptedStaged:
    mailer: ScriptedMailer
    scene: Scene
    message: Message

    def commit(self) -> Accepted | RefusedForNow | Refused | AnswerLost:
        self.mailer.out.append(self.message)
        self.scene.while_handed_over()
        return self.scene.answer

    def abandon(self) -> None:
        self.mailer.abandoned.append(self.message)


class Killed(BaseException):
    """The process is killed here."""


def kill() -> None:
    raise Killed


class Play:
    """One shop, `bakkerij-1`, with its key; a clock that is moved by hand; storage in memory unless given."""

    def __init__(
        self,
        *scenes: Scene,
        storage: Storage | None = None,
        mark: HandoverMark | None = None,
        pace: Callable[[], float] | None = None,
        **settings: object,
    ) -> None:
        self.pace = pace
        self.clock = ManualClock()
        self.entropy = CountingEntropy()
        self.storage = storage or MemoryStorage()
        self.mailer = ScriptedMailer(*scenes)
        self.settings = Settings(database_url="memory:", secret="a secret for tests, long enough", **settings)
        self.rebuild(mark=mark)
        self.app.add_shop(a_shop())
        self.key: SecretKey = self.app.create_key("bakkerij-1", "tests").secret
        self.caller: Caller = self.app.act_for("bakkerij-1")

    def rebuild(self, *, mark: HandoverMark | None) -> None:
        """Another application on this stage, with this mark."""
        self.app: Application = build(
            self.settings,
            clock=self.clock,
            entropy=self.entropy,
            storage=self.storage,
            mailer=self.mailer,
            mark=mark,
            crew=LoneHand,
            pace=self.pace,
        )
        self.perform: Perform = self.app.delivery.performing(self.storage.run)

    def beside(self, *, mark: HandoverMark) -> Play:
        """The same stage as another host sees it."""
        other = copy.copy(self)
        other.rebuild(mark=mark)
        return other

    def report(self, email: str = "anna@example.com", **fields: object) -> Reported:
        reported = self.app.report_order(self.caller, an_order_report(email, **fields))
        assert isinstance(reported, Reported)
        return reported

    def report_due(self, email: str = "anna@example.com", **fields: object) -> str:
        """An order whose invitation is due at once; its id."""
        return self.report(email, delay=0, **fields).invite_id

    def deliver(self) -> list[Invitation]:
        return list(self.app.delivery.once())

    def dispatch(self, stop: Stop | None = None, **office: object) -> Dispatch:
        """What a round of deliveries works with, of this stage; with another post office so far as told."""
        return Dispatch(
            perform=self.perform,
            office=attrs.evolve(self.app.delivery.office, **office),
            stop=stop or threading.Event(),
            crew=LoneHand(),
            grace_seconds=1,
        )

    def now(self, invite_id: str) -> Invitation:
        return self.app.show_invitation(invite_id).invitation

    def reasons(self, invite_id: str) -> list[Reason]:
        return [change.reason for change in self.app.show_invitation(invite_id).history]

    def inside(self, unit: Callable[[Store], object]) -> object:
        return self.storage.run(unit)
