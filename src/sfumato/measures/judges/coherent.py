"""Does a text hold together? A judge rates it from 1 to 5 by a rubric for its kind (paper 003, appendix A.1.2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from sfumato.document import Release
from sfumato.errors import RecipeError, suggest
from sfumato.intervals import Estimate, mean
from sfumato.measures.base import charged, metric
from sfumato.measures.judges.asked import (
    UNREADABLE,
    Judge,
    addressed,
    average,
    change,
    load_prompt,
    parts,
    schema,
    table,
    whole,
)
from sfumato.models.chat import Chat
from sfumato.models.chat.reading.parse import json_object

LOWEST, HIGHEST = 1, 5
_ANSWER = schema({"reason": {"type": "string"}, "rating": {"type": "integer", "enum": [1, 2, 3, 4, 5]}})


@metric("coherence", family="judged", paper="003", higher_is_better=True)
def coherence(
    releases: Sequence[Release], chat: Chat, kind: str = "general", prompt: str | Path | None = None
) -> Estimate:
    """Mean rating of how well releases hold together, 1 to 5, by a language model with a rubric for their kind."""
    read = load_prompt(prompt, "judge-coherence", ("rubric", "text"))
    rubrics = table(read, "rubrics")
    if kind not in rubrics:
        raise RecipeError(f"coherence has no rubric for kind = {kind!r}: {suggest(kind, rubrics)}")
    judge = Judge[int](chat, read, _rating, _ANSWER)
    rubric = rubrics[kind].strip()
    most = judge.room({"rubric": rubric, "text": ""})
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
    return charged(mean(after, said, why_none=UNREADABLE if given else "every release is empty"), judge)


def _rating(answer: str, question: Mapping[str, str]) -> int | None:
    return whole((json_object(answer) or {}).get("rating"), LOWEST, HIGHEST)


def _weighted(texts: Sequence[str], ratings: Sequence[int | None]) -> float | None:
    """The mean over a text's parts, by their lengths; parts without a readable rating are left out."""
    known = [(len(text), one) for text, one in zip(texts, ratings, strict=True) if one is not None]
    total = sum(size for size, _ in known)
    return sum(size * one for size, one in known) / total if total else None
