"""Selection of generalizations under attack, all spans at once: the most specific from which nothing is guessed.

A guesser of ``attacks.inference`` reads the text as it would be released and guesses what stood in each replaced span.
All spans of a document start at their most specific candidate, all are attacked at once, and each entity of which a
mention was guessed goes one level up, until nothing is guessed. Other spans only become less specific meanwhile, so
every decision is made on at least what an attacker of the release sees, and the last round attacks the text that is
released. Pilán et al. (2025), from whom the idea is, decide one span after the other: ``intact`` has their algorithm.

The candidates come from the hierarchies, from the user's CSV tables and, where there is one, from a chat model.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import ClassVar

from sfumato.annotated_text import AnnotatedText
from sfumato.attacks.inference import AT_THE_START, Guesser, is_match
from sfumato.document import LABELS, Span
from sfumato.errors import InputError, suggest
from sfumato.generalize.context import word_before
from sfumato.generalize.durations.ages import GROUP_SOURCE
from sfumato.generalize.hierarchy import Article, Level, Mention, generalize
from sfumato.generalize.quantities.reading import read_quantity
from sfumato.generalize.sentence import RenderedText, render_label, render_or_refuse
from sfumato.generalize.truth import Pair, judge_by_tables
from sfumato.lexicon.caches import remember_in_run
from sfumato.lexicon.grammar import STOP_WORDS, content_lemmas, frequent_lemma, is_word, split_words
from sfumato.lexicon.grammar_en import DETERMINERS, PREPOSITIONS
from sfumato.lexicon.numbers import numbers_in
from sfumato.lexicon.tokens import fold_phrase
from sfumato.lexicon.world import find_settlements
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_strings
from sfumato.llm.prompt import Prompt, PromptRunner, list_schema
from sfumato.llm.usage import Usage
from sfumato.models.table_scorers import hyponyms, lookup
from sfumato.replacers.base import PROMPTS, span_question

# Breadth of a phrase: the number of kinds under its head noun, shared out among its other words.

_SHARE = 4.0
"""So many times fewer things fit with each further word: a small city, in the north, of a country."""


def head_noun(phrase: str) -> str:
    """The noun that says what kind of thing it is: *city* of "a large city in Poland"."""
    core: list[str] = []
    for word in split_words(phrase):
        if word.lower() in PREPOSITIONS and core:
            break
        core.append(word)
    nouns = [word for word in core if word.lower() not in DETERMINERS]
    return nouns[-1] if nouns else phrase.strip()


def breadth(phrase: str) -> float:
    """About how many kinds of things fall under the phrase; 1 for a name, and less the more it is narrowed."""
    content_words = [word for word in split_words(phrase) if word.lower() not in STOP_WORDS["en"]]
    below = lookup(head_noun(phrase).lower(), hyponyms("noun"), "noun")
    return ((below or 0) + 1) / _SHARE ** max(0, len(content_words) - 1)


def merge_by_breadth(hierarchy: Sequence[Level], offered: Sequence[Level]) -> list[Level]:
    """Both in order of breadth. The order of the hierarchy is kept: its counts are surer than those of a taxonomy."""
    if not offered:
        return list(hierarchy)
    texts = {level.text.casefold() for level in hierarchy}
    widest_so_far = accumulate((breadth(level.text) for level in hierarchy), max)
    ordered = list(zip(widest_so_far, hierarchy, strict=True))
    ordered += [(breadth(level.text), level) for level in offered if level.text.casefold() not in texts]
    return [level for _, level in sorted(ordered, key=lambda item: item[0])]


# Hierarchies from the user's own tables: a CSV file with the columns ``term``, ``levels`` (separated by semicolons,
# most specific first) and, if wanted, ``label``:
# ``Northgate Clinic,a private clinic in the north;a private clinic;a medical institution,ORG``.


class UserHierarchy:
    """The user's levels for their own terms. They take precedence over our hierarchies."""

    def __init__(self, path: str | Path) -> None:
        self._levels: dict[tuple[str, str], list[Level]] = {}
        self._name = Path(path).name
        try:
            with open(path, encoding="utf-8-sig", newline="") as file:
                rows = csv.DictReader(file)
                if missing := [name for name in ("term", "levels") if name not in (rows.fieldnames or ())]:
                    raise InputError(
                        f"{path}: no column {missing[0]!r}: a table has the columns term, levels and label"
                    )
                for row in rows:
                    self._add(row, f"{path}, line {rows.line_num}")
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"{path}: cannot be read as a CSV table in UTF-8: {type(error).__name__}") from None

    def _add(self, row: dict[str, str | None], where: str) -> None:
        term, label = (row["term"] or "").strip(), (row.get("label") or "").strip()
        phrases = [phrase.strip() for phrase in (row["levels"] or "").split(";") if phrase.strip()]
        if not term or not phrases:
            raise InputError(f"{where}: a term and at least one level are needed")
        if label and label not in LABELS:
            raise InputError(f"{where}: no label {label!r}: {suggest(label.upper(), LABELS)}")
        key = (fold_phrase(term), label)
        if key in self._levels:
            raise InputError(f"{where}: the term stands in the table twice; put its levels on one line")
        self._levels[key] = [
            Level(text, float(10**rank), article, source=f"table {self._name}")
            for rank, (article, text) in enumerate(map(split_article, phrases), 1)
        ]

    def levels(self, mention: Mention) -> list[Level]:
        surface = mention.surface.strip()
        forms = (fold_phrase(surface), fold_phrase(split_article(surface)[1]))
        keys = [(form, label) for form in forms for label in (mention.label, "")]
        return next((self._levels[key] for key in keys if key in self._levels), [])


