"""National identifiers of people and companies, from ``detectors/data/all/national_ids.toml``.

Almost any bare number passes the check digits of some country, so it counts only near a context word. A form with
letters or with separators of its own counts without one.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from sfumato.detectors.rules.patterns import Pattern
from sfumato.lexicon.tables import load_toml

BARE_SCORE, DISTINCTIVE_SCORE = 0.35, 0.75


def checker(module: str) -> Callable[[str], bool]:
    """The ``is_valid`` function of a python-stdnum module, which is imported on its first call."""

    def is_valid(number: str) -> bool:
        return bool(_stdnum_module(module).is_valid(number))

    return is_valid


@cache
def _stdnum_module(name: str) -> Any:
    return importlib.import_module(f"stdnum.{name}")


def identifiers() -> tuple[Mapping[str, Any], ...]:
    """The entries of the data file."""
    entries: tuple[Mapping[str, Any], ...] = load_toml("national_ids", package="sfumato.detectors")["identifier"]
    return entries


def patterns_of(entry: Mapping[str, Any]) -> Iterator[Pattern]:
    """One pattern for each written form of an identifier."""
    context = entry.get("context", ())
    if regex := entry.get("regex"):
        yield Pattern("national-id", "CODE", regex, score=entry["score"], context=context, scope="codes")
    for key, score in (("pattern", DISTINCTIVE_SCORE), ("bare", BARE_SCORE)):
        if form := entry.get(key):
            yield Pattern(
                "national-id",
                "CODE",
                rf"(?<![\w/.,-])(?:{form})(?![\w/-]|[.,]\d)",
                validate=checker(entry["checker"]),
                validated_score=score,
                context=context,
                scope="codes",
            )


PATTERNS = tuple(pattern for entry in identifiers() for pattern in patterns_of(entry))
