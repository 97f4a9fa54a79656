"""The protection loop over a corpus: attacks fitted once, then one document after the other, with checkpoints."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from sfumato.attacks.base import LinkingAttack, Person
from sfumato.attacks.linking import cleaning
from sfumato.attacks.linking.dense import DenseAttack
from sfumato.attacks.linking.joint import JointAttack, JointScorer
from sfumato.attacks.linking.ranking import RankingAttack
from sfumato.attacks.linking.sparse import SparseAttack
from sfumato.cache import SqliteStore, cache_key
from sfumato.document import Document, Edit, Outcome, Release, Span, Withheld
from sfumato.models.base import Embedder, TokenScorer
from sfumato.progress import OnProgress, Progress, ignore_progress
from sfumato.protection.attackers import LoopAttacks, fit_loop_attacks, loop_attacks, term_attacks
from sfumato.protection.incremental import (
    AttackerKnowledge,
    IncrementalAttack,
    IncrementalDenseAttack,
    IncrementalJointAttack,
    IncrementalSparseAttack,
    KnownWeights,
    UnseenTermModel,
    background_weights,
    model_attacker_knowledge,
)
from sfumato.protection.loop import Loop, LoopResult
from sfumato.protection.loss import Loss
from sfumato.protection.precautions import PRECAUTION_BUDGETS, precautionary_repairs
from sfumato.protection.records import EMPTY, ProtectedDocument, Repair
from sfumato.protection.target import SPREAD, Target
from sfumato.protection.text import WorkingText
from sfumato.report.html import pluralize

Subjects = Mapping[str, Sequence[str]]
"""Document id -> ids of its subjects in the background."""
EXTENDED = "extended "
"""Prefix of an attack's name: the attack as it would be had the attacker read more."""

_SECRET = "secret"
_UNREADABLE = "which nothing here can read"
_WAY_OUT = "release it without protection"


