"""The loop over a corpus: what is kept on disk is what was made, and only for what it was made for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sfumato.attacks.base import Person
from sfumato.attacks.linking.combination import CombinedAttack
from sfumato.attacks.linking.dense import DenseAttack
from sfumato.attacks.linking.sparse import Bm25Attack
from sfumato.document import Document, Edit, Release, Span
from sfumato.protection.corpus import Checkpoints, CorpusProtector, LoopConfig
from sfumato.protection.loop import Loop
from sfumato.protection.protect import background_part
from sfumato.protection.records import ProtectedDocument
from sfumato.protection.target import Target
from tests.attacks.linking import SharedWords
from tests.metrics.invented import LengthScorer, LetterEmbedder
from tests.protection import invented_corpus, towns

PEOPLE = invented_corpus.background(24).people
TARGET = Target(4)


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "checkpoints.sqlite"


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Documents that the loop really ran on."""
    seen: list[str] = []
    run = Loop.run

    def counted(self: Loop) -> Any:
        seen.append(self._text.document.id)
        return run(self)

    monkeypatch.setattr(Loop, "run", counted)
    return seen


def config(path: Path | None = None, secret: bytes = b"a secret") -> LoopConfig:
    return LoopConfig("english", LengthScorer(), LetterEmbedder(), secret, Checkpoints(path))


def protected(
    path: Path | None,
    people: Sequence[Person] = PEOPLE,
    starts: Sequence[Release] = (),
    target: Target = TARGET,
    margin: int = 1,
    attacker_knowledge: float = 1.0,
    **changes: Any,
) -> list[ProtectedDocument]:
    starts = starts or invented_corpus.starts(2)
    own = replace(config(path), **changes)
    subjects = {start.document.id: [start.document.id] for start in starts}
    protector = CorpusProtector(people, starts, subjects, own, attacker_knowledge)
    made = list(protector.protect(starts, target, margin))
    own.checkpoints.close()
    return made


def test_what_was_kept_is_what_was_made(kept: Path, runs: list[str]) -> None:
    made = protected(kept)
    assert runs == ["n0", "n1"]
    again = protected(kept)
    assert runs == ["n0", "n1"]
    assert made[0].repairs
    for one, other in zip(made, again, strict=True):
        assert one.release == other.release
        for name in (
            "id",
            "initial",
            "repairs",
            "loss",
            "ranks_before",
            "ranks",
            "hardest_subject",
            "withheld",
            "secret_rank",
        ):
            assert getattr(one, name) == getattr(other, name)


def test_withheld_documents_are_kept_as_such(kept: Path, runs: list[str]) -> None:
    tight = Target(4, budget=0.0)
    made, again = (protected(kept, target=tight)[0] for _ in range(2))
    assert made.withheld == again.withheld
    assert made.withheld is not None
    assert "--budget" in made.withheld
    assert len(runs) == 2


