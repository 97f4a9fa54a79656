"""Re-identification risk by linkage attacks, and the success rate of the inference attack."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sfumato.attacks.inference import GUESSES, UNREADABLE, Guesser, InferenceAttack, frequent_lemmas, is_match
from sfumato.attacks.risk import Attempts, RankChoice, any_attack_risk, find_strongest, hit_probability, linkage_risk
from sfumato.attacks.suite import LazyAttempts
from sfumato.document import Attempt, Release, Span
from sfumato.errors import InputError, NotMeasurable
from sfumato.llm.chat import Chat
from sfumato.metrics.base import metric, require_edits, with_cost
from sfumato.metrics.mentions import replaced_spans
from sfumato.statistics import Estimate, proportion, share

if TYPE_CHECKING:
    from sfumato.attacks.background import Background


@metric("risk", family="risk", higher_is_better=False)
def strongest_attack(
    releases: Sequence[Release], attempts: Attempts, background: Background, rank: RankChoice = "first"
) -> Estimate:
    """Share of releases whose person the strongest single attack finds.

    ``rank = "best"``: at the rank that pays best, for releases made by a method that itself looks at ranks.
    """
    by_attack = {name: linkage_risk(attack_attempts) for name, attack_attempts in attempts.items()}
    name, strongest = find_strongest(by_attack, rank)
    settings = {
        "attack": name,
        "at_rank": strongest.rank,
        **background_facts(releases, attempts[name], background),
    }
    if attack_settings := attack_options(attempts, name):
        settings["attack_settings"] = attack_settings
    per_document = {attempt.document_id: hit_probability(attempt, strongest.rank) for attempt in attempts[name]}
    return Estimate(strongest.risk, strongest.interval, by_attack[name].n, per_document, settings)


@metric("risk-any", family="risk", higher_is_better=False)
def any_attack(releases: Sequence[Release], attempts: Attempts, background: Background) -> Estimate:
    """Share of releases whose person at least one attack finds; grows with every attack, and is no single attacker."""
    any_risk = any_attack_risk(attempts, len(background))
    per_document = {key: float(is_linked) for key, is_linked in any_risk.documents.items()}
    settings = {
        "attacks": list(attempts),
        **background_facts(releases, next(iter(attempts.values())), background),
    }
    settings["chance"] = any_risk.chance
    return Estimate(any_risk.risk, any_risk.interval, len(per_document), per_document, settings)


def attack_options(attempts: Attempts, name: str) -> dict[str, Any]:
    return dict(attempts.settings.get(name, {})) if isinstance(attempts, LazyAttempts) else {}


def background_facts(
    releases: Sequence[Release], attempts: Sequence[Attempt], background: Background
) -> dict[str, Any]:
    settings = {"people": len(background), "chance": 1 / len(background)}
    if without_background := len(releases) - len(attempts):
        settings["without_background"] = without_background
    return settings


@metric("inference-rate", family="inference", cite="pilan2025", higher_is_better=False, version=3)
def inference_rate(
    releases: Sequence[Release],
    background: Background,
    guesser: str | Guesser = "statistics",
    guesses: int = GUESSES,
    chat: Chat | None = None,
) -> Estimate:
    """Share of replaced spans of which one of five guesses, made from the release alone, matches the original."""
    changed = {release.document.id: list(replaced_spans(release)) for release in require_edits(releases)}
    if not any(changed.values()):
        raise NotMeasurable("no span was replaced, so there is nothing to guess")
    attack = InferenceAttack(guesser=guesser, guesses=guesses, chat=chat)
    try:
        attack.fit(background.people)
    except InputError as error:
        raise NotMeasurable(str(error)) from error
    spans = {key: [Span(*item.released, item.visible_label) for item in items] for key, items in changed.items()}
    attempts = iter(attack.run({release.document.id: release.text for release in releases}, spans))
    frequent = frequent_lemmas(release.document.text for release in releases)
    hits, totals = dict[str, float](), dict[str, float]()
    by_label: dict[str, list[bool]] = defaultdict(list)
    unreadable = 0
    for release in releases:
        hit_flags = []
        for span in changed[release.document.id]:
            answers = [guess.answer for guess in next(attempts).guesses]
            unreadable += UNREADABLE in answers
            hit_flags.append(any(is_match(span.original, answer, span.label, frequent) for answer in answers))
            by_label[span.label].append(hit_flags[-1])
        hits[release.document.id], totals[release.document.id] = float(sum(hit_flags)), float(len(hit_flags))
    settings: dict[str, Any] = {
        "guesser": attack.guesser.name,
        "by_label": {label: proportion(sum(flags), len(flags)) for label, flags in sorted(by_label.items())},
    }
    if unreadable:
        settings["unreadable"] = unreadable
    return with_cost(share(hits, totals, settings), attack.guesser)
