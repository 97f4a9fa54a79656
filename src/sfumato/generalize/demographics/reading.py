"""What a phrase says of a person: *retired senior tax inspector of Ghent* is a former tax inspector, an official ...

A noun phrase is read down to something that the table of kinds knows. What is dropped on the way only narrows:
adjectives, nouns before the head, what follows "of". Words that do more than narrow (*former*, *alleged*, *deputy*,
*non-*) are kept, or nothing is read. The words are in ``data/en/demographics.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from heapq import merge
from itertools import chain
from typing import Literal

from sfumato.generalize.hierarchy import Article, Level
from sfumato.lexicon import grammar_en, tables
from sfumato.lexicon.name_lists import lookup_key
from sfumato.lexicon.tokens import PhraseList, lazy_pattern

ENGLISH = tables.load_toml("demographics", "en", "sfumato.generalize")
english_words = partial(tables.word_set, "demographics", language="en", package="sfumato.generalize")


def _any_of(words: Iterable[str]) -> str:
    return f"(?:{'|'.join(words)})"


# Plural and singular of kinds: *members of the clergy*, *arm or hand injuries*, *people giving evidence*.

_TAIL = lazy_pattern(rf"(?= {_any_of(ENGLISH['after_head'])} )")
"""Where what follows the head noun starts; unlike names, kinds are joined by "or" before their head."""
_NO_PLURAL = lazy_pattern(r"(?:sis|itis|us|ss)$")


def pluralize_kind(phrase: str) -> str:
    core, *rest = _TAIL.split(phrase, maxsplit=1)
    return grammar_en.pluralize(core) + "".join(rest)


def singulars(phrase: str) -> Iterator[str]:
    """What may be one of these, likeliest first; nothing where the head noun does not look like a plural."""
    core, rest = grammar_en.split_after_head(phrase)
    singular = grammar_en.singularize_phrase(phrase)
    if singular != phrase:
        yield singular
    if core.endswith("s") and not _NO_PLURAL.search(core):
        yield core[:-1] + rest
        if core.endswith("es"):
            yield core[:-2] + rest
            yield core[:-2] + "is" + rest


# The table of kinds: *cardiologist* is a medical specialist, a physician, a professional. Made by
# ``training/build_demographics.py`` from word lists of ours and ICD-10; licences in ``lexicon/data/SOURCES.md``.

WordClass = Literal["noun", "mass", "adjective", "verb"]
Table = Literal["demographics", "languages"]
_CLASSES: dict[str, WordClass] = {"n": "noun", "m": "mass", "a": "adjective", "v": "verb"}
_NOT_BEFORE_NOUNS = tuple(f" {word} " for word in english_words("not_before_nouns"))
_ONLY_ADJECTIVES: tuple[str, ...] = ENGLISH["only_adjectives"]


@dataclass(frozen=True, eq=False)
class Kind:
    """A node of the hierarchy: the phrase that names it, and what stands directly under it."""

    phrase: str
    word_class: WordClass
    above: Kind | None
    modifier: str | None
    names: tuple[tuple[int, str], ...]
    """The names of the kind itself, with their rarity, commonest first."""
    terms: tuple[tuple[int, str], ...]
    """Names that generalize to it, likewise."""
    is_level: bool
    below: list[Kind] = field(default_factory=list)

    @cached_property
    def chain(self) -> tuple[Kind, ...]:
        """It and what is above it, without those that only group."""
        higher = self.above.chain if self.above else ()
        return (self, *higher) if self.is_level else higher

    @cached_property
    def members(self) -> int:
        """How many names generalize to it, from wherever below."""
        return len(self.terms) + sum(kind.members + 1 for kind in self.below)

    def all_terms(self) -> Iterator[tuple[int, str]]:
        """All names that generalize to it, from wherever below, with their rarity, commonest first."""
        shown = (kind.names for kind in self.below if kind.is_level)
        return merge(self.terms, *shown, *(kind.all_terms() for kind in self.below))

    @cached_property
    def before_a_noun(self) -> str | None:
        if self.modifier or self.word_class == "verb" or any(word in f" {self.phrase} " for word in _NOT_BEFORE_NOUNS):
            return self.modifier
        return self.phrase

    @cached_property
    def _is_noun_too(self) -> bool:
        """*Muslim*, *Southern European*: one of them is a Muslim; but nobody is a Jewish."""
        last = self.phrase.rpartition(" ")[2]
        return last[0].isupper() and self.before_a_noun == self.phrase and not last.endswith(_ONLY_ADJECTIVES)

    def level(self, many: bool = False, as_person: bool = False) -> Level:
        """As something to put into a text; ``many``: of several; ``as_person``: an adjective where a noun is wanted."""
        text = self.phrase
        if self.word_class == "adjective" and (many or as_person) and self._is_noun_too:
            text = pluralize_kind(text) if many else text
        elif self.word_class == "adjective" and (many or as_person):
            person = "people" if many else "person"
            text = f"{self.before_a_noun} {person}" if self.before_a_noun else f"{person} {text}"
        elif many and self.word_class == "noun":
            text = pluralize_kind(text)
        article: Article = "a" if (self.word_class == "noun" or as_person) and not many else ""
        is_many = many and self.word_class in ("noun", "adjective")
        return Level(text, float(self.members), article, is_many, self.before_a_noun, source="demographics")


class Kinds:
    """A table of kinds with its indexes."""

    def __init__(self, table: Table) -> None:
        self.kinds_above: dict[str, tuple[Kind, ...]] = {}
        """Name -> the kinds directly above it, one a reading."""
        self.by_name: dict[str, Kind] = {}
        """Name of a kind, in small letters -> that kind."""
        self.whole: set[str] = set()
        """Names that say this only where they stand alone: *general*, but not *inspector general*."""
        self._unambiguous: dict[str, PhraseList] = {}
        path: list[Kind] = []
        for depth, sign, phrase, modifier, names, terms in tables.table_rows(f"en/{table}"):
            del path[int(depth) :]
            above = path[-1] if path else None
            kind_names, kind_terms = self._with_rarity(names), self._with_rarity(terms)
            kind = Kind(phrase, _CLASSES[sign.lower()], above, modifier or None, kind_names, kind_terms, sign.islower())
            path.append(kind)
            if above:
                above.below.append(kind)
            for _, term in kind_terms:
                self.kinds_above[term] = (*self.kinds_above.get(term, ()), kind)
            if kind.is_level:
                for _, name in kind_names:
                    self.by_name[name] = kind
                    if above and above.chain:
                        self.kinds_above[name] = (*self.kinds_above.get(name, ()), above)

    def _with_rarity(self, listed: str) -> tuple[tuple[int, str], ...]:
        names = []
        for entry in filter(None, listed.split(";")):
            name, _, rarity = entry.rpartition("=")
            if name.endswith("!"):
                name = name[:-1]
                self.whole.add(name)
            names.append((int(rarity), name))
        return tuple(sorted(names))

    def above(self, name: str) -> tuple[Kind, ...]:
        """The kinds that a name belongs to whatever it means, narrowest first; () where that is none."""
        first, *others = [kind.chain for kind in self.kinds_above.get(name, ())] or [()]
        return tuple(kind for kind in first if all(kind in other for other in others))

    def unambiguous_terms(self, kind: Kind) -> PhraseList:
        """The names of a kind that belong to it whatever they mean."""
        if kind.phrase not in self._unambiguous:
            terms = (name for _, name in kind.all_terms() if kind in self.above(name))
            self._unambiguous[kind.phrase] = PhraseList(terms)
        return self._unambiguous[kind.phrase]

    def knows(self, name: str) -> bool:
        return name in self.kinds_above or name in self.by_name


@cache
def kinds(table: Table = "demographics") -> Kinds:
    return Kinds(table)


# Words that shape a noun phrase about a person: what may be dropped from it, what is kept, what stops the reading.

_DETERMINER = lazy_pattern(
    r"(?:an?|one|the|his|her|their|my|our|your|its|this|that|these|those|one of (?:the|his|her|their))\s+"
)
_ASIDE = lazy_pattern(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_NUMBER = lazy_pattern(
    r"\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|several|many|both)\b"
)
_AFTER_HEAD = english_words("leads_on")
_OPENERS = _AFTER_HEAD | english_words("openers")
_KEPT = english_words("kept")
_SECOND = english_words("second")
_REFUSED = english_words("refused")
_NEGATING_PREFIXES: tuple[str, ...] = ENGLISH["negating_prefixes"]
_LEARNING = english_words("learning")
_CHURCH = lazy_pattern(rf"\b{_any_of(ENGLISH['church'])}\b")
_STAGE = lazy_pattern(rf"\b{_any_of(ENGLISH['stage'])}\b(?!-)")
_ALWAYS_IN_CHARGE = english_words("always_in_charge")
_FRAME = lazy_pattern(
    rf"{_any_of(ENGLISH['frames']['before_of'])} (?:of|for) |{_any_of(ENGLISH['frames']['before_as'])} as |"
    rf"{_any_of(ENGLISH['frames']['before_noun'])} "
)
_VERBS = english_words("verbs")
_INSIDE = english_words("inside")
_DEGREES = english_words("degrees")


# Reading of noun phrases.

_LONGEST = 120
"""In characters; longer spans are no noun phrases."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a phrase is, narrowest first, and what has to be said with it."""

    kinds: tuple[Kind, ...]
    many: bool = False
    prefix: str = ""
    bare: str = ""
    """The phrase without what was dropped, where that is something to say."""
    has_article: bool = False
    is_framed: bool = False
    """Whether the article has its place behind the prefix."""


