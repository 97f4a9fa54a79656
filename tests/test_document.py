"""What flows: offsets are exact, edits cannot overlap, merging covers everything."""

from __future__ import annotations

import pickle
from dataclasses import fields, replace
from itertools import combinations, pairwise, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document, Edit, Release, Score, Span, merge_spans, resolve_overlaps
from sfumato.errors import SfumatoError
from tests.strategies import examples, texts, texts_with_spans


@st.composite
def releases(draw: st.DrawFn) -> Release:
    text, spans = draw(texts_with_spans())
    edits = tuple(Edit(span, draw(texts)) for span in merge_spans(spans))
    return Release(Document("d", text), edits)


@examples(4)
@given(releases())
def test_untouched_parts_are_the_originals_and_the_map_is_exact(release: Release) -> None:
    original, released = release.document.text, release.text
    rebuilt = []
    at = 0
    for edit in release.edits:
        rebuilt += [original[at : edit.span.start], edit.replacement]
        at = edit.span.end
    assert released == "".join([*rebuilt, original[at:]])
    for start, end in release.kept:
        mapped = release.to_released(start, end)
        assert released[slice(*mapped)] == original[start:end]
        assert release.to_original(*mapped) == (start, end)
    for piece in release.segments:
        if piece.edit is not None:
            assert release.to_released(piece.start, piece.end) == (piece.released_start, piece.released_end)
            assert released[piece.released_start : piece.released_end] == piece.edit.replacement


@examples(2)
@given(releases(), st.data())
def test_any_range_maps_to_the_smallest_range_that_holds_it(release: Release, data: st.DataObject) -> None:
    size = len(release.document.text)
    if not size:
        return
    start = data.draw(st.integers(0, size - 1))
    end = data.draw(st.integers(start + 1, size))
    pieces = [piece for piece in release.segments if piece.start < end and start < piece.end]
    first, last = pieces[0], pieces[-1]
    low = first.released_start + (start - first.start if first.edit is None else 0)
    high = last.released_end - (last.end - end if last.edit is None else 0)
    assert release.to_released(start, end) == (low, high)


@examples(2)
@given(releases())
def test_the_inverse_gives_the_original_back(release: Release) -> None:
    assert release.inverse().text == release.document.text


@examples(4)
@given(texts_with_spans())
def test_merged_spans_are_disjoint_sorted_and_cover_the_same_characters(case: tuple[str, list[Span]]) -> None:
    _, spans = case
    merged = merge_spans(spans)
    assert all(a.end <= b.start for a, b in pairwise(merged))
    covered = {at for span in spans for at in range(span.start, span.end)}
    assert {at for span in merged for at in range(span.start, span.end)} == covered
    assert merge_spans(reversed(spans)) == merged
    assert merge_spans(merged) == merged


def test_the_longest_span_wins_then_the_score_then_the_label_then_the_direct_identifier() -> None:
    long, short = Span(0, 9, "LOC", score=0.1), Span(0, 5, "PERSON", score=0.9)
    assert merge_spans([short, long]) == [long]
    sure, unsure = Span(0, 5, "MISC", score=0.9), Span(0, 5, "PERSON", score=0.8)
    assert merge_spans([unsure, sure]) == [sure]
    person, code = Span(0, 5, "PERSON"), Span(0, 5, "CODE")
    assert merge_spans([code, person]) == [person]
    quasi, direct = Span(0, 5, "PERSON", "quasi"), Span(0, 5, "PERSON", "direct")
    assert merge_spans([quasi, direct]) == merge_spans([direct, quasi]) == [direct]


def test_spans_overlap_where_they_share_a_character() -> None:
    spans = [Span(start, end, "X") for start, end in combinations(range(5), 2)]
    for one, other in product(spans, spans):
        shared = set(range(one.start, one.end)) & set(range(other.start, other.end))
        assert one.overlaps(other) == bool(shared)


def test_a_longer_span_wins_wherever_it_stands() -> None:
    long, late = Span(0, 9, "LOC"), Span(6, 12, "PERSON")
    assert (len(long), len(late)) == (9, 6)
    assert merge_spans([late, long]) == [long, late.moved(9, 12)]