def split_article(phrase: str) -> tuple[Article, str]:
    """The article, as ``Level`` has it, and the phrase without it."""
    first, _, rest = phrase.partition(" ")
    articles: dict[str, Article] = {"a": "a", "an": "a", "the": "the"}
    article = articles.get(first.lower())
    return (article, rest) if article and rest else ("", phrase)


# Candidates. All pass the same filter, whoever offered them: they must neither disclose the original nor name what
# another span of the document hides.

_WIDE = ("europ", "asia", "afric", "americ", "oceani", "north", "south", "east", "west", "centr", "united", "unit")
"""Beginnings of words that many names share: hiding a European court does not hide the continent."""
_STEM = 6
"""Letters of a stem: *beekeeper* discloses *beekeeping*."""
_SHORT = 3
"""Letters; so few may occur in another phrase by chance."""
_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")
_COUNTED = frozenset({"QUANTITY", "DEM"})
"""Labels of amounts and ages."""


@dataclass(frozen=True)
class DisclosureFilter:
    """Decides whether a candidate discloses the original, or a name that another span hides."""

    frequent: Set[str]
    language: str
    hidden: Set[str] = field(default_factory=frozenset)
    """Beginnings of the capitalised words in all replaced spans."""
    quoted: Set[str] = field(default_factory=frozenset)
    """The text of the replaced spans, but for very short ones."""
    _judged: dict[tuple[str, str, str], bool] = field(default_factory=dict, compare=False, repr=False)
    """Guesses already judged: an attacker's guesses repeat from round to round."""

    @classmethod
    def of(cls, mentions: Sequence[Mention], frequent: Set[str], language: str) -> DisclosureFilter:
        hidden = frozenset(start for mention in mentions for start in _starts(mention.surface))
        spaced = {_spaced(mention.surface) for mention in mentions}
        return cls(frequent, language, hidden, frozenset(quote for quote in spaced if len(quote) > _SHORT + 2))

    def matches(self, mention: Mention, guess: str) -> bool:
        """Whether a guess counts as right. As in the attack, but letters in common count at the start of words alone.

        Counted anywhere, every *-tion* would match every other, and the choice would depend on endings.
        """
        key = (mention.surface, mention.label, guess)
        if key not in self._judged:
            self._judged[key] = self._is_right(mention, guess)
        return self._judged[key]

    def _is_right(self, mention: Mention, guess: str) -> bool:
        values = _values(mention.surface, self.language) if mention.label in _COUNTED else None
        if values:
            # What is counted stays in a level by design: the number is what is guessed. Of money and measures there
            # are too many, and the round ones that an attacker would try are no more likely than the others.
            return values == _values(guess, self.language) and not _has_unit(mention.surface, self.language)
        is_place = mention.label in ("LOC", "ORG") and _is_same_place(mention.surface, guess)
        return is_place or is_match(mention.surface, guess, mention.label, self.frequent, self.language, AT_THE_START)

    def discloses(self, level: Level, mention: Mention) -> bool:
        """Whether the level itself is a right guess, or names what another span hides."""
        if mention.label == "DATETIME" or level.source == GROUP_SOURCE:
            return False
        if self.matches(mention, level.text) or _share_number(level.text, mention.surface):
            return True
        return not (
            self.hidden.isdisjoint(_starts(level.text)) and self.hidden.isdisjoint(_starts(level.modifier or ""))
        )

    def quotes(self, phrase: str) -> bool:
        """Whether a phrase from a model that saw the text contains what a span hides, or a name of it."""
        spaced = _spaced(phrase)
        return not self.hidden.isdisjoint(_starts(phrase)) or any(quote in spaced for quote in self.quoted)

    def shares_words(self, mention: Mention, phrase: str) -> bool:
        """Whether the phrase repeats a number of the mention, or the stem of a word that is not among the most used."""
        mention_stems, phrase_stems = (
            {base[:_STEM] for base in content_lemmas(text, self.language, frequent_lemma) if base not in self.frequent}
            for text in (mention.surface, phrase)
        )
        return bool(mention_stems & phrase_stems) or _share_number(mention.surface, phrase)


