"""Names of people: their parts, and which mentions of a document are one person."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cache, cached_property

from sfumato.lexicon.name_lists import PARTICLES, Gender, NameGender, gender_of, given_names, is_title, lookup_key
from sfumato.lexicon.tables import languages_with, load_toml, to_ascii_letters, words

POSSESSIVE = re.compile(r"['’]s?$")
_NAME_WORD = re.compile(r"[^\s,;]+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[\s-]?){2,4}")
_GENDER_SUFFIX = re.compile(r" \((female|male)\)$")
_NICKNAME = re.compile(r"[\"“„«(‘'](?P<nickname>[^\W\d_][^\"”“»)’']*)[\"”“»)’']")
_PART = re.compile(r"[^\W\d_]+\.?")
_GENERATIONS = {"jr": "jr", "junior": "jr", "sr": "sr", "senior": "sr"}
_MOST_INITIALS = 5
_SHORTEST_STEM = 3
_SHORTEST_ABBREVIATION = 2
_SHORTEST_ENDING = 4
_MOST_COMPARED = 100
"""People with a name in common among whom a mention is looked for."""
_FEMALE_ENDINGS = frozenset({"a", "e", "ina", "ine", "ette", "in", "ja"})
_DIMINUTIVES = re.compile(
    r"(?<=...)(?:y|ie|ey|i|o|a|s|l|erl|chen|lein|ito|ita|itos|in|inho|inha|je|tje|ke|ino|ina|etto|etta|inka|ka|ou|ette)$"
)


@dataclass(frozen=True)
class PersonName:
    """The parts of a person's name: folded words, given names before family names."""

    words: tuple[str, ...]
    gender: Gender | None

    @property
    def is_full(self) -> bool:
        return sum(len(word) > 1 for word in self.words) >= 2

    @property
    def initials(self) -> str:
        return "".join(word[0] for word in self.words)


def parse_name(mention: str) -> PersonName:
    """``parse_name("Mrs SMITH, Anna")`` has the words anna, smith and is female."""
    words = _NAME_WORD.findall(POSSESSIVE.sub("", mention.strip())) or [mention]
    genders = [gender_of(word) for word in words if is_title(word)]
    gender = next((gender for gender in genders if gender), None)
    names = [word for word in words if not is_title(word)] or words
    if "," in mention and len(names) >= 2:
        family_words = len(_NAME_WORD.findall(mention.partition(",")[0])) - len(words) + len(names)
        family_words = max(1, min(family_words, len(names) - 1))
        names = names[family_words:] + names[:family_words]
    if len(names) == 1 and _are_initials(names[0]):
        names = [letter for letter in names[0] if letter.isalpha()]
    return PersonName(tuple(word.casefold().strip(".'’") or word.casefold() for word in names), gender)


def _are_initials(word: str) -> bool:
    """Whether a word is initials: A.Q. or AQ, but not ADA."""
    if not word.isupper() or not _INITIALS.fullmatch(word):
        return False
    return "." in word or (len(word) <= 3 and lookup_key(word) not in given_names())


def entity_name(entity: str | None, mention: str) -> PersonName:
    """The fullest name of a linked person; that of the mention where the entity was not linked here."""
    kind, _, words = (entity or "").partition(":")
    if kind != "person" or not words:
        return parse_name(mention)
    suffix = _GENDER_SUFFIX.search(words)
    gender: Gender | None = "female" if suffix and suffix[1] == "female" else "male" if suffix else None
    return PersonName(tuple(_GENDER_SUFFIX.sub("", words).split()), gender or parse_name(mention).gender)


@dataclass(frozen=True)
class _Mention:
    """A mention as it is compared: without titles, particles, accents and hyphens, with the nickname apart."""

    name: PersonName
    parts: tuple[str, ...]
    """Letters only; one letter is an initial."""
    abbreviated: frozenset[str] = frozenset()
    """Parts that end with a full stop: Siegb."""
    nicknames: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    """Parts of the first word, which is a given name where there are several words."""
    generation: str | None = None
    """Jr or Sr."""
    capitals: str = ""
    """The letters of a single word in capitals, which may be initials."""

    @property
    def rank(self) -> tuple[int, int, int, tuple[str, ...], str]:
        """Fuller names first, those with a title before those without, abbreviations last."""
        size = -len(self.full_parts), -len(self.parts)
        return *size, len(self.abbreviated), self.name.words, self.name.gender or "~"

    @cached_property
    def full_parts(self) -> tuple[str, ...]:
        return tuple(part for part in self.parts if len(part) > 1)

    @property
    def initials(self) -> str:
        return "".join(part[0] for part in self.parts)


