"""The detector ``gold``: what annotators decided to mask, whose decisions count, and nothing beside them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from sfumato import recipe as recipes
from sfumato.detectors.allowed import AllowedTerms, with_allowed
from sfumato.detectors.base import GoldDetector
from sfumato.detectors.detection import Detection, UserTerms
from sfumato.document import Document, Release, Span
from sfumato.errors import InputError, NotReleased, RecipeError
from sfumato.formats.records import gold_spans
from sfumato.formats.sources import load
from sfumato.pipeline import Pipeline

TEXT = "Mr Odo Vantrell, a Dane, of Skagen, sued Denmark in Skagen. Vantrell won in 2003."
MENTIONS = {
    # Annotator: (words, label, decision); the second Skagen, the second Vantrell and 2003 are marked by nobody.
    "ann": [("Odo Vantrell", "PERSON", "DIRECT"), ("Dane", "DEM", "QUASI"), ("Skagen", "LOC", "NO_MASK")],
    "ben": [("Vantrell", "PERSON", "DIRECT"), ("Dane", "DEM", "NO_MASK"), ("Denmark", "LOC", "NO_MASK")],
}


def tab_record() -> dict[str, object]:
    """The document as the Text Anonymization Benchmark writes it."""
    annotations = {
        annotator: {
            "entity_mentions": [
                {
                    "entity_type": label,
                    "entity_id": f"{annotator}-{number}",
                    "start_offset": TEXT.find(words),
                    "end_offset": TEXT.find(words) + len(words),
                    "identifier_type": decision,
                }
                for number, (words, label, decision) in enumerate(mentions)
            ]
        }
        for annotator, mentions in MENTIONS.items()
    }
    return {"doc_id": "d", "text": TEXT, "annotations": annotations}


def document(key: str = "d") -> Document:
    return Document(key, TEXT, annotations=gold_spans(tab_record(), len(TEXT)))


def masked(key: str = "d", **options: object) -> list[str]:
    """The masked words of the document, through the whole detection stage."""
    (spans,) = Detection([GoldDetector(**options)]).spans([document(key)])  # type: ignore[arg-type]
    return [TEXT[span.start : span.end] for span in spans]


def test_one_annotator_masks_what_that_annotator_decided() -> None:
    assert masked(annotator="ann") == ["Odo Vantrell", "Dane"]
    assert masked(annotator="ben") == ["Vantrell"]


def test_the_union_masks_what_anybody_decided_to_mask() -> None:
    """Ben leaves the Dane, Ann does not; nobody masks Skagen or Denmark."""
    assert masked() == ["Odo Vantrell", "Dane"]


def test_nothing_is_added_to_the_annotators_spans() -> None:
    """No title, no second Vantrell, no second Skagen: a release has the annotators' spans to the character."""
    recipe = recipes.load("default").with_changes(
        detect=[{"use": "gold", "annotator": "ben"}], replace={"default": "tag"}
    )
    (outcome,) = Pipeline(recipe).anonymize([document()])
    assert isinstance(outcome, Release)
    assert outcome.text == TEXT.replace("Odo Vantrell", "Odo SENSITIVE")


def test_beside_another_detector_spans_are_completed_as_usual() -> None:
    class Nothing:
        languages: ClassVar[frozenset[str] | None] = None

        def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
            return [[] for _ in documents]

    (spans,) = Detection([GoldDetector(annotator="ann"), Nothing()]).spans([document()])
    assert [TEXT[span.start : span.end] for span in spans].count("Vantrell") == 1


def test_the_recipes_own_terms_count_all_the_same() -> None:
    terms = UserTerms((), {"LOC": ["Denmark"]}, 0.0)
    allowed = with_allowed(document(), AllowedTerms(["Dane"]))
    (spans,) = Detection([GoldDetector()], terms=terms).spans([allowed])
    assert [TEXT[span.start : span.end] for span in spans] == ["Odo Vantrell", "Denmark"]


def test_a_seed_draws_one_annotator_for_each_document() -> None:
    drawn = [tuple(masked(str(key), seed=7)) for key in range(60)]
    counts = Counter(drawn)
    assert set(counts) == {("Odo Vantrell", "Dane"), ("Vantrell",)}
    assert min(counts.values()) > 15  # 60 fair draws: below 16 once in 10,000
    assert drawn == [tuple(masked(str(key), seed=7)) for key in range(60)]
    assert drawn != [tuple(masked(str(key), seed=8)) for key in range(60)]


def test_a_document_that_the_annotator_has_not_seen_is_not_released_whole() -> None:
    with pytest.raises(NotReleased, match="document d: no annotations by 'eve': name an annotator of every document"):
        masked(annotator="eve")


def test_a_document_without_annotations_is_refused() -> None:
    with pytest.raises(InputError, match="needs annotated documents"):
        GoldDetector().detect([Document("d", TEXT)])
    assert GoldDetector(seed=1).detect([Document("d", TEXT, annotations=())]) == [[]]


@pytest.mark.parametrize("options", [{"annotator": "ann", "seed": 1}, {"seed": "1"}, {"seed": True}])
def test_options_are_checked(options: dict[str, object]) -> None:
    with pytest.raises(RecipeError):
        GoldDetector(**options)  # type: ignore[arg-type]


def test_a_tab_file_is_masked_as_its_annotators_decided(tmp_path: Path) -> None:
    file = tmp_path / "tab.json"
    file.write_text(json.dumps([tab_record()]), encoding="utf-8")
    (spans,) = Detection([GoldDetector()]).spans(load([file]))
    assert [TEXT[span.start : span.end] for span in spans] == ["Odo Vantrell", "Dane"]
