"""The metrics of Pissarra et al. (2024) against a plain reading of the paper and values worked by hand."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import NotMeasurable, RecipeError
from sfumato.lexicon.grammar import enclosing_sentences, sentence_ranges
from sfumato.metrics.base import MetricInput
from sfumato_papers.metrics.levenshtein import (
    best_window,
    direct_recall,
    dissimilarity,
    is_direct,
    most_similar,
    quasi_recall,
    recall,
    similarities,
    string_match_recall,
)


def distance(a: str, b: str) -> int:
    """Plain Levenshtein distance, by the textbook's table."""
    row = list(range(len(b) + 1))
    for i, item in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (item != other))
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
    window = best_window(wanted, text)
    assert (window.start, window.end) == (start, end)
    assert window.similarity == pytest.approx(ratio, abs=1e-9)


@given(st.text("abcdefgh ", min_size=1, max_size=40), st.text("abcdefgh ", max_size=900))
def test_sifting_a_long_text_gives_the_same(wanted: str, text: str) -> None:
    assert tuple(best_window(wanted, text)) == pytest.approx(
        literal_window(wanted, text, Levenshtein.distance), abs=1e-9
    )


@given(st.text(min_size=1, max_size=12), st.text(max_size=40))
def test_any_characters_will_do(wanted: str, text: str) -> None:
    assert tuple(best_window(wanted, text)) == pytest.approx(literal_window(wanted, text), abs=1e-9)


def ratio(a: str, b: str) -> float:
    """Equation 1, letters of either case being the same letter ("Tim" and the beginning of "time" have 1)."""
    return 1 - distance(a.lower(), b.lower()) / max(len(a), len(b))


def index(entity: str, text: str) -> float:
    """Equation 2: the largest ratio of a window of the entity's length; a shorter text is one window."""
    windows = [text[at : at + len(entity)] for at in range(len(text) - len(entity) + 1)] or [text]
    return max(ratio(entity, window) for window in windows)


def published_index(entity: str, sentence: str, released: list[str]) -> float:
    """Section 3.1: only the sentence of the anonymized note that is most similar, by the index, to the entity's own."""
    return index(entity, max(released, key=lambda other: index(sentence, other)))


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


WORDS = st.lists(st.sampled_from("Ana anna An Lund lund gab gap a to X_1 at".split()), min_size=1, max_size=6)
SENTENCES = st.lists(WORDS.map(lambda words: "Z" + " ".join(words) + "!"), min_size=1, max_size=4)


@given(SENTENCES, SENTENCES, st.data())
def test_indexes_are_those_of_the_paper(original: list[str], released: list[str], data: st.DataObject) -> None:
    number = data.draw(st.integers(0, len(original) - 1))
    sentence = original[number]
    begin = sum(len(before) + 1 for before in original[:number])
    start = data.draw(st.integers(1, len(sentence) - 1))
    end = data.draw(st.integers(start + 1, len(sentence)))
    entity = sentence[start:end].strip()
    if entity:
        release = Release.rewritten(Document("a", " ".join(original)), " ".join(released))
        (similarity,) = similarities(release, [Span(begin + start, begin + end, "PERSON")], "sentence")
        assert similarity.lsi == pytest.approx(published_index(entity, sentence, released), abs=1e-9)


@given(st.text("abc ", min_size=1, max_size=12), st.lists(st.text("abc ", max_size=30), min_size=1, max_size=8))
def test_the_most_similar_text_is_the_first_with_the_largest_index(wanted: str, texts: list[str]) -> None:
    assert most_similar(wanted, texts) == max(range(len(texts)), key=lambda at: (index(wanted, texts[at]), -at))


@given(
    st.text("abcdefgh ", min_size=4, max_size=40),
    st.lists(st.text("abcdefgh ", min_size=250, max_size=400), min_size=2, max_size=4),
)
def test_long_texts_are_compared_as_far_as_it_matters(wanted: str, texts: list[str]) -> None:
    ratios = [literal_window(wanted, text, Levenshtein.distance)[2] for text in texts]
    assert most_similar(wanted, texts) == ratios.index(max(ratios))


def rewritten(original: str, released: str, *mentions: tuple[str, str]) -> MetricInput:
    """A note, what became of it as a text, and its mentions with their labels."""
    spans = tuple(Span(original.index(words), original.index(words) + len(words), label) for words, label in mentions)
    return MetricInput([Release.rewritten(Document("a", original), released)], gold={"a": spans})


def test_what_stands_at_the_end_of_a_sentence_that_grew_is_found() -> None:
    # A window of the original sentence's length would end before the name.
    inputs = rewritten(
        "She was born on 3/5/57 and is called Anna Quorvex.",
        "She was born on DATETIME_1 and is called Anna Quorvex.",
        ("Anna Quorvex", "PERSON"),
        ("3/5/57", "DATE"),
    )
    assert direct_recall(inputs).value == 0.0
    assert quasi_recall(inputs).value == 100.0
    assert recall(inputs).value == 50.0


