"""Borders of spans: they end where a field, line or sentence does, and cover words, numbers and names whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.detectors.passes import compounds
from sfumato.detectors.passes.compounds import complete_spans
from sfumato.detectors.passes.edges import trim_spans
from sfumato.detectors.passes.everyday_ends import trim_everyday_words, trim_function_words
from sfumato.detectors.passes.joined_names import join_names
from sfumato.detectors.passes.overlaps import drop_imprecise
from sfumato.document import Span
from sfumato.lexicon.tokens import find_at


def span(text: str, string: str, source: str, label: str = "PERSON") -> Span:
    start = text.index(string)
    return Span(start, start + len(string), label, "direct", 0.9, source)


@pytest.mark.parametrize(
    ("rough", "exact"),
    [
        ("Dra. Elvira Quorvex", ["Elvira Quorvex"]),
        ("Quorvex.", ["Quorvex"]),
        ("48080 Altamora", ["48080", "Altamora"]),
        ("Elvira and the Quorvex", ["Elvira", "Quorvex"]),
    ],
)
def test_detectors_that_read_context_have_the_better_borders(rough: str, exact: list[str]) -> None:
    text = f"Seen by {rough} today"
    readers = [span(text, string, "tagger:mask") for string in exact]
    assert drop_imprecise(text, [span(text, rough, "rules:person"), *readers]) == readers


@pytest.mark.parametrize("read", ["Elvira", "vira Quorvex"])
def test_a_span_of_a_rule_that_covers_more_of_a_name_stays(read: str) -> None:
    text = "Seen by Elvira Quorvex today"
    spans = [span(text, "Elvira Quorvex", "rules:person"), span(text, read, "tagger:mask")]
    assert drop_imprecise(text, spans) == spans


def test_the_particle_after_a_title_belongs_to_the_name() -> None:
    text = "Seen by Frau von Quorvex today"
    spans = [span(text, "Frau von Quorvex", "rules:person"), span(text, "Quorvex", "tagger:mask")]
    assert drop_imprecise(text, spans) == spans


def test_parts_that_a_hyphen_glues_together_become_one_span() -> None:
    text = "in Tremblay-en-Quorvex now"
    spans = [span(text, "Tremblay", "tagger:mask", "ORG"), span(text, "-Quorvex", "tagger:mask", "LOC")]
    (item,) = complete_spans(text, spans)
    assert text[item.start : item.end] == "Tremblay-en-Quorvex"


@pytest.mark.parametrize("name", ["Elvira van der Quorvex", "Elvira de la Quorvex"])
def test_a_name_is_not_cut_in_two_at_its_particle(name: str) -> None:
    text = f"Seen by {name} today"
    spans = [
        span(text, name, "rules:person"),
        span(text, "Elvira", "tagger:mask"),
        span(text, "Quorvex", "tagger:mask"),
    ]
    assert drop_imprecise(text, spans) == spans


def test_a_span_of_a_rule_with_another_label_stays() -> None:
    text = "Seen by Elvira Quorvex today"
    spans = [span(text, "Elvira Quorvex", "rules:person"), span(text, "Elvira Quorvex", "tagger:mask", "ORG")]
    assert drop_imprecise(text, spans) == spans


@pytest.mark.parametrize(
    ("detected", "trimmed"),
    [
        (" Anna,", "Anna"),
        (">Anna Quorvex\n", "Anna Quorvex"),
        ("“Quorvex”", "Quorvex"),
        ("Belnik Quorvex.", "Belnik Quorvex"),
        ("Quorvex Ltd.", "Quorvex Ltd."),
        ("Anna Q.", "Anna Q."),
        ("3 p.m.", "3 p.m."),
        ("(0)20 7946", "(0)20 7946"),
        ("Quorvex (", "Quorvex"),
        ('I.C. "Don Quorvex"', 'I.C. "Don Quorvex"'),
        ("of the", None),
        ("E. A.", "E. A."),
        ("\nT.\n", "T."),
        ("Dr Au", "Dr Au"),
        ("Mrs", None),
    ],
)
def test_loose_marks_are_trimmed_and_abbreviations_stay(detected: str, trimmed: str | None) -> None:
    text = f"x {detected} y"
    spans = trim_spans(text, [span(text, detected, "tagger:mask")])
    assert [text[item.start : item.end] for item in spans] == ([] if trimmed is None else [trimmed])


def test_a_blank_that_merging_left_is_dropped() -> None:
    assert trim_spans("Grade I Hollywood Oaks", [Span(7, 8, "PERSON", "direct", 0.7, "rules:person+repeated")]) == []


@pytest.mark.parametrize(
    ("text", "detected", "label", "whole"),
    [
        ("saw Min-jun today", "jun", "PERSON", "Min-jun"),
        ("saw Elvira Quorvex-Belnik today", "Elvira Quorvex", "PERSON", "Elvira Quorvex-Belnik"),
        ("saw Mr O'Quorvex today", "Quorvex", "PERSON", "O'Quorvex"),
        ("call (270) 555-0143 now", "270) 555-0143", "CODE", "(270) 555-0143"),
        ("the room (140) is", "140)", "CODE", "140"),
        ("scored 4.1 then", "1", "DATETIME", "4.1"),
        ("PHQ-9 was 17", "9", "QUANTITY", "PHQ-9"),
        ("signed K.P. today", "K", "PERSON", "K.P"),
        ("gave it to SkinTrader_QX yesterday", "SkinTrader", "ORG", "SkinTrader_QX"),
        ("a UK-based firm", "UK", "LOC", "UK"),
        ("in Berlin-Mitte now", "Berlin", "LOC", "Berlin"),
        ("a 48-year-old man", "48", "DEM", "48"),
    ],
)
def test_a_span_covers_words_numbers_names_and_brackets_whole(text: str, detected: str, label: str, whole: str) -> None:
    (item,) = complete_spans(text, [span(text, detected, "tagger:mask", label)])
    assert text[item.start : item.end] == whole


@pytest.mark.parametrize(
    ("text", "parts", "name"),
    [
        ("saw Jean-Baptiste Quorvex-Dubois today", ["ORG Jean-Baptiste", "PERSON Quorvex-Dubois"], None),
        ("saw Elvira van der Quorvex today", ["PERSON Elvira", "PERSON Quorvex"], None),
        ('saw Chukwu "Emeka" Quorvex-Wren today', ["PERSON Chukwu", "PERSON Emeka", "PERSON Quorvex-Wren"], None),
        ("saw Elvira Quorvex née Belnik today", ["PERSON Elvira Quorvex", "PERSON Belnik"], None),
        ("QUORVEX, Elvira  DOB", ["PERSON QUORVEX", "DEM Elvira"], "QUORVEX, Elvira"),
        ("Belnik, Sven (1790)", ["LOC Belnik", "LOC Sven"], "Belnik, Sven"),
        ("la cheffe Aurélie QUORVEX parle", ["DEM cheffe Aurélie", "PERSON QUORVEX"], "Aurélie QUORVEX"),
    ],
)
def test_the_parts_of_a_name_become_one_span(text: str, parts: list[str], name: str | None) -> None:
    spans = [span(text, string, "tagger:mask", label) for label, string in (part.split(" ", 1) for part in parts)]
    joined = join_names(text, spans)
    strings = [text[item.start : item.end] for item in joined if item.label == "PERSON"]
    assert strings == [name or text.removeprefix("saw ").removesuffix(" today")]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Anna's Peter came", ["PERSON Anna's", "PERSON Peter"]),
        ("Anna Mr Peter", ["PERSON Anna", "PERSON Mr Peter"]),
        ("German Anna came", ["DEM German", "PERSON Anna"]),
        ("Consultant Quorvex came", ["DEM Consultant", "PERSON Quorvex"]),
        ("Ana de Madrid vino", ["PERSON Ana", "LOC Madrid"]),
        ("Boy (Darlene) Quorvex", ["PERSON Boy", "PERSON Darlene", "PERSON Quorvex"]),
        ('read "Libardo Quorvex" aloud', ["PERSON read", "PERSON Libardo Quorvex"]),
        ("Thanks, Joy", ["PERSON Thanks", "PERSON Joy"]),
        ("Lena, Anna, Tom", ["PERSON Lena", "PERSON Anna", "PERSON Tom"]),
        ("Anna Quorvex, Sven Belnik", ["PERSON Anna Quorvex", "PERSON Sven Belnik"]),
    ],
)
def test_two_people_or_things_stay_two(text: str, parts: list[str]) -> None:
    spans = [span(text, string, "tagger:mask", label) for label, string in (part.split(" ", 1) for part in parts)]
    assert join_names(text, spans) == spans


@pytest.mark.parametrize(
    ("text", "detected", "trimmed"),
    [
        ("Seen at bedside by", "at bedside", None),
        ("il a pris ma déposition chez la police", "pris ma déposition", None),
        ("We told Elvira Quorvex that it was", "told Elvira Quorvex that", "Elvira Quorvex"),
        ("hello mister fitzsimmons here", "mister fitzsimmons", "mister fitzsimmons"),
        ("so mark, can you", "mark", "mark"),
        ("Tampoco tiene asma desde hace años.", "Tampoco", None),
        ("Es muy tarde ya. Ninguna hermana vive aquí.", "Ninguna", None),
        ("Ninguna Quorvex vive en la casa.", "Ninguna Quorvex", "Quorvex"),
        ("De Vries heeft het huis niet gezien.", "De Vries", "De Vries"),
        ("Will came to the house.", "Will", "Will"),
        ("user grumpy_dba wrote", "grumpy_dba", "grumpy_dba"),
    ],
)
def test_everyday_words_at_the_edges_of_a_name_are_left_alone(text: str, detected: str, trimmed: str | None) -> None:
    spans = trim_everyday_words(text, [span(text, detected, "tagger:mask")])
    assert [text[item.start : item.end] for item in spans] == ([] if trimmed is None else [trimmed])


TEXTS = st.text("Ab1 .,>-", min_size=1, max_size=30)


@given(
    TEXTS, st.lists(st.tuples(st.integers(0, 29), st.integers(1, 8), st.sampled_from(["rules:person", "tagger:mask"])))
)
def test_every_letter_and_digit_that_was_covered_still_is(text: str, places: list[tuple[int, int, str]]) -> None:
    spans = [
        Span(start, min(len(text), start + size), "PERSON", None, 0.9, source)
        for start, size, source in places
        if start < len(text)
    ]
    remaining = drop_imprecise(text, spans)
    covered = {offset for item in remaining for offset in range(item.start, item.end)}
    for item in spans:
        for offset in range(item.start, item.end):
            assert offset in covered or not text[offset].isalnum() or text[offset] == "A", "a lone A may be an article"


@pytest.mark.parametrize(
    ("text", "string", "score", "kept"),
    [
        ("Ha scritto la Scuola Verdi di Modena ieri.", "Scuola Verdi di", 0.8, "Scuola Verdi"),
        ("Habite chaussée de Haecht 301 à Bruxelles.", "chaussée de Haecht 301 à", 0.9, "chaussée de Haecht 301"),
        ("Cortar las papas en rodajas y freírlas con aceite.", "rodajas", 0.6, None),
        ("Cortar las papas en rodajas y freírlas con aceite.", "rodajas", 0.99, "rodajas"),
        ("Vive en Cuenca desde hace unos años con su madre.", "Cuenca", 0.4, "Cuenca"),
    ],
)
def test_things_lose_function_words_at_their_ends_and_everyday_words(
    text: str, string: str, score: float, kept: str | None
) -> None:
    start = text.index(string)
    span = Span(start, start + len(string), "LOC", "quasi", score, "tagger:mask")
    trimmed = [text[s.start : s.end] for s in trim_function_words(text, [span])]
    assert trimmed == ([] if kept is None else [kept])


@pytest.mark.parametrize(
    ("text", "string", "label", "kept"),
    [
        ("The call was logged as 9122 of 6/5 by the desk.", "9122 of", "CODE", "9122"),
        ("Wir sahen uns, er war am 3.1. da und hat gelüftet.", "3.1. da", "DATETIME", "3.1."),
        ("My mother is seventy one and well.", "seventy one", "DEM", "seventy one"),
        ("We meet on 4 May in the hall.", "4 May", "DATETIME", "4 May"),
    ],
)
def test_function_words_behind_the_last_number_stay(text: str, string: str, label: str, kept: str) -> None:
    trimmed = trim_function_words(text, [span(text, string, "tagger:mask", label)])
    assert [text[each.start : each.end] for each in trimmed] == [kept]


def test_a_place_and_what_is_there_are_one_name() -> None:
    text = "Seen at Quorvex Burns Unit on Monday"
    parts = [span(text, "Quorvex", "tagger:mask", "LOC"), span(text, "Burns Unit", "tagger:mask", "ORG")]
    (joined,) = join_names(text, parts)
    assert (joined.label, text[joined.start : joined.end]) == ("ORG", "Quorvex Burns Unit")


@pytest.mark.parametrize(
    ("text", "found", "whole"),
    [
        ("R v VAN DEN QUORVEX, Mia", "DEN QUORVEX, Mia", "VAN DEN QUORVEX, Mia"),
        ("gez. I. v. Quorvex-Sasse", "Quorvex-Sasse", "I. v. Quorvex-Sasse"),
        ("K. v. d. Quorvex kam", "Quorvex", "K. v. d. Quorvex"),
        ("SIE KAM VON Quorvex", "Quorvex", "Quorvex"),
        ("a letter from Quorvex", "Quorvex", "Quorvex"),
    ],
)
def test_a_name_keeps_its_particles(text: str, found: str, whole: str) -> None:
    start = text.index(found)
    (span,) = complete_spans(text, [Span(start, start + len(found), "PERSON", "direct")])
    assert text[span.start : span.end] == whole


@pytest.mark.parametrize(
    ("text", "town", "whole"),
    [
        ("She lives in Salem, OR with her sister.", "Salem", "Salem, OR"),
        ("They met in Bangor, ME.", "Bangor", "Bangor, ME"),
        ("He left Boise, ID, in May.", "Boise", "Boise, ID"),
        ("We meet in Salem, OK? Good.", "Salem", "Salem"),
        ("IN SALEM, OR ELSEWHERE", "SALEM", "SALEM"),
        ("Roma, AL CENTRO DELLA CITTÀ", "Roma", "Roma"),
        ("salem, OR else", "salem", "salem"),
        ("In Salem, ORDER is kept.", "Salem", "Salem"),
        ("In Salem, or nearby.", "Salem", "Salem"),
    ],
)
def test_a_state_belongs_to_its_town(text: str, town: str, whole: str) -> None:
    (item,) = complete_spans(text, [span(text, town, "tagger:mask", "LOC")])
    assert text[item.start : item.end] == whole


@given(st.text("aB1_.,-'’ é", max_size=20))
def test_joined_words_are_found_as_by_a_search(text: str) -> None:
    found = find_at(compounds._JOINED, text, compounds._starts_of_joined(text))
    assert [match.span() for match in found] == [match.span() for match in compounds._JOINED.finditer(text)]
