"""How many replaced spans an attacker guesses: the measure of the inference attack (paper 002)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sfumato.attacks.inference.attack import GUESSES, Guesser, InferenceAttack
from sfumato.attacks.inference.match import UNREADABLE, frequent_lemmas, match
from sfumato.document import Release, Span
from sfumato.errors import InputError, NotMeasurable
from sfumato.intervals import Estimate, proportion, share
from sfumato.measures.base import charged, edited, metric
from sfumato.measures.replaced import replaced
from sfumato.models.chat import Chat

if TYPE_CHECKING:
    from sfumato.attacks.background import Background


@metric("inference-rate", family="inference", paper="002", higher_is_better=False, version=2)
def inference_rate(
    releases: Sequence[Release],
    background: Background,
    guesser: str | Guesser = "statistics",
    guesses: int = GUESSES,
    chat: Chat | None = None,
) -> Estimate:
    """Share of replaced spans of which one of five guesses, made from the release alone, matches the original."""
    changed = {release.document.id: list(replaced(release)) for release in edited(releases)}
    if not any(changed.values()):
        raise NotMeasurable("no span was replaced, so there is nothing to guess")
    attack = InferenceAttack(guesser=guesser, guesses=guesses, chat=chat)
    try:
        attack.fit(background.people)
    except InputError as error:
        raise NotMeasurable(str(error)) from error
    spans = {key: [Span(*piece.released, piece.label_seen) for piece in own] for key, own in changed.items()}
    attempts = iter(attack.run({release.document.id: release.text for release in releases}, spans))
    frequent = frequent_lemmas(release.document.text for release in releases)
    hits, totals = dict[str, float](), dict[str, float]()
    by_label: dict[str, list[bool]] = defaultdict(list)
    unreadable = 0
    for release in releases:
        found = []
        for piece in changed[release.document.id]:
            answers = [guess.answer for guess in next(attempts).guesses]
            unreadable += UNREADABLE in answers
            found.append(any(match(piece.original, answer, piece.label, frequent) for answer in answers))
            by_label[piece.label].append(found[-1])
        hits[release.document.id], totals[release.document.id] = float(sum(found)), float(len(found))
    said: dict[str, Any] = {
        "guesser": attack.guesser.name,
        "by_label": {label: proportion(sum(own), len(own)) for label, own in sorted(by_label.items())},
    }
    if unreadable:
        said["unreadable"] = unreadable
    return charged(share(hits, totals, said), attack.guesser)
