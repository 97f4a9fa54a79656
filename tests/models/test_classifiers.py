"""Classifiers: our own against its weights read one by one, and whatever users bring."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import joblib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from sfumato import registry
from sfumato.errors import InputError, MissingExtra, RecipeError
from sfumato.models.base import Classifier
from sfumato.models.classifiers import FILE, WEIGHTS, ChapterClassifier, PythonClassifier

OURS = ChapterClassifier()
TEXTS = ["fever and cough", "broken arm", "a cough again", "arm in plaster"]
TRUTH = ["lungs", "bones", "lungs", "bones"]


def chance(values: np.ndarray) -> np.ndarray:
    exponents = np.exp(values - values.max(-1, keepdims=True))
    shares: np.ndarray = exponents / exponents.sum(-1, keepdims=True)
    return shares


def test_the_contract() -> None:
    assert isinstance(OURS, Classifier)
    assert isinstance(registry.create("classifier", "icd10", {}), ChapterClassifier)
    assert len(OURS.labels) == 18
    assert OURS.name.startswith("icd10@")
    assert OURS.logits([]).shape == (0, 18)


@pytest.mark.parametrize(
    ("text", "chapter"),
    [
        ("Acute myocardial infarction with chest pain radiating to the left arm", "9 "),
        ("Patient with asthma, wheezing and shortness of breath; chronic bronchitis", "10 "),
        ("Paranoid schizophrenia with auditory hallucinations", "5 "),
        ("Type 2 diabetes mellitus with hyperglycemia", "4 "),
        ("Malignant neoplasm of the breast, metastatic carcinoma", "2 "),
        ("Fractura de fémur tras una caída", "19 "),
    ],
)
def test_what_anyone_would_say(text: str, chapter: str) -> None:
    (logits,) = OURS.logits([text])
    assert OURS.labels[int(logits.argmax())].startswith(chapter)


def literal(text: str) -> list[float]:
    """Stretch by stretch, label by label."""
    with np.load(WEIGHTS / FILE) as arrays:
        held = {name: arrays[name] for name in arrays.files}
    buckets = len(held["rarity"])
    vectorizer = HashingVectorizer(
        analyzer="char_wb", ngram_range=(4, 5), n_features=buckets, norm=None, alternate_sign=False
    )
    counted: dict[int, float] = {}
    row = vectorizer.transform([text]).tocoo()
    for bucket, count in zip(row.col, row.data, strict=True):
        counted[int(bucket)] = (1 + math.log(count)) * float(np.float32(held["rarity"][bucket]))
    length = math.sqrt(sum(value**2 for value in counted.values())) or 1.0
    logits = []
    for label in range(len(held["labels"])):
        total = sum(
            value / length * float(held["weights"][bucket, label]) * float(held["scale"][label])
            for bucket, value in counted.items()
        )
        logits.append((total + float(held["bias"][label])) / float(held["temperature"]))
    return logits


@pytest.mark.parametrize("text", ["", "pneumonia, pneumonia and fever", "Ana Quorvex, 12 May"])
def test_as_computed_one_by_one(text: str) -> None:
    np.testing.assert_allclose(OURS.logits([text])[0], literal(text), atol=1e-4)


@given(st.lists(st.text(max_size=60), min_size=1, max_size=4))
def test_texts_stand_alone(texts: list[str]) -> None:
    together = OURS.logits(texts)
    assert np.isfinite(together).all()
    for row, text in zip(together, texts, strict=True):
        np.testing.assert_allclose(row, OURS.logits([text])[0], atol=1e-5)


def test_what_is_no_classifier_of_ours(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a classifier of ours"):
        ChapterClassifier(model=tmp_path)


def test_estimators_with_distances_and_with_probabilities(tmp_path: Path) -> None:
    linear = make_pipeline(CountVectorizer(), LogisticRegression()).fit(TEXTS, TRUTH)
    bayes = make_pipeline(CountVectorizer(), MultinomialNB()).fit(TEXTS, TRUTH)
    for estimator in (linear, bayes):
        joblib.dump(estimator, tmp_path / "model.joblib")
        for given_model in (estimator, str(tmp_path / "model.joblib")):
            classifier = PythonClassifier(model=given_model)
            assert isinstance(classifier, Classifier)
            assert classifier.labels == ("bones", "lungs")
            np.testing.assert_allclose(chance(classifier.logits(TEXTS)), estimator.predict_proba(TEXTS), atol=1e-9)
            assert classifier.logits([]).shape == (0, 2)


def test_a_callable_by_module_and_attribute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "quorvex_rules.py").write_text("def lengths(texts):\n    return [[len(t), 1.0, 0.0] for t in texts]\n")
    monkeypatch.syspath_prepend(tmp_path)
    options = {"model": "quorvex_rules:lengths", "labels": "long, middle, short"}
    classifier = registry.create("classifier", "python", options)
    assert classifier.labels == ("long", "middle", "short")
    assert classifier.name == "python:quorvex_rules:lengths"
    np.testing.assert_array_equal(classifier.logits(["abcd", ""]), [[4, 1, 0], [0, 1, 0]])


def test_what_cannot_be_used(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="does not say its labels"):
        PythonClassifier(model=lambda texts: texts)
    with pytest.raises(RecipeError, match="write module:attribute"):
        PythonClassifier(model="something")
    with pytest.raises(InputError, match="cannot be imported"):
        PythonClassifier(model="no_such_module_quorvex:it")
    with pytest.raises(RecipeError, match="a int is no classifier"):
        PythonClassifier(model=7)
    (tmp_path / "bad.joblib").write_bytes(b"nothing")
    with pytest.raises(InputError, match="cannot be loaded as a joblib file"):
        PythonClassifier(model=tmp_path / "bad.joblib")
    with pytest.raises(InputError, match=r"shape \(2, 1\) for 2 texts and 3 labels"):
        PythonClassifier(model=lambda texts: [[1.0] for _ in texts], labels="a,b,c").logits(["x", "y"])
    with pytest.raises(InputError, match="no finite numbers"):
        PythonClassifier(model=lambda texts: [[1.0, math.nan] for _ in texts], labels="a,b").logits(["x"])


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingExtra, match=r"sfumato\[torch\]"):
        registry.create("classifier", "hugging-face", {"model": "somewhere"})
