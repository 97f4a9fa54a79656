"""The subject attack: profile every person in a text, and compare with the ground truth (Oh et al., 2026)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.optimize import linear_sum_assignment

from sfumato.attacks.base import PROMPTS, AttackKind, load_prompt, resolve
from sfumato.attacks.subjects.matching import (
    LESS_PRECISE,
    MAX_CERTAINTY,
    MAX_VALUES,
    NONE,
    SAME,
    TAGS,
    Attribute,
    AttributeJudge,
    Profile,
    agreement,
    needs_judge,
    to_attempt,
)
from sfumato.attacks.subjects.profiler import Profiler, RuleProfiler
from sfumato.document import Attempt
from sfumato.errors import InputError
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_list, parse_strings
from sfumato.llm.prompt import Prompt, PromptRunner, list_schema, object_schema
from sfumato.llm.usage import Usage

PROFILERS: Mapping[str, Callable[[], Profiler]] = {RuleProfiler.name: RuleProfiler}


class SubjectAttack:
    """Lists every person in a released text and infers fifteen attributes of each, from numbers to occupation."""

    kind: ClassVar[AttackKind] = "subjects"
    name: ClassVar[str] = "subjects"
    goal: ClassVar[str] = "Knows nothing but the released text, and wants to know as much as it can of everyone in it."
    cite: ClassVar[str | None] = "oh2026"
    uses: ClassVar[tuple[str, ...]] = ("chat",)

    def __init__(self, *, profiler: str | Profiler = "rules", chat: Chat | None = None) -> None:
        """``profiler``: "rules", "chat" (which asks the ``chat``), or an object such as ``ChatProfiler(chat)``."""
        if isinstance(profiler, str):
            profiler = resolve("profiler", profiler, PROFILERS, ChatProfiler, chat)
        self.profiler: Profiler = profiler

    def profiles(self, released: Mapping[str, str]) -> dict[str, list[Profile]]:
        """The people found in each released text (id -> text), and what was inferred of each."""
        return dict(zip(released, self.profiler.profile(list(released.values())), strict=True))

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        """One attempt for each person found in each released text; a guess is "TAG: value".

        A guess's score is its certainty, 1 to 5, over 5; the evidence says where an attribute was read, by its tag.
        """
        return [
            to_attempt(self.name, identifier, profile)
            for identifier, profiles in self.profiles(released).items()
            for profile in profiles
        ]


# -- A language model as profiler and as judge of attributes. Answers in another form than asked for are only counted.

_LONGEST_DESCRIPTION = 300
"""Characters of the line by which a person is told from others."""
_ATTRIBUTE = object_schema(
    {
        "tag": {"type": "string", "enum": list(TAGS)},
        "value": {"type": "string"},
        "certainty": {"type": "integer", "minimum": 1, "maximum": MAX_CERTAINTY},
    }
)


class ChatProfiler:
    """Asks first for the people of a text, then for each person's attributes."""

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "profile-person.toml") -> None:
        """``prompt``: a file with the keys of prompts/profile-person.toml."""
        people = list_schema("people", {"type": "string"})
        attributes = list_schema("attributes", _ATTRIBUTE)
        _, self._listing = load_prompt(chat, PROMPTS / "list-people.toml", ("text",), _parse_people, people)
        self._splitter, self._profiling = load_prompt(chat, prompt, ("text", "person"), _parse_attributes, attributes)
        self.name = f"{self._listing.name}+{self._profiling.name}"

    @property
    def usage(self) -> Usage:
        """What both questions cost together."""
        return self._listing.usage + self._profiling.usage

    def profile(self, texts: Sequence[str]) -> list[list[Profile]]:
        """The people of each text; an answer that cannot be read finds nobody.

        A text too long to be read at once is read in parts; who is described in the same words in two is one person.
        """
        parts = [
            (number, part)
            for number, text in enumerate(texts)
            if text.strip()
            for part in self._splitter.split(text, {"text": "", "person": " " * _LONGEST_DESCRIPTION})
        ]
        lists = self._listing.ask([{"text": part} for _, part in parts])
        people = [
            (number, part, who)
            for (number, part), answer in zip(parts, lists, strict=True)
            for who in dict.fromkeys(description[:_LONGEST_DESCRIPTION] for description in answer or ())
        ]
        answers = self._profiling.ask([{"text": part, "person": who} for _, part, who in people])
        by_text: list[dict[str, list[Attribute]]] = [{} for _ in texts]
        for (number, _, who), attributes in zip(people, answers, strict=True):
            by_text[number].setdefault(who, []).extend(attributes or ())
        return [[Profile(who, _most_certain(read)) for who, read in profiles.items()] for profiles in by_text]


