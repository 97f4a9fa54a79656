"""Is a release readable, does it mean the same, does it add claims? One request a document answers all three.

The three metrics ask the same; in one run the answers are remembered, so that the later ones cost nothing.
The utility judge of adversarial anonymization (Staab et al., Large language models are advanced anonymizers), which
paper 003 compares with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sfumato.document import Release
from sfumato.intervals import Estimate, mean, share_of_documents
from sfumato.measures.base import charged, metric
from sfumato.measures.judges.asked import UNREADABLE, Judge, addressed, load_prompt, schema, whole
from sfumato.models.chat import Chat
from sfumato.models.chat.reading.parse import json_object
from sfumato.models.chat.windows import estimated, pieces

LOWEST, HIGHEST = 1, 10
_GRADE = {"type": "integer", "enum": list(range(LOWEST, HIGHEST + 1))}
_ANSWER = schema({"reason": {"type": "string"}, "readability": _GRADE, "meaning": _GRADE, "adds": {"type": "boolean"}})

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


@metric("judged-readability", family="judged", paper="003", higher_is_better=True)
def judged_readability(releases: Sequence[Release], chat: Chat, prompt: str | Path | None = None) -> Estimate:
    """How well releases can be read and understood beside their originals: mean grade from 1 to 10."""
    judge = _judge(chat, prompt)
    return charged(_judged(releases, judge).mean(lambda one: one.readability), judge)


@metric("judged-meaning", family="judged", paper="003", higher_is_better=True)
def judged_meaning(releases: Sequence[Release], chat: Chat, prompt: str | Path | None = None) -> Estimate:
    """Whether releases say the same as their originals where they say anything: mean grade from 1 to 10."""
    judge = _judge(chat, prompt)
    return charged(_judged(releases, judge).mean(lambda one: one.meaning), judge)


@metric("judged-hallucination", family="judged", paper="003", higher_is_better=False)
def judged_hallucination(releases: Sequence[Release], chat: Chat, prompt: str | Path | None = None) -> Estimate:
    """Share of releases that claim something which their originals do not."""
    judge = _judge(chat, prompt)
    return charged(_judged(releases, judge).share(lambda one: one.adds), judge)


def _judge(chat: Chat, prompt: str | Path | None) -> Judge[Answer]:
    return Judge(chat, load_prompt(prompt, "judge-release", ("original", "release")), _read, _ANSWER)


def _judged(releases: Sequence[Release], judge: Judge[Answer]) -> Judged:
    most = judge.room({"original": "", "release": ""})
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
    if estimated(original) + estimated(released) <= room:
        return [(original, released)]
    if release.rewrite is not None:
        return None
    found: Pairs = []
    for start, end in pieces(original, max(4, room * 2 // 5)):
        began, ended = release.to_released(start, end)
        if began < ended:
            start, end = release.to_original(began, ended)
        old, new = original[start:end], released[began:ended]
        if estimated(old) + estimated(new) > room:
            return None
        found.append((old, new))
    return found


def _read(answer: str, question: Mapping[str, str]) -> Answer | None:
    said = json_object(answer) or {}
    readability, meaning = (whole(said.get(key), LOWEST, HIGHEST) for key in ("readability", "meaning"))
    adds = said.get("adds")
    if readability is None or meaning is None or not isinstance(adds, bool):
        return None
    return Answer(readability, meaning, adds)
