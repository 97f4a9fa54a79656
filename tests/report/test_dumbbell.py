"""Shares before and after: each at its place."""

from __future__ import annotations

from xml.etree import ElementTree

from sfumato.report.plots import OVER, WITHIN, Change, dumbbell

CHANGES = [
    Change("a & b", "loop", (1.0, (0.9, 1.0)), (0.0, (0.0, 0.1))),
    Change("c", "verifies", (0.5, (0.4, 0.6)), (0.25, (0.2, 0.3))),
    Change("d", "verifies", None, None),
]


def test_values_stand_at_their_places() -> None:
    svg = ElementTree.fromstring(dumbbell(CHANGES, 0.09, "9 %"))
    marks = [element for element in svg.iter() if element.tag.endswith("circle") and len(element)]
    assert [float(mark.get("cx", 0)) for mark in marks] == [620.0, 150.0, 385.0, 267.5]
    assert [entry.get("stroke") for entry in marks[1::2]] == [WITHIN, OVER]
    (limit,) = [item for item in svg.iter() if item.get("stroke-dasharray")]
    assert limit.get("x1") == f"{150 + 0.09 * 470:.1f}"
    assert "a & b" in {one.text for one in svg.iter()}


def test_exactly_at_the_level_is_within() -> None:
    svg = dumbbell([Change("a", "", None, (1 / 11, (0.0, 0.2)))], 1 / 11, "")
    assert svg.count(OVER) == 2  # the level and its name


def test_nothing_measured_can_be_drawn() -> None:
    ElementTree.fromstring(dumbbell([], 0.09, "9 %"))
    ElementTree.fromstring(dumbbell([Change("a", "", (0.0, (0.0, 0.0)), None)], 0.01, "1 %"))
