"""The tagger: exact offsets at any length, the same answer beside any neighbour, and what rules cannot see."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato
from sfumato.detectors import tagger
from sfumato.detectors.tagger import SHIPPED_MODEL, TaggerDetector, TokenPredictions, decode_spans
from sfumato.document import LABELS, Document
from sfumato.errors import InputError, RecipeError
from sfumato.models import tokens
from sfumato.models.tokens import SEGMENT, central_ranges, segments, window_ranges
from tests.strategies import texts

DETECTOR = TaggerDetector()


def detected(text: str) -> list[tuple[str, str]]:
    (spans,) = DETECTOR.detect([Document("d", text)])
    return [(span.label, text[span.start : span.end]) for span in spans]


@pytest.mark.parametrize(
    ("text", "label", "value"),
    [
        ("hi my name is priya venkatraman and i cannot log in", "PERSON", "priya venkatraman"),
        ("The applicant, Mr Quorvex Belnikov, was born in 1979.", "PERSON", "Mr Quorvex Belnikov"),
        ("El paciente vive en Sevilla desde el 3 de marzo de 2019.", "DATETIME", "3 de marzo de 2019"),
        ("Discharged to Brackwater Nursing Home on July 14, 2023.", "DATETIME", "July 14, 2023"),
        ("My insurance ID is 99887-65432, please check.", "CODE", "99887-65432"),
    ],
)
def test_finds_names_and_quasi_identifiers_by_context(text: str, label: str, value: str) -> None:
    assert (label, value) in detected(text)


@pytest.mark.parametrize(
    "harmless",
    [
        "What is the maximum dose of ibuprofen per day for an adult?",
        "The engine is switched off before the oil is drained.",
    ],
)
def test_a_harmless_text_is_left_alone(harmless: str) -> None:
    assert detected(harmless) == []


@pytest.mark.parametrize("place", [0, 3990, 4000, 11_500, "end"])
def test_a_name_anywhere_in_a_long_text_is_found_with_exact_offsets(
    place: int | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "SEGMENT", 4000)
    filler = "The weather was mild and the road was dry. " * 300
    offset = filler.index(". ", int(place)) + 2 if place != "end" else len(filler)
    text = filler[:offset] + "The letter was signed by Tomasz Belnikov. " + filler[offset:]
    assert ("PERSON", "Tomasz Belnikov") in detected(text)


def test_neighbours_do_not_change_what_is_found() -> None:
    document = Document("1", "Anna Quorvex lives in Leeds with Boris, a retired judge.")
    others = [Document(str(n), f"Order {n} was shipped to Carla Trellez. " * n) for n in range(2, 9)]
    alone = DETECTOR.detect([document])[0]
    assert DETECTOR.detect([*others, document])[-1] == alone
    assert TaggerDetector(threads=1).detect([document])[0] == alone


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("under_way", [1, 10**6])
def test_what_was_read_ahead_may_be_asked_for_in_parts_with_others_in_between(
    threads: int, under_way: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tokens, "SEGMENT", 300)
    monkeypatch.setattr(tagger, "_AHEAD_CHARACTERS", under_way)
    documents = [Document(str(n), f"Order {n} was shipped to Carla Trellez of Leeds. " * n) for n in (3, 0, 20, 1, 9)]
    other = Document("other", "Anna Quorvex lives in Leeds.")
    expected = [DETECTOR.detect([document])[0] for document in [*documents, other]]
    detector = TaggerDetector(threads=threads)
    detector.read_ahead(documents)
    spans = [*detector.detect(documents[:2]), *detector.detect(documents[2:4])]
    beside = detector.detect([other])[0]
    assert [*spans, *detector.detect(documents[4:]), beside] == expected


def test_after_an_error_the_next_documents_are_read_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "SEGMENT", 300)
    documents = [Document(str(n), f"Order {n} was shipped to Carla Trellez of Leeds. " * 30) for n in range(3)]
    expected = DETECTOR.detect(documents)
    detector = TaggerDetector(threads=2)
    detector.read_ahead(documents)
    with monkeypatch.context() as broken:
        broken.setattr(tagger, "decode_spans", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            detector.detect(documents[:1])
    assert detector.detect(documents[1:]) == expected[1:]
    assert detector.detect(documents[:1]) == expected[:1]


def test_a_lower_threshold_finds_more() -> None:
    text = (
        "The applicant was a teacher at a school in the north. In 1994 he moved, with two brothers, to a port town, "
        "where the regional court heard his case; a newspaper wrote about the robbery."
    )
    sizes = []
    for stop in ("precise", "balanced", "leave-nothing"):
        (spans,) = TaggerDetector(threshold=stop).detect([Document("d", text)])
        sizes.append(sum(len(span) for span in spans))
    assert sizes == sorted(sizes)
    assert sizes[0] < sizes[-1]


@pytest.mark.parametrize(
    "text",
    ["x" * 1_000_000, "7" * 100_000, "a\n" * 3_000, "\0\x01\x02" * 500, "שלום مرحبا 你好 Привет " * 200, " " * 50_000],
    ids=["one token", "digits", "short lines", "control characters", "mixed scripts", "blanks"],
)
def test_odd_texts_raise_nothing(text: str) -> None:
    (spans,) = DETECTOR.detect([Document("d", text)])
    assert all(0 <= span.start < span.end <= len(text) for span in spans)


@given(texts)
def test_offsets_are_exact_for_any_text(text: str) -> None:
    (spans,) = DETECTOR.detect([Document("d", text)])
    assert all(0 <= span.start < span.end <= len(text) for span in spans)
    assert all(before.end <= after.start for before, after in pairwise(spans))


@given(st.integers(0, 3000), st.integers(20, 300), st.integers(1, 19))
def test_windows_cover_every_token_once_in_their_centres(length: int, window: int, overlap: int) -> None:
    pieces = window_ranges(length, window, window - overlap)
    assert [token for start, end in central_ranges(pieces) for token in range(start, end)] == list(range(length))


@given(st.text("ab \n", max_size=50), st.integers(1, 4))
def test_segments_cover_the_text(text: str, repeats: int) -> None:
    long = (text or "a") * (repeats * SEGMENT // max(1, len(text)) + 1)
    ranges = segments(long)
    assert "".join(long[start:end] for start, end in ranges) == long
    assert all(end - start <= SEGMENT for start, end in ranges)


@pytest.mark.parametrize("wrong", ["bold", 1.5, -0.1])
def test_an_unknown_threshold_is_refused(wrong: object) -> None:
    with pytest.raises(RecipeError, match="leave-nothing; got"):
        TaggerDetector(threshold=wrong)  # type: ignore[arg-type]


def test_a_folder_that_is_no_tagger_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a trained tagger"):
        TaggerDetector(model=str(tmp_path))


def test_the_weights_are_small_and_have_their_card() -> None:
    assert sum(file.stat().st_size for file in SHIPPED_MODEL.iterdir()) < 40e6
    card = (SHIPPED_MODEL / "MODEL_CARD.md").read_text(encoding="utf-8")
    config = json.loads((SHIPPED_MODEL / "config.json").read_text(encoding="utf-8"))
    for name in ("TAB", "ASQ-PHI", "MEDDOCAN", "Apache-2.0", "training/tagger"):
        assert name in card
    assert set(config["thresholds"]) == {"precise", "balanced", "leave_nothing"}


SENTENCES = [
    (
        "Sehr geehrte Damen und Herren, die Rechnung ist noch offen. Frau Ilse Kleinert aus Wuppertal rief an.",
        ("Ilse", "Kleinert", "Wuppertal"),
        ("Damen", "Herren", "Rechnung", "noch"),
    ),
    (
        "Met vriendelijke groet stuur ik u de gevraagde documenten op, Joost Verbrugghe.",
        ("Joost", "Verbrugghe"),
        ("vriendelijke", "groet", "documenten"),
    ),
    (
        "La señora vive en una casa grande con su hermana Remedios Olmedilla.",
        ("Remedios", "Olmedilla"),
        ("casa", "grande"),
    ),
    (
        "Wei-Ling Zhao was born in Harbin. She teaches chemistry at a school, and her sister paints.",
        ("Zhao", "Harbin"),
        ("teaches", "school", "paints"),
    ),
    (
        "Bonjour Madame Solenne Tarascou, votre commande est prête et vous attend au comptoir.",
        ("Solenne", "Tarascou"),
        ("commande", "prête", "comptoir"),
    ),
    (
        "Gentile signor Oreste Bagnasco, la caldaia perde acqua da tre giorni e il tecnico non arriva.",
        ("Oreste", "Bagnasco"),
        ("caldaia", "acqua", "tecnico"),
    ),
    (
        "Bom dia, dona Filomena Arouca. O elevador está parado e a porta não fecha bem.",
        ("Filomena", "Arouca"),
        ("elevador", "parado", "porta"),
    ),
    (
        "Could you ask Thaddeus Winfold whether the printer still jams when the tray is full?",
        ("Thaddeus", "Winfold"),
        ("printer", "tray", "full"),
    ),
    (
        "The soup was cold, the waiter was rude, and Marguerite Ostley left without paying.",
        ("Marguerite", "Ostley"),
        ("soup", "cold", "waiter", "rude"),
    ),
    (
        "Bitte bringen Sie am Montag den Schlüssel zurück; Herr Gernot Pfaffinger holt ihn ab.",
        ("Gernot", "Pfaffinger"),
        ("Schlüssel", "zurück", "holt"),
    ),
    (
        "El coche hace un ruido raro al frenar. Llame a Baltasar Quiñonero cuando esté listo.",
        ("Baltasar", "Quiñonero"),
        ("coche", "ruido", "frenar"),
    ),
    (
        "De kat slaapt op de bank en Geertruida Hoogeboom leest de krant in de keuken.",
        ("Geertruida", "Hoogeboom"),
        ("kat", "bank", "krant", "keuken"),
    ),
    (
        "Please water the plants twice a week and give the spare key to Rosalind Thackeray-Moon.",
        ("Rosalind",),
        ("plants", "twice", "spare", "key"),
    ),
    (
        "Le chat a mangé le fromage pendant que Anselme Durouvray cherchait ses lunettes.",
        ("Anselme", "Durouvray"),
        ("chat", "fromage", "lunettes"),
    ),
    (
        "Il pane è finito, ma Ludovica Ferrazzano ha comprato due chili di farina.",
        ("Ludovica", "Ferrazzano"),
        ("pane", "comprato", "farina"),
    ),
    (
        "My bicycle has a flat tyre again, said Cornelius Abernath, so I will walk to work.",
        ("Cornelius", "Abernath"),
        ("bicycle", "tyre", "walk"),
    ),
]
"""Sentences of everyday life with a name, in seven languages: the names, and words that are nobody's."""


