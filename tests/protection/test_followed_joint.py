"""The joint attack in the loop: it ranks as the attack does before people compete, and a repair lowers the subject."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato.attacks.base import Person
from sfumato.attacks.linking.cleaning import WORD
from sfumato.attacks.linking.joint import JointAttack
from sfumato.errors import NotMeasurable
from sfumato.protection.corpus import is_followable
from sfumato.protection.ranks import RankedSubjects
from tests.protection import towns

GENERATOR = np.random.default_rng(7)
PEOPLE = [Person(f"p{number:02}", (" ".join(GENERATOR.choice(towns.WORDS, 25)),)) for number in range(40)]
words = st.lists(st.sampled_from(towns.WORDS), min_size=3, max_size=12).map(" ".join)


@pytest.fixture(scope="module")
def attack() -> JointAttack:
    attack = JointAttack().fit(PEOPLE)
    attack.run({person.id: " ".join(person.texts[0].split()[:8]) for person in PEOPLE[:20]})
    return attack


@settings(deadline=None, max_examples=30)
@given(texts=st.lists(words, min_size=1, max_size=3), row=st.integers(0, 39))
def test_it_ranks_as_the_attack_scores(attack: JointAttack, texts: list[str], row: int) -> None:
    link = RankedSubjects("joint", attack, [row], 5)
    for text in texts:
        link.update(text)
    scores, shared = attack.read(texts[-1])
    corrected = attack.scale.apply(scores)
    (subject,) = link.ranks()
    if not shared[row]:
        assert subject.rank is None
        return
    others = np.delete(corrected, row)
    assert subject.rank is not None
    # The attack counts in short floats, the loop in long ones: people who tie may fall on either side.
    clearly_above, not_below = (int((others > corrected[row] + margin).sum()) for margin in (1e-3, -1e-3))
    assert clearly_above <= subject.rank - 1 <= not_below


def test_the_place_with_the_largest_gain_is_that_of_the_subjects_own_words(attack: JointAttack) -> None:
    own = PEOPLE[4].texts[0].split()[:3]
    common = [word for word in towns.WORDS if word not in PEOPLE[4].texts[0]][:3]
    text = " ".join([*own, *common])
    places = np.full(len(text), 2, np.int64)
    for number, match in enumerate(WORD.finditer(text)):
        places[match.start() : match.end()] = 0 if number < 3 else 1
    link = RankedSubjects("joint", attack, [4], 11)
    link.update(text)
    gain = link.marginal_gain(4, places, 2)
    assert gain.together[0] > gain.together[1]
    before = link.ranks()[0].rank
    link.update(" ".join(common))
    after = link.ranks()[0].rank
    assert before is not None
    assert after is None or after > before


def test_before_a_run_there_is_nothing_to_follow() -> None:
    attack = JointAttack().fit(PEOPLE)
    assert attack.learned is None
    assert not is_followable(attack)
    with pytest.raises(NotMeasurable, match="run it first"):
        attack.follow("baker", [0], 2)
