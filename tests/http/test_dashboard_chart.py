"""The chart of a shop's ratings by week, as drawn; how it looks is in the pictures of `tests/browser`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from xml.etree.ElementTree import Element, fromstring

import attrs
import pytest

from reviewinvite_core.values import Distribution, Week
from reviewinvite_http.dashboard.overview.chart import HEIGHT, ChartTexts, rating_chart

MONDAY = date(2025, 12, 1)
TEXTS = ChartTexts(
    title="Ratings",
    description="A year of them",
    week=lambda week: f"{week.monday}: {week.mean}",
    month=lambda day: f"month {day.month}",
    rating=lambda mean: mean.replace(".", ","),
    count=lambda number: f"{number} reviews",
)


def year(reviews: Mapping[int, Distribution]) -> list[Week]:
    """Return 52 weeks, with reviews in some of them."""
    return [
        Week(monday=MONDAY + timedelta(weeks=place), sent=0, reviews=reviews.get(place, Distribution()))
        for place in range(52)
    ]


def drawn(reviews: Mapping[int, Distribution]) -> Element:
    return fromstring(str(rating_chart(year(reviews), TEXTS)))  # noqa: S314 - our own


def of_class(svg: Element, name: str) -> list[Element]:
    return [each for each in svg.iter() if name in each.get("class", "").split()]


def dots(svg: Element) -> list[Element]:
    return [each for each in of_class(svg, "chart-dot") if "chart-newest" not in each.get("class", "")]


@pytest.mark.parametrize(
    ("places", "lines"),
    [((), 0), ((51,), 0), ((48, 49, 51), 1), ((0, 1, 2, 5, 6), 3), (range(52), 51)],
    ids=["none", "one", "three", "gap", "all"],
)
def test_weeks_that_follow_each_other_are_joined_and_others_are_not(places: Iterable[int], lines: int) -> None:
    shown = list(places)
    svg = drawn(dict.fromkeys(shown, Distribution.of(4)))
    assert len(dots(svg)) == len(of_class(svg, "chart-bar")) == len(shown)
    assert len(of_class(svg, "chart-line")) == lines
    assert len(of_class(svg, "chart-newest")) == len(of_class(svg, "chart-value")) == (1 if shown else 0)
    assert len(of_class(svg, "chart-week")) == 52


def test_a_better_mean_stands_higher_on_the_line_of_its_rating() -> None:
    svg = drawn({place: Distribution.of(rating) for place, rating in enumerate((1, 2, 3, 4, 5))})
    grid = [line.get("y1") for line in of_class(svg, "chart-grid")][:5]
    assert [dot.get("cy") for dot in dots(svg)] == grid
    assert grid == sorted(grid, key=lambda height: -float(height or 0))
    between = dots(drawn({7: Distribution((0, 0, 0, 1, 1))}))[0]
    assert float(between.get("cy") or 0) == (float(grid[3] or 0) + float(grid[4] or 0)) / 2


def test_bars_are_as_long_as_there_are_reviews_and_the_fewest_can_be_seen() -> None:
    svg = drawn({0: Distribution.of(5, 1000), 1: Distribution.of(5, 500), 2: Distribution.of(5)})
    most, half, one = (float(bar.get("height") or 0) for bar in of_class(svg, "chart-bar"))
    assert half == most / 2
    assert one == 2


def test_the_newest_of_the_longest_bars_has_its_number() -> None:
    svg = drawn({0: Distribution.of(1, 3), 20: Distribution.of(5, 3), 40: Distribution.of(5)})
    (most,) = of_class(svg, "chart-most")
    bar = of_class(svg, "chart-bar")[1]
    lowest = max(float(dot.get("cy") or 0) + float(dot.get("r") or 0) for dot in of_class(svg, "chart-dot"))
    assert most.text == "3 reviews"
    left, width = (float((bar.get(name) or "").rstrip("%")) for name in ("x", "width"))
    assert left < float((most.get("x") or "").rstrip("%")) < left + width
    assert lowest < float(most.get("y") or 0) < float(bar.get("y") or 0)
    assert of_class(drawn({}), "chart-most") == []


def test_everything_is_within_the_picture() -> None:
    svg = drawn({place: Distribution.of(1 + place % 5) for place in range(52)})
    across = [value for each in svg.iter() for key in ("x", "cx", "x1", "x2") if (value := each.get(key))]
    down = [float(value) for each in svg.iter() for key in ("y", "cy", "y1", "y2") if (value := each.get(key))]
    assert all(0 <= float(value.rstrip("%")) <= 100 for value in across)
    assert all(value == "0" or value.endswith("%") for value in across)
    assert min(down) > 0
    assert max(down) < HEIGHT


@pytest.mark.parametrize("rating", [1, 3, 5])
def test_the_newest_mean_covers_nothing_of_the_line(rating: int) -> None:
    svg = drawn({**dict.fromkeys(range(45, 51), Distribution.of(5)), 51: Distribution.of(rating)})
    (value,), (newest,) = of_class(svg, "chart-value"), of_class(svg, "chart-newest")
    highest = min(float(dot.get("cy") or 0) - float(dot.get("r") or 0) for dot in of_class(svg, "chart-dot"))
    assert float(value.get("y") or 0) < highest
    (guide,) = of_class(svg, "chart-guide")
    assert guide.get("x1") == guide.get("x2") == newest.get("cx") == value.get("x")
    assert guide.get("y2") == newest.get("cy")


def test_months_are_named_where_they_begin() -> None:
    labels = [each.text for each in of_class(drawn({}), "chart-month")]
    assert labels == [f"month {month}" for month in range(1, 12)]


def test_it_is_read_out_as_one_picture_and_says_each_weeks_figures_on_hovering() -> None:
    svg = drawn({51: Distribution((0, 0, 0, 1, 2))})
    assert svg.get("role") == "img"
    names = {each.get("id"): each.text for each in svg.iter() if each.get("id")}
    assert [names[name] for name in (svg.get("aria-labelledby") or "").split()] == ["Ratings", "A year of them"]
    assert of_class(svg, "chart-week")[-1][0].text == "2026-11-23: 4.67"
    assert of_class(svg, "chart-value")[0].text == "4,67"


def test_texts_are_text_and_nothing_has_a_style_of_its_own() -> None:
    evil = attrs.evolve(TEXTS, title="</title><script>alert(1)</script>")
    markup = rating_chart(year({3: Distribution.of(5)}), evil)
    assert "<script" not in markup
    assert "style=" not in markup
    assert fromstring(str(markup))[0].text == evil.title  # noqa: S314 - our own
