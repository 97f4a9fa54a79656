"""The protection loop over a corpus: attacks fitted once, then one document after the other, with checkpoints."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeGuard

from sfumato.attacks.base import LinkingAttack, Person
from sfumato.attacks.linking import cleaning
from sfumato.attacks.linking.followed import Followable, Follows
from sfumato.attacks.linking.sparse import fit_together
from sfumato.cache import cache_key
from sfumato.document import Outcome, Release, Withheld
from sfumato.isolation import attempt
from sfumato.models.base import Embedder, TokenScorer, load_embedder, load_scorer
from sfumato.parallel import Engine
from sfumato.progress import OnProgress, Progress, ignore_progress
from sfumato.protection.attackers import (
    LoopAttacks,
    UnseenTermModel,
    fit_loop_attacks,
    model_attacker_knowledge,
    term_attacks,
)
from sfumato.protection.checkpoints import Checkpoints, result_json, result_of
from sfumato.protection.keep import TermWorth
from sfumato.protection.loop import Loop, LoopResult
from sfumato.protection.loss import Loss
from sfumato.protection.precautions import PRECAUTION_BUDGETS, precautionary_repairs
from sfumato.protection.preparation import (
    FORM,
    FORM_IN_WORDS,
    add_citation_edits,
    add_fact_edits,
    drop_unchanged,
    hide_form,
)
from sfumato.protection.ranks import RankedSubjects
from sfumato.protection.records import ProtectedDocument, Repair
from sfumato.protection.target import SPREAD, Target
from sfumato.protection.text import Wordings, WorkingText

Subjects = Mapping[str, Sequence[str]]
"""Document id -> ids of its subjects in the background."""
EXTENDED = "extended "
"""Prefix of an attack's name: the attack as it would be had the attacker read more."""


@dataclass(frozen=True)
class LoopWorkers:
    """An engine that runs the loop on documents, and the names of the models that its workers load."""

    engine: Engine
    scorer: str
    embedder: str


@dataclass(frozen=True)
class LoopConfig:
    """Models, secret and budgets of the loop."""

    stems: str
    scorer: TokenScorer
    embedder: Embedder
    secret: bytes
    checkpoints: Checkpoints
    precautions: Mapping[str, float] = field(default_factory=lambda: dict(PRECAUTION_BUDGETS))
    """By kind of identifying detail, the loss allowed for it whatever the attacks find."""
    workers: LoopWorkers | None = None
    """What runs the loop, in the place of this process."""
    worth: TermWorth | None = None
    """What terms are worth for the task that the releases are for."""
    finish: Callable[[Release], Outcome] | None = None
    """The last steps of the recipe, which what the loop hides may make necessary again."""

    @property
    def settings(self) -> dict[str, object]:
        """For the certificate."""
        models = {"scorer": self.scorer.name, "embedder": self.embedder.name}
        return {**models, "spread": SPREAD, "stems": self.stems}