def tidy(surface: str) -> str:
    """In small letters, one space between words, plain hyphens and apostrophes, nothing around it."""
    plain = re.sub(r"[\u2010-\u2015\u2212]", "-", lookup_key(surface).replace("‘", "'"))
    plain = re.sub(r"\b(bachelor|master)'?s (?=in |of )", r"\1's degree ", plain)
    return " ".join(plain.split()).strip(" .,;:!?\"'“”„»«*_|/-")


def read(phrase: str, depth: int = 0) -> Reading | None:
    """What a tidied phrase is; None where that is not sure."""
    if not phrase or len(phrase) > _LONGEST or depth > 4:
        return None
    if listed := look_up(phrase):
        return listed
    if match := _DETERMINER.match(phrase):
        inner = read(phrase[match.end() :], depth + 1)
        return inner and replace(inner, has_article=phrase.startswith(("a ", "an ")))
    if (bare := _ASIDE.sub("", phrase)) != phrase:
        return read(bare, depth + 1)
    if _NUMBER.match(phrase):
        return None
    if match := _FRAME.match(phrase):
        inner = read(phrase[match.end() :], depth + 1)
        return inner and replace(inner, prefix=match[0] + inner.prefix, bare="", is_framed=True)
    first, _, rest = re.sub(r"^(ex|vice|deputy|sub)-(?=\w)", r"\1 ", phrase).partition(" ")
    if first in _KEPT and rest:
        # Of two that are joined it may hold for one alone.
        inner = None if " and " in rest else read(rest, depth + 1)
        prefix = "former " if first in ("ex", "retired") else f"{first} "
        return inner and replace(inner, prefix=prefix + inner.prefix)
    if first in _SECOND and rest:
        inner = read(rest, depth + 1)
        # Of a deputy: all but a kind that the word itself names.
        named = {kinds().by_name.get(form) for form in (rest, rest.split(" of ")[0], *singulars(rest))}
        return inner and replace(inner, bare="", kinds=tuple(kind for kind in inner.kinds if kind not in named))
    return _by_head(phrase)