def test_spans_that_differ_in_nothing_but_where_they_come_from_are_merged_the_same_in_any_order() -> None:
    spans = [
        Span(0, 5, "PERSON", source=source, entity=entity, annotator=annotator)
        for source in ("a", "b")
        for entity in (None, "e1", "e2")
        for annotator in (None, "n1")
    ]
    items = {tuple(merge_spans(Random(seed).sample(spans, len(spans)))) for seed in range(20)}
    assert len(items) == 1
    for pair in combinations(spans, 2):
        assert merge_spans(pair) == merge_spans(pair[::-1])


def test_edits_may_be_given_in_any_order() -> None:
    edits = tuple(Edit(Span(at, at + 1, "X"), f"<{at}>") for at in range(0, 6, 2))
    release = Release(Document("d", "abcdef"), edits[::-1])
    assert release.text == "<0>b<2>d<4>f"
    assert release == Release(release.document, edits)


def test_what_a_loser_covers_beyond_the_winner_stays_covered() -> None:
    street, person = Span(5, 20, "LOC"), Span(0, 10, "PERSON")
    assert merge_spans([street, person]) == [person.moved(0, 5), street]


def test_overlapping_edits_cannot_be_constructed() -> None:
    document = Document("d", "abcdef")
    with pytest.raises(ValueError, match=r"\[0, 3\) and \[2, 4\)"):
        Release(document, (Edit(Span(2, 4, "X"), "x"), Edit(Span(0, 3, "X"), "y")))
    with pytest.raises(ValueError, match="after the text"):
        Release(document, (Edit(Span(5, 7, "X"), "x"),))


@pytest.mark.parametrize("bad", [{"start": -1}, {"start": 5}, {"score": 1.5}, {"score": -0.1}, {"label": ""}])
def test_a_bad_span_is_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="span"):
        Span(**{"start": 1, "end": 3, "label": "X", **bad})  # type: ignore[arg-type]


def test_a_span_may_be_all_doubt_or_none() -> None:
    assert [Span(0, 1, "X", score=score).score for score in (0.0, 1.0)] == [0.0, 1.0]


@pytest.mark.parametrize(("start", "end"), [(-1, 2), (2, 2), (3, 2), (0, 7), (6, 7)])
def test_a_range_that_is_none_or_lies_outside_has_no_place_on_the_other_side(start: int, end: int) -> None:
    release = Release(Document("d", "abcdef"), (Edit(Span(2, 4, "X"), "xy"),))
    for mapped in (release.to_released, release.to_original):
        with pytest.raises(ValueError, match=rf"0 <= start < end <= 6, got \[{start}, {end}\)"):
            mapped(start, end)
    with pytest.raises(ValueError, match="end <= 0"):
        Release(Document("d", "")).to_released(0, 1)


def test_what_undoes_a_release_is_about_the_same_people() -> None:
    document = Document("d", "abcdef", ("s",), meta={"a": 1})
    undone = Release(document, (Edit(Span(2, 4, "LOC", entity="e"), "xyz"),)).inverse()
    assert undone.document == Document("d", "abxyzef", ("s",), meta={"a": 1})
    assert undone.edits == (Edit(Span(2, 5, "LOC", entity="e"), "cd"),)


def test_what_a_rewrite_was_before_is_known_and_is_no_part_of_it() -> None:
    before = Release(Document("d", "abcdef"), (Edit(Span(2, 4, "X"), "xy"),))
    plain = Release.rewritten(before.document, "new", ("why",))
    assert (before.hidden, plain.hidden) == (before.edits, ())
    above = Release.rewritten(before.document, "new", ("why",), before)
    assert above.hidden == before.edits
    assert above == plain == replace(above, fallback_reason="it was too dear")
    assert above.reasons == ("why",)
    assert "before_rewrite" not in repr(above)


