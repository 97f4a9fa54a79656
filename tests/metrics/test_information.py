"""TPI and TPS."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import NotMeasurable, RecipeError
from sfumato.metrics.base import MetricInput
from sfumato.metrics.information import masked_terms, replacement_similarity, term_similarities
from sfumato.metrics.information import preserved_information as tpi
from sfumato.metrics.information import preserved_similarity as tps
from sfumato.metrics.mentions import is_ignorable
from sfumato.metrics.terms import terms
from tests.metrics.invented import LengthScorer, LetterEmbedder, release

TEXT = "Osric Pennyworth repaired seven old boats."


def inputs(*releases: Release, scorer: LengthScorer | None = None) -> MetricInput:
    return MetricInput(releases, scorer=scorer or LengthScorer(), embedder=LetterEmbedder())


def test_what_is_masked_loses_its_information() -> None:
    # Osric Pennyworth is a term of 16 characters.
    total = sum(end - start for start, end in terms(TEXT))
    score = tpi(inputs(release(TEXT, ("Osric Pennyworth", "PERSON_1"))))
    assert score.value == pytest.approx(1 - 16 / total, abs=1e-12)
    assert score.per_document == {"d": score.value}
    assert score.settings["scorer"] == "length"


def test_part_of_a_term_protects_all_of_it_and_small_words_none() -> None:
    text = "We met the judge of Larkfield there."
    whole = tpi(inputs(release(text, ("the judge", "x"))))
    assert tpi(inputs(release(text, ("judge", "x")))).value == whole.value
    assert tpi(inputs(release(text, ("jud", "x")))).value == whole.value
    assert tpi(inputs(release(text, ("the ", "")))).value == 1.0


def test_a_replacement_counts_by_its_likeness() -> None:
    total = sum(end - start for start, end in terms(TEXT))
    # boats = a b o s t, boat = a b o t: 4 letters in common, cosine 4 / sqrt(5 * 4).
    (term,) = [end - start for start, end in terms(TEXT) if TEXT[start:end].endswith("boats")]
    score = tps(inputs(release(TEXT, ("boats", "boat"))))
    assert score.value == pytest.approx(1 - term / total * (1 - 4 / math.sqrt(20)), abs=1e-6)


class OppositeEmbedder:
    """Short and long texts point in opposite directions: their cosine is -1."""

    name = "opposite"

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([[1.0 if len(text) > 4 else -1.0] for text in texts], np.float32)


def test_a_replacement_of_opposite_meaning_keeps_nothing() -> None:
    # sim = max(0, cosine): 0 at a cosine of -1, as if the span were suppressed.
    opposite = MetricInput([release(TEXT, ("boats", "huts"))], scorer=LengthScorer(), embedder=OppositeEmbedder())
    assert tps(opposite).value == pytest.approx(tpi(opposite).value, abs=1e-12)
    assert tps(opposite).value < 1
    assert replacement_similarity(opposite).value == 0


def test_untouched_is_one_and_all_masked_is_zero() -> None:
    assert tps(inputs(release(TEXT))).value == 1.0
    assert tps(inputs(release(TEXT, (TEXT, "")))).value == 0.0
    assert tpi(inputs(release(TEXT, (TEXT, "*****")))).value == 0.0


def test_putting_back_what_stood_there_changes_nothing() -> None:
    assert tpi(inputs(release(TEXT, ("boats", "boats")))).value == 1.0


def test_a_blank_or_starred_replacement_is_suppression() -> None:
    for nothing in ("", "  ", "*****"):
        assert tps(inputs(release(TEXT, ("boats", nothing)))).value == tpi(inputs(release(TEXT, ("boats", "")))).value


def test_every_span_is_embedded_in_one_call() -> None:
    embedder = LetterEmbedder()
    releases = [release(TEXT, ("boats", "ships"), ("seven", "some"), key=str(number)) for number in range(3)]
    tps(MetricInput(releases, scorer=LengthScorer(), embedder=embedder))
    assert embedder.calls == 1


def test_the_scorer_is_asked_the_same_for_every_method() -> None:
    scorer = LengthScorer()
    for change in ("", "PERSON_1", "someone"):
        tps(inputs(release(TEXT, ("Osric Pennyworth", change)), scorer=scorer))
        tpi(inputs(release(TEXT, ("Osric Pennyworth", change)), scorer=scorer))
    assert len(set(scorer.asked)) == 1


def test_documents_without_terms_are_left_out_and_counted() -> None:
    score = tpi(inputs(release(TEXT), release("...", key="dots")))
    assert (score.n, score.settings["left_out"]) == (1, 1)
    with pytest.raises(NotMeasurable, match="no document holds a term"):
        tpi(inputs(release("")))


def test_a_language_the_scorer_does_not_know_is_left_out_and_counted() -> None:
    scorer = LengthScorer()
    scorer.languages = frozenset({"en"})
    spanish = release("La señora llegó a la ciudad el martes y habló con los vecinos sobre el incendio.", key="es")
    english = release("The old woman came to the city on Tuesday and spoke with the neighbours about the fire.")
    score = tpi(inputs(english, spanish, scorer=scorer))
    assert (score.n, score.settings["unknown_language"]) == (1, 1)
    with pytest.raises(NotMeasurable, match="language"):
        tpi(inputs(spanish, scorer=scorer))


def test_rewritten_texts_are_refused_by_name() -> None:
    rewritten = Release.rewritten(Document("d", TEXT), "Someone repaired boats.")
    for metric in (tpi, tps):
        with pytest.raises(NotMeasurable, match="rewritten"):
            metric(inputs(rewritten))


def test_settings_are_checked() -> None:
    with pytest.raises(RecipeError, match="no terms 'rule'"):
        tpi(inputs(release(TEXT)), terms="rule")


def slow_likeness(
    text: str, ranges: Sequence[tuple[int, int]], edits: Sequence[Edit], similarity: Sequence[float], compat: bool
) -> list[float]:
    """The definition, character by character."""
    collected = []
    for start, end in ranges:
        tokens = list(
            re.finditer(r"['’]s\b|(?<=s)['’](?= )|[^\W_]+(?:[’'](?!s\b)[^\W_]+)*|[^\w\s]|_", text[:end], re.I)
        )
        telling = [
            place
            for token in tokens
            if start <= token.start() and not is_ignorable(token[0])
            for place in range(*token.span())
        ] or list(range(start, end))
        values = []
        for place in telling:
            for number, edit in enumerate(edits):
                if edit.span.start <= place < edit.span.end:
                    inside = edit.span.start < start and end < edit.span.end
                    if not (compat and inside):
                        values.append(similarity[number])
        collected.append(sum(values) / len(values) if values else 1.0)
    return collected


@st.composite
def edited_texts(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    words = st.sampled_from("Anna Quorvex of the old mill's judge, met 12 May 2019 and Larkfield Board .".split())
    text = " ".join(draw(st.lists(words, min_size=1, max_size=12)))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
    pairs = [(cuts[at], cuts[at + 1]) for at in range(0, len(cuts) - 1, 2)]
    return text, [Edit(Span(start, end, "MISC"), draw(st.sampled_from(["", "x", "Ben"]))) for start, end in pairs]


@given(edited_texts(), st.booleans(), st.booleans())
def test_likeness_is_what_the_definition_says(case: tuple[str, list[Edit]], stop_words: bool, compat: bool) -> None:
    text, edits = case
    similarity = [0.25 * (number + 1) for number in range(len(edits))]
    ranges = terms(text, stop_words=stop_words)
    fast = term_similarities(text, ranges, edits, similarity, authors_compat=compat)
    assert fast == pytest.approx(slow_likeness(text, ranges, edits, similarity, compat), abs=1e-12)


@given(edited_texts())
def test_tps_lies_between_tpi_and_one_and_is_tpi_when_suppressed(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    document = Document("d", text)
    given_material = inputs(Release(document, tuple(edits)))
    if not terms(text):
        return
    low, high = tpi(given_material).value, tps(given_material).value
    assert 0.0 <= low <= high + 1e-12 <= 1.0 + 1e-9
    suppressed = Release(document, tuple(Edit(edit.span, "") for edit in edits))
    assert tps(inputs(suppressed)).value == tpi(inputs(suppressed)).value


def test_the_authors_count_a_term_inside_a_longer_mask_as_unmasked() -> None:
    text = "quickly gladly openly kindly firmly spoke"
    assert [text[start:end] for start, end in terms(text, stop_words=True)] == text.split()
    masked = release(text, ("gladly openly kindly", ""))
    assert tpi(inputs(masked)).value == pytest.approx(1 - 18 / 36, abs=1e-12)
    # gladly and kindly share an end with the mask; openly, strictly inside, stays.
    assert tpi(inputs(masked), authors_compat=True).value == pytest.approx(1 - 12 / 36, abs=1e-12)


def test_the_authors_lose_a_mask_that_reaches_the_end() -> None:
    text = "quickly gladly openly"
    masked = release(text, ("quickly", ""), ("openly", ""))
    assert tpi(inputs(masked)).value == pytest.approx(6 / 19, abs=1e-12)
    assert tpi(inputs(masked), authors_compat=True).value == pytest.approx(12 / 19, abs=1e-12)


def test_the_authors_lose_a_mask_that_reaches_the_end_in_tps_only_if_it_is_suppressed() -> None:
    text = "quickly gladly openly"
    replaced, suppressed = (release(text, ("quickly", ""), ("openly", word)) for word in ("open", ""))
    # openly = e l n o p y, open = e n o p: 4 letters in common, cosine 4 / sqrt(6 * 4).
    likeness = 4 / math.sqrt(24)
    assert tps(inputs(replaced)).value == pytest.approx((6 + 6 * likeness) / 19, abs=1e-6)
    assert tps(inputs(replaced), authors_compat=True).value == pytest.approx((6 + 6 * likeness) / 19, abs=1e-6)
    assert tpi(inputs(replaced), authors_compat=True).value == pytest.approx(12 / 19, abs=1e-12)
    assert tps(inputs(suppressed)).value == pytest.approx(6 / 19, abs=1e-12)
    assert tps(inputs(suppressed), authors_compat=True).value == pytest.approx(12 / 19, abs=1e-12)


def test_the_authors_lose_masks_that_touch_one_which_reaches_the_end() -> None:
    text = "quickly gladly openly"
    touching = release(text, ("quickly", ""), ("gladly ", ""), ("openly", ""))
    assert tpi(inputs(touching), authors_compat=True).value == pytest.approx(12 / 19, abs=1e-12)
    assert tps(inputs(touching), authors_compat=True).value == pytest.approx(12 / 19, abs=1e-12)


def test_the_authors_keep_stop_words_and_read_pieces_of_a_hundred_tokens() -> None:
    text = " ".join(["of gladly"] * 125)
    scorer = LengthScorer()
    tpi(inputs(release(text), scorer=scorer), authors_compat=True)
    assert [len(asked[1]) for asked in scorer.asked] == [100, 100, 50]
    assert "".join(piece for piece, _ in scorer.asked) == text
    tpi(inputs(release(text), scorer=scorer))
    assert scorer.asked[-1] == (text, terms(text))
    assert len(terms(text)) == 125


@given(edited_texts())
def test_pieces_give_every_term_its_own_value(case: tuple[str, list[Edit]]) -> None:
    text = " ".join(["told", case[0]] * 30)
    scorer = LengthScorer()
    tpi_score = tpi(inputs(release(text), scorer=scorer), authors_compat=True)
    assert tpi_score.value == 1.0
    pieces = [piece[start:end] for piece, ranges in scorer.asked for start, end in ranges]
    assert pieces == [text[start:end] for start, end in terms(text, stop_words=True)]


def test_values_are_the_mean_over_documents() -> None:
    releases = [release(TEXT, key="a"), release(TEXT, (TEXT, ""), key="b"), release("Short note.", key="c")]
    score = tpi(inputs(*releases))
    assert score.value == pytest.approx(np.mean([1.0, 0.0, 1.0]))
    assert score.interval[0] < score.value < score.interval[1]


def labelled(text: str, *changes: tuple[str, str, str], key: str = "d") -> Release:
    edits = [Edit(Span(at := text.index(old), at + len(old), label), new) for old, new, label in changes]
    return Release(Document(key, text), tuple(edits))


WORDS = "quickly gladly openly kindly firmly spoke"  # six terms of 7, 6, 6, 6, 6 and 5 characters: 36 nats


def test_share_of_terms_masked_and_of_their_information() -> None:
    first = labelled(WORDS, ("quickly gladly", "x", "LOC"), ("spoke", "", "ORG"))
    second = labelled(WORDS, key="e")
    score = masked_terms(inputs(first, second))
    assert score.per_document == {"d": 0.5, "e": 0.0}
    assert (score.value, score.n) == (0.25, 2)
    figures = {
        label: {column: round(row[column]["value"], 12) for column in row}
        for label, row in score.settings["by_type"].items()
    }
    assert figures == {
        "all": {"terms": 0.25, "information": 0.25},  # (7 + 6 + 5) / 36 of one document of two
        "LOC": {"terms": round(2 / 6 / 2, 12), "information": round(13 / 36 / 2, 12)},
        "ORG": {"terms": round(1 / 6 / 2, 12), "information": round(5 / 36 / 2, 12)},
    }
    assert score.settings["times_as_informative"] == pytest.approx(1)
    # What is masked is what TPI lacks.
    assert tpi(inputs(first, second)).value == pytest.approx(1 - figures["all"]["information"])


def test_a_ninth_of_the_terms_with_twice_the_information() -> None:
    # As in section 5.5: 11 % of the terms hold 22 % of the information.
    text = "Brimvexquora " + " ".join(["gladly"] * 8)
    score = masked_terms(inputs(labelled(text, ("Brimvexquora", "", "PERSON"))))
    assert score.value == pytest.approx(1 / 9)
    assert score.settings["by_type"]["all"]["information"]["value"] == pytest.approx(12 / (12 + 8 * 6))
    assert score.settings["times_as_informative"] == pytest.approx(2)  # 12 nats against 6


def test_mean_similarity_of_replacements() -> None:
    # boats and boat: 4 / sqrt(5 * 4); seven and some share s and e: 1 * 1 + 2 * 1 over sqrt(7 * 4).
    first = labelled(TEXT, ("boats", "boat", "MISC"), ("seven", "some", "QUANTITY"))
    second = labelled(TEXT, ("boats", "boats and boats", "MISC"), ("seven", "***", "QUANTITY"), key="e")
    score = replacement_similarity(inputs(first, second))
    boats = np.array([1, 1, 1, 1, 1, 0, 0]) @ np.array([3, 2, 2, 2, 2, 1, 1])  # a b o s t, and n d of "and"
    alike = [4 / math.sqrt(20), 3 / math.sqrt(28), boats / math.sqrt(5 * 27)]
    assert score.value == pytest.approx(sum(alike) / 3, abs=1e-6)
    assert score.per_document == pytest.approx({"d": sum(alike[:2]) / 2, "e": alike[2]}, abs=1e-6)
    assert (score.settings["replacements"], score.settings["suppressed"]) == (3, 1)
    by_type = {
        label: (row["similarity"]["value"], row["similarity"]["n"]) for label, row in score.settings["by_type"].items()
    }
    assert by_type["MISC"] == (pytest.approx((alike[0] + alike[2]) / 2, abs=1e-6), 2)
    assert by_type["QUANTITY"] == (pytest.approx(alike[1], abs=1e-6), 1)


def test_tps_is_what_is_left_and_what_replacements_keep() -> None:
    # Section 5.5: with one masked term, TPS = TPI + its share of the information x the similarity.
    given_inputs = inputs(labelled(TEXT, ("boats", "boat", "MISC")))
    information = masked_terms(given_inputs).settings["by_type"]["all"]["information"]["value"]
    kept = information * replacement_similarity(given_inputs).value
    assert tps(given_inputs).value == pytest.approx(tpi(given_inputs).value + kept, abs=1e-6)


def test_suppressions_alone_have_no_similarity() -> None:
    with pytest.raises(NotMeasurable, match="nothing to compare"):
        replacement_similarity(inputs(labelled(TEXT, ("boats", "", "MISC"))))


def test_the_share_of_masked_terms_counts_what_the_authors_code_counts() -> None:
    # Stop words are terms, and none of them is masked.
    text = "We met the judge of Larkfield there."
    given_inputs = inputs(labelled(text, ("Larkfield", "LOC_1", "LOC")))
    plain, compat = masked_terms(given_inputs), masked_terms(given_inputs, authors_compat=True)
    assert compat.value < plain.value
    information = compat.settings["by_type"]["all"]["information"]["value"]
    assert tpi(given_inputs, authors_compat=True).value == pytest.approx(1 - information)
