"""Invented names of people: of the text's gender, language and region; every form of a name gets the same form.

Names are assigned word by word, so that a surname that two people share stays shared, and a given name is the same
alone, in full and in capitals.
"""

from __future__ import annotations

import importlib
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from sfumato.annotated_text import read_once
from sfumato.detectors.names import PersonName, entity_name
from sfumato.document import Document, Span
from sfumato.lexicon import name_lists, tables
from sfumato.lexicon.language import document_language
from sfumato.lexicon.name_lists import Gender, given_names, is_title
from sfumato.lexicon.tables import load_toml
from sfumato.lexicon.tokens import LETTERS
from sfumato.replacers.base import assign_absent
from sfumato.vault.ledger import Ledger

_PACKAGE = "sfumato.replacers"
_DATA = load_toml("surrogates", package=_PACKAGE)
LOCALES: Mapping[str, str] = _DATA["locales"]
"""Faker's locale by language, where nothing tells the country."""
ALL_LOCALES = tuple(
    dict.fromkeys((*LOCALES.values(), *(name for region in _DATA["regions"].values() for name in region)))
)
DEFAULT_LOCALE = "en_US"
_REGION_SAMPLE = 20_000
_NAME_LISTS = {
    "given female": ("first_names_female",),
    "given male": ("first_names_male",),
    "given": ("first_names_female", "first_names_male"),
    "family": ("last_names",),
}
_FEWEST_NAMES = 20
"""Names of the same length class, or of either gender, that are enough to choose from."""
_HYPHENATED, _APART = (_DATA["name_prefixes"][key].replace(" ", "|") for key in ("hyphenated", "apart"))
_PREFIX = rf"(?i:(?:{_HYPHENATED})[-‑]|(?:{_APART})[ ‑-])"
"""An Arabic article or kinship word: with the word after it one name, of which the invented name keeps nothing."""
_NAME = re.compile(rf"(?:(?<!\w){_PREFIX})?(?P<name>[^\W\d_]+(?:['’‑-][^\W\d_]{{2,}})*)")
_NAME_PREFIX = re.compile(rf"\A{_PREFIX}")
_KEPT_IN_NAMES = name_lists.PARTICLES | name_lists.SURNAME_CONJUNCTIONS | name_lists.NAME_SUFFIXES
_HYPHEN = re.compile(r"[-‑]")


# Locales.


def locale_of(document: Document) -> str:
    """The locale for a document: by the user's statement, by its language, and by the country that its text tells."""
    language, country = document.meta.get("language"), document.meta.get("country")
    if country and f"{language}_{country}" in ALL_LOCALES:
        return f"{language}_{country}"
    return _locale_of_text(document.text, language)


@read_once
def _locale_of_text(text: str, language: str | None) -> str:
    language = language or document_language(text) or ""
    sample = text[:_REGION_SAMPLE]
    regions = _DATA["regions"].get(language, {})
    matches = {locale: sum(len(re.findall(cue, sample)) for cue in cues) for locale, cues in regions.items()}
    best = max(matches, key=lambda locale: matches[locale], default=None)
    return best if best and matches[best] else LOCALES.get(language, DEFAULT_LOCALE)


@cache
def name_list(locale: str, attribute: str) -> tuple[str, ...]:
    """One of Faker's name lists (``first_names_female``, ``last_names``, ...): single words, no titles (Bishop)."""
    provider = importlib.import_module(f"faker.providers.person.{locale}").Provider
    names = dict.fromkeys(getattr(provider, attribute))
    return tuple(name for name in names if name.isalpha() and len(name) > 1 and not is_title(name))


# Gender.

GenderWords = Mapping[str, Gender]
_WORD_BEFORE = re.compile(r"([\w.’'-]+)[\s,:(„\"“]{1,3}\Z")
_DESCRIPTION = re.compile(r"\s*[,(]\s*((?:[\w’'-]+[ ]){0,4}[\w’'-]+)")
_AGE_AND_SEX = re.compile(r"[\s,(]{0,3}\d{1,3}\s?(?:y/?o|yrs?|yo)?\s?(?P<sex>[MFmf])(?!\w)")
_SENTENCE_END = re.compile(r"[.!?]\s|\n\s*\n")
_PRONOUN_REACH = 160
_STATED, _IMPLIED = 3, 1
"""Votes of a title or a noun beside the name, and of a pronoun after it."""


@cache
def _gender_words(kind: str, language: str) -> GenderWords:
    """``pronouns`` or ``nouns`` of a language with the gender they tell."""
    genders: tuple[Gender, Gender] = ("female", "male")
    return {
        word: gender for gender in genders for word in tables.words("gender", f"{kind}_{gender}", language, _PACKAGE)
    }


