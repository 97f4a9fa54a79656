"""What do users ask for, and can it still be told from the releases? Requests in 21 categories (paper 003, A.1.1)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from sfumato.document import Release
from sfumato.errors import NotMeasurable, RecipeError
from sfumato.intervals import Estimate, proportion
from sfumato.measures.base import charged, metric
from sfumato.measures.judges.asked import UNREADABLE, Judge, addressed, load_prompt, schema, table
from sfumato.measures.labels import likeness
from sfumato.models.chat import Chat
from sfumato.models.chat.reading.parse import json_object
from sfumato.models.chat.windows import estimated


@metric("request-categories", family="judged", paper="003", higher_is_better=True)
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
    most = judge.room({"categories": listed, "text": ""})
    worded = [item for item in releases if item.document.text.strip() and item.text.strip()]
    fitting = [item for item in worded if max(estimated(item.document.text), estimated(item.text)) <= most]
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
    return charged(replace(found, per_document=same), judge)


def _category(answer: str, names: Mapping[str, str]) -> str | None:
    said = (json_object(answer) or {}).get("category")
    return names.get(_folded(said)) if isinstance(said, str) else None


def _folded(name: str) -> str:
    return " ".join(name.casefold().split())