class CorpusProtector:
    """Runs the loop on documents, with attacks that are fitted once on a background."""

    def __init__(
        self,
        background: Sequence[Person],
        initial: Sequence[Release],
        subjects: Subjects,
        config: LoopConfig,
        attacker_knowledge: float = 1.0,
        attacks: LoopAttacks | None = None,
    ) -> None:
        """``attacks``: the loop's attacks, where they are fitted on the background already."""
        self._config, self._subjects = config, subjects
        self._worker = (
            None
            if config.workers is None
            else _LoopWorker(
                background,
                initial if attacker_knowledge > 1 else (),
                subjects,
                config.stems,
                config.workers.scorer,
                config.workers.embedder,
                config.precautions,
                attacker_knowledge,
                worth=config.worth,
            )
        )
        self.attacks: LoopAttacks = attacks or fit_loop_attacks(config.stems, background)
        self._followed: dict[str, Follows] = dict(self.attacks)
        """All that the loop follows by name, but for what joined it."""
        self._nobody: dict[str, Sequence[int]] = {}
        """Rows of some of them that are no people."""
        if attacker_knowledge > 1:
            extended = term_attacks(config.stems)
            texts = {release.document.id: release.text for release in initial}
            models = model_attacker_knowledge(list(extended.values()), background, texts, subjects, attacker_knowledge)
            for name, model in zip(extended, models, strict=True):
                self._followed[EXTENDED + name] = model
                self._nobody[EXTENDED + name] = [model.vocabulary_row]
        self._joined: dict[str, Followable] = {}
        self._wordings: dict[str, Wordings] = {}
        """By document, for later rounds."""
        self._people = len(background)
        people = sorted((person.id, person.texts) for person in background)
        texts_read = [(release.document.id, release.text) for release in initial] if attacker_knowledge > 1 else []
        settings = {**config.settings, "precautions": config.precautions, "attacker_knowledge": attacker_knowledge}
        settings["keep"] = None if config.worth is None else config.worth.digest
        self._key = cache_key(people, texts_read, settings)

    @classmethod
    def of_population(
        cls, population: Sequence[Person], subjects: Subjects, config: LoopConfig, attacker_knowledge: float
    ) -> CorpusProtector:
        """Without a background: the documents are the population, and what is known of a subject is estimated."""
        attacks = term_attacks(config.stems)
        fit_together(list(attacks.values()), population)
        protector = cls(population, (), subjects, config, attacks=attacks)
        for name, attack in attacks.items():
            protector._followed[name] = UnseenTermModel(attack, attacker_knowledge)
        protector._key += f" population {attacker_knowledge}"
        if protector._worker is not None:
            protector._worker = replace(protector._worker, attacker_knowledge=attacker_knowledge, is_population=True)
        return protector

    def join(self, name: str, attack: LinkingAttack) -> bool:
        """Add another fitted attack to the loop, as it is after its last run; False where it cannot be followed."""
        if name in self._joined or not is_followable(attack):
            return False
        self._joined[name] = copy(attack)  # what a later run teaches it is for the later run
        return True

    @property
    def joined(self) -> tuple[str, ...]:
        """Verifying attacks that joined the loop after they had found too many."""
        return tuple(self._joined)

    @property
    def _finds_by_facts(self) -> str | None:
        """The name of an attack in the loop that compares facts and form."""
        return next((name for name, attack in self._joined.items() if attack.compares == "facts"), None)

    def protect(
        self,
        initial: Sequence[Release],
        target: Target,
        margin: int = 1,
        stage: str = "protecting",
        on_progress: OnProgress = ignore_progress,
    ) -> Iterator[ProtectedDocument]:
        """Each document after the loop. ``margin``: the factor by which the secret ranks are multiplied."""
        ranks = [
            target.secret_rank(self._config.secret, release.document.id, self._people, margin) for release in initial
        ]
        items = [(release, rank, target.budget) for release, rank in zip(initial, ranks, strict=True)]
        for number, (item, result) in enumerate(zip(items, self._loop_results(items), strict=True), start=1):
            on_progress(Progress(stage, number, len(initial)))
            if not isinstance(result, Withheld):
                protected = attempt(partial(self._protected, *item, result, target), item[0].document)
                if isinstance(protected, ProtectedDocument):
                    yield protected
                    continue
                result = protected
            yield ProtectedDocument(result, item[0], secret_rank=item[1])

    def _protected(
        self, initial: Release, rank: int, budget: float | None, result: LoopResult, target: Target
    ) -> ProtectedDocument:
        with_words, repairs = drop_unchanged(result.release), result.repairs
        release = with_words
        if (finds_by_form := self._finds_by_facts) is not None:
            release = hide_form(with_words, self._config.secret)
            if changed := len(release.edits) - len(with_words.edits):
                repairs = (*repairs, Repair(FORM, *FORM_IN_WORDS, changed, 0.0, finds_by_form))
        finished = release if self._config.finish is None else self._config.finish(release)
        document = ProtectedDocument(
            finished,
            initial,
            repairs,
            result.loss,
            result.ranks_before,
            result.ranks,
            self._hardest_subject(result, initial.document.id),
            secret_rank=rank,
        )
        if isinstance(finished, Withheld):
            return document
        reason = _why_withheld(result, target)
        return document if reason is None else document.withhold(reason, target)

    def _loop_results(self, items: Sequence[_Item]) -> Iterator[LoopResult | Withheld]:
        """From the checkpoints, or else new ones."""
        checkpoints = self._config.checkpoints
        keys = [self._checkpoint_key(*item) for item in items]
        results = self._new_results([item for item, key in zip(items, keys, strict=True) if not checkpoints.get(key)])
        for item, key in zip(items, keys, strict=True):
            if stored := checkpoints.get(key):
                yield result_of(stored, item[0].document)
                continue
            result = next(results)
            if not isinstance(result, Withheld):
                checkpoints.put(key, result_json(result))
            yield result

    def _new_results(self, items: Sequence[_Item]) -> Iterator[LoopResult | Withheld]:
        """The loop runs: here, or by the workers; withheld where it raises."""
        workers = self._config.workers
        if workers is None or self._worker is None or self._joined:  # workers have not fitted what joined the loop
            yield from (attempt(partial(self.run_loop, *item), item[0].document) for item in items)
        elif items:
            for item, stored in zip(items, workers.engine.map(self._worker, items), strict=True):
                yield stored if isinstance(stored, Withheld) else result_of(stored, item[0].document)

    def _checkpoint_key(self, initial: Release, rank: int, budget: float | None) -> str:
        document = initial.document
        joined = [(name, attack.learned) for name, attack in self._joined.items()]
        subjects = self._subjects[document.id]
        return cache_key(document.id, document.text, initial.text, rank, budget, subjects, self._key, joined)

    def run_loop(self, initial: Release, rank: int, budget: float | None) -> LoopResult:
        """The loop on one document, whatever the checkpoints hold."""
        config = self._config
        initial = add_citation_edits(initial)
        if self._finds_by_facts is not None:
            initial = add_fact_edits(initial)
        text = WorkingText(initial, config.stems, self._wordings.get(initial.document.id))
        self._wordings[initial.document.id] = text.wordings
        loss = Loss(initial, config.scorer, config.embedder, config.worth)
        precautions = precautionary_repairs(text, self.attacks["phrases"], config.precautions)
        return Loop(text, self._ranked_subjects(initial.document.id, rank), loss, budget, precautions).run()

    def _ranked_subjects(self, document_id: str, rank: int) -> list[RankedSubjects]:
        people, followed = self._subjects[document_id], {**self._followed, **self._joined}
        return [
            RankedSubjects(name, attack, [attack.row(person) for person in people], rank, self._nobody.get(name, ()))
            for name, attack in followed.items()
        ]

    def _hardest_subject(self, result: LoopResult, document_id: str) -> str | None:
        """By id; None where there is only one."""
        people = self._subjects[document_id]
        if result.hardest_row is None or len(people) < 2:
            return None
        attack = next(iter(self.attacks.values()))
        return next((person for person in people if attack.row(person) == result.hardest_row), None)


