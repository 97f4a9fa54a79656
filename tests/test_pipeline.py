"""Documents in, releases out: what the pipeline makes of spans."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sfumato import Document, Edit, Span
from sfumato import recipe as recipes
from sfumato.document import Withheld
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

    paper = extra = None

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        return [Edit(span.moved(span.start + 1, span.end - 1), "-") for span in spans]


def test_a_replacer_may_change_a_part_of_its_span_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    spans = [Span(4, 8, "ORG"), Span(12, 21, "LOC"), Span(70, 74, "MISC")]
    pipeline = Pipeline(recipes.load("fast"), given=lambda document: spans)
    monkeypatch.setattr(pipeline, "_replacers", {"default": Inside()})
    (release,) = pipeline.anonymize([Document("d", TEXT)])
    assert not isinstance(release, Withheld)
    assert release.text == "The B-k of A-t sued the town of Aldenport and the owner of the b-t."
