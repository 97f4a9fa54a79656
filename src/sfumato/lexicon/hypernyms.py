"""What kind of thing a noun names: concepts, and the wider concepts above them. English.

From WordNet; made by ``training/build_hypernyms.py``, licence in ``data/SOURCES.md``. WordNet's upper floor (entity,
abstraction, whole ...), of which nobody speaks, is left out of every chain.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from sfumato.lexicon.grammar import content_lemmas, lemma
from sfumato.lexicon.wordnet import (
    UNINFORMATIVE_CONCEPTS,
    Concept,
    concept_at,
    concept_table,
    direct_hypernyms,
    direct_hyponyms,
    lookup_form,
    rarity,
    sense_shares,
    senses,
)

_NAMED_BY_RARE_WORDS = 58
"""-10 log10 of a word's frequency above which few readers know it."""
_SYNONYM = 3
"""A concept with fewer kinds than this is hardly wider than what stands below it."""
_CERTAIN = 0.85
"""The share of a word's uses from which its sense goes without saying."""
_POSSIBLE = 0.08
"""The share from which a sense has to be reckoned with."""
_WORD = re.compile(r"[^\W_]+(?:[-'’.&][^\W_]+)*")
_ENDS_HEAD = frozenset(
    "of in on at with without for from to by about against between into under over near during after before who whom "
    "which that whose where when and or as than concerning regarding containing called named entitled".split()
)
_DETERMINERS = frozenset(
    "a an the this that these those his her its their our my your some any each every another such certain own other "
    "one same".split()
)
PRIVATIVE_MODIFIERS = frozenset(
    "alleged former fake false mock toy imitation would-be suspected supposed attempted ex pseudo non no unknown "
    "so-called artificial model potential possible presumed purported putative self-styled future prospective failed "
    "quasi semi anti counter virtual stillborn nonexistent unborn not without never half part partial".split()
)
"""Words that may make a thing something else: an alleged rape need not be one."""
_PARTITIVES = frozenset(
    "kind type sort form number lot couple piece pair bit part amount series set range variety majority rest half "
    "quarter bunch handful dozen lack absence loss total share percentage top bottom side end copy name title".split()
)
"""A *kind of car* is a car, not a kind: what such heads stand for comes after them."""


@lru_cache(maxsize=2**13)
def head_noun(phrase: str) -> str:
    """The last part of a noun phrase that names a kind of thing by itself; empty where there is none.

    "state-owned bank in the north" -> "bank". Empty too where a word before it may make it something else.
    """
    words = _WORD.findall(phrase)
    while words and words[0].casefold() in _DETERMINERS:
        words = words[1:]
    end = next((at for at, word in enumerate(words) if word.casefold() in _ENDS_HEAD), len(words))
    words = words[:end]
    before = [word.casefold() for word in words[:-1]]
    if not words or not PRIVATIVE_MODIFIERS.isdisjoint((*before, *(word.split("-")[0] for word in before))):
        return ""
    known = next((part for start in range(len(words)) if lookup_form(part := " ".join(words[start:]))), "")
    return "" if not known or lemma(known) in _PARTITIVES else known


def hypernym_chain(phrase: str, fields: frozenset[str] | None = None, text: str = "") -> list[Concept]:
    """The concepts above the thing a noun phrase names, narrowest first, as far as people speak of them.

    Where the sense is open, even with the words of ``text`` around it, only what stands above all of them. ``fields``
    limits the senses; where none belongs there, the chain is empty. The thing's own concept is not in it, except
    where the phrase says more than its head ("blue bank note" -> bank note, money ...).
    """
    kind = head_noun(phrase)
    if not kind:
        return []
    found = _sense_chain(kind, fields, frozenset())
    if text and _is_open(kind, fields):
        found = _sense_chain(kind, fields, _context(text, kind))
    is_whole = len(kind.split()) == len(phrase.split())
    return [concept for concept in found if not is_whole or concept not in senses(kind)]


def is_a(phrase: str, wider: str) -> bool | None:
    """Whether a thing is of a wider kind in some sense; None where one of them is not known."""
    kind, wide = head_noun(phrase), head_noun(wider)
    if not kind or not wide:
        return None
    tops = {concept.number for concept in senses(wide)}
    lies_below = any(concept.number in tops for sense in senses(kind) for concept in (sense, *_ancestors(sense.number)))
    is_whole = len(wide.split()) == len([word for word in _WORD.findall(wider) if word.casefold() not in _DETERMINERS])
    if lies_below and not is_whole:
        return None
    return lies_below