GeneralizeMention = Callable[[Mention], Sequence[Level]]
_MOST_READ = 4
"""So many mentions with the same words are read to tell what they are."""


def candidate_levels(
    mentions: Sequence[Mention],
    tables: Sequence[UserHierarchy],
    disclosure: DisclosureFilter,
    offered: Sequence[Level] = (),
    generalize: GeneralizeMention = generalize,
) -> tuple[Level, ...]:
    """The candidates that all mentions of one entity share, most specific first.

    The mention with the most levels decides for the others, which name the same thing in other words. Levels that
    are ``offered`` by a model are sorted in among them; where there are no others, they keep the model's order.
    """
    best: Sequence[Level] = ()
    by_surface: dict[str, list[Mention]] = {}
    for mention in mentions:
        by_surface.setdefault(mention.surface, []).append(mention)
    for same in by_surface.values():
        users = next((levels for table in tables if (levels := table.levels(same[0]))), None)
        # Dates and amounts say what they are by themselves.
        several = same[-1:] if same[0].label in ("DATETIME", "QUANTITY") else same[:_MOST_READ]
        best = max(best, users or _usual_reading(several, generalize), key=len)
    levels = [level for level in offered if not disclosure.quotes(level.text)]
    if best:
        least = breadth(mentions[0].surface) if levels else 0
        levels = merge_by_breadth(best, [level for level in levels if level.members > least])
    return tuple(level for level in levels if not any(disclosure.discloses(level, mention) for mention in mentions))


def _usual_reading(mentions: Sequence[Mention], generalize: GeneralizeMention) -> Sequence[Level]:
    """The levels that two mentions with the same words agree on; else of the first that has any.

    One sentence may tell what another does not: "lives in Batman", "the Batman prosecutor".
    """
    readings: list[Sequence[Level]] = []
    for mention in mentions:
        if levels := generalize(mention):
            if levels in readings:
                return levels
            readings.append(levels)
    return readings[0] if readings else ()


@lru_cache(maxsize=2**14)
def _is_same_place(name: str, other: str) -> bool:
    """Whether they are two names of one city: Cologne and Köln."""
    return bool(set(find_settlements(name)[:1]) & set(find_settlements(other)[:1]))


