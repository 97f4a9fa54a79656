"""Signs that the background continues the documents or repeats them.

A reader who has the rest of a document finds it by what follows from what, which no attack measures. Two kinds of sign
are looked for between each original and the background of its own people, and compared with those of everyone else:
numbering that goes on, and long passages that are the same word for word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Person
from sfumato.document import Document
from sfumato.report.html import format_percent
from sfumato.statistics import wilson

MIN_DOCUMENTS = 3
"""Documents that must show a sign."""
MIN_SHARE = 0.05
"""The smallest share of documents that tells something of the set."""
MIN_ODDS_RATIO = 4.0
"""How much larger the odds of a sign must be between a document and its own people than between strangers."""
PASSAGE_WORDS = 20
"""Words of a passage that is the same by copying: titles and phrases that two authors share are shorter."""
MAX_OTHER_PEOPLE = 1
"""People, beside a document's own, who may have a passage too: what more of them have is a form, a law or a phrase."""
_PARAGRAPHS = re.compile(r"(?m)^[\s#*]{0,6}(\d{1,3})[.)]\s+\S")
_HEADINGS = re.compile(r"(?m)^[\s#*]{0,6}([IVXL]{1,6})\.\s+\S")
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50}
_HEADING = 110
"""Characters of a paragraph below which it is a heading, unless it ends as a sentence does."""
_SENTENCE_ENDS = (".", ":", ";", "!", "?", "”", '"', "’", "»")
_WORD = re.compile(r"\w+")
_FACTOR = 0x9E3779B97F4A7C15
"""An odd number of 64 bits that spreads the codes of words over all hashes (2⁶⁴ over the golden ratio)."""

Hashes = NDArray[np.uint64]


@dataclass(frozen=True)
class Sign:
    """How often a sign is there between documents and their own people, and how often between strangers."""

    name: str
    shown: int
    n: int
    """Documents that could show it."""
    by_chance: float
    """The mean share of the other people of the background with whom such a document shows it."""

    @property
    def share(self) -> float:
        return self.shown / self.n if self.n else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        return wilson(self.shown, self.n)

    @property
    def is_clear(self) -> bool:
        """Whether even the lower end of the interval is far from what strangers show."""
        if self.shown < MIN_DOCUMENTS:
            return False
        low = self.interval[0]
        return low >= MIN_SHARE and low * (1 - self.by_chance) >= MIN_ODDS_RATIO * self.by_chance * (1 - low)

    def to_json(self) -> dict[str, Any]:
        values = {"shown": self.shown, "n": self.n, "share": self.share, "interval": list(self.interval)}
        return {**values, "by_chance": self.by_chance, "clear": self.is_clear}

    def __str__(self) -> str:
        low, high = (format_percent(end) for end in self.interval)
        return (
            f"{self.name} in {self.shown} of {self.n} documents ({format_percent(self.share)}, 95 % interval {low} to "
            f"{high}), with other people's background in {format_percent(self.by_chance)}"
        )


class _Numbers(NamedTuple):
    """The first and the last number of a text."""

    first: int
    last: int


class _Numbering(NamedTuple):
    """A way to number the parts of a text."""

    name: str
    of_background: Callable[[str], _Numbers | None]
    of_document: Callable[[str], _Numbers | None]
    least: int
    """A text that begins with a smaller number may be a list of its own."""


def find_continuation(
    documents: Iterable[Document], people: Mapping[str, frozenset[str]], background: Sequence[Person]
) -> tuple[Sign, ...]:
    """The signs that the background goes on with the documents or repeats them, each with what strangers show.

    ``people``: by document, whom it is about. Signs that no document could show are left out.
    """
    texts = {document.id: document.text for document in documents if people.get(document.id)}
    numbering = [_goes_on(numbering, texts, people, background) for numbering in _NUMBERINGS]
    signs = (*numbering, _repeats(texts, people, background))
    return tuple(sign for sign in signs if sign.n)


def describe_continuation(signs: Iterable[Sign]) -> str:
    """A sentence for whoever decides on the release; empty where no sign is clear."""
    clear = [str(sign) for sign in signs if sign.is_clear]
    if not clear:
        return ""
    return (
        f"The background continues or repeats the documents ({'; '.join(clear)}): a reader who puts them side by side "
        "finds far more people than these attacks do, so release nothing of documents of which the rest is public."
    )


