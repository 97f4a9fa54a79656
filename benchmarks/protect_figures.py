"""The figures of risk-bounded release: who is found before and after, and what it cost."""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from benchmarks.protect_sets import SECRET, Corpus

from sfumato import registry
from sfumato.attacks.background import Background
from sfumato.attacks.base import LinkingAttack
from sfumato.attacks.ground_truth import match_subjects
from sfumato.attacks.risk import LinkageRisk, RiskAtRank, find_strongest, linkage_risk
from sfumato.attacks.suite import Suite, run_attack
from sfumato.document import Release, Score
from sfumato.metrics.base import MetricInput
from sfumato.models.base import Embedder, TokenScorer, load_embedder, load_scorer
from sfumato.models.cache import cached
from sfumato.protection.attackers import VERIFYING, fit_loop_attacks
from sfumato.protection.keep import Keep
from sfumato.protection.protect import protect_releases
from sfumato.protection.records import Protection
from sfumato.protection.target import Options, Target
from sfumato.statistics import Estimate, mean

FOREIGN = ("characters", "dense")
"""Fast attacks that share no features with the loop's."""
OTHER_FEATURES = (*FOREIGN, "late-interaction", "record-linkage")
"""All that share none: theirs is the verified risk, unless they joined the loop."""
ALIKE = ("bm25", "combination")
"""Attacks on the same words, weighed differently."""
SCORERS = ("default", "frequency")
Figures = dict[str, Any]


@dataclass(frozen=True)
class ProtectedDocument:
    """A corpus after the loop, and what that took."""

    corpus: Corpus
    result: Protection
    seconds: float
    processor: float

    @property
    def joined(self) -> set[str]:
        """Attacks that were to verify, found too many and took part in the loop: what they find now is no proof."""
        return set(self.result.loop_attacks).intersection(VERIFYING)

    @cached_property
    def releases(self) -> list[Release]:
        return [one.release for one in self.result.released]


def protected(
    corpus: Corpus,
    k: int,
    verifying: Sequence[str] = VERIFYING,
    keep: Keep | None = None,
    cache: Path | None = None,
) -> ProtectedDocument:
    """The corpus through the loop, without a hold-out run. ``cache``: of the background's generalizations."""
    cached = [name for name in ("joint-with-software", "late-interaction") if cache and name in verifying]
    settings = {name: {"folder": cache} for name in cached} or None
    options = Options(holdout_documents=0, attacks=verifying, settings=settings, secret=SECRET, keep=keep or Keep())
    began, used = time.perf_counter(), time.process_time()
    result = protect_releases(corpus.starts, corpus.background, Target(k), options)
    return ProtectedDocument(corpus, result, time.perf_counter() - began, time.process_time() - used)


class Attackers:
    """Attacks on one background, each fitted once: those named and, where the texts' stems are known, the loop's."""

    def __init__(self, background: Background, names: Sequence[str] = VERIFYING, stems: str | None = None) -> None:
        self._suite = Suite(background, names)
        self._own: Mapping[str, LinkingAttack] = fit_loop_attacks(stems, background.people) if stems else {}

    def found(self, releases: Sequence[Release]) -> dict[str, LinkageRisk]:
        """How often each attack finds the true person; nothing where nothing is released."""
        if not releases:
            return {}
        truth = match_subjects([release.document for release in releases], self._suite.background)
        texts = {release.document.id: release.text for release in releases}
        by_own = {name: run_attack(name, attack, texts, truth) for name, attack in self._own.items()}
        by_others = {name: self._suite.run(name, texts, truth) for name in self._suite.names}
        return {name: linkage_risk(own) for name, own in (by_own | by_others).items()}


class Information:
    """How much of the originals releases keep; what a scorer says of an original is asked once."""

    def __init__(self) -> None:
        self._embedder: Embedder = cached(load_embedder("default"))
        self._scorers: dict[str, TokenScorer] = {}

    def scorer(self, name: str) -> TokenScorer:
        if name not in self._scorers:
            self._scorers[name] = cached(load_scorer(name))
        return self._scorers[name]

    def kept(self, metric: str, releases: Sequence[Release], scorer: str) -> Score:
        """A metric of information kept (tps, tpi)."""
        found: Score = registry.get("metric", metric)(
            MetricInput(releases, scorer=self.scorer(scorer), embedder=self._embedder)
        )
        return found

    def rows(self, versions: Mapping[str, Sequence[Release]], metrics: Sequence[str]) -> list[Figures]:
        """Of each version its value; after the first, also the difference to it over the documents of both."""
        found: list[Figures] = []
        for scorer in SCORERS:
            for metric in metrics:
                scores = {name: self.kept(metric, own, scorer) for name, own in versions.items() if own}
                base = next(iter(scores.values()))
                for name, score in scores.items():
                    row = {"metric": metric, "scorer": self.scorer(scorer).name, "version": name, **value(score)}
                    found.append(row if score is base else row | {"difference": value(difference(base, score))})
        return found


def difference(before: Score, after: Score) -> Estimate:
    """Mean of after minus before, over the documents that both have, with a bootstrap interval."""
    both = before.per_document.keys() & after.per_document.keys()
    return mean({key: after.per_document[key] - before.per_document[key] for key in sorted(both)})


def value(score: Score | Estimate) -> Figures:
    return {"value": score.value, "interval": list(score.interval), "n": score.n}


def risk(found: RiskAtRank) -> Figures:
    return {"risk": found.risk, "interval": list(found.interval), "rank": found.rank}


def risks(found: Mapping[str, LinkageRisk]) -> dict[str, Figures]:
    """Of each attack: at the first rank, at the best, at the one that the other releases teach."""
    return {
        name: {"n": one.n, **{rank: risk(one.at(rank)) for rank in ("first", "best", "learned")}}
        for name, one in found.items()
    }


def strongest_of(found: Mapping[str, LinkageRisk], joined: Collection[str] = ()) -> Figures:
    """The strongest verified attack, at the best and at the learned rank; empty where there is none."""
    others = {name: found[name] for name in OTHER_FEATURES if name in found and name not in joined}
    if not others:
        return {}
    return {
        rank: {"attack": name, **risk(best)}
        for rank in ("best", "learned")
        for name, best in [find_strongest(others, rank)]
    }


def summary(made: ProtectedDocument) -> Figures:
    """All that the loop did to a corpus, but for the information."""
    result, corpus = made.result, made.corpus
    return {
        "set": corpus.name,
        "start": corpus.how,
        "documents": len(corpus.starts),
        "people": result.people,
        "k": result.target.k,
        "rounds": result.rounds,
        "met": result.met,
        "joined": sorted(made.joined),
        "released": len(result.released),
        "withheld": Counter(one.withheld for one in result.withheld),
        "before": risks(result.before),
        "after": risks(result.after),
        "verified": {"before": strongest_of(result.before), "after": strongest_of(result.after, made.joined)},
        "repairs": result.repairs,
        "changes": {"mean": _changes(result), "places": sum(result.repairs.values())},
        "loss": result.loss,
        "seconds": {"start": corpus.seconds, "protect": made.seconds, "processor": made.processor},
        "peak_mb": peak(),
    }


def _repairs(result: Protection) -> list[Any]:
    return [repair for one in result.released for repair in one.repairs]


def _changes(result: Protection) -> float:
    return len(_repairs(result)) / max(1, len(result.released))


def peak() -> float:
    """Most memory of this process until now, in MB."""
    status = Path("/proc/self/status")
    if status.exists():  # a child's maxrss begins with its parent's; this does not
        return int(status.read_text(encoding="utf-8").split("VmHWM:")[1].split()[0]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
