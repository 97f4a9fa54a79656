"""Hypernyms of noun phrases: the concepts above what a phrase names, by WordNet. English.

The sense is chosen by how common it is and by the words around it. WordNet's uppermost concepts (entity, abstraction,
whole ...) tell a reader nothing and are left out of every chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice

from sfumato.lexicon.grammar import content_lemmas, lemma
from sfumato.lexicon.tables import word_set
from sfumato.lexicon.tokens import PHRASE_WORD
from sfumato.lexicon.wordnet import (
    UNINFORMATIVE_CONCEPTS,
    Concept,
    concept_at,
    concept_children,
    direct_hypernyms,
    direct_hyponyms,
    lookup_form,
    rarity,
    sense_shares,
    senses,
)

PRIVATIVE_MODIFIERS = word_set("wordnet", "privative_modifiers", "en")
"""Words that may make a thing something else: an alleged rape need not be one."""
_RAREST_KNOWN_NAME = 58
"""-10 log10 of the frequency below which few readers know a word."""
_FEWEST_MEMBERS = 3
"""A concept with fewer kinds is hardly wider than the one below it."""
_CERTAIN_SHARE = 0.85
"""Share of a word's uses from which the other senses are ignored."""
_POSSIBLE_SHARE = 0.08
"""Share from which a sense is considered."""
_ENDS_HEAD = word_set("wordnet", "ends_head", "en")
_DETERMINERS = word_set("wordnet", "determiners", "en")
_PARTITIVES = word_set("wordnet", "partitives", "en")


@lru_cache(maxsize=2**13)
def head_noun(phrase: str) -> str:
    """The last part of a noun phrase that names a kind of thing by itself; empty where there is none.

    "state-owned bank in the north" -> "bank". Empty too where a word before it may make it something else.
    """
    words = PHRASE_WORD.findall(phrase)
    while words and words[0].casefold() in _DETERMINERS:
        words = words[1:]
    end = next((index for index, word in enumerate(words) if word.casefold() in _ENDS_HEAD), len(words))
    words = words[:end]
    modifiers = [word.casefold() for word in words[:-1]]
    if not words or not PRIVATIVE_MODIFIERS.isdisjoint((*modifiers, *(word.split("-")[0] for word in modifiers))):
        return ""
    listed = next((part for start in range(len(words)) if lookup_form(part := " ".join(words[start:]))), "")
    return "" if not listed or lemma(listed) in _PARTITIVES else listed


def hypernym_chain(phrase: str, fields: frozenset[str] | None = None, text: str = "") -> list[Concept]:
    """The informative concepts above the thing a noun phrase names, narrowest first.

    Where several senses are possible, even with the words of ``text`` around it, only what is above all of them.
    ``fields`` limits the senses by semantic field; where none is left, the chain is empty. The thing's own concept is
    not in it, except where the phrase says more than its head ("blue bank note" -> bank note, money ...).
    """
    noun = head_noun(phrase)
    if not noun:
        return []
    chain = _chain_of_senses(noun, fields, frozenset())
    if text and len(_plausible_senses(noun, fields, frozenset())) > 1:
        context = _lemmas(text) - set(noun.casefold().split()) - {lemma(word) for word in noun.split()}
        chain = _chain_of_senses(noun, fields, context)
    is_whole_phrase = len(noun.split()) == len(phrase.split())
    return [concept for concept in chain if not is_whole_phrase or concept not in senses(noun)]


def is_a(phrase: str, wider: str) -> bool | None:
    """Whether a thing is of a wider kind in some sense; None where WordNet lacks one of them."""
    noun, wider_noun = head_noun(phrase), head_noun(wider)
    if not noun or not wider_noun:
        return None
    targets = {concept.number for concept in senses(wider_noun)}
    is_below = any(
        concept.number in targets for sense in senses(noun) for concept in (sense, *_ancestors(sense.number))
    )
    wider_words = [word for word in PHRASE_WORD.findall(wider) if word.casefold() not in _DETERMINERS]
    if is_below and len(wider_noun.split()) != len(wider_words):
        return None  # the wider phrase has modifiers, which WordNet cannot check
    return is_below