def test_a_rewrite_has_text_and_no_map() -> None:
    release = Release.rewritten(Document("d", "Anna lives here."), "Someone lives here.")
    assert release.text == str(release) == "Someone lives here."
    with pytest.raises(ValueError, match="no offset map"):
        release.to_released(0, 1)
    with pytest.raises(ValueError, match="no edits"):
        Release(release.document, (Edit(Span(0, 4, "PERSON"), "x"),), "text")


def test_a_document_is_frozen_and_travels_between_processes() -> None:
    document = Document("d", "text", ("s",), (Span(0, 4, "X"),), {"kept": {"a": 1}})
    with pytest.raises(TypeError):
        document.meta["b"] = 2  # type: ignore[index]
    assert pickle.loads(pickle.dumps(document)) == document
    assert Document("d", "").subject_ids == ("d",)
    assert document.subject_ids == ("s",)


def test_a_document_needs_an_id_and_annotations_that_lie_in_it() -> None:
    with pytest.raises(ValueError, match="needs an id"):
        Document("", "text")
    with pytest.raises(ValueError, match=r"annotation \[2, 5\) ends after the text \(4 characters\)"):
        Document("d", "text", annotations=(Span(2, 5, "X"),))


@pytest.mark.parametrize("value", [0.39, 0.71])
def test_a_score_is_never_a_bare_or_empty_number(value: float) -> None:
    with pytest.raises(ValueError, match="outside its interval"):
        Score("m", value, (0.4, 0.7), 3, {}, True)
    with pytest.raises(ValueError, match="no documents"):
        Score("m", 0.5, (0.4, 0.7), 0, {}, True)
    assert [Score("m", edge, (0.4, 0.7), 1, {}, True).value for edge in (0.4, 0.7)] == [0.4, 0.7]


@st.composite
def reaching_edits(draw: st.DrawFn) -> list[tuple[Edit, Span]]:
    """Disjoint cores, many of them one character wide and end to end, and edits that reach anywhere from them."""
    borders = sorted(draw(st.sets(st.integers(0, 14), max_size=8)))
    cores = [Span(start, end, "LOC") for start, end in pairwise(borders) if draw(st.booleans())]
    collected = []
    for anchor in cores:
        start = draw(st.integers(0, anchor.end))
        end = draw(st.integers(max(start, anchor.start), 16))
        collected.append((Edit(Span(start, end, "LOC"), "x", alternatives=(Edit(anchor, "y"),)), anchor))
    return collected


@examples(2)
@given(reaching_edits(), st.randoms(use_true_random=False))
def test_settled_edits_share_out_the_text_and_never_overlap(pairs: list[tuple[Edit, Span]], random: Random) -> None:
    shuffled = random.sample(pairs, len(pairs))
    edits = resolve_overlaps(shuffled)
    Release(Document("d", "." * 16), edits)
    assert [edit.alternatives for edit in edits] == [edit.alternatives for edit, _ in pairs]
    for number, (edit, anchor) in enumerate(pairs):
        before = pairs[number - 1] if number else None
        after = pairs[number + 1] if number + 1 < len(pairs) else None
        ours = {
            at
            for at in range(edit.span.start, edit.span.end)
            if (before is None or (at >= before[1].end and (at >= anchor.start or at >= before[0].span.end)))
            and (after is None or at < after[1].start)
        }
        assert set(range(edits[number].span.start, edits[number].span.end)) == ours
    assert resolve_overlaps([(edit, anchor) for edit, (_, anchor) in zip(edits, pairs, strict=True)]) == edits


def test_an_edit_that_swallows_its_neighbours_is_cut_back_to_its_own() -> None:
    def cut(*ranges: tuple[int, int]) -> list[tuple[int, int]]:
        cores = [(0, 4), (5, 6), (7, 9)]
        pairs = [
            (Edit(Span(*edit, "LOC"), "x"), Span(*anchor, "LOC")) for edit, anchor in zip(ranges, cores, strict=True)
        ]
        return [(edit.span.start, edit.span.end) for edit in resolve_overlaps(pairs)]

    assert cut((0, 9), (5, 6), (7, 9)) == [(0, 5), (5, 6), (7, 9)]
    assert cut((0, 4), (0, 9), (7, 9)) == [(0, 4), (4, 7), (7, 9)]
    assert cut((0, 4), (5, 6), (0, 9)) == [(0, 4), (5, 6), (6, 9)]
    assert cut((0, 9), (0, 9), (0, 9)) == [(0, 5), (5, 7), (7, 9)]
    assert cut((1, 2), (5, 6), (8, 9)) == [(1, 2), (5, 6), (8, 9)]
    assert resolve_overlaps([]) == ()


