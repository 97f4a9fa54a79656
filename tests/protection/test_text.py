"""A release while it is repaired: whatever the levels, the text is whole and every character's owner is known."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato import recipe
from sfumato.document import Document, Edit, Release, Span
from sfumato.generalize.words.base import SUPPRESSED
from sfumato.pipeline import Pipeline
from sfumato.protection.text import WORD_LABEL, WorkingText
from tests import strategies

TEXTS = (
    "On 14 March 2011 Anna Quorvex, a 43-year-old carillonneur from Ghent, complained of two robberies. The first "
    "robbery took place in a small chapel near Lublin; the second, on 23rd May, in the old windmill. Ms Quorvex said "
    "that 1,437 pigeons had been stolen by three men of the Brimdale & Sons brewery.",
    "Belo Tvesk was born in Turku in 1964. He studied chemistry at the University of Oslo, joined Ostrow Ferries Ltd "
    "in the 1990s and ran the harbour until 2003. Tvesk's brother, Dano Tvesk, repairs accordions in Porto. The "
    "brothers sold the ferry for €250,000 at 10:30 on a Friday.",
    "The applicant lodged an application (no. 48321/09) against the Kingdom of Belgium. She had been detained for "
    "approximately six weeks in a closed psychiatric hospital and was released after her lawyer, Cora Zemlin, "
    'appealed. She told the court: "I never saw the glazier\'s letter." Applications of that kind are rare.',
)


@cache
def as_initial(number: int) -> Release:
    """What the default recipe makes of a text."""
    document = Document(f"d{number}", TEXTS[number])
    pipeline = Pipeline(recipe.load("default"))
    pipeline.learn(lambda: [document])
    (release,) = pipeline.anonymize([document])
    assert isinstance(release, Release)
    return release


@cache
def made_of(number: int) -> WorkingText:
    return WorkingText(as_initial(number))


def at_levels(number: int, draw: st.DataObject) -> WorkingText:
    working = made_of(number)
    most = [len(working.alternatives(place)) for place in range(len(working.places))]
    share = draw.draw(st.sampled_from([0.1, 0.5, 1.0]))
    seed = draw.draw(st.integers(0, 10_000))
    random = np.random.default_rng(seed)
    working.levels = [int(random.integers(0, top + 1)) if random.random() < share else 0 for top in most]
    return working


def whole(working: WorkingText) -> None:
    """What a release promises, whatever the levels."""
    release, owners = working.release()
    assert len(owners) == len(release.text)
    assert owners.min(initial=0) >= 0
    assert owners.max(initial=0) <= len(working.places)
    at = 0
    rank_subject = {}
    edits = working.current_edits()
    for piece in release.segments:
        own = set(owners[piece.released_start : piece.released_end].tolist())
        if piece.edit is not None:
            assert len(own) <= 1
            number = next(iter(own), None)
            if number is not None:
                put = edits[number]
                assert piece.edit.replacement == put.replacement
                rank_subject[number] = piece.edit
        else:
            for number in own - {len(working.places)}:
                edit = edits.get(number)  # a label may leave the preposition of its place as it was
                assert edit is None or piece.end <= edit.span.start or edit.span.end <= piece.start
        at = piece.released_end
    assert at == len(release.text)
    for number, place in enumerate(working.places):
        edit = edits.get(number)
        if edit is None and working.edit_at(number) is not None:
            continue  # a wording of the phrase around it, or a mark of omission before it, covers the place
        mine = np.flatnonzero(owners == number)
        if edit is None:
            phrase = "".join(release.text[where] for where in mine)
            assert phrase in ("", working.document.text[place.span.start : place.span.end])
        elif edit.replacement:
            assert rank_subject[number].replacement == edit.replacement
            assert edit.replacement in "".join(release.text[where] for where in mine)
    assert len(release.edits) == len(edits)
    assert edits.keys() <= {number for number in range(len(working.places)) if working.edit_at(number) is not None}


@pytest.mark.parametrize("number", range(len(TEXTS)))
def test_where_nothing_was_widened_the_start_stands(number: int) -> None:
    working = WorkingText(as_initial(number))
    release, owners = working.release()
    assert release == as_initial(number)
    assert release.text == as_initial(number).text
    assert len(owners) == len(release.text)
    assert any(place.edit and place.edit.alternatives for place in working.places)


@pytest.mark.parametrize("number", range(len(TEXTS)))
@given(draw=st.data())
def test_every_character_has_the_owner_whose_words_stand_there(number: int, draw: st.DataObject) -> None:
    whole(at_levels(number, draw))


@pytest.mark.parametrize("number", range(len(TEXTS)))
@given(draw=st.data())
def test_what_no_place_replaces_is_the_original(number: int, draw: st.DataObject) -> None:
    working = at_levels(number, draw)
    release, _ = working.release()
    for piece in release.segments:
        if piece.edit is None:
            said = TEXTS[number][piece.start : piece.end]
            assert release.text[piece.released_start : piece.released_end] == said
    for place, now in ((place, working.edit_at(at)) for at, place in enumerate(working.places)):
        if now is not None:  # no word of its own core is left but what the edit itself does not replace
            covered = range(max(now.span.start, place.span.start), min(now.span.end, place.span.end))
            kept = {at for start, end in release.kept for at in range(start, end)}
            assert kept.isdisjoint(covered)


@given(text=strategies.texts, draw=st.data())
def test_any_text_with_any_edits_can_be_worked_on(text: str, draw: st.DataObject) -> None:
    borders = sorted(draw.draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pairs = [(a, b) for a, b in zip(borders[::2], borders[1::2], strict=False) if a < b]
    new = draw.draw(st.lists(st.sampled_from(["", "x", "a place", "PERSON_1"]), min_size=len(pairs), max_size=8))
    start = Release(
        Document("d", text), tuple(Edit(Span(a, b, "MISC"), put) for (a, b), put in zip(pairs, new, strict=False))
    )
    working = WorkingText(start)
    assert working.release()[0].text == start.text
    for _ in range(3):
        working.widen(range(len(working.places)))
        whole(working)
    assert not any(
        working.is_open(number) and working.next_alternative(number) is None for number in range(len(working.places))
    )


def test_inflections_of_a_stem_are_one_group() -> None:
    working = WorkingText(Release(Document("d", "Two robberies. A robbery took place, and robbery is a crime.")))
    texts = [working.initial_text(number) for number in range(len(working.places))]
    group = working.groups[working.places[texts.index("robbery")].group]
    assert [texts[number] for number in group] == ["robberies", "robbery", "robbery"]
    assert working.group_of[texts.index("crime")] != working.group_of[texts.index("robbery")]


def test_mentions_of_an_entity_are_one_group_and_others_are_not() -> None:
    text = "Anna Quorvex met Belo. Quorvex left Belo in Ghent."
    spans = [(0, 12, "e1"), (17, 21, "e2"), (23, 30, "e1"), (36, 40, "e2")]
    edits = tuple(Edit(Span(a, b, "PERSON", entity=entity), f"{entity} person") for a, b, entity in spans)
    working = WorkingText(Release(Document("d", text), edits))
    groups = [
        [working.places[n].span.start for n in group] for group in working.groups if working.places[group[0]].edit
    ]
    assert groups == [[0, 23], [17, 36]]


def test_what_nobody_linked_is_linked_by_what_it_says() -> None:
    text = "Ghent is not GHENT, nor is Lublin Ghent."
    edits = tuple(Edit(Span(text.index(word, at), text.index(word, at) + len(word), "LOC"), "a town")
                  for word, at in (("Ghent", 0), ("GHENT", 0), ("Lublin", 0), ("Ghent", 20)))  # fmt: skip
    working = WorkingText(Release(Document("d", text), edits))
    assert sorted(len(group) for group in working.groups if working.places[group[0]].edit) == [1, 3]


def test_a_word_that_is_also_a_name_is_no_mention_of_it() -> None:
    text = "Baker is a baker."
    working = WorkingText(Release(Document("d", text), (Edit(Span(0, 5, "PERSON"), "PERSON_1"),)))
    assert len({working.places[0].group, working.places[-1].group}) == 2


def test_function_words_are_places_of_their_own_kind() -> None:
    text = "The baker of the town has not paid."
    working = WorkingText(Release(Document("d", text)))
    kinds = {working.initial_text(number): place.is_function_word for number, place in enumerate(working.places)}
    assert kinds == {"The": True, "baker": False, "of": True, "the": True, "town": False, "has": True, "not": True,
                     "paid": False}  # fmt: skip
    number = next(number for number, place in enumerate(working.places) if place.is_function_word)
    (alternative,) = working.alternatives(number)
    assert (alternative.kind, alternative.edit.replacement) == ("suppress", SUPPRESSED)
    assert alternative.edit.span.label == WORD_LABEL


@pytest.mark.parametrize(("text", "words"), [
    ("the 12th and the 23rd", ["the", "12th", "and", "the", "23rd"]),
    ("in the 1990s", ["in", "the", "1990s"]),
    ("1,437 at 10:30 on 12.5.1999.", ["1,437", "at", "10:30", "on", "12.5.1999"]),
    ("25km", ["25", "km"]),
    ("a b c 1 2", []),
    ("Ärzte für Ölförderung", ["Ärzte", "für", "Ölförderung"]),
])  # fmt: skip
def test_numbers_and_words_are_places(text: str, words: list[str]) -> None:
    working = WorkingText(Release(Document("d", text)))
    assert [text[place.span.start : place.span.end] for place in working.places] == words


def test_an_edit_takes_the_levels_of_its_hierarchy_and_ends_there() -> None:
    span = Span(0, 5, "LOC")
    wider = (Edit(span, "Flanders"), Edit(span, "Belgium"), Edit(span, "Europe"))
    working = WorkingText(Release(Document("d", "Ghent"), (Edit(span, "a town", alternatives=wider),)))
    seen = []
    while working.is_open(0):
        working.widen([0])
        seen.append(working.release()[0].text)
    assert seen == ["Flanders", "Belgium", "Europe", SUPPRESSED]
    working.widen([0])
    assert working.levels == [4]
    assert working.next_alternative(0) is None


def test_an_edit_without_a_hierarchy_is_suppressed_unless_it_says_nothing() -> None:
    span = Span(0, 5, "LOC")
    working = WorkingText(Release(Document("d", "Ghent"), (Edit(span, "a town", ("why",)),)))
    assert [alternative.edit.replacement for alternative in working.alternatives(0)] == [SUPPRESSED]
    assert working.alternatives(0)[0].edit.reasons[0] == "why"
    for nothing in ("[LOC]", "LOC_1", "***", ""):
        assert not WorkingText(Release(Document("d", "Ghent"), (Edit(span, nothing),))).is_open(0)
        hierarchy = Edit(span, "a town", alternatives=(Edit(span, "Belgium"), Edit(span, nothing)))
        alternatives = WorkingText(Release(Document("d", "Ghent"), (hierarchy,))).alternatives(0)
        assert [alternative.edit.replacement for alternative in alternatives] == ["Belgium", nothing]


def test_the_article_before_two_edits_in_a_row_agrees_with_the_second() -> None:
    text = "After the war she became a civil engineer in the town."
    working = WorkingText(Release(Document("d", text), ()))
    words = {text[place.span.start : place.span.end]: number for number, place in enumerate(working.places)}
    civil, engineer = words["civil"], words["engineer"]
    kinds = [[option.kind for option in working.alternatives(number)] for number in (civil, engineer)]
    assert "drop" in kinds[0]
    assert "hypernym" in kinds[1]
    working.levels[civil], working.levels[engineer] = kinds[0].index("drop") + 1, kinds[1].index("hypernym") + 1
    assert "became a technical professional" in working.release()[0].text


def test_a_wording_that_cuts_a_place_is_refused() -> None:
    text = "He owns one of the largest collections with over 28,000 books."
    working = WorkingText(Release(Document("d", text), ()))
    start = text.index("000 books")
    assert working.must_stay(start, len(text) - 1)
    assert not working.must_stay(text.index("28,000"), len(text) - 1)
