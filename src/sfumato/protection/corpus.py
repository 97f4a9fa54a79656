"""The loop over a corpus: everything that documents share, fitted once, and one document after the other."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from sfumato.attacks.base import LinkingAttack, Person
from sfumato.attacks.linking import cleaning
from sfumato.attacks.linking.dense import DenseAttack
from sfumato.attacks.linking.ranking import RankingAttack
from sfumato.attacks.linking.sparse import SparseAttack
from sfumato.document import Document, Outcome, Release, Withheld
from sfumato.formats.spans import edit_from_json, edit_to_json
from sfumato.llm.chat import Chat
from sfumato.models.base import Embedder, TokenScorer
from sfumato.pipeline import Pipeline
from sfumato.protection.attackers import LoopAttacks, by_words, fitted, loop_attacks
from sfumato.protection.incremental import (
    AttackerKnowledge,
    IncrementalAttack,
    IncrementalSparseAttack,
    Knowledge,
    UnseenTermModel,
    known,
    model_attacker_knowledge,
)
from sfumato.protection.loop import Loop, LoopResult
from sfumato.protection.loss import IncrementalDenseAttack, Loss
from sfumato.protection.precautions import BUDGETS, precautionary_repairs
from sfumato.protection.records import EMPTY, ProtectedDocument, Repair, withheld_release
from sfumato.protection.target import SPREAD, Target
from sfumato.protection.text import WorkingText
from sfumato.recipe import Recipe
from sfumato.report.html import pluralize

# -- Documents that the loop has finished, on disk: a run that was stopped does not do them again. Confidential.


_SECRET = "secret"


class Checkpoints:
    """Results by key. Without a path it remembers nothing."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._file: IO[str] | None = None
        self._kept: dict[str, Mapping[str, Any]] = {}
        if path is not None and path.exists():
            with path.open(encoding="utf-8", errors="surrogatepass") as file:
                for line in file:
                    try:
                        record = json.loads(line)
                    except ValueError:  # a torn last line: that document is done again
                        continue
                    self._kept[record["key"]] = record["value"]

    @staticmethod
    def key(*parts: object) -> str:
        """Of all that a result depends on."""
        return hashlib.sha256(json.dumps(parts, default=str).encode("utf-8", "surrogatepass")).hexdigest()

    def get(self, key: str) -> Mapping[str, Any] | None:
        return self._kept.get(key)

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep a result. It is on disk before the next one is begun."""
        if self._path is None:
            return
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
            self._file = os.fdopen(descriptor, "a", encoding="utf-8", errors="surrogatepass")
            if self._path.stat().st_size:
                self._file.write("\n")  # ends a torn line, if there is one
        self._file.write(json.dumps({"key": key, "value": value}, ensure_ascii=False) + "\n")
        self._file.flush()

    def secret(self) -> bytes:
        """Random, and the same when a run is taken up again."""
        kept = self.get(_SECRET)
        if kept is not None:
            return bytes.fromhex(kept["hex"])
        made = secrets.token_bytes(32)
        self.put(_SECRET, {"hex": made.hex()})
        return made

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


# -- The loop over a corpus: everything that documents share, fitted once, and one document after the other.


Subjects = Mapping[str, Sequence[str]]
"""Document -> the people of the background it concerns."""
EXTENDED = "foreseen "
"""Before an attack's name: as it would be had it read more."""


@dataclass(frozen=True)
class LoopConfig:
    """What the loop works with."""

    stems: str
    scorer: TokenScorer
    embedder: Embedder
    secret: bytes
    checkpoints: Checkpoints
    caution: Mapping[str, float] = field(default_factory=lambda: dict(BUDGETS))
    """By kind of telling things, what may be spent on them whatever the attacks say."""

    @property
    def settings(self) -> dict[str, object]:
        """What a certificate says of them."""
        return {
            "scorer": self.scorer.name,
            "embedder": self.embedder.name,
            "spread": SPREAD,
            "stems": self.stems,
        }


