"""All interleavings of a small world, breadth first, each state once; and what must hold in every one of them."""

from __future__ import annotations

import time
from collections import deque

import attrs
from tests.model.world import HELD, REJECTED, Bounds, State, World, id_of

from reviewinvite_core.domain.invitation_states import Reason, State as InvitationState
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.notices import MailItem, Notice

SETTLED = (
    *(InvitationState.SENT, InvitationState.UNCERTAIN, REJECTED),
    *(InvitationState.SUPPRESSED, InvitationState.CANCELLED),
)


@attrs.frozen(kw_only=True)
class Report:
    """What was explored, and the shortest way to a state that must not be, if there is one."""

    states: int
    transitions: int
    seconds: float
    violation: str | None = None
    trace: tuple[str, ...] = ()

    def __str__(self) -> str:
        explored = f"{self.states:,} states, {self.transitions:,} transitions, {self.seconds:.1f} s"
        if self.violation is None:
            return f"no violation: {explored}"
        steps = "".join(f"\n{number:4}. {step}" for number, step in enumerate(self.trace, start=1))
        return f"{self.violation}: {explored}{steps}"


def explore(bounds: Bounds) -> Report:
    """Visit every state within the bounds; stop at the first that violates an invariant."""
    began = time.monotonic()
    world = World(bounds)
    first = world.initial()
    came_from: dict[State, tuple[State, str] | None] = {first: None}
    waiting = deque([first])
    finished: set[object] = set()
    transitions = 0

    def report(violation: str | None = None, at: State | None = None, last: str = "") -> Report:
        return Report(
            states=len(came_from),
            transitions=transitions,
            seconds=time.monotonic() - began,
            violation=violation,
            trace=(*_way_to(came_from, at), *([last] if last else [])) if at else (),
        )

    while waiting:
        state = waiting.popleft()
        if violation := find_violation(world, state):
            return report(violation, state)
        if state.programs == (None, None) and (end := _end_of(state)) not in finished:
            finished.add(end)
            after = world.finish(state)
            if violation := find_violation(world, after) or find_loss(world, after):
                return report(violation, state, last="nothing else goes wrong, and all that is due is delivered")
        for label, after in world.successors(state):
            transitions += 1
            if after not in came_from:
                came_from[after] = (state, label)
                waiting.append(after)
    return report()


def _end_of(state: State) -> object:
    """What decides how a state without programs ends."""
    return state.rows, state.marks, state.ticks, state.truth


def _way_to(came_from: dict[State, tuple[State, str] | None], state: State) -> list[str]:
    steps = []
    while (step := came_from[state]) is not None:
        state, label = step
        steps.append(label)
    return steps[::-1]


def find_violation(world: World, state: State) -> str | None:
    """Return which invariant a state violates, in words, or None."""
    for invite_id, times in state.truth.taken:
        if times > 1:
            return f"{world.names[invite_id]} was sent {times} times"
    for each in state.rows.items:
        if wrong := _wrong_with(world, state, each):
            return f"{world.names[id_of(each)]} is {each.state} ({each.reason}), but {wrong}"
    return None


def _wrong_with(world: World, state: State, each: MailItem) -> str | None:
    truth = state.truth
    taken = dict(truth.taken).get(id_of(each), 0)
    match each.state, each.reason:
        case InvitationState.SENT, _:
            return None if taken else "it was never sent"
        case InvitationState.UNCERTAIN, Reason.ANSWER_LOST:
            return None if id_of(each) in truth.unanswered else "no answer was lost"
        case InvitationState.UNCERTAIN, Reason.PROCESS_DIED:
            return None if id_of(each) in truth.broken | truth.outlasted else "its process lives"
        case InvitationState.UNCERTAIN, Reason.RECONCILED:
            may_have_left = id_of(each) in truth.touched or _is_covered(world, state, each)
            return None if may_have_left else "it cannot have left since the backup"
        case InvitationState.SCHEDULED | InvitationState.CLAIMED | InvitationState.HANDING_OVER, reason:
            if reason is Reason.FAULT:
                return "there was no fault"
            if reason is Reason.RETRIED and (obstacle := _obstacle(state, each)):
                return obstacle
            return "nobody ever gives it up" if each.state in HELD and each.claim is None else None
        case InvitationState.REJECTED, Reason.REFUSED:
            return "it was sent" if taken and not state.restored else None
    return _unwanted(state, each)


def _unwanted(state: State, each: MailItem) -> str | None:
    """Return why nobody wanted an invitation to end like this, or None if somebody did."""
    match each.state, each.reason:
        case InvitationState.SUPPRESSED, Reason.OPTED_OUT:
            return None if state.rows.suppressions else "nobody opted out"
        case InvitationState.CANCELLED, Reason.ERASED:
            return None if isinstance(each, Invitation) and each.sealed_address is None else "nothing was erased"
    return "nobody wanted that"


def _obstacle(state: State, each: MailItem) -> str | None:
    """Return why an invitation that was just scheduled again should not have been, or None."""
    if id_of(each) in state.rows.doubted:
        return "it was in doubt"
    if id_of(each) in state.rows.migrated:
        return "it was rejected before the migration"
    if isinstance(each, Invitation) and each.sealed_address is None:
        return "its address is erased"
    return (
        "its address is suppressed"
        if each.address_hash in {one.address_hash for one in state.rows.suppressions}
        else None
    )


def _is_covered(world: World, state: State, each: MailItem) -> bool:
    """Whether the marks cannot tell that it did not leave: they have forgotten, or another host's is not known."""
    told = each.queued_at if isinstance(each, Notice) else min(each.due_at, each.scheduled_for)
    if not world.bounds.one_host:
        return told <= world.clock.now()
    return any(mark.mark.horizon is not None and told <= mark.mark.horizon for mark in state.marks)


def find_loss(world: World, ended: State) -> str | None:
    """Return which invitation or message was neither sent nor left in doubt at the end, in words, or None."""
    taken = dict(ended.truth.taken)
    unknown = not world.bounds.forgetful  # a mark that has forgotten cannot name what was tried again since the copy
    for each in ended.rows.items:
        if each.state is REJECTED and taken.get(id_of(each)) and unknown:
            return f"{world.names[id_of(each)]} is rejected, but it was sent"
    lost = [each for each in ended.rows.items if each.state not in SETTLED]
    return f"{world.names[id_of(lost[0])]} is lost: {lost[0].state} ({lost[0].reason})" if lost else None