def _read_mention(mention: str) -> _Mention:
    nicknames = [match["nickname"] for match in _NICKNAME.finditer(mention)]
    bare = _NICKNAME.sub(" ", mention) if nicknames else mention
    name = parse_name(bare if bare.strip() else mention)
    parts: list[str] = []
    given: list[str] = []
    generation = None
    abbreviated = set()
    for word in name.words:
        if word in PARTICLES and len(name.words) > 1:
            continue
        if word in _GENERATIONS and parts:
            generation = _GENERATIONS[word]
            continue
        word_parts = [part.rstrip(".") for part in _PART.findall(to_ascii_letters(word))]
        given = given or word_parts
        parts += word_parts
    for match in re.finditer(r"([^\W\d_]{2,})\.", mention):
        if (part := to_ascii_letters(match[1].casefold())) in parts:
            abbreviated.add(part)
    folded = frozenset(to_ascii_letters(nickname.casefold()) for nickname in nicknames)
    word = mention.strip()
    capitals = word.casefold() if word.isalpha() and word.isupper() and len(word) <= _MOST_INITIALS else ""
    return _Mention(
        name,
        tuple(parts) or (mention.casefold(),),
        frozenset(abbreviated),
        folded,
        frozenset(given),
        generation,
        capitals,
    )


@dataclass
class _Person:
    """Mentions that are one person; ``parts`` are those of the fullest name, initials written out where known."""

    fullest: _Mention
    parts: list[str]
    genders: set[Gender] = field(default_factory=set)
    nicknames: set[str] = field(default_factory=set)
    has_plain_mention: bool = False
    number: int = 0

    @property
    def initials_keys(self) -> set[str]:
        return {f"={part[0]}" for part in self.parts}

    @property
    def unknown_keys(self) -> set[str]:
        """Of the parts of which only the initial is known."""
        return {f"?{part}" for part in self.parts if len(part) == 1}

    def add(self, mention: _Mention) -> None:
        if mention.name.gender:
            self.genders.add(mention.name.gender)
        self.nicknames |= mention.nicknames
        self.has_plain_mention |= mention.name.gender is None
        for number, part in enumerate(self.parts):
            if len(part) == 1:
                written_out = [word for word in mention.full_parts if word[0] == part and word not in self.parts]
                self.parts[number] = written_out[0] if len(written_out) == 1 else part

    @property
    def usual_genders(self) -> Collection[str]:
        """The genders that the given name is given to; both where it is not known to be one."""
        gender = _plain_given_names().get(self.parts[0], "both") if len(self.parts) > 1 else "both"
        return ("female", "male") if gender == "both" else (gender,)

    @property
    def id(self) -> str:
        words = self.fullest.name.words
        is_alone = len(words) == 1 and self.genders and not self.has_plain_mention
        return " ".join(words) + (f" ({min(self.genders)})" if is_alone else "")


_NO_MATCH, _BY_INITIAL, _BY_NICKNAME, _BY_PART, _BY_WORD = range(5)
"""How sure it is that a mention is a person: from not at all to by a whole word."""


def link_people(mentions: Sequence[str]) -> list[str]:
    """An id for each mention, the same for mentions of one person: the words of the fullest name.

    A mention that fits several people equally well is none of them.
    """
    read = [_read_mention(mention) for mention in mentions]
    people: list[_Person] = []
    index: dict[str, set[int]] = defaultdict(set)
    persons: dict[_Mention, _Person] = {}
    for mention in sorted(dict.fromkeys(read), key=lambda mention: mention.rank):
        person = _find_person(mention, [people[number] for number in sorted(_similar_people(mention, index))])
        if person is None:
            person = _Person(mention, list(mention.parts), number=len(people))
            people.append(person)
        person.add(mention)
        for key in (*_keys_of(mention), *person.initials_keys, *person.unknown_keys):
            index[key].add(person.number)
        persons[mention] = person
    same = _link_initials(people)
    return [same.get(id(persons[mention]), persons[mention]).id for mention in read]


