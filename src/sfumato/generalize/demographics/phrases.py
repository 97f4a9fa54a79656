"""Read a noun phrase about a person down to something the table knows: *retired senior tax inspector of Ghent*.

What is dropped on the way only narrows: adjectives, nouns before the head, what follows "of". Words that do more than
narrow (*former*, *alleged*, *deputy*, *non-*) are kept, or nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from heapq import merge
from typing import Literal

from sfumato.generalize.hierarchy import Level
from sfumato.lexicon import grammar_en, tables
from sfumato.lexicon.name_lists import lookup_key

# -- One and several of the kinds: *members of the clergy*, *arm or hand injuries*, *people giving evidence*.


_TAIL = re.compile(
    r"(?= (?:of|in|at|with|from|for|to|by|on|who|under|deprived|giving|present|responsible|working|involved|subject|"
    r"active|living|receiving|managing|passing|watching) )"
)
"""Where what follows the head noun starts; unlike names, kinds are joined by "or" before their head."""
_NO_PLURAL = re.compile(r"(?:sis|itis|us|ss)$")


def plural(phrase: str) -> str:
    """The phrase of several."""
    core, *rest = _TAIL.split(phrase, maxsplit=1)
    return grammar_en.pluralize(core) + "".join(rest)


def singulars(phrase: str) -> Iterator[str]:
    """What may be one of these, likeliest first; nothing where the head noun does not look like a plural."""
    core, rest = grammar_en.split_after_head(phrase)
    one = grammar_en.singularize_phrase(phrase)
    if one != phrase:
        yield one
    if core.endswith("s") and not _NO_PLURAL.search(core):
        yield core[:-1] + rest
        if core.endswith("es"):
            yield core[:-2] + rest
            yield core[:-2] + "is" + rest


# -- What kind of thing a person's attribute is: *cardiologist* is a medical specialist, a physician, a professional.
#
# Made by ``training/build_demographics.py`` from word lists of ours and ICD-10; licences in ``data/SOURCES.md``.


WordClass = Literal["noun", "mass", "adjective", "verb"]
Table = Literal["demographics", "languages"]
_CLASSES: dict[str, WordClass] = {"n": "noun", "m": "mass", "a": "adjective", "v": "verb"}
_BEHIND_A_NOUN = tuple(
    f" {word} " for word in "of in at with from for to by on or who against without affecting".split()
)

_ONLY_ADJECTIVES = ("ish", "ese", "Orthodox", "Nordic", "Balkan", "Caucasus")


@dataclass(frozen=True, eq=False)
class Kind:
    """A node of the hierarchy: the phrase that names it, and what stands directly under it."""

    phrase: str
    word_class: WordClass
    above: Kind | None
    modifier: str | None
    own: tuple[tuple[int, str], ...]
    """Its own names, with their rarity, commonest first."""
    terms: tuple[tuple[int, str], ...]
    """Names that generalize to it."""
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

    def names(self) -> Iterator[tuple[int, str]]:
        """All that generalizes to it, commonest first."""
        shown = (kind.own for kind in self.below if kind.is_level)
        return merge(self.terms, *shown, *(kind.names() for kind in self.below))

    @cached_property
    def before_a_noun(self) -> str | None:
        if self.modifier or self.word_class == "verb" or any(word in f" {self.phrase} " for word in _BEHIND_A_NOUN):
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
            text = plural(text) if many else text
        elif self.word_class == "adjective" and (many or as_person):
            person = "people" if many else "person"
            text = f"{self.before_a_noun} {person}" if self.before_a_noun else f"{person} {text}"
        elif many and self.word_class == "noun":
            text = plural(text)
        is_one = (self.word_class == "noun" or as_person) and not many
        is_many = many and self.word_class in ("noun", "adjective")
        return Level(
            text,
            float(self.members),
            "a" if is_one else "",
            is_many,
            modifier=self.before_a_noun,
            source="demographics",
        )


class Kinds:
    """A table of kinds, and the ways into it."""

    def __init__(self, table: Table) -> None:
        self.kinds_above: dict[str, tuple[Kind, ...]] = {}
        """Name -> the kinds directly above it, one a reading."""
        self.own: dict[str, Kind] = {}
        """Name of a kind, in small letters -> that kind."""
        self.whole: set[str] = set()
        """Names that say this only where they stand alone: *general*, but not *inspector general*."""
        self._surely: dict[str, tuple[str, ...]] = {}
        path: list[Kind] = []
        for depth, sign, phrase, modifier, names, terms in tables.table_rows(table):
            del path[int(depth) :]
            above = path[-1] if path else None
            own, weighed = self._weighed(names), self._weighed(terms)
            kind = Kind(phrase, _CLASSES[sign.lower()], above, modifier or None, own, weighed, sign.islower())
            path.append(kind)
            if above:
                above.below.append(kind)
            for _, term in weighed:
                self.kinds_above[term] = (*self.kinds_above.get(term, ()), kind)
            if kind.is_level:
                for _, name in own:
                    self.own[name] = kind
                    if above and above.chain:
                        self.kinds_above[name] = (*self.kinds_above.get(name, ()), above)

    def _weighed(self, listed: str) -> tuple[tuple[int, str], ...]:
        found = []
        for one in filter(None, listed.split(";")):
            name, _, rarity = one.rpartition("=")
            if name.endswith("!"):
                name = name[:-1]
                self.whole.add(name)
            found.append((int(rarity), name))
        return tuple(sorted(found))

    def above(self, name: str) -> tuple[Kind, ...]:
        """The kinds that a name belongs to whatever it means, narrowest first; () where that is none."""
        readings = self.kinds_above.get(name, ())
        if not readings:
            return ()
        first, *others = (kind.chain for kind in readings)
        return tuple(kind for kind in first if all(kind in other for other in others))

    def surely(self, kind: Kind) -> tuple[str, ...]:
        """The names of a kind that belong to it whatever they mean."""
        if kind.phrase not in self._surely:
            self._surely[kind.phrase] = tuple(name for _, name in kind.names() if kind in self.above(name))
        return self._surely[kind.phrase]

    def knows(self, name: str) -> bool:
        return name in self.kinds_above or name in self.own


@cache
def kinds(table: Table = "demographics") -> Kinds:
    return Kinds(table)


# -- Words that shape a noun phrase about a person: what may be dropped from it, what is kept, what stops the reading.


DETERMINER = re.compile(
    r"(?:an?|one|the|his|her|their|my|our|your|its|this|that|these|those|one of (?:the|his|her|their))\s+"
)
ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
LEADS_ON = frozenset(
    "of in at with for from to on by near under between who whose which that working employed responsible practising "
    "practicing specialising specializing specialised specialized based living residing serving attached assigned "
    "towards toward as about over through into since until before than after "
    "caused due secondary affecting involving during".split()
)
"""Words with which what follows the head noun starts."""
KEPT = frozenset(
    "former ex retired alleged suspected presumed possible probable future aspiring supposed convicted".split()
)
"""Words that are as true of the wider thing: a former cardiologist is a former physician."""
SECOND = frozenset("deputy vice acting interim assistant associate sub".split())
"""Not the thing itself, but of its kind: a deputy director is a manager, and no director."""
REFUSED = frozenset(
    "no not non never without neither nor denied denies fake false mock pseudo imaginary fictional would-be wannabe "
    "honorary anti pro self-proclaimed self-styled so-called toy model computer unlikely virtual potential prospective "
    "negative candidate nominee victim".split()
)
LEARNING = frozenset("trainee apprentice student".split())
"""Before another noun: someone who is to become that."""
NEGATED = ("non-", "anti-", "pseudo-", "pro-", "would-")
NUMBER = re.compile(r"\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|several|many|both)\b")
CHURCH = re.compile(r"\b(?:religion|church|gospel|word|god|faith|parish|sacrament)\b")
STAGE = re.compile(
    r"\b(?:films?|movies?|photography|music|choir|opera|orchestra|plays?|ballet|theatre|state|house)\b(?!-)"
)
ALWAYS_IN_CHARGE = frozenset("director president governor rector".split())
FRAME = re.compile(
    r"(?:(?:family |medical )?history|symptoms?|signs?|diagnosis|suspicion|treatment|risk|onset|early stages?|"
    r"complications?) (?:of|for) |"
    r"(?:works?|worked|working|serves?|served|serving|trained|qualified|employed|appointed) as |"
    r"(?:suffer(?:s|ed|ing)? from|diagnosed with|suffered|sustained|developed|contracted|had|has|having|underwent|"
    r"was|is|became|becoming|remained) "
)
"""What may stand around a thing and around a wider one alike."""
VERBS = frozenset(
    "suffered sustained developed contracted had has have was is were became worked works working lost broke underwent "
    "received studied studying graduated earned obtained holds held appointed elected diagnosed gave being been using "
    "taking lives served serves killed met saw joined hired".split()
)
"""Where one of these stands in front, the phrase is more than a noun and its modifiers."""
INSIDE = frozenset("a an the his her their my our your its this that these those i we he she it they you".split())
DEGREE = frozenset(
    "practising practicing devout strict openly severely profoundly completely totally partially legally seriously "
    "registered staunch committed slightly permanently very openly ethnically".split()
)
"""Words before an adjective that only narrow it."""
OPENERS = LEADS_ON | frozenset("and or but nor so if when while where because i we he she it they you there".split())
"""Words that open something else than a noun phrase."""
BROKEN = re.compile(r"(?<=\w\w)[.!?] |[:;@\"“”„|<>=*\n]| [–—/&-] ")
"""Signs that a span runs over more than one phrase."""
STUDIES = re.compile(
    r"\b(?:stud(?:y|ies|ied|ying|ent)|degree|graduat\w+|major\w*|t[ae]\w*ch\w*|lectur\w+|professor|faculty|read)\b"
)


# -- Read a noun phrase about a person down to something the table knows: *retired senior tax inspector of Ghent*.


LONGEST = 120
"""Characters; longer spans are no noun phrases."""


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


def tidy(said: str) -> str:
    """In small letters, one space between words, plain hyphens and apostrophes, nothing around it."""
    plain = re.sub(r"[\u2010-\u2015\u2212]", "-", lookup_key(said).replace("‘", "'"))
    plain = re.sub(r"\b(bachelor|master)'?s (?=in |of )", r"\1's degree ", plain)
    return " ".join(plain.split()).strip(" .,;:!?\"'“”„»«*_|/-")


def read(phrase: str, depth: int = 0) -> Reading | None:
    """What a tidied phrase is; None where that is not sure."""
    if not phrase or len(phrase) > LONGEST or depth > 4:
        return None
    known = look_up(phrase)
    if known:
        return known
    if found := DETERMINER.match(phrase):
        inner = read(phrase[found.end() :], depth + 1)
        return inner and replace(inner, has_article=phrase.startswith(("a ", "an ")))
    if (bare := ASIDE.sub("", phrase)) != phrase:
        return read(bare, depth + 1)
    if NUMBER.match(phrase):
        return None
    if found := FRAME.match(phrase):
        inner = read(phrase[found.end() :], depth + 1)
        return inner and replace(inner, prefix=found[0] + inner.prefix, bare="", is_framed=True)
    first, _, rest = re.sub(r"^(ex|vice|deputy|sub)-(?=\w)", r"\1 ", phrase).partition(" ")
    if first in KEPT and rest:
        # Of two that are joined it may hold for one alone.
        inner = None if " and " in rest else read(rest, depth + 1)
        return inner and replace(inner, prefix=_prefix(first) + inner.prefix)
    if first in SECOND and rest:
        inner = read(rest, depth + 1)
        return inner and replace(inner, bare="", kinds=_not_itself(inner, rest))
    return _by_head(phrase)


def _prefix(word: str) -> str:
    return "former " if word in ("ex", "retired") else f"{word} "


def _not_itself(inner: Reading, rest: str) -> tuple[Kind, ...]:
    """Of a deputy: all but a kind that the word itself names."""
    own = {kinds().own.get(form) for form in (rest, rest.split(" of ")[0], *singulars(rest))}
    return tuple(kind for kind in inner.kinds if kind not in own)


def look_up(phrase: str) -> Reading | None:
    """The phrase as a whole, as one or as several."""
    for form in _spellings(phrase):
        if found := kinds().above(form):
            return Reading(found, many=_is_several(form))
    for one in singulars(phrase):
        for form in _spellings(one):
            if found := kinds().above(form):
                return Reading(found, many=True)
    return None


def _is_several(name: str) -> bool:
    """Whether a name that is listed in the plural is the plural of another."""
    return any(kinds().knows(one) for one in singulars(name))


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
    if words[0] in OPENERS or words[-1] in OPENERS:
        return None
    cuts = [place for place, word in enumerate(words) if place and (word in LEADS_ON or words[place - 1][-1] == ",")]
    head_end = cuts[0] if cuts else len(words)
    before = words[: head_end - 1]
    if not REFUSED.isdisjoint(words[:head_end]) or any(word.startswith(NEGATED) for word in words[:head_end]):
        return None
    if not (KEPT | SECOND | VERBS).isdisjoint(before) or words[0] in VERBS or _has_article(before):
        return None
    if not LEARNING.isdisjoint(before):
        return Reading(kinds().own["person in education"].chain) if look_up(" ".join(words[1:head_end])) else None
    if words[0] in DEGREE and (known := look_up(" ".join(words[1:]))):
        return known
    for end in (*([len(words)] if cuts else []), *reversed(cuts)) if cuts else (len(words),):
        for start in range(head_end):
            name = " ".join(words[start:end]).rstrip(",")
            if start == 0 and end == len(words):
                continue
            if reading := _narrowed(name, is_head=start > 0, tail=" ".join(words[end:])):
                return reading
    return None


def _has_article(before: list[str]) -> bool:
    """Whether a second noun phrase starts inside: "lost his leg"; two that are joined are not meant."""
    return any(word in INSIDE and words != "and" for words, word in zip(["", *before], before, strict=False))


def _narrowed(name: str, is_head: bool, tail: str) -> Reading | None:
    """The reading of a name that something was dropped from: what it names itself is then a level too."""
    table = kinds()
    for form, many in (*((form, False) for form in _spellings(name)), *((one, True) for one in singulars(name))):
        if form in table.whole and (is_head or tail):
            return _led(form, tail)
        above, own = table.above(form), table.own.get(form)
        if (own and own.word_class == "adjective") or any(kind.word_class in ("adjective", "verb") for kind in above):
            return None
        if own:
            return Reading(own.chain, many)
        if above:
            return Reading(above, many or _is_several(form), bare=name)
    return None


def _led(form: str, tail: str) -> Reading | None:
    """*Director of the play-group* (but not of a film), *Minister for Fisheries* (but not of the gospel)."""
    own = kinds().own
    leads = tail.startswith(("of ", "for ", "at ", "in charge"))
    if form == "minister":
        return Reading(own["minister"].chain) if leads and not CHURCH.search(tail) else None
    if form in ("director", "head", "chief") and leads and not STAGE.search(tail):
        return Reading(own["manager"].chain)
    return Reading(kinds().above(form)) if form in ALWAYS_IN_CHARGE and (leads or not tail) else None
