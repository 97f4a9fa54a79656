"""The loop's promise: what it says it reached, an attacker who starts from scratch finds reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato import recipe
from sfumato.attacks.linking.followed import MarginalGain, SubjectRank
from sfumato.attacks.linking.sparse import SparseAttack
from sfumato.document import Document, Edit, Release, Span
from sfumato.generalize.words.base import SUPPRESSED
from sfumato.metrics.base import MetricInput
from sfumato.metrics.information import preserved_similarity
from sfumato.models.base import Embedder
from sfumato.pipeline import Pipeline
from sfumato.protection.attackers import fit_loop_attacks
from sfumato.protection.loop import Loop, LoopResult
from sfumato.protection.loss import Loss
from sfumato.protection.precautions import PrecautionaryRepair
from sfumato.protection.ranks import RankedSubjects
from sfumato.protection.text import WorkingText
from tests.metrics.invented import LengthScorer, LetterEmbedder
from tests.protection import invented_corpus, towns


@dataclass
class Run:
    """A document before and after the loop, and all it worked with."""

    start: Release
    text: WorkingText
    made: LoopResult
    attacks: dict[str, SparseAttack]
    subjects: Sequence[int]
    rank: int

    def ranks(self, released: str) -> list[int | None]:
        """Every subject under every attack that starts from scratch, ties against us."""
        collected = []
        for attack in self.attacks.values():
            scores = attack.scores(released)
            others = np.delete(scores, list(self.subjects))
            own = [float(scores[row]) for row in self.subjects]
            collected += [1 + int((others > score).sum()) if score > 0 else None for score in own]
        return collected

    @property
    def holds(self) -> bool:
        return all(rank is None or rank >= self.rank for rank in self.ranks(self.made.release.text))


@cache
def _town(known: tuple[str, ...]) -> dict[str, SparseAttack]:
    return fit_loop_attacks("english", towns.people(known))


def repaired(
    start: Release | str,
    known: Sequence[str],
    subjects: Sequence[int] = (0,),
    rank: int = 3,
    budget: float | None = None,
    precautionary_repairs: Sequence[Sequence[tuple[int, ...]]] = (),
) -> Run:
    start = Release(Document("d", start)) if isinstance(start, str) else start
    attacks = _town(tuple(known))
    links = [RankedSubjects(name, attack, subjects, rank) for name, attack in attacks.items()]
    text, loss = WorkingText(start), Loss(start, LengthScorer(), LetterEmbedder())
    careful = [PrecautionaryRepair("figures", tuple(places), 0.3) for places in precautionary_repairs]
    made = Loop(text, links, loss, budget, careful).run()
    return Run(start, text, made, attacks, subjects, rank)


def tps(release: Release) -> float:
    return preserved_similarity(MetricInput([release], scorer=LengthScorer(), embedder=LetterEmbedder())).value


def consistent(run: Run) -> None:
    """What the loop says it did is what stands there."""
    text, made = run.text, run.made
    assert made.release == text.release()[0]
    for number in range(len(text.places)):
        edit = text.edit_at(number)
        allowed = [alternative.edit for alternative in text.alternatives(number)]
        assert edit is None or edit == text.places[number].edit or edit in allowed
    expected: Counter[tuple[object, ...]] = Counter()
    visible = text.current_edits()  # without places inside a phrase that was reworded, or after a mark of omission
    for group in text.groups:
        climbed = [number for number in group if text.levels[number]]
        counts = Counter(
            (_kind(text, number), _said(run, number), _put(text, number)) for number in climbed if number in visible
        )
        expected.update((*key, places, len(climbed) < len(group)) for key, places in counts.items())
    assert Counter((item.kind, item.before, item.after, item.places, item.partial) for item in made.repairs) == expected
    assert all(repair.loss >= 0 and repair.before != repair.after for repair in made.repairs)


def _put(text: WorkingText, number: int) -> str:
    return text.current_edits()[number].replacement


def _said(run: Run, number: int) -> str:
    place = run.text.places[number]
    return place.edit.replacement if place.edit else run.start.document.text[place.span.start : place.span.end]


def _kind(text: WorkingText, number: int) -> str:
    alternative = text.alternatives(number)[text.levels[number] - 1]
    return alternative.kind if text.current_edits()[number] is alternative.edit else "suppress"


# -- the promise ---------------------------------------------------------------------------------------------------

sentences = st.lists(st.lists(towns.words, min_size=2, max_size=8).map(" ".join), min_size=1, max_size=4).map(
    lambda parts: ". ".join(part.capitalize() for part in parts) + "."
)
many = st.lists(st.lists(towns.words, min_size=2, max_size=14).map(" ".join), min_size=5, max_size=12)


@given(known=many, text=sentences, draw=st.data())
def test_what_was_reached_holds_against_attacks_from_scratch(known: list[str], text: str, draw: st.DataObject) -> None:
    rank = draw.draw(st.integers(2, max(2, len(known) // 2)))
    subject = draw.draw(st.integers(0, len(known) - 1))
    run = repaired(text, known, [subject], rank)
    assert run.made.reached == run.holds
    assert run.made.reached  # words can always be suppressed
    consistent(run)


@given(known=many, text=sentences, draw=st.data())
def test_it_holds_for_each_of_several_subjects(known: list[str], text: str, draw: st.DataObject) -> None:
    subjects = draw.draw(st.permutations(range(len(known))))[:2]
    run = repaired(text, known, subjects, 2)
    assert run.made.reached
    assert run.holds
    assert run.made.hardest_row in (*subjects, None)
    consistent(run)


@pytest.mark.parametrize("number", range(8))
def test_neighbours_are_hidden(number: int) -> None:
    known = [person.texts[0] for person in invented_corpus.background(24).people]
    people = [person.id for person in invented_corpus.background(24).people]
    start = invented_corpus.starts(10)[number]
    run = repaired(start, known, [people.index(start.document.id)], 4 + number)
    assert run.made.reached
    assert run.holds
    assert 0 < run.made.loss < 0.7
    consistent(run)
    assert min(rank or 99 for rank in run.ranks(run.start.text)) == 1


@given(known=many, text=sentences, draw=st.data())
def test_what_it_reports_is_what_an_attacker_finds(known: list[str], text: str, draw: st.DataObject) -> None:
    subject = draw.draw(st.integers(0, len(known) - 1))
    run = repaired(text, known, [subject], 3)
    before, after = run.ranks(run.start.text), run.ranks(run.made.release.text)
    # Scores that only rounding tells apart are a tie for the loop, which is never to the subject's good.
    for told, found in zip([*run.made.ranks_before.values(), *run.made.ranks.values()], before + after, strict=True):
        assert (told is None) == (found is None)
        assert told is None or found is None or told <= found
    assert run.made.loss == pytest.approx(max(0.0, tps(run.start) - tps(run.made.release)), abs=1e-6)


def test_who_is_hidden_already_is_left_alone() -> None:
    run = repaired(
        "A person asked for a form.", ["baker barn", "miller ferry form", "potter form kites", "joiner"], [0]
    )
    assert run.made.reached
    assert run.made.repairs == ()
    assert run.made.release == run.start
    assert run.made.loss == 0
    assert run.made.hardest_row is None


def test_a_document_that_must_be_hidden_among_more_people_than_there_are_says_nothing() -> None:
    run = repaired("The baker has a barn.", ["baker barn", "miller ferry"], [0], 5)
    assert run.made.reached
    assert run.ranks(run.made.release.text) == [None] * 4


@pytest.mark.parametrize("subjects", [[0], [0, 1]])
def test_people_with_nobody_beside_them(subjects: list[int]) -> None:
    run = repaired("The baker has a barn.", ["baker barn", "miller ferry"], subjects, 2)
    assert run.made.reached
    assert run.holds


# -- not reached ---------------------------------------------------------------------------------------------------


def test_what_cannot_be_said_less_exactly_is_not_reached() -> None:
    text = "Xpigeons Xfalcons Xkites"
    glued = tuple(Edit(Span(at, at + 1, "MISC"), "") for at in (0, 9, 18))  # leaves words that belong to no place
    known = ["pigeons falcons kites", "orchids", "sundials", "ferry"]
    run = repaired(Release(Document("d", text), glued), known, [0], 3)
    assert not run.made.reached
    assert not run.holds
    assert run.made.hardest_row == 0


# -- the budget ----------------------------------------------------------------------------------------------------


@given(known=many, text=sentences, budget=st.sampled_from([0.0, 0.02, 0.1, 0.3, 0.6, 1.0]), draw=st.data())
def test_the_budget_is_kept(known: list[str], text: str, budget: float, draw: st.DataObject) -> None:
    run = repaired(text, known, [draw.draw(st.integers(0, len(known) - 1))], 3, budget)
    assert run.made.loss <= budget + 1e-9
    assert run.made.reached == run.holds
    consistent(run)


def test_within_a_budget_the_cheap_is_done_where_the_dear_is_too_dear() -> None:
    known = ["carillonneurscarillonneurs kites", "kites", "ferry", "market", "copper", "lantern"]
    dear = repaired("Carillonneurscarillonneurs and kites.", known, [0], 4, 1.0)
    assert dear.made.reached
    little = repaired("Carillonneurscarillonneurs and kites.", known, [0], 4, 0.3)
    assert not little.made.reached
    assert [repair.before for repair in little.made.repairs] == ["kites"]


def by_words(text: str, known: Sequence[str], rank: int, budget: float) -> LoopResult:
    """What the loop makes of a text about the first person where single words are all that an attacker looks at."""
    start = Release(Document("d", text))
    link = RankedSubjects("tfidf", towns.fitted("tfidf", known, longest=1), [0], rank)
    return Loop(WorkingText(start), [link], Loss(start, LengthScorer(), LetterEmbedder()), budget).run()


def test_where_no_repair_helps_by_itself_two_are_tried() -> None:
    alike = ["quorvexil brimdale"] * 9
    made = by_words("Quorvexil and brimdale.", [*alike, "ferry"], 3, 1.0)
    assert made.reached
    assert {repair.before for repair in made.repairs} == {"Quorvexil", "brimdale"}


def test_a_budget_is_not_spent_on_what_does_not_help() -> None:
    alike = ["quorvexil brimdale zwickel"] * 9
    made = by_words("Quorvexil and brimdale and zwickel.", [*alike, "ferry"], 3, 1.0)
    assert (made.reached, made.repairs, made.loss) == (False, (), 0.0)


def test_a_budget_may_be_spent_to_the_last_but_for_rounding() -> None:
    known = ["quorvexil", "brimdale", "ferry", "market"]
    cost = len("Quorvexil") / len("Quorvexilbrimdale")
    assert by_words("Quorvexil and brimdale.", known, 2, cost - 1e-12).reached
    assert not by_words("Quorvexil and brimdale.", known, 2, cost - 1e-6).repairs


def test_what_proves_too_dear_is_undone_and_not_told() -> None:
    class Dearer(Loss):
        """Finds out only afterwards what it costs that a word is gone."""

        @property
        def lost(self) -> float:
            gone = (SUPPRESSED, "certain things")
            return 2.0 if any(edit.replacement in gone for edit in self._edits) else super().lost

    start = Release(Document("d", "She has pigeons."))
    text, loss = WorkingText(start), Dearer(start, LengthScorer(), LetterEmbedder())
    wider, widest, _ = (alternative.edit for alternative in text.alternatives(2))
    known = [f"pigeons {wider.replacement} {widest.replacement}", "orchids", "sundials", "ferry"]
    links = [RankedSubjects(name, attack, [0], 3) for name, attack in _town(tuple(known)).items()]
    made = Loop(text, links, loss, 1.0).run()
    assert not made.reached
    assert made.release.edits == (widest,)
    asked = Loss(start, LengthScorer(), LetterEmbedder())
    first = asked.cost([wider])
    asked.update([wider])
    assert [repair.loss for repair in made.repairs] == pytest.approx([first + asked.cost([widest])])


def test_the_attacks_look_again_after_a_repair_that_closes_much() -> None:
    class Noting(RankedSubjects):
        def update(self, text: str) -> None:
            seen.append(text)
            super().update(text)

    seen: list[str] = []
    start = Release(Document("d", "Quorvexil quorvexil kites lantern."))
    text, loss = WorkingText(start), Loss(start, LengthScorer(), LetterEmbedder())
    known = ["quorvexil kites lantern", "kites", "lantern", "ferry", "market"]
    links = [Noting("tfidf", towns.fitted("tfidf", known, longest=1), [0], 4)]
    assert Loop(text, links, loss).run().reached
    assert seen[:2] == [start.text, f"{SUPPRESSED} kites lantern."]
    assert len(set(seen)) > 2


# -- consistency ---------------------------------------------------------------------------------------------------

STORY = (
    "Anna Quorvex lives in Ghent with twelve pigeons. She moved to Ghent in 2011, when the pigeons were young, and "
    "bought a windmill near Lublin. In Lublin the baker knows Quorvex well: the windmill of Anna Quorvex is old, and "
    "a robbery took place there on 14 March 2011. Two robberies are rare in Ghent."
)
TOLD = (
    "Anna keeps pigeons in Belgium, in a windmill near a large city in Poland, moved in 2011, robbery in March 2011",
    "a baker in Belgium who moved in 2011",
    "a potter who knows a windmill",
    "miller, large city, young, twelve orchids",
    "glazier near a large city in Poland who bought kites",
    "joiner in March 2011",
    "tailor who is well and old",
    "robberies are rare",
)


@cache
def generalized() -> Release:
    document = Document("d", STORY)
    pipeline = Pipeline(recipe.load("default"))
    pipeline.learn(lambda: [document])
    (release,) = pipeline.anonymize([document])
    assert isinstance(release, Release)
    return release


@pytest.mark.parametrize("rank", [2, 3, 4, 6, 8])
def test_all_mentions_of_an_entity_say_the_same(rank: int) -> None:
    run = repaired(generalized(), TOLD, [0], rank)
    assert run.made.reached
    assert run.holds
    consistent(run)
    for group in run.text.groups:
        if run.text.places[group[0]].edit is not None:
            most = [len(run.text.alternatives(number)) for number in group]
            level = max(run.text.levels[number] for number in group)
            assert [run.text.levels[number] for number in group] == [min(level, top) for top in most]


# -- taking back ---------------------------------------------------------------------------------------------------


def test_cautious_repairs_come_first_and_are_not_taken_back() -> None:
    text = "She has 1,437 pigeons. The baker whistles by the barn."
    places = [place.span.start for place in WorkingText(Release(Document("d", text))).places]
    known = ["baker barn whistles", "baker ferry", "barn kites", "miller whistles"]
    run = repaired(text, known, [0], 2, precautionary_repairs=[[(places.index(text.index("1,437")),)]])
    (first, *_) = run.made.repairs
    assert (first.before, first.attack.split(" (")[0]) == ("1,437", "any background")
    assert "1,437" not in run.made.release.text
    assert run.holds
    consistent(run)


class InformedAttack(RankedSubjects):
    """Finds who has pigeons, and who has any animal beside a zwickel; points at the animals first."""

    def __init__(self) -> None:
        self.name, self._text = "informed", ""

    def update(self, text: str) -> None:
        self._text = text

    def ranks(self) -> list[SubjectRank]:
        text = self._text or ""
        beside = "zwickel" in text and any(word in text for word in ("birds", "animals"))
        gap = 1.0 if "pigeons" in text or beside else 0.0
        return [SubjectRank(0, 1, 2.0, gap)]

    def marginal_gain(self, row: int, places: NDArray[np.int64], count: int) -> MarginalGain:
        parts, text = np.zeros(count), self._text or ""
        parts[places[text.index("zwickel")] if "animals" in text else 2] = 1.0
        return MarginalGain(parts, parts)

    own_contribution = marginal_gain


class Meanings:
    """Birds are nearly pigeons; animals are not."""

    name = "meanings"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        cosines = [{"pigeons": 1.0, "birds": 0.8}.get(text, 0.0) for text in texts]
        return np.array([(cosine, np.sqrt(1 - cosine**2)) for cosine in cosines], np.float32)


@pytest.mark.parametrize("embedder", [Meanings(), LetterEmbedder()], ids=["second step dearer", "first step dearer"])
def test_a_step_that_was_taken_back_is_not_told(embedder: Embedder) -> None:
    start = Release(Document("d", "She has pigeons and a zwickel."))
    text, loss = WorkingText(start), Loss(start, LengthScorer(), embedder)
    made = Loop(text, [InformedAttack()], loss).run()
    assert made.release.text == "She has birds and a […]."
    assert [(repair.before, repair.after) for repair in made.repairs] == [("pigeons", "birds"), ("zwickel", SUPPRESSED)]
    asked = Loss(start, LengthScorer(), embedder)
    expected = [asked.cost([edit]) for edit in made.release.edits]
    assert [repair.loss for repair in made.repairs] == pytest.approx(expected)


class NoticesPigeons(InformedAttack):
    def ranks(self) -> list[SubjectRank]:
        return [SubjectRank(0, 1, 2.0, 1.0 if "pigeons" in (self._text or "") else 0.0)]


def test_repairs_that_share_a_place_are_taken_back_no_further_than_the_original() -> None:
    start = Release(Document("d", "She has pigeons and a zwickel."))
    text, loss = WorkingText(start), Loss(start, LengthScorer(), LetterEmbedder())
    pigeons, zwickel = (
        next(n for n, place in enumerate(text.places) if start.text[place.span.start :].startswith(word))
        for word in ("pigeons", "zwickel")
    )
    loop = Loop(text, [NoticesPigeons()], loss)
    loop._apply((pigeons, zwickel), "informed")
    loop._apply((pigeons,), "informed")
    for _ in range(2):
        loop._revert_needless(0, set())
        assert text.release()[0].text == "She has birds and a zwickel."
        assert min(text.levels) == 0


# -- hostile input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t ",
        "pigeons",
        "[…] [PERSON] PERSON_1 ***",
        "🙂 👩‍👩‍👧 🏳️‍🌈",
        "1 2 3 . , ; !",
        "pigeons " * 5000,
        "PIGEONS BARN " * 3,
        "the of and a " * 20,
        "\ud800pigeons\0 barn\u200d",
        "baker barn pigeons whistles " * 40,
    ],
    ids=["empty", "blank", "one word", "placeholders", "emoji", "no letters", "one word 5,000 times", "shouted",
         "function words", "torn", "long"],
)  # fmt: skip
def test_the_loop_ends_on_anything(text: str) -> None:
    known = ["pigeons barn the of", "baker barn", "miller ferry", "potter kites and", "joiner pigeons market"]
    run = repaired(text, known, [0], 4)
    assert run.made.reached
    assert run.holds
    consistent(run)


@pytest.mark.parametrize("put", ["", "[…]", "PERSON_1", "pigeons by the barn"])
def test_the_loop_ends_on_a_text_that_is_one_edit(put: str) -> None:
    text = "Anna Quorvex has pigeons."
    start = Release(Document("d", text), (Edit(Span(0, len(text), "PERSON"), put),))
    run = repaired(start, ["pigeons barn", "baker barn", "miller ferry", "potter"], [0], 3)
    assert run.made.reached
    assert run.holds
    consistent(run)


@pytest.mark.parametrize(("number", "rank"), [(0, 3), (0, 5), (1, 9), (2, 9), (5, 3)])
def test_repairs_are_few(number: int, rank: int) -> None:
    """Nothing is repaired that could be left: with any single place a step back the promise breaks."""
    known = [person.texts[0] for person in invented_corpus.background(24).people]
    run = repaired(invented_corpus.starts(6)[number], known, [number], rank)
    levels = list(run.text.levels)
    visible = run.text.current_edits()
    for place, level in enumerate(levels):
        if level and place in visible and "sentence left out" not in visible[place].reasons:
            run.text.levels = [*levels[:place], level - 1, *levels[place + 1 :]]
            ranks = run.ranks(run.text.release()[0].text)
            assert any(item is not None and item < rank for item in ranks)
    assert all(one is not other for one, other in pairwise(run.made.repairs))


def test_a_sentence_is_left_out_where_its_marks_of_omission_cost_more_than_it() -> None:
    known = ["quorvex blarf zindle", "baker barn mill", "miller ferry boat", "potter kiln clay", "smith forge iron"]
    rest = "The rest was quiet that whole long summer in the valley."
    assert repaired(f"Quorvex blarf zindle. {rest}", known).made.release.text == f"[…] {rest}"
    told = "In that long summer the weather in the valley by the river was fine and quorvex stayed quiet."
    assert repaired(f"{told} {rest}", known).made.release.text == f"{told} {rest}".replace("quorvex", "[…]")
