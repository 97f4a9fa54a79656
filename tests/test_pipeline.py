"""Documents in, releases out: what the pipeline makes of spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import pytest

from sfumato import recipe as recipes
from sfumato.detectors.detection import Detection
from sfumato.document import Document, Edit, Span, Withheld
from sfumato.errors import PluginError
from sfumato.pipeline import Pipeline

TEXT = "The Bank of Aldenport sued the town of Aldenport and the owner of the boat."


def spans_of(text: str, *given: Span) -> list[str]:
    pipeline = Pipeline(recipes.load("fast"), given=lambda document: list(given))
    (release,) = pipeline.anonymize([Document("d", text)])
    assert not isinstance(release, Withheld)
    return [text[edit.span.start : edit.span.end] for edit in release.edits]


def test_given_spans_are_taken_as_they_are() -> None:
    assert spans_of(TEXT, Span(4, 21, "ORG"), Span(28, 32, "LOC")) == ["Bank of Aldenport", "he t"]


def test_a_small_word_cut_off_by_merging_is_not_taken_out_of_the_whole_text() -> None:
    recipe = recipes.parse(
        'detect = ["rules"]\nuncovered = "release"\n'
        "[[pattern]]\nname = 'a'\nlabel = 'ORG'\nregex = 'Bank of'\n"
        "[[pattern]]\nname = 'b'\nlabel = 'LOC'\nregex = 'The Bank'\n",
        "test",
    )
    ((_, spans),) = Pipeline(recipe).detect([Document("d", TEXT)])
    assert "of" not in [TEXT[span.start : span.end] for span in spans]


def test_spans_that_do_not_fit_the_text_withhold_the_document() -> None:
    for given in (None, [Span(0, 999, "ORG")]):
        pipeline = Pipeline(recipes.load("fast"), given=lambda document, given=given: given)  # type: ignore[misc]
        (outcome,) = pipeline.anonymize([Document("d", TEXT)])
        assert isinstance(outcome, Withheld)
        assert "spans file" in outcome.reason


def test_edits_of_two_replacers_that_reach_for_the_same_words_are_kept_apart() -> None:
    recipe = recipes.parse('[replace]\ndefault = "generalize"\nPERSON = "tag"\n', "test")
    text = "They saw Anna and the 3 August 1961 came to the Gdansk."
    spans = [Span(9, 21, "PERSON"), Span(22, 35, "DATETIME"), Span(41, 47, "PERSON"), Span(48, 54, "LOC")]
    (release,) = Pipeline(recipe, given=lambda document: spans).anonymize([Document("d", text)])
    assert not isinstance(release, Withheld)
    assert release.inverse().text == text
    assert release.text.count("SENSITIVE") == 2
    assert "Gdansk" not in release.text


class Inside:
    """Replaces the inside of each span, and leaves the rest of it."""

    cite = extra = None

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        return [Edit(span.moved(span.start + 1, span.end - 1), "-") for span in spans]


def test_a_replacer_may_change_a_part_of_its_span_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = [Span(4, 8, "ORG"), Span(12, 21, "LOC"), Span(70, 74, "MISC")]
    pipeline = Pipeline(recipes.load("fast"), given=lambda document: spans)
    monkeypatch.setattr(pipeline, "_replacers", {"default": Inside()})
    (release,) = pipeline.anonymize([Document("d", TEXT)])
    assert not isinstance(release, Withheld)
    assert release.text == "The B-k of A-t sued the town of Aldenport and the owner of the b-t."


class Found:
    """A detector that gives what it was told to."""

    languages: ClassVar[frozenset[str] | None] = frozenset({"en"})

    def __init__(self, *found: list[Span]) -> None:
        self._found = list(found)

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        return self._found


class Silent:
    """A detector that does not say what it covers."""

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        return [[] for _ in documents]


def test_a_detector_that_breaks_its_contract_is_named() -> None:
    for broken, why in ((Found(), "0 lists of spans for 1"), (Found([Span(0, 999, "ORG")]), "ends after its text")):
        with pytest.raises(PluginError, match=rf"test_pipeline\.Found .*{why}"):
            Detection([broken]).detect([Document("d", TEXT)])
    with pytest.raises(PluginError, match=r"test_pipeline\.Silent .*`languages`"):
        Detection([Silent()])  # type: ignore[list-item]


class Edits:
    """A replacer that gives the edits it was told to."""

    def __init__(self, *edits: Edit) -> None:
        self._edits = list(edits)

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        return self._edits


@pytest.mark.parametrize(
    ("edits", "why"),
    [
        ([Edit(Span(30, 40, "ORG"), "X")], "at none of the spans"),
        ([Edit(Span(0, 2, "ORG"), "X")], "at none of the spans"),
        ([Edit(Span(4, 999, "ORG"), "X")], "at none of the spans"),
        ([Edit(Span(4, 8, "ORG"), "X"), Edit(Span(9, 21, "ORG"), "Y")], "has an edit already"),
        ([Edit(Span(4, 21, "ORG"), None)], "puts no text in its place"),  # type: ignore[arg-type]
    ],
)
def test_a_replacer_that_breaks_its_contract_is_named(edits: list[Edit], why: str) -> None:
    pipeline = Pipeline(recipes.load("fast"), given=lambda document: [Span(4, 21, "ORG")])
    pipeline._replacers = dict.fromkeys(pipeline._replacers, Edits(*edits))
    with pytest.raises(PluginError, match=rf"test_pipeline\.Edits .*{why}"):
        list(pipeline.anonymize([Document("d", TEXT)]))


def test_what_a_detector_finds_inside_a_label_is_left_out() -> None:
    text = "PERSON_12 saw Anna, PERSON_3 and CODE_4417123456789113."

    def found(*spans: Span) -> list[str]:
        (own,) = Detection([Found(list(spans))]).spans([Document("d", text)])
        return [text[span.start : span.end] for span in own]

    assert found(Span(7, 9, "CODE"), Span(14, 18, "PERSON")) == ["Anna"]
    assert found(Span(0, 9, "PERSON"), Span(20, 28, "ORG")) == []
    assert [word[-16:] for word in found(Span(38, 54, "CODE"))] == ["4417123456789113"]


def test_a_code_that_was_found_in_pieces_is_one_thing() -> None:
    text = "My order #88213-AX for 12 kg never came."

    def found(*spans: Span) -> list[tuple[str, str]]:
        (own,) = Detection([Found(list(spans))]).spans([Document("d", text)])
        return [(text[span.start : span.end], span.label) for span in own]

    assert found(Span(9, 16, "CODE"), Span(16, 18, "QUANTITY")) == [("#88213-AX", "CODE")]
    assert found(Span(9, 16, "MISC"), Span(16, 18, "CODE")) == [("#88213-AX", "CODE")]
    assert found(Span(9, 16, "CODE"), Span(16, 18, "PERSON")) == [("#88213-AX", "CODE")]
    assert found(Span(9, 18, "CODE"), Span(23, 28, "QUANTITY")) == [("#88213-AX", "CODE"), ("12 kg", "QUANTITY")]