def test_case_is_folded_but_not_by_the_string_match() -> None:
    inputs = rewritten("Here is John Quorvex.", "Here is JOHN QUORVEX.", ("John Quorvex", "PERSON"))
    assert (dissimilarity(inputs).value, recall(inputs).value, direct_recall(inputs).value) == (0.0, 0.0, 0.0)
    assert string_match_recall(inputs).value == 100.0
    assert dissimilarity(rewritten("Tim left.", "A time left.", ("Tim", "NAME"))).value == 0.0


@pytest.mark.parametrize(
    ("original", "released"),
    [
        ("ANNA QUORVEX came home at ten.", "Anna Quorvex cane hone ag ten."),
        ("Anna Quorvex came home at ten.", "ANNA QUORVEX CAME HOME AT TEN."),
    ],
)
def test_case_is_folded_in_the_search_of_the_sentence(original: str, released: str) -> None:
    # With capitals told from small letters, the other sentence would be nearer.
    other = "Someone quietly came home at ten."
    inputs = rewritten(original, f"{other} {released}", (original[:12], "PERSON"))
    assert dissimilarity(inputs).value == 0.0


def test_a_mention_that_no_edit_touches_is_not_gone_though_another_sentence_is_nearer() -> None:
    text = "The firm of Oslo paid Anna Quorvex on 3 May in Lublin. The firm of Oslo paid Belo Tvesk on 9 May in Lublin."
    document = Document("a", text)

    def edit(words: str, replacement: str) -> Edit:
        return Edit(Span(text.index(words), text.index(words) + len(words), "MISC"), replacement)

    edits = (edit("The firm of Oslo paid", "It gave much money to"), edit("3 May in Lublin", "a day in spring"))
    release = Release(document, (*edits, edit("Belo Tvesk", "someone")))
    name = Span(text.index("Anna"), text.index("Anna") + 12, "PERSON")
    (with_edits,) = similarities(release, [name], "sentence")
    (as_text,) = similarities(Release.rewritten(document, release.text), [name], "sentence")
    assert with_edits.lsi == 1.0
    assert as_text.lsi < 0.85


def test_a_mention_over_two_sentences_is_looked_for_in_two() -> None:
    note = "It rained. He wrote: We fear. We wait. It snowed."
    inputs = rewritten(note, "It was wet. He wrote: We fear. We wait. It was cold.", ("We fear. We wait.", "MISC"))
    assert dissimilarity(inputs).value == 0.0
    assert dissimilarity(rewritten("One. Two.", "One", ("One. Two.", "MISC"))).value == pytest.approx(100 * 6 / 9)


def test_white_space_around_a_mention_does_not_count() -> None:
    release = Release.rewritten(Document("a", "Seen by D.K.\n\nHe left."), "Seen by D.K.\nHe went.")
    (similarity,) = similarities(release, [Span(8, 14, "PERSON")], "sentence")
    assert similarity.lsi == 1.0


@pytest.mark.parametrize(
    "label", "PATIENT DOCTOR SSN PHONE_NUMBER NOMBRE_SUJETO_ASISTENCIA MEDICAL_RECORD_NUMBER".split()
)
def test_a_label_that_is_not_known_is_direct(label: str) -> None:
    inputs = rewritten("Li left.", "Li left.", ("Li", label))
    assert direct_recall(inputs).value == 0.0
    with pytest.raises(NotMeasurable, match="no quasi-identifier"):
        quasi_recall(inputs)


def test_the_ten_categories_of_the_paper() -> None:
    direct = "NAME CONTACT_NUMBER ID EMAIL".split()
    quasi = "LOCATION DATE URL AGE_ABOVE_89 INSTITUTION HOLIDAY".split()
    assert [label for label in direct + quasi if is_direct(Span(0, 1, label))] == direct


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
    answers = {"a": (NAME, place("Quorvex", "PERSON", "quasi", after=20), CITY)}
    assert direct_recall(MetricInput([release], gold=answers)).value == 100.0
    assert quasi_recall(MetricInput([release], gold=answers)).value == pytest.approx(50.0, abs=1e-9)


def test_a_range_is_one_mention_and_direct_if_one_annotator_says_so() -> None:
    both = {"a": (place("Lublin", "LOC", "direct"), place("Lublin", "LOC", "quasi"))}
    inputs = MetricInput([released()], gold=both)
    assert direct_recall(inputs).value == 0.0
    with pytest.raises(NotMeasurable, match="no quasi-identifier"):
        quasi_recall(inputs)


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
    from sfumato_papers.metrics import levenshtein as levenshtein_index

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
        ("He saw the governor. A hearing followed.", ["He saw the governor.", "A hearing followed."]),
        ("", []),
        ("  \n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_ranges(text)] == expected


@given(st.text("Ab. \n!'", max_size=60), st.data())
def test_sentences_are_sorted_and_every_range_lies_in_what_is_around_it(text: str, data: st.DataObject) -> None:
    ranges = sentence_ranges(text)
    assert all(start < end for start, end in ranges)
    assert ranges == sorted(ranges)
    assert "".join("".join(text[start:end] for start, end in ranges).split()) == "".join(text.split())
    if text:
        start = data.draw(st.integers(0, len(text) - 1))
        end = data.draw(st.integers(start + 1, len(text)))
        first, last = enclosing_sentences(ranges, start, end)
        assert first <= start < end <= last