@remember_in_run(2**12)
def _starts(text: str) -> tuple[str, ...]:
    """The first four letters of capitalised words: Turkey and Turkish are one name."""
    return tuple(
        word[:4].casefold()
        for word in split_words(text)
        if is_word(word) and word[0].isupper() and len(word) > 3 and not word.casefold().startswith(_WIDE)
    )


def _spaced(text: str) -> str:
    return f" {' '.join(split_words(text.casefold()))} "


@remember_in_run(2**12)
def _values(text: str, language: str) -> frozenset[Fraction]:
    """The numbers that a text says, in digits and in words."""
    return frozenset(value for number in numbers_in(text, language) for value in number.values)


@remember_in_run(2**12)
def _has_unit(text: str, language: str) -> bool:
    quantity = read_quantity(text, language)
    return quantity is not None and quantity.kind in ("money", "measure", "percent")


def _share_number(text: str, other: str) -> bool:
    return not set(_numbers(text)).isdisjoint(_numbers(other))


@remember_in_run(2**12)
def _numbers(text: str) -> tuple[str, ...]:
    return tuple(_NUMBER.findall(text))


# The level of each entity, and what that makes of the text.

Range = tuple[int, int]
_BELONGS_TO_FIRST = re.compile(r"['’](?:s\b)?|[^\S\n]+\w+(?=\W+\w+\W+\w)|")
"""Of the text between two mentions, the first may change a possessive ending or the first of three words."""


NO_MENTIONS = frozenset[int]()