def genders_in_text(text: str, spans: Sequence[Span], language: str) -> dict[str, Gender]:
    """The gender of each person (by entity) that the text tells by titles, nouns and pronouns beside the name."""
    people = [span for span in spans if span.label == "PERSON"]
    votes: dict[str, Counter[Gender]] = defaultdict(Counter)
    following = len(text)  # where the next mention of somebody else begins
    for span, after in zip(reversed(people), [None, *reversed(people)], strict=False):
        if after is not None and after.entity != span.entity:
            following = after.start
        for gender, weight in _votes(text, span, following, language):
            votes[span.entity or ""][gender] += weight
    return {
        entity: max(counts, key=lambda gender: counts[gender])
        for entity, counts in votes.items()
        if len(set(counts.values())) == len(counts)
    }


def _votes(text: str, span: Span, following: int, language: str) -> Iterator[tuple[Gender, int]]:
    nouns, pronouns = _gender_words("nouns", language), _gender_words("pronouns", language)
    if stated := entity_name(None, text[span.start : span.end]).gender:
        yield stated, _STATED
    before = _WORD_BEFORE.search(text, max(0, span.start - 40), span.start)
    if before and (gender := name_lists.gender_of(before[1]) or nouns.get(before[1].casefold())):
        yield gender, _STATED
    if age := _AGE_AND_SEX.match(text, span.end):
        yield ("female" if age["sex"] in "Ff" else "male"), _STATED
    if description := _DESCRIPTION.match(text, span.end, following):
        # "Ida, her husband Tom": a noun right before the next name describes that one.
        words = description[1].casefold().split()
        describes_next = following < len(text) and description.end() + 2 >= following
        described = [nouns[word] for word in (words[:-1] if describes_next else words) if word in nouns]
        yield from ((gender, _STATED) for gender in described[:1])
    reach = min(following, span.end + _PRONOUN_REACH)
    sentences = list(_SENTENCE_END.finditer(text, span.end, reach))
    reach = sentences[1].end() if len(sentences) > 1 else reach
    for word in LETTERS.finditer(text, span.end, reach):
        if (gender := pronouns.get(word[0].casefold())) and not word[0].isupper():  # ER is no pronoun
            yield gender, _IMPLIED
            return


# Names.


class InventedNames:
    """The invented names of a document: the same word in the same role always becomes the same name."""

    def __init__(self, ledger: Ledger, document: Document, spans: Sequence[Span], locale: str) -> None:
        self._ledger, self._document, self._locale = ledger, document, locale
        self._short_titles = _DATA["short_titles"].get(locale[:2], "").split()
        self._genders = genders_in_text(document.text, spans, locale[:2])
        mentions = [(s.entity, document.text[s.start : s.end]) for s in spans if s.label == "PERSON"]
        self._in_capitals = {word for _, mention in mentions for word in _surnames_in_capitals(mention)}
        people = (entity_name(entity, mention) for entity, mention in mentions)
        self._roles = {word: role for person in people for word, role in self._roles_of(person).items()}

    def person(self, span: Span) -> str:
        """The mention with every name in it replaced; titles, particles, initials, order and case stay as written."""
        mention = self._document.text[span.start : span.end]
        person = entity_name(span.entity, mention)
        if not person.words:
            return mention
        roles = self._roles_of(person)
        given = next((word for word in person.words if roles.get(word) == "given" and len(word) > 1), "")
        gender = self._genders.get(span.entity or "") or person.gender or _gender_of_given(given)

        def replace(match: re.Match[str]) -> str:
            written = match["name"]
            word = written.casefold()
            is_short_title = match.start() == 0 < len(mention) - match.end() and word in self._short_titles
            if is_short_title or is_title(written) or word in _KEPT_IN_NAMES or (word == "s" and match.start() > 0):
                return written
            if len(word) == 1:
                spelled_out = next((name for name in person.words if len(name) > 1 and name.startswith(word)), word)
                role = roles.get(spelled_out, "family")
                return _match_case(self._invent(spelled_out, role, gender)[:1], written)
            if len(written) <= 3 and written.isupper() and "".join(name[0] for name in person.words) == word:
                return "".join(self._invent(name, roles[name], gender)[:1].upper() for name in person.words)
            return self._name(written, roles.get(word, self._roles.get(word, "family")), gender)

        return _NAME.sub(replace, mention)

    def name_of(self, word: str) -> str | None:
        """The invented name for a word that is part of somebody's name in the document; None for other words."""
        role = self._roles.get(word.casefold())
        return self._name(word, role, None) if role else None

    def surname(self, word: str) -> str:
        """A surname for a word that names a place or an organisation; a person's own where it is part of one."""
        return self.name_of(word) or self._name(word, "family", None)

    def _name(self, written: str, role: str, gender: Gender | None) -> str:
        parts = _HYPHEN.split(written)
        # "Al-Harbi", "Min-jun" are one name; "Lefèvre-Dubois" and "Jean-Baptiste" are two.
        is_double = all(
            part[:1].isupper() and part.casefold() not in _KEPT_IN_NAMES and len(part) > 1 for part in parts
        )
        is_double = is_double or (written.islower() and len(parts) > 1 and all(part in self._roles for part in parts))
        if len(parts) > 1 and is_double:
            return "-".join(_match_case(self._invent(part.casefold(), role, gender), part) for part in parts)
        return _match_case(self._invent(written.casefold(), role, gender), written)

    def _roles_of(self, person: PersonName) -> dict[str, str]:
        """Whether each word of a name, and each half of it, is a given or a family name."""
        words, given, family = person.words, given_names(), name_lists.family_names()
        two_surnames = self._locale[:2] in _DATA["two_surnames"].split() and len(words) > 2
        roles = {}
        for index, word in enumerate(words):
            if self._in_capitals.intersection(words):  # MOREAU Anne
                role = "family" if word in self._in_capitals else "given"
            elif len(words) == 1:
                is_surname = person.gender is not None or (word in family and word not in given)
                role = "family" if is_surname else "given"
            elif index == 0:
                role = "given"
            elif index == len(words) - 1 or (two_surnames and index == len(words) - 2):
                role = "family"
            else:
                role = "family" if word in family and word not in given else "given"
            roles[word] = role
            roles.update(dict.fromkeys(_HYPHEN.split(word), role))
            roles[_NAME_PREFIX.sub("", word)] = role
        return roles

    def _invent(self, word: str, role: str, gender: Gender | None) -> str:
        names = f"given {gender}" if role == "given" and gender else role
        seed = self._ledger.random_bytes(self._document, "name", role, word)

        def proposals() -> Iterator[str]:
            return _names_like(word, names, self._locale, seed)

        # Assigned by role only: "Jane" after "Mrs Jane" is the same word, whatever shows the gender.
        return assign_absent(self._ledger, self._document, f"surrogate/{role}", word, "PERSON", proposals)


