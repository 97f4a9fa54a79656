"""Tie the mentions of one person or organisation in a document together.

An entity's id is its type and its fullest name, folded, so that the same name gives the same id in every document.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sfumato.document import Span
from sfumato.knowledge.heads import LEGAL_FORMS
from sfumato.knowledge.honorifics import Gender, gender_of, is_title
from sfumato.knowledge.lexicon import given_names, key
from sfumato.phrases import folded

_POSSESSIVE = re.compile(r"['’]s?$")
_NAME_WORD = re.compile(r"[^\s,]+")
_INITIALS = re.compile(r"(?:[^\W\d_]\.?[\s-]?){2,4}")
_FORMS = sorted({re.escape(form.casefold().rstrip(".")) for form in LEGAL_FORMS}, key=len, reverse=True)
_LEGAL_FORM = re.compile(rf"[\s,]+(?:{'|'.join(_FORMS)})\.?$")
_TOLD_GENDER = re.compile(r" \((female|male)\)$")
_SMALL_WORDS = frozenset("of the and for in de la del der des du di e y et und für von van".split())


@dataclass(frozen=True)
class Name:
    """A mention of a person, taken apart: folded words in the order given-family."""

    words: tuple[str, ...]
    gender: Gender | None

    @property
    def is_full(self) -> bool:
        return sum(len(word) > 1 for word in self.words) >= 2

    @property
    def initials(self) -> str:
        return "".join(word[0] for word in self.words)


def link(text: str, spans: Sequence[Span]) -> list[Span]:
    """The same spans, each with an ``entity``; one that is set already stays.

    People: full name, surname or given name alone, initials, possessive, case, "Surname, Given". A surname that two
    people of the document share is tied to neither, and titles that contradict each other separate (Mr / Mrs).
    Organisations: with and without legal form, the beginning of the name, and the acronym of its capitalised words.
    Everything else: the same string, white space and case aside; codes also without their separators.
    """
    by_label: dict[str, list[int]] = defaultdict(list)
    for position, span in enumerate(spans):
        if span.entity is None:
            by_label[span.label].append(position)
    entities: dict[int, str] = {}
    for label, positions in by_label.items():
        mentions = [text[spans[position].start : spans[position].end] for position in positions]
        for position, name in zip(positions, _LINKERS.get(label, _same_string)(mentions), strict=True):
            entities[position] = f"{label.lower()}:{name}"
    return [
        replace(span, entity=entities[position]) if position in entities else span
        for position, span in enumerate(spans)
    ]


def _same_string(mentions: Iterable[str]) -> list[str]:
    return [folded(_POSSESSIVE.sub("", mention.strip())) for mention in mentions]


def _same_code(mentions: Iterable[str]) -> list[str]:
    return [re.sub(r"[\s.\-/]", "", mention).casefold() or mention for mention in mentions]


def parse_name(mention: str) -> Name:
    """``parse_name("Mrs SMITH, Anna")`` has the words anna, smith and is female."""
    words = _NAME_WORD.findall(_POSSESSIVE.sub("", mention.strip())) or [mention]
    genders = [gender_of(word) for word in words if is_title(word)]
    gender = next((gender for gender in genders if gender), None)
    kept = [word for word in words if not is_title(word)] or words
    if "," in mention and len(kept) >= 2:
        family_words = len(_NAME_WORD.findall(mention.partition(",")[0])) - len(words) + len(kept)
        family_words = max(1, min(family_words, len(kept) - 1))
        kept = kept[family_words:] + kept[:family_words]
    if len(kept) == 1 and _are_initials(kept[0]):
        kept = [letter for letter in kept[0] if letter.isalpha()]
    return Name(tuple(word.casefold().strip(".'’") or word.casefold() for word in kept), gender)


def _are_initials(word: str) -> bool:
    """Whether a word is initials: A.Q. or AQ, but not ADA."""
    if not word.isupper() or not _INITIALS.fullmatch(word):
        return False
    return "." in word or (len(word) <= 3 and key(word) not in given_names())


def entity_name(entity: str | None, mention: str) -> Name:
    """The fullest name of a linked person; the mention's own where the entity is not one of ours."""
    kind, _, words = (entity or "").partition(":")
    if kind != "person" or not words:
        return parse_name(mention)
    told = _TOLD_GENDER.search(words)
    gender: Gender | None = "female" if told and told[1] == "female" else "male" if told else None
    return Name(tuple(_TOLD_GENDER.sub("", words).split()), gender or parse_name(mention).gender)


