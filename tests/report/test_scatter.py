"""The picture: points at their places, names that cover nothing, a line through those that follow each other."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from sfumato.report.plots import Axis, Line, Point, scatter


def test_the_scatter_is_an_svg_with_points_at_their_places() -> None:
    points = [Point("none", 1.0, (1.0, 1.0), 1.0, (0.97, 1.0)), Point("a & b", 0.5, (0.4, 0.6), 0.09, (0.05, 0.2))]
    svg = ElementTree.fromstring(scatter(points, Axis("u", "→"), Axis("r", "↓"), Line(0.09, "9 %")))
    circles = [element for element in svg.iter() if element.tag.endswith("circle")]
    (first, second) = [(float(circle.get("cx", 0)), float(circle.get("cy", 0))) for circle in circles]
    assert first == (736.0, 30.0)  # the right end, and the top
    assert second[0] == (74 + 736) / 2
    assert second[1] == pytest.approx(416 - 0.09 * 386, abs=0.05)
    dashed = next(item for item in svg.iter() if item.get("stroke-dasharray"))
    assert float(dashed.get("y1", 0)) == pytest.approx(second[1], abs=0.05)
    assert "a & b" in {entry.text for entry in svg.iter()}


@pytest.mark.parametrize("values", [(0.0, 0.0), (-20.0, 30.0), (5.0, 5.0), (12.5, 88.0), (1e-9, 2.0)])
def test_any_range_can_be_drawn(values: tuple[float, float]) -> None:
    points = [Point(f"p{number}", value, (value, value), value, (value, value)) for number, value in enumerate(values)]
    svg = ElementTree.fromstring(scatter(points, Axis("x", ""), Axis("y", "")))
    for element in svg.iter():
        if element.tag.endswith("circle"):
            assert 74 <= float(element.get("cx", 0)) <= 736
            assert 30 <= float(element.get("cy", 0)) <= 416


def test_labels_do_not_cover_each_other() -> None:
    points = [Point(f"method {number}", 0.5, (0.5, 0.5), 0.5, (0.5, 0.5)) for number in range(5)]
    svg = ElementTree.fromstring(scatter(points, Axis("x", ""), Axis("y", "")))
    places = {
        (element.get("x"), element.get("y"))
        for element in svg.iter()
        if "method" in (element.text or "") and element.get("x")
    }
    assert len(places) == 5


def test_points_are_joined_in_the_order_asked_for() -> None:
    points = [Point(name, at, (at, at), 0.5, (0.5, 0.5)) for name, at in (("a", 0.0), ("b", 1.0), ("c", 0.5))]
    svg = ElementTree.fromstring(scatter(points, Axis("x", ""), Axis("y", ""), joined=[[1, 0, 2]]))
    (line,) = [element for element in svg.iter() if element.tag.endswith("polyline")]
    assert [float(corner.split(",")[0]) for corner in line.get("points", "").split()] == [736.0, 74.0, 405.0]


def test_each_line_has_a_colour_of_its_own_and_its_points_share_it() -> None:
    points = [
        Point(name, at, (at, at), at, (at, at)) for name, at in zip("abcde", (0.1, 0.3, 0.5, 0.7, 0.9), strict=True)
    ]
    svg = ElementTree.fromstring(scatter(points, Axis("x", ""), Axis("y", ""), joined=[[0, 2], [3, 1]]))
    lines = [element.get("stroke") for element in svg.iter() if element.tag.endswith("polyline")]
    circles = [item.get("fill") for item in svg.iter() if item.tag.endswith("circle")]
    assert circles[0] == circles[2] == lines[0]
    assert circles[1] == circles[3] == lines[1]
    assert len({*lines, circles[4]}) == 3


def test_a_point_has_the_ink_it_asks_for() -> None:
    points = [
        Point("a", 0.5, (0.5, 0.5), 0.5, (0.5, 0.5), color="#123456"),
        Point("b", 0.4, (0.4, 0.4), 0.5, (0.5, 0.5)),
    ]
    svg = ElementTree.fromstring(scatter(points, Axis("x", ""), Axis("y", "")))
    assert [element.get("fill") for element in svg.iter() if element.tag.endswith("circle")] == ["#123456", "#c44500"]
