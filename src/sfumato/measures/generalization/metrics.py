"""Whether replacements are true of what they replaced, and say less: the measures of a generalization (paper 002)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from sfumato.attacks.by_name import chosen
from sfumato.document import Release
from sfumato.errors import NotMeasurable
from sfumato.intervals import Estimate, proportion, share
from sfumato.knowledge.subsumption.pairs import Pair, says_no_more
from sfumato.measures.base import charged, edited, metric
from sfumato.measures.generalization.judge import TableJudge, judge_pairs
from sfumato.measures.generalization.judge_by_chat import ChatPairJudge
from sfumato.measures.generalization.pairs import PairJudge, Verdict
from sfumato.measures.replaced import replaced
from sfumato.measures.terms import language_of
from sfumato.models.chat import Chat

JUDGES: Mapping[str, Callable[[], PairJudge]] = {"tables": TableJudge}
_AROUND = 300
"""Characters on each side that a judge sees."""


@metric("truthful", family="generalization", paper="002", higher_is_better=True)
def truthful_share(
    releases: Sequence[Release], judge: str | PairJudge = "tables", chat: Chat | None = None
) -> Estimate:
    """Share of replacements that are still true when read in the original's place; labels and suppressions apart."""
    return _share(releases, _judge(judge, chat), lambda verdict: verdict.truthful)


@metric("abstract", family="generalization", paper="002", higher_is_better=True)
def abstract_share(
    releases: Sequence[Release], judge: str | PairJudge = "tables", chat: Chat | None = None
) -> Estimate:
    """Share of replacements that say less than the original did; labels and suppressions apart."""
    return _share(releases, _judge(judge, chat), lambda verdict: verdict.abstract)


def _share(releases: Sequence[Release], judge: PairJudge, answer: Callable[[Verdict], bool | None]) -> Estimate:
    pairs = {release.document.id: list(changes(release)) for release in edited(releases)}
    verdicts = iter(judge_pairs([pair for own in pairs.values() for pair in own], judge))
    hits, totals = dict[str, float](), dict[str, float]()
    by_label: dict[str, list[bool]] = defaultdict(list)
    apart, decided = Counter[str](labels=0, suppressed=0, unjudged=0, type_phrases=0), Counter[str]()
    for key, own in pairs.items():
        found = []
        for pair, verdict in zip(own, verdicts, strict=False):
            said = answer(verdict)
            if verdict.kind != "replaced":
                apart["labels" if verdict.kind == "label" else "suppressed"] += 1
            elif said is None:
                apart["unjudged"] += 1
            else:
                found.append(said)
                by_label[pair.label].append(said)
                decided[verdict.because] += 1
                apart["type_phrases"] += says_no_more(pair.replacement, pair.label)
        hits[key], totals[key] = float(sum(found)), float(len(found))
    if not decided:
        raise NotMeasurable(_why_none(apart))
    said_too: dict[str, Any] = {
        "judge": judge.name,
        **apart,
        "decided_by": dict(sorted(decided.items())),
        "by_label": {label: proportion(sum(own), len(own)) for label, own in sorted(by_label.items())},
    }
    return charged(share(hits, totals, said_too), judge)


def changes(release: Release) -> Iterator[Pair]:
    """What a release put in another's place, with what stands around it in the original."""
    text = release.document.text
    language = language_of(text) or "en"
    for piece in replaced(release):
        start, end = piece.place
        around = (text[max(0, start - _AROUND) : start], text[end : end + _AROUND])
        yield Pair(piece.original, piece.edit.replacement, piece.label, *around, language)


def _judge(judge: str | PairJudge, chat: Chat | None) -> PairJudge:
    return chosen("judge", judge, JUDGES, ChatPairJudge, chat) if isinstance(judge, str) else judge


def _why_none(apart: Counter[str]) -> str:
    if not any(apart.values()):
        return "no span was replaced, so there is nothing to judge"
    if apart["unjudged"]:
        return f"the judge could not read any of {apart['unjudged']} replacements: it knows English, give another judge"
    return "every replacement is a bare label or a suppression, so there is no generalization to judge"
