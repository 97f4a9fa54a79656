"""What all judges share: a prompt before a Chat, texts cut to what it reads at once, and what a score says of both."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from sfumato.document import Release
from sfumato.errors import NotMeasurable, RecipeError, suggest
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_object, parse_rating
from sfumato.llm.prompt import AnswerParser, Prompt, PromptRunner, Variables
from sfumato.llm.windows import estimate_tokens, split_pieces, text_budget
from sfumato.metrics.base import PROMPTS, metric, with_cost
from sfumato.metrics.task_utility import likeness
from sfumato.statistics import Estimate, bootstrap, mean, proportion, share_of_documents

_LONGEST = 10_000
"""Characters of an answer; a judge is asked for a line."""
_OBJECT = re.compile(r"\{[^{}]+\}")
_TO_A_MODEL = re.compile(
    r"\b(?:ignore|disregard|forget|override|overrule)\b[^.\n]{0,40}\b(?:instruction|prompt|rubric|rule|order)s?\b"
    r"|\"(?:rating|readability|meaning|adds|answer|category)\"\s*:"
    r"|\byou are (?:now )?an? (?:\w+ )?(?:ai|assistant|chatbot|language model|judge|rater|evaluator)\b",
    re.IGNORECASE,
)

UNREADABLE = "the judge gave no answer that can be read: take a larger model"

T = TypeVar("T")


class Judge(Generic[T]):
    """A prompt, a Chat and how its answers are read. The same question is asked once."""

    def __init__(
        self,
        chat: Chat,
        prompt: Prompt,
        read: AnswerParser[T],
        schema: Mapping[str, Any],
    ) -> None:
        self._asking = PromptRunner(chat, prompt, _unless_echoed(read), schema=schema)
        self._chat, self.prompt, self.usage = chat, prompt, self._asking.usage

    def text_budget(self, blanks: Variables) -> int:
        """Tokens left for what a text is put into, beside these other blanks. Raises NotMeasurable where none are."""
        request = self.prompt.request(blanks)
        used = sum(estimate_tokens(message.text) for message in request.messages)
        try:
            return text_budget(self._chat.context, used, request.max_tokens)
        except RecipeError as error:
            raise NotMeasurable(str(error)) from error

    def ask(self, questions: Sequence[Variables]) -> list[T | None]:
        """What each answer says; None where none can be read."""
        keys = [tuple(sorted(question.items())) for question in questions]
        different = dict(zip(keys, questions, strict=True))
        answers = dict(zip(different, self._asking.ask(list(different.values())), strict=True))
        return [answers[key] for key in keys]


def load_prompt(own: str | Path | None, shipped: str, blanks: Collection[str]) -> Prompt:
    """The shipped prompt of a name, or the user's own file in its place."""
    return Prompt.load(PROMPTS / f"{shipped}.toml" if own is None else own, blanks, shipped=PROMPTS)


def table(prompt: Prompt, key: str) -> Mapping[str, str]:
    """The table ``[fields.KEY]`` of a prompt, which a judge cannot do without: names with texts."""
    found = prompt.fields.get(key)
    if not isinstance(found, Mapping) or not found or not all(isinstance(text, str) for text in found.values()):
        raise RecipeError(f"prompt {prompt.name} has no table [fields.{key}] of names with texts: add one")
    return found


def parts(text: str, room: int) -> list[str]:
    """The text in pieces that fit, cut between sentences; nothing is left out but white space."""
    return [text[start:end] for start, end in split_pieces(text, room)]


