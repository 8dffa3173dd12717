"""Draw docs/states.md from the transition table: `python docs/draw_states.py > docs/states.md`."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from reviewinvite_core import Reason, ReviewState, State
from reviewinvite_core.domain import notices, reviews, signing, trust_mark
from reviewinvite_core.domain.invitation_states import TRANSITIONS
from reviewinvite_core.values import Act, KeyState, TrustMark

MEANING = {
    State.SCHEDULED: "It waits until it is due, or for another attempt.",
    State.CLAIMED: "A worker holds it until its lease ends. Nothing has been sent yet.",
    State.HANDING_OVER: "It has passed the fence: from here on the message may have been sent.",
    State.SENT: "The mail server accepted it, its link was opened, or an operator confirmed it.",
    State.UNCERTAIN: "The message may have been sent. It waits for a late answer or for an operator.",
    State.REJECTED: "The mail server refused it permanently, no message could be made, or 3 days of retries ran out. "
    "An operator can have it tried again if it certainly never left.",
    State.CANCELLED: "The shop or an operator cancelled it, or its address was erased.",
    State.SUPPRESSED: "The address is suppressed, is a member’s own, or was invited recently.",
    State.EXPIRED: "It was due more than 60 days ago, because its shop stayed inactive or no worker ran.",
}

WHEN = {
    Reason.CLAIMED: "a worker claimed it",
    Reason.CANCELLED: "the shop or an operator cancelled it",
    Reason.ERASED: "its address was erased, on request or at the end of retention",
    Reason.OPTED_OUT: "the customer opted out, or an operator suppressed the address",
    Reason.MEMBER: "the address is that of a member of the shop, with or without its `+tag`",
    Reason.RECENTLY_INVITED: "the shop's frequency rule: another invitation to the address is too close in time",
    Reason.OVERDUE: "it was due more than 60 days ago",
    Reason.LEASE_EXPIRED: "the worker's lease ran out",
    Reason.REFUSED_FOR_NOW: "the mail server refused it temporarily",
    Reason.UNREACHABLE: "the connection failed before the end of the message",
    Reason.SHOP_INACTIVE: "its shop was inactive at the fence",
    Reason.SHUTDOWN: "the worker was stopping",
    Reason.PAUSED: "deliveries were paused at the fence, because the database may be an older copy",
    Reason.FAULT: "the worker hit an internal error before the end of the message",
    Reason.MARK_UNWRITTEN: "the hand-over mark could not be written, so the message was not sent",
    Reason.REFUSED: "the mail server refused it permanently",
    Reason.NOT_RENDERABLE: "no valid message could be made from it",
    Reason.RETRIES_EXHAUSTED: "three days of retries ran out",
    Reason.FENCED: "it passed the fence",
    Reason.ACCEPTED: "the mail server accepted it",
    Reason.ANSWER_LOST: "the mail server did not answer the end of the message",
    Reason.PROCESS_DIED: "the worker died after the fence",
    Reason.LINK_OPENED: "its link was opened, so it has arrived",
    Reason.REVIEWED: "a review was written by its link, so an earlier attempt arrived",
    Reason.RETRIED: "`invitation retry`: it certainly never left, and an operator has it tried again",
    Reason.RECONCILED: "`db reconcile`: it may have been sent since the copy was made",
}

WHEN_OF_NOTICE = {
    Reason.ERASED: "its address was erased on request",
    Reason.OVERDUE: "it expired before it could be sent",
}

BY_OPERATOR = {
    (State.SCHEDULED, State.SCHEDULED): "an operator made it due at once",
    (State.UNCERTAIN, State.SENT): "an operator marked it sent",
    (State.UNCERTAIN, State.SCHEDULED): "an operator had it sent again",
}

MARKS = {
    TrustMark.ABSENT: "A free profile: the service does not vouch for the shop. Statements say `unverified`.",
    TrustMark.GRANTED: "The service vouches for the shop. Statements say `trusted`.",
    TrustMark.REVOKED: "The service no longer vouches for the shop. Statements say `revoked`.",
}

WHEN_MARKED = {
    (TrustMark.ABSENT, TrustMark.GRANTED): "`trustmark grant`",
    (TrustMark.GRANTED, TrustMark.REVOKED): "`trustmark revoke`",
    (TrustMark.REVOKED, TrustMark.GRANTED): "`trustmark grant`",
}

KEYS = {
    KeyState.ANNOUNCED: "The standby: published, so that verifiers know it, but not signing yet.",
    KeyState.SIGNING: "It signs statements. Only one key does at a time.",
    KeyState.RETIRED: "It no longer signs. It stays published for 11 minutes, until its last statement has expired.",
    KeyState.COMPROMISED: "Its private key may have leaked. It is no longer published, with immediate effect.",
}

WHEN_MOVED = {
    (KeyState.ANNOUNCED, KeyState.SIGNING): "the previous key was retired or compromised, or this is the first key",
    (KeyState.ANNOUNCED, KeyState.COMPROMISED): "`signing-key compromised`; another standby is announced",
    (KeyState.SIGNING, KeyState.RETIRED): "`signing-key rotate`",
    (
        KeyState.SIGNING,
        KeyState.COMPROMISED,
    ): "`signing-key compromised`; the standby takes over, and another is announced",
    (KeyState.RETIRED, KeyState.COMPROMISED): "`signing-key compromised`",
}


OF_REVIEWS = {
    ReviewState.PUBLISHED: "Everyone can see it, and it counts towards the score.",
    ReviewState.HIDDEN: "The public cannot see it, for a reason that an operator gave.",
    ReviewState.WITHDRAWN: "None of its content is kept.",
}

ACTS = {
    Act.CHANGED: "its writer changed it, within 30 days",
    Act.WITHDRAWN: "its writer withdrew it, within 30 days",
    Act.WRITTEN_AGAIN: "its writer wrote it again, within the same 30 days",
    Act.HIDDEN: "an operator hid it",
    Act.SHOWN_AGAIN: "an operator showed it again",
    Act.REPLIED: "the shop replied, or changed its reply",
    Act.REPLY_REMOVED: "the shop removed its reply",
    Act.NAME_REMOVED: "the customer's data was erased, but the review was kept without the name",
    Act.ERASED: "the customer's data was erased, including the review",
}

WHILE_HIDDEN = {
    Act.HIDDEN: "an operator gave another reason",
    Act.WRITTEN_AGAIN: f"{ACTS[Act.WRITTEN_AGAIN]}; it had been hidden",
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
        "`docs/draw_states.py` generates this page from the table in `reviewinvite_core/domain/invitation_states.py`.",
        "A test checks that the two agree.",
        "Every change of state goes through that table and has a reason and a time.",
        "Spec: §3.",
        "",
        "![The states and the transitions between them](diagrams/invitation-states.svg)",
        "",
        "| state | meaning |",
        "|---|---|",
        *(f"| `{state}`{' (final)' if state.final else ''} | {MEANING[state]} |" for state in State),
        "",
        "| from | to | reason | when |",
        "|---|---|---|---|",
        *(
            f"| `{before}` | `{after}` | `{reason}` | {_when(before, after, reason)} |"
            for before, after, reasons in edges
            for reason in reasons
        ),
        "",
        *_of_notices(),
        "",
        *drawn("trust mark", "trust_mark", MARKS, trust_mark.TRANSITIONS, WHEN_MARKED),
        "",
        *drawn("signing key", "signing", KEYS, signing.TRANSITIONS, WHEN_MOVED),
        "",
        *_of_reviews(),
    ]
    return "\n".join(lines) + "\n"


def _of_notices() -> list[str]:
    edges = [
        (before, after, sorted(reasons, key=list(Reason).index))
        for (before, after), reasons in notices.TRANSITIONS.items()
    ]
    return [
        "## The states of a notice",
        "",
        "Generated from the table in `reviewinvite_core/domain/notices.py`.",
        "A notice is mail that is not an invitation, such as a sign-in link.",
        "States and reasons mean what they mean for an invitation, but a notice expires when nobody needs it.",
        "Nobody resolves an `uncertain` notice.",
        "Spec: §6.",
        "",
        "| from | to | reason | when |",
        "|---|---|---|---|",
        *(
            f"| `{before}` | `{after}` | `{reason}` | {WHEN_OF_NOTICE.get(reason, WHEN[reason])} |"
            for before, after, reasons in edges
            for reason in reasons
        ),
    ]


def _when(before: State, after: State, reason: Reason) -> str:
    return BY_OPERATOR[before, after] if reason is Reason.OPERATOR else WHEN[reason]


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
        f"Generated from the table in `reviewinvite_core/domain/{module}.py`.",
        "Spec: §3.",
        "",
        f"![The states and the transitions between them](diagrams/{noun.replace(' ', '-')}-states.svg)",
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


def _done(before: ReviewState, after: ReviewState, act: Act) -> str:
    stays_hidden = after is ReviewState.HIDDEN and before is not ReviewState.PUBLISHED
    return WHILE_HIDDEN.get(act, ACTS[act]) if stays_hidden else ACTS[act]


def _of_reviews() -> list[str]:
    edges = [
        (before, after, sorted(acts, key=list(Act).index)) for (before, after), acts in reviews.TRANSITIONS.items()
    ]
    return [
        "## The states of a review",
        "",
        "Generated from the table in `reviewinvite_core/domain/reviews.py`.",
        "Every action is recorded in the review's history, with its time.",
        "Spec: §3.",
        "",
        "![The states and the transitions between them](diagrams/review-states.svg)",
        "",
        "| state | meaning |",
        "|---|---|",
        *(f"| `{state}` | {OF_REVIEWS[state]} |" for state in ReviewState),
        "",
        "| from | to | action | by | when |",
        "|---|---|---|---|---|",
        *(
            f"| `{before}` | `{after}` | `{act}` | {act.by} | {_done(before, after, act)} |"
            for before, after, acts in edges
            for act in acts
        ),
    ]


if __name__ == "__main__":
    print(page(), end="")
