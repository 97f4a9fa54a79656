"""The metrics of Pissarra et al. (2024) against the literal window loop and hand-worked values."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import NotMeasurable, RecipeError
from sfumato.lexicon.grammar import enclosing_sentences, sentence_ranges
from sfumato.metrics.base import MetricInput
from sfumato.metrics.levenshtein import (
    best_window,
    direct_recall,
    dissimilarity,
    quasi_recall,
    recall,
    similarities,
    string_match_recall,
)


def distance(a: str, b: str) -> int:
    """Plain Levenshtein distance, by the textbook's table."""
    row = list(range(len(b) + 1))
    for i, one in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (one != other))
    return row[-1]


def literal_window(wanted: str, text: str, measure: object = distance) -> tuple[int, int, float]:
    """Every window of the length, sliding by one, the last included; the first of the best."""
    windows = [(at, min(at + len(wanted), len(text))) for at in range(max(1, len(text) - len(wanted) + 1))]
    ratios = [
        (1 - measure(wanted, text[start:end]) / max(len(wanted), end - start), -start, end)  # type: ignore[operator]
        for start, end in windows
    ]
    ratio, start, end = max(ratios)
    return -start, end, ratio


TIGHT = st.text("ab c", max_size=60)


@given(TIGHT.filter(bool), TIGHT)
@example("ab", "")
@example("abc", "xxabx")
def test_the_best_window_is_that_of_the_literal_loop(wanted: str, text: str) -> None:
    start, end, ratio = literal_window(wanted, text)
    found = best_window(wanted, text)
    assert (found.start, found.end) == (start, end)
    assert found.similarity == pytest.approx(ratio, abs=1e-9)


@given(st.text("abcdefgh ", min_size=1, max_size=40), st.text("abcdefgh ", max_size=900))
def test_sifting_a_long_text_gives_the_same(wanted: str, text: str) -> None:
    assert tuple(best_window(wanted, text)) == pytest.approx(
        literal_window(wanted, text, Levenshtein.distance), abs=1e-9
    )


@given(st.text(min_size=1, max_size=12), st.text(max_size=40))
def test_any_characters_will_do(wanted: str, text: str) -> None:
    assert tuple(best_window(wanted, text)) == pytest.approx(literal_window(wanted, text), abs=1e-9)


def literal_lsi(original: str, start: int, end: int, released: str) -> float:
    """Pissarra et al. (2024): the window most like the mention's sentence, then the one most like the mention."""
    first, last = next((begin, stop) for begin, stop in sentence_ranges(original) if begin <= start and end <= stop)
    place = literal_window(original[first:last], released)
    return literal_window(original[start:end], released[place[0] : place[1]])[2]


TEXT = "Anna Quorvex lives in Lublin. She was born on 3 May 1970. Quorvex works for Brimdale Ltd. in Oslo."
DOCUMENT = Document("a", TEXT)


def place(words: str, label: str, identifier: str | None = None, after: int = 0) -> Span:
    start = TEXT.index(words, after)
    return Span(start, start + len(words), label, identifier)  # type: ignore[arg-type]


NAME, AGAIN = place("Anna Quorvex", "PERSON"), place("Quorvex", "PERSON", after=20)
CITY, DATE, FIRM = place("Lublin", "LOC"), place("3 May 1970", "DATETIME"), place("Brimdale Ltd.", "ORG")
GOLD = {"a": (NAME, AGAIN, CITY, DATE, FIRM)}


def released(*edits: tuple[Span, str]) -> Release:
    return Release(DOCUMENT, tuple(Edit(span, text) for span, text in edits))


CASES = [
    released(),
    released((NAME, "PERSON_1"), (CITY, ""), (DATE, "May 1970")),
    released(*((span, "") for span in GOLD["a"])),
    Release.rewritten(DOCUMENT, "A woman from Lublin, born in 1970, is with a firm in Norway."),
    Release.rewritten(DOCUMENT, ""),
    Release.rewritten(DOCUMENT, "Q."),
]


@pytest.mark.parametrize("release", CASES)
def test_indexes_are_those_of_the_definition(release: Release) -> None:
    found = [one.lsi for one in similarities(release, GOLD["a"], "sentence")]
    expected = [literal_lsi(TEXT, span.start, span.end, release.text) for span in GOLD["a"]]
    assert found == pytest.approx(expected, abs=1e-9)


