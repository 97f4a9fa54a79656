"""WordNet's nouns, and lists of wider nouns, verbs and modifiers: what is also true of a thing. English.

The tables are made by ``training/build_hypernyms.py``, ``build_nouns.py`` and ``build_verbs.py``; licences in
``data/SOURCES.md``. ``hypernyms`` reads noun phrases with them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from types import MappingProxyType

from sfumato.lexicon import tables
from sfumato.lexicon.grammar import lemma
from sfumato.lexicon.grammar_en import is_plural, pluralize_phrase, singularize, split_after_head

SEMANTIC_FIELDS: Mapping[str, str] = tables.load_toml("wordnet", "en")["semantic_fields"]
"""Letter in the table -> WordNet's field of nouns, in its order."""
UNINFORMATIVE_CONCEPTS = tables.word_set("wordnet", "uninformative_concepts", "en")
"""Names of concepts that are true of a thing and tell a reader nothing, or that no text would use."""
_LEAST_SHARE = 0.1
"""Share of a word's uses from which a sense counts."""
UNLISTED_RARITY = 700
"""Rarity of a word that the frequency table does not have."""


@dataclass(frozen=True, slots=True)
class Concept:
    """One sense of a noun."""

    name: str
    """What people call it, in the singular."""
    names: tuple[str, ...]
    members: int
    """How many concepts are below it."""
    field: str
    """One of ``SEMANTIC_FIELDS``: act, animal, artifact, communication, group, person, state, substance ..."""
    number: int
    rarity: int
    """-10 log10 of the frequency of its best known name."""


@cache
def concept_rows() -> Sequence[str]:
    """The lines of the shipped table."""
    return tables.table_lines("en/hypernyms")


def concept_names() -> tables.SortedTable:
    """A name, casefolded, and the numbers of the lines that have it."""
    return tables.sorted_table("en/hypernym_names")


@cache
def concept_children() -> Mapping[int, list[int]]:
    """The number of a concept, and those of the concepts directly below it."""
    children: dict[int, list[int]] = {}
    for number, row in enumerate(concept_rows()):
        for parent in row.split("\t", 2)[1].split(" "):
            if parent:
                children.setdefault(number - int(parent), []).append(number)
    return MappingProxyType(children)


@lru_cache(maxsize=2**15)
def concept_at(number: int) -> Concept:
    """The concept on a line of the table."""
    names, _, letter, members, rarity = concept_rows()[number].split("\t")
    entries = [_parse_name(name) for name in names.split(" ")]
    best = min(entries, key=lambda entry: _awkwardness(entry[0], entry[1], entries.index(entry)))
    return Concept(
        name=best[0],
        names=tuple(name for name, _, _ in entries),
        members=int(members or 0),
        field=SEMANTIC_FIELDS[letter],
        number=number,
        rarity=int(rarity),
    )


def _parse_name(name: str) -> tuple[str, int, int]:
    """A name in words, the rank of this sense among the name's senses, and how often it was tagged."""
    word, *marks = name.split(":")
    rank, count = (*map(int, marks), *(1, 0)[len(marks) :])
    return word.replace("_", " "), rank, count


def _awkwardness(name: str, rank: int, position: int) -> int:
    """Low for names in everyday words that mean the concept first; high for rare, capitalised or secondary ones."""
    return rarity(name) + 60 * min(rank - 1, 3) + 80 * position + (100 if name != name.lower() else 0)


@lru_cache(maxsize=2**14)
def rarity(name: str) -> int:
    """-100 log10 of the frequency of its rarest word; more for each further word."""
    words = name.replace("-", " ").split()
    rarities = tables.read_numbers("en/frequency")
    rarest = max((rarities.get(tables.frequency_key(word), UNLISTED_RARITY) for word in words), default=UNLISTED_RARITY)
    return rarest + 40 * max(0, len(words) - 1)


def direct_hypernyms(concept: Concept) -> list[Concept]:
    """The concepts directly above, informative or not."""
    parents = concept_rows()[concept.number].split("\t", 2)[1]
    return [concept_at(concept.number - int(parent)) for parent in parents.split(" ") if parent]


