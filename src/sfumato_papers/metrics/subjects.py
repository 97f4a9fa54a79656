"""Metrics of the subject attack: the share of people's attributes that cannot be inferred (Oh et al., 2026).

S of a subject's tag is 1 where the attacker has it right, 0.5 where less precisely, 0 where not. S_i is their sum over
a subject's tags, A_i the number of tags that the ground truth gives with certainty 3 or more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sfumato.attacks.base import CHAT, resolve
from sfumato.document import Release
from sfumato.errors import NotMeasurable
from sfumato.llm.chat import Chat
from sfumato.metrics.base import metric, with_cost
from sfumato.statistics import Estimate, ratio, wilson
from sfumato_papers.attacks.subjects.alignment import MentionAligner, People, SubjectAligner
from sfumato_papers.attacks.subjects.attack import ChatAligner, ChatJudge, SubjectAttack
from sfumato_papers.attacks.subjects.matching import (
    AttributeJudge,
    PreparingJudge,
    SharedWords,
    Subject,
    open_questions,
    read_subjects,
    score_pair,
)
from sfumato_papers.attacks.subjects.profiler import Profiler


@dataclass(frozen=True)
class SubjectResult:
    """A subject of a document, S by tag for the attacker's guesses, and whether the attacker found them at all."""

    document_id: str
    subject: Subject
    agreements: Mapping[str, float]
    is_found: bool

    @property
    def inferable(self) -> int:
        """A_i."""
        return len(self.agreements)

    @property
    def inferred(self) -> float:
        """S_i."""
        return sum(self.agreements.values())


Parts = Callable[[SubjectResult], tuple[float, float]]
"""From a subject, what is added to the numerator and to the denominator of a protection rate."""


@metric("cpr", family="subjects", cite="oh2026", higher_is_better=True)
def collective_protection(
    releases: Sequence[Release],
    subjects: Mapping[str, Any],
    profiler: str | Profiler = "rules",
    judge: str | AttributeJudge | None = None,
    aligner: str | SubjectAligner | None = None,
    certainty: int = 3,
    chat: Chat | None = None,
) -> Estimate:
    """Share of all attributes of all people that an attacker cannot infer: CPR = 1 − ΣS_i / ΣA_i."""
    return _protection_rate(releases, subjects, profiler, judge, aligner, certainty, chat, _attributes)


@metric("ipr", family="subjects", cite="oh2026", higher_is_better=True)
def individual_protection(
    releases: Sequence[Release],
    subjects: Mapping[str, Any],
    profiler: str | Profiler = "rules",
    judge: str | AttributeJudge | None = None,
    aligner: str | SubjectAligner | None = None,
    certainty: int = 3,
    chat: Chat | None = None,
) -> Estimate:
    """Mean share of a person's attributes that an attacker cannot infer: IPR = mean over people of (1 − S_i / A_i)."""

    def parts(result: SubjectResult) -> tuple[float, float]:
        return 1 - result.inferred / result.inferable, 1

    return _protection_rate(releases, subjects, profiler, judge, aligner, certainty, chat, parts)


def _attributes(result: SubjectResult) -> tuple[float, float]:
    """The attributes that are not inferred, and all."""
    return result.inferable - result.inferred, result.inferable