@dataclass(slots=True)
class EntityCandidates:
    """One entity: its mentions, the levels that may replace them, and the level it has now."""

    mentions: Sequence[int]
    candidates: tuple[Level, ...]
    label: str
    """The replacement where no candidate is left."""
    labelled: frozenset[int] = NO_MENTIONS
    """Mentions that keep the label: the text states right there who it is, or that it is something else."""
    level: int = 0
    """Index into ``candidates``; past the last of them, the label."""
    guessed: tuple[str, ...] = ()
    """The levels from which it was guessed, and by which guesser."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """What replaces a mention, and its level (None: the label)."""

    rendered: RenderedText
    level: int | None


class LevelAssignment:
    """A document's mentions with the levels of their entities: what the release looks like now."""

    keeps_ungrammatical: ClassVar[bool] = False
    """Whether a mention takes a level that is not grammatical there; else it takes the next one."""

    def __init__(self, text: str, mentions: Sequence[Mention], entities: Sequence[EntityCandidates]) -> None:
        self.text, self.mentions, self.entities = AnnotatedText(text), mentions, entities
        self._ranges = _replaceable_ranges(text, mentions)
        self._entities = {index: entity for entity in entities for index in entity.mentions}
        self._replacements: dict[tuple[int, int], Replacement] = {}
        self._release_with_labels: tuple[AnnotatedText, list[Span]] | None = None

    def entity(self, index: int) -> EntityCandidates:
        """The entity of a mention."""
        return self._entities[index]

    def replacement(self, index: int) -> Replacement:
        """The replacement of a mention at its entity's level, or at the next level that is grammatical there."""
        return self.replacement_at(index, self._entities[index].level)

    def replacement_at(self, index: int, level: int) -> Replacement:
        """The replacement at a level, or at the next one that is grammatical there; past the last, the label."""
        key = (index, level)
        if key not in self._replacements:
            self._replacements[key] = self._render(index, level)
        return self._replacements[key]

    def forget_replacements(self) -> None:
        """Keep none of the replacements; those that are asked for are rendered again."""
        self._replacements.clear()
        self._release_with_labels = None

    def _render(self, index: int, lowest: int) -> Replacement:
        entity, mention, limits = self._entities[index], self.mentions[index], self._ranges[index]
        for level in range(lowest, 0 if index in entity.labelled else len(entity.candidates)):
            rendered, is_grammatical = render_or_refuse(entity.candidates[level], mention, limits)
            if is_grammatical or self.keeps_ungrammatical:
                return Replacement(rendered, level)
        return Replacement(render_label(entity.label, mention, limits), None)

    def release(self) -> tuple[AnnotatedText, list[Span]]:
        """The text at the current levels, and the span of each replacement in it."""
        return self._replace_all([self.replacement(index).rendered for index in range(len(self.mentions))])

    def release_with(self, index: int, level: int) -> tuple[AnnotatedText, Span]:
        """The text at the current levels but for one mention, which has another level, and the span of that mention."""
        replacements = [self.replacement(other).rendered for other in range(len(self.mentions))]
        replacements[index] = self.replacement_at(index, level).rendered
        text, spans = self._replace_all(replacements)
        return text, spans[index]

    def release_with_labels(self) -> tuple[AnnotatedText, list[Span]]:
        """The text with a label for each mention, and the span of each label in it, whatever the levels are."""
        if self._release_with_labels is None:
            labels = [self._entities[index].label for index in range(len(self.mentions))]
            self._release_with_labels = self._replace_all(list(map(render_label, labels, self.mentions, self._ranges)))
        return self._release_with_labels

    def _replace_all(self, replacements: Sequence[RenderedText]) -> tuple[AnnotatedText, list[Span]]:
        pieces, spans = list[str](), list[Span]()
        end = length = 0
        for mention, rendered in zip(self.mentions, replacements, strict=True):
            pieces += [self.text[end : rendered.start], rendered.text]
            length += rendered.start - end
            spans.append(Span(length, length + len(rendered.text), mention.label))
            length += len(rendered.text)
            end = rendered.end
        return self.text.derive("".join([*pieces, self.text[end:]])), spans

    def generalized(self) -> list[int]:
        """Mentions that have a level, not a label: these can be guessed and generalized further."""
        return [index for index in range(len(self.mentions)) if self.replacement(index).level is not None]

    def is_widest(self, index: int) -> bool:
        """Whether the label is the only level above."""
        return self.replacement(index).level == len(self._entities[index].candidates) - 1

    def generalize_further(self, indexes: Sequence[int], guesser: str) -> None:
        """Move the entities of the mentions above their current levels; each entity once."""
        for index, replacement in [(index, self.replacement(index)) for index in indexes]:
            entity = self._entities[index]
            if replacement.level is not None and entity.level <= replacement.level:
                entity.level = replacement.level + 1
                guess = f"guessed at level {entity.level} of {len(entity.candidates)}: {guesser}"
                entity.guessed = (*entity.guessed, guess)


def _replaceable_ranges(text: str, mentions: Sequence[Mention]) -> list[Range]:
    """How far each replacement may reach. The text between two mentions is divided, so that edits never overlap."""
    borders = [
        before.end + len(_BELONGS_TO_FIRST.match(text[before.end : after.start])[0])  # type: ignore[index]
        for before, after in pairwise(mentions)
    ]
    return list(zip([0, *borders], [*borders, len(text)], strict=True)) if mentions else []


# Selection.


def select_under_attack(
    assignment: LevelAssignment, guesser: Guesser, guesses: int, disclosure: DisclosureFilter
) -> None:
    """Generalize until no mention is guessed, but for those that a label hides no better than their widest level.

    QUANTITY_1 hides *three* no better than *several* does.
    """

    def attack(released: tuple[AnnotatedText, list[Span]], indexes: Sequence[int]) -> list[int]:
        """Those of the mentions whose original is among the guesses."""
        text, spans = released
        answers = guesser.guess(text, [spans[index] for index in indexes], guesses)
        text.readings.clear()
        return [
            index
            for index, answer in zip(indexes, answers, strict=True)
            if any(disclosure.matches(assignment.mentions[index], guess.answer) for guess in answer)
        ]

    is_guessed_from_label: dict[int, bool] = {}
    while generalized := assignment.generalized():
        guessed = attack(assignment.release(), generalized)
        widest = [index for index in guessed if assignment.is_widest(index)]
        if unknown := [index for index in widest if index not in is_guessed_from_label]:
            from_label = set(attack(assignment.release_with_labels(), unknown))
            is_guessed_from_label |= {index: index in from_label for index in unknown}
        too_specific = [index for index in guessed if not (index in widest and is_guessed_from_label[index])]
        if not too_specific:
            return
        assignment.generalize_further(too_specific, guesser.name)


