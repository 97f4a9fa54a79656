"""The loop over a corpus: everything that documents share, fitted once, and one document after the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field

from sfumato.attacks.base import LinkingAttack, Person
from sfumato.attacks.linking import cleaning
from sfumato.attacks.linking.dense import DenseAttack
from sfumato.attacks.linking.ranking import RankingAttack
from sfumato.attacks.linking.sparse import SparseAttack
from sfumato.corpus.edits import edit_from_json, edit_to_json
from sfumato.document import Release
from sfumato.models.base import Embedder, TokenScorer
from sfumato.protection.attackers import LoopAttacks, by_words, fitted, loop_attacks
from sfumato.protection.caution import BUDGETS, cautions
from sfumato.protection.foresight import Foresight, Unknown, foresee
from sfumato.protection.links import Knowledge, Link, Watch, known
from sfumato.protection.loop import Loop, Repaired
from sfumato.protection.loss import Loss
from sfumato.protection.meaning import MeaningLink
from sfumato.protection.records import Protected, Repair
from sfumato.protection.shelf import Shelf
from sfumato.protection.target import SPREAD, Target
from sfumato.protection.text import WorkingText

Subjects = Mapping[str, Sequence[str]]
"""Document -> the people of the background it concerns."""
FORESEEN = "foreseen "
"""Before an attack's name: as it would be had it read more."""


@dataclass(frozen=True)
class Means:
    """What the loop works with."""

    stems: str
    scorer: TokenScorer
    embedder: Embedder
    secret: bytes
    shelf: Shelf
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


class Crew:
    """The loop's attacks on one background, ready for documents."""

    def __init__(
        self,
        background: Sequence[Person],
        starts: Sequence[Release],
        subjects: Subjects,
        means: Means,
        foresight: float = 1.0,
        attacks: LoopAttacks | None = None,
    ) -> None:
        """``attacks``: those of the loop, where they have read the background already."""
        self._means, self._subjects = means, subjects
        self.attacks: LoopAttacks = attacks or fitted(means.stems, background)
        self._knows: dict[str, Knowledge] = dict.fromkeys(self.attacks, known)
        self._foreseen: dict[str, Foresight] = {}
        if foresight > 1:
            attacks = by_words(loop_attacks(means.stems))
            released = {start.document.id: start.text for start in starts}
            seen = foresee(list(attacks.values()), background, released, subjects, foresight)
            self._foreseen = {FORESEEN + name: one for name, one in zip(attacks, seen, strict=True)}
        self._joined: dict[str, SparseAttack | DenseAttack] = {}
        self._people = len(background)
        read = sorted((person.id, person.texts) for person in background)
        foreseen = [(start.document.id, start.text) for start in starts] if foresight > 1 else []
        self._about: tuple[object, ...] = (Shelf.key(read, foreseen, means.settings), foresight)

    @classmethod
    def of_population(cls, population: Sequence[Person], subjects: Subjects, means: Means, foresight: float) -> Crew:
        """Where no background is given: people like the subjects, and of the subjects what has to be reckoned with."""
        crew = cls(population, (), subjects, means)
        crew.attacks = by_words(crew.attacks)
        crew._knows = {name: Unknown.of(attack, foresight).knows for name, attack in crew.attacks.items()}
        crew._about = (*crew._about, "population", foresight)
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

    def protect(self, starts: Sequence[Release], target: Target, margin: int) -> Iterator[Protected]:
        """Each document after the loop. ``margin``: by how much the ranks that the target draws are multiplied."""
        return (self._kept(start, target, margin) for start in starts)

    def _kept(self, start: Release, target: Target, margin: int) -> Protected:
        shelf, key = self._means.shelf, start.document.id
        rank = target.secret_rank(self._means.secret, key, self._people, margin)
        place = shelf.key(
            key,
            start.document.text,
            start.text,
            rank,
            target.budget,
            self._subjects[key],
            self._about,
            self.joined,
            self._means.caution,
        )
        known = shelf.get(place)
        if known is None:
            found = self._protected(start, rank, target)
            shelf.put(place, _to_json(found))
            return found
        edits = tuple(map(edit_from_json, known["edits"]))
        repairs = tuple(Repair(**repair) for repair in known["repairs"])
        rest = {name: known[name] for name in ("loss", "ranks_before", "ranks", "hardest", "withheld")}
        return Protected(key, Release(start.document, edits), start, repairs, **rest, secret_rank=rank)

    def _protected(self, start: Release, rank: int, target: Target) -> Protected:
        key = start.document.id
        links: list[Watch] = [
            Link(name, one, self._rows(one, key), rank, knows=self._knows[name]) for name, one in self.attacks.items()
        ]
        links += [
            Link(name, one.attack, self._rows(one.attack, key), rank, knows=one.knows, besides=[one.nobody])
            for name, one in self._foreseen.items()
        ]
        for name, attack in self._joined.items():
            rows = self._rows(attack, key)
            links.append(
                Link(name, attack, rows, rank)
                if isinstance(attack, SparseAttack)
                else MeaningLink(name, attack, rows, rank)
            )
        loss = Loss(start, self._means.scorer, self._means.embedder)
        text = WorkingText(start, self._means.stems)
        careful = cautions(text, self.attacks["phrases"], self._means.caution)
        made = Loop(text, links, loss, target.budget, careful).run()
        return Protected(
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

    def _hardest(self, made: Repaired, key: str) -> str | None:
        """By name, where there are several."""
        people = self._subjects[key]
        if made.hardest is None or len(people) < 2:
            return None
        attack = next(iter(self.attacks.values()))
        return next((person for person in people if attack.row(person) == made.hardest), None)


def _why_not(made: Repaired, target: Target) -> str | None:
    if not cleaning.cleaned(made.release.text):
        return "nothing readable is left of it"
    if made.reached:
        return None
    if target.budget is not None:
        return "the target needs more information to go than the budget allows (--budget)"
    return "the target could not be reached: nothing is left in it that could be said less exactly"


def _to_json(found: Protected) -> dict[str, object]:
    return {
        "edits": [edit_to_json(edit) for edit in found.release.edits],
        "repairs": [asdict(repair) for repair in found.repairs],
        "loss": found.loss,
        "ranks_before": dict(found.ranks_before),
        "ranks": dict(found.ranks),
        "hardest": found.hardest,
        "withheld": found.withheld,
    }