def _protection_rate(
    releases: Sequence[Release],
    subjects: Mapping[str, Any],
    profiler: str | Profiler,
    judge: str | AttributeJudge | None,
    aligner: str | SubjectAligner | None,
    certainty: int,
    chat: Chat | None,
    parts: Parts,
) -> Estimate:
    attack = SubjectAttack(profiler=profiler, chat=chat)
    if judge is None or isinstance(judge, str):
        without_chat: Mapping[str, Callable[[], AttributeJudge]] = {SharedWords.name: SharedWords}
        judge = resolve("judge", judge or SharedWords.name, without_chat, ChatJudge, chat)
    if aligner is None:
        # As published, wherever a language model is asked for the people anyway.
        is_chat = isinstance(profiler, str) and profiler.partition(":")[0] == CHAT
        aligner = CHAT if is_chat else MentionAligner.name
    if isinstance(aligner, str):
        aligners: Mapping[str, Callable[[], SubjectAligner]] = {MentionAligner.name: MentionAligner}
        aligner = resolve("aligner", aligner, aligners, ChatAligner, chat)
    truth = {
        release.document.id: read_subjects(release.document.id, subjects[release.document.id], certainty)
        for release in releases
        if release.document.id in subjects
    }
    if not any(subject.facts for people in truth.values() for subject in people):
        raise NotMeasurable(
            "no document has a subject with an attribute to infer: give --subject-profiles FILE with these documents' "
            f"ids, and attributes of certainty {certainty} or more"
        )
    originals = {item.document.id: item.document.text for item in releases}
    released = {item.document.id: item.text for item in releases}
    results = attack_subjects(attack, truth, originals, released, aligner, judge)
    on_originals = attack_subjects(attack, truth, originals, originals, aligner, judge)
    settings = {
        "profiler": attack.profiler.name,
        "aligner": aligner.name,
        "judge": judge.name,
        "subjects": len(results),
        "found": sum(result.is_found for result in results),
        "undescribed": sum(not result.subject.description for result in results),
        "attributes": sum(len(result.agreements) for result in results),
        "without_attributes": sum(not subject.facts for people in truth.values() for subject in people),
        "without_subjects": len(releases) - len(truth),
        "on_originals": _rate(on_originals, parts).value,
        "by_tag": _groups(results, lambda subject, tag: tag),
        "by_hardness": _groups(results, lambda subject, tag: str(min(fact.hardness for fact in subject.facts[tag]))),
        "by_target": {
            name: {"value": _rate(group, parts).value, "subjects": len(group)}
            for name, is_target in (("target", True), ("others", False))
            if (group := [result for result in results if result.subject.is_target == is_target])
        },
    }
    if targets := [result for result in results if result.subject.is_target]:
        single = _rate(targets, _attributes)
        settings["one_minus_aac"] = {"value": single.value, "interval": list(single.interval), "subjects": len(targets)}
    estimate = with_cost(replace(_rate(results, parts), settings=settings), attack.profiler, aligner, judge)
    if estimate.cost:
        settings["unreadable"] = estimate.cost["unreadable"]
    return estimate


def attack_subjects(
    attack: SubjectAttack,
    truth: Mapping[str, Sequence[Subject]],
    originals: Mapping[str, str],
    released: Mapping[str, str],
    aligner: SubjectAligner,
    judge: AttributeJudge,
) -> list[SubjectResult]:
    """Every subject with an attribute to infer, and what the attack makes of the released texts (id -> text)."""
    profiles = attack.profiles({identifier: released[identifier] for identifier in truth})
    documents = [People(truth[key], profiles[key], originals[key], released[key]) for key in truth]
    # People without facts are aligned, too: a profile that is theirs is nobody else's.
    aligned = [
        (identifier, subject, profile)
        for identifier, pairs in zip(truth, aligner.align(documents), strict=True)
        for subject, profile in pairs
        if subject.facts
    ]
    if isinstance(judge, PreparingJudge):
        judge.prepare(list(open_questions((subject, profile) for _, subject, profile in aligned)))
    return [
        SubjectResult(identifier, subject, score_pair(subject, profile, judge), profile is not None)
        for identifier, subject, profile in aligned
    ]


def _rate(results: Sequence[SubjectResult], parts: Parts) -> Estimate:
    numerators, denominators = defaultdict[str, float](float), defaultdict[str, float](float)
    for result in results:
        numerator, denominator = parts(result)
        numerators[result.document_id] += numerator
        denominators[result.document_id] += denominator
    return ratio_with_wilson(numerators, denominators)


def ratio_with_wilson(numerators: Mapping[str, float], denominators: Mapping[str, float]) -> Estimate:
    """A ratio bootstrapped over documents, with an interval no narrower than Wilson's over all that is counted.

    What never failed in a few documents is not certain never to fail, which a bootstrap cannot tell.
    """
    estimate = ratio(numerators, denominators)
    low, high = wilson(sum(numerators.values()), round(sum(denominators.values())))
    interval = (min(low, estimate.interval[0]), max(high, estimate.interval[1]))
    return Estimate(estimate.value, interval, estimate.n, estimate.per_document)


def _groups(results: Sequence[SubjectResult], group: Callable[[Subject, str], str]) -> dict[str, dict[str, float]]:
    """1 − S/A of the attributes of each group."""
    sums, counts = defaultdict[str, float](float), defaultdict[str, int](int)
    for result in results:
        for tag, score in result.agreements.items():
            name = group(result.subject, tag)
            sums[name] += score
            counts[name] += 1
    return {name: {"value": 1 - sums[name] / counts[name], "attributes": counts[name]} for name in sorted(counts)}
