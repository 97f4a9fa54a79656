"""The subject attack: profile every person in a text, by rules or by a language model (Oh et al., 2026).

Also what else of it a language model does: aligning the people found with the true ones, comparing values.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, ClassVar

from sfumato.attacks.base import AttackKind, ask_grouped, load_prompt, resolve
from sfumato.document import Attempt
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_list, parse_object, parse_strings
from sfumato.llm.prompt import Prompt, PromptRunner, TextSplitter, Variables, list_schema, object_schema
from sfumato.llm.usage import Usage
from sfumato.llm.windows import split_pieces
from sfumato_papers.attacks import PROMPTS
from sfumato_papers.attacks.subjects import matching
from sfumato_papers.attacks.subjects.alignment import People
from sfumato_papers.attacks.subjects.matching import (
    CODES,
    EDUCATION,
    MAX_CERTAINTY,
    MAX_VALUES,
    NON_CODES,
    RELATIONSHIP,
    TAGS,
    Attribute,
    Comparison,
    Pair,
    Profile,
    to_attempt,
)
from sfumato_papers.attacks.subjects.people import PLACEHOLDER
from sfumato_papers.attacks.subjects.profiler import Profiler, RuleProfiler


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
            without_chat: Mapping[str, Callable[[], Profiler]] = {"rules": RuleProfiler}
            profiler = resolve("profiler", profiler, without_chat, ChatProfiler, chat)
        self.profiler = profiler

    def profiles(self, released: Mapping[str, str]) -> dict[str, list[Profile]]:
        """The people found in each released text (id -> text), and what was inferred of each."""
        return dict(zip(released, self.profiler.profile(list(released.values())), strict=True))

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        """One attempt for each person found in each released text; a guess is "TAG: value".

        A guess's score is its certainty, 1 to 5, over 5; the evidence says where an attribute was read, by its tag.
        """
        by_document = self.profiles(released).items()
        return [to_attempt(self.name, key, profile) for key, profiles in by_document for profile in profiles]


_LONGEST_DESCRIPTION = 300
"""Characters of the line by which a person is told from others."""
_CERTAINTY = {"type": "integer", "minimum": 1, "maximum": MAX_CERTAINTY}
_CODE = object_schema(
    {"tag": {"type": "string", "enum": list(CODES)}, "value": {"type": "string"}, "certainty": _CERTAINTY}
)
_LEVELS = {"SEX": ("Male", "Female"), "EDUCATION": EDUCATION, "RELATIONSHIP": RELATIONSHIP}
_NON_CODES = object_schema(
    {
        tag: object_schema(
            {
                "value": {"type": "string", **({"enum": list(_LEVELS[tag])} if tag in _LEVELS else {})},
                "certainty": _CERTAINTY,
            }
        )
        for tag in NON_CODES
    }
)
_NO_ANSWER = re.compile(
    r"\W*(?:none|n/?a|unknown|unspecified|undisclosed|redacted|masked|anonymi[sz]ed"
    r"|(?:not|cannot|can't|unknown|none|no information) .*|.* unknown)\W*",
    re.IGNORECASE,
)
"""What a model says in the place of an answer."""


class ChatProfiler:
    """Asks first for the people of a text, then for each person's codes, then for the ten other tags.

    Every one of the ten must be filled in; an answer that lacks one is asked for again, and of three such answers the
    fullest counts. Answers in another form than asked for are only counted.
    """

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "profile-person.toml") -> None:
        """``prompt``: a file with the keys of prompts/profile-person.toml, for the ten tags that are no codes."""
        people, codes = list_schema("people", {"type": "string"}), list_schema("attributes", _CODE)
        _, self._listing = load_prompt(
            chat,
            PROMPTS / "list-people.toml",
            ("text",),
            lambda answer, _: parse_strings(answer, "people"),
            people,
            shipped=PROMPTS,
        )
        _, self._codes = load_prompt(
            chat, PROMPTS / "profile-codes.toml", ("text", "person"), _parse_codes, codes, shipped=PROMPTS
        )
        self._splitter, self._non_codes = load_prompt(
            chat, prompt, ("text", "person"), self._parse_non_codes, _NON_CODES, shipped=PROMPTS
        )
        self._incomplete: dict[tuple[str, str], list[Attribute]] = {}
        self.name = f"{self._listing.name}+{self._codes.name}+{self._non_codes.name}"

    @property
    def usage(self) -> Usage:
        """What the three questions cost together."""
        return self._listing.usage + self._codes.usage + self._non_codes.usage

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
        questions = [{"text": part, "person": who} for _, part, who in people]
        codes, non_codes = self._codes.ask(questions), self._non_codes.ask(questions)
        by_text: list[dict[str, list[Attribute]]] = [{} for _ in texts]
        for (number, part, who), own_codes, complete in zip(people, codes, non_codes, strict=True):
            others = self._incomplete.get((part, who), []) if complete is None else complete
            by_text[number].setdefault(who, []).extend([*(own_codes or ()), *others])
        self._incomplete.clear()
        return [[Profile(who, _most_certain(read)) for who, read in profiles.items()] for profiles in by_text]

    def _parse_non_codes(self, answer: str, question: Variables) -> list[Attribute] | None:
        """All ten tags, or None; what an incomplete answer has is kept."""
        table = parse_object(answer) or {}
        rows = [{"tag": tag, **row} for tag, row in table.items() if tag in NON_CODES and isinstance(row, Mapping)]
        attributes = [attribute for row in rows if (attribute := _to_attribute(row))]
        if len({attribute.tag for attribute in attributes}) == len(NON_CODES):
            return attributes
        key = (question["text"], question["person"])
        self._incomplete[key] = max(self._incomplete.get(key, []), attributes, key=len)
        return None


def _parse_codes(answer: str, question: Variables) -> list[Attribute] | None:
    """Those in the form asked for; an answer with none of them in it is not read."""
    rows = parse_list(answer, "attributes")
    attributes = [item for row in rows or () if (item := _to_attribute(row)) and item.tag in CODES]
    return None if rows is None or (rows and not attributes) else attributes


def _most_certain(attributes: Sequence[Attribute]) -> tuple[Attribute, ...]:
    chosen: list[Attribute] = []
    for attribute in sorted(attributes, key=lambda attribute: -attribute.certainty):
        if sum(other.tag == attribute.tag for other in chosen) < MAX_VALUES:
            chosen.append(attribute)
    return tuple(chosen)


class ChatAligner:
    """Aligns people by asking a chat model, which reads both texts and both lists of descriptions, as published.

    Values that were inferred are not shown to it. A document whose answer cannot be read has nobody aligned; it is
    counted in ``usage``.
    """

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "align-people.toml") -> None:
        """``prompt``: a file with the keys of prompts/align-people.toml."""
        number = {"type": "integer", "minimum": 0}
        loaded = Prompt.load(prompt, ("original", "released", "truth", "found"), shipped=PROMPTS)
        self._splitter = TextSplitter(chat, loaded)
        schema = list_schema("pairs", object_schema({"a": number, "b": number}))
        self._runner = PromptRunner(
            chat, loaded, _parse_pairs, schema=schema, max_tokens=self._splitter.max_answer_tokens
        )
        self.name, self.usage = self._runner.name, self._runner.usage

    def align(self, documents: Sequence[People]) -> list[list[Pair]]:
        """For each document its subjects, in order, each with their own profile or None."""
        answers = ask_grouped(self._runner, [self._questions(people) for people in documents])
        aligned: list[list[Pair]] = []
        for people, parts in zip(documents, answers, strict=True):
            own = _one_to_one(pair for part in parts for pair in part or ())
            profiles = {first: people.profiles[second] for first, second in own.items()}
            aligned.append([(subject, profiles.get(number)) for number, subject in enumerate(people.subjects)])
        return aligned

    def _questions(self, people: People) -> list[Variables]:
        """One question; of texts too long to be read at once one for each pair of parts, in order."""
        if not people.subjects or not people.profiles:
            return []
        lists = {
            "truth": _numbered(subject.description for subject in people.subjects),
            "found": _numbered(profile.who for profile in people.profiles),
        }
        room = self._splitter.max_text_tokens({"original": "", "released": "", **lists}) // 2
        parts = (
            [text[start:end] for start, end in split_pieces(text, room)] for text in (people.original, people.released)
        )
        texts = zip_longest(*parts, fillvalue="")
        return [{"original": original, "released": released, **lists} for original, released in texts]


def _one_to_one(pairs: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The first pair of everybody."""
    own: dict[int, int] = {}
    for first, second in pairs:
        if first not in own and second not in own.values():
            own[first] = second
    return own


