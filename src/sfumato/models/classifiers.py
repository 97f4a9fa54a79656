"""Our own clinical classifier: the ICD-10 chapter a text is about. How it was made is in ``training/classifier``."""

from __future__ import annotations

import hashlib
import importlib
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.errors import InputError, MissingExtra, RecipeError
from sfumato.models.base import Floats
from sfumato.models.tokens import replace_surrogates

FILE = "classifier.npz"
WEIGHTS = Path(__file__).parent / "weights" / "classifier"
LONGEST, SHORTEST = 5, 4
"""Characters in the stretches of words that are counted: stems, and roots that languages share."""


class ChapterClassifier:
    """Says which of 18 chapters of ICD-10 (fields of disease) a text is about; linear, half a megabyte, our own."""

    cite: ClassVar[str | None] = "pissarra2024"
    extra: ClassVar[str | None] = None

    def __init__(self, *, model: str | Path | None = None) -> None:
        """``model``: a folder that ``training/classifier`` wrote; ours unless given."""
        self._linear = load(WEIGHTS if model is None else Path(model))
        self.name, self.labels = self._linear.name, self._linear.labels

    def logits(self, texts: Sequence[str]) -> Floats:
        """[text, chapter], calibrated: their softmax is a probability. A text without words gets the bias alone."""
        return self._linear.logits(texts)


class Linear:
    """The weights of a folder."""

    def __init__(self, folder: Path) -> None:
        try:
            packed = (folder / FILE).read_bytes()
            with np.load(folder / FILE) as arrays:
                self._rarity = arrays["rarity"].astype(np.float32)
                self._weights = arrays["weights"].astype(np.float32) * arrays["scale"]
                self._bias = arrays["bias"].astype(np.float64)
                self._temperature = float(arrays["temperature"])
                self.labels: tuple[str, ...] = tuple(map(str, arrays["labels"]))
        except Exception as error:  # noqa: BLE001 - numpy raises many kinds, all about this file
            raise InputError(
                f"{folder}: not a classifier of ours ({type(error).__name__}); see training/classifier"
            ) from None
        self.name = f"icd10@{hashlib.sha256(packed).hexdigest()[:8]}"

    def logits(self, texts: Sequence[str]) -> Floats:
        if not len(texts):
            return np.zeros((0, len(self.labels)))
        found: Floats = (features(texts, self._rarity) @ self._weights + self._bias) / self._temperature
        return found


def counts(texts: Sequence[str], buckets: int) -> Any:
    """Sparse [text, bucket]: 1 + ln of how often each hashed stretch of a word occurs."""
    from sklearn.feature_extraction.text import HashingVectorizer

    hashing = HashingVectorizer(
        analyzer="char_wb",
        ngram_range=(SHORTEST, LONGEST),
        n_features=buckets,
        norm=None,
        alternate_sign=False,
        dtype=np.float32,
    )
    found = hashing.transform(texts)
    np.log(found.data, out=found.data)
    found.data += 1
    return found


def features(texts: Sequence[str], rarity: Any) -> Any:
    """The counts, weighted by how rare a stretch is, each text at length 1."""
    from sklearn.preprocessing import normalize

    found = counts(texts, len(rarity))
    found.data *= rarity[found.indices]
    return normalize(found, copy=False)


@cache
def load(folder: Path) -> Linear:
    """The weights of a folder, loaded once a process."""
    return Linear(folder)


# -- Any classifier in Python: a callable, or an estimator in the manner of scikit-learn.


_LEAST = 1e-12
"""Probabilities below it count as it: the logarithm of 0 is no logit."""


