"""What protect leaves out is marked; numbers of paragraphs, headings and citations stay whole."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from benchmarks.omissions import defects, rulings

import sfumato
from sfumato.attacks.background import as_background
from sfumato.document import Document, Release
from sfumato.generalize.words.base import SUPPRESSED
from sfumato.models.base import load_scorer
from sfumato.pipeline import Pipeline
from sfumato.protection.checkpoints import Checkpoints
from sfumato.protection.corpus import CorpusProtector, LoopConfig
from sfumato.protection.preparation import add_citation_edits
from sfumato.protection.target import Target
from sfumato.protection.text import WorkingText
from sfumato.recipe import load
from tests.metrics.invented import LetterEmbedder

CITED = "In Wilkes v Harrow Estates [1998] EWCA Civ 402 the court held that notice was needed. 12. Costs reserved."


@pytest.fixture(scope="module")
def releases() -> Sequence[Release]:
    documents, register = rulings(4, seed=3)
    initial = list(Pipeline(load("legal")).anonymize(documents))
    starts = [outcome for outcome in initial if isinstance(outcome, Release)]
    config = LoopConfig("english", load_scorer("frequency"), LetterEmbedder(), b"of the test", Checkpoints())
    subjects = {start.document.id: [start.document.id] for start in starts}
    protector = CorpusProtector(as_background(register).people, starts, subjects, config)
    return [document.release for document in protector.protect(starts, Target(3)) if document.withheld is None]


def test_every_sentence_number_and_heading_is_there_or_marked(releases: Sequence[Release]) -> None:
    """The benchmark counts more rulings, and all attacks."""
    assert len(releases) > 2
    assert {release.document.id: result for release in releases if (result := list(defects(release)))} == {}


def test_citations_of_other_cases_stay_whole(releases: Sequence[Release]) -> None:
    assert sum("Wilkes v Harrow Estates [" in release.text for release in releases) > len(releases) / 2


def test_a_sentence_that_is_left_out_leaves_a_mark() -> None:
    text = "1. The ferry sank. He left.\n\n2. It rained."
    working = WorkingText(Release(Document("d", text)))
    number = next(index for index, place in enumerate(working.places) if text[place.span.start :].startswith("ferry"))
    working.leave_out_sentence(number, 3, text.index(" He"))
    assert working.release()[0].text == "1. […] He left.\n\n2. It rained."


@pytest.mark.parametrize("number", ["12.", "(12)", "3.12", "[41]", "118)"])
def test_the_number_of_a_paragraph_stays_or_is_marked(number: str) -> None:
    text = f"{number} The claim is dismissed."
    working = WorkingText(Release(Document("d", text)))
    for index, place in enumerate(working.places):
        if place.span.end <= len(number):
            assert [option.edit.replacement for option in working.alternatives(index)] == [SUPPRESSED]


def test_a_citation_that_is_kept_goes_as_a_whole_or_not_at_all() -> None:
    release = sfumato.anonymize(CITED, recipe="legal")
    assert release.text == CITED
    start, end = CITED.index("Wilkes"), CITED.index(" the court")
    working = WorkingText(add_citation_edits(release))
    inside = [place for place in working.places if place.span.start < end and start < place.span.end]
    assert [(place.span.start, place.span.end) for place in inside] == [(start, end)]
    number = working.places.index(inside[0])
    assert [option.edit.replacement for option in working.alternatives(number)] == [SUPPRESSED]