class CorpusProtector:
    """The loop's attacks on one background, ready for documents."""

    def __init__(
        self,
        background: Sequence[Person],
        starts: Sequence[Release],
        subjects: Subjects,
        config: LoopConfig,
        attacker_knowledge: float = 1.0,
        attacks: LoopAttacks | None = None,
    ) -> None:
        """``attacks``: those of the loop, where they have read the background already."""
        self._config, self._subjects = config, subjects
        self.attacks: LoopAttacks = attacks or fitted(config.stems, background)
        self._knows: dict[str, Knowledge] = dict.fromkeys(self.attacks, known)
        self._foreseen: dict[str, AttackerKnowledge] = {}
        if attacker_knowledge > 1:
            attacks = by_words(loop_attacks(config.stems))
            released = {start.document.id: start.text for start in starts}
            seen = model_attacker_knowledge(list(attacks.values()), background, released, subjects, attacker_knowledge)
            self._foreseen = {EXTENDED + name: one for name, one in zip(attacks, seen, strict=True)}
        self._joined: dict[str, SparseAttack | DenseAttack] = {}
        self._people = len(background)
        read = sorted((person.id, person.texts) for person in background)
        foreseen = [(start.document.id, start.text) for start in starts] if attacker_knowledge > 1 else []
        self._about: tuple[object, ...] = (Checkpoints.key(read, foreseen, config.settings), attacker_knowledge)

    @classmethod
    def of_population(
        cls, population: Sequence[Person], subjects: Subjects, config: LoopConfig, attacker_knowledge: float
    ) -> CorpusProtector:
        """Where no background is given: people like the subjects, and of the subjects what has to be reckoned with."""
        crew = cls(population, (), subjects, config)
        crew.attacks = by_words(crew.attacks)
        crew._knows = {
            name: UnseenTermModel.of(attack, attacker_knowledge).knows for name, attack in crew.attacks.items()
        }
        crew._about = (*crew._about, "population", attacker_knowledge)
        return crew

    def join(self, name: str, attack: LinkingAttack) -> bool:
        """Let another fitted attack take part; False where the loop cannot follow its scores."""
        if name in self._joined or not isinstance(attack, SparseAttack | DenseAttack):
            return False
        self._joined[name] = attack
        return True

    @property
    def joined(self) -> tuple[str, ...]:
        """Attacks that took part after they had found too many."""
        return tuple(self._joined)

    def protect(self, starts: Sequence[Release], target: Target, margin: int) -> Iterator[ProtectedDocument]:
        """Each document after the loop. ``margin``: by how much the ranks that the target draws are multiplied."""
        return (self._kept(start, target, margin) for start in starts)

    def _kept(self, start: Release, target: Target, margin: int) -> ProtectedDocument:
        checkpoints, key = self._config.checkpoints, start.document.id
        rank = target.secret_rank(self._config.secret, key, self._people, margin)
        place = checkpoints.key(
            key,
            start.document.text,
            start.text,
            rank,
            target.budget,
            self._subjects[key],
            self._about,
            self.joined,
            self._config.caution,
        )
        known = checkpoints.get(place)
        if known is None:
            found = self._protected(start, rank, target)
            checkpoints.put(place, _to_json(found))
            return found
        edits = tuple(map(edit_from_json, known["edits"]))
        repairs = tuple(Repair(**repair) for repair in known["repairs"])
        rest = {name: known[name] for name in ("loss", "ranks_before", "ranks", "hardest", "withheld")}
        return ProtectedDocument(key, Release(start.document, edits), start, repairs, **rest, secret_rank=rank)

    def _protected(self, start: Release, rank: int, target: Target) -> ProtectedDocument:
        key = start.document.id
        links: list[IncrementalAttack] = [
            IncrementalSparseAttack(name, one, self._rows(one, key), rank, knows=self._knows[name])
            for name, one in self.attacks.items()
        ]
        links += [
            IncrementalSparseAttack(
                name, one.attack, self._rows(one.attack, key), rank, knows=one.knows, besides=[one.nobody]
            )
            for name, one in self._foreseen.items()
        ]
        for name, attack in self._joined.items():
            rows = self._rows(attack, key)
            links.append(
                IncrementalSparseAttack(name, attack, rows, rank)
                if isinstance(attack, SparseAttack)
                else IncrementalDenseAttack(name, attack, rows, rank)
            )
        loss = Loss(start, self._config.scorer, self._config.embedder)
        text = WorkingText(start, self._config.stems)
        careful = precautionary_repairs(text, self.attacks["phrases"], self._config.caution)
        made = Loop(text, links, loss, target.budget, careful).run()
        return ProtectedDocument(
            key,
            made.release,
            start,
            made.repairs,
            made.loss,
            made.ranks_before,
            made.ranks,
            self._hardest(made, key),
            _why_not(made, target),
            secret_rank=rank,
        )

    def _rows(self, attack: RankingAttack, key: str) -> list[int]:
        return [attack.row(person) for person in self._subjects[key]]

    def _hardest(self, made: LoopResult, key: str) -> str | None:
        """By name, where there are several."""
        people = self._subjects[key]
        if made.hardest is None or len(people) < 2:
            return None
        attack = next(iter(self.attacks.values()))
        return next((person for person in people if attack.row(person) == made.hardest), None)