def _link_initials(people: Sequence[_Person]) -> dict[int, _Person]:
    """By ``id``: an initial alone -> the only person whose given name or surname begins with it."""
    by_initial: dict[str, list[_Person]] = defaultdict(list)
    for person in people:
        for letter in {person.parts[0][0], person.parts[-1][0]}:
            by_initial[letter].append(person)
    same: dict[int, _Person] = {}
    for letter, candidates in by_initial.items():
        others = [person for person in candidates if person.parts != [letter]]
        if len(others) == 1:
            same |= {id(person): others[0] for person in candidates if person is not others[0]}
    return same


def _keys_of(mention: _Mention) -> Iterator[str]:
    """What mentions of one person have in common: a part, the beginning or end of one, a listed name, all initials."""
    if not mention.full_parts or mention.capitals:
        yield _initial_key(mention)
    for part in (*mention.full_parts, *mention.nicknames):
        yield from _keys_of_part(part)


def _initial_key(mention: _Mention) -> str:
    return f"={mention.capitals[-1:] or mention.parts[-1]}"


def _keys_of_part(part: str) -> Iterator[str]:
    yield part
    yield f"{part[:_SHORTEST_ABBREVIATION]}."
    yield f"{part[:_SHORTEST_STEM]}-"
    yield f"-{part[-_SHORTEST_ENDING:]}"
    yield from _long_forms().get(part, ())


def _keys_that_fit(part: str, mention: _Mention) -> Iterator[str]:
    """The keys of people whom a full part of a mention may fit, as ``_fit_part`` compares them."""
    yield part
    if len(mention.full_parts) > 1:
        yield f"?{part[0]}"
    if part in mention.abbreviated:
        yield f"{part[:_SHORTEST_ABBREVIATION]}."
    if len(mention.full_parts) == 1 or part in mention.given:  # else a surname, which has no short form
        yield from _keys_of_part(part)


def _similar_people(mention: _Mention, index: Mapping[str, Set[int]]) -> Set[int]:
    """The numbers of those people that the mention may be; no other fits it.

    Each full part of a name must fit, or a nickname, which stands for all of them. What very many people have in common
    tells none of them from the others, so that no more than so many are ever compared.
    """
    similar = _sharing_all([list(_keys_that_fit(part, mention)) for part in mention.full_parts], index)
    for nickname in mention.nicknames:
        similar |= _sharing_all([list(_keys_of_part(nickname))], index)
    if not mention.full_parts or mention.capitals:
        similar |= _sharing_all([[_initial_key(mention)]], index)
    return similar


def _sharing_all(parts: Sequence[Sequence[str]], index: Mapping[str, Set[int]]) -> set[int]:
    """The people who have one of the keys of each part."""
    holders = [[index[key] for key in keys if key in index] for keys in parts]
    candidates = {number for several in holders for few in several if len(few) <= _MOST_COMPARED for number in few}
    return {number for number in candidates if all(any(number in some for some in several) for several in holders)}


def _find_person(mention: _Mention, people: Sequence[_Person]) -> _Person | None:
    """The only person whom the mention fits best."""
    fits = [(_fit(mention, person), person) for person in people]
    best = max((fit for fit, _ in fits), default=_NO_MATCH)
    if best == _NO_MATCH:
        return None
    candidates = [person for fit, person in fits if fit == best]
    return candidates[0] if len(candidates) == 1 else None


