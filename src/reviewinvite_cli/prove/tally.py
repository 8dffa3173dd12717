"""Compare what was acknowledged with what the mail server accepted, and with the states in the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import attrs

from reviewinvite_core import State

_REFUSED = frozenset({State.REJECTED, State.SUPPRESSED, State.CANCELLED})


@attrs.define
class AcceptedMail:
    """The messages that the trial's mail server accepted, by its log; `update` reads those that are new."""

    log: Path
    by_recipient: Counter[str] = attrs.field(factory=Counter, init=False)
    by_invitation: Counter[str] = attrs.field(factory=Counter, init=False)
    _read: int = attrs.field(default=0, init=False)

    def update(self) -> None:
        """Read the lines that were written since."""
        if not self.log.exists():
            return
        with self.log.open("rb") as file:
            file.seek(self._read)
            lines, end, _ = file.read().rpartition(b"\n")
        self._read += len(lines) + len(end)
        for line in lines.decode().splitlines():
            message_id, _, recipient = line.partition(" ")
            self.by_recipient[recipient] += 1
            self.by_invitation[message_id.strip("<>").partition("@")[0]] += 1


@attrs.frozen(kw_only=True)
class Tally:
    """What became of all orders; `lost` and `uncertain` are None if the trial was interrupted."""

    acknowledged: int
    sent: int
    """Acknowledged orders whose message the mail server accepted."""
    twice: int
    """Orders with more than one accepted message, whether they were acknowledged or not."""
    lost: int | None = None
    uncertain: int | None = None
    """Invitations that an operator has to decide about at the end; their messages may have been accepted, too."""
    uncertain_accepted: int | None = None
    refused: int | None = None
    unanswered: int = 0
    """Orders that were reported and never acknowledged."""
    unanswered_sent: int = 0
    contradictions: int = 0
    """Orders acknowledged with two invitations, and invitations recorded as sent that the mail server did not get."""
    orders_twice: tuple[str, ...] = ()
    orders_lost: tuple[str, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether the trial was finished, so that what is missing is lost."""
        return self.lost is not None

    @property
    def is_good(self) -> bool:
        """Whether nothing was sent twice, lost or contradicted, and something was sent at all."""
        return self.is_complete and self.sent > 0 and not (self.twice or self.lost or self.contradictions)


def count(
    acknowledged: Mapping[str, Iterable[str]],
    unanswered: Iterable[str],
    mail: AcceptedMail,
    states: Mapping[str, State] | None,
) -> Tally:
    """Count; `acknowledged` has the invitations of each order, `states` all invitations' states at the end.

    An order is known by its customer's address. Each customer has one order, so that also a second invitation of one
    order is found, under another id.
    """
    by_order = {order: tuple(ids) for order, ids in acknowledged.items()}
    twice = tuple(sorted(name for name, messages in mail.by_recipient.items() if messages > 1))
    never_acknowledged = set(unanswered)
    tally = Tally(
        acknowledged=len(by_order),
        sent=sum(each in mail.by_recipient for each in by_order),
        twice=len(twice),
        unanswered=len(never_acknowledged),
        unanswered_sent=sum(each in mail.by_recipient for each in never_acknowledged),
        contradictions=sum(len(ids) > 1 for ids in by_order.values()),
        orders_twice=twice,
    )
    if states is None:
        return tally
    lost = tuple(sorted(each for each, ids in by_order.items() if _is_lost(each, ids, mail, states)))
    uncertain = [invitation for invitation, state in states.items() if state is State.UNCERTAIN]
    unsent = sum(state is State.SENT and invitation not in mail.by_invitation for invitation, state in states.items())
    return attrs.evolve(
        tally,
        lost=len(lost),
        uncertain=len(uncertain),
        uncertain_accepted=sum(each in mail.by_invitation for each in uncertain),
        refused=sum(state in _REFUSED for state in states.values()),
        contradictions=tally.contradictions + unsent,
        orders_lost=lost,
    )


def _is_lost(address: str, ids: Iterable[str], mail: AcceptedMail, states: Mapping[str, State]) -> bool:
    """Return whether an acknowledged order has neither a message nor an invitation that says why."""
    if address in mail.by_recipient:
        return False
    return not any(states.get(each) in _REFUSED | {State.UNCERTAIN} for each in ids)
