"""Any classifier in Python: a callable, or an estimator in the manner of scikit-learn."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from sfumato.errors import InputError, RecipeError
from sfumato.models.base import Floats

_LEAST = 1e-12
"""Probabilities below it count as it: the logarithm of 0 is no logit."""


class PythonClassifier:
    """Wraps a callable or scikit-learn estimator: module:attribute, or a joblib file (loading one runs its code)."""

    paper: ClassVar[str | None] = None
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