def select_least_specific(assignment: LevelAssignment) -> None:
    """Put every entity at its last candidate: no attack."""
    for entity in assignment.entities:
        entity.level = max(0, len(entity.candidates) - 1)


# Candidates of a chat model, asked in the one-shot form of Pilán et al. (2025) for each label.

OFFERS = 5
_LONGEST = 120
"""In characters."""
DEFAULT_PROMPT = PROMPTS / "generalize.toml"


class ChatCandidates:
    """Asks a chat model for broader expressions of each mention, in the context of its sentence."""

    def __init__(self, chat: Chat, prompt: str | Path = DEFAULT_PROMPT, count: int = OFFERS) -> None:
        self._count = count
        self._chat = chat
        self._prompt = Prompt.load(prompt, ("sentence", "span", "count"), shipped=PROMPTS)
        self._runners: dict[str, PromptRunner[list[str]]] = {}
        self.name = f"chat:{chat.name},prompt={self._prompt.name}"

    @property
    def usage(self) -> Usage:
        """What it cost over all types."""
        return sum((runner.usage for runner in self._runners.values()), start=Usage())

    def offer(self, mentions: Sequence[Mention]) -> list[list[Level]]:
        """What the model offers for each mention, in its order; nothing where its answer could not be read."""
        offers: list[list[Level]] = [[] for _ in mentions]
        for label in dict.fromkeys(mention.label for mention in mentions):
            indexes = [index for index, mention in enumerate(mentions) if mention.label == label]
            answers = self._runner(label).ask([span_question(mentions[index], self._count) for index in indexes])
            for index, answer in zip(indexes, answers, strict=True):
                offers[index] = _offered_levels(mentions[index], (answer or [])[: self._count], self.name)
        return offers

    def _runner(self, label: str) -> PromptRunner[list[str]]:
        if label not in self._runners:
            schema = list_schema("broader", {"type": "string"})
            example = label if label in self._prompt.examples else None
            self._runners[label] = PromptRunner(self._chat, self._prompt, _parse_answer, schema=schema, example=example)
        return self._runners[label]


def _parse_answer(answer: str, question: Mapping[str, str]) -> list[str] | None:
    return usable_phrases(parse_strings(answer, "broader")) or None


def usable_phrases(phrases: Sequence[str] | None) -> list[str]:
    """The phrases of an answer that can stand in a sentence: no bare numbers, and no sentences."""
    return [phrase for phrase in phrases or () if len(phrase) <= _LONGEST and any(map(str.isalpha, phrase))]


def _offered_levels(mention: Mention, phrases: Sequence[str], source: str) -> list[Level]:
    levels = [chat_level(phrase, mention, source) for phrase in phrases]
    return list({level.text.casefold(): level for level in reversed(levels) if level.text}.values())[::-1]


def chat_level(phrase: str, mention: Mention, source: str) -> Level:
    """A model's phrase as a level. One without an article has that of the mention: "a [[beekeeper]]" takes "farmer"."""
    article, text = split_article(" ".join(phrase.split()).strip(" .,;:"))
    if not article and word_before(mention.text, mention.start)[0].lower() in ("a", "an"):
        article = "a"
    return Level(text, breadth(text), article, source=source)


def is_known_unfit(mention: Mention, offered: str) -> bool:
    """Whether the tables know that it is not true, or says no less: a synonym, a sibling, another place or date."""
    judgement = judge_by_tables(Pair(mention.surface, offered, mention.label, language=mention.language))
    return judgement is not None and (judgement.truthful is False or judgement.abstract is False)