CHANGES: dict[str, dict[str, Any]] = {
    "another target": {"target": Target(6)},
    "another budget": {"target": Target(4, budget=0.2)},
    "a margin": {"margin": 2},
    "another secret": {"secret": b"another secret"},
    "fewer people": {"people": PEOPLE[:20]},
    "the same people, of whom less was read": {"people": background_part(PEOPLE, 0.25)},
    "attacker knowledge": {"attacker_knowledge": 4.0},
    "more precaution": {"precautions": {"figures": 0.2}},
    "other stems": {"stems": "none"},
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_was_made_for_something_else_is_not_used(change: str, kept: Path, runs: list[str]) -> None:
    first = protected(kept)
    other = protected(kept, **CHANGES[change])
    same = sum(one.secret_rank == again.secret_rank for one, again in zip(first, other, strict=True))
    assert len(runs) == (
        4 - same if change in ("another secret", "another target") else 4
    )  # what is secret of it is the rank alone


def test_another_original_behind_the_same_release_is_another_document(kept: Path, runs: list[str]) -> None:
    """Its edits stand elsewhere."""
    text = invented_corpus.starts(1)[0].document.text
    made = []
    for name in ("Quor", "Quorvexia"):
        document = Document("n0", f"{name} {text}")
        start = Release(document, (Edit(Span(0, len(name), "PERSON"), "PERSON_1"),))
        made += protected(kept, starts=[start])
    assert runs == ["n0", "n0"]
    assert made[0].release.text == made[1].release.text


def test_a_joined_attack_is_something_else_too(kept: Path, runs: list[str]) -> None:
    starts, own = invented_corpus.starts(1), config(kept)
    protector = CorpusProtector(PEOPLE, starts, {"n0": ["n0"]}, own)
    before = list(protector.protect(starts, TARGET, 1))
    assert protector.join("bm25", Bm25Attack().fit(PEOPLE))
    after = list(protector.protect(starts, TARGET, 1))
    own.checkpoints.close()
    assert runs == ["n0", "n0"]
    assert "bm25" not in before[0].ranks
    assert after[0].ranks["bm25"] is None or after[0].ranks["bm25"] >= after[0].secret_rank


def test_a_joined_attack_holds_the_promise() -> None:
    starts = invented_corpus.starts(4)
    protector = CorpusProtector(PEOPLE, starts, {start.document.id: [start.document.id] for start in starts}, config())
    attacks = {"bm25": Bm25Attack().fit(PEOPLE), "dense": DenseAttack().fit(PEOPLE)}
    assert all(protector.join(name, attack) for name, attack in attacks.items())
    assert protector.joined == ("bm25", "dense")
    for item in protector.protect(starts, TARGET, 1):
        assert item.withheld is None
        for attack in (*protector.attacks.values(), *attacks.values()):
            rank = towns.rank_of(attack.all_scores(item.release.text), attack.row(item.id))
            assert rank is None or rank >= item.secret_rank


def test_what_cannot_be_followed_does_not_join() -> None:
    protector = CorpusProtector(PEOPLE, (), {}, config())
    assert not protector.join("words", SharedWords().fit(PEOPLE))
    assert not protector.join("combination", CombinedAttack().fit(PEOPLE))
    assert protector.join("bm25", Bm25Attack().fit(PEOPLE))
    assert not protector.join("bm25", Bm25Attack().fit(PEOPLE))
    assert protector.joined == ("bm25",)


def test_of_several_subjects_the_hardest_is_named() -> None:
    text = "The baker whistles by the barn with pigeons, and someone has kites."
    start = Release(Document("d", text, subjects=("n0", "n6")))
    protector = CorpusProtector(PEOPLE, [start], {"d": ["n0", "n6"]}, config())
    (made,) = protector.protect([start], TARGET, 1)
    assert made.withheld is None
    assert made.hardest_subject == "n0"
    for attack in protector.attacks.values():
        scores = attack.all_scores(made.release.text)
        others = [row for row in range(len(PEOPLE)) if row not in (attack.row("n0"), attack.row("n6"))]
        for person in ("n0", "n6"):
            rank = towns.rank_of(scores, attack.row(person), others)
            assert rank is None or rank >= made.secret_rank


def test_the_rank_is_drawn_for_each_document_and_grows_with_the_margin() -> None:
    starts = invented_corpus.starts(6)
    once = protected(None, starts=starts, target=Target(2))
    twice = protected(None, starts=starts, target=Target(2), margin=2)
    assert [item.secret_rank for item in once] == [Target(2).secret_rank(b"a secret", entry.id, 24) for entry in once]
    assert all(4 <= one.secret_rank <= 12 for one in twice)
    assert len({one.secret_rank for one in once}) > 1


def test_an_attacker_who_has_read_more_takes_part() -> None:
    (made, *_) = protected(None, attacker_knowledge=4.0)
    assert {"extended phrases", "extended words", "extended pairs"} < made.ranks.keys()
    assert all(rank is None or rank >= made.secret_rank for rank in made.ranks.values())


def test_a_document_of_which_nothing_is_left_is_withheld() -> None:
    start = Release(Document("n0", "[…]"))
    protector = CorpusProtector(PEOPLE, [start], {"n0": ["n0"]}, config())
    (made,) = protector.protect([start], TARGET, 1)
    assert made.withheld == "nothing readable is left of it"