def may_be_written_in_capitals(word: str) -> bool:
    """Whether a word in capitals may be the word that WordNet has: HIV, but not EWE; other words may."""
    if not word.isupper() or " " in word:
        return True
    concepts = senses(word)
    return not concepts or any(name == word for sense in concepts for name in sense.names)


@lru_cache(maxsize=128)
def hyponyms(name: str) -> tuple[str, ...]:
    """Names of everything below the commonest sense of a name, best known first."""
    names = {concept_at(number).name for sense in senses(name)[:1] for number in _descendants(sense.number)}
    return tuple(sorted(names, key=lambda name: (rarity(name), name)))


@lru_cache(maxsize=2**13)
def _chain_of_senses(noun: str, fields: frozenset[str] | None, context: frozenset[str]) -> tuple[Concept, ...]:
    possible = _plausible_senses(noun, fields, context)
    if not possible:
        return ()
    path = _path_to_top(possible[0].number)
    shared = set(path)
    for sense in possible[1:]:
        shared &= {sense, *_ancestors(sense.number)}
    return tuple(_readable(concept for concept in path if concept in shared))


@lru_cache(maxsize=2**13)
def _plausible_senses(noun: str, fields: frozenset[str] | None, context: frozenset[str]) -> tuple[Concept, ...]:
    """The senses that may be meant, the likeliest first."""
    shares = _normalize(
        {sense: share for sense, share in sense_shares(noun) if fields is None or sense.field in fields}
    )
    if not shares:
        return ()
    if context:
        overlaps = {sense: 1 + len(_neighbour_words(sense.number) & context) for sense in shares}
        shares = _normalize({sense: share * overlaps[sense] ** 2 for sense, share in shares.items()})
    best = max(shares, key=lambda sense: shares[sense])
    if shares[best] >= _CERTAIN_SHARE:
        return (best,)
    return (best, *(sense for sense, share in shares.items() if share >= _POSSIBLE_SHARE and sense != best))


def _normalize(shares: Mapping[Concept, float]) -> dict[Concept, float]:
    total = sum(shares.values())
    return {sense: share / total for sense, share in shares.items()}


@lru_cache(maxsize=2**12)
def _neighbour_words(number: int) -> frozenset[str]:
    """The words of the names around a sense: above it, below it, beside it."""
    sense = concept_at(number)
    concepts = [sense, *direct_hyponyms(sense)]
    for parent in direct_hypernyms(sense):
        concepts += [parent, *direct_hypernyms(parent), *islice(direct_hyponyms(parent), 60)]
    return frozenset(word for concept in concepts for name in concept.names for word in name.casefold().split())


@lru_cache(maxsize=64)
def _lemmas(text: str) -> frozenset[str]:
    return frozenset(content_lemmas(text))


def _path_to_top(number: int) -> list[Concept]:
    """One path upwards, starting with the concept: at each fork to the first informative parent."""
    path = [concept_at(number)]
    while parents := direct_hypernyms(path[-1]):
        path.append(min(parents, key=lambda concept: (concept.name in UNINFORMATIVE_CONCEPTS, parents.index(concept))))
    return path


@lru_cache(maxsize=2**13)
def _ancestors(number: int) -> frozenset[Concept]:
    ancestors: set[Concept] = set()
    queue = [concept_at(number)]
    while queue:
        new = [parent for parent in direct_hypernyms(queue.pop()) if parent not in ancestors]
        ancestors.update(new)
        queue += new
    return frozenset(ancestors)


def _descendants(number: int) -> set[int]:
    descendants: set[int] = set()
    queue = [number]
    while queue:
        new = [child for child in concept_children().get(queue.pop(), ()) if child not in descendants]
        descendants.update(new)
        queue += new
    return descendants


def _readable(concepts: Iterable[Concept]) -> Iterator[Concept]:
    """Concepts that people have a word for, each clearly wider than the one before."""
    last = 0
    for concept in concepts:
        name = concept.name
        if name in UNINFORMATIVE_CONCEPTS or name != name.lower() or name.count(" ") > 2:
            continue
        if concept.rarity <= _RAREST_KNOWN_NAME and concept.members >= max(_FEWEST_MEMBERS, last * 5 // 4):
            last = concept.members
            yield concept
