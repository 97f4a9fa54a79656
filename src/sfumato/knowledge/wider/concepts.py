"""The concepts of WordNet's nouns: their names, what stands above and below them. English.

Made by ``training/build_hypernyms.py``, licence in ``data/SOURCES.md``. ``hypernyms`` reads phrases with it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from sfumato.knowledge import shipped, word_tables
from sfumato.knowledge.grammar.lemmas import lemma

FIELDS = (
    ("T", "top"),
    ("a", "act"),
    ("n", "animal"),
    ("r", "artifact"),
    ("t", "attribute"),
    ("b", "body"),
    ("c", "cognition"),
    ("m", "communication"),
    ("e", "event"),
    ("f", "feeling"),
    ("o", "food"),
    ("g", "group"),
    ("l", "location"),
    ("v", "motive"),
    ("j", "object"),
    ("p", "person"),
    ("h", "phenomenon"),
    ("k", "plant"),
    ("s", "possession"),
    ("x", "process"),
    ("q", "quantity"),
    ("i", "relation"),
    ("z", "shape"),
    ("d", "state"),
    ("u", "substance"),
    ("w", "time"),
)
"""WordNet's fields of nouns, in its order, each with its letter in the table."""
_FIELD = dict(FIELDS)
UNHEARD = 700
"""How rare a word is that the table of frequencies does not have."""


@dataclass(frozen=True, slots=True)
class Concept:
    """One sense of a noun."""

    name: str
    """What people call it, in the singular."""
    names: tuple[str, ...]
    members: int
    """How many concepts stand below it."""
    field: str
    """What it belongs to: act, animal, artifact, communication, group, person, state, substance ..."""
    number: int
    rarity: int
    """-10 log10 of how often its best known name stands in texts."""


@dataclass(frozen=True, slots=True)
class _Table:
    rows: Sequence[str]
    senses: Mapping[str, list[int]]
    children: Mapping[int, list[int]]


@cache
def concept_table() -> _Table:
    """The table as it is shipped, with the ways into it."""
    rows = shipped.lines("hypernyms")
    senses: dict[str, list[int]] = {}
    children: dict[int, list[int]] = {}
    for number, row in enumerate(rows):
        names, parents, _ = row.split("\t", 2)
        for name in names.split(" "):
            senses.setdefault(name.partition(":")[0].casefold(), []).append(number)
        for parent in parents.split(" "):
            if parent:
                children.setdefault(number - int(parent), []).append(number)
    return _Table(rows, senses, children)


@lru_cache(maxsize=2**15)
def concept_at(number: int) -> Concept:
    """The concept of a line of the table."""
    names, _, letter, below, rarity = concept_table().rows[number].split("\t")
    marked = [_marks(name) for name in names.split(" ")]
    best = min(marked, key=lambda mark: _awkwardness(mark[0], mark[1], marked.index(mark)))
    return Concept(
        name=best[0],
        names=tuple(name for name, _, _ in marked),
        members=int(below or 0),
        field=_FIELD[letter],
        number=number,
        rarity=int(rarity),
    )


def _marks(name: str) -> tuple[str, int, int]:
    """A name in the table as it is spoken, the place of this sense among the name's, how often it was tagged."""
    word, *marks = name.split(":")
    place, count = (*map(int, marks), *(1, 0)[len(marks) :])
    return word.replace("_", " "), place, count


def _awkwardness(name: str, place: int, listed: int) -> int:
    """How ill a name suits a concept: one it is the first sense of, in everyday words, suits it best."""
    return rarity(name) + 60 * min(place - 1, 3) + 80 * listed + (100 if name != name.lower() else 0)


@lru_cache(maxsize=2**14)
def rarity(name: str) -> int:
    """-100 log10 of how often its rarest word stands in texts; more for each further word."""
    words = name.replace("-", " ").split()
    rarest = max((_frequency().get(word_tables.key(word), UNHEARD) for word in words), default=UNHEARD)
    return rarest + 40 * max(0, len(words) - 1)


@cache
def _frequency() -> Mapping[str, int]:
    return word_tables.read("frequency-en")


def above(concept: Concept) -> list[Concept]:
    """What stands directly above it in WordNet, whether people speak of it or not."""
    parents = concept_table().rows[concept.number].split("\t", 2)[1]
    return [concept_at(concept.number - int(parent)) for parent in parents.split(" ") if parent]


def below(concept: Concept) -> list[Concept]:
    """What stands directly below it."""
    return [concept_at(number) for number in concept_table().children.get(concept.number, ())]


def senses(phrase: str) -> list[Concept]:
    """The concepts that a word or a phrase as a whole may name, commonest first; none where WordNet lacks it."""
    return [concept for concept, _ in weighed_senses(phrase)]


@lru_cache(maxsize=2**13)
def weighed_senses(phrase: str) -> tuple[tuple[Concept, float], ...]:
    """Senses with their share of the uses, commonest first."""
    key = listed_form(phrase)
    if not key:
        return ()
    found = []
    for number in dict.fromkeys(concept_table().senses[key]):
        names = (_marks(name) for name in concept_table().rows[number].split("\t", 1)[0].split(" "))
        _, place, count = next(mark for mark in names if mark[0].replace(" ", "_").casefold() == key)
        found.append((place, count, number))
    # A sense that was never tagged still happens; the later it is listed, the less.
    weights = {number: count + 1 / place for place, count, number in found}
    total = sum(weights.values())
    return tuple((concept_at(number), weights[number] / total) for place, count, number in sorted(found))


@lru_cache(maxsize=2**14)
def listed_form(phrase: str) -> str:
    """The form under which a phrase stands in the table, inflected or not; empty where it does not."""
    words = phrase.casefold().replace("’", "'").replace("_", " ").split()
    listed = concept_table().senses
    if not words or len(words) > 6:
        return ""
    singular = [*words[:-1], lemma(words[-1])]
    for form in (words, singular):
        for joined in ("_".join(form), "-".join(form), "".join(form), "_".join(form).replace("-", "_")):
            if joined in listed:
                return joined
    return ""


def is_plural(phrase: str) -> bool:
    """Whether its last word is the plural of a noun that WordNet has."""
    words = phrase.casefold().split()
    if not words or (words[-1] in concept_table().senses and not words[-1].endswith("s")):
        return False
    base = lemma(words[-1])
    return base != words[-1] and base in concept_table().senses and not words[-1].endswith(("ss", "'s", "’s"))
