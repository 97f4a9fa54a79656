"""Metrics by a language model as judge: coherence, readability, meaning, hallucination and categories of requests."""

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
from sfumato.llm.prompt import AnswerParser, Prompt, PromptRunner, Variables, object_schema
from sfumato.llm.windows import estimate_tokens, split_pieces, text_budget
from sfumato.metrics.base import metric, with_cost
from sfumato.metrics.surface import rouge_l_f1
from sfumato.metrics.task_utility import distribution_similarity
from sfumato.statistics import Estimate, bootstrap, left_out, mean, proportion, share_of_documents
from sfumato_papers.metrics import PROMPTS

_LONGEST_ANSWER = 10_000
"""In characters; a judge is asked for one line."""
_JSON_OBJECT = re.compile(r"\{[^{}]+\}")
_PROMPT_INJECTION = re.compile(
    r"\b(?:ignore|disregard|forget|override|overrule)\b[^.\n]{0,40}\b(?:instruction|prompt|rubric|rule|order)s?\b"
    r"|\"(?:rating|readability|meaning|adds|answer|category)\"\s*:"
    r"|\byou are (?:now )?an? (?:\w+ )?(?:ai|assistant|chatbot|language model|judge|rater|evaluator)\b",
    re.IGNORECASE,
)

UNREADABLE = "the judge gave no answer that can be read: take a larger model"

T = TypeVar("T")


class LlmJudge(Generic[T]):
    """A prompt, a Chat and the parser of its answers. The same question is asked once."""

    def __init__(self, chat: Chat, prompt: Prompt, parse: AnswerParser[T], schema: Mapping[str, Any]) -> None:
        self._runner = PromptRunner(chat, prompt, _refuse_echoes(parse), schema=schema)
        self._chat, self.prompt, self.usage = chat, prompt, self._runner.usage

    def text_budget(self, variables: Variables) -> int:
        """Tokens left for a text beside these other variables. Raises NotMeasurable where none are left."""
        request = self.prompt.request(variables)
        used = sum(estimate_tokens(message.text) for message in request.messages)
        try:
            return text_budget(self._chat.context, used, request.max_tokens)
        except RecipeError as error:
            raise NotMeasurable(str(error)) from error

    def ask(self, questions: Sequence[Variables]) -> list[T | None]:
        """The parsed answers; None where one cannot be parsed."""
        keys = [tuple(sorted(question.items())) for question in questions]
        distinct = dict(zip(keys, questions, strict=True))
        answers = dict(zip(distinct, self._runner.ask(list(distinct.values())), strict=True))
        return [answers[key] for key in keys]


def load_prompt(custom: str | Path | None, name: str, variables: Collection[str]) -> Prompt:
    """The shipped prompt of a name, or the user's own file in its place."""
    return Prompt.load(PROMPTS / f"{name}.toml" if custom is None else custom, variables, shipped=PROMPTS)


def _prompt_table(prompt: Prompt, key: str) -> Mapping[str, str]:
    """The required table ``[fields.KEY]`` of a prompt: names with texts."""
    table = prompt.fields.get(key)
    if not isinstance(table, Mapping) or not table or not all(isinstance(text, str) for text in table.values()):
        raise RecipeError(f"prompt {prompt.name} has no table [fields.{key}] of names with texts: add one")
    return table


def _refuse_echoes(parse: AnswerParser[T]) -> AnswerParser[T]:
    """Refuses an answer that occurs in the texts asked about, so that a document cannot answer for the judge."""

    def parse_unless_echoed(answer: str, question: Variables) -> T | None:
        if len(answer) > _LONGEST_ANSWER:
            return None
        is_echo = any(part in text for part in _JSON_OBJECT.findall(answer) for text in question.values())
        return None if is_echo else parse(answer, question)

    return parse_unless_echoed


