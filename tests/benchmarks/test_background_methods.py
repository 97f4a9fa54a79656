"""The benchmark of methods that read a background: aligned releases, rows that exist, paired differences."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.paper_tables.frame import Corpus, Result, Row

from benchmarks import background_methods
from sfumato.attacks.base import Person
from sfumato.document import Document, Release, Score
from sfumato.errors import NotMeasurable
from sfumato.metrics.base import MetricInput
from sfumato.recipe import Recipe

DOCUMENT = Document("1", "Ida Quorvex (born 1950) sings in Velbrin. She has a small boat.")


@pytest.mark.parametrize(
    ("released", "edits"),
    [
        ("ida quorvex ( born 1950 ) sings in velbrin . she has a small boat .", []),
        (
            "WORLD ( born YEAR ) sings in WORLD . she has a boat .",
            [("Ida Quorvex", "WORLD"), ("1950", "YEAR"), ("Velbrin", "WORLD"), ("small", "")],
        ),
    ],
)
def test_words_that_differ_are_edits_whatever_the_case(released: str, edits: list[tuple[str, str]]) -> None:
    release = background_methods.aligned_release(DOCUMENT, released)
    items = [(DOCUMENT.text[edit.span.start : edit.span.end], edit.replacement) for edit in release.edits]
    assert items == edits


def test_rows_have_the_k_of_their_name() -> None:
    people = [Person(str(number), (f"Text {number}.",)) for number in range(3)]
    rows = background_methods.petre_rows(Path("nowhere"), Corpus("c", "C", [DOCUMENT], {"background": people}))
    recipes = {row.name: row.source for row in rows if isinstance(row.source, Recipe)}
    options = {name: recipe.replace["default"].options for name, recipe in recipes.items()}
    assert [own["k"] for own in options.values()] == [3, 5, 11, 3, 5, 11]
    assert all(name.startswith(f"published/petre, k = {own['k']}") for name, own in options.items())
    names = [row.name for row in rows]
    assert len(set(names)) == len(names)
    assert {"protect, k = 3", "published/k-anonymity-greedy", "published/k-anonymity-random"} <= set(names)


def test_differences_are_of_the_documents_that_both_released() -> None:
    def result(name: str, **values: float) -> Result:
        score = Score("tps", 0.5, (0.0, 1.0), len(values), values, True, {}, {})
        return Result(Row(name, "none"), 2, {"TPS": score})

    ours = result(background_methods.protect_name(3), a=0.5, b=0.9)
    theirs = result(background_methods.petre_name(3), a=0.25)
    closing = background_methods.petre_closing(Corpus("c", "C", []), [ours, theirs])
    assert closing.startswith("protect minus PETRE: protect, k = 3: TPS +25.0 points [")


def test_names_that_still_stand_in_a_release_are_counted() -> None:
    document = Document("1", "Ida and Bo sing.", meta={background_methods.DIRECT: ["Bo", "Ida"]})
    release = background_methods.aligned_release(document, "WORLD and Bo sing.")
    assert background_methods.names_left(MetricInput([release])).value == 0.5
    with pytest.raises(NotMeasurable, match="no names and codes are annotated"):
        background_methods.names_left(MetricInput([Release(DOCUMENT)]))