@pytest.mark.parametrize(("text", "personal"), [(text, personal) for text, personal, _ in SENTENCES])
def test_names_go(text: str, personal: Sequence[str]) -> None:
    masked = " ".join(text[span.start : span.end] for span in sfumato.detect(text))
    assert [word for word in personal if word not in masked] == []


def test_everyday_words_stay() -> None:
    """A network errs in single sentences, not in many."""
    touched = []
    for text, _, everyday in SENTENCES:
        masked = " ".join(text[span.start : span.end] for span in sfumato.detect(text))
        touched += [text] * any(word in masked for word in everyday)
    assert len(touched) <= 1


def predictions(words: Sequence[str], labels: dict[str, float], mask: float) -> tuple[str, TokenPredictions, list[str]]:
    """One token a word, all with the same chances of labels and of being masked."""
    tags = ["O", *(f"{position}-{label}" for label in LABELS for position in "BI")]
    first, inside = ([labels.get(tag[2:], 0.0) * (tag[:1] == position) for tag in tags] for position in "BI")
    text = " ".join(words)
    starts = [sum(len(word) + 1 for word in words[:number]) for number in range(len(words))]
    offsets = [(start, start + len(word)) for start, word in zip(starts, words, strict=True)]
    types = np.array([first, *[inside] * (len(words) - 1)], np.float32)
    decisions = np.tile(np.array([0.2, 0.7, 0.1], np.float32), (len(words), 1))
    return text, TokenPredictions(offsets, types, decisions, np.full(len(words), mask, np.float32)), tags


@pytest.mark.parametrize("words", [["la", "Toussaint"], ["Mitte", "Juli"], ["zesenvijftig"], ["12.3."], ["Weds"]])
def test_a_date_has_a_digit_or_a_word_for_a_time(words: list[str]) -> None:
    text, tokens, tags = predictions(words, {"DATETIME": 0.6, "ORG": 0.3}, 0.3)
    (span,) = decode_spans(text, tokens, tags, 0.25, {"ORG": 0.9})
    assert (span.label, text[span.start : span.end]) == ("DATETIME", text)


def test_what_cannot_be_a_date_gets_the_next_label_and_its_threshold() -> None:
    text, tokens, tags = predictions(["Stift", "am", "Schloss"], {"DATETIME": 0.6, "ORG": 0.3}, 0.3)
    (span,) = decode_spans(text, tokens, tags, 0.25, {"DATETIME": 0.2, "ORG": 0.25})
    assert (span.label, text[span.start : span.end]) == ("ORG", text)
    assert decode_spans(text, tokens, tags, 0.25, {"DATETIME": 0.2, "ORG": 0.31}) == []