def _parse_people(answer: str, question: Mapping[str, str]) -> list[str] | None:
    return parse_strings(answer, "people")


def _parse_attributes(answer: str, question: Mapping[str, str]) -> list[Attribute] | None:
    """Those in the form asked for; an answer with none of them in it is not read."""
    rows = parse_list(answer, "attributes")
    attributes = [attribute for row in rows or () if (attribute := _to_attribute(row))]
    return None if rows is None or (rows and not attributes) else attributes


def _most_certain(attributes: Sequence[Attribute]) -> tuple[Attribute, ...]:
    chosen: list[Attribute] = []
    for attribute in sorted(attributes, key=lambda attribute: -attribute.certainty):
        if sum(other.tag == attribute.tag for other in chosen) < MAX_VALUES:
            chosen.append(attribute)
    return tuple(chosen)


class ChatJudge:
    """Decides by asking a chat model where rules cannot; each question is asked once."""

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "compare-attributes.toml") -> None:
        """``prompt``: a file with the keys of prompts/compare-attributes.toml."""
        read = Prompt.load(prompt, ("tag", "truth", "guess"), shipped=PROMPTS)
        schema = list_schema("scores", {"type": "number", "enum": [NONE, LESS_PRECISE, SAME]})
        self._runner = PromptRunner(chat, read, _parse_score, schema=schema)
        self.name, self.usage = self._runner.name, self._runner.usage
        self._scores: dict[tuple[str, str, str], float | None] = {}

    def prepare(self, questions: Iterable[tuple[str, str, str]]) -> None:
        """Ask about many pairs at once: tag, truth, guess. ``compare`` then has their answers."""
        new = list(dict.fromkeys(question for question in questions if question not in self._scores))
        asked = [dict(zip(("tag", "truth", "guess"), question, strict=True)) for question in new]
        self._scores |= zip(new, self._runner.ask(asked), strict=True)

    def compare(self, tag: str, truth: str, guess: str) -> float | None:
        """1 the same, 0.5 less precise, 0 neither; None where the answer cannot be read."""
        question = (tag, truth, guess)
        self.prepare([question])
        return self._scores[question]


def _parse_score(answer: str, question: Mapping[str, str]) -> float | None:
    scores = parse_list(answer, "scores")
    if scores is None or len(scores) != 1 or isinstance(scores[0], bool) or scores[0] not in (NONE, LESS_PRECISE, SAME):
        return None
    return float(scores[0])


def _to_attribute(row: Any) -> Attribute | None:
    if not isinstance(row, Mapping) or set(row) != {"tag", "value", "certainty"}:
        return None
    tag, value, certainty = row["tag"], row["value"], row["certainty"]
    readable = isinstance(tag, str) and tag in TAGS and isinstance(value, str) and value.strip()
    if not readable or type(certainty) is not int or not 1 <= certainty <= MAX_CERTAINTY:
        return None
    return Attribute(tag, value.strip(), certainty)


# -- Ground truth as the SPIA benchmark writes it: a list of ``{"id", "PIIs": [...]}`` for each document.
#
# A tag counts once for a person: A_i is the number of tags that some annotation of certainty 3 or more gives a value.

LEAST_CERTAINTY = 3
_SHAPE = 'give [{"id": 0, "PIIs": [{"tag": "AGE", "keyword": "34", "certainty": 5, "hardness": 1}, ...]}, ...]'


