"""The replacer ``intact``: INTACT by its own Algorithm 1 (Pilán et al., 2025), with a chat model for both steps.

1. The model offers five candidates for each entity, most specific first, in the sentence of its first mention. Direct
   identifiers get numbered labels; dates in standard formats have candidates by rule.
2. Entities are decided in the order in which they occur. Each candidate, in the model's order, is put into the whole
   text, where decided entities have their choice and all others their first candidate. The model guesses what stood
   there five times. The first candidate from which no guess matches is taken; where all are guessed, the label.

The attacks on one text depend on one another. Several documents are attacked side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, ClassVar

from sfumato.attacks.base import PROMPTS as ATTACK_PROMPTS
from sfumato.attacks.inference import GUESSES, ChatGuesser, frequent_lemmas, is_match
from sfumato.document import Document, Edit, Guess, Span
from sfumato.errors import RecipeError, suggest
from sfumato.generalize.dates.names import name
from sfumato.generalize.dates.reading import Granularity, read
from sfumato.generalize.dates.tokens import DATE_LANGUAGES, DateConventions, Days
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.lexicon.grammar import split_words
from sfumato.lexicon.numbers import numbers_in
from sfumato.lexicon.tables import load_toml
from sfumato.llm.chat import Chat
from sfumato.llm.usage import Usage
from sfumato.replacers.base import PendingDocument, numbered_label
from sfumato.replacers.generalize import (
    FREQUENT_WORDS,
    SELECTIONS,
    group_by_entity,
    is_direct,
    make_edits,
    mentions_of,
    most_used_words,
)
from sfumato.replacers.select import (
    DEFAULT_PROMPT,
    OFFERS,
    ChatCandidates,
    EntityCandidates,
    LevelAssignment,
    select_least_specific,
)
from sfumato.vault.ledger import Ledger

CORPUS = "corpus"
"""The option ``frequent`` for words that are counted in the texts of the run."""


class Intact:
    """Put the first of a chat's candidates from which it does not guess the original, span by span (INTACT)."""

    cite: ClassVar[str | None] = "pilan2025"
    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("ledger", "chat")

    def __init__(
        self,
        *,
        ledger: Ledger,
        chat: Chat,
        choose: str = "under-attack",
        candidates: int = OFFERS,
        guesses: int = GUESSES,
        frequent: int | str | Collection[str] = FREQUENT_WORDS,
        prompt: str | Path = DEFAULT_PROMPT,
        guess_prompt: str | Path = ATTACK_PROMPTS / "guess.toml",
    ) -> None:
        """Options of the recipe.

        ``choose``: "under-attack", or a variant of the paper that attacks nothing: "most-specific" (the first
        candidate) or "least-specific" (the last). ``candidates``: how many are asked for. ``guesses``: how many the
        attacker has for each candidate.
        ``frequent``: lemmas that a guess may share with the original, or how many of a language's most used words
        these are, names apart; or "corpus", for the 200 most frequent of all texts of the run.
        ``prompt`` and ``guess_prompt``: files with the keys of prompts/generalize.toml and of the guesser ``chat``.
        """
        if choose not in SELECTIONS:
            raise RecipeError(f"no choice {choose!r}: {suggest(choose, SELECTIONS)}")
        for option, value in {"candidates": candidates, "guesses": guesses}.items():
            if not isinstance(value, int) or value < 1:
                raise RecipeError(f"{option} must be 1 or more; got {value!r}")
        if isinstance(frequent, str) and frequent != CORPUS:
            raise RecipeError(f'frequent: a number, a list of lemmas, or "{CORPUS}"; got {frequent!r}')
        self._ledger = ledger
        self._choose, self._guesses, self._frequent = choose, guesses, frequent
        self._candidates = ChatCandidates(chat, prompt, candidates)
        self._guesser = ChatGuesser(chat, guess_prompt)
        self._assignments: dict[tuple[str, str, tuple[Span, ...]], LevelAssignment] = {}

    @property
    def reads_corpus(self) -> bool:
        """Whether ``learn`` needs all texts before the first is attacked."""
        return self._frequent == CORPUS and self._choose == "under-attack"

    def learn(self, documents: Callable[[], Iterable[Document]]) -> None:
        """Count the lemmas of the corpus, where the most frequent of it are to tell nothing."""
        if self.reads_corpus:
            self._frequent = frequent_lemmas(document.text for document in documents())

    @property
    def usage(self) -> Usage:
        """What the model was asked, for candidates and for guesses."""
        return self._candidates.usage + self._guesser.usage

    def prepare(self, batch: Sequence[PendingDocument]) -> None:
        """Decide the replacements of several documents, for ``replace``."""
        assignments = self._with_candidates(batch)
        if self._choose == "under-attack":
            self._attack([Selection(assignment) for assignment in assignments])
        elif self._choose == "least-specific":
            for assignment in assignments:
                select_least_specific(assignment)
        keys = [_key(pending.document, pending.spans) for pending in batch]
        self._assignments = dict(zip(keys, assignments, strict=True))

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        key = _key(document, spans)
        if key not in self._assignments:
            self.prepare([PendingDocument(document, spans, spans)])
        return make_edits(self._assignments[key], spans)

    def _with_candidates(self, batch: Sequence[PendingDocument]) -> list[LevelAssignment]:
        """Step 1: each document with the candidates of its entities, all at their first."""
        assignments: list[LevelAssignment] = []
        asked: list[tuple[EntityCandidates, Mention]] = []
        for document, spans, _ in batch:
            mentions = mentions_of(document, spans)
            entities = []
            for group in group_by_entity(document, spans).values():
                first = mentions[group[0]]
                label = numbered_label(self._ledger, document, spans[group[0]])
                entity = EntityCandidates(group, standard_date_levels(first), label)
                if any(is_direct(spans[index]) for index in group):
                    entity.candidates = ()
                elif not entity.candidates:
                    asked.append((entity, first))
                entities.append(entity)
            assignments.append(AssignmentAsOffered(document.text, mentions, entities))
        offers = self._candidates.offer([mention for _, mention in asked])
        for (entity, mention), levels in zip(asked, offers, strict=True):
            entity.candidates = tuple(level for level in levels if not _repeats(level, mention))
        return assignments

    def _attack(self, selections: Sequence[Selection]) -> None:
        """Step 2: one attack on each document in turn, until every entity of each is decided."""
        while undecided := [selection for selection in selections if selection.is_open]:
            answers = self._guesser.guess_each([selection.attacked() for selection in undecided], self._guesses)
            for selection, guesses in zip(undecided, answers, strict=True):
                selection.judge(guesses, self._frequent_lemmas(selection.mention.language), self._guesser.name)

    def _frequent_lemmas(self, language: str) -> Collection[str]:
        if isinstance(self._frequent, str):
            raise RecipeError(f'frequent = "{CORPUS}": all texts are read first; call learn of the pipeline with them')
        return most_used_words(language, self._frequent) if isinstance(self._frequent, int) else self._frequent