def test_edits_that_cannot_be_settled_are_refused() -> None:
    def edit(start: int, end: int) -> Edit:
        return Edit(Span(start, end, "X"), "x")

    with pytest.raises(ValueError, match=r"does not touch its anchor \[0, 2\)"):
        resolve_overlaps([(edit(3, 5), Span(0, 2, "X"))])
    with pytest.raises(ValueError, match="anchors overlap"):
        resolve_overlaps([(edit(0, 3), Span(0, 3, "X")), (edit(2, 4), Span(2, 4, "X"))])


def test_what_may_stand_there_instead_is_no_part_of_an_edit() -> None:
    wide = Edit(Span(0, 6, "LOC"), "a city", alternatives=(Edit(Span(0, 6, "LOC"), "LOC_1"),))
    assert wide == Edit(Span(0, 6, "LOC"), "a city")
    assert hash(wide) == hash(Edit(Span(0, 6, "LOC"), "a city"))
    assert "LOC_1" not in repr(wide)
    assert pickle.loads(pickle.dumps(wide)).alternatives == wide.alternatives


@pytest.mark.parametrize(("identifier", "text"), [("", "x"), (3, "x"), (None, "x"), ("d", None), ("d", b"x")])
def test_a_document_that_is_none_is_refused(identifier: object, text: object) -> None:
    with pytest.raises(SfumatoError) as refused:
        Document(identifier, text)  # type: ignore[arg-type]
    assert isinstance(refused.value, ValueError)


def test_a_notebook_shows_the_release_with_its_edits_and_nothing_of_the_original() -> None:
    text = "Anna Quorvex <b>met</b> Boris in Gdansk & left.\nShe"
    edits = (
        Edit(Span(0, 12, "PERSON"), "PERSON_1", ("guessed: Anna Quorvex",)),
        Edit(Span(24, 29, "PERSON"), ""),
        Edit(Span(33, 39, "LOC"), "a <large> city", level=2),
    )
    html = Release(Document("Quorvex-1", text), edits)._repr_html_()
    for original in ("Quorvex", "Boris", "Gdansk", "<b>", "<large>"):
        assert original not in html
    assert ">PERSON_1</mark> &lt;b&gt;met&lt;/b&gt; <mark" in html
    assert 'title="LOC, generalized (level 2)"' in html
    assert "a &lt;large&gt; city</mark> &amp; left.\nShe</div><small>3 edits</small>" in html
    assert 'title="PERSON, removed"' in html


def test_a_notebook_shows_the_beginning_of_a_long_release_and_a_rewrite_as_it_is() -> None:
    long = Release(Document("a", "word " * 10_000), (Edit(Span(49_990, 49_994, "MISC"), "MISC_1"),))._repr_html_()
    assert len(long) < 25_000
    assert "MISC_1" not in long
    assert "about 30,002 more characters" in long
    assert Release.rewritten(Document("a", "Anna"), "She & he")._repr_html_().count("She &amp; he") == 1


def test_a_moved_and_a_linked_span_keep_all_else() -> None:
    """They are made for every span, and without ``dataclasses.replace``, which takes four times as long."""
    span = Span(1, 3, "PERSON", "direct", 0.5, "rules:person", "e1", "a1", ("trimmed",))
    assert all(getattr(span, field.name) != field.default for field in fields(Span))
    assert span.moved(2, 9) == replace(span, start=2, end=9)
    assert span.linked("e2") == replace(span, entity="e2")
    assert span.moved(2, 9).passes == span.linked("e2").passes == span.passes  # which does not count in comparisons
