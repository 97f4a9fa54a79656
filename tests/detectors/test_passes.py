"""The passes behind the detectors: in order, each with a name and a reason, each can be left out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sfumato
from sfumato import recipe as recipes
from sfumato.detectors.passes.order import NAMES, PASSES, Context, Pass, run_passes
from sfumato.document import Document, Span
from sfumato.errors import RecipeError
from sfumato.pipeline import Pipeline

TEXT = "Anna Quorvex lives in Leeds. Quorvex called on 3 May 2021 from 4.1 km away."
METHODS = Path(__file__).parents[2] / "docs/methods.md"


def spans(*pieces: tuple[str, str]) -> list[Span]:
    places = ((TEXT.index(string), string, label) for string, label in pieces)
    return [Span(start, start + len(string), label, "direct", 0.9, "tagger:mask") for start, string, label in places]


def test_each_pass_has_one_reason_and_stands_in_the_docs() -> None:
    reasons = {each.name: each.why for each in PASSES}
    assert all(reasons[each.name] == each.why for each in PASSES)
    table = METHODS.read_text("utf-8").partition("| pass | what it does |")[2].partition("\n\n")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]
    assert sorted(name for row in rows for name in re.findall(r"`([^`]+)`", row)) == sorted(NAMES)


def test_a_changed_span_says_what_changed_it() -> None:
    document = Document("a", TEXT)
    context = Context.of(document)
    shorter = Pass("shorter", "cut", lambda context, spans: [span.moved(span.start, span.end - 1) for span in spans])
    same = Pass("same", "looked at", lambda context, spans: list(spans))
    (span,) = run_passes([same, shorter, same, shorter], context, spans(("Anna Quorvex", "PERSON")))
    assert (span.passes, span.source) == (("cut", "cut"), "tagger:mask")
    assert run_passes([shorter], context, []) == []


@pytest.mark.parametrize("name", NAMES)
def test_any_pass_can_be_left_out(name: str) -> None:
    pipeline = Pipeline(recipes.load("fast").with_changes(without_passes=[name]))
    (outcome,) = pipeline.anonymize([Document("a", TEXT)])
    assert "Anna Quorvex" not in getattr(outcome, "text", "")


def test_without_repeats_a_surname_is_found_once() -> None:
    recipe = recipes.load("fast").with_changes(without_passes=["repeats"])
    text = "Dr Anna Quorvex left. Everybody knows where quorvex lives."
    people = [[span.label for span in sfumato.detect(text, recipe=each)].count("PERSON") for each in ("fast", recipe)]
    assert people == [2, 1]


def test_an_unknown_pass_is_refused_by_name() -> None:
    with pytest.raises(RecipeError, match="no pass 'repeat'; did you mean 'repeats'"):
        Pipeline(recipes.load("fast").with_changes(without_passes=["repeat"]))
