"""Document classifiers: our ICD-10 chapters (made by ``training/classifier``), any in Python, any of Hugging Face."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import InputError, RecipeError
from sfumato.models.base import Floats
from sfumato.models.hugging_face import PretrainedModel
from sfumato.models.tokens import replace_surrogates

FILE = "classifier.npz"
WEIGHTS = Path(__file__).parent / "weights" / "classifier"
LONGEST, SHORTEST = 5, 4
"""Lengths of the character n-grams that are counted: stems, and roots that languages share."""
_LEAST_PROBABILITY = 1e-12
"""Smaller probabilities count as this one: the logarithm of 0 is not a logit."""


class ChapterClassifier:
    """Says which of 18 chapters of ICD-10 (fields of disease) a text is about; linear, half a megabyte, our own."""

    cite: ClassVar[str | None] = "pissarra2024"

    def __init__(self, *, model: str | Path | None = None) -> None:
        """``model``: a folder that ``training/classifier`` wrote (default: the shipped one)."""
        self._model = load_linear_model(WEIGHTS if model is None else Path(model))
        self.name, self.labels = self._model.name, self._model.labels

    def logits(self, texts: Sequence[str]) -> Floats:
        """[text, chapter], calibrated: their softmax is a probability. A text without words gets the bias alone."""
        if not len(texts):
            return np.zeros((0, len(self.labels)))
        model = self._model
        logits: Floats = (features(texts, model.rarity) @ model.weights + model.bias) / model.temperature
        return logits


class LinearModel(NamedTuple):
    """The weights of a folder."""

    name: str
    labels: tuple[str, ...]
    rarity: NDArray[np.float32]
    weights: NDArray[np.float32]
    bias: Floats
    temperature: float


@cache
def load_linear_model(folder: Path) -> LinearModel:
    """The weights of a folder, loaded once per process."""
    try:
        digest = hashlib.sha256((folder / FILE).read_bytes()).hexdigest()
        with np.load(folder / FILE) as arrays:
            return LinearModel(
                f"icd10@{digest[:8]}",
                tuple(map(str, arrays["labels"])),
                arrays["rarity"].astype(np.float32),
                arrays["weights"].astype(np.float32) * arrays["scale"],
                arrays["bias"].astype(np.float64),
                float(arrays["temperature"]),
            )
    except Exception as error:  # noqa: BLE001 - numpy raises many kinds, all about this file
        message = f"{folder}: not a classifier of ours ({type(error).__name__}); see training/classifier"
        raise InputError(message) from None


def counts(texts: Sequence[str], buckets: int) -> Any:
    """Sparse [text, bucket]: 1 + ln of how often each hashed character n-gram occurs."""
    from sklearn.feature_extraction.text import HashingVectorizer

    hashing = HashingVectorizer(
        analyzer="char_wb",
        ngram_range=(SHORTEST, LONGEST),
        n_features=buckets,
        norm=None,
        alternate_sign=False,
        dtype=np.float32,
    )
    matrix = hashing.transform(texts)
    np.log(matrix.data, out=matrix.data)
    matrix.data += 1
    return matrix


def features(texts: Sequence[str], rarity: Any) -> Any:
    """The counts, weighted by the rarity of each n-gram; rows have length 1."""
    from sklearn.preprocessing import normalize

    matrix = counts(texts, len(rarity))
    matrix.data *= rarity[matrix.indices]
    return normalize(matrix, copy=False)


class PythonClassifier:
    """Wraps a callable or scikit-learn estimator: module:attribute, or a joblib file (loading one runs its code)."""

    def __init__(self, *, model: Any, labels: str | Sequence[str] = ()) -> None:
        """``model``: ``module:attribute``, a ``.joblib`` file, or the object; ``labels``: names separated by commas.

        Loading a joblib file executes code in it: use only files you trust. An estimator needs ``decision_function``
        or ``predict_proba`` and takes a list of texts, so put the vectorizer into it (a Pipeline); a callable takes a
        list of texts and gives logits [text, label].
        """
        loaded = _load_object(model) if isinstance(model, str | Path) else model
        self._logits = _logits_function(loaded)
        named = [part.strip() for part in labels.split(",")] if isinstance(labels, str) and labels else list(labels)
        named = named or [str(label) for label in getattr(loaded, "classes_", getattr(loaded, "labels", ()))]
        if not named:
            raise RecipeError("the classifier does not say its labels: give labels=first,second,...")
        self.labels = tuple(named)
        object_name = getattr(loaded, "__name__", type(loaded).__name__)
        self.name = f"python:{Path(model).name if isinstance(model, str | Path) else object_name}"

    def logits(self, texts: Sequence[str]) -> Floats:
        """[text, label]; of an estimator that only gives probabilities, their logarithm."""
        if not len(texts):
            return np.zeros((0, len(self.labels)))
        logits = np.asarray(self._logits(list(texts)), np.float64)
        if logits.ndim == 1 and len(self.labels) == 2:
            # Two classes: one signed distance, whose logistic function is the probability of the second.
            logits = np.stack([np.zeros_like(logits), logits], axis=1)
        if logits.shape != (len(texts), len(self.labels)):
            raise InputError(
                f"classifier {self.name!r} gave values of shape {logits.shape} for {len(texts)} texts and "
                f"{len(self.labels)} labels: it must give one logit per text and label"
            )
        if not np.isfinite(logits).all():
            raise InputError(f"classifier {self.name!r} gave logits that are no finite numbers")
        return logits


def _logits_function(model: Any) -> Callable[[list[str]], Any]:
    if hasattr(model, "decision_function"):
        return model.decision_function  # type: ignore[no-any-return]
    if hasattr(model, "predict_proba"):
        return lambda texts: np.log(np.maximum(np.asarray(model.predict_proba(texts), np.float64), _LEAST_PROBABILITY))
    if hasattr(model, "logits"):
        return model.logits  # type: ignore[no-any-return]
    if callable(model):
        return model  # type: ignore[no-any-return]
    raise RecipeError(
        f"a {type(model).__name__} is no classifier: it needs decision_function or predict_proba, or must be callable"
    )


def _load_object(model: str | Path) -> Any:
    if str(model).endswith((".joblib", ".pkl")):
        import joblib

        try:
            return joblib.load(model)
        except Exception as error:  # noqa: BLE001 - unpickling may raise anything
            raise InputError(f"{model}: cannot be loaded as a joblib file ({type(error).__name__})") from None
    module, colon, attribute = str(model).partition(":")
    if not colon:
        raise RecipeError(f"classifier {str(model)!r}: write module:attribute, or name a .joblib file")
    if "" not in sys.path:
        sys.path.insert(0, "")  # as `python -m` does: a module beside the user's files
    try:
        return getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise InputError(f"classifier {str(model)!r} cannot be imported: {error}") from None


class HuggingFaceClassifier(PretrainedModel):
    """Classifies by any Hugging Face sequence classifier; long texts in pieces, whose logits are averaged."""

    cite: ClassVar[str | None] = "pissarra2024"
    extra: ClassVar[str | None] = "torch"

    def __init__(self, *, model: str, device: str = "cpu") -> None:
        """``model``: a folder, or a model of the hub, which may be downloaded; ``device``: cpu, cuda ..."""
        super().__init__(model, device, "SequenceClassification")
        config = self._model.config
        self.labels = tuple(str(config.id2label[number]) for number in range(config.num_labels))
        self.name = f"hugging-face:{self.name}"

    def logits(self, texts: Sequence[str]) -> Floats:
        """[text, label]; pieces count by their tokens."""
        logits = np.zeros((len(texts), len(self.labels)))
        for row, text in zip(logits, texts, strict=True):
            pieces = self._tokenizer(
                replace_surrogates(text),
                truncation=True,
                max_length=self.longest,
                return_overflowing_tokens=True,
                verbose=False,
            )["input_ids"]
            logits_of_pieces = [self._logits(piece).double().cpu().numpy() for piece in pieces]
            row[:] = np.average(logits_of_pieces, axis=0, weights=[*map(len, pieces)])
        return logits