def look_up(phrase: str) -> Reading | None:
    """The phrase as a whole, as one or as several."""
    for index, one_or_several in enumerate((phrase, *singulars(phrase))):
        for form in _spellings(one_or_several):
            if kinds_above := kinds().above(form):
                return Reading(kinds_above, many=index > 0 or _is_several(form))
    return None


def _is_several(name: str) -> bool:
    """Whether a name that is listed in the plural is the plural of another."""
    return any(kinds().knows(singular) for singular in singulars(name))


def _spellings(phrase: str) -> Iterator[str]:
    yield phrase
    if "." in phrase:
        yield f"{phrase}."
        yield phrase.replace(".", "")
    if "'" in phrase:
        yield f"{phrase}'"
    if "-" in phrase:
        yield phrase.replace("-", " ")
        yield phrase.replace("-", "")


def _by_head(phrase: str) -> Reading | None:
    words = phrase.split(" ")
    if words[0] in _OPENERS or words[-1] in _OPENERS:
        return None
    cuts = [place for place, word in enumerate(words) if place and (word in _AFTER_HEAD or words[place - 1][-1] == ",")]
    head_end = cuts[0] if cuts else len(words)
    before = words[: head_end - 1]
    if any(word in _REFUSED or word.startswith(_NEGATING_PREFIXES) for word in words[:head_end]):
        return None
    if not (_KEPT | _SECOND | _VERBS).isdisjoint(before) or words[0] in _VERBS or _has_article(before):
        return None
    if not _LEARNING.isdisjoint(before):
        return Reading(kinds().by_name["person in education"].chain) if look_up(" ".join(words[1:head_end])) else None
    if words[0] in _DEGREES and (listed := look_up(" ".join(words[1:]))):
        return listed
    for end in (len(words), *reversed(cuts)):
        for start in range(1 if end == len(words) else 0, head_end):
            name = " ".join(words[start:end]).rstrip(",")
            if reading := _narrowed(name, is_head=start > 0, tail=" ".join(words[end:])):
                return reading
    return None


