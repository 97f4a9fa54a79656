"""What all tests share."""

from __future__ import annotations

import os
from collections.abc import Generator
from typing import TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

# HYPOTHESIS_PROFILE=deep: many examples, other ones each time; what failed once is tried first from then on.
settings.register_profile(
    "default", deadline=None, max_examples=25, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)
settings.register_profile(
    "deep",
    deadline=None,
    max_examples=500,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=False,
    database=DirectoryBasedExampleDatabase(".hypothesis/examples"),
    print_blob=True,
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-skips", action="store_true", help="a test that is skipped has failed")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    return _failed_if_skipped(report, item.config)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    return _failed_if_skipped(report, collector.config)


def _failed_if_skipped(report: Report, config: pytest.Config) -> Report:
    if report.skipped and config.getoption("no_skips"):
        report.outcome = "failed"
        report.longrepr = f"skipped, which --no-skips forbids: {report.longrepr}"
    return report


@pytest.fixture
def loop_runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each document that the loop really went through."""
    from sfumato.protection.loop import Loop, LoopResult

    seen: list[int] = []
    run = Loop.run

    def counted(self: Loop) -> LoopResult:
        seen.append(1)
        return run(self)

    monkeypatch.setattr(Loop, "run", counted)
    return seen