def may_be_written_in_capitals(word: str) -> bool:
    """Whether a word that stands in capitals may be the word WordNet has: HIV, but not EWE; others may."""
    if not word.isupper() or " " in word:
        return True
    known = senses(word)
    return not known or any(name == word for sense in known for name in sense.names)


def hyponyms(name: str) -> Iterator[str]:
    """What lies below the commonest sense of a name, best known first."""
    for sense in senses(name)[:1]:
        yield from _known_below(sense.number)


@lru_cache(maxsize=128)
def _known_below(number: int) -> tuple[str, ...]:
    names = {concept_at(other).name for other in _descendants(number)}
    return tuple(sorted(names, key=lambda name: (rarity(name), name)))


@lru_cache(maxsize=2**13)
def _sense_chain(kind: str, fields: frozenset[str] | None, context: frozenset[str]) -> tuple[Concept, ...]:
    possible = _settle(_within(kind, fields), context)
    if not possible:
        return ()
    path = _path(possible[0].number)
    shared = set(path)
    for sense in possible[1:]:
        shared &= {sense, *_ancestors(sense.number)}
    return tuple(_readable(concept for concept in path if concept in shared))


def _within(kind: str, fields: frozenset[str] | None) -> list[tuple[Concept, float]]:
    return [(sense, share) for sense, share in sense_shares(kind) if fields is None or sense.field in fields]


@lru_cache(maxsize=2**13)
def _is_open(kind: str, fields: frozenset[str] | None) -> bool:
    """Whether more than one sense has to be reckoned with."""
    return len(_settle(_within(kind, fields), frozenset())) > 1


def _settle(weighed: Sequence[tuple[Concept, float]], context: Collection[str]) -> list[Concept]:
    """The senses that have to be reckoned with, the likeliest first."""
    if not weighed:
        return []
    total = sum(share for _, share in weighed)
    shares = {sense: share / total for sense, share in weighed}
    if context:
        shares = {
            sense: share * (1 + len(_neighbours(sense.number) & set(context))) ** 2 for sense, share in shares.items()
        }
        total = sum(shares.values())
        shares = {sense: share / total for sense, share in shares.items()}
    best = max(shares, key=lambda sense: shares[sense])
    if shares[best] >= _CERTAIN:
        return [best]
    return [best, *(sense for sense, share in shares.items() if share >= _POSSIBLE and sense != best)]


@lru_cache(maxsize=2**12)
def _neighbours(number: int) -> frozenset[str]:
    """The words of the names around a sense: above it, below it, beside it."""
    sense = concept_at(number)
    near = [sense, *direct_hyponyms(sense)]
    for parent in direct_hypernyms(sense):
        near += [parent, *direct_hypernyms(parent), *islice(direct_hyponyms(parent), 60)]
    return frozenset(word for concept in near for name in concept.names for word in name.casefold().split())


@lru_cache(maxsize=64)
def _lemmas(text: str) -> frozenset[str]:
    return frozenset(content_lemmas(text))


def _context(text: str, kind: str) -> frozenset[str]:
    return _lemmas(text) - set(kind.casefold().split()) - {lemma(word) for word in kind.split()}


def _path(number: int) -> list[Concept]:
    """One way up, itself first: at each fork to the parent that most readers know."""
    found = [concept_at(number)]
    while parents := direct_hypernyms(found[-1]):
        found.append(min(parents, key=lambda concept: (concept.name in UNINFORMATIVE_CONCEPTS, parents.index(concept))))
    return found


@lru_cache(maxsize=2**13)
def _ancestors(number: int) -> frozenset[Concept]:
    found: set[Concept] = set()
    waiting = [concept_at(number)]
    while waiting:
        new = [parent for parent in direct_hypernyms(waiting.pop()) if parent not in found]
        found.update(new)
        waiting += new
    return frozenset(found)


def _descendants(number: int) -> set[int]:
    found: set[int] = set()
    waiting = [number]
    while waiting:
        new = [child for child in concept_table().children.get(waiting.pop(), ()) if child not in found]
        found.update(new)
        waiting += new
    return found


def _readable(concepts: Iterable[Concept]) -> Iterator[Concept]:
    """Those people speak of, each clearly wider than the one before."""
    last = 0
    for concept in concepts:
        if (
            concept.name in UNINFORMATIVE_CONCEPTS
            or concept.name != concept.name.lower()
            or concept.name.count(" ") > 2
        ):
            continue
        if concept.rarity <= _NAMED_BY_RARE_WORDS and concept.members >= max(_SYNONYM, last * 5 // 4):
            last = concept.members
            yield concept