class Checkpoints:
    """Finished documents on disk, so that a run that was stopped does not do them again. Confidential.

    Without a path nothing is stored.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._store = None if path is None else SqliteStore(path)

    def get(self, key: str) -> Mapping[str, Any] | None:
        value = None if self._store is None else self._store.get(key.encode())
        return None if value is None else json.loads(value)

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        """Store a result. It is on disk before the next one is begun."""
        if self._store is not None:
            self._store.put(key.encode(), json.dumps(value).encode())

    def secret(self) -> bytes:
        """Random, and the same when a run is resumed."""
        stored = self.get(_SECRET)
        if stored is None:
            stored = {"hex": secrets.token_hex(32)}
            self.put(_SECRET, stored)
        return bytes.fromhex(stored["hex"])

    def close(self) -> None:
        if self._store is not None:
            self._store.close()


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
        self.attacks: LoopAttacks = attacks or fit_loop_attacks(config.stems, background)
        self._known_weights: dict[str, KnownWeights] = dict.fromkeys(self.attacks, background_weights)
        self._extended: dict[str, AttackerKnowledge] = {}
        if attacker_knowledge > 1:
            extended = term_attacks(loop_attacks(config.stems))
            texts = {release.document.id: release.text for release in initial}
            models = model_attacker_knowledge(list(extended.values()), background, texts, subjects, attacker_knowledge)
            self._extended = {EXTENDED + name: model for name, model in zip(extended, models, strict=True)}
        self._joined: dict[str, SparseAttack | DenseAttack | JointScorer] = {}
        self._people = len(background)
        people = sorted((person.id, person.texts) for person in background)
        texts_read = [(release.document.id, release.text) for release in initial] if attacker_knowledge > 1 else []
        settings = {**config.settings, "precautions": config.precautions, "attacker_knowledge": attacker_knowledge}
        self._key = cache_key(people, texts_read, settings)

    @classmethod
    def of_population(
        cls, population: Sequence[Person], subjects: Subjects, config: LoopConfig, attacker_knowledge: float
    ) -> CorpusProtector:
        """Without a background: the documents are the population, and what is known of a subject is estimated."""
        protector = cls(population, (), subjects, config)
        protector.attacks = term_attacks(protector.attacks)
        protector._known_weights = {
            name: UnseenTermModel(attack, attacker_knowledge).known_weights
            for name, attack in protector.attacks.items()
        }
        protector._key += f" population {attacker_knowledge}"
        return protector

    def join(self, name: str, attack: LinkingAttack) -> bool:
        """Add another fitted attack to the loop; False where the loop cannot follow its scores."""
        if name in self._joined:
            return False
        if isinstance(attack, JointAttack) and attack.scorer is not None:
            self._joined[name] = attack.scorer
        elif isinstance(attack, SparseAttack | DenseAttack):
            self._joined[name] = attack
        return name in self._joined

    @property
    def joined(self) -> tuple[str, ...]:
        """Verifying attacks that joined the loop after they had found too many."""
        return tuple(self._joined)

    def protect(
        self,
        initial: Sequence[Release],
        target: Target,
        margin: int = 1,
        stage: str = "protecting",
        on_progress: OnProgress = ignore_progress,
    ) -> Iterator[ProtectedDocument]:
        """Each document after the loop. ``margin``: the factor by which the secret ranks are multiplied."""
        for number, release in enumerate(initial, start=1):
            protected = self._protect(release, target, margin)
            on_progress(Progress(stage, number, len(initial)))
            yield protected

    def _protect(self, initial: Release, target: Target, margin: int) -> ProtectedDocument:
        document_id = initial.document.id
        rank = target.secret_rank(self._config.secret, document_id, self._people, margin)
        result = self._loop_result(initial, rank, target.budget)
        document = ProtectedDocument(
            result.release,
            initial,
            result.repairs,
            result.loss,
            result.ranks_before,
            result.ranks,
            self._hardest_subject(result, document_id),
            secret_rank=rank,
        )
        reason = _why_withheld(result, target)
        return document if reason is None else document.withhold(reason, target)

    def _loop_result(self, initial: Release, rank: int, budget: float | None) -> LoopResult:
        """From the checkpoints, or else the loop runs."""
        document, config = initial.document, self._config
        subjects = self._subjects[document.id]
        joined = [
            (name, attack.scale.digest if isinstance(attack, JointScorer) else "")
            for name, attack in self._joined.items()
        ]
        key = cache_key(document.id, document.text, initial.text, rank, budget, subjects, self._key, joined)
        if (stored := config.checkpoints.get(key)) is not None:
            return _from_json(stored, document)
        text = WorkingText(initial, config.stems)
        loss = Loss(initial, config.scorer, config.embedder)
        precautions = precautionary_repairs(text, self.attacks["phrases"], config.precautions)
        result = Loop(text, self._incremental_attacks(document.id, rank), loss, budget, precautions).run()
        config.checkpoints.put(key, _to_json(result))
        return result

    def _incremental_attacks(self, document_id: str, rank: int) -> list[IncrementalAttack]:
        def rows(attack: RankingAttack) -> list[int]:
            return [attack.row(person) for person in self._subjects[document_id]]

        attacks: list[IncrementalAttack] = []
        for name, sparse in self.attacks.items():
            weights = self._known_weights[name]
            attacks.append(IncrementalSparseAttack(name, sparse, rows(sparse), rank, weights))
        for name, model in self._extended.items():
            excluded = [model.vocabulary_row]
            attacks.append(
                IncrementalSparseAttack(name, model.attack, rows(model.attack), rank, model.known_weights, excluded)
            )
        for name, attack in self._joined.items():
            if isinstance(attack, SparseAttack):
                attacks.append(IncrementalSparseAttack(name, attack, rows(attack), rank))
            elif isinstance(attack, JointScorer):
                attacks.append(IncrementalJointAttack(name, attack, rows(attack.members[0]), rank))
            else:
                attacks.append(IncrementalDenseAttack(name, attack, rows(attack), rank))
        return attacks

    def _hardest_subject(self, result: LoopResult, document_id: str) -> str | None:
        """By id; None where there is only one."""
        people = self._subjects[document_id]
        if result.hardest_row is None or len(people) < 2:
            return None
        attack = next(iter(self.attacks.values()))
        return next((person for person in people if attack.row(person) == result.hardest_row), None)


def _why_withheld(result: LoopResult, target: Target) -> str | None:
    if not cleaning.clean(result.release.text).words:
        return "nothing readable is left of it"
    if result.reached:
        return None
    if target.budget is not None:
        return "the target needs more information to go than the budget allows (--budget)"
    return "the target could not be reached: every passage is already at its most general level"


_STORED = ("reached", "loss", "ranks_before", "ranks", "hardest_row")


def _to_json(result: LoopResult) -> dict[str, object]:
    return {
        "edits": [asdict(replace(edit, alternatives=())) for edit in result.release.edits],
        "repairs": [asdict(repair) for repair in result.repairs],
        **{name: getattr(result, name) for name in _STORED},
    }


def _from_json(stored: Mapping[str, Any], document: Document) -> LoopResult:
    edits = [
        Edit(Span(**edit["span"]), edit["replacement"], tuple(edit["reasons"]), edit["level"])
        for edit in stored["edits"]
    ]
    release = Release(document, tuple(edits))
    repairs = tuple(Repair(**repair) for repair in stored["repairs"])
    return LoopResult(release, repairs, **{name: stored[name] for name in _STORED})


def as_initial(outcome: Outcome, target: Target) -> Outcome:
    """An outcome of a recipe as the loop takes it: the text of a rewritten release becomes its document.

    A document that the attacks cannot read, or not all of it (images), is withheld.
    """
    document = outcome.document
    if isinstance(outcome, Withheld):
        return outcome
    if (reason := _why_unreadable(document, target)) is not None:
        return Withheld(document, reason)
    if outcome.rewrite is None:
        return outcome
    return Release(Document(document.id, outcome.text, document.subjects, None, document.meta))


def _why_unreadable(document: Document, target: Target) -> str | None:
    """None where attacks can read it, or where the user wants it released anyway."""
    parts = document.meta.get("unchecked", {})
    named = " and ".join(pluralize(count, what) for what, count in parts.items())
    if document.meta.get("wordless"):
        # Not even if the user asks: an empty text would count as a person whom no attack finds.
        return f"{EMPTY} but {named}, {_UNREADABLE}: make text of it first, or {_WAY_OUT}" if parts else EMPTY
    if parts and not target.release_anyway:
        return f"it holds {named}, {_UNREADABLE}: take such parts out, or {_WAY_OUT}"
    return None