class PythonClassifier:
    """Wraps a callable or scikit-learn estimator: module:attribute, or a joblib file (loading one runs its code)."""

    cite: ClassVar[str | None] = None
    extra: ClassVar[str | None] = None

    def __init__(self, *, model: Any, labels: str | Sequence[str] = ()) -> None:
        """``model``: ``module:attribute``, a ``.joblib`` file, or the object; ``labels``: names, a comma between.

        Loading a joblib file executes code in it: take only files you trust. An estimator needs ``decision_function``
        or ``predict_proba`` and takes a list of texts, so put the vectorizer into it (a Pipeline); a callable takes a
        list of texts and gives logits [text, label].
        """
        found = _found(model) if isinstance(model, str | Path) else model
        self._ask = _asking(found)
        named = [part.strip() for part in labels.split(",")] if isinstance(labels, str) and labels else list(labels)
        named = named or [str(label) for label in getattr(found, "classes_", getattr(found, "labels", ()))]
        if not named:
            raise RecipeError("the classifier does not say its labels: give labels=first,second,...")
        self.labels = tuple(named)
        called = getattr(found, "__name__", type(found).__name__)
        self.name = f"python:{Path(model).name if isinstance(model, str | Path) else called}"

    def logits(self, texts: Sequence[str]) -> Floats:
        """[text, label]; of an estimator that only gives probabilities, their logarithm."""
        if not len(texts):
            return np.zeros((0, len(self.labels)))
        found = np.asarray(self._ask(list(texts)), np.float64)
        if found.ndim == 1 and len(self.labels) == 2:
            # Two classes: one signed distance, whose logistic is the second's probability.
            found = np.stack([np.zeros_like(found), found], axis=1)
        if found.shape != (len(texts), len(self.labels)):
            raise InputError(
                f"classifier {self.name!r} gave values of shape {found.shape} for {len(texts)} texts and "
                f"{len(self.labels)} labels: it must give one logit per text and label"
            )
        if not np.isfinite(found).all():
            raise InputError(f"classifier {self.name!r} gave logits that are no finite numbers")
        return found


def _asking(found: Any) -> Callable[[list[str]], Any]:
    if hasattr(found, "decision_function"):
        return found.decision_function  # type: ignore[no-any-return]
    if hasattr(found, "predict_proba"):
        return lambda texts: np.log(np.maximum(np.asarray(found.predict_proba(texts), np.float64), _LEAST))
    if hasattr(found, "logits"):
        return found.logits  # type: ignore[no-any-return]
    if callable(found):
        return found  # type: ignore[no-any-return]
    raise RecipeError(
        f"a {type(found).__name__} is no classifier: it needs decision_function or predict_proba, or must be callable"
    )


def _found(model: str | Path) -> Any:
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


# -- Any sequence classifier of Hugging Face, by folder or by name, through transformers and torch.


class HuggingFaceClassifier:
    """Classifies by any Hugging Face sequence classifier; long texts in pieces, whose logits are averaged."""

    cite: ClassVar[str | None] = "pissarra2024"
    extra: ClassVar[str | None] = "torch"

    def __init__(self, *, model: str, device: str = "cpu") -> None:
        """``model``: a folder, or a name of the hub, which may be downloaded; ``device``: cpu, cuda ..."""
        try:
            import torch
            import transformers
        except ImportError:
            raise MissingExtra("the Hugging Face classifier", "torch") from None
        here = Path(model).is_dir()
        try:
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(model, local_files_only=here)
            loaded: Any = transformers.AutoModelForSequenceClassification.from_pretrained(model, local_files_only=here)
            self._model = loaded.eval().to(device)
        except Exception as error:  # noqa: BLE001 - transformers raises many kinds, all about these files or the device
            raise InputError(
                f"model {model!r} cannot be loaded on {device!r} as a sequence classifier ({type(error).__name__}): "
                "name a folder with config.json, weights and tokenizer.json, or a model of the hub that can be reached"
            ) from None
        self._torch, self._device = torch, device
        self._longest = min(int(self._tokenizer.model_max_length), int(loaded.config.max_position_embeddings or 512))
        self.labels = tuple(str(loaded.config.id2label[number]) for number in range(loaded.config.num_labels))
        self.name = f"hugging-face:{Path(model).name if here else model}"

    def logits(self, texts: Sequence[str]) -> Floats:
        """[text, label]; pieces count by their tokens."""
        found = np.zeros((len(texts), len(self.labels)))
        for row, text in zip(found, texts, strict=True):
            pieces = self._tokenizer(
                replace_surrogates(text),
                truncation=True,
                max_length=self._longest,
                return_overflowing_tokens=True,
                verbose=False,
            )["input_ids"]
            row[:] = np.average([self._one(piece) for piece in pieces], axis=0, weights=[*map(len, pieces)])
        return found

    def _one(self, ids: list[int]) -> Floats:
        given = self._torch.tensor([ids], device=self._device)
        with self._torch.inference_mode():
            found = self._model(input_ids=given, attention_mask=self._torch.ones_like(given)).logits[0]
        values: Floats = found.double().cpu().numpy()
        return values
