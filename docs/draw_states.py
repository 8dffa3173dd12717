"""Draw docs/states.md from the transition table: `python docs/draw_states.py > docs/states.md`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from reviewinvite_core import Act, KeyState, Reason, ReviewState, State, TrustMark
from reviewinvite_core.domain import reviews, signing, trust_mark
from reviewinvite_core.domain.invitation_states import (
    TRANSITIONS,
)

MEANING = {
    State.SCHEDULED: "It waits for its time, or for another try.",
    State.CLAIMED: "A worker has taken it, for as long as its lease holds. Nothing is out yet.",
    State.HANDING_OVER: "It has passed the fence: from here on the message may be out.",
    State.SENT: "The mail server has it.",
    State.UNCERTAIN: "The message may or may not be out. It is never sent again by itself.",
    State.REJECTED: "It was refused for good, could not be made into a message, or three days of tries are over.",
    State.CANCELLED: "A person withdrew it, or its address was erased.",
    State.SUPPRESSED: "The address is not to be written to, or not again so soon.",
    State.EXPIRED: "It was due more than 60 days ago: its shop stayed inactive, or no worker ran.",
}

WHEN = {
    Reason.CLAIMED: "a worker takes it",
    Reason.CANCELLED: "a person's word",
    Reason.ERASED: "its address was erased, on request or since its time was over",
    Reason.OPTED_OUT: "the customer opted out",
    Reason.RECENTLY_INVITED: "its shop's frequency rule: the address has an invitation that is too close to this one",
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
    Reason.REVIEWED: "a review was written by its link: an earlier attempt has arrived",
    Reason.OPERATOR: "an operator's word",
    Reason.RECONCILED: "`db reconcile`: it may have been sent since the copy was made",
}

MARKS = {
    TrustMark.ABSENT: "A free profile: nothing is said of the shop. Statements say `unverified`.",
    TrustMark.GRANTED: "The service vouches for the shop. Statements say `trusted`.",
    TrustMark.REVOKED: "It did, and has taken that back. Statements say `revoked`.",
}

WHEN_MARKED = {
    (TrustMark.ABSENT, TrustMark.GRANTED): "`trustmark grant`",
    (TrustMark.GRANTED, TrustMark.REVOKED): "`trustmark revoke`",
    (TrustMark.REVOKED, TrustMark.GRANTED): "`trustmark grant`, again",
}

KEYS = {
    KeyState.ANNOUNCED: "The standby: published, so that verifiers know it, and not signing yet.",
    KeyState.SIGNING: "It signs; one at a time does.",
    KeyState.RETIRED: "It signs no more. It stays published until its last statement has expired, for 11 minutes.",
    KeyState.COMPROMISED: "Others may have its private half. It is not published any more, from that instant on.",
}

WHEN_MOVED = {
    (KeyState.ANNOUNCED, KeyState.SIGNING): "the one before is retired or compromised; or it is the first one",
    (KeyState.ANNOUNCED, KeyState.COMPROMISED): "`signing-key compromised`; another standby is announced",
    (KeyState.SIGNING, KeyState.RETIRED): "`signing-key rotate`",
    (KeyState.SIGNING, KeyState.COMPROMISED): "`signing-key compromised`; the standby signs, and another is announced",
    (KeyState.RETIRED, KeyState.COMPROMISED): "`signing-key compromised`",
}


OF_REVIEWS = {
    ReviewState.PUBLISHED: "Everybody sees it, and it counts for the score.",
    ReviewState.HIDDEN: "Nobody sees it, for a reason that the operator gave.",
    ReviewState.WITHDRAWN: "Nothing is left of what was written.",
}

ACTS = {
    Act.CHANGED: "its writer changes it, within 30 days",
    Act.WITHDRAWN: "its writer takes it back, within 30 days",
    Act.WRITTEN_AGAIN: "its writer writes again, within the same 30 days; hidden where it was hidden before",
    Act.HIDDEN: "the operator hides it, or gives another reason",
    Act.SHOWN_AGAIN: "the operator shows it again",
    Act.REPLIED: "the shop replies, or changes its reply",
    Act.REPLY_REMOVED: "the shop takes its reply away",
    Act.NAME_REMOVED: "its writer was erased, and the operator keeps the review",
    Act.ERASED: "its writer was erased, and the review with the writer",
}


def page() -> str:
    """Return the whole page."""
    edges = [
        (before, after, sorted(reasons, key=list(Reason).index)) for (before, after), reasons in TRANSITIONS.items()
    ]
    lines = [
        "# States",
        "",
        "## The states of an invitation",
        "",
        "Drawn from the table in `reviewinvite_core/domain/invitation_states.py` by `docs/draw_states.py`.",
        "A test keeps the two the same.",
        "Every change of state goes through that table, and carries a reason and a time.",
        "Spec: §3.",
        "",
        "![The states, and the transitions between them](diagrams/invitation-states.svg)",
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
        "",
        *drawn("trust mark", "trust_mark", MARKS, trust_mark.TRANSITIONS, WHEN_MARKED),
        "",
        *drawn("signing key", "signing", KEYS, signing.TRANSITIONS, WHEN_MOVED),
        "",
        *_of_reviews(),
    ]
    return "\n".join(lines) + "\n"


def drawn(
    noun: str,
    module: str,
    meanings: Mapping[StrEnum, str],
    transitions: Mapping[StrEnum, frozenset[StrEnum]],
    when: Mapping[tuple[StrEnum, StrEnum], str],
) -> list[str]:
    """Return the part of the page about another table, whose first state is the initial one."""
    edges = [(before, after) for before in meanings for after in meanings if after in transitions[before]]
    return [
        f"## The states of a {noun}",
        "",
        f"Drawn from the table in `reviewinvite_core/domain/{module}.py`.",
        "Spec: §3.",
        "",
        f"![The states, and the transitions between them](diagrams/{noun.replace(' ', '-')}-states.svg)",
        "",
        "| state | meaning |",
        "|---|---|",
        *(
            f"| `{state}`{'' if transitions[state] else ' (final)'} | {meaning} |"
            for state, meaning in meanings.items()
        ),
        "",
        "| from | to | when |",
        "|---|---|---|",
        *(f"| `{before}` | `{after}` | {when[before, after]} |" for before, after in edges),
    ]


def _of_reviews() -> list[str]:
    edges = [
        (before, after, sorted(acts, key=list(Act).index)) for (before, after), acts in reviews.TRANSITIONS.items()
    ]
    return [
        "## The states of a review",
        "",
        "Drawn from the table in `reviewinvite_core/domain/reviews.py`.",
        "Every act stands in its history, with its time.",
        "Spec: §3.",
        "",
        "![The states, and the transitions between them](diagrams/review-states.svg)",
        "",
        "| state | meaning |",
        "|---|---|",
        *(f"| `{state}` | {OF_REVIEWS[state]} |" for state in ReviewState),
        "",
        "| from | to | act | by | when |",
        "|---|---|---|---|---|",
        *(
            f"| `{before}` | `{after}` | `{act}` | {act.by} | {ACTS[act]} |"
            for before, after, acts in edges
            for act in acts
        ),
    ]


if __name__ == "__main__":
    print(page(), end="")
