"""MAPA: values drawn from the masked language model's own distribution, given nothing of what was replaced."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

import sfumato
from sfumato.document import Document, Span
from sfumato.errors import InputError, MissingExtra, RecipeError
from sfumato.models.masked import Choices, MaskedScorer, MaskFiller
from sfumato.recipe import Recipe
from sfumato.vault.ledger import Ledger
from sfumato_papers.replacers.mapa import Mapa, ValueDrafts

TEXT = (
    "She lives in Copenhagen and was born in 1973. Mr Ansel Quorvex is a Danish national, and Mr Ansel Quorvex works."
)


@pytest.fixture(scope="module")
def filler() -> MaskFiller:
    return MaskFiller()


def span(text: str, surface: str, label: str, number: int = 0) -> Span:
    match = list(re.finditer(re.escape(surface), text))[number]
    return Span(match.start(), match.end(), label)


def spans(text: str = TEXT) -> list[Span]:
    return [
        span(text, "Copenhagen", "LOC"),
        span(text, "1973", "DATETIME"),
        span(text, "Ansel Quorvex", "PERSON", 0),
        span(text, "Danish", "DEM"),
        span(text, "Ansel Quorvex", "PERSON", 1),
    ]


def values(secret: bytes = b"8" * 32, text: str = TEXT, **options: Any) -> list[str]:
    edits = Mapa(ledger=Ledger(secret=secret), **options).replace(Document("d", text), spans(text))
    return [edit.replacement for edit in edits]


def test_chances_are_those_of_the_masked_language_model(filler: MaskFiller) -> None:
    """Against the scorer: a word put into the text has ln p(word | the rest), however it was chosen."""
    text, place = "She lives in Copenhagen and works there.", (13, 23)
    ((choices,),) = filler.choices(text, [place], 12)
    scorer = MaskedScorer(n=1)
    scored = []
    for piece in choices.pieces:
        changed = text[:13] + piece + text[23:]
        scored.append(-scorer.information(changed, [(13, 13 + len(piece))])[0])
    expected = np.exp(scored) / np.exp(scored).sum()
    assert (choices.start, choices.end) == place
    assert choices.probabilities == pytest.approx(expected, rel=1e-3)
    assert list(choices.probabilities) == sorted(choices.probabilities, reverse=True)
    assert "copenhagen" not in choices.pieces


def test_sub_words_keep_their_kind_and_marks_stay(filler: MaskFiller) -> None:
    text = "Anna-Maria paid 36244 crowns."
    ((anna, dash, maria), number) = filler.choices(text, [(0, 10), (16, 21)], 30)
    assert dash.pieces == ()
    assert all(piece.isalpha() for part in (anna, maria) for piece in part.pieces)
    assert len(number) > 1
    assert all(piece.isdecimal() for part in number for piece in part.pieces)
    assert sum(part.end - part.start for part in number) == 5


def test_nothing_of_a_span_reaches_any_value(filler: MaskFiller) -> None:
    """Other originals of as many sub-words give the same chances, but for the sub-word that is left out."""
    one, other = "Kate met Paris in 1973, near Oslo.", "Anna met Milan in 1986, near Oslo."
    places = [(0, 4), (9, 14), (18, 22)]
    for (first,), (second,) in zip(filler.choices(one, places, 200), filler.choices(other, places, 200), strict=True):
        chances = dict(zip(first.pieces, first.probabilities, strict=True))
        shared = [
            (chances[piece], chance)
            for piece, chance in zip(second.pieces, second.probabilities, strict=True)
            if piece in chances
        ]
        assert len(shared) > 190
        ratios = np.array([before / after for before, after in shared])
        assert ratios == pytest.approx(ratios[0], rel=1e-5)


def test_long_texts_are_read_in_windows(filler: MaskFiller) -> None:
    text = "The court sat in Oslo. " * 300
    places = [match.span() for match in re.finditer("Oslo", text)]
    chosen = filler.choices(text, places, 3)
    assert [[(part.start, part.end) for part in term] for term in chosen] == [[place] for place in places]


def test_each_sub_word_is_drawn_by_its_own_chances() -> None:
    chances = [np.array([0.5, 0.3, 0.2]), np.array([0.9, 0.1])]
    parts = [Choices(7, 10, ("ab", "cd", "ef"), chances[0]), Choices(11, 14, ("gh", "ij"), chances[1])]
    drafts = ValueDrafts("Xyz-XYZ.", 7, parts)
    drawn = [drafts.draw(seed) for seed in range(6000)]
    pairs = [f"{first}-{second}." for first in ("Ab", "Cd", "Ef") for second in ("GH", "IJ")]
    expected = np.outer(*chances).ravel() * len(drawn)
    assert chisquare([drawn.count(pair) for pair in pairs], expected).pvalue > 0.01


def test_values_are_never_the_original_and_the_same_for_the_same_text() -> None:
    place, year, name, nation, again = drawn = values()
    assert name == again
    assert year.isdecimal()
    assert nation[0].isupper()
    for value, original in zip(drawn, ("Copenhagen", "1973", "Ansel Quorvex", "Danish"), strict=False):
        assert not set(re.findall(r"\w+", value.casefold())) & set(original.casefold().split())
        assert value.casefold() not in TEXT.casefold()
    assert len(name.split()) == 2
    assert place != nation


def test_the_secret_repeats_the_draws() -> None:
    assert values() == values()
    assert len({tuple(values(bytes([number] * 32))) for number in range(4)}) > 1


def test_the_type_is_asked_of_the_tagger(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the draws, the first that the tagger reads as the type is taken; where it reads none, the first."""
    asked: list[str] = []

    def detect(self: object, documents: list[Document]) -> list[list[Span]]:
        asked.append(documents[0].text)
        read = [Span(0, len(documents[0].text), "PERSON")] if len(asked) == 3 else []
        return [read]

    monkeypatch.setattr("sfumato_papers.replacers.mapa.TaggerDetector.detect", detect)
    text = "Ansel was born in Oslo."
    given = [span(text, "Ansel", "PERSON"), span(text, "Oslo", "LOC")]
    person, place = Mapa(ledger=Ledger(secret=b"8" * 32), tries=4).replace(Document("d", text), given)
    assert len(asked) == 4
    assert asked[2].startswith(person.replacement + " was born in ")
    assert asked[0].endswith(f" {place.replacement}.")
    assert "not read as its type" not in person.reasons[-1]
    assert place.reasons[-1].endswith(", not read as its type by the tagger")


