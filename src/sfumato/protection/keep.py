"""What a release is for: terms that tell a task's label, terms and entity types that are to stay, repaired last.

Repairs cost information. With labels, each term's information counts by how much it tells the label of its document (a
linear classifier's weight, learned from the labelled originals), so that the loop repairs other terms first. What the
recipe replaced although it tells the label, or is named, stands again at the start, unless it identifies directly; the
loop takes it back to the recipe's wording where an attack asks for it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from sfumato.cache import cache_key
from sfumato.document import LABELS, Document, Edit, Release
from sfumato.errors import InputError, RecipeError
from sfumato.formats.subject_table import read_id_table
from sfumato.models.base import Floats, Range

_WORD = re.compile(r"\w+")
_WORTH = 8.0
"""The term of a document that tells its label best is worth so many times as much as others, and one more."""
_TELLING = 0.3
"""Terms that tell a label by this share of the document's best one or more stand again where a recipe replaced them."""
_NEVER_KEPT = frozenset({"PERSON", "CODE"})
_TYPES = tuple(label for label in LABELS if label not in _NEVER_KEPT)
_TABLES = frozenset({".csv", ".tsv", ".json", ".jsonl"})


@dataclass(frozen=True)
class Keep:
    """``labels``: document id -> label of a task. ``terms``: words and phrases. ``types``: labels of spans."""

    labels: Mapping[str, str] = field(default_factory=dict, repr=False)
    terms: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.labels or self.terms or self.types)


def read_keep(values: Iterable[str | Path]) -> Keep:
    """From a user's options: a .csv file with the columns id and label, a text file of terms, or an entity type."""
    labels: dict[str, str] = {}
    terms: set[str] = set()
    types: set[str] = set()
    for value in values:
        path = Path(value)
        if str(value).upper() in _TYPES:
            types.add(str(value).upper())
        elif path.suffix.lower() in _TABLES:
            labels |= _read_labels(path)
        elif path.is_file():
            terms |= _read_terms(path)
        else:
            raise InputError(
                f"--keep {value}: there is no such file, and it is no entity type: give a .csv file with the columns "
                f"id and label, a text file with a term on each line, or one of {', '.join(_TYPES)}"
            )
    return Keep(labels, frozenset(terms), frozenset(types))


def _read_labels(path: Path) -> dict[str, str]:
    labels: dict[str, str] = {}
    for where, record in read_id_table(path, "label"):
        if not isinstance(record, Mapping) or "id" not in record or "label" not in record:
            raise InputError(f"{path}, {where}: it has no id or no label: name two columns so")
        if label := str(record["label"]).strip():
            labels[str(record["id"])] = label
    if not labels:
        raise InputError(f"{path}: no row has a label: give one for each document")
    return labels


def _read_terms(path: Path) -> set[str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read as a list of terms ({type(error).__name__})") from None
    terms = {" ".join(line.lower().split()) for line in lines} - {""}
    if not terms:
        raise InputError(f"{path}: it holds no term: write one on each line")
    return terms


class TermWorth:
    """How much more each term of a document is worth because of what the release is for."""

    def __init__(self, keep: Keep, documents: Sequence[Document]) -> None:
        """Raises where labels are of other documents, or all the same."""
        self._keep = keep
        self._term = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(keep.terms, key=len, reverse=True)))})\b")
        self._weights: dict[str, dict[str, float]] = _label_weights(keep.labels, documents) if keep.labels else {}

    @property
    def digest(self) -> str:
        """A fingerprint."""
        return cache_key(sorted(self._keep.terms), sorted(self._keep.types), sorted(self._keep.labels.items()))

    def of(self, document: Document, ranges: Sequence[Range]) -> Floats:
        """The factor of each range's information; of those of a document, the mean is left to the caller."""
        tells = self._tells(document)
        kept = self._kept_ranges(document.text)
        factors = np.ones(len(ranges))
        for index, (start, end) in enumerate(ranges):
            words = _WORD.findall(document.text[start:end].lower())
            factors[index] += _WORTH * max((tells.get(word, 0.0) for word in words), default=0.0)
            if any(first < end and start < last for first, last in kept):
                factors[index] = 1 + _WORTH
        return factors

    def initial(self, release: Release) -> Release:
        """The release in which what tells the label, or is named, stands as in the original, unless it identifies."""
        tells, document = self._tells(release.document), release.document
        edits = []
        for edit in release.edits:
            original = document.text[edit.span.start : edit.span.end]
            if self._stays(edit, original, tells) and edit.replacement != original:
                edits.append(Edit(edit.span, original, ("to stay",), alternatives=(edit, *edit.alternatives)))
            else:
                edits.append(edit)
        return replace(release, edits=tuple(edits))

    def _stays(self, edit: Edit, original: str, tells: Mapping[str, float]) -> bool:
        span = edit.span
        if span.identifier == "direct" or span.label in _NEVER_KEPT:
            return False
        if span.label in self._keep.types or self._kept_ranges(original):
            return True
        return any(tells.get(word, 0.0) >= _TELLING for word in _WORD.findall(original.lower()))

    def _tells(self, document: Document) -> Mapping[str, float]:
        """By word of a document, how much it tells the label, as a share of the word that tells most."""
        weights = self._weights.get(self._keep.labels.get(document.id, ""), {})
        words = set(_WORD.findall(document.text.lower()))
        most = max((weights.get(word, 0.0) for word in words), default=0.0)
        return {word: weights[word] / most for word in words if weights.get(word, 0.0) > 0} if most else {}

    def _kept_ranges(self, text: str) -> list[Range]:
        return [match.span() for match in self._term.finditer(text.lower())] if self._keep.terms else []


def _label_weights(labels: Mapping[str, str], documents: Sequence[Document]) -> dict[str, dict[str, float]]:
    """By label, the words that tell it: their weight in a logistic regression on TF-IDF, less their mean weight."""
    labelled = [document for document in documents if document.id in labels and document.text.strip()]
    if not labelled:
        raise InputError(
            "--keep: none of the labels is of a document that is released: the column id names the documents' ids"
        )
    counts = Counter(labels[document.id] for document in labelled)
    if len(counts) < 2:
        raise RecipeError(
            f"--keep: all {len(labelled)} labelled documents have the same label, so nothing tells it: give documents "
            "of two labels or more, or a list of terms"
        )
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    vectors = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\b\w+\b")
    features = vectors.fit_transform([document.text for document in labelled])
    model = LogisticRegression(max_iter=1000, C=10.0).fit(features, [labels[document.id] for document in labelled])
    weights = model.coef_ if len(model.classes_) > 2 else np.vstack([-model.coef_, model.coef_])
    above = weights - weights.mean(axis=0)
    names = vectors.get_feature_names_out()
    return {
        str(label): {str(names[index]): float(row[index]) for index in np.flatnonzero(row > 0)}
        for label, row in zip(model.classes_, above, strict=True)
    }
