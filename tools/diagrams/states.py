"""State machines: the states from top to bottom, the transitions as arcs, down on the right and up on the left."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tools.diagrams.svg import Drawing, width_of

BOX, GAP, STEP = 32, 22, 20


def draw_states(title: str, states: Sequence[str], edges: Collection[tuple[str, str]], final: Collection[str]) -> str:
    """Return the picture; the first state is the one in which all begin, and a final one has a double border."""
    drawing = Drawing(title)
    width = max(width_of(state) for state in states) + 32
    reach = [abs(states.index(a) - states.index(b)) for a, b in edges if states.index(b) < states.index(a)]
    left = 24 + (max(reach) * STEP if reach else 0)
    top = {state: 34 + number * (BOX + GAP) for number, state in enumerate(states)}
    drawing.arrow(left + width / 2, 10, left + width / 2, top[states[0]] - 1)
    for state, y in top.items():
        if state in final:
            drawing.box(left - 4, y - 4, width + 8, BOX + 8, [], fill="#fff")
        drawing.box(left, y, width, BOX, [state])
    for before, after in sorted(edges, key=lambda edge: (states.index(edge[0]), states.index(edge[1]))):
        if before == after:
            _loop(drawing, left + width, top[before])
            continue
        distance = states.index(after) - states.index(before)
        down = distance > 0
        x, side = (left + width, 1) if down else (left, -1)
        offset = 4 if after in final else 0
        y1, y2 = top[before] + BOX / 2 + (5 if down else -5), top[after] + BOX / 2 + (-5 if down else 5)
        if distance == 1:
            middle = left + width / 2
            drawing.arrow(middle, top[before] + BOX, middle, top[after] - 1 - offset)
            continue
        bend = x + side * (14 + abs(distance) * STEP)
        drawing.path(f"M{x:g} {y1:g}C{bend:g} {y1:g} {bend:g} {y2:g} {x + side * (1 + offset):g} {y2:g}", arrow=True)
        drawing.extend(bend - (14 + abs(distance) * STEP) * side * 0.25, y1)
    return str(drawing)


def _loop(drawing: Drawing, x: float, y: float) -> None:
    drawing.path(f"M{x:g} {y + 8:g}C{x + 30:g} {y:g} {x + 30:g} {y + BOX:g} {x + 1:g} {y + BOX - 8:g}", arrow=True)
    drawing.extend(x + 26, y)