def _why_not(made: LoopResult, target: Target) -> str | None:
    if not cleaning.clean(made.release.text):
        return "nothing readable is left of it"
    if made.reached:
        return None
    if target.budget is not None:
        return "the target needs more information to go than the budget allows (--budget)"
    return "the target could not be reached: nothing is left in it that could be said less exactly"


def _to_json(found: ProtectedDocument) -> dict[str, object]:
    return {
        "edits": [edit_to_json(edit) for edit in found.release.edits],
        "repairs": [asdict(repair) for repair in found.repairs],
        "loss": found.loss,
        "ranks_before": dict(found.ranks_before),
        "ranks": dict(found.ranks),
        "hardest": found.hardest,
        "withheld": found.withheld,
    }


# -- What the loop starts from: what a recipe made of documents, or releases that were made elsewhere.


_UNREAD = "which nothing here can read"
_WAY_OUT = "release it without protection"


def initial_releases(
    documents: Sequence[Document], recipe: Recipe, target: Target, chat: Chat | None = None
) -> list[Release]:
    """What a recipe makes of documents."""
    pipeline = Pipeline(recipe, chat=chat)
    pipeline.learn(lambda: documents)
    return [as_initial(outcome, target) for outcome in pipeline.anonymize(documents)]


def as_initial(outcome: Outcome, target: Target) -> Release:
    """One outcome of a recipe; a document that it withholds says nothing, and is withheld."""
    if isinstance(outcome, Withheld):
        return withheld_release(outcome.document, outcome.reason)
    return repairable(outcome, target)


def repairable(release: Release, target: Target) -> Release:
    """A release that can be repaired: where only its text is known, that text is the document.

    One that nothing here can read, or of which it cannot read all, is withheld: no attack looks into a picture.
    """
    given = release.document
    if (reason := _unreadable(given, target)) is not None:
        return withheld_release(given, reason)
    if release.rewrite is None:
        return release
    return Release(Document(given.id, release.text, given.subjects, None, given.meta))


def _unreadable(document: Document, target: Target) -> str | None:
    """Why no attack can say who is found in a document; None where one can, or where the user insists."""
    parts = document.meta.get("unchecked", {})
    told = " and ".join(pluralize(count, what) for what, count in parts.items())
    if document.meta.get("wordless"):
        # Insisting does not help: a text that says nothing would count as a person whom nobody finds.
        return f"{EMPTY} but {told}, {_UNREAD}: make text of it first, or {_WAY_OUT}" if parts else EMPTY
    return (
        f"it holds {told}, {_UNREAD}: take such parts out, or {_WAY_OUT}"
        if parts and not target.release_anyway
        else None
    )