def is_followable(attack: LinkingAttack) -> TypeGuard[Followable]:
    """Whether the loop can follow a fitted attack now: some can be followed only after a run."""
    return isinstance(attack, Followable) and attack.learned is not None


_Item = tuple[Release, int, float | None]
"""An initial release, its secret rank, and the budget."""


@dataclass(frozen=True)
class _LoopWorker:
    """What a worker needs to run the loop; calling it there fits the attacks."""

    background: Sequence[Person] = field(repr=False)
    initial: Sequence[Release] = field(repr=False)
    subjects: Subjects
    stems: str
    scorer: str
    embedder: str
    precautions: Mapping[str, float]
    attacker_knowledge: float
    is_population: bool = False
    worth: TermWorth | None = field(default=None, repr=False)

    def __call__(self) -> Callable[[_Item], Mapping[str, Any] | Withheld]:
        # Ranks come with the documents, so that no worker knows the secret that they are drawn with.
        models = load_scorer(self.scorer), load_embedder(self.embedder)
        config = LoopConfig(self.stems, *models, b"", Checkpoints(), self.precautions, worth=self.worth)
        if self.is_population:
            protector = CorpusProtector.of_population(self.background, self.subjects, config, self.attacker_knowledge)
        else:
            protector = CorpusProtector(self.background, self.initial, self.subjects, config, self.attacker_knowledge)

        def run(item: _Item) -> Mapping[str, Any] | Withheld:
            result = attempt(partial(protector.run_loop, *item), item[0].document)
            if isinstance(result, Withheld):
                return result
            stored: Mapping[str, Any] = json.loads(json.dumps(result_json(result)))
            return stored

        return run


def _why_withheld(result: LoopResult, target: Target) -> str | None:
    if not cleaning.clean(result.release.text).words:
        return "nothing readable is left of it"
    if result.reached:
        return None
    if target.budget is not None:
        return "the target needs more information to go than the budget allows (--budget)"
    return "the target could not be reached: every passage is already at its most general level"
