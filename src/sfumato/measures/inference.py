"""How many replaced spans an attacker guesses: the measure of the inference attack (paper 002)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sfumato.attacks.inference.attack import GUESSES, Guesser, InferenceAttack
from sfumato.attacks.inference.match import UNREADABLE, frequent_lemmas, match
from sfumato.corpus.align import ALIGNED
from sfumato.document import LABELS, Edit, Release, Span
from sfumato.errors import InputError, NotMeasurable
from sfumato.intervals import Estimate, share, wilson
from sfumato.knowledge.read_dates import read_dates
from sfumato.measures.base import charged, edited, metric
from sfumato.models.chat import Chat

if TYPE_CHECKING:
    from sfumato.attacks.background import Background

UNKNOWN = "UNKNOWN"
"""The label where nobody recorded one: in mask files, and in edits found by comparing texts."""
MASKED = "mask"
"""The source of an edit that was read from a mask file."""
_PLACEHOLDER = re.compile(rf"\W*({'|'.join(LABELS)})(?:_\d+)?\W*")


@metric("inference-rate", family="inference", paper="002", higher_is_better=False, version=2)
def inference_rate(
    releases: Sequence[Release],
    background: Background,
    guesser: str | Guesser = "statistics",
    guesses: int = GUESSES,
    chat: Chat | None = None,
) -> Estimate:
    """Share of replaced spans of which one of five guesses, made from the release alone, matches the original."""
    changed = {release.document.id: list(_changed(release)) for release in edited(releases)}
    if not any(changed.values()):
        raise NotMeasurable("no span was replaced, so there is nothing to guess")
    attack = InferenceAttack(guesser=guesser, guesses=guesses, chat=chat)
    try:
        attack.fit(background.people)
    except InputError as error:
        raise NotMeasurable(str(error)) from error
    spans = {
        key: [Span(piece.start, piece.end, label_seen(piece.edit)) for piece in own] for key, own in changed.items()
    }
    attempts = iter(attack.run({release.document.id: release.text for release in releases}, spans))
    frequent = frequent_lemmas(release.document.text for release in releases)
    hits, totals = dict[str, float](), dict[str, float]()
    by_label: dict[str, list[bool]] = defaultdict(list)
    unreadable = 0
    for release in releases:
        found = []
        for piece in changed[release.document.id]:
            label = _label(piece.edit, piece.original)
            answers = [guess.answer for guess in next(attempts).guesses]
            unreadable += UNREADABLE in answers
            found.append(any(match(piece.original, answer, label, frequent) for answer in answers))
            by_label[label].append(found[-1])
        hits[release.document.id], totals[release.document.id] = float(sum(found)), float(len(found))
    said: dict[str, Any] = {"guesser": attack.guesser.name, "by_label": _by_label(by_label)}
    if unreadable:
        said["unreadable"] = unreadable
    return charged(share(hits, totals, said), attack.guesser)


class Replaced(NamedTuple):
    """A change that hides something: what stood there, the edit, and where its replacement stands in the release."""

    original: str
    edit: Edit
    start: int
    end: int


def _changed(release: Release) -> Iterator[Replaced]:
    for piece in release.segments:
        original = release.document.text[piece.start : piece.end]
        if piece.edit and original.strip() not in ("", piece.edit.replacement.strip()):
            yield Replaced(original, piece.edit, piece.released_start, piece.released_end)


def label_seen(edit: Edit) -> str:
    """What kind of thing the attacker takes it for: what the placeholder says, else the label, if there is one."""
    placeholder = _PLACEHOLDER.fullmatch(edit.replacement)
    if placeholder:
        return placeholder[1]
    return UNKNOWN if edit.span.source in (MASKED, ALIGNED) else edit.span.label


def _label(edit: Edit, original: str) -> str:
    """By which label a guess is matched. Where none was recorded, a date is known by its form."""
    label = label_seen(edit)
    return "DATETIME" if label == UNKNOWN and read_dates(original) else label


def _by_label(found: dict[str, list[bool]]) -> dict[str, dict[str, Any]]:
    return {
        label: {"value": sum(own) / len(own), "interval": list(wilson(sum(own), len(own))), "n": len(own)}
        for label, own in sorted(found.items())
    }
