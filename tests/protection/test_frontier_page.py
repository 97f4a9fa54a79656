"""The curve of risk against information kept."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from sfumato.errors import NotMeasurable
from sfumato.protection.pages import frontier_page, frontier_svg, recommend_point
from sfumato.protection.records import FrontierPoint
from sfumato.statistics import wilson
from tests.report.markup import assert_balanced, assert_self_contained

N = 127


def point(name: str, k: int | None, hits: int, kept: float, withheld: int = 0) -> FrontierPoint:
    return FrontierPoint(
        name, k, hits / N, wilson(hits, N), kept, (kept - 0.01, kept + 0.01), withheld, N - withheld, "characters"
    )


START = point("start", None, 33, 0.82)
POINTS = [point("k = 20", 20, 5, 0.765), point("k = 5", 5, 13, 0.80), START, point("k = 11", 11, 8, 0.785, 2)]


def test_the_points_are_joined_from_the_start_to_the_largest_k() -> None:
    svg = ElementTree.fromstring(frontier_svg(POINTS))
    (line,) = [element for element in svg.iter() if element.tag.endswith("polyline")]
    corners = [tuple(map(float, corner.split(","))) for corner in line.get("points", "").split()]
    circles = [item for item in svg.iter() if item.tag.endswith("circle")]
    assert corners == [(float(circle.get("cx", 0)), float(circle.get("cy", 0))) for circle in circles]
    assert [str(entry[0].text).split(":")[0] for entry in circles] == [
        "start",
        "k = 5",
        "k = 11 (2 withheld)",
        "k = 20",
    ]
    across, up = zip(*corners, strict=True)
    assert list(across) == sorted(across, reverse=True)  # each target keeps less
    assert list(up) == sorted(up)  # and lies lower


def test_the_line_is_at_nine_per_cent_unless_it_is_said_otherwise() -> None:
    assert "9 %: 1 in 11" in frontier_svg(POINTS)


def test_the_page_has_every_point_and_says_how_to_read_it() -> None:
    text = frontier_page(POINTS, about="127 <rulings>")
    assert_balanced(text)
    assert_self_contained(text)
    for outside in ("<script", "href=", "src=", "@import"):
        assert outside not in text
    assert "127 &lt;rulings&gt;" in text
    rows = re.findall(r"<tr><td>([^<]+)</td><td>([^<]+)</td>", text)
    assert rows == [("start", "–"), ("k = 5", "5"), ("k = 11", "11"), ("k = 20", "20")]
    assert "<td>78.5 %<br><small>77.5 % – 79.5 %</small></td>" in text
    assert "<td>2</td><td>125</td>" in text
    assert "Choose the point furthest right that lies below the line (9 %)" in text


def test_the_advice_follows_the_intervals() -> None:
    assert "Here that is <b>k = 20</b>, which keeps 76.5 %." in frontier_page(POINTS)
    unsure = frontier_page([START, POINTS[3]])
    assert "Here that is <b>k = 11</b>" in unsure
    assert "the true risk may be higher" in unsure
    assert "no point lies below the line" in frontier_page([START])


def test_a_point_that_withholds_most_is_not_the_most_useful() -> None:
    few, many = point("k = 3", 3, 2, 0.9, withheld=100), point("k = 5", 5, 2, 0.8, withheld=1)
    chosen = recommend_point([START, few, many])
    assert chosen is not None
    assert chosen[0] == many
    html = frontier_page([START, few, many])
    assert "<b>k = 5</b>, which keeps 80.0 % of what it releases, but withholds 1 of 127 documents" in html
    assert recommend_point([START, few]) is None
    assert "every point below the line withholds more documents than it releases" in frontier_page([START, few])


def test_names_are_escaped() -> None:
    text = frontier_page([point("<img>", 3, 4, 0.5)])
    assert_balanced(text)
    assert_self_contained(text)
    assert "<img" not in text


def test_nothing_to_draw() -> None:
    with pytest.raises(NotMeasurable, match="no point to draw"):
        frontier_page([])


def test_all_at_one_place() -> None:
    same = [point(f"k = {k}", k, 0, 1.0) for k in (2, 3)]
    assert_balanced(frontier_page(same))
