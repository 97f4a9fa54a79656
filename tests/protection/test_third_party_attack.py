"""An attack of a third party that can be followed joins the loop, though nothing there knows its class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import Person
from sfumato.attacks.linking.followed import Compares, Followable, Followed, MarginalGain
from sfumato.document import Release
from sfumato.protection.checkpoints import Checkpoints
from sfumato.protection.corpus import CorpusProtector, LoopConfig
from sfumato.protection.target import Target
from tests.attacks.linking import SharedWords, shared_words
from tests.metrics.invented import LengthScorer, LetterEmbedder
from tests.protection import invented_corpus

KNOWN = invented_corpus.background(24)


class FollowedWords(Followed):
    """Reads every text anew: the least that an attack needs to be followed."""

    def __init__(self, known: Sequence[set[str]], text: str) -> None:
        self._known = known
        self.change(text)

    def change(self, text: str) -> None:
        self._words = shared_words(text)
        self.scores = np.array([float(len(self._words.keys() & known)) for known in self._known])

    def gain(self, row: int, rivals: NDArray[np.int64], places: NDArray[np.int64], count: int) -> MarginalGain:
        gain = np.zeros(count + 1)
        for word, (start, _) in self._words.items():
            others = float(np.mean([word in self._known[rival] for rival in rivals])) if len(rivals) else 0.0
            gain[places[start]] += (word in self._known[row]) - others
        return MarginalGain(gain[:count], gain[:count])


class FollowableWords(SharedWords):
    """The attack by shared words, with all that the loop asks of it."""

    name = "shared"
    compares: Compares = "words"
    learned = ""

    def fit(self, background: Sequence[Person]) -> Self:
        super().fit(background)
        self._rows = {person: row for row, person in enumerate(self._people)}
        return self

    def row(self, person_id: str) -> int:
        return self._rows[person_id]

    def follow(self, text: str, subjects: Sequence[int], rank: int) -> FollowedWords:
        return FollowedWords(list(self._people.values()), text)


def rank_of(attack: Followable, release: Release) -> int | None:
    scores = attack.follow(release.text, (), 1).scores
    row = attack.row(release.document.id)
    return 1 + int((np.delete(scores, row) > scores[row]).sum()) if scores[row] else None


def test_it_joins_and_the_loop_holds_against_it() -> None:
    starts = invented_corpus.starts(3)
    config = LoopConfig("english", LengthScorer(), LetterEmbedder(), b"a secret", Checkpoints())
    subjects = {start.document.id: [start.document.id] for start in starts}
    protector = CorpusProtector(KNOWN.people, starts, subjects, config)
    attack = FollowableWords().fit(KNOWN.people)
    assert isinstance(attack, Followable)
    assert protector.join("shared", attack)
    assert not protector.join("shared", attack)
    for document in protector.protect(starts, Target(4)):
        assert document.withheld is None
        rank = rank_of(attack, document.release)
        assert document.ranks["shared"] == rank
        assert rank is None or rank >= document.secret_rank