def test_by_hand() -> None:
    document = Document("a", "Tim left.")
    inputs = MetricInput([Release.rewritten(document, "Tom left.")], gold={"a": (Span(0, 3, "PERSON"),)})
    # One window in nine is "Tom": one substitution in three letters.
    assert dissimilarity(inputs).value == pytest.approx(100 / 3, abs=1e-9)
    assert recall(inputs).value == 100.0
    assert recall(inputs, threshold=0.6).value == 0.0
    assert direct_recall(inputs).value == 100.0
    assert string_match_recall(inputs).value == 100.0
    with pytest.raises(NotMeasurable, match="no quasi-identifier"):
        quasi_recall(inputs)


def test_direct_is_what_the_mention_says_else_what_its_label_tells() -> None:
    release = released((NAME, "PERSON_1"), (CITY, "LOC_1"), (DATE, "DATE_1"), (FIRM, "ORG_1"))
    inputs = MetricInput([release], gold=GOLD)
    # The second "Quorvex" stands: of two direct identifiers one is left, so the note is not safe.
    assert direct_recall(inputs).value == 0.0
    assert quasi_recall(inputs).value == 100.0
    assert recall(inputs).value == pytest.approx(80.0, abs=1e-9)
    assert string_match_recall(inputs).value == pytest.approx(80.0, abs=1e-9)
    said = {"a": (NAME, place("Quorvex", "PERSON", "quasi", after=20), CITY)}
    assert direct_recall(MetricInput([release], gold=said)).value == 100.0
    assert quasi_recall(MetricInput([release], gold=said)).value == pytest.approx(50.0, abs=1e-9)


def test_recall_is_also_given_at_other_thresholds() -> None:
    near = released((FIRM, "Brimdale Ltb."))
    inputs = MetricInput([near], gold={"a": (FIRM,)})
    # 12 of 13 characters agree: .923.
    score = recall(inputs)
    assert score.settings["by_threshold"] == {"0.75": 0.0, "0.80": 0.0, "0.85": 0.0, "0.90": 0.0, "0.95": 100.0}
    assert (score.value, recall(inputs, threshold=0.95).value) == (0.0, 100.0)


def test_within_the_note_a_name_is_found_anywhere() -> None:
    document = Document("a", "Anna Berg called at night. It rained on the roof.")
    release = Release.rewritten(document, "Someone called at night. It rained on Anna Berg.")
    inputs = MetricInput([release], gold={"a": (Span(0, 9, "PERSON"),)})
    assert recall(inputs).value == 100.0
    assert recall(inputs, within="note").value == 0.0
    assert string_match_recall(inputs).value == 0.0
    assert string_match_recall(inputs, within="sentence").value == 100.0


def test_values_are_averaged_over_notes_not_over_mentions() -> None:
    other = Document("b", "Li slept.")
    inputs = MetricInput(
        [released(*((span, "") for span in GOLD["a"])), Release(other), Release(Document("c", "Rain."))],
        gold={**GOLD, "b": (Span(0, 2, "PERSON"),), "c": ()},
    )
    score = recall(inputs)
    assert (score.value, score.n, score.settings["left_out"]) == (50.0, 2, 1)
    assert direct_recall(inputs).n == 2


def test_wrong_settings_are_named() -> None:
    inputs = MetricInput([released()], gold=GOLD)
    with pytest.raises(RecipeError, match="'within' is 'sentence' or 'note', not 'page'"):
        recall(inputs, within="page")
    with pytest.raises(RecipeError, match="'threshold' lies above 0"):
        recall(inputs, threshold=85)


def test_indexes_go_with_their_release() -> None:
    from sfumato.metrics import levenshtein as levenshtein_index

    release = released((NAME, "X"))
    similarities(release, GOLD["a"], "sentence")
    key = id(release)
    assert key in levenshtein_index._similarities
    del release
    assert key not in levenshtein_index._similarities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Berg left. He slept.", ["Dr. Berg left.", "He slept."]),
        ("Case no. 12 of J. R. Li. Done?  Yes!", ["Case no. 12 of J. R. Li.", "Done?", "Yes!"]),
        ("He weighs 3.5 kg. “Rest.” Then\nName: Li\n\n", ["He weighs 3.5 kg.", "“Rest.”", "Then", "Name: Li"]),
        ("approx. two of them", ["approx. two of them"]),
        ("", []),
        ("  \n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_ranges(text)] == expected


@given(st.text("Ab. \n!'", max_size=60), st.data())
def test_sentences_are_sorted_and_every_range_lies_in_what_is_around_it(text: str, data: st.DataObject) -> None:
    found = sentence_ranges(text)
    assert all(start < end for start, end in found)
    assert found == sorted(found)
    assert "".join("".join(text[start:end] for start, end in found).split()) == "".join(text.split())
    if text:
        start = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(start + 1, len(text)))
        first, last = enclosing_sentences(found, start, end)
        assert first <= start < end <= last
