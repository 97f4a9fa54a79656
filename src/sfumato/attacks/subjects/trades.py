"""What someone does for a living, by the words they use."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

from sfumato.knowledge.lexicon import key, occupations

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)?")
_SAID = re.compile(
    r"(?:\b(?:I['’]?m|I am|as|being|is|was|became|fellow)"
    r" (?:an? |the |your )?|,\s*(?:an? |the ))(?P<rest>[^\n.,;:!?()]{3,60})",
    re.IGNORECASE,
)
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NOT_ONES_OWN = frozenset(
    "author writer user guest guests client patient student member model reader seller buyer".split()
)


@cache
def _trades() -> Mapping[str, re.Pattern[str]]:
    text = resources.files(__package__).joinpath("trades.toml").read_text(encoding="utf-8")
    return {
        trade: re.compile(
            r"\b(?:" + "|".join(re.escape(word).replace(r"\*", r"\w*") for word in words.split()) + r")\b",
            re.IGNORECASE,
        )
        for trade, words in tomllib.loads(text)["trades"].items()
    }


def stated(text: str) -> list[tuple[str, int, int]]:
    """Occupations that a text says someone has, with where they stand: "I'm a civil engineer", "fellow nurses"."""
    found = []
    for match in _SAID.finditer(text):
        words = list(_WORD.finditer(match["rest"]))[:6]
        if hit := _first_occupation(words):
            start, end = hit
            offset = match.start("rest")
            found.append((match["rest"][start:end], offset + start, offset + end))
    return found


def _first_occupation(words: list[re.Match[str]]) -> tuple[int, int] | None:
    """The longest occupation of the lexicon among the first words, with the words before it that make it finer."""
    for first in range(len(words)):
        for last in range(min(len(words), first + 3), first, -1):
            phrase = " ".join(word.group() for word in words[first:last])
            singular = key(phrase).removesuffix("s")
            if {key(phrase), singular} & occupations() and singular not in _NOT_ONES_OWN:
                return words[max(0, first - 1) if _refines(words, first) else first].start(), words[last - 1].end()
    return None


def _refines(words: list[re.Match[str]], first: int) -> bool:
    return first > 0 and len(words[first - 1].group()) > 3


def by_words(text: str) -> list[str]:
    """The two trades whose words stand in a text most."""
    apart = _HUMPS.sub(" ", text)  # "#BusCrew"
    counts = {trade: len({hit.casefold() for hit in words.findall(apart)}) for trade, words in _trades().items()}
    best = sorted((trade for trade in counts if counts[trade]), key=lambda trade: -counts[trade])
    return best[:2]