def test_where_nothing_is_left_to_draw_a_label_stands() -> None:
    text = "It cost 7 of 1 2 3 4 5 6 8 9 10."
    (edit,) = Mapa(ledger=Ledger(secret=b"8" * 32), top=1).replace(Document("d", text), [span(text, "7", "QUANTITY")])
    assert edit.replacement == "QUANTITY_1" or edit.replacement not in text
    (edit,) = Mapa(ledger=Ledger(secret=b"8" * 32)).replace(Document("d", "Call !!! now."), [Span(5, 8, "CODE")])
    assert edit.replacement == "CODE_1"


@pytest.mark.parametrize("options", [{"top": 0}, {"top": True}, {"tries": 0}, {"tries": 1.5}])
def test_options_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(RecipeError, match="is a whole number from 1 on"):
        Mapa(ledger=Ledger(), **options)


def test_a_folder_without_a_model_is_named(tmp_path: Any) -> None:
    with pytest.raises((InputError, MissingExtra), match=re.escape(str(tmp_path))):
        Mapa(ledger=Ledger(), model=str(tmp_path))


def test_as_published_the_annotators_spans_are_filled() -> None:
    document = Document("d", TEXT, annotations=tuple(spans()[:2]))
    release = sfumato.anonymize(document, recipe="published/mapa")
    assert [edit.span.label for edit in release.edits] == ["LOC", "DATETIME"]
    assert "Copenhagen" not in release.text
    assert "Ansel Quorvex" in release.text
    recipe = Recipe.model_validate({"replace": {"default": {"use": "mapa", "top": 5}}, "seed": 4})
    first, second = (sfumato.anonymize(Document("d", TEXT), recipe=recipe).text for _ in range(2))
    assert first == second
    assert "Quorvex" not in first
