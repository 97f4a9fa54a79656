"""The cost model: exact rates come back, the slower half decides, and the picture is a picture."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from benchmarks.cost_model import Rate, predict
from benchmarks.log_plot import Curve, log_plot


def test_rates_that_hold_exactly_are_found() -> None:
    truth = Rate(1.5, 0.02, 7.0)
    sizes = [(20, 100_000), (60, 310_000), (60, 40_000), (240, 180_000)]
    fitted = Rate.fit([(*size, truth.seconds(*size)) for size in sizes])
    assert (fitted.start, fitted.document, fitted.million) == pytest.approx((1.5, 0.02, 7.0))


def test_no_rate_is_below_nothing() -> None:
    fitted = Rate.fit([(10, 1000, 5.0), (20, 4000, 4.0), (40, 9000, 3.0)])
    assert min(fitted.start, fitted.document, fitted.million) >= 0


@pytest.mark.parametrize(
    ("workers", "drivers", "busiest", "hours"),
    [(10, 1, "the workers", 10.0), (1000, 1, "the run itself", 1.0), (1000, 20, "the workers", 0.1)],
)
def test_the_slower_half_decides(workers: int, drivers: int, busiest: str, hours: float) -> None:
    worker, driver = Rate(0, 0, 360), Rate(0, 0.0036, 0)
    result = predict(worker, driver, 1e6, 1000, workers, drivers)
    assert result.busiest == busiest
    assert result.hours == pytest.approx(hours)
    assert result.core_hours == pytest.approx(hours * (workers + drivers))


def test_a_plot_has_a_line_and_a_name_for_each_curve() -> None:
    curves = [Curve("now", [1e3, 1e6], [2.0, 900.0]), Curve("bar <4>", [1e3, 1e6], [4e3, 4e3], is_bar=True)]
    root = ElementTree.fromstring(log_plot(curves, "people", "MB"))
    names = [element.tag.rpartition("}")[2] for element in root]
    assert names.count("polyline") == 2
    texts = [element.text for element in root]
    assert "now" in texts
    assert "bar <4>" in texts
    assert "1 M" in texts