def direct_hyponyms(concept: Concept) -> list[Concept]:
    """The concepts directly below."""
    return [concept_at(number) for number in concept_children().get(concept.number, ())]


def senses(phrase: str) -> list[Concept]:
    """The concepts that a word or a phrase as a whole may name, commonest first; empty where WordNet lacks it."""
    return [concept for concept, _ in sense_shares(phrase)]


@lru_cache(maxsize=2**13)
def sense_shares(phrase: str) -> tuple[tuple[Concept, float], ...]:
    """Senses with their share of the uses, commonest first."""
    key = lookup_form(phrase)
    if not key:
        return ()
    entries = []
    for number in dict.fromkeys(concept_names().numbers(key)):
        names = (_parse_name(name) for name in concept_rows()[number].split("\t", 1)[0].split(" "))
        _, rank, count = next(entry for entry in names if entry[0].replace(" ", "_").casefold() == key)
        entries.append((rank, count, number))
    # A sense that was never tagged still happens; the later it is listed, the less often.
    weights = {number: count + 1 / rank for rank, count, number in entries}
    total = sum(weights.values())
    return tuple((concept_at(number), weights[number] / total) for _, _, number in sorted(entries))


@lru_cache(maxsize=2**12)
def is_common_noun(word: str) -> bool:
    """Whether it is an everyday noun in small letters in a sense that is not rare: turkey, forge; not Germany."""
    return any(sense.name.islower() and share >= _LEAST_SHARE for sense, share in sense_shares(word))


@lru_cache(maxsize=2**14)
def lookup_form(phrase: str) -> str:
    """The form under which the table lists a phrase, inflected or not; empty where it does not."""
    words = phrase.casefold().replace("’", "'").replace("_", " ").split()
    listed = concept_names()
    if not words or len(words) > 6:
        return ""
    for base in (str, lemma):
        form = [*words[:-1], base(words[-1])]
        for joined in ("_".join(form), "-".join(form), "".join(form), "_".join(form).replace("-", "_")):
            if joined in listed:
                return joined
    return ""


def is_plural_concept(phrase: str) -> bool:
    """Whether its last word is the plural of a noun that WordNet has."""
    words = phrase.casefold().split()
    if not words or (words[-1] in concept_names() and not words[-1].endswith("s")):
        return False
    base = lemma(words[-1])
    return base != words[-1] and base in concept_names() and not words[-1].endswith(("ss", "'s", "’s"))


def plural_if_used(thing: str) -> str:
    """The plural of a noun phrase where people use one (*breads*), else the phrase itself (*garlic*)."""
    plural = pluralize_phrase(thing)
    is_used = _rarity_of_head(thing) == UNLISTED_RARITY or _rarity_of_head(plural) < UNLISTED_RARITY
    return plural if is_used else thing


def _rarity_of_head(phrase: str) -> int:
    return rarity((split_after_head(phrase)[0].split() or [phrase])[-1])


@cache
def _modifier_table() -> Mapping[str, Sequence[str]]:
    wider_by_word: dict[str, list[str]] = {}
    for row in tables.table_lines("en/modifiers"):
        wider, narrower = row.split("\t")
        for word in narrower.split(";"):
            wider_by_word.setdefault(word, []).append(wider)
    return wider_by_word


def wider_modifiers(word: str) -> Sequence[str]:
    """Modifiers that are also true of whatever an adjective or an adverb is true of: what is *huge* is *large*."""
    return _modifier_table().get(word, ())


@dataclass(frozen=True, slots=True)
class WiderNoun:
    """A noun that says less than one of several senses, where the words around it decide: *document* for *letter*."""

    name: str
    is_mass: bool
    """It takes no article and no plural: "food"."""
    is_plural: bool
    """It is only used in the plural: "authorities"."""
    conditions: tuple[str, ...]
    """When it is true, in the signs that ``training/wordlists/nouns.txt`` explains."""


