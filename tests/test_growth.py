"""Time and memory of every pattern and every reader grow in proportion to the input.

What is measured, and how, is in ``benchmarks/growth.py``; the inputs of readers are in ``growth_readers.py`` beside it.
"""

from __future__ import annotations

import re

import pytest
from benchmarks.growth_readers import BOUNDED, HOLD_RESULTS, READERS, Reader, peak_memory

from benchmarks import growth

GROUPS = 24


def test_every_exemption_has_a_pattern_and_a_reason() -> None:
    names = list(growth.find_patterns())
    assert len(names) > 400
    for table in growth.exemptions():
        for beginning, reason in table.items():
            assert any(name.startswith(beginning) for name in names), beginning
            assert len(reason.split()) > 3, beginning


def test_patterns_of_bytes_get_bytes_above_127() -> None:
    shapes = growth.shapes_of(re.compile(rb"\xff+[^\x00\xff]"))
    assert b"\xff" in map(growth.as_bytes, shapes)
    assert not any(len(growth.as_bytes(shape)) > len(shape) for shape in shapes)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("pattern", "is_steep"),
    [
        ("(?:a+)+b", True),
        (r"\s+$", True),
        (rb"\xff+[^\x00\xff\xd0-\xd7]", True),
        ("(?<!a)a++b|[0-9]{1,9}", False),
        (rb"\xff[^\x00\xff\xd0-\xd7]", False),
    ],
)
def test_a_steep_pattern_is_noticed(pattern: str, is_steep: bool) -> None:
    assert growth.measure_pattern("x", re.compile(pattern)).is_too_steep == is_steep


@pytest.mark.deep
@pytest.mark.parametrize("group", range(GROUPS))
def test_patterns_take_linear_time(group: int) -> None:
    names = sorted(growth.find_patterns())[group::GROUPS]
    assert [result for result in growth.pattern_growths(names) if result.is_too_steep] == []


@pytest.mark.deep
@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_readers_take_linear_time(reader: Reader) -> None:
    result = growth.reader_growth(reader)
    assert not result.is_too_steep, result


@pytest.mark.deep
@pytest.mark.parametrize(
    "reader", [reader for reader in READERS if reader.name not in BOUNDED], ids=lambda reader: reader.name
)
def test_readers_take_linear_memory(reader: Reader) -> None:
    limit = growth.MAX_MEMORY_OF_RESULTS if reader.name in HOLD_RESULTS else growth.MAX_MEMORY
    assert peak_memory(reader) < limit