def _goes_on(
    numbering: _Numbering,
    texts: Mapping[str, str],
    people: Mapping[str, frozenset[str]],
    background: Sequence[Person],
) -> Sign:
    """How often the numbers of one text begin with the one after the last of the other, either way round."""
    read, least = numbering.of_background, numbering.least
    known = {person.id: [numbers for text in person.texts if (numbers := read(text))] for person in background}
    begins, ends = Counter[int](), Counter[int]()
    for of_person in known.values():
        begins.update({numbers.first for numbers in of_person if numbers.first >= least})
        ends.update({numbers.last for numbers in of_person if numbers.last + 1 >= least})
    numbered = sum(map(bool, known.values()))
    shown, by_chance = 0, list[float]()
    for key, text in texts.items():
        own = [numbers for person in people[key] for numbers in known.get(person, ())]
        document = numbering.of_document(text)
        if document is None or not any(max(numbers.first, document.first) >= least for numbers in own):
            continue
        after, before = document.last + 1, document.first - 1
        follows = after >= least and any(numbers.first == after for numbers in own)
        precedes = document.first >= least and any(numbers.last == before for numbers in own)
        shown += follows or precedes
        others = begins[after] + (ends[before] if document.first >= least else 0) - follows - precedes
        by_chance.append(others / max(1, numbered - 1))
    return Sign(numbering.name, shown, len(by_chance), min(1.0, float(np.mean(by_chance or [0]))))


def count_paragraphs(text: str) -> int:
    """Paragraphs, headings not counted."""
    parts = filter(None, map(str.strip, text.split("\n\n")))
    return sum(len(part) >= _HEADING or part.endswith(_SENTENCE_ENDS) for part in parts)


def _paragraph_numbers(text: str) -> _Numbers | None:
    numbers = [int(number) for number in _PARAGRAPHS.findall(text)]
    return _Numbers(numbers[0], max(numbers)) if numbers else None


def _numbered_or_counted(text: str) -> _Numbers | None:
    """Many formats keep no numbers of paragraphs: then they are counted."""
    return _paragraph_numbers(text) or _Numbers(1, count_paragraphs(text))


def _heading_numbers(text: str) -> _Numbers | None:
    numbers = [_roman(number) for number in _HEADINGS.findall(text)]
    return _Numbers(numbers[0], max(numbers)) if numbers else None


def _roman(number: str) -> int:
    digits = [_ROMAN_DIGITS[letter] for letter in number]
    following = [*digits[1:], 0]
    return sum(-digit if digit < after else digit for digit, after in zip(digits, following, strict=True))


_NUMBERINGS = (
    _Numbering("paragraph numbers go on", _paragraph_numbers, _numbered_or_counted, 3),
    _Numbering("numbers of headings go on", _heading_numbers, _heading_numbers, 2),
)


def _repeats(texts: Mapping[str, str], people: Mapping[str, frozenset[str]], background: Sequence[Person]) -> Sign:
    """How often a document shares a long passage with its own people that hardly anyone else has."""
    passages = {key: hashes for key, text in texts.items() if len(hashes := _passages([text]))}
    wanted = np.unique(np.concatenate([np.zeros(0, np.uint64), *passages.values()]))
    owners: dict[int, set[str]] = {}
    for person in background:
        known = _passages(person.texts)
        places = np.minimum(np.searchsorted(wanted, known), max(0, len(wanted) - 1))
        for passage in known[wanted[places] == known].tolist() if len(wanted) else ():
            owners.setdefault(passage, set()).add(person.id)
    shown, by_chance = 0, list[float]()
    for key, hashes in passages.items():
        own = people[key]
        several = (owners.get(passage, set()) for passage in hashes.tolist())
        sharing = set[str]().union(*(group for group in several if len(group - own) <= MAX_OTHER_PEOPLE))
        shown += not own.isdisjoint(sharing)
        by_chance.append(len(sharing - own) / max(1, len(background) - len(own)))
    return Sign(
        f"passages of {PASSAGE_WORDS} words and more are the same",
        shown,
        len(by_chance),
        float(np.mean(by_chance or [0])),
    )


def _passages(texts: Sequence[str]) -> Hashes:
    """Hashes of all runs of PASSAGE_WORDS words, each once."""
    return np.unique(np.concatenate([np.zeros(0, np.uint64), *_runs(texts)]))


def _runs(texts: Sequence[str]) -> Iterator[Hashes]:
    for text in texts:
        words = [crc32(word.encode("utf-8", "surrogatepass")) for word in _WORD.findall(text.lower())]
        count = len(words) - PASSAGE_WORDS + 1
        if count < 1:
            continue
        codes = np.array(words, np.uint64)
        runs = np.zeros(count, np.uint64)
        for step in range(PASSAGE_WORDS):
            runs = (runs ^ codes[step : step + count]) * np.uint64(_FACTOR)
            runs ^= runs >> np.uint64(29)
        yield runs
