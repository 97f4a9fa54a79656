"""Fit the judge of replacements to half of the human ratings: the weights that ``sfumato.metrics`` ships.

    python -m training.generalization_judge --data DATA

DATA holds intact/, two sheets with 600 replacements by INTACT and 600 by Presidio with GPT-3.5, rated by one person
(Pilán et al., 2025; MIT). Documents are halved by a hash of their id; only one half is looked at here, the other
is for ``benchmarks/generalization_judges.py``. Bare labels and suppressions are left out: no judge is asked about them.
What the tables decide is left out, too; the model learns what is left to it. Needs openpyxl.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import cohen_kappa_score, roc_auc_score
from sklearn.model_selection import GroupKFold, cross_val_predict

from sfumato.generalize.truth import Pair, judge_by_tables
from sfumato.metrics.generalization import FEATURES, WEIGHTS, features, kind_of
from sfumato.models.base import load_embedder

VERSION = 1
SOURCE = "fitted to human ratings published with INTACT (Pilán et al., MIT licence)"
PENALTY = 1.0
"""C of the regression; 0.1 to 3 differ by less than their intervals on the half that is looked at."""
FOLDS = 10
TARGET = Path(__file__).parents[1] / "src/sfumato/metrics" / WEIGHTS
COLUMNS = {
    "INTACT": ("entity_mention_id", "entity_type", "context", "span_text", "sel_repl", "specificity", "truthfulness"),
    "Presidio": (
        "entity_mention_id",
        "entity_type",
        "Close context",
        "Original span",
        "Presidio's synthetic replacement",
        "Less specific",
        "Truthful",
    ),
}


class Rating(NamedTuple):
    """One rated replacement. A half, where a part is true, counts as not truthful, as in the paper."""

    source: str
    document: str
    pair: Pair
    truthful: bool
    abstract: bool

    @property
    def is_for_training(self) -> bool:
        return hashlib.sha256(self.document.encode()).digest()[0] % 2 == 0


def read(folder: Path) -> list[Rating]:
    """All ratings of the two sheets."""
    from openpyxl import load_workbook

    found = []
    for source, columns in COLUMNS.items():
        path = folder / f"manual_eval_data_spec_truth_{source}.xlsx"
        head, *rows = load_workbook(path, read_only=True).worksheets[0].iter_rows(values_only=True)
        for row in rows:
            mention, label, context, original, now, abstract, truthful = (row[head.index(name)] for name in columns)
            before, _, rest = str(context).partition("[[")
            pair = Pair(
                str(original), "" if now is None else str(now), str(label), before, rest.partition("]]")[2], "en"
            )
            found.append(Rating(source, str(mention).partition("_")[0], pair, truthful == 1, abstract == 1))
    return found


def fit(ratings: Sequence[Rating]) -> dict[str, Any]:
    """The weights of both questions, and how often the tables are right where they decide."""
    answers = [judge_by_tables(rating.pair) for rating in ratings]
    table = features([rating.pair for rating in ratings], load_embedder("static"))
    groups = np.array([rating.document for rating in ratings])
    found: dict[str, Any] = {"version": VERSION, "source": SOURCE, "ratings": len(ratings), "tables": {}}
    for question in ("truthful", "abstract"):
        said = [getattr(answer, question) if answer else None for answer in answers]
        human = np.array([getattr(rating, question) for rating in ratings])
        right = [mine == theirs for mine, theirs in zip(said, human, strict=True) if mine is not None]
        # Laplace's rule: a table that was always right is not certain.
        found["tables"][question] = round((sum(right) + 1) / (len(right) + 2), 4)
        left = np.array([mine is None for mine in said])
        model = LogisticRegression(C=PENALTY, max_iter=1000)
        guesses = cross_val_predict(
            model, table[left], human[left], groups=groups[left], cv=GroupKFold(FOLDS), method="predict_proba"
        )[:, 1]
        report(question, said, human, left, guesses)
        model.fit(table[left], human[left])
        weights = dict(zip(FEATURES, (round(float(weight), 4) for weight in model.coef_[0]), strict=True))
        found[question] = {"intercept": round(float(model.intercept_[0]), 4), "weights": weights}
    return found


def report(
    question: str,
    said: Sequence[bool | None],
    human: NDArray[np.bool_],
    left: NDArray[np.bool_],
    guesses: NDArray[np.float64],
) -> None:
    whole = np.array([bool(mine) for mine in said])
    whole[left] = guesses >= 0.5
    print(
        f"{question}: tables decide {(~left).sum()} of {len(left)} and agree in {(whole == human)[~left].mean():.3f}; "
        f"the model, cross-validated, in {((guesses >= 0.5) == human[left]).mean():.3f}, "
        f"AUC {roc_auc_score(human[left], guesses):.3f}; together {(whole == human).mean():.3f}, "
        f"kappa {cohen_kappa_score(whole, human):.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    ratings = [rating for rating in read(parser.parse_args().data / "intact") if rating.is_for_training]
    said = [rating for rating in ratings if kind_of(rating.pair.replacement, rating.pair.label) == "replaced"]
    TARGET.write_text(json.dumps(fit(said), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