def _key(document: Document, spans: Sequence[Span]) -> tuple[str, str, tuple[Span, ...]]:
    return document.id, document.text, tuple(spans)


class AssignmentAsOffered(LevelAssignment):
    """Every mention takes the level of its entity: Algorithm 1 leaves out no candidate for its grammar."""

    keeps_ungrammatical = True


@dataclass
class Selection:
    """Algorithm 1 on one document: which candidate of which entity is attacked next, and what follows from it."""

    assignment: LevelAssignment
    _undecided: list[EntityCandidates] = field(init=False)
    """In reverse order of occurrence."""
    _candidate: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        with_candidates = [entity for entity in self.assignment.entities if entity.candidates]
        self._undecided = sorted(with_candidates, key=lambda entity: entity.mentions[0], reverse=True)

    @property
    def is_open(self) -> bool:
        """Whether there is an entity to decide."""
        return bool(self._undecided)

    @property
    def mention(self) -> Mention:
        """The first mention of the entity that is decided now: its other mentions take over the choice."""
        return self.assignment.mentions[self._undecided[-1].mentions[0]]

    def attacked(self) -> tuple[str, Span]:
        """The text with the candidate in it, and where it stands. Undecided entities are at their first candidate."""
        return self.assignment.release_with(self._undecided[-1].mentions[0], self._candidate)

    def judge(self, guesses: Sequence[Guess], frequent: Collection[str], guesser: str) -> None:
        """Take the candidate if no guess matches; else go on to the next, and past the last take the label."""
        entity, mention, lemmas = self._undecided[-1], self.mention, frozenset(frequent)
        number, count = self._candidate + 1, len(entity.candidates)
        is_guessed = any(
            is_match(mention.surface, guess.answer, mention.label, lemmas, mention.language) for guess in guesses
        )
        if is_guessed:
            entity.guessed = (*entity.guessed, f"guessed at level {number} of {count}: {guesser}")
        if is_guessed and number < count:
            self._candidate += 1
            return
        entity.level = number if is_guessed else self._candidate
        self._undecided.pop()
        self._candidate = 0


