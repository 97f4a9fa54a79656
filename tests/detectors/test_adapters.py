"""spaCy and Presidio as detectors: labels and offsets by a scripted pipeline, and the real ones where installed."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from sfumato.detectors import adapters
from sfumato.detectors.adapters import PresidioDetector, SpacyDetector
from sfumato.document import LABELS, Document
from sfumato.errors import InputError, MissingExtra, RecipeError
from tests.detectors.small_model import SMALL

needs_model = pytest.mark.skipif(SMALL is None, reason="no small English spaCy model is installed")
LETTER = "Anna Smith, a Polish judge, moved to Paris on 3 May 1990. Mail anna.smith@example.com."


class Scripted:
    """A pipeline that calls every capitalised word what it is told to, and every run of digits CARDINAL."""

    max_length = 40

    def __init__(self, label: str = "PERSON") -> None:
        self.label = label
        self.read: list[str] = []

    def pipe(self, texts: Iterable[str], batch_size: int) -> Iterator[Any]:
        for text in texts:
            assert len(text) <= self.max_length
            self.read.append(text)
            yield SimpleNamespace(
                ents=[
                    SimpleNamespace(
                        start_char=match.start(),
                        end_char=match.end(),
                        label_="CARDINAL" if match[0].isdigit() else self.label,
                    )
                    for match in re.finditer(r"[A-Z]\w+|\d+", text)
                ]
            )


class ScriptedAnalyzer:
    """Finds every "@" word, with a score that Presidio would give."""

    def analyze_iterator(self, texts: Iterable[str], language: str, score_threshold: float) -> list[list[Any]]:
        assert language == "en"
        return [
            [
                SimpleNamespace(entity_type=kind, start=match.start(), end=match.end(), score=score)
                for match in re.finditer(r"\S+@\S+", text)
                for kind, score in (("EMAIL_ADDRESS", 1.0), ("PERSON", 0.85), ("US_SSN", 0.05))
                if score >= score_threshold
            ]
            for text in texts
        ]


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    nlp = Scripted()
    monkeypatch.setattr(adapters, "load_pipeline", lambda model, without=(): nlp)
    monkeypatch.setattr(adapters, "_analyzer", lambda model: (nlp, ScriptedAnalyzer()))
    return nlp


@pytest.mark.parametrize(
    ("theirs", "ours", "identifier"),
    [
        ("PERSON", "PERSON", "direct"),
        ("NORP", "DEM", "quasi"),
        ("LANGUAGE", "DEM", "quasi"),
        ("FAC", "LOC", "quasi"),
        ("GPE", "LOC", "quasi"),
        ("LOC", "LOC", "quasi"),
        ("ORG", "ORG", "quasi"),
        ("DATE", "DATETIME", "quasi"),
        ("TIME", "DATETIME", "quasi"),
        ("MONEY", "QUANTITY", "quasi"),
        ("ORDINAL", "QUANTITY", "quasi"),
        ("EVENT", "MISC", "quasi"),
        ("LAW", "MISC", "quasi"),
        ("WORK_OF_ART", "MISC", "quasi"),
    ],
)
def test_spacy_labels(scripted: Scripted, theirs: str, ours: str, identifier: str) -> None:
    scripted.label = theirs
    [[span]] = SpacyDetector().detect([Document("1", "see Anna")])
    assert (span.start, span.end, span.label, span.identifier) == (4, 8, ours, identifier)
    assert span.source == f"spacy:{theirs}"


def test_presidio_labels_and_threshold(scripted: Scripted) -> None:
    document = Document("1", "to a@b.cd")
    spans = PresidioDetector(threshold=0.0).detect([document])[0]
    assert {(span.source, span.label, span.identifier) for span in spans} == {
        ("presidio:EMAIL_ADDRESS", "CODE", "direct"),
        ("presidio:PERSON", "PERSON", "direct"),
        ("presidio:US_SSN", "CODE", "direct"),
    }
    assert all(document.text[span.start : span.end] == "a@b.cd" for span in spans)
    assert len(PresidioDetector().detect([document])[0]) == 2
    assert len(PresidioDetector(threshold=0.9).detect([document])[0]) == 1


@pytest.mark.parametrize("threshold", [1.5, -0.1, "loose"])
def test_presidio_checks_its_threshold(scripted: Scripted, threshold: Any) -> None:
    with pytest.raises(RecipeError, match="threshold is a number from 0 to 1"):
        PresidioDetector(threshold=threshold)


def test_maps_use_our_labels() -> None:
    assert set(adapters.SPACY_LABELS.values()) | set(adapters.PRESIDIO_LABELS.values()) <= set(LABELS)


@pytest.mark.parametrize("detector", [SpacyDetector, PresidioDetector])
def test_long_texts_keep_their_offsets(scripted: Scripted, detector: type) -> None:
    text = "\n\n".join(f"Line {n} for Anna{n} at x{n}@y.zz, and more." for n in range(30))
    documents = [Document("1", text), Document("2", ""), Document("3", "Short Bob b@y.zz")]
    first, second, third = detector().detect(documents)
    words = {text[span.start : span.end].strip(".,") for span in first}
    expected = [f"x{n}@y.zz" for n in range(30)] if detector is PresidioDetector else [f"Anna{n}" for n in range(30)]
    assert words >= set(expected)
    assert second == []
    assert {documents[2].text[span.start : span.end] for span in third} <= {"Short", "Bob", "b@y.zz"}


@pytest.mark.parametrize(("detector", "extra"), [(SpacyDetector, "spacy"), (PresidioDetector, "presidio")])
def test_a_missing_package_says_how_to_install_it(detector: type, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("spacy", "presidio_analyzer", "tldextract"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=re.escape(f"pip install 'sfumato[{extra}]'")):
        detector()


@pytest.mark.extras
@pytest.mark.filterwarnings("ignore")
def test_a_missing_model_is_named() -> None:
    pytest.importorskip("spacy")
    with pytest.raises(InputError, match=r"'xx_no_such_model'.*python -m spacy download xx_no_such_model"):
        SpacyDetector(model="xx_no_such_model")
    with pytest.raises(InputError, match="'/no/such/folder'"):
        SpacyDetector(model="/no/such/folder")


@pytest.mark.extras
@pytest.mark.filterwarnings("ignore")
def test_presidio_never_downloads_a_model() -> None:
    pytest.importorskip("presidio_analyzer")
    with pytest.raises(InputError, match="'xx_no_such_model'"):
        PresidioDetector(model="xx_no_such_model")


@needs_model
@pytest.mark.extras
@pytest.mark.filterwarnings("ignore")
def test_spacy_for_real() -> None:
    pytest.importorskip("spacy")
    [spans] = SpacyDetector(model=str(SMALL)).detect([Document("1", LETTER)])
    labels = {LETTER[span.start : span.end]: span.label for span in spans}
    assert {"Anna Smith": "PERSON", "Polish": "DEM", "Paris": "LOC", "3 May 1990": "DATETIME"}.items() <= labels.items()


@needs_model
@pytest.mark.extras
@pytest.mark.filterwarnings("ignore")
def test_presidio_for_real_and_offline(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("presidio_analyzer")
    monkeypatch.setattr("socket.socket.connect", _no_network)
    [spans] = PresidioDetector(model=str(SMALL)).detect([Document("1", LETTER)])
    labelled = {(LETTER[span.start : span.end], span.label) for span in spans}
    assert labelled >= {("Anna Smith", "PERSON"), ("Paris", "LOC"), ("anna.smith@example.com", "CODE")}
    assert capfd.readouterr().err == ""


def _no_network(*_: object) -> None:
    raise AssertionError("a socket was opened")
