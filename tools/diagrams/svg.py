"""A drawing of boxes, lines and texts, as SVG that needs no script and no font from elsewhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Literal

INK, PALE, LINE, ACCENT, ALERT = "#1b1f24", "#eef3fb", "#5b6b7f", "#1f5fbf", "#a33a2c"
CHARACTER, LINE_HEIGHT = 6.7, 16  # of a text of 13 pixels

Anchor = Literal["start", "middle", "end"]


class Drawing:
    """A picture that grows with what is put on it; all lengths are in pixels."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._parts: list[str] = []
        self._width = self._height = 0.0

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        anchor: Anchor = "middle",
        bold: bool = False,
        color: str = INK,
        ground: str = "#fff",
    ) -> None:
        """Write one line; `y` is its base line. A halo in the color of the ground keeps it legible above a line."""
        weight = ' font-weight="600"' if bold else ""
        self._parts.append(
            f'<text x="{x:g}" y="{y:g}" text-anchor="{anchor}" fill="{color}"{weight} '
            f'paint-order="stroke" stroke="{ground}" stroke-width="4">{escape(text)}</text>'
        )
        width = width_of(text)
        self.extend(x + {"start": width, "middle": width / 2, "end": 0}[anchor], y + 4)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        lines: Sequence[str],
        *,
        fill: str = PALE,
        dashed: bool = False,
    ) -> None:
        """Draw a box with its lines in the middle, the first of them bold."""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="6" '
            f'fill="{fill}" stroke="{LINE}"{dash}/>'
        )
        self.extend(x + width, y + height)
        top = y + height / 2 - LINE_HEIGHT * (len(lines) - 1) / 2 + 4.5
        for number, line in enumerate(lines):
            self.text(x + width / 2, top + number * LINE_HEIGHT, line, bold=number == 0, ground=fill)

    def path(self, points: str, *, arrow: bool = False, dashed: bool = False, color: str = LINE) -> None:
        """Draw a line along an SVG path."""
        end = f' marker-end="url(#{"alert" if color == ALERT else "arrow"})"' if arrow else ""
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self._parts.append(f'<path d="{points}" fill="none" stroke="{color}" stroke-width="1.4"{dash}{end}/>')

    def arrow(self, x1: float, y1: float, x2: float, y2: float, *, dashed: bool = False, color: str = LINE) -> None:
        """Draw a straight arrow."""
        self.path(f"M{x1:g} {y1:g}L{x2:g} {y2:g}", arrow=True, dashed=dashed, color=color)
        self.extend(max(x1, x2), max(y1, y2))

    def extend(self, x: float, y: float) -> None:
        """Make the picture large enough for this point."""
        self._width, self._height = max(self._width, x), max(self._height, y)

    def __str__(self) -> str:
        """Return the picture as a file."""
        width, height = round(self._width + 16), round(self._height + 16)
        return "\n".join([*self._head(width, height), *self._parts, "</svg>"]) + "\n"

    def _head(self, width: int, height: int) -> Iterator[str]:
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
            ' font-family="system-ui, sans-serif" font-size="13" role="img">'
        )
        yield f"<title>{escape(self._title)}</title>"
        yield f'<rect width="{width}" height="{height}" fill="#fff"/>'
        for name, color in (("arrow", LINE), ("alert", ALERT)):
            yield (
                f'<marker id="{name}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" '
                f'orient="auto-start-reverse"><path d="M0 1L10 5L0 9z" fill="{color}"/></marker>'
            )


def width_of(text: str) -> float:
    """Return about how wide a line is."""
    return len(text) * CHARACTER
