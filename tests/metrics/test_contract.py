"""What every registered metric promises, ours or a third party's."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sfumato import registry
from sfumato.attacks.background import as_background
from sfumato.attacks.risk import with_true_rank
from sfumato.document import Attempt, Document, Edit, Guess, Release, Score, Span
from sfumato.errors import MissingExtra, NotMeasurable, RecipeError
from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat
from sfumato.metrics.base import Metric, MetricInput

NAMES = registry.names("metric")
FIRST = ["Anna", "Bela", "Cosmo", "Dela", "Edo", "Fenna", "Gero", "Hedda", "Ivo", "Jolin", "Kasi", "Lena"]
LAST = ["Quorvex", "Tvesk", "Brimdale", "Ostrow", "Falkner", "Zemlin"]
PLACES = ["Lublin", "Oslo", "Ghent", "Porto"]
SAYS = {"PERSON": "PERSON", "LOC": "a town"}
"""What an ordinary release puts in their place."""
WHY = {"PERSON": ("gold", "label"), "LOC": ("gold", "level 4 of 5 (places)")}
"""The reasons of its edits."""
WORK = {
    "nurse": "nurses the sick in a clinic and gives them medicine",
    "baker": "bakes bread and cakes in an oven at night",
}


def _case(number: int) -> tuple[Document, tuple[Span, ...], str]:
    first, last = FIRST[number % len(FIRST)], LAST[number % len(LAST)]
    place, job = PLACES[number % len(PLACES)], list(WORK)[number % 2]
    text = f"{first} {last} lives in {place} and is a {job}. The {job} {WORK[job]}. {first} has been there for years."
    spans = []
    for words, label, identifier in ((f"{first} {last}", "PERSON", "direct"), (place, "LOC", "quasi")):
        start = text.index(words)
        spans.append(Span(start, start + len(words), label, identifier, source="gold", entity=words, annotator="x"))  # type: ignore[arg-type]
    start = text.rindex(first)
    spans.append(
        Span(start, start + len(first), "PERSON", "direct", source="gold", entity=f"{first} {last}", annotator="x")
    )
    return Document(f"d{number}", text), tuple(spans), job


CASES = [_case(number) for number in range(24)]
HARMLESS = Document("harmless", "The nurse gives medicine in the clinic, and the baker bakes bread at night for years.")


class Lengths:
    """A scorer: a term tells as much as it is long."""

    name = "lengths"
    languages: frozenset[str] | None = None

    def information(self, text: str, terms: Sequence[tuple[int, int]]) -> np.ndarray:
        return np.array([float(end - start) for start, end in terms])


class Letters:
    """An embedder: the letters of a text, counted."""

    name = "letters"

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        counts = np.array([[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts])
        lengths = np.linalg.norm(counts.reshape(len(texts), 26), axis=1, keepdims=True)
        unit: np.ndarray = (counts.reshape(len(texts), 26) / np.maximum(lengths, 1e-9)).astype(np.float32)
        return unit


class Jobs:
    """A classifier by words."""

    name = "jobs"
    labels: tuple[str, ...] = ("nurse", "baker", "other")

    def logits(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([[2.0 * text.count("nurse"), 2.0 * text.count("bake"), 1.0] for text in texts])


def _subject(document: Document, job: str) -> dict[str, object]:
    known = {"NAME": document.text.partition(" lives")[0], "OCCUPATION": job}
    return {
        "id": 0,
        "PIIs": [{"tag": tag, "keyword": value, "certainty": 5, "hardness": 1} for tag, value in known.items()],
    }


def _material(releases: Sequence[Release]) -> MetricInput:
    return MetricInput(
        releases=releases,
        gold={**{document.id: spans for document, spans, _ in CASES}, HARMLESS.id: ()},
        labels={**{document.id: job for document, _, job in CASES}, HARMLESS.id: "nurse"},
        subjects={document.id: [_subject(document, job)] for document, _, job in CASES},
        background=as_background([Document(document.id, document.text) for document, _, _ in CASES]),
        attempts={name: [_attempt(name, document.id) for document, _, _ in CASES] for name in ("words", "trir")},
        scorer=Lengths(),
        embedder=Letters(),
        classifier=Jobs(),
        chat=ScriptedChat(_said),
    )


def _said(request: Request) -> str:
    """The least that keeps the form that is asked for."""
    assert request.schema is not None
    return json.dumps({key: _value(kind) for key, kind in request.schema["properties"].items()})


def _value(kind: Mapping[str, Any]) -> Any:
    return kind["enum"][0] if "enum" in kind else {"string": "words", "boolean": False, "integer": 1}[kind["type"]]


SETTINGS: dict[str, dict[str, Any]] = {
    "mcq-accuracy": {"questions": {key: {"A": "yes", "B": "no", "answer": "A"} for key in ("d1", "d2", "harmless")}}
}
"""Where a metric has no meaning without."""


def _attempt(attack: str, key: str) -> Attempt:
    return with_true_rank(Attempt(attack, key, (Guess("d7", 2.0), Guess(key, 1.0))), {key})


def _released(how: str) -> list[Release]:
    documents = [document for document, _, _ in CASES] + [HARMLESS]
    match how:
        case "untouched":
            return [Release(document) for document in documents]
        case "masked":
            marked = {document.id: spans for document, spans, _ in CASES}
            return [
                Release(
                    document,
                    tuple(Edit(span, SAYS[span.label], WHY[span.label]) for span in marked.get(document.id, ())),
                )
                for document in documents
            ]
        case "suppressed":
            return [Release(document, (Edit(Span(0, len(document.text), "MISC"), ""),)) for document in documents]
        case _:
            return [Release.rewritten(document, f"Somebody in case {document.id} has work.") for document in documents]


def _metric(name: str) -> Metric:
    try:
        value: Metric = registry.get("metric", name)
    except MissingExtra as missing:
        pytest.skip(str(missing))
    return value


def _check(name: str, metric: Metric, score: Score) -> None:
    low, high = score.interval
    assert score.metric == name
    assert low <= score.value <= high
    assert np.isfinite([low, score.value, high]).all()
    assert score.higher_is_better is metric.higher_is_better
    assert score.n >= 1
    assert score.settings["version"] == metric.version
    assert score.cost["seconds"] >= 0
    assert set(metric.settings) <= set(score.settings)
    ids = {document.id for document, _, _ in CASES} | {HARMLESS.id}
    assert set(score.per_document) <= ids


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_measures_an_ordinary_release(name: str) -> None:
    metric = _metric(name)
    assert metric.name == name
    assert metric.family
    inputs = _material(_released("masked"))
    score = metric(inputs, **SETTINGS.get(name, {}))
    _check(name, metric, score)
    again = metric(_material(_released("masked")), **SETTINGS.get(name, {}))
    assert (again.value, again.interval, again.per_document) == (score.value, score.interval, score.per_document)


@pytest.mark.parametrize("how", ["untouched", "suppressed", "rewritten"])
@pytest.mark.parametrize("name", NAMES)
def test_every_metric_measures_or_says_why_not(name: str, how: str) -> None:
    metric = _metric(name)
    inputs = _material(_released(how))
    with contextlib.suppress(NotMeasurable):
        _check(name, metric, metric(inputs, **SETTINGS.get(name, {})))


@pytest.mark.parametrize("name", NAMES)
def test_every_metric_refuses_what_lacks_its_material(name: str) -> None:
    metric = _metric(name)
    whole = _material(_released("masked"))
    for ask in metric.requires:
        if ask != "releases":
            without: dict[str, Any] = {ask: None}
            with pytest.raises(NotMeasurable, match="it needs"):
                metric(replace(whole, **without))
    with pytest.raises(NotMeasurable, match="there is no document"):
        metric(replace(whole, releases=[]))
    with pytest.raises(RecipeError, match="no setting 'speed'"):
        metric(whole, speed=9)


PRIVACY = {
    "tab-direct-recall": (0.0, 1.0),
    "tab-quasi-recall": (0.0, 1.0),
    "entity-recall-direct": (0.0, 1.0),
    "entity-recall-quasi": (0.0, 1.0),
    "tab-mention-recall": (0.0, 1.0),
    "tab-token-recall": (0.0, 1.0),
    "over-redaction": (0.0, 1.0),
    "over-redaction-documents": (0.0, 1.0),
    "alid": (0.0, 100.0),
    "lr": (0.0, 100.0),
    "lrdi": (0.0, 100.0),
    "lrqi": (0.0, 100.0),
    "smr": (0.0, 100.0),
}


@pytest.mark.parametrize(("name", "ends"), PRIVACY.items())
def test_privacy_runs_from_nothing_touched_to_everything_gone(name: str, ends: tuple[float, float]) -> None:
    metric = _metric(name)
    values = [metric(_material(_released(how))).value for how in ("untouched", "suppressed")]
    assert values == pytest.approx(ends, abs=1e-9)
