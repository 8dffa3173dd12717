"""`python -m tools.diagrams`: draw all diagrams of the documentation into docs/diagrams."""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from tools.diagrams import pictures
from tools.diagrams.rooms import draw_rooms
from tools.diagrams.states import draw_states

from reviewinvite_core import ReviewState, State
from reviewinvite_core.domain import reviews, signing, trust_mark
from reviewinvite_core.domain.invitation_states import TRANSITIONS
from reviewinvite_core.values import KeyState, TrustMark

S = TypeVar("S", bound=StrEnum)

DOCS = Path(__file__).parents[2] / "docs"


def diagrams() -> Mapping[str, str]:
    """Return each diagram by the name of its file."""
    architecture = runpy.run_path(str(DOCS / "draw_architecture.py"))
    transports, *_ = architecture["layers"]("transports")
    rooms = draw_rooms(transports, architecture["CORE"], architecture["layers"]("layers"), architecture["packages_of"])
    return {
        "rooms.svg": rooms,
        "order.svg": pictures.order(),
        "hand-over.svg": pictures.hand_over(),
        "key-rotation.svg": pictures.key_rotation(),
        "machines.svg": pictures.machines(),
        "invitation-states.svg": draw_states(
            "The states of an invitation", list(State), set(TRANSITIONS), {state for state in State if state.final}
        ),
        "trust-mark-states.svg": _of_table("The states of a trust mark", TrustMark, trust_mark.TRANSITIONS),
        "signing-key-states.svg": _of_table("The states of a signing key", KeyState, signing.TRANSITIONS),
        "review-states.svg": draw_states(
            "The states of a review",
            list(ReviewState),
            {edge for edge in reviews.TRANSITIONS if edge[0] != edge[1]},
            (),
        ),
    }


def _of_table(title: str, states: type[S], table: Mapping[S, frozenset[S]]) -> str:
    edges = {(str(before), str(after)) for before, afters in table.items() for after in afters}
    return draw_states(
        title, [str(state) for state in states], edges, {str(state) for state in states if not table[state]}
    )


if __name__ == "__main__":
    for name, drawn in diagrams().items():
        (DOCS / "diagrams" / name).write_text(drawn, encoding="utf-8")