def _repeats(level: Level, mention: Mention) -> bool:
    """Whether a candidate contains the original, or a number of it in digits or words, which the authors drop."""
    original, candidate = (f" {' '.join(split_words(text.casefold()))} " for text in (mention.surface, level.text))
    if original in candidate:
        return True
    original_numbers, candidate_numbers = (
        {value for number in numbers_in(text, mention.language) for value in number.values}
        for text in (mention.surface, level.text)
    )
    return mention.label != "DATETIME" and bool(original_numbers & candidate_numbers)


# Candidates of dates, by rule.

_RULES = {
    Granularity.DAY: (
        Granularity.MONTH,
        Granularity.SEASON,
        Granularity.YEAR,
        Granularity.PART_OF_DECADE,
        Granularity.DECADE,
    ),
    Granularity.MONTH: (
        Granularity.SEASON,
        Granularity.YEAR,
        Granularity.PART_OF_DECADE,
        Granularity.DECADE,
        Granularity.PART_OF_CENTURY,
    ),
    Granularity.YEAR: (
        Granularity.PART_OF_DECADE,
        Granularity.DECADE,
        Granularity.PART_OF_CENTURY,
        Granularity.CENTURY,
    ),
}
"""What generalizes a date of each exactness, most specific first; a year also to the past or the future."""
_WINTER_MONTHS = (12, 1, 2)
_SOURCE = "date rules"


def standard_date_levels(mention: Mention) -> tuple[Level, ...]:
    """The candidates of a day, a month or a year in a standard format; none for anything else."""
    language = mention.language
    if mention.label != "DATETIME" or language not in DATE_LANGUAGES:
        return ()
    conventions = DateConventions(mention.text, "unknown", mention.date_order)
    reading = read(mention.surface.strip(), conventions, language)
    if reading is None or len(reading.dates) != 1 or not reading.dated or reading.clock or reading.weekdays:
        return ()
    (single,) = reading.dates
    if single.granularity not in _RULES or single.days is None or single.part or single.season is not None:
        return ()
    return tuple(_date_levels(single.granularity, single.days, language, conventions.southern))


def _date_levels(exactness: Granularity, days: Days, language: str, southern: bool) -> Iterator[Level]:
    first, last = days
    names = load_toml("dates", language)["names"]
    for granularity in _RULES[exactness]:
        whole = name(granularity, days, language, southern, dated=True)
        if whole is not None:
            yield Level(whole.text, whole.members, whole.article, False, whole.modifier, whole.preposition, _SOURCE)
        elif granularity is Granularity.SEASON and first.month == last.month and first.month in _WINTER_MONTHS:
            text = names["season"]["text"].format(season=names["seasons"][-1], year=first.year)
            yield _level(text, names["season"], 90)
    if exactness is Granularity.YEAR:
        past_or_future = names["past" if last < date.today() else "future"]
        yield _level(past_or_future["text"], past_or_future, 10**6)


def _level(text: str, words: Mapping[str, Any], members: float) -> Level:
    return Level(text, members, words.get("article", ""), preposition=words["preposition"], source=_SOURCE)
