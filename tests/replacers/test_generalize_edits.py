"""What may stand there instead: the levels above in their order, the same for all mentions, and the label at last."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from itertools import pairwise, product
from math import inf
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sfumato import recipe as recipes
from sfumato.document import LABELS, Document, Edit, Release, Span, Withheld, merge_spans, resolve_overlaps
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.generalize.sentence import is_grammatical
from sfumato.pipeline import Pipeline
from sfumato.replacers.generalize import Generalize, make_edits
from sfumato.replacers.select import EntityCandidates, LevelAssignment
from sfumato.vault.ledger import Ledger

LEVELS = (
    Level("harbour city in northern Poland", 3, source="one"),
    Level("large city in Poland", 9, modifier="Polish", source="two"),
    Level("cities", 90, plural=True, source="three"),
    Level("large city", 400, modifier="large", source="four"),
    Level("Northern European", 900, article="", source="five"),
    Level("place", 5000, modifier="local", source="six"),
)
SETTINGS = (
    "She lives in {}.",
    "{}'s mayor wrote.",
    "They saw the {} office.",
    "It was a {} matter, said Ms {}.",
    "{}, {} and {} were named.",
    "From {} {}",
    "THE {} COURT",
)


@st.composite
def assignments(draw: st.DrawFn) -> tuple[LevelAssignment, list[Span]]:
    """Up to three things, each named wherever a few sentences leave room, each somewhere on a hierarchy."""
    text, places = "", list[tuple[int, int, int]]()
    for template in draw(st.lists(st.sampled_from(SETTINGS), min_size=1, max_size=4)):
        head, *tails = template.split("{}")
        text += head
        for tail in tails:
            thing = draw(st.integers(0, 2))
            name = ("Gdansk", "Oslo Bay", "Ida")[thing]
            places.append((len(text), len(text) + len(name), thing))
            text += name + tail
        text += " "
    mentions = [Mention(text, start, end, "LOC") for start, end, _ in places]
    entities = []
    for thing in sorted({thing for _, _, thing in places}):
        own = [number for number, place in enumerate(places) if place[2] == thing]
        levels = tuple(draw(st.lists(st.sampled_from(LEVELS), max_size=5)))
        named = frozenset(draw(st.sets(st.sampled_from(own), max_size=1)))
        entities.append(EntityCandidates(own, levels, f"LOC_{thing + 1}", named, draw(st.integers(0, len(levels)))))
    spans = [Span(start, end, "LOC", entity=str(thing)) for start, end, thing in places]
    return LevelAssignment(text, mentions, entities), spans


@given(assignments())
def test_alternatives_go_up_the_levels_in_their_order_and_ends_with_the_label(
    case: tuple[LevelAssignment, list[Span]],
) -> None:
    assignment, spans = case
    for number, (edit, span) in enumerate(zip(make_edits(assignment, spans), spans, strict=True)):
        entity = next(entity for entity in assignment.entities if number in entity.mentions)
        assert bool(edit.alternatives) == (edit.level is not None)
        assert all(not alternative.alternatives for alternative in edit.alternatives)
        for before, after in pairwise([edit, *edit.alternatives]):
            assert (before.level or inf) <= (after.level or inf)
        for item in (edit, *edit.alternatives):
            assert item.span.start <= span.start
            assert span.end <= item.span.end
            if item.level is not None:
                source = entity.candidates[item.level - 1].source
                assert item.reasons[-1] == f"level {item.level} of {len(entity.candidates)} ({source})"
        if edit.alternatives:
            assert edit.alternatives[-1].level is None
            assert entity.label in edit.alternatives[-1].replacement


@given(assignments())
def test_mentions_of_one_thing_line_up(case: tuple[LevelAssignment, list[Span]]) -> None:
    assignment, spans = case
    edits = make_edits(assignment, spans)
    for entity in assignment.entities:
        chains = {number: edits[number].alternatives for number in entity.mentions if edits[number].alternatives}
        if not chains:
            continue
        assert len({len(chain) for chain in chains.values()}) == 1
        before = [_stands(edits[number]) for number in chains]
        for column in zip(*chains.values(), strict=True):
            lowest = min(item.level or len(entity.candidates) + 1 for item in column)
            for number, one in zip(chains, column, strict=True):
                passed = entity.candidates[lowest - 1 : one.level - 1 if one.level else None]
                assert not any(
                    is_grammatical(level, assignment.mentions[number], assignment._ranges[number]) for level in passed
                )
            now = [_stands(cell) for cell in column]
            assert now != before, "what changes nothing is no step"
            before = now


def _stands(edit: Edit) -> tuple[int, int, str]:
    return edit.span.start, edit.span.end, edit.replacement


@given(assignments(), st.data())
def test_any_choice_at_any_mention_goes_with_any_other(
    case: tuple[LevelAssignment, list[Span]], data: st.DataObject
) -> None:
    assignment, spans = case
    edits = make_edits(assignment, spans)
    chosen = tuple(data.draw(st.sampled_from([edit, *edit.alternatives])) for edit in edits)
    document = Document("d", assignment.text)
    assert Release(document, chosen).inverse().text == assignment.text
    for cores in (spans, [edit.span for edit in edits]):
        assert resolve_overlaps(list(zip(chosen, cores, strict=True))) == chosen
    for one, other in pairwise(edits):
        for before, after in product((one, *one.alternatives), (other, *other.alternatives)):
            assert before.span.end <= after.span.start


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=60),
    st.lists(st.tuples(st.integers(0, 59), st.integers(1, 20), st.sampled_from(LABELS)), max_size=6),
    st.data(),
)
def test_no_text_breaks_it(text: str, places: list[tuple[int, int, str]], data: st.DataObject) -> None:
    cut = [Span(start, min(start + size, len(text)), label) for start, size, label in places if start < len(text)]
    document, spans = Document("d", text), merge_spans(cut)
    changed = Generalize(ledger=Ledger(secret=bytes(32)), choose="most-specific").replace(document, spans)
    chosen = tuple(data.draw(st.sampled_from([edit, *edit.alternatives])) for edit in changed)
    assert Release(document, chosen).inverse().text == text


TEXT = "She was born in Gdansk. The Gdansk office is closed. Ms Ida Brandt has left Gdansk."


def generalized(tmp_path: Path, text: str = TEXT) -> list[Edit]:
    table = tmp_path / "ours.csv"
    table.write_text("term,levels\nGdansk,the old harbour;a harbour;the harbour;a place\n", encoding="utf-8")
    spans = [Span(at, at + 6, "LOC") for at in range(len(text)) if text.startswith("Gdansk", at)]
    person = text.index("Ms Ida Brandt")
    spans = merge_spans([*spans, Span(person, person + 13, "PERSON")])
    replacer = Generalize(ledger=Ledger(secret=bytes(32)), tables=[table], choose="most-specific")
    return replacer.replace(Document("d", text), spans)


def test_a_hierarchy_of_the_users_from_its_first_level_to_the_label(tmp_path: Path) -> None:
    first, _, person, last = generalized(tmp_path)
    for edit in (first, last):
        chain = ["the old harbour", "a harbour", "the harbour", "a place", "LOC_1"]
        assert [item.replacement for item in (edit, *edit.alternatives)] == chain
        assert [entry.level for entry in (edit, *edit.alternatives)] == [1, 2, 3, 4, None]
    assert person.replacement == "PERSON_1"
    assert not person.alternatives


def test_a_mention_where_a_level_does_not_fit_waits_for_the_others() -> None:
    text = "In Gdansk. The Gdansk office."
    levels = (LEVELS[1], LEVELS[0], LEVELS[3])
    spans = [Span(3, 9, "LOC"), Span(15, 21, "LOC")]
    mentions = [Mention(text, span.start, span.end, "LOC") for span in spans]
    alone, before_noun = make_edits(LevelAssignment(text, mentions, [EntityCandidates([0, 1], levels, "LOC_1")]), spans)
    assert [item.level for item in (alone, *alone.alternatives)] == [1, 2, 3, None]
    assert [entry.level for entry in (before_noun, *before_noun.alternatives)] == [1, 3, 3, None]
    assert before_noun.alternatives[0] == before_noun.alternatives[1]


def test_it_is_no_part_of_what_an_edit_is_and_travels_with_it(tmp_path: Path) -> None:
    wording = generalized(tmp_path)
    bare = [Edit(edit.span, edit.replacement, edit.reasons, edit.level) for edit in wording]
    assert wording == bare
    assert list(map(hash, wording)) == list(map(hash, bare))
    assert "alternatives" not in repr(wording)
    there: Sequence[Edit] = pickle.loads(pickle.dumps(wording))
    assert there == wording
    assert [tuple(edit.alternatives) for edit in there] == [tuple(edit.alternatives) for edit in wording]
    assert all(type(edit.alternatives) is tuple for edit in there)


def test_a_pipeline_hands_it_on_when_it_cuts_an_edit_back() -> None:
    text = "They saw Anna and the 3 August 1961 came to the Gdansk."
    spans = [Span(9, 21, "PERSON"), Span(22, 35, "DATETIME"), Span(41, 47, "PERSON"), Span(48, 54, "LOC")]
    recipe = recipes.parse('[replace]\ndefault = "generalize"\nPERSON = "tag"\n', "test")
    (release,) = Pipeline(recipe, given=lambda document: spans).anonymize([Document("d", text)])
    assert not isinstance(release, Withheld)
    assert [bool(edit.alternatives) for edit in release.edits] == [False, True, False, True]
    choices = [(edit, *edit.alternatives) for edit in release.edits]
    for chosen in product(*choices):
        again = resolve_overlaps(list(zip(chosen, spans, strict=True)))
        assert Release(release.document, again).inverse().text == text