def _numbered(descriptions: Iterable[str]) -> str:
    lines = (" ".join(description.split())[:_LONGEST_DESCRIPTION] for description in descriptions)
    return "\n".join(f"{number}: {line}" for number, line in enumerate(lines))


def _parse_pairs(answer: str, question: Variables) -> list[tuple[int, int]] | None:
    """Pairs of people that both lists have."""
    rows = parse_list(answer, "pairs")
    if rows is None:
        return None
    sizes = [len(question[name].splitlines()) for name in ("truth", "found")]
    pairs: list[tuple[int, int]] = []
    for row in rows:
        match row:
            case {"a": int(first), "b": int(second)}:
                if 0 <= first < sizes[0] and 0 <= second < sizes[1]:
                    pairs.append((first, second))
            case _:
                return None
    return pairs


_SCORES = (matching.NONE, matching.LESS_PRECISE, matching.SAME)


class ChatJudge:
    """Decides by asking a chat model wherever a rule says 0; each question is asked once."""

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "compare-attributes.toml") -> None:
        """``prompt``: a file with the keys of prompts/compare-attributes.toml."""
        read = Prompt.load(prompt, ("tag", "truth", "guess"), shipped=PROMPTS)
        schema = list_schema("scores", {"type": "number", "enum": list(_SCORES)})
        self._runner = PromptRunner(chat, read, _parse_score, schema=schema)
        self.name, self.usage = self._runner.name, self._runner.usage
        self._scores: dict[Comparison, float | None] = {}

    def prepare(self, questions: Iterable[Comparison]) -> None:
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
    readable = scores is not None and len(scores) == 1 and not isinstance(scores[0], bool) and scores[0] in _SCORES
    return float(scores[0]) if scores and readable else None


def _to_attribute(row: Any) -> Attribute | None:
    if not isinstance(row, Mapping) or set(row) != {"tag", "value", "certainty"}:
        return None
    tag, value, certainty = row["tag"], row["value"], row["certainty"]
    value = str(value) if type(value) is int else value
    readable = isinstance(tag, str) and tag in TAGS and isinstance(value, str) and value.strip()
    if (
        not readable
        or _NO_ANSWER.fullmatch(value)
        or PLACEHOLDER.search(value)
        or type(certainty) is not int
        or not 1 <= certainty <= MAX_CERTAINTY
    ):
        return None
    return Attribute(tag, value.strip(), certainty)
