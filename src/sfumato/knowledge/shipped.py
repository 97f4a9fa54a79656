"""The tables that come along, in ``data/``; where they come from is said in ``data/SOURCES.md``."""

from __future__ import annotations

import gzip
from importlib import resources


def lines(table: str) -> list[str]:
    """The lines of a table, ``cities`` or ``words/frequency-en``."""
    packed = resources.files("sfumato.knowledge").joinpath("data", *f"{table}.txt.gz".split("/")).read_bytes()
    return gzip.decompress(packed).decode("utf-8").split("\n")


def rows(table: str) -> list[list[str]]:
    """The lines of a table, split at their tabs."""
    return [line.split("\t") for line in lines(table)]
