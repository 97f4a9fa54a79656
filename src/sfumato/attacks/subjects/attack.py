"""The subject attack: profile every person in a text, by rules or by a language model (Oh et al., 2026)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from sfumato.attacks.base import PROMPTS, AttackKind, load_prompt, resolve
from sfumato.attacks.subjects import matching
from sfumato.attacks.subjects.matching import MAX_CERTAINTY, MAX_VALUES, TAGS, Attribute, Profile, to_attempt
from sfumato.attacks.subjects.profiler import Profiler, RuleProfiler
from sfumato.document import Attempt
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_list, parse_strings
from sfumato.llm.prompt import Prompt, PromptRunner, list_schema, object_schema
from sfumato.llm.usage import Usage


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
_ATTRIBUTE = object_schema(
    {
        "tag": {"type": "string", "enum": list(TAGS)},
        "value": {"type": "string"},
        "certainty": {"type": "integer", "minimum": 1, "maximum": MAX_CERTAINTY},
    }
)


class ChatProfiler:
    """Asks first for the people of a text, then for each person's attributes.

    Answers in another form than asked for are only counted.
    """

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "profile-person.toml") -> None:
        """``prompt``: a file with the keys of prompts/profile-person.toml."""
        people = list_schema("people", {"type": "string"})
        attributes = list_schema("attributes", _ATTRIBUTE)
        _, self._listing = load_prompt(
            chat, PROMPTS / "list-people.toml", ("text",), lambda answer, _: parse_strings(answer, "people"), people
        )
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


_SCORES = (matching.NONE, matching.LESS_PRECISE, matching.SAME)


class ChatJudge:
    """Decides by asking a chat model where rules cannot; each question is asked once."""

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "compare-attributes.toml") -> None:
        """``prompt``: a file with the keys of prompts/compare-attributes.toml."""
        read = Prompt.load(prompt, ("tag", "truth", "guess"), shipped=PROMPTS)
        schema = list_schema("scores", {"type": "number", "enum": list(_SCORES)})
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
    readable = scores is not None and len(scores) == 1 and not isinstance(scores[0], bool) and scores[0] in _SCORES
    return float(scores[0]) if scores and readable else None


def _to_attribute(row: Any) -> Attribute | None:
    if not isinstance(row, Mapping) or set(row) != {"tag", "value", "certainty"}:
        return None
    tag, value, certainty = row["tag"], row["value"], row["certainty"]
    readable = isinstance(tag, str) and tag in TAGS and isinstance(value, str) and value.strip()
    if not readable or type(certainty) is not int or not 1 <= certainty <= MAX_CERTAINTY:
        return None
    return Attribute(tag, value.strip(), certainty)
