"""The rooms of the code, from the import contracts: each layer imports only from those below it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence

from tools.diagrams.svg import Drawing

WIDTH, GAP = 700, 14


def draw_rooms(
    transports: Sequence[str], core: str, layers: Sequence[Sequence[str]], packages_of: Callable[[str], str]
) -> str:
    """Return the picture; `packages_of` names what is in a room, in one line."""
    drawing = Drawing("The rooms, and which may import from which")
    y = _row(drawing, transports, 16, 16, WIDTH, packages_of)
    drawing.arrow(16 + WIDTH / 2, y, 16 + WIDTH / 2, y + 22)
    top = y + 24
    drawing.text(30, top + 20, core, anchor="start", bold=True)
    y = top + 34
    for number, layer in enumerate(layers):
        if number:
            drawing.arrow(16 + WIDTH / 2, y - 2, 16 + WIDTH / 2, y + 18)
            y += 20
        y = _row(drawing, layer, 32, y, WIDTH - 32, packages_of)
    drawing.path(f"M16 {top}H{16 + WIDTH}V{y + 14}H16Z", dashed=True)
    drawing.extend(16, y + 14)
    return str(drawing)


def _row(
    drawing: Drawing, names: Sequence[str], x: float, y: float, width: float, packages_of: Callable[[str], str]
) -> float:
    """Draw rooms side by side; return where the row ends."""
    each = (width - GAP * (len(names) - 1)) / len(names)
    texts = [[name, *textwrap.wrap(packages_of(name), int(each / 7))] for name in names]
    height = 20 + 16 * max(len(lines) for lines in texts)
    for number, lines in enumerate(texts):
        drawing.box(x + number * (each + GAP), y, each, height, lines)
    return y + height
