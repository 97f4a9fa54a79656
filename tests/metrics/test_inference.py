"""How many replaced spans were guessed, by guessers whose answers are known beforehand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

import pytest

from sfumato.attacks.background import Background
from sfumato.attacks.base import Person
from sfumato.attacks.inference import UNREADABLE
from sfumato.document import Document, Edit, Guess, Release, Span
from sfumato.errors import NotMeasurable
from sfumato.metrics.base import MetricInput
from sfumato.metrics.risk import inference_rate
from sfumato.statistics import wilson

BACKGROUND = Background((Person("a", ("Anna Quorvex was born in Lublin.",)),), 1)
ANNA = Document("anna", "Anna Quorvex, a nurse, was born in Lublin on 3 May 1970.")
BELA = Document("bela", "Bela Tvesk bakes.")
QUIET = Document("quiet", "It rained.")


class Scripted:
    """Answers by what stands in the span."""

    name = "scripted"

    def __init__(self, answers: Mapping[str, Sequence[str]]) -> None:
        self.answers, self.seen = answers, list[tuple[str, str, str]]()

    def fit(self, background: Sequence[Person]) -> Self:
        return self

    def guess(self, text: str, spans: Sequence[Span], count: int) -> list[tuple[Guess, ...]]:
        collected = []
        for span in spans:
            surface = text[span.start : span.end]
            self.seen.append((text, surface, span.label))
            collected.append(tuple(Guess(answer, 1.0) for answer in self.answers.get(surface, ())))
        return collected


def edit(document: Document, old: str, new: str, label: str, source: str = "") -> Edit:
    at = document.text.index(old)
    return Edit(Span(at, at + len(old), label, source=source), new)


RELEASES = [
    Release(
        ANNA,
        (
            edit(ANNA, "Anna Quorvex", "PERSON_1", "PERSON"),
            edit(ANNA, "Lublin", "a city", "LOC"),
            edit(ANNA, "3 May 1970", "1970", "DATETIME"),
            edit(ANNA, "nurse", "nurse", "DEM"),
        ),
    ),
    Release(BELA, (edit(BELA, "Bela Tvesk", "", "PERSON"),)),
    Release(QUIET),
]


def test_the_share_of_guessed_spans() -> None:
    guesser = Scripted(
        {
            "PERSON_1": ["Bo Ott", "Ina Quorvex"],
            "a city": ["Oslo", "Ghent"],
            "1970": ["May 1970", "1970-05-03"],
            "": ["Bela"],
        }
    )
    score = inference_rate(MetricInput(RELEASES, background=BACKGROUND), guesser=guesser)
    assert (score.value, score.n, score.interval) == (0.75, 4, wilson(3, 4))
    assert score.per_document == {"anna": pytest.approx(2 / 3), "bela": 1.0}
    assert score.settings["guesser"] == "scripted"
    by_label = score.settings["by_label"]
    assert {label: (own["value"], own["n"]) for label, own in by_label.items()} == {
        "PERSON": (1.0, 2),
        "LOC": (0.0, 1),
        "DATETIME": (1.0, 1),
    }
    # The guesser saw released text, the spans in it, and their labels; an edit that changed nothing is no span.
    assert guesser.seen == [
        (RELEASES[0].text, "PERSON_1", "PERSON"),
        (RELEASES[0].text, "a city", "LOC"),
        (RELEASES[0].text, "1970", "DATETIME"),
        (RELEASES[1].text, "", "PERSON"),
    ]


def test_only_the_asked_number_of_guesses_counts() -> None:
    guesser = Scripted({"PERSON_1": ["Bo Ott", "Anna Quorvex"]})
    inputs = MetricInput(RELEASES[:1], background=BACKGROUND)
    assert inference_rate(inputs, guesser=guesser, guesses=1).value == 0
    assert inference_rate(inputs, guesser=guesser).value == pytest.approx(1 / 3)


def test_an_unreadable_answer_counts_as_guessed_and_is_counted() -> None:
    score = inference_rate(MetricInput(RELEASES[:1], background=BACKGROUND), guesser=Scripted({"a city": [UNREADABLE]}))
    assert score.value == pytest.approx(1 / 3)
    assert score.settings["unreadable"] == 1


def test_where_no_label_was_recorded_the_placeholder_tells_or_nothing() -> None:
    release = Release(
        ANNA,
        (
            edit(ANNA, "Anna Quorvex", "[PERSON_1]", "MISC", "mask"),
            edit(ANNA, "Lublin", "a city", "MISC", "mask"),
            edit(ANNA, "3 May 1970", "", "MISC", "aligned"),
        ),
    )
    guesser = Scripted({"": ["4 May 1970"]})
    score = inference_rate(MetricInput([release], background=BACKGROUND), guesser=guesser)
    assert [label for _, _, label in guesser.seen] == ["PERSON", "UNKNOWN", "UNKNOWN"]
    assert set(score.settings["by_label"]) == {"PERSON", "UNKNOWN", "DATETIME"}
    assert score.value == 0


def test_what_cannot_be_measured_says_why() -> None:
    with pytest.raises(NotMeasurable, match="no span was replaced"):
        inference_rate(MetricInput([Release(ANNA)], background=BACKGROUND))
    with pytest.raises(NotMeasurable, match="rewritten texts without edits"):
        inference_rate(MetricInput([Release.rewritten(ANNA, "Someone.")], background=BACKGROUND))
    with pytest.raises(NotMeasurable, match="the background holds no text"):
        inference_rate(MetricInput(RELEASES, background=Background((), 0)))
