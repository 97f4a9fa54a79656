"""Generalization hierarchies: a mention to generalize, the levels that are true of it, and the hierarchy that reads it.

A hierarchy is a package with two functions:

- ``levels(mention) -> list[Level]``: what is true of the mention, most specific first, members growing; empty where it
  cannot read **all** of the mention with confidence. It never guesses: a wrong level is worse than none.
- ``candidate_originals(phrase, text, language) -> Iterator[str]``: what may have stood where ``phrase`` (a level, as it
  stands in the released ``text``) stands now, commonest and best fitting first; empty where it cannot read the phrase.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache, wraps
from importlib import import_module
from importlib.util import find_spec
from itertools import islice, zip_longest
from types import ModuleType
from typing import Literal, ParamSpec

from sfumato.lexicon.time import Order

Article = Literal["a", "the", ""]
MOST_ORIGINALS = 50
"""So many candidate originals are listed: no attacker guesses more often."""
CONTEXT = 5_000
"""Characters beside a mention that can tell something of it."""


@dataclass(frozen=True, slots=True)
class Mention:
    """``text[start:end]``, and the document around it."""

    text: str = field(repr=False)
    start: int
    end: int
    label: str
    language: str = "en"
    date_order: Order | None = None
    """How the document writes 3/4/2021, where the user says so; None: as its text tells."""

    @property
    def surface(self) -> str:
        return self.text[self.start : self.end]

    @property
    def is_cut(self) -> bool:
        """Whether it is nothing, or begins or ends inside a word."""
        text, start, end = self.text, self.start, self.end
        if not 0 <= start < end <= len(text):
            return True
        return any(text[edge - 1].isalnum() and text[edge].isalnum() for edge in (start, end) if 0 < edge < len(text))

    @property
    def before(self) -> str:
        """What stands before it; not all of a long text."""
        return self.text[max(0, self.start - CONTEXT) : self.start]

    @property
    def after(self) -> str:
        """What stands after it; not all of a long text."""
        return self.text[self.end : self.end + CONTEXT]


@dataclass(frozen=True, slots=True)
class Level:
    """Something less specific that is true of a mention.

    ``text`` is a noun phrase without its article ("large city in northern Poland"), or, of an adjective, an adjective
    ("Northern European"). ``sentence`` puts it into a sentence.
    """

    text: str
    members: float
    """About how many originals could stand here; it grows from level to level."""
    article: Article = "a"
    """The article it needs without another determiner: "a" large city, "the" summer of 2003, "" August 2003."""
    plural: bool = False
    modifier: str | None = None
    """How it stands before a noun: "Polish" court for "court in a large city in Poland". None: it cannot."""
    preposition: str | None = None
    """The preposition that a time wants: "in" August 2003, "on" a weekday. None: any will do."""
    source: str = ""
    """Which table or rule says so; the audit shows it."""


_HIERARCHIES: dict[str, tuple[str, ...]] = {
    "DATETIME": ("dates", "durations", "quantities"),
    "LOC": ("places", "organisations", "things"),
    "ORG": ("organisations", "places", "things"),
    "DEM": ("demographics", "durations", "quantities", "dates", "places", "things"),
    "QUANTITY": ("quantities", "durations", "dates", "things"),
    "MISC": ("things", "organisations", "demographics", "durations", "quantities", "dates", "places"),
}
"""Which hierarchies may read the mentions of a label, in this order: annotators and taggers disagree about labels."""
_UNDER_LABEL: dict[str, tuple[str, ...]] = {
    "LOC": ("country", "city"),
    "ORG": ("state authority", "court", "company", "government authority", "police force"),
    "DEM": ("European", "professional"),
    "QUANTITY": ("several",),
}
"""The widest levels under a label, from which an attacker guesses who sees the bare label."""
_LABEL = re.compile(rf"\W*({'|'.join(_UNDER_LABEL)})(?:_\d+)?\W*")
WITHOUT_HIERARCHY = frozenset({"PERSON", "CODE"})
"""Labels whose mentions identify somebody or something by themselves: they get numbered labels."""


MAX_MENTION = 1_000
"""Characters of a mention that is read; a longer one is no date, place or name."""


def generalize(mention: Mention) -> tuple[Level, ...]:
    """What is true of the mention, most specific first; empty where no hierarchy can read it."""
    if mention.end - mention.start > MAX_MENTION:
        return ()
    for hierarchy in _hierarchies(mention.label):
        levels = hierarchy.levels(mention)
        if levels:
            return tuple(levels)
    return ()


_BY_SENTENCE = frozenset({"demographics", "things", "wordnet", "languages"})
"""Sources whose words mean one thing here and another there: each mention must be understood by itself."""


def is_ruled_out(mention: Mention, level: Level) -> bool:
    """Whether the sentence speaks against a level that other mentions of the same words have."""
    if level.source not in _BY_SENTENCE | {"places"}:
        return False
    if level.source == "places" and import_module("sfumato.generalize.places").is_ruled_out(mention):
        return True
    levels = generalize(mention)
    # "translated into Swedish" is another thing than "a Swedish lawyer".
    return levels[0].source != level.source if levels else level.source in _BY_SENTENCE


def candidate_originals(phrase: str, text: str, label: str, language: str = "en") -> Iterator[str]:
    """What may have stood where the phrase stands, likeliest first: by the hierarchy that knows the phrase."""
    bare_label = _LABEL.fullmatch(phrase)
    if bare_label:
        columns = [_from_first_hierarchy(wide, text, label, language) for wide in _UNDER_LABEL[bare_label[1]]]
        yield from unique(original for row in zip_longest(*columns) for original in row if original is not None)
    else:
        yield from unique(_from_first_hierarchy(phrase, text, label, language))


def unique(originals: Iterable[str]) -> Iterator[str]:
    """Each once, and no more of them made than are asked for."""
    seen = set[str]()
    for original in originals:
        if original not in seen:
            seen.add(original)
            yield original


_KEPT = 8
"""So many of the originals of a phrase are kept: a few more than are guessed nearly always."""
Arguments = ParamSpec("Arguments")


def with_first_kept(make: Callable[Arguments, Iterator[str]]) -> Callable[Arguments, Iterator[str]]:
    """The same function, whose first results are kept for the next call with the same arguments, which are hashable.

    A release is attacked again and again while its levels are chosen, and most phrases in it stay as they are.
    """

    @lru_cache(maxsize=2**11)
    def first(*args: Arguments.args, **kwargs: Arguments.kwargs) -> tuple[str, ...]:
        return tuple(islice(make(*args, **kwargs), _KEPT))

    @wraps(make)
    def all_of_them(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Iterator[str]:
        kept = first(*args, **kwargs)  # type: ignore[arg-type]  # which are hashable
        yield from kept
        if len(kept) == _KEPT:
            yield from islice(make(*args, **kwargs), _KEPT, None)

    return all_of_them


def _from_first_hierarchy(phrase: str, text: str, label: str, language: str) -> Iterator[str]:
    for hierarchy in _hierarchies(label):
        originals = islice(hierarchy.candidate_originals(phrase, text, language), MOST_ORIGINALS)
        first = next(originals, None)
        if first is not None:
            yield first
            yield from originals
            return


def _hierarchies(label: str) -> Iterator[ModuleType]:
    if label not in WITHOUT_HIERARCHY:
        yield from map(_hierarchy, _HIERARCHIES.get(label, _HIERARCHIES["MISC"]))


@cache
def _hierarchy(name: str) -> ModuleType:
    return import_module(f"sfumato.generalize.{name}")  # when first needed: each brings its tables


@cache
def language_module(name: str, language: str) -> ModuleType | None:
    """The module of one language, ``sfumato.generalize.<name>_<language>``; None where the language has none."""
    path = f"sfumato.generalize.{name}_{language}"
    return import_module(path) if language.isalpha() and find_spec(path) else None
