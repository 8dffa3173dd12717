"""Draw the ratings of a year as SVG: a line of weekly means, over bars of how many reviews there were.

Places across are per cent of the width, heights are pixels. So the picture fits any width, with letters of one size,
and needs no script and no style of its own: colours come from the page's style sheet by class.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from itertools import pairwise
from xml.etree.ElementTree import Element, SubElement, tostring

import attrs
from markupsafe import Markup

from reviewinvite_core.values import Week

HEIGHT = 242
_LEFT, _RIGHT = 4.5, 98.5
_TOP_RATING, _PIXELS_A_STAR = 36.0, 30.0
_VALUE = 16.0  # above the highest place of the line
_BARS_END, _LONGEST_BAR = 214.0, 38.0
_LABELS = 234.0
_RATINGS = range(1, 6)


@attrs.frozen(kw_only=True)
class ChartTexts:
    """The texts of a chart, in the reader's language.

    `week` says what happened in a week, `month` names the month of a day, `rating` writes a mean, and `count` a number.
    """

    title: str
    description: str
    week: Callable[[Week], str]
    month: Callable[[date], str]
    rating: Callable[[str], str]
    count: Callable[[int], str]


def rating_chart(weeks: Sequence[Week], texts: ChartTexts) -> Markup:
    """Return the chart of these consecutive weeks; a week without reviews is a gap in the line."""
    svg = Element(
        "svg",
        {"class": "chart", "role": "img", "height": str(HEIGHT), "aria-labelledby": "chart-title chart-description"},
    )
    SubElement(svg, "title", {"id": "chart-title"}).text = texts.title
    SubElement(svg, "desc", {"id": "chart-description"}).text = texts.description
    _draw_scale(svg)
    _draw_months(svg, weeks, texts)
    _draw_weeks(svg, weeks, texts)
    _draw_most(svg, weeks, texts)
    _draw_line(svg, weeks)
    _draw_newest(svg, weeks, texts)
    return Markup(tostring(svg, encoding="unicode"))  # noqa: S704 - the serializer escapes what is in it


def _draw_scale(svg: Element) -> None:
    for rating in _RATINGS:
        height = _pixels(_height_of(rating))
        SubElement(svg, "line", {"class": "chart-grid", "x1": "0", "x2": "100%", "y1": height, "y2": height})
        label = SubElement(svg, "text", {"class": "chart-label", "x": "0", "y": _pixels(_height_of(rating) - 4)})
        label.text = str(rating)
    end = _pixels(_BARS_END)
    SubElement(svg, "line", {"class": "chart-grid", "x1": "0", "x2": "100%", "y1": end, "y2": end})


def _draw_months(svg: Element, weeks: Sequence[Week], texts: ChartTexts) -> None:
    """Name each month below the week in which it begins; every second one can be left out on a narrow screen."""
    begun = [place for place, week in enumerate(weeks) if place and week.monday.day <= 7]
    for number, place in enumerate(begun):
        name = "chart-label chart-month" + (" chart-month-2" if number % 2 else "")
        x = _per_cent(_middle_of(place, len(weeks)))
        label = SubElement(svg, "text", {"class": name, "x": x, "y": _pixels(_LABELS)})
        label.text = texts.month(weeks[place].monday)


def _draw_weeks(svg: Element, weeks: Sequence[Week], texts: ChartTexts) -> None:
    """Draw a bar for each week with reviews, below a slot that says on hovering what happened in the week."""
    most = max((week.reviews.score.count for week in weeks), default=0)
    slot = (_RIGHT - _LEFT) / len(weeks) if weeks else 0.0
    for place, week in enumerate(weeks):
        group = SubElement(svg, "g", {"class": "chart-week"})
        SubElement(group, "title").text = texts.week(week)
        left = _middle_of(place, len(weeks)) - slot / 2
        SubElement(
            group,
            "rect",
            {
                "class": "chart-slot",
                "x": _per_cent(left),
                "width": _per_cent(slot),
                "y": _pixels(_TOP_RATING - 8),
                "height": _pixels(_BARS_END - _TOP_RATING + 8),
            },
        )
        if count := week.reviews.score.count:
            long = max(2.0, _LONGEST_BAR * count / most)
            SubElement(
                group,
                "rect",
                {
                    "class": "chart-bar",
                    "x": _per_cent(left + slot * 0.2),
                    "width": _per_cent(slot * 0.6),
                    "y": _pixels(_BARS_END - long),
                    "height": _pixels(long),
                },
            )


def _draw_most(svg: Element, weeks: Sequence[Week], texts: ChartTexts) -> None:
    """Write the number of reviews above the longest bar, or the newest of them, so that the bars have a scale."""
    counts = [week.reviews.score.count for week in weeks]
    most = max(counts, default=0)
    if most:
        x = _middle_of(len(counts) - 1 - counts[::-1].index(most), len(counts))
        place = {"text-anchor": _anchor(x), "x": _per_cent(x), "y": _pixels(_BARS_END - _LONGEST_BAR - 4)}
        SubElement(svg, "text", {"class": "chart-label chart-most", **place}).text = texts.count(most)


def _draw_line(svg: Element, weeks: Sequence[Week]) -> None:
    points = list(_points(weeks))
    for (place, x, y), (next_place, next_x, next_y) in pairwise(points):
        if next_place == place + 1:
            ends = {"x1": _per_cent(x), "y1": _pixels(y), "x2": _per_cent(next_x), "y2": _pixels(next_y)}
            SubElement(svg, "line", {"class": "chart-line", **ends})
    for _, x, y in points:
        SubElement(svg, "circle", {"class": "chart-dot", "cx": _per_cent(x), "cy": _pixels(y), "r": "2.5"})


def _draw_newest(svg: Element, weeks: Sequence[Week], texts: ChartTexts) -> None:
    """Mark the newest week that has reviews, and write its mean above the whole line, with a guide down to the week."""
    for place, x, y in list(_points(weeks))[-1:]:
        across, guide = _per_cent(x), {"y1": _pixels(_VALUE + 5), "y2": _pixels(y)}
        SubElement(svg, "line", {"class": "chart-guide", "x1": across, "x2": across, **guide})
        SubElement(svg, "circle", {"class": "chart-dot chart-newest", "cx": across, "cy": _pixels(y), "r": "4.5"})
        value = {"class": "chart-value", "text-anchor": _anchor(x), "x": across, "y": _pixels(_VALUE)}
        SubElement(svg, "text", value).text = texts.rating(weeks[place].mean or "")


def _points(weeks: Sequence[Week]) -> Iterator[tuple[int, float, float]]:
    """Yield place, per cent across and pixels down of each week that has reviews."""
    for place, week in enumerate(weeks):
        score = week.reviews.score
        if score.count:
            yield place, _middle_of(place, len(weeks)), _height_of(score.total / score.count)


def _anchor(x: float) -> str:
    """Return which end of a label is at this place across, so that it stays within the picture."""
    return "end" if x > 94 else "start" if x < 6 else "middle"


def _middle_of(place: int, count: int) -> float:
    return _LEFT + (_RIGHT - _LEFT) * (place + 0.5) / count


def _height_of(rating: float) -> float:
    return _TOP_RATING + (_RATINGS[-1] - rating) * _PIXELS_A_STAR


def _per_cent(value: float) -> str:
    return f"{value:.2f}%"


def _pixels(value: float) -> str:
    return f"{value:.1f}"
