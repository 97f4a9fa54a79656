"""Kinds of things: *robbery* is a violent crime, a violent crime is a crime; *a Mercedes* is a car.

The lists of things by kind are made by ``training/build_things.py`` from ``training/wordlists/things-*.txt``. Makes of
vehicles, and the words beside a title that say what it is the title of, are in ``data/en/things.toml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial

from sfumato.generalize.hierarchy import Level
from sfumato.lexicon import tables
from sfumato.lexicon.caches import remember_in_run
from sfumato.lexicon.grammar import lemma
from sfumato.lexicon.grammar_en import is_plural, pluralize_phrase, singularize_phrase, split_after_head
from sfumato.lexicon.wordnet import plural_if_used, rarity, senses

SOURCE = "things"
_words = partial(tables.word_set, "things", language="en", package="sfumato.generalize")
_LISTS = tables.load_toml("things", "en", "sfumato.generalize")
_NEVER_PLURAL = _words("never_plural")
_WIDEST = _words("widest")
_NOT_PLURALS = _words("no_plurals")
_SHARE = 3
"""The lists hold about one in three things of a kind."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of thing, and the kinds above it."""

    name: str
    wider: str
    """The next kind above; empty at the top."""
    things: tuple[str, ...]
    is_mass: bool
    """It takes no article and no plural: "food"."""
    is_plural: bool
    """It is only said in the plural: "court proceedings"."""


@dataclass(frozen=True, slots=True)
class ListedThing:
    """A thing as the lists have it."""

    name: str
    kind: str
    is_plural: bool


@cache
def kinds() -> Mapping[str, Kind]:
    """Casefolded name -> kind."""
    by_name = {}
    for marked, wider, things in tables.table_rows("en/things"):
        name, listed = marked.rstrip("~+"), tuple(filter(None, things.split(";")))
        by_name[name.casefold()] = Kind(name, wider.rstrip("~+"), listed, marked.endswith("~"), marked.endswith("+"))
    return by_name


@cache
def _things() -> Mapping[str, str]:
    """Thing -> its kind; a plural keeps its mark. A kind is a thing of the kind above it."""
    kind_of = {kind.name.casefold(): kind.wider for kind in kinds().values()}
    for kind in kinds().values():
        for thing in kind.things:
            kind_of.setdefault(thing, kind.name)
    return kind_of


@remember_in_run(2**13)
def find(phrase: str) -> ListedThing | None:
    """The thing that a phrase names as a whole, in the singular or plural; the top kinds are things of no kind."""
    table, name = _things(), " ".join(phrase.casefold().replace("’", "'").split())
    if f"{name}+" in table:
        return ListedThing(name, _wider(name, table[f"{name}+"]), is_plural=True)
    if name in table:
        kind = table[name]
        listed = kinds().get(name)
        many = listed.is_plural if listed else top_kind(kind) not in _NEVER_PLURAL and _is_plural(name)
        return ListedThing(name, _wider(name, kind), many)
    for singular in dict.fromkeys((singularize_phrase(name), _base(name))):
        if singular != name and singular in table:
            return ListedThing(singular, _wider(singular, table[singular]), is_plural=True)
    return None


def _wider(thing: str, kind: str) -> str:
    """The kind, or the next above it that is not a synonym of the thing: a movie is not a kind of film."""
    synonyms = set(senses(thing)[:1])
    while kind and not synonyms.isdisjoint(senses(kind)[:1]):
        kind = kinds()[kind.casefold()].wider
    return kind


def _base(phrase: str) -> str:
    """The phrase with the base form of its last word, for plurals that do not look like one."""
    *others, last = phrase.split() or [""]
    return " ".join((*others, lemma(last))) if last.endswith("s") and not last.endswith("'s") else phrase


def _is_plural(phrase: str) -> bool:
    """Whether the head of a phrase is a plural; *block of flats* is none."""
    noun = split_after_head(phrase)[0].split()
    return bool(noun) and is_plural(noun[-1]) and noun[-1] not in _NOT_PLURALS


def ancestors(kind: str) -> list[Kind]:
    """The kind and those above it, narrowest first."""
    chain = []
    while kind:
        chain.append(kinds()[kind.casefold()])
        kind = chain[-1].wider
    return chain


def top_kind(kind: str) -> str:
    """The highest kind above this one whose things are of one sort; empty where there is none."""
    names = [above.name for above in ancestors(kind) if above.name not in _WIDEST]
    return names[-1] if names else ""


def members(kind: str) -> int:
    """About how many things are of this kind."""
    return _SHARE * sum(len(kinds()[name].things) + 1 for name in _below(kind.casefold()))