@dataclass(frozen=True, slots=True)
class Fact:
    """One annotation; ``hardness`` says how far it is to infer: 1 stands there, 5 needs knowledge of the world."""

    tag: str
    value: str
    certainty: int
    hardness: int


@dataclass(frozen=True, slots=True)
class Subject:
    """A person of a document and the facts that count, by tag; ``is_target`` is whom the document is about."""

    id: str
    facts: Mapping[str, tuple[Fact, ...]]
    is_target: bool = False


def read_subjects(document_id: str, rows: Any, least_certainty: int = LEAST_CERTAINTY) -> list[Subject]:
    """A document's people. The target is whom ``"target": true`` marks; where nobody is marked, the first.

    Annotations without a value cannot be guessed and do not count.
    """
    if not isinstance(rows, list) or not all(isinstance(row, Mapping) and "PIIs" in row for row in rows):
        raise InputError(f"the subjects of document {document_id} cannot be read: {_SHAPE}")
    marked = any(row.get("target") for row in rows)
    subjects = []
    for number, row in enumerate(rows):
        facts: dict[str, tuple[Fact, ...]] = {}
        for fact in _facts(document_id, row["PIIs"]):
            if fact.certainty >= least_certainty and fact.value:
                facts[fact.tag] = (*facts.get(fact.tag, ()), fact)
        is_target = bool(row.get("target")) if marked else number == 0
        subjects.append(Subject(str(row.get("id", number)), facts, is_target))
    return subjects


def _facts(document_id: str, rows: Iterable[Any]) -> Iterable[Fact]:
    for row in rows:
        try:
            fact = Fact(
                str(row["tag"]), str(row["keyword"]).strip(), int(row["certainty"]), int(row.get("hardness", 0))
            )
        except (KeyError, TypeError, ValueError):
            raise InputError(
                f"an attribute in the subjects of document {document_id} is incomplete: {_SHAPE}"
            ) from None
        if fact.tag not in TAGS:
            raise InputError(f"document {document_id}: no tag {fact.tag!r}; the fifteen are {', '.join(TAGS)}")
        yield fact


# -- Alignment: the best one-to-one pairing of a document's people with the profiles that an attacker made.

Agreements = Mapping[str, float]
"""S by tag, for every tag of a subject."""


def align_subjects(
    subjects: Sequence[Subject], profiles: Sequence[Profile], judge: AttributeJudge | None = None
) -> list[Agreements]:
    """For each subject S of each of their tags, by the pairing with the largest sum of all S.

    A subject that is paired with nobody has S = 0 throughout.
    """
    pairs = [[_agreements(subject, profile, judge) for profile in profiles] for subject in subjects]
    best: list[Agreements] = [dict.fromkeys(subject.facts, 0.0) for subject in subjects]
    if not subjects or not profiles:
        return best
    sums = np.array([[sum(pair.values()) for pair in row] for row in pairs])
    for row, column in zip(*linear_sum_assignment(sums, maximize=True), strict=True):
        best[row] = pairs[row][column]
    return best


def open_questions(subjects: Sequence[Subject], profiles: Sequence[Profile]) -> Iterator[tuple[str, str, str]]:
    """What a judge is asked about these people: tag, truth and guess of each pair that no rule decides."""
    for subject, profile in product(subjects, profiles):
        for guess in profile.attributes:
            for fact in subject.facts.get(guess.tag, ()):
                if needs_judge(guess.tag, fact.value, guess.value):
                    yield guess.tag, fact.value, guess.value


def _agreements(subject: Subject, profile: Profile, judge: AttributeJudge | None) -> Agreements:
    """One score for each tag: that of the best pair."""
    return {
        tag: max(
            (
                agreement(tag, fact.value, guess.value, judge)
                for fact in facts
                for guess in profile.attributes
                if guess.tag == tag
            ),
            default=0.0,
        )
        for tag, facts in subject.facts.items()
    }