def schema(properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The schema of an object that has these properties and no others."""
    return {
        "type": "object",
        "properties": {key: dict(value) for key, value in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }


def _unless_echoed(read: AnswerParser[T]) -> AnswerParser[T]:
    """Reads no answer that stands in the texts asked about: a document that writes one for the judge is not obeyed."""

    def checked(answer: str, question: Variables) -> T | None:
        if len(answer) > _LONGEST:
            return None
        echoed = any(found in text for found in _OBJECT.findall(answer) for text in question.values())
        return None if echoed else read(answer, question)

    return checked


def whole(said: object, low: int, high: int) -> int | None:
    """The grade that stands in its place in an answer; None where it is none, or out of range."""
    if isinstance(said, bool) or not isinstance(said, int | float | str):
        return None
    return parse_rating(str(said), low, high)


def addressed(texts: Iterable[str]) -> dict[str, int]:
    """How many texts speak to a model, or write an answer for it: a score that they may have moved says so."""
    found = sum(bool(_TO_A_MODEL.search(text)) for text in texts)
    return {"speaks_to_models": found} if found else {}


def change(before: Mapping[str, float | None], after: Mapping[str, float | None]) -> dict[str, Any] | None:
    """Mean of after − before over the documents that have both, with a bootstrap interval; None where none has."""
    both = [key for key in after if after[key] is not None and before.get(key) is not None]
    if not both:
        return None
    old, new = (np.array([of[key] for key in both], np.float64) for of in (before, after))
    found = new - old
    interval = bootstrap([found], lambda drawn: drawn.mean(-1))
    return {"value": float(found.mean()), "interval": list(interval), "n": len(both)}


def average(values: Iterable[float | None]) -> float | None:
    """The mean of what is known."""
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


# -- Does a text hold together? It is rated from 1 to 5 by a rubric for its kind (Xin et al., 2025, appendix A.1.2).


LOWEST_COHERENCE, HIGHEST_COHERENCE = 1, 5
_COHERENCE_ANSWER = schema({"reason": {"type": "string"}, "rating": {"type": "integer", "enum": [1, 2, 3, 4, 5]}})


@metric("coherence", family="judged", cite="xin2025", higher_is_better=True)
def coherence(
    releases: Sequence[Release], chat: Chat, kind: str = "general", prompt: str | Path | None = None
) -> Estimate:
    """Mean rating of how well releases hold together, 1 to 5, by a language model with a rubric for their kind."""
    read = load_prompt(prompt, "judge-coherence", ("rubric", "text"))
    rubrics = table(read, "rubrics")
    if kind not in rubrics:
        raise RecipeError(f"coherence has no rubric for kind = {kind!r}: {suggest(kind, rubrics)}")
    judge = Judge[int](chat, read, _rating, _COHERENCE_ANSWER)
    rubric = rubrics[kind].strip()
    most = judge.text_budget({"rubric": rubric, "text": ""})
    texts = {release.document.id: (release.document.text, release.text) for release in releases}
    cut = {text: parts(text, most) for pair in texts.values() for text in pair}
    asked = [part for own in cut.values() for part in own]
    answers = iter(judge.ask([{"rubric": rubric, "text": part} for part in asked]))
    ratings = {text: [next(answers) for _ in own] for text, own in cut.items()}
    rated = {text: _weighted(cut[text], own) for text, own in ratings.items()}
    before = {key: rated[original] for key, (original, _) in texts.items()}
    after = {key: rated[released] for key, (_, released) in texts.items()}
    given = [one for _, released in texts.values() for one in ratings[released]]
    said = {
        "prompt": read.name,
        "on_originals": average(before.values()),
        "change": change(before, after),
        "ratings": {str(key): count for key, count in sorted(Counter(one for one in given if one).items())},
        "cut": sum(len(cut[released]) > 1 for _, released in texts.values()),
        "empty": sum(not cut[released] for _, released in texts.values()),
        "unreadable": sum(one is None for one in given),
        **addressed(released for _, released in texts.values()),
    }
    return with_cost(mean(after, said, why_none=UNREADABLE if given else "every release is empty"), judge)


def _rating(answer: str, question: Mapping[str, str]) -> int | None:
    return whole((parse_object(answer) or {}).get("rating"), LOWEST_COHERENCE, HIGHEST_COHERENCE)


def _weighted(texts: Sequence[str], ratings: Sequence[int | None]) -> float | None:
    """The mean over a text's parts, by their lengths; parts without a readable rating are left out."""
    known = [(len(text), one) for text, one in zip(texts, ratings, strict=True) if one is not None]
    total = sum(size for size, _ in known)
    return sum(size * one for size, one in known) / total if total else None


# -- Is a release readable, does it mean the same, does it add claims? One request a document answers all three.
#
# The three metrics ask the same; in one run the answers are remembered, so that the later ones cost nothing.
# The utility judge of adversarial anonymization (Staab et al., Large language models are advanced anonymizers), which
# Xin et al. (2025) compare with.


LOWEST_GRADE, HIGHEST_GRADE = 1, 10
_GRADE = {"type": "integer", "enum": list(range(LOWEST_GRADE, HIGHEST_GRADE + 1))}
_RELEASE_ANSWER = schema(
    {"reason": {"type": "string"}, "readability": _GRADE, "meaning": _GRADE, "adds": {"type": "boolean"}}
)

Pairs = list[tuple[str, str]]
"""A document's original beside its release, in parts where they are long."""


class Answer(NamedTuple):
    """What the judge says of one pair of texts."""

    readability: int
    meaning: int
    adds: bool


@dataclass(frozen=True)
class Judged:
    """What the judge said of releases, and what each of the three scores says of that."""

    answers: Mapping[str, list[tuple[int, Answer]]]
    """By document: how long a part is, and the answer. Empty where none could be read."""
    said: Mapping[str, Any]
    why_none: str

    def mean(self, grade: Callable[[Answer], float]) -> Estimate:
        """The mean over documents, each the mean over its parts by their lengths."""
        values = {
            key: sum(size * grade(one) for size, one in own) / sum(size for size, _ in own) if own else None
            for key, own in self.answers.items()
        }
        return mean(values, self.said, why_none=self.why_none)

    def share(self, holds: Callable[[Answer], bool]) -> Estimate:
        """The share of documents with a part of which it holds."""
        known = {key: float(any(holds(one) for _, one in own)) for key, own in self.answers.items() if own}
        left_out = len(self.answers) - len(known)
        said = {**self.said, **({"left_out": left_out} if left_out else {})}
        return share_of_documents(known, said, why_none=self.why_none)


@metric("judged-readability", family="judged", cite="staab2025", higher_is_better=True)
def judged_readability(releases: Sequence[Release], chat: Chat, prompt: str | Path | None = None) -> Estimate:
    """How well releases can be read and understood beside their originals: mean grade from 1 to 10."""
    judge = _judge(chat, prompt)
    return with_cost(_judged(releases, judge).mean(lambda one: one.readability), judge)


@metric("judged-meaning", family="judged", cite="staab2025", higher_is_better=True)
def judged_meaning(releases: Sequence[Release], chat: Chat, prompt: str | Path | None = None) -> Estimate:
    """Whether releases say the same as their originals where they say anything: mean grade from 1 to 10."""
    judge = _judge(chat, prompt)
    return with_cost(_judged(releases, judge).mean(lambda one: one.meaning), judge)


@metric("judged-hallucination", family="judged", cite="staab2025", higher_is_better=False)
def judged_hallucination(releases: Sequence[Release], chat: Chat, prompt: str | Path | None = None) -> Estimate:
    """Share of releases that claim something which their originals do not."""
    judge = _judge(chat, prompt)
    return with_cost(_judged(releases, judge).share(lambda one: one.adds), judge)


def _judge(chat: Chat, prompt: str | Path | None) -> Judge[Answer]:
    return Judge(chat, load_prompt(prompt, "judge-release", ("original", "release")), _read, _RELEASE_ANSWER)


def _judged(releases: Sequence[Release], judge: Judge[Answer]) -> Judged:
    most = judge.text_budget({"original": "", "release": ""})
    pairs = {item.document.id: _pairs(item, most) for item in releases}
    asked = [pair for own in pairs.values() for pair in own or ()]
    given = iter(judge.ask([{"original": old, "release": new} for old, new in asked]))
    counts = Counter(too_long=0, empty=0, cut=0, unreadable=0)
    answers: dict[str, list[tuple[int, Answer]]] = {}
    for key, own in pairs.items():
        read = [(len(old) + len(new), next(given)) for old, new in own or ()]
        answers[key] = [(size, one) for size, one in read if one is not None]
        counts += Counter(
            too_long=own is None, empty=own == [], cut=len(own or ()) > 1, unreadable=len(read) - len(answers[key])
        )
    said = {
        "prompt": judge.prompt.name,
        **{key: counts[key] for key in ("cut", "empty", "too_long", "unreadable")},
        **addressed(item.text for item in releases),
    }
    return Judged(answers, said, UNREADABLE if asked else _why_none_asked(counts))


def _why_none_asked(counts: Mapping[str, int]) -> str:
    if counts["too_long"]:
        return (
            f"{counts['too_long']} releases are too long for the model to read beside their originals, and of a "
            "rewritten text nobody knows which parts belong together: take a model with a larger context"
        )
    return "every release is empty"


def _pairs(release: Release, room: int) -> Pairs | None:
    """Original and release in parts that belong together; None where they do not fit and nothing says which do."""
    original, released = release.document.text, release.text
    if not original.strip() or not released.strip():
        return []
    if estimate_tokens(original) + estimate_tokens(released) <= room:
        return [(original, released)]
    if release.rewrite is not None:
        return None
    found: Pairs = []
    for start, end in split_pieces(original, max(4, room * 2 // 5)):
        began, ended = release.to_released(start, end)
        if began < ended:
            start, end = release.to_original(began, ended)
        old, new = original[start:end], released[began:ended]
        if estimate_tokens(old) + estimate_tokens(new) > room:
            return None
        found.append((old, new))
    return found


def _read(answer: str, question: Mapping[str, str]) -> Answer | None:
    said = parse_object(answer) or {}
    readability, meaning = (whole(said.get(key), LOWEST_GRADE, HIGHEST_GRADE) for key in ("readability", "meaning"))
    adds = said.get("adds")
    if readability is None or meaning is None or not isinstance(adds, bool):
        return None
    return Answer(readability, meaning, adds)


# -- What do users ask for, and can it be told from the releases? Requests in 21 categories (Xin et al., 2025, A.1.1).


@metric("request-categories", family="judged", cite="xin2025", higher_is_better=True)
def request_categories(releases: Sequence[Release], chat: Chat, prompt: str | Path | None = None) -> Estimate:
    """1 - chi2 / chi2 of random labels, the labels being what a language model says each user asks for (21 kinds)."""
    read = load_prompt(prompt, "request-category", ("categories", "text"))
    categories = table(read, "categories")
    if len(categories) < 2:
        raise RecipeError(f"prompt {read.name} has {len(categories)} category in [fields.categories]: name two or more")
    names = {_folded(name): name for name in categories}
    judge = Judge[str](
        chat,
        read,
        lambda answer, question: _category(answer, names),
        schema({"category": {"type": "string", "enum": list(categories)}}),
    )
    listed = "\n".join(f"- {name}: {means}" for name, means in categories.items())
    most = judge.text_budget({"categories": listed, "text": ""})
    worded = [item for item in releases if item.document.text.strip() and item.text.strip()]
    fitting = [item for item in worded if max(estimate_tokens(item.document.text), estimate_tokens(item.text)) <= most]
    if not fitting:
        reason = "every release is empty" if not worded else "the texts are too long for the model's context"
        raise NotMeasurable(f"{reason}: give others, or a model that reads more at once")
    texts = [item.document.text for item in fitting] + [item.text for item in fitting]
    answers = judge.ask([{"categories": listed, "text": text} for text in texts])
    pairs = {
        item.document.id: (before, after)
        for item, before, after in zip(fitting, answers[: len(fitting)], answers[len(fitting) :], strict=True)
        if before is not None and after is not None
    }
    if not pairs:
        raise NotMeasurable(UNREADABLE)
    before, after = zip(*pairs.values(), strict=True)
    same = {key: float(old == new) for key, (old, new) in pairs.items()}
    said = {
        "prompt": read.name,
        "agreement": proportion(sum(same.values()), len(same)),
        "before": dict(Counter(before).most_common()),
        "after": dict(Counter(after).most_common()),
        "empty": len(releases) - len(worded),
        "too_long": len(worded) - len(fitting),
        "unreadable": len(fitting) - len(pairs),
        **addressed(item.text for item in fitting),
    }
    found = likeness(before, after, list(categories), said, paired=True)
    return with_cost(replace(found, per_document=same), judge)


def _category(answer: str, names: Mapping[str, str]) -> str | None:
    said = (parse_object(answer) or {}).get("category")
    return names.get(_folded(said)) if isinstance(said, str) else None


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