@cache
def _directly_below() -> Mapping[str, tuple[str, ...]]:
    """Kind -> the kinds of which it is the next above, all casefolded."""
    return tables.group((kind.wider.casefold(), name) for name, kind in kinds().items())


def _below(kind: str) -> tuple[str, ...]:
    return (kind, *(name for other in _directly_below().get(kind, ()) for name in _below(other)))


def levels_of(kind: str, is_plural: bool) -> list[Level]:
    """The kind and those above it as levels."""
    return [level_of(above, is_plural) for above in ancestors(kind)]


def level_of(kind: Kind, is_plural: bool) -> Level:
    """The kind as a level, in the number of what it stands for."""
    many = not kind.is_mass and (kind.is_plural or is_plural)
    text = pluralize_phrase(kind.name) if many and not kind.is_plural else kind.name
    return Level(text, members(kind.name), "" if many or kind.is_mass else "a", plural=many, source=SOURCE)


def things_of(phrase: str) -> Iterator[str]:
    """The things of the kind that a phrase names, best known first; in the plural where the phrase is."""
    singular = singularize_phrase(phrase)
    kind = next((name for name in (phrase.casefold(), singular.casefold()) if name in kinds()), None)
    many = kind != phrase.casefold()
    for thing in _things_by_rarity(kind) if kind else ():
        yield plural_if_used(thing) if many and not thing.endswith("+") else thing.rstrip("+")


def _things_by_rarity(kind: str) -> tuple[str, ...]:
    things = {thing for name in _below(kind) for thing in (*kinds()[name].things, name)} - {kind}
    return tuple(sorted(things, key=lambda thing: (rarity(thing.rstrip("+")), thing)))


# Makes of vehicles: *a Mercedes* is a car.

_KIND_OF_MAKE: Mapping[str, str] = {make: kind for kind, makes in _LISTS["makes"].items() for make in makes}
_MODELS = _words("models")


def make_of(phrase: str, is_determined: bool) -> str | None:
    """The kind of vehicle that a make with its model, or alone after an article, names; None for all else.

    "Toyota" alone is rather the company.
    """
    words = phrase.split()
    length = len(words)
    while len(words) > 1 and words[0].islower():
        words = words[1:]
    is_described = is_determined or len(words) < length
    folded = [word.casefold() for word in words]
    for size in (2, 1):
        kind = _KIND_OF_MAKE.get(" ".join(folded[:size]))
        if kind and _are_models(folded[size:]) and (folded[size:] or is_described):
            return kind
    return None


def _are_models(words: list[str]) -> bool:
    """Whether the words are models and numbers alone: *golf 2*, *model s*."""
    if not words or ((words[0] in _MODELS or words[0].isdigit()) and _are_models(words[1:])):
        return True
    return " ".join(words[:2]) in _MODELS and _are_models(words[2:])


# Titles: the word beside a title says what it is the title of: the film "...", ... magazine.

_BEFORE = re.compile(
    rf"\b(?P<kind>{'|'.join(_LISTS['titles']['before'])})"
    r"(?:,)?\s*(?:called|entitled|titled|named)?\s*[\"'“‘«„]?\s*(?:the )?$",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"^[\"'”’»]?\s*,?\s*(?:\((?:the )?(?:\d{4} )?)?(?:an? (?:\w+ ){0,2})?"
    rf"(?P<kind>{'|'.join(_LISTS['titles']['after'])})\b",
    re.IGNORECASE,
)
_WITH_TITLE = re.compile(r"(?:(?:the|an?|his|her|their)\s+)?(?P<kind>[\w -]{3,25}?)\s*[“\"«„].+[”\"»“]$", re.IGNORECASE)
_TITLE_KINDS = _LISTS["title_kinds"]


def title_levels(phrase: str, before: str, after: str) -> list[Level]:
    """The kinds that the words beside a title, or before it within the phrase, give it."""
    if whole := _WITH_TITLE.fullmatch(phrase):
        return levels_of(_kind_of(whole["kind"]), is_plural=False)
    if (match := _BEFORE.search(before[-60:])) and (kind := _kind_of(match["kind"])):
        levels = levels_of(kind, is_plural=False)
        # The word before the title stays in the text; "the film (a film)" would repeat it.
        return levels[1:] if kind == match["kind"].casefold() and len(levels) > 1 else levels
    match = _AFTER.match(after[:60])
    return levels_of(_kind_of(match["kind"]), is_plural=False) if match else []


def _kind_of(word: str) -> str:
    """The kind that a word names or belongs to; empty where the lists do not have it."""
    folded = " ".join(word.casefold().split())
    for form in (folded, folded.removesuffix("s")):
        if form in _TITLE_KINDS or form in kinds():
            return str(_TITLE_KINDS.get(form, form))
    thing = find(folded)
    return thing.kind if thing else ""