def _has_article(before: list[str]) -> bool:
    """Whether a second noun phrase starts inside: "lost his leg"; two that are joined are not meant."""
    return any(word in _INSIDE and words != "and" for words, word in zip(["", *before], before, strict=False))


def _narrowed(name: str, is_head: bool, tail: str) -> Reading | None:
    """The reading of a name that something was dropped from: what it names itself is then a level too."""
    table = kinds()
    singular_forms = ((singular, True) for singular in singulars(name))
    for form, many in chain(((form, False) for form in _spellings(name)), singular_forms):
        if form in table.whole and (is_head or tail):
            return _led(form, tail)
        above, kind = table.above(form), table.by_name.get(form)
        is_adjective = kind is not None and kind.word_class == "adjective"
        if is_adjective or any(wider.word_class in ("adjective", "verb") for wider in above):
            return None
        if kind:
            return Reading(kind.chain, many)
        if above:
            return Reading(above, many or _is_several(form), bare=name)
    return None


def _led(form: str, tail: str) -> Reading | None:
    """*Director of the play-group* (but not of a film), *Minister for Fisheries* (but not of the gospel)."""
    by_name = kinds().by_name
    leads = tail.startswith(("of ", "for ", "at ", "in charge"))
    if form == "minister":
        return Reading(by_name["minister"].chain) if leads and not _CHURCH.search(tail) else None
    if form in ("director", "head", "chief") and leads and not _STAGE.search(tail):
        return Reading(by_name["manager"].chain)
    return Reading(kinds().above(form)) if form in _ALWAYS_IN_CHARGE and (leads or not tail) else None


# Conditions that the table does not list, by how their names are built: *fracture of the tibia*, *periostitis*.

_HARM = _any_of(ENGLISH["health"]["harm"])
_HARM_TO_PART = lazy_pattern(
    rf"(?:[\w-]+ ){{0,3}}{_HARM} (?:of|to|on|in) (?:the |a |an |his |her |their |one of (?:his|her) )?(.+)"
)
_PART_FIRST = lazy_pattern(rf"(.+) {_HARM}")
_HARMED_PART = lazy_pattern(rf"(?:severely |badly |slightly )?{_any_of(ENGLISH['health']['harmed'])} (.+)")
_SEVERAL = lazy_pattern(rf"\b{_any_of(ENGLISH['health']['several'])}\b")
_WHICH_PART = lazy_pattern(r"^(?:the |lower |upper |left |right |both |fourth |fifth |first |second |third |\d\w* )+")
_INJURIES: Mapping[str, str] = ENGLISH["injuries"]
_LIMBS: Mapping[str, str] = ENGLISH["limbs"]
_ENDINGS = tuple((lazy_pattern(ending), kind) for kind, ending in ENGLISH["endings"].items())
_NOT_MEDICAL = english_words("health.not_medical")


def read_health(phrase: str) -> Reading | None:
    """What a tidied phrase is by its making; None where that is not sure."""
    if len(phrase) > _LONGEST or re.match(r"\d|(?:no|not|without|former|alleged) ", phrase):
        return None
    last = phrase.removeprefix("a ").removeprefix("an ").rpartition(" ")[2]
    fitting = [kinds().by_name[name] for shape, name in _ENDINGS if shape.fullmatch(last)]
    if not fitting or last in _NOT_MEDICAL:
        return None
    # The narrowest of the endings that fit: "polyarthritis" is a joint disease, not only an illness.
    return Reading(max(fitting, key=lambda kind: len(kind.chain)).chain)


def read_harm(phrase: str) -> Reading | None:
    """Of an injury to a named part of the body: which part of it."""
    if len(phrase) > _LONGEST:
        return None
    for shape in (_HARM_TO_PART, _HARMED_PART, _PART_FIRST):
        match = shape.fullmatch(phrase)
        if not match:
            continue
        many = bool(_SEVERAL.search(phrase)) or (shape is _HARMED_PART and phrase.endswith("s"))
        part = _WHICH_PART.sub("", match[1])
        injury = _LIMBS.get(part.rstrip("s")) or ("injury" if "shoulder" in part else None)
        if injury is None and (reading := read(part)):
            injury = next((_INJURIES[kind.phrase] for kind in reading.kinds if kind.phrase in _INJURIES), None)
        if injury:
            return Reading(kinds().by_name[injury].chain, many)
    return None