def _fit(mention: _Mention, person: _Person) -> int:
    """How sure it is that a mention is a person: that of its least sure part."""
    if mention.name.gender and mention.name.gender not in (person.genders or person.usual_genders):
        return _NO_MATCH
    if mention.generation and mention.generation != person.fullest.generation:
        return _NO_MATCH
    if not mention.full_parts:
        return _fit_initials(mention.initials, person)
    fits = [_fit_part(part, mention, person) for part in mention.parts]
    if len(fits) == 1:
        return fits[0] or (_fit_initials(mention.capitals, person) if mention.capitals else _NO_MATCH)
    # A further initial may be unknown: A.P. Quorvex for Anton Quorvex.
    unknown = [part for part, fit in zip(mention.parts, fits, strict=True) if fit == _NO_MATCH]
    if _NO_MATCH in (fits[0], fits[-1]) or any(len(part) > 1 for part in unknown):
        return _NO_MATCH
    if len(mention.full_parts) > len(person.parts):
        return _NO_MATCH
    sure = max(fits)
    return sure if sure >= _BY_NICKNAME else _NO_MATCH


def _fit_initials(initials: str, person: _Person) -> int:
    """J.K.R., JKR or JR for Joanna Katharina Ried; a single initial fits nobody."""
    if len(initials) < 2 or len(person.parts) < 2:
        return _NO_MATCH
    of_words = "".join(to_ascii_letters(word[0]) for word in person.fullest.name.words)
    of_parts = "".join(part[0] for part in person.parts)
    is_part = of_words.startswith(initials) or of_parts.startswith(initials) or of_parts.endswith(initials)
    return _BY_PART if is_part or initials == of_parts[0] + of_parts[-1] else _NO_MATCH


def _fit_part(part: str, mention: _Mention, person: _Person) -> int:
    name_words = person.fullest.name.words
    if part in person.parts:
        if part in map(to_ascii_letters, name_words):
            return _BY_WORD
        # "Finn" is Finn-Luca, but "Meier" need not be Meier-Roth.
        return _BY_PART if part in person.fullest.given or len(mention.parts) > 1 else _NO_MATCH
    if part in person.nicknames or not mention.nicknames.isdisjoint(person.parts):
        return _BY_PART
    if part in mention.abbreviated and any(word.startswith(part) for word in person.parts):
        return _BY_PART
    if len(part) == 1:
        return _BY_INITIAL if any(word[0] == part for word in person.parts) else _NO_MATCH
    given = person.fullest.given if len(name_words) > 1 else person.parts
    is_given = len(mention.full_parts) == 1 or part in mention.given
    if is_given and any(is_short_form(part, name) or is_short_form(name, part) for name in given):
        return _BY_NICKNAME
    if any(len(word) == 1 and part[0] == word for word in person.parts) and len(mention.parts) > 1:
        return _BY_INITIAL
    return _NO_MATCH


def is_short_form(short: str, name: str) -> bool:
    """Whether one given name is a short form of another, both in letters without accents and case.

    Dot for Dorothy is listed; Max, Robbie, Rafa are beginnings of Maxence, Robert, Rafael, and Seun ends Oluwaseun.
    """
    if name in _long_forms().get(short, ()):
        return True
    names = _plain_given_names()
    if {"female", "male"} <= {names.get(short, "both"), names.get(name, "both")} or len(name) <= len(short):
        return False
    if name.endswith(short):
        return len(short) >= _SHORTEST_ENDING and not (short in names and name in names)  # Anna is not Johanna
    if name.startswith(short) and name.removeprefix(short) in _FEMALE_ENDINGS:
        return False  # Jan and Jana
    stem = _DIMINUTIVES.sub("", short)
    if len(stem) > _SHORTEST_STEM and stem[-1] == stem[-2]:
        stem = stem[:-1]
    return len(stem) >= _SHORTEST_STEM and name.startswith(stem)


@cache
def _plain_given_names() -> Mapping[str, NameGender]:
    """Given names without accents."""
    return {to_ascii_letters(name): gender for name, gender in given_names().items()} | dict(given_names())


@cache
def _long_forms() -> Mapping[str, frozenset[str]]:
    """Short form -> given names, from ``nicknames.toml`` of all languages."""
    forms: dict[str, set[str]] = defaultdict(set)
    for language in languages_with("nicknames"):
        for name in load_toml("nicknames", language):
            for short in words("nicknames", name, language):
                forms[to_ascii_letters(short)].add(to_ascii_letters(name))
    return {short: frozenset(names) for short, names in forms.items()}
