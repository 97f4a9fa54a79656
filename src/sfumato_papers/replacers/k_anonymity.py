"""k-anonymity of texts (Papadopoulou et al. 2022): mask terms until at least k people fit the facts that are left.

The background says which facts are known of which people. A text tells some of the facts that are known of its
subject; the people of whom all of them are known are those an attacker cannot tell apart. While there are fewer than k,
a fact is masked: the one that leaves most people (greedy), or any (random).
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from typing import ClassVar, NamedTuple

from sfumato.attacks.background import Background
from sfumato.attacks.ground_truth import names_of
from sfumato.document import Document, Edit, Span
from sfumato.errors import suggest
from sfumato.lexicon.name_lists import lookup_key
from sfumato.models.base import Range
from sfumato.replacers.base import detection_reason
from sfumato_papers.attacks.subjects.matching import Profile
from sfumato_papers.attacks.subjects.profiler import RuleProfiler
from sfumato_papers.detectors.terms import MASK, BackgroundReplacer, checked_k, term_key

ORDERS = ("greedy", "random")
_BATCH = 32
Fact = tuple[str, str]
"""What is said and the value: a tag of the profiler, or "" for something that a detector found, as it is written."""


class StatedFact(NamedTuple):
    """A fact and where a text says it."""

    fact: Fact
    start: int
    end: int


class KAnonymity(BackgroundReplacer):
    """Mask terms until at least k people of the background fit the facts that are left."""

    cite: ClassVar[str | None] = "papadopoulou2022"
    name: ClassVar[str] = "k-anonymity"

    def __init__(
        self,
        *,
        k: int = 5,
        order: str = "greedy",
        seed: int = 1,
        mask: str = MASK,
        background: Background | None = None,
    ) -> None:
        """``k``: people who must fit. ``order``: "greedy", the fact first whose masking leaves most people, or
        "random" with a ``seed``. ``mask``: what stands in the place of a term."""
        super().__init__(background)
        if order not in ORDERS:
            raise ValueError(f"no order {order!r}: {suggest(order, ORDERS)}")
        self._k, self._order, self._seed, self._mask = checked_k(k), order, seed, mask
        self._profiler = RuleProfiler()
        self._people: Mapping[Fact, frozenset[str]] = {}
        self._missed = 0

    @property
    def remarks(self) -> list[str]:
        """How many documents keep facts that fit fewer than k people."""
        if not self._missed:
            return []
        return [
            f"k-anonymity: {self._missed} documents are released with facts that fit fewer than {self._k} people: they "
            "stand outside of the terms that may be masked"
        ]

    def read_corpus(self, documents: Sequence[Document]) -> None:
        self.check_k(self._k)
        people: dict[Fact, set[str]] = defaultdict(set)
        texts = [(person.id, text) for person in self.background.people for text in person.texts]
        for first in range(0, len(texts), _BATCH):
            batch = texts[first : first + _BATCH]
            read = self._read([text for _, text in batch], [[person] for person, _ in batch])
            for (person, _), stated in zip(batch, read, strict=True):
                for fact, _, _ in stated:
                    people[fact].add(person)
        self._people = {fact: frozenset(several) for fact, several in people.items()}

    def replace_terms(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        subjects, everyone = self.subjects(document), self.background.ids
        [facts] = self._read([document.text], [subjects])
        masked: dict[int, str] = {}
        known = [
            covering_spans([stated for stated in facts if person in self._people.get(stated.fact, ())], spans)
            for person in subjects
        ]
        for covering in known:
            draw = None if self._order == "greedy" else random.Random(f"{self._seed} {document.id}")
            masked |= choose_masked(covering, self._people, self._k, draw, everyone=everyone, masked=masked.keys())
        if any(len(compatible(_left(covering, masked), self._people, everyone)) < self._k for covering in known):
            self._missed += 1
        return [
            Edit(spans[index], self._mask, (detection_reason(spans[index]), masked[index])) for index in sorted(masked)
        ]

    def _read(self, texts: Sequence[str], people: Sequence[Sequence[str]]) -> Iterator[list[StatedFact]]:
        """The facts of each text, which is about these people."""
        for text, about, (profiles, spans) in zip(texts, people, self._profiler.profile_with_spans(texts), strict=True):
            names = [name for person in about for name in names_of(person, self.background.names)]
            yield list(stated_facts(text, spans, subject_profile(profiles, names)))


def stated_facts(text: str, spans: Sequence[Span], profile: Profile | None) -> Iterator[StatedFact]:
    """What the detectors found in a text, as it is written, and what the profiler infers of its subject."""
    for span in spans:
        if key := term_key(text[span.start : span.end]):
            yield StatedFact(("", key), span.start, span.end)
    for attribute in profile.attributes if profile is not None else ():
        if attribute.start is not None and attribute.end is not None:
            yield StatedFact((attribute.tag, lookup_key(attribute.value)), attribute.start, attribute.end)


def subject_profile(profiles: Sequence[Profile], names: Sequence[str]) -> Profile | None:
    """The profile of the person with these names; where none has, of the one whom the text mentions most."""
    words = [set(term_key(name).split()) for name in names]
    for profile in profiles:
        mentioned = [set(term_key(mention.text).split()) for mention in profile.mentions]
        if any(name <= mention for name in words for mention in mentioned):
            return profile
    return max(profiles, key=lambda profile: len(profile.mentions), default=None)


Covering = dict[Fact, list[frozenset[int]]]
"""By fact, for each place that says it, the indexes of the spans there."""


def covering_spans(facts: Sequence[StatedFact], spans: Sequence[Span]) -> Covering:
    """The spans that have to be masked to hide a fact: at each of its places at least one."""
    covering: Covering = {}
    for fact, start, end in facts:
        covering.setdefault(fact, []).append(_overlapping((start, end), spans))
    return covering


def _overlapping(place: Range, spans: Sequence[Span]) -> frozenset[int]:
    start, end = place
    return frozenset(index for index, span in enumerate(spans) if span.start < end and start < span.end)


def compatible(facts: Collection[Fact], people: Mapping[Fact, Set[str]], everyone: Set[str]) -> frozenset[str]:
    """The people of whom all of the facts are known."""
    return frozenset(everyone).intersection(*(people[fact] for fact in facts))


def _left(covering: Covering, masked: Collection[int]) -> list[Fact]:
    """The facts that are still said somewhere."""
    hidden = frozenset(masked)
    return [fact for fact, places in covering.items() if any(not place & hidden for place in places)]


def choose_masked(
    covering: Covering,
    people: Mapping[Fact, Set[str]],
    k: int,
    draw: random.Random | None,
    *,
    everyone: Set[str],
    masked: Collection[int] = (),
) -> dict[int, str]:
    """The spans to mask until at least k people fit what is left, each with the reason.

    ``draw``: takes the facts in a random order; without it the fact first whose masking leaves most people, of equal
    ones the one that fewest have.
    """
    chosen: dict[int, str] = {}
    while True:
        hidden = {*masked, *chosen}
        left = _left(covering, hidden)
        fitting = len(compatible(left, people, everyone))
        candidates = [fact for fact in left if all(covering[fact])]  # one outside of all spans cannot be masked
        if fitting >= k or not candidates:
            return chosen
        if draw is not None:
            fact = draw.choice(sorted(candidates))
        else:
            fact = min(candidates, key=lambda fact: _rank(fact, covering, hidden, people, everyone))
        reason = f"masked at {fitting} people who fit: {len(people[fact])} have this fact"
        for index in frozenset().union(*covering[fact]) - hidden:
            chosen[index] = reason


def _rank(
    fact: Fact, covering: Covering, hidden: Set[int], people: Mapping[Fact, Set[str]], everyone: Set[str]
) -> tuple[int, int, Fact]:
    also = frozenset(hidden).union(*covering[fact])
    return -len(compatible(_left(covering, also), people, everyone)), len(people[fact]), fact
