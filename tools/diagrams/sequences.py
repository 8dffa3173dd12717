"""Sequences: who tells whom what, from top to bottom."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
from tools.diagrams.svg import ACCENT, ALERT, LINE, LINE_HEIGHT, Drawing, width_of


@attrs.frozen
class Step:
    """A message from one participant to another, or, if both are one, a note beside it."""

    sender: str
    receiver: str
    text: str
    answer: bool = False
    alert: bool = False


@attrs.frozen
class Phase:
    """A line across the picture, with what begins there."""

    text: str


def draw_sequence(title: str, participants: Sequence[str], steps: Sequence[Step | Phase], column: int = 190) -> str:
    """Return the picture; `column` is the distance between two participants."""
    drawing = Drawing(title)
    places = {name: 90 + number * column for number, name in enumerate(participants)}
    bottom = 74 + sum(34 if isinstance(step, Phase) else _height(step) for step in steps)
    for name, x in places.items():
        drawing.box(x - 74, 14, 148, 34, [name])
        drawing.path(f"M{x} 48L{x} {bottom}", dashed=True)
    y = 74
    for step in steps:
        if isinstance(step, Phase):
            drawing.path(f"M16 {y}L{90 + (len(participants) - 1) * column + 74} {y}", color=ACCENT)
            drawing.text(20, y + 16, step.text, anchor="start", bold=True, color=ACCENT)
            y += 34
            continue
        _draw(drawing, step, places, y)
        y += _height(step)
    drawing.extend(90, bottom)
    return str(drawing)


def _height(step: Step) -> int:
    return 26 + LINE_HEIGHT * len(step.text.split("\n"))


def _draw(drawing: Drawing, step: Step, places: dict[str, int], y: float) -> None:
    lines = step.text.split("\n")
    x1, x2 = places[step.sender], places[step.receiver]
    color = ALERT if step.alert else LINE
    if x1 == x2:
        width = max(width_of(line) for line in lines) + 20
        drawing.box(x1 - width / 2, y - 6, width, LINE_HEIGHT * len(lines) + 12, [], fill="#fff6e0")
        for number, line in enumerate(lines):
            drawing.text(x1, y + 10 + number * LINE_HEIGHT, line, color=color, ground="#fff6e0")
        return
    for number, line in enumerate(lines):
        drawing.text((x1 + x2) / 2, y + 8 + number * LINE_HEIGHT, line, color=color)
    below = y + 14 + (len(lines) - 1) * LINE_HEIGHT
    drawing.arrow(x1, below, x2, below, dashed=step.answer, color=color)