def _people(mentions: Sequence[str]) -> list[str]:
    names = [parse_name(mention) for mention in mentions]
    full: dict[tuple[str, ...], set[Gender]] = {}
    for name in sorted(names, key=lambda name: (-len(name.words), name.words)):
        if name.is_full:
            longer = [words for words in full if _says_less(name, words, full[words])]
            home = longer[0] if len(longer) == 1 else name.words
            full.setdefault(home, set()).update({name.gender} if name.gender else ())
    by_word: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    by_initials: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for words in full:
        for word in dict.fromkeys((words[0], words[-1])):
            by_word[word].append(words)
        by_initials["".join(word[0] for word in words)].append(words)

    def home_of(name: Name) -> tuple[str, ...]:
        if name.words in full:
            return name.words
        near = by_word.get(name.words[-1], []) + (by_word.get(name.words[0], []) if len(name.words) > 1 else [])
        near += by_initials.get(name.initials, [])
        fitting = {words for words in near if _says_less(name, words, full[words])}
        return fitting.pop() if len(fitting) == 1 else name.words

    known: dict[Name, str] = {}
    for name in names:
        if name not in known:
            home = home_of(name)
            alone = home == name.words and len(home) == 1
            known[name] = " ".join(home) + (f" ({name.gender})" if alone and name.gender else "")
    return _one_gender_each([known[name] for name in names])


def _one_gender_each(homes: list[str]) -> list[str]:
    """ "Smith" beside a single "Mr Smith" is the same; beside both Mr and Mrs Smith it is neither."""
    told = {home for home in homes if _TOLD_GENDER.search(home)}
    joined = {}
    for home in set(homes) - told:
        variants = [variant for variant in told if variant.rpartition(" (")[0] == home]
        if len(variants) == 1:
            joined[variants[0]] = home
    return [joined.get(home, home) for home in homes]


def _says_less(name: Name, full: tuple[str, ...], genders: set[Gender]) -> bool:
    """Whether a mention can be a shorter way to say a full name."""
    if name.gender and genders and name.gender not in genders:
        return False
    words = name.words
    if len(words) == 1:
        return words[0] in (full[0], full[-1])
    if all(len(word) == 1 for word in words):
        return name.initials in ("".join(word[0] for word in full), full[0][0] + full[-1][0])
    if words == full[: len(words)]:  # "Ana Gil" for "Ana Gil Ruiz", who has two surnames
        return True
    if len(words) > len(full) or not _same_or_initial(words[-1], full[-1]):
        return False
    rest = iter(full)
    return all(any(_same_or_initial(word, candidate) for candidate in rest) for word in words)


def _same_or_initial(word: str, candidate: str) -> bool:
    return word == candidate or (len(word) == 1 and candidate.startswith(word))


def _organisations(mentions: Sequence[str]) -> list[str]:
    cores = [_core(mention) for mention in mentions]
    longest_first = sorted(set(cores), key=lambda core: (-len(core), core))
    acronyms: dict[str, list[str]] = defaultdict(list)
    for mention, core in zip(mentions, cores, strict=True):
        for acronym in _acronyms(mention):
            if core not in acronyms[acronym]:
                acronyms[acronym].append(core)
    home: dict[str, str] = {}
    for core in longest_first:
        begins = [longer for longer in home if longer.startswith(core + " ") and home[longer] == longer]
        candidates = begins or acronyms.get(core, [])
        home[core] = candidates[0] if len(candidates) == 1 and candidates[0] in home else core
    return [home[core] for core in cores]


def _core(mention: str) -> str:
    core = folded(_POSSESSIVE.sub("", mention.strip()))
    return _LEGAL_FORM.sub("", core.removeprefix("the ")) or core


def _acronyms(mention: str) -> set[str]:
    words = re.findall(r"[^\W\d_]+", mention)
    capitalised = [word for word in words if word[0].isupper()]
    if len(capitalised) < 2:
        return set()
    without_form = capitalised[:-1] if _LEGAL_FORM.search(mention.casefold()) else capitalised
    spoken = [word for word in words if word in capitalised or word in _SMALL_WORDS]
    return {
        "".join(word[0] for word in part).casefold() for part in (capitalised, without_form, spoken) if len(part) > 1
    }


_LINKERS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "PERSON": _people,
    "ORG": _organisations,
    "CODE": _same_code,
}