@dataclass(frozen=True, slots=True)
class _NounTable:
    wider: Mapping[str, Sequence[WiderNoun]]
    topics: Mapping[str, frozenset[str]]


@cache
def _noun_table() -> _NounTable:
    wider_by_word: dict[str, list[WiderNoun]] = {}
    topics: dict[str, frozenset[str]] = {}
    for row in tables.table_lines("en/nouns"):
        first, *rest = row.split("\t")
        if first.startswith("@"):
            topics[first[1:]] = frozenset(rest)
            continue
        conditions, words = rest
        noun = WiderNoun(first.rstrip("~+"), first.endswith("~"), first.endswith("+"), tuple(conditions.split()))
        for word in words.split(";"):
            wider_by_word.setdefault(word, []).append(noun)
    return _NounTable(wider_by_word, topics)


def wider_nouns(word: str) -> Sequence[WiderNoun]:
    """Nouns that may be true of what a noun in the singular or plural names, in the order to try them."""
    table = _noun_table().wider
    if f"{word}+" in table:
        return table[f"{word}+"]
    return table.get(word) or (table.get(singularize(word), ()) if is_plural(word) else ())


def noun_topic(name: str) -> frozenset[str]:
    """The words of a topic that conditions refer to; "court": judge, accused, verdict ..."""
    return _noun_table().topics[name]


VERB_FORMS = ("base", "third", "past", "participle", "ing")


@dataclass(frozen=True, slots=True)
class WiderVerb:
    """A verb that says less: who was *evicted* was *removed*."""

    verb: str
    """In its base form; with the words that belong to it: "take part"."""
    frames: frozenset[str]
    """How both verbs may be used, in the signs that ``training/wordlists/verbs.txt`` explains."""
    source: str


@dataclass(frozen=True, slots=True)
class _VerbTable:
    forms: Mapping[str, tuple[str, ...]]
    readings: Mapping[str, Mapping[str, frozenset[str]]]
    wider: Mapping[str, Sequence[WiderVerb]]
    topics: Mapping[str, frozenset[str]]


@cache
def _verb_table() -> _VerbTable:
    forms: dict[str, tuple[str, ...]] = {}
    wider_by_verb: dict[str, list[WiderVerb]] = {}
    topics: dict[str, frozenset[str]] = {}
    for row in tables.table_lines("en/verbs"):
        first, *rest = row.split("\t")
        if first.startswith("@"):
            topics[first[1:]] = frozenset(rest)
        elif first == "<":
            narrower, verb, frames, source = rest
            wider_by_verb.setdefault(narrower, []).append(WiderVerb(verb, frozenset(frames.split()), source))
        else:
            forms[first] = (first, *rest)
    readings: dict[str, dict[str, frozenset[str]]] = {}
    for verb in wider_by_verb:
        for form, spellings in zip(VERB_FORMS, forms[verb], strict=True):
            for spelling in spellings.split("/"):
                verbs = readings.setdefault(spelling, {})
                verbs[verb] = verbs.get(verb, frozenset()) | {form}
    return _VerbTable(forms, readings, wider_by_verb, topics)


def verb_readings(word: str) -> Mapping[str, frozenset[str]]:
    """The verbs a lower-case word may be a form of, each with the forms; only verbs that have a wider verb."""
    return _verb_table().readings.get(word, {})


def wider_verbs(verb: str) -> Sequence[WiderVerb]:
    """Verbs that may replace a verb, depending on how it is used, in the order to try them."""
    return _verb_table().wider.get(verb, ())


def inflect_verb(phrase: str, form: str) -> str:
    """A wider verb in one of the ``VERB_FORMS``; the words that belong to it stay: "took part"."""
    verb, gap, rest = phrase.partition(" ")
    return _verb_table().forms[verb][VERB_FORMS.index(form)].split("/")[0] + gap + rest


def verb_topic(name: str) -> frozenset[str]:
    """The words of a topic that frames refer to; "legal": appeal, claim, request ..."""
    return _verb_table().topics[name]