def _grade(value: object, low: int, high: int) -> int | None:
    """The grade in a field of an answer; None where it is none, or out of range."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    return parse_rating(str(value), low, high)


def count_prompt_injections(texts: Iterable[str]) -> dict[str, int]:
    """The setting that says how many texts address a model or write an answer for it, and may have moved the score."""
    count = sum(bool(_PROMPT_INJECTION.search(text)) for text in texts)
    return {"speaks_to_models": count} if count else {}


def change(before: Mapping[str, float | None], after: Mapping[str, float | None]) -> dict[str, Any] | None:
    """Mean of after − before over the documents that have both, with a bootstrap interval; None where none has."""
    pairs = [(before.get(key), new) for key, new in after.items()]
    differences = np.array([new - old for old, new in pairs if old is not None and new is not None], np.float64)
    if not len(differences):
        return None
    interval = bootstrap([differences], lambda drawn: drawn.mean(-1))
    return {"value": float(differences.mean()), "interval": list(interval), "n": len(differences)}


# -- Coherence: texts are rated from 1 to 5 by a rubric for their kind (Xin et al., 2025, appendix A.1.2).

LOWEST_COHERENCE, HIGHEST_COHERENCE = 1, 5
_COHERENCE_ANSWER = object_schema(
    {"reason": {"type": "string"}, "rating": {"type": "integer", "enum": [1, 2, 3, 4, 5]}}
)


@metric("coherence", family="judged", cite="xin2025", higher_is_better=True)
def coherence(
    releases: Sequence[Release],
    chat: Chat,
    kind: str = "general",
    prompt: str | Path | None = None,
    synthesized: Mapping[str, str] | None = None,
) -> Estimate:
    """Mean rating of how well releases hold together, 1 to 5, by a language model with a rubric for their kind."""
    rubric_prompt = load_prompt(prompt, "judge-coherence", ("rubric", "text"))
    rubrics = _prompt_table(rubric_prompt, "rubrics")
    if kind not in rubrics:
        raise RecipeError(f"coherence has no rubric for kind = {kind!r}: {suggest(kind, rubrics)}")
    judge = LlmJudge[int](chat, rubric_prompt, _parse_coherence, _COHERENCE_ANSWER)
    rubric = rubrics[kind].strip()
    budget = judge.text_budget({"rubric": rubric, "text": ""})
    originals = {release.document.id: release.document.text for release in releases}
    released = {release.document.id: release.text for release in releases} if synthesized is None else synthesized
    parts = {
        text: [text[slice(*part)] for part in split_pieces(text, budget)] for text in _distinct(originals, released)
    }
    questions = [{"rubric": rubric, "text": part} for text_parts in parts.values() for part in text_parts]
    answers = iter(judge.ask(questions))
    part_ratings = {text: [next(answers) for _ in text_parts] for text, text_parts in parts.items()}
    ratings = {text: _weighted_mean(zip(map(len, parts[text]), part_ratings[text], strict=True)) for text in parts}
    before = {key: ratings[text] for key, text in originals.items()}
    after = {key: ratings[text] for key, text in released.items()}
    rated_originals = [rating for rating in before.values() if rating is not None]
    released_ratings = [rating for text in released.values() for rating in part_ratings[text]]
    counts = Counter(rating for rating in released_ratings if rating)
    settings = {
        "prompt": rubric_prompt.name,
        "on_originals": float(np.mean(rated_originals)) if rated_originals else None,
        # A synthesized text stands for no original that it could be better or worse than.
        **({"change": change(before, after)} if synthesized is None else {}),
        "ratings": {str(rating): count for rating, count in sorted(counts.items())},
        "cut": sum(len(parts[text]) > 1 for text in released.values()),
        "empty": sum(not parts[text] for text in released.values()),
        "unreadable": sum(rating is None for rating in released_ratings),
        **count_prompt_injections(released.values()),
    }
    why_none = UNREADABLE if released_ratings else "every release is empty"
    return with_cost(mean(after, settings, why_none=why_none), judge)


def _distinct(originals: Mapping[str, str], released: Mapping[str, str]) -> dict[str, None]:
    """Each text once; an original beside its release where it has one."""
    keys = dict.fromkeys([*originals, *released])
    return dict.fromkeys(texts[key] for key in keys for texts in (originals, released) if key in texts)


def _parse_coherence(answer: str, question: Mapping[str, str]) -> int | None:
    return _grade((parse_object(answer) or {}).get("rating"), LOWEST_COHERENCE, HIGHEST_COHERENCE)


def _weighted_mean(sized: Iterable[tuple[int, float | None]]) -> float | None:
    """The mean over a text's parts, weighted by their lengths; parts without a readable grade are left out."""
    graded = [(size, grade) for size, grade in sized if grade is not None]
    total = sum(size for size, _ in graded)
    return sum(size * grade for size, grade in graded) / total if total else None


# -- Readability, meaning and hallucination: one request per document answers all three. The metrics share requests, and
# a run asks each request once. The utility judge of adversarial anonymization (Staab et al., 2025), which Xin et al.
# (2025) compare with.

