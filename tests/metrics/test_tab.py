"""TAB's measures against values worked out by hand, and against a slow transcription of their definition."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document, Edit, Release, Score, Span
from sfumato.errors import NotMeasurable
from sfumato.metrics.base import MetricInput
from sfumato.metrics.mentions import IGNORABLE
from sfumato.metrics.tab import (
    direct_recall,
    mention_recall,
    over_redaction,
    quasi_recall,
    searched_direct_recall,
    searched_quasi_recall,
    token_precision,
    token_recall,
    touched_documents,
    weighted_precision,
)

#       0         1         2         3         4         5         6
#       0123456789012345678901234567890123456789012345678901234567890123
TEXT = "Mr Jan Quorvex met Ms. Li in Lublin. Quorvex paid 40 euros."
DOCUMENT = Document("a", TEXT)


def mark(start: int, end: int, identifier: str | None, entity: str, annotator: str = "x", source: str = "gold") -> Span:
    return Span(start, end, "MISC", identifier, source=source, entity=entity, annotator=annotator)  # type: ignore[arg-type]


GOLD = {
    "a": [
        mark(0, 14, "direct", "jan"),
        mark(37, 44, "direct", "jan"),
        mark(19, 25, "direct", "li"),
        mark(29, 35, "quasi", "lublin"),
        mark(50, 58, None, "sum", source="gold:no-mask"),
        mark(3, 14, "direct", "1", "y"),
        mark(29, 35, "direct", "2", "y"),
    ]
}


def masked(*ranges: tuple[int, int], replacement: str = "***") -> Release:
    return Release(DOCUMENT, tuple(Edit(Span(start, end, "MISC"), replacement) for start, end in ranges))


def of(
    metric: Callable[..., Score], release: Release, gold: Mapping[str, Sequence[Span]] = GOLD, **settings: object
) -> Score:
    return metric(MetricInput([release], gold=gold), **settings)


def test_an_entity_is_protected_only_when_all_its_mentions_are() -> None:
    first_only, both = masked((3, 14), (29, 35)), masked((3, 14), (37, 44), (29, 35))
    # direct entities: jan and li (x), 1 and 2 (y)
    assert of(direct_recall, first_only).value == 2 / 4
    assert of(direct_recall, both).value == 3 / 4
    assert of(direct_recall, both).n == 4
    assert of(quasi_recall, both).value == 1.0


def test_a_title_may_stay_readable() -> None:
    # "Mr" stays, and of "Ms. Li" only "Li" has to go.
    assert of(mention_recall, masked((3, 14), (23, 25))).value == 3 / 6


def test_ignorable_words_do_not_count_as_tokens_unless_the_authors_count_them() -> None:
    release = masked((3, 14))
    # x: Jan Quorvex | Quorvex | Li | Lublin; y: Jan Quorvex | Lublin. Covered: 4 of 8.
    assert of(token_recall, release).value == 4 / 8
    # With "Mr" and "Ms" as masked ones.
    assert of(token_recall, release, authors_compat=True).value == 6 / 10


def test_precision_is_averaged_over_annotators() -> None:
    # Masked words: Jan, Quorvex (both annotators), Li (x only), 40 (nobody).
    score = of(token_precision, masked((3, 14), (23, 25), (50, 52)))
    assert score.value == pytest.approx((2 + 2 + 1 + 0) / (4 * 2), abs=1e-12)


def test_half_a_word_is_judged_by_its_masked_half() -> None:
    gold = {"a": [mark(7, 10, "direct", "1")]}
    assert of(token_precision, masked((7, 10)), gold).value == 1.0
    assert of(token_precision, masked((7, 11)), gold).value == 0.0


class Lengths:
    """Says that a word tells as much as it is long."""

    name = "lengths"
    languages: frozenset[str] | None = None

    def information(self, text: str, terms: Sequence[tuple[int, int]]) -> np.ndarray:
        return np.array([float(end - start) for start, end in terms])


def test_weighted_precision_counts_words_by_their_information() -> None:
    inputs = MetricInput([masked((3, 14), (23, 25), (50, 52))], gold=GOLD, scorer=Lengths())
    score = weighted_precision(inputs)
    assert score.value == pytest.approx((3 * 2 + 7 * 2 + 2 * 1) / (2 * (3 + 7 + 2 + 2)), abs=1e-12)
    assert score.settings["scorer"] == "lengths"


def test_an_edit_that_puts_the_same_back_masks_nothing() -> None:
    assert of(mention_recall, masked((29, 35), replacement="Lublin")).value == 0.0


def test_undecided_mentions_all_count_but_are_neither_direct_nor_quasi() -> None:
    gold = {"a": [Span(3, 14, "PERSON"), Span(29, 35, "LOC")]}
    assert of(mention_recall, masked((3, 14)), gold).value == 0.5
    with pytest.raises(NotMeasurable, match="in 0 only: give --gold with decisions"):
        of(direct_recall, masked((3, 14)), gold)


def test_documents_without_gold_are_left_out_and_counted() -> None:
    other = Release(Document("b", "Anna"))
    score = mention_recall(MetricInput([masked((3, 14)), other], gold=GOLD))
    assert (score.settings["without_gold"], set(score.per_document)) == (1, {"a"})
    with pytest.raises(NotMeasurable, match="no released document has reference spans"):
        mention_recall(MetricInput([other], gold=GOLD))


def test_nothing_to_mask_and_nothing_masked_are_no_zero() -> None:
    with pytest.raises(NotMeasurable, match="marks nothing to mask"):
        of(mention_recall, masked((3, 14)), {"a": []})
    with pytest.raises(NotMeasurable, match="no word is masked"):
        of(token_precision, masked())


def test_over_redaction_counts_words_nobody_marked() -> None:
    # Outside the reference: met, in, paid, 40, euros; the second "Quorvex" is in it.
    score = of(over_redaction, masked((15, 18), (50, 58), (37, 44)))
    assert (score.value, score.n, score.higher_is_better) == (3 / 5, 5, False)


def test_over_redaction_of_documents_looks_at_harmless_ones() -> None:
    harmless = [Document("b", "Take two a day."), Document("c", "Rest.")]
    changed = Release(harmless[0], (Edit(Span(5, 8, "QUANTITY"), "X"),))
    inputs = MetricInput([masked((3, 14)), changed, Release(harmless[1])], gold={**GOLD, "b": [], "c": []})
    score = touched_documents(inputs)
    assert (score.value, score.n) == (0.5, 2)
    with pytest.raises(NotMeasurable, match="every document holds something"):
        touched_documents(MetricInput([masked((3, 14))], gold=GOLD))


WORDS = ["Mr", "Anna", "Berg", "of", "Oslo", ",", "12", "no"]


@st.composite
def marked_texts(draw: st.DrawFn) -> tuple[str, list[Span], list[tuple[int, int]]]:
    """A text, mentions of two annotators, and what was masked: all over words or parts of them."""
    text = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12)))
    ranges = st.tuples(st.integers(0, len(text) - 1), st.integers(1, len(text))).map(sorted).map(tuple)
    ranges = ranges.filter(lambda pair: pair[0] < pair[1])
    spans = [
        mark(start, end, draw(st.sampled_from(["direct", "quasi"])), draw(st.sampled_from("pqr")), who)
        for who in ("x", "y")
        for start, end in draw(st.lists(ranges, min_size=1, max_size=4))
    ]
    hidden, at = [], 0
    for cut in sorted(draw(st.sets(st.integers(0, len(text)), max_size=6))):
        if at < cut and draw(st.booleans()):
            hidden.append((at, cut))
        at = cut
    return text, spans, hidden


def protected(text: str, start: int, end: int, hidden: list[tuple[int, int]]) -> bool:
    """The definition, character by character: what is not covered belongs to an ignorable token."""
    uncovered = set(range(start, end)) - {at for first, last in hidden for at in range(first, last)}
    for token in re.finditer(r"\w+|\W", text[start:end]):
        if token[0].lower() in IGNORABLE or not token[0][0].isalnum():
            uncovered -= set(range(start + token.start(), start + token.end()))
    return not uncovered


@given(marked_texts())
def test_recalls_agree_with_the_definition(case: tuple[str, list[Span], list[tuple[int, int]]]) -> None:
    text, spans, hidden = case
    document = Document("a", text)
    release = Release(document, tuple(Edit(Span(start, end, "MISC"), "\0") for start, end in hidden))
    gold = {"a": spans}
    masked_mentions = [protected(text, span.start, span.end, hidden) for span in spans]
    assert of(mention_recall, release, gold).value == pytest.approx(np.mean(masked_mentions), abs=1e-12)
    for wanted, metric in (("direct", direct_recall), ("quasi", quasi_recall)):
        kept = []
        for key in {(span.annotator, span.entity) for span in spans}:
            own = [(span, good) for span, good in zip(spans, masked_mentions, strict=True)]
            own = [(span, good) for span, good in own if (span.annotator, span.entity) == key]
            is_direct = any(span.identifier == "direct" for span, _ in own)
            if is_direct == (wanted == "direct"):
                kept.append(all(good for _, good in own))
        if kept:
            assert of(metric, release, gold).value == pytest.approx(np.mean(kept), abs=1e-12)
        else:
            with pytest.raises(NotMeasurable):
                of(metric, release, gold)


@pytest.mark.parametrize(
    ("released", "direct", "quasi"),
    [
        # Of x jan ("Mr Jan Quorvex", "Quorvex"), li ("Ms. Li") and lublin; of y "Jan Quorvex" and "Lublin", direct too.
        (TEXT, 0.0, 0.0),
        ("Someone met someone.", 1.0, 1.0),
        ("A Quorvexian met ms.\n LI somewhere.", 3 / 4, 1.0),
        ("QUORVEX stayed in Lublin.", 2 / 4, 0.0),
    ],
)
def test_entities_of_a_rewrite_are_searched_for(released: str, direct: float, quasi: float) -> None:
    release = Release.rewritten(DOCUMENT, released)
    assert of(searched_direct_recall, release).value == pytest.approx(direct)
    assert of(searched_quasi_recall, release).value == pytest.approx(quasi)
    assert of(searched_direct_recall, release).n == 4


def test_entities_of_masks_are_searched_for_in_the_whole_text() -> None:
    # All mentions of x are masked but the second of jan; y's "Jan Quorvex" is gone with the first.
    release = masked((0, 14), (19, 25), (29, 35))
    assert of(searched_direct_recall, release).value == pytest.approx(3 / 4)
    assert of(searched_quasi_recall, release).value == 1.0
