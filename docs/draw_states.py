"""Draw docs/states.md from the transition table: `python docs/draw_states.py > docs/states.md`."""

from __future__ import annotations

from reviewinvite_core import Reason, State
from reviewinvite_core.domain.invitations import TRANSITIONS

MEANING = {
    State.SCHEDULED: "It waits for its time, or for another try.",
    State.CLAIMED: "A worker has taken it, for as long as its lease holds. Nothing is out yet.",
    State.HANDING_OVER: "It has passed the fence: from here on the message may be out.",
    State.SENT: "The mail server has it.",
    State.UNCERTAIN: "The message may or may not be out. It is never sent again by itself.",
    State.REJECTED: "It was refused for good, could not be made into a message, or three days of tries are over.",
    State.CANCELLED: "A person withdrew it, or its address was erased.",
    State.SUPPRESSED: "The customer does not want to be written to.",
    State.EXPIRED: "It was due more than 60 days ago: its shop stayed inactive, or no worker ran.",
}

WHEN = {
    Reason.CLAIMED: "a worker takes it",
    Reason.CANCELLED: "a person's word",
    Reason.ERASED: "its address was erased, on request or since its time was over",
    Reason.OPTED_OUT: "the customer opted out",
    Reason.OVERDUE: "due more than 60 days ago",
    Reason.LEASE_EXPIRED: "the worker's lease ran out",
    Reason.REFUSED_FOR_NOW: "the mail server refused it for now",
    Reason.UNREACHABLE: "the connection failed before the end of the message",
    Reason.SHOP_INACTIVE: "its shop was inactive at the fence",
    Reason.SHUTDOWN: "the worker was told to stop",
    Reason.PAUSED: "deliveries were paused at the fence, as the database may be an older copy",
    Reason.FAULT: "the worker met a fault of its own before the end of the message",
    Reason.MARK_UNWRITTEN: "the hand-over mark could not be written, so the end of the message was not transmitted",
    Reason.REFUSED: "the mail server refused it for good",
    Reason.NOT_RENDERABLE: "it could not be made into a message",
    Reason.RETRIES_EXHAUSTED: "three days of tries are over",
    Reason.FENCED: "the fence held",
    Reason.ACCEPTED: "the mail server took it",
    Reason.ANSWER_LOST: "no answer came to the end of the message",
    Reason.PROCESS_DIED: "the worker died after the fence",
    Reason.LINK_OPENED: "its link was opened: it has arrived",
    Reason.OPERATOR: "an operator's word",
    Reason.RECONCILED: "`db reconcile`: it was due by then, and may have been sent",
}


def page() -> str:
    """The page, whole."""
    edges = [
        (before, after, sorted(reasons, key=list(Reason).index)) for (before, after), reasons in TRANSITIONS.items()
    ]
    lines = [
        "# The states of an invitation",
        "",
        "Drawn from the table in `reviewinvite_core/domain/invitations.py` by `docs/draw_states.py`; a test keeps the",
        "two the same. Every change of state goes through that table, and carries a reason and a time. Spec: §3.",
        "",
        "```mermaid",
        "stateDiagram-v2",
        "    [*] --> scheduled",
        *(f"    {before} --> {after}" for before, after, _ in edges),
        *(f"    {state} --> [*]" for state in State if state.final),
        "```",
        "",
        "| state | meaning |",
        "|---|---|",
        *(f"| `{state}`{' (final)' if state.final else ''} | {MEANING[state]} |" for state in State),
        "",
        "| from | to | reason | when |",
        "|---|---|---|---|",
        *(
            f"| `{before}` | `{after}` | `{reason}` | {WHEN[reason]} |"
            for before, after, reasons in edges
            for reason in reasons
        ),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(page(), end="")