LOWEST_GRADE, HIGHEST_GRADE = 1, 10
_GRADE = {"type": "integer", "enum": list(range(LOWEST_GRADE, HIGHEST_GRADE + 1))}
_RELEASE_ANSWER = object_schema(
    {"reason": {"type": "string"}, "readability": _GRADE, "meaning": _GRADE, "adds": {"type": "boolean"}}
)


class Judgement(NamedTuple):
    """The judge's answer on one pair of texts."""

    readability: int
    meaning: int
    adds: bool


@dataclass(frozen=True)
class Judgements:
    """The judge's answers on releases, and the settings of the three scores."""

    by_document: Mapping[str, list[tuple[int, Judgement]]]
    """Length and judgement of each part that has a readable answer."""
    settings: Mapping[str, Any]
    why_none: str

    def mean(self, grade: Callable[[Judgement], float]) -> Estimate:
        """The mean over documents, each the mean over its parts weighted by their lengths."""
        graded = {key: [(size, grade(part)) for size, part in parts] for key, parts in self.by_document.items()}
        values = {key: _weighted_mean(parts) for key, parts in graded.items()}
        return mean(values, self.settings, why_none=self.why_none)

    def share(self, holds: Callable[[Judgement], bool]) -> Estimate:
        """The share of documents with a part for which ``holds`` is true."""
        judged = {key: float(any(holds(part) for _, part in parts)) for key, parts in self.by_document.items() if parts}
        settings = {**self.settings, **left_out(len(self.by_document), len(judged))}
        return share_of_documents(judged, settings, why_none=self.why_none)


@metric("judged-readability", family="judged", cite="staab2025", higher_is_better=True)
def judged_readability(releases: Sequence[Release], chat: Chat, prompt: str | Path | None = None) -> Estimate:
    """How well releases can be read and understood beside their originals: mean grade from 1 to 10."""
    judge, judgements = _judge_releases(releases, chat, prompt)
    return with_cost(judgements.mean(lambda judgement: judgement.readability), judge)


@metric("judged-meaning", family="judged", cite="staab2025", higher_is_better=True)
def judged_meaning(releases: Sequence[Release], chat: Chat, prompt: str | Path | None = None) -> Estimate:
    """Whether releases say the same as their originals where they say anything: mean grade from 1 to 10."""
    judge, judgements = _judge_releases(releases, chat, prompt)
    return with_cost(judgements.mean(lambda judgement: judgement.meaning), judge)


@metric("judged-utility", family="judged", cite="oh2026", higher_is_better=True)
def judged_utility(releases: Sequence[Release], chat: Chat, prompt: str | Path | None = None) -> Estimate:
    """Combined utility: the mean of judged readability / 10, judged meaning / 10 and ROUGE-L, by document."""
    judge, judgements = _judge_releases(releases, chat, prompt)
    readability = judgements.mean(lambda judgement: judgement.readability)
    meaning = judgements.mean(lambda judgement: judgement.meaning)
    values: dict[str, float | None] = dict.fromkeys(judgements.by_document)
    for release in releases:
        key, overlap = release.document.id, rouge_l_f1(release.document.text, release.text)
        if key in readability.per_document and overlap is not None:
            values[key] = (readability.per_document[key] / 10 + meaning.per_document[key] / 10 + overlap) / 3
    parts = {"readability": readability.value, "meaning": meaning.value}
    return with_cost(mean(values, {**judgements.settings, **parts}, why_none=judgements.why_none), judge)


@metric("judged-hallucination", family="judged", cite="staab2025", higher_is_better=False)
def judged_hallucination(releases: Sequence[Release], chat: Chat, prompt: str | Path | None = None) -> Estimate:
    """Share of releases that claim something which their originals do not."""
    judge, judgements = _judge_releases(releases, chat, prompt)
    return with_cost(judgements.share(lambda judgement: judgement.adds), judge)


