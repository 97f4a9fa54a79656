"""How much of the people in a text stays private: the measures of the subject attack (Oh et al., 2026).

S of a subject's tag is 1 where the attacker has it right, 0.5 where less precisely, 0 where not. S_i is their sum over
a subject's tags, A_i the number of tags that the ground truth gives with certainty 3 or more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sfumato.attacks.base import resolve
from sfumato.attacks.subjects.attack import (
    ChatJudge,
    Subject,
    SubjectAttack,
    align_subjects,
    open_questions,
    read_subjects,
)
from sfumato.attacks.subjects.matching import AttributeJudge
from sfumato.attacks.subjects.profiler import Profiler
from sfumato.document import Release
from sfumato.errors import NotMeasurable
from sfumato.llm.chat import Chat
from sfumato.metrics.base import metric, with_cost
from sfumato.statistics import Estimate, ratio, wilson

WORDS = "shared words"
"""The judge of attributes where none is named: what no rule decides is decided by the words that two values share."""


@dataclass(frozen=True)
class Known:
    """A subject of a document, and S by tag as the attacker came by it."""

    document_id: str
    subject: Subject
    agreements: Mapping[str, float]

    @property
    def protected(self) -> float:
        """1 − S_i/A_i."""
        return 1 - sum(self.agreements.values()) / len(self.agreements)


@metric("cpr", family="subjects", cite="oh2026", higher_is_better=True)
def collective_protection(
    releases: Sequence[Release],
    subjects: Mapping[str, Any],
    profiler: str | Profiler = "rules",
    judge: str | AttributeJudge | None = None,
    certainty: int = 3,
    chat: Chat | None = None,
) -> Estimate:
    """Share of all attributes of all people that an attacker cannot infer: CPR = 1 − ΣS_i / ΣA_i."""
    attack, compared = SubjectAttack(profiler=profiler, chat=chat), _judge(judge, chat)
    return _measured(releases, subjects, attack, compared, certainty, _collective)


@metric("ipr", family="subjects", cite="oh2026", higher_is_better=True)
def individual_protection(
    releases: Sequence[Release],
    subjects: Mapping[str, Any],
    profiler: str | Profiler = "rules",
    judge: str | AttributeJudge | None = None,
    certainty: int = 3,
    chat: Chat | None = None,
) -> Estimate:
    """Mean share of a person's attributes that an attacker cannot infer: IPR = mean over people of (1 − S_i / A_i)."""
    attack, compared = SubjectAttack(profiler=profiler, chat=chat), _judge(judge, chat)
    return _measured(releases, subjects, attack, compared, certainty, _individual)


def _measured(
    releases: Sequence[Release],
    subjects: Mapping[str, Any],
    attack: SubjectAttack,
    judge: AttributeJudge | None,
    certainty: int,
    rate: Callable[[Sequence[Known]], Estimate],
) -> Estimate:
    truth = {
        release.document.id: read_subjects(release.document.id, subjects[release.document.id], certainty)
        for release in releases
        if release.document.id in subjects
    }
    if not any(subject.facts for people in truth.values() for subject in people):
        raise NotMeasurable(
            "no document has a subject with an attribute to infer: give --subject-profiles FILE with these documents' ids, and "
            f"attributes of certainty {certainty} or more"
        )
    known = attacked(attack, truth, {item.document.id: item.text for item in releases}, judge)
    plain = attacked(attack, truth, {item.document.id: item.document.text for item in releases}, judge)
    settings = {
        "profiler": attack.profiler.name,
        "judge": judge.name if judge else WORDS,
        "subjects": len(known),
        "attributes": sum(len(one.agreements) for one in known),
        "without_attributes": sum(not subject.facts for people in truth.values() for subject in people),
        "without_subjects": len(releases) - len(truth),
        "on_originals": rate(plain).value,
        "by_tag": _groups(known, lambda subject, tag: tag),
        "by_hardness": _groups(known, lambda subject, tag: str(min(fact.hardness for fact in subject.facts[tag]))),
        "by_target": {
            name: {"value": rate(own).value, "subjects": len(own)}
            for name, own in (
                ("target", [one for one in known if one.subject.is_target]),
                ("others", [one for one in known if not one.subject.is_target]),
            )
            if own
        },
    }
    found = with_cost(replace(rate(known), settings=settings), attack.profiler, judge)
    if found.cost:
        settings["unreadable"] = found.cost["unreadable"]
    return found


def _judge(judge: str | AttributeJudge | None, chat: Chat | None) -> AttributeJudge | None:
    return resolve("judge", judge, {WORDS: lambda: None}, ChatJudge, chat) if isinstance(judge, str) else judge


def attacked(
    attack: SubjectAttack,
    truth: Mapping[str, Sequence[Subject]],
    texts: Mapping[str, str],
    judge: AttributeJudge | None = None,
) -> list[Known]:
    """Every subject with an attribute to infer, and what the attack makes of the texts (id -> text)."""
    profiles = attack.profiles({identifier: texts[identifier] for identifier in truth})
    if prepare := getattr(judge, "prepare", None):
        prepare([open_ for key, people in truth.items() for open_ in open_questions(people, profiles[key])])
    found = []
    for identifier, people in truth.items():
        counted = [subject for subject in people if subject.facts]
        for subject, agreements in zip(counted, align_subjects(counted, profiles[identifier], judge), strict=True):
            found.append(Known(identifier, subject, agreements))
    return found


def _collective(known: Sequence[Known]) -> Estimate:
    above, below = defaultdict[str, float](float), defaultdict[str, float](float)
    for one in known:
        above[one.document_id] += len(one.agreements) - sum(one.agreements.values())
        below[one.document_id] += len(one.agreements)
    return rate_of(above, below)


def _individual(known: Sequence[Known]) -> Estimate:
    above, below = defaultdict[str, float](float), defaultdict[str, float](float)
    for one in known:
        above[one.document_id] += one.protected
        below[one.document_id] += 1
    return rate_of(above, below)


def rate_of(above: Mapping[str, float], below: Mapping[str, float]) -> Estimate:
    """A ratio bootstrapped over documents, with an interval no narrower than Wilson's over all that is counted.

    What never failed in a few documents is not certain never to fail, which a bootstrap cannot tell.
    """
    found = ratio(above, below)
    low, high = wilson(sum(above.values()), round(sum(below.values())))
    interval = (min(low, found.interval[0]), max(high, found.interval[1]))
    return Estimate(found.value, interval, found.n, found.per_document)


def _groups(known: Sequence[Known], group: Callable[[Subject, str], str]) -> dict[str, dict[str, float]]:
    """1 − S/A of the attributes of each group."""
    sums, counts = defaultdict[str, float](float), defaultdict[str, int](int)
    for one in known:
        for tag, score in one.agreements.items():
            name = group(one.subject, tag)
            sums[name] += score
            counts[name] += 1
    return {name: {"value": 1 - sums[name] / counts[name], "attributes": counts[name]} for name in sorted(counts)}