def invent_name(
    ledger: Ledger, document: Document, locale: str, key: str, role: str, gender: Gender | None = None
) -> str:
    """A name for somebody of whom only a key is known; ``role`` is given or family, ``document`` says the scope."""
    names = _names(locale, f"given {gender}" if role == "given" and gender else role)
    rng = random.Random(ledger.random_bytes(document, "name", role, key))
    return assign_absent(
        ledger, document, f"surrogate/{role}", key, "PERSON", lambda: iter(rng.sample(names, len(names)))
    )


def _surnames_in_capitals(mention: str) -> set[str]:
    """The words in capitals of a name with others that are not: MOREAU Anne."""
    words = [word for word in re.findall(r"[^\W\d_][\w'’‑-]+", mention) if not is_title(word)]
    capitals = {word.casefold() for word in words if word.isupper() and len(word) > 2}
    return capitals if len(capitals) < len(words) and any(word.istitle() for word in words) else set()


def _gender_of_given(word: str) -> Gender | None:
    gender = given_names().get(word)
    return gender if gender in ("female", "male") else None


def _length_class(word: str) -> int:
    return (len(word) > 4) + (len(word) > 7)


@cache
def _names(locale: str, role: str, length_class: int | None = None) -> list[str]:
    names = [name for attribute in _NAME_LISTS[role] for name in name_list(locale, attribute)]
    if role == "given":  # of unknown gender: names that women and men have, where there are enough
        neutral = [name for name in names if given_names().get(name.casefold()) == "both"]
        names = neutral if len(neutral) >= _FEWEST_NAMES else names
    return [name for name in names if length_class in (None, _length_class(name))]


def _names_like(word: str, role: str, locale: str, seed: bytes) -> Iterator[str]:
    """Names of the role: first those of the word's length class, then any, then two joined."""
    rng = random.Random(seed)
    names = _names(locale, role)
    alike = _names(locale, role, _length_class(word))
    if len(alike) >= _FEWEST_NAMES:
        yield from rng.sample(alike, min(len(alike), 50))
    yield from rng.sample(names, min(len(names), 50))
    while True:
        yield "-".join(rng.sample(names, 2))


def _match_case(name: str, like: str) -> str:
    if like.isupper() and (len(like) > 1 or len(name) == 1):
        return name.upper()
    return name.lower() if like.islower() else name