def _judge_releases(
    releases: Sequence[Release], chat: Chat, prompt: str | Path | None
) -> tuple[LlmJudge[Judgement], Judgements]:
    release_prompt = load_prompt(prompt, "judge-release", ("original", "release"))
    judge = LlmJudge(chat, release_prompt, _parse_judgement, _RELEASE_ANSWER)
    budget = judge.text_budget({"original": "", "release": ""})
    pairs = {release.document.id: _paired_parts(release, budget) for release in releases}
    questions = [{"original": old, "release": new} for parts in pairs.values() for old, new in parts or ()]
    answers = iter(judge.ask(questions))
    counts = Counter(too_long=0, empty=0, cut=0, unreadable=0)
    by_document: dict[str, list[tuple[int, Judgement]]] = {}
    for key, parts in pairs.items():
        read = [(len(old) + len(new), next(answers)) for old, new in parts or ()]
        by_document[key] = [(size, judgement) for size, judgement in read if judgement is not None]
        counts += Counter(
            too_long=parts is None,
            empty=parts == [],
            cut=len(parts or ()) > 1,
            unreadable=len(read) - len(by_document[key]),
        )
    settings = {
        "prompt": judge.prompt.name,
        **{key: counts[key] for key in ("cut", "empty", "too_long", "unreadable")},
        **count_prompt_injections(release.text for release in releases),
    }
    why_none = UNREADABLE if questions else "every release is empty"
    if not questions and counts["too_long"]:
        why_none = (
            f"{counts['too_long']} releases are too long for the model to read beside their originals, and of a "
            "rewritten text nobody knows which parts belong together: take a model with a larger context"
        )
    return judge, Judgements(by_document, settings, why_none)


def _paired_parts(release: Release, budget: int) -> list[tuple[str, str]] | None:
    """Original and release in corresponding parts; None where they do not fit and the correspondence is unknown."""
    original, released = release.document.text, release.text
    if not original.strip() or not released.strip():
        return []
    if estimate_tokens(original) + estimate_tokens(released) <= budget:
        return [(original, released)]
    if release.rewrite is not None:
        return None
    pairs = []
    for start, end in split_pieces(original, max(4, budget * 2 // 5)):
        released_start, released_end = release.to_released(start, end)
        if released_start < released_end:
            start, end = release.to_original(released_start, released_end)
        old, new = original[start:end], released[released_start:released_end]
        if estimate_tokens(old) + estimate_tokens(new) > budget:
            return None
        pairs.append((old, new))
    return pairs


def _parse_judgement(answer: str, question: Mapping[str, str]) -> Judgement | None:
    fields = parse_object(answer) or {}
    readability, meaning = (_grade(fields.get(key), LOWEST_GRADE, HIGHEST_GRADE) for key in ("readability", "meaning"))
    adds = fields.get("adds")
    if readability is None or meaning is None or not isinstance(adds, bool):
        return None
    return Judgement(readability, meaning, adds)


# -- Categories of requests: what users ask for, before and after (Xin et al., 2025, appendix A.1.1).


@metric("request-categories", family="judged", cite="xin2025", higher_is_better=True)
def request_categories(releases: Sequence[Release], chat: Chat, prompt: str | Path | None = None) -> Estimate:
    """1 - chi2 / chi2 of random labels, the labels being what a language model says each user asks for (21 kinds)."""
    category_prompt = load_prompt(prompt, "request-category", ("categories", "text"))
    categories = _prompt_table(category_prompt, "categories")
    if len(categories) < 2:
        raise RecipeError(f"prompt {category_prompt.name} has 1 category in [fields.categories]: name two or more")
    names = {_normalize(name): name for name in categories}
    judge = LlmJudge[str](
        chat,
        category_prompt,
        lambda answer, question: _parse_category(answer, names),
        object_schema({"category": {"type": "string", "enum": list(categories)}}),
    )
    listed = "\n".join(f"- {name}: {means}" for name, means in categories.items())
    budget = judge.text_budget({"categories": listed, "text": ""})
    worded = [item for item in releases if item.document.text.strip() and item.text.strip()]
    fitting = [
        item for item in worded if max(estimate_tokens(item.document.text), estimate_tokens(item.text)) <= budget
    ]
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
    settings = {
        "prompt": category_prompt.name,
        "agreement": proportion(sum(same.values()), len(same)),
        "before": dict(Counter(before).most_common()),
        "after": dict(Counter(after).most_common()),
        "empty": len(releases) - len(worded),
        "too_long": len(worded) - len(fitting),
        "unreadable": len(fitting) - len(pairs),
        **count_prompt_injections(item.text for item in fitting),
    }
    estimate = distribution_similarity(before, after, list(categories), settings, paired=True)
    return with_cost(replace(estimate, per_document=same), judge)


def _parse_category(answer: str, names: Mapping[str, str]) -> str | None:
    category = (parse_object(answer) or {}).get("category")
    return names.get(_normalize(category)) if isinstance(category, str) else None


def _normalize(name: str) -> str:
    return " ".join(name.casefold().split())
