"""Every threshold and default of a metric's formula, held from both sides by numbers worked by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from types import ModuleType

import numpy as np
import pytest

from sfumato import registry, statistics
from sfumato.document import Document, Release, Span
from sfumato.errors import NotMeasurable
from sfumato.metrics import information, surface
from sfumato.metrics.base import Metric, MetricInput
from sfumato.models import base as models
from sfumato.protection import target
from sfumato_papers.attacks.subjects.matching import Attribute, Profile
from sfumato_papers.metrics import claims, clusters, levenshtein, llm, multiple_choice
from sfumato_papers.metrics.claims import rouge_privacy
from sfumato_papers.metrics.levenshtein import direct_recall, quasi_recall, recall
from sfumato_papers.metrics.retention import jaccard_similarity
from sfumato_papers.metrics.subjects import collective_protection, individual_protection

LEVENSHTEIN = [(recall, "ORG"), (recall, "PERSON"), (quasi_recall, "LOC"), (direct_recall, "PERSON")]


def one_mention(original: str, released: str, label: str) -> MetricInput:
    """A note that is a mention and " left.", and a release with another word in the mention's place."""
    release = Release.rewritten(Document("a", f"{original} left."), f"{released} left.")
    return MetricInput([release], gold={"a": (Span(0, len(original), label),)})


@pytest.mark.parametrize(("metric", "label"), LEVENSHTEIN)
def test_a_mention_exactly_as_similar_as_the_threshold_is_not_hidden(metric: Metric, label: str) -> None:
    inputs = one_mention("Vorb", "Vorn", label)  # 3 of 4 letters: 1 - 1/4 = .75, which is not below .75
    assert metric(inputs, threshold=0.75).value == 0.0
    assert metric(inputs, threshold=0.76).value == 100.0
    by_threshold = metric(inputs).settings["by_threshold"]
    assert by_threshold == {"0.75": 0.0, "0.80": 100.0, "0.85": 100.0, "0.90": 100.0, "0.95": 100.0}


@pytest.mark.parametrize(("metric", "label"), LEVENSHTEIN)
@pytest.mark.parametrize(
    ("original", "released", "value"),
    [
        ("Quorve", "Quorva", 100.0),  # 1 - 1/6 = .833
        ("Quorvexingham", "Quorvaxinghem", 100.0),  # 1 - 2/13 = .846
        ("Quorvex", "Quorvax", 0.0),  # 1 - 1/7 = .857
        ("Quorvexi", "Quorvaxi", 0.0),  # 1 - 1/8 = .875
    ],
)
def test_without_a_threshold_it_is_85(metric: Metric, label: str, original: str, released: str, value: float) -> None:
    assert metric(one_mention(original, released, label)).value == value


@pytest.mark.parametrize("label", "PERSON NAME CODE ID EMAIL CONTACT_NUMBER PHONE email".split())
def test_labels_of_direct_identifiers(label: str) -> None:
    inputs = one_mention("ida@quorvex.example", "ida@quorvex.example", label)
    assert direct_recall(inputs).value == 0.0
    with pytest.raises(NotMeasurable, match="no quasi-identifier"):
        quasi_recall(inputs)


@pytest.mark.parametrize("label", "LOC ORG DEM DATETIME QUANTITY MISC".split())
def test_labels_of_quasi_identifiers(label: str) -> None:
    inputs = one_mention("Quorvex", "Quorvex", label)
    assert quasi_recall(inputs).value == 0.0
    with pytest.raises(NotMeasurable, match="no direct identifier"):
        direct_recall(inputs)


class Table:
    """A classifier that knows the logits of two texts."""

    name = "table"

    def __init__(self, rows: dict[str, list[float]]) -> None:
        self._rows = rows
        self.labels = tuple(f"label {number}" for number in range(len(rows["before"])))

    def logits(self, texts: Sequence[str]) -> np.ndarray:
        return np.array([self._rows[text] for text in texts], np.float64)


@pytest.mark.parametrize(
    ("before", "after", "value"),
    [
        ([93, 7], [97, 3], 50.0),  # above .05 both labels, then the first alone
        ([94, 6], [96, 4], 50.0),
        ([94, 6], [93, 7], 100.0),
        ([96, 4], [97, 3], 100.0),
        ([1] * 20, [81, *[1] * 19], 0.0),  # twenty labels of exactly .05 each are not above it
    ],
)
def test_labels_count_above_five_percent(before: list[int], after: list[int], value: float) -> None:
    rows = {"before": [log(item) for item in before], "after": [log(entry) for entry in after]}
    release = Release.rewritten(Document("a", "before"), "after")
    assert jaccard_similarity(MetricInput([release], classifier=Table(rows))).value == pytest.approx(value, abs=1e-9)


def test_a_record_is_linked_by_f1_neither_by_recall_nor_by_precision() -> None:
    ana = Document(
        "ana", "Ana has asthma. Ana bakes bread. Ana keeps bees. Ana plays the harp. Ana was seen in Lublin."
    )
    others = [Document(name, f"{name} naps. {name} eats. {name} runs. {name} hums.") for name in ("Bo", "Cy")]
    releases = [
        Release(ana),  # all 9 known words of 18: recall 1, F1 18/27
        Release.rewritten(others[0], "Ana has asthma. Ana bakes bread. Ana keeps."),  # 8 of 9 known words: F1 16/17
        Release.rewritten(others[1], "Ana"),  # precision 1, F1 2/10
    ]
    score = rouge_privacy(MetricInput(releases), known="first")
    assert score.per_document["ana"] == pytest.approx(1 - 2 * 8 / (18 + 8))


class Reader:
    """Reads one trade out of every text."""

    name = "reader"

    def profile(self, texts: list[str]) -> list[list[Profile]]:
        return [[Profile("the baker", (Attribute("OCCUPATION", "Baker", 3),))] for _ in texts]


def fact(tag: str, keyword: str, certainty: int, hardness: int) -> dict[str, object]:
    return {"tag": tag, "keyword": keyword, "certainty": certainty, "hardness": hardness}


def test_a_tag_is_as_hard_as_its_easiest_fact() -> None:
    facts = [fact("OCCUPATION", "Baker", 5, 4), fact("OCCUPATION", "Miller", 5, 2), fact("SEX", "Male", 5, 3)]
    inputs = MetricInput(
        [Release(Document("a", "The baker slept."))], subjects={"a": [{"description": "The baker", "PIIs": facts}]}
    )
    settings = collective_protection(inputs, profiler=Reader()).settings
    assert settings["by_hardness"] == {"2": {"value": 0.0, "attributes": 1}, "3": {"value": 1.0, "attributes": 1}}


@pytest.mark.parametrize("metric", [collective_protection, individual_protection])
def test_facts_count_from_certainty_3(metric: Metric) -> None:
    facts = [fact("OCCUPATION", "Baker", 3, 1), fact("SEX", "Male", 4, 1), fact("AGE", "34", 2, 1)]
    inputs = MetricInput(
        [Release(Document("a", "The baker slept."))], subjects={"a": [{"description": "The baker", "PIIs": facts}]}
    )
    score = metric(inputs, profiler=Reader())
    assert (score.settings["attributes"], score.value) == (2, 0.5)


CONSTANTS: dict[ModuleType, dict[str, object]] = {
    claims: {"MAX_PAIRS": 10**8},
    clusters: {
        "RUNS": 5,
        "STARTS": 50,
        "MOST_CLUSTERS": 10,
        "PASSAGE": 600,
        "SUBSAMPLES": 20,
        "SUBSAMPLE_SHARE": 0.8,
        "SUBSAMPLE_STARTS": 10,
    },
    information: {"_AUTHORS_PIECE": 100},
    levenshtein: {"THRESHOLDS": (0.75, 0.80, 0.85, 0.90, 0.95)},
    llm: {"LOWEST_COHERENCE": 1, "HIGHEST_COHERENCE": 5, "LOWEST_GRADE": 1, "HIGHEST_GRADE": 10},
    multiple_choice: {"LETTERS": "ABCDEFGHIJ"},
    statistics: {"Z": 1.959963984540054, "RESAMPLES": 2000, "SEED": 20261115},
    surface: {"ORDERS": 4},
}
"""Those that a page, a paper or the code of its authors names."""


@pytest.mark.parametrize(
    ("module", "name", "value"), [(module, *item) for module, values in CONSTANTS.items() for item in values.items()]
)
def test_constants(module: ModuleType, name: str, value: object) -> None:
    assert getattr(module, name) == value


CLAIMS = {"known": "random", "seed": 0, "splitter": "clauses"}
LEARNER = {"classifier": "tfidf-logistic", "folds": 5, "seed": 0}
SUBJECTS = {"profiler": "rules", "judge": None, "aligner": None, "certainty": 3}
SIMILARITY = {"threshold": 0.85, "within": "sentence"}
TERMS = {"terms": "rules", "authors_compat": False}
DEFAULTS: dict[str, Mapping[str, object]] = {
    "abstract": {"judge": "tables"},
    "truthful-and-abstract": {"judge": "tables"},
    "masked-terms": {"terms": "rules", "authors_compat": False},
    "alid": {"within": "sentence"},
    "claims-linkage": CLAIMS,
    "claims-privacy": {**CLAIMS, "judge": "lexical"},
    "coherence": {"kind": "general", "prompt": None},
    "cpr": SUBJECTS,
    "inference-rate": {"guesser": "statistics", "guesses": 5},
    "ipr": SUBJECTS,
    "jsc": {"threshold": 0.05},
    "judged-hallucination": {"prompt": None},
    "judged-meaning": {"prompt": None},
    "judged-readability": {"prompt": None},
    "judged-utility": {"prompt": None},
    "label-distribution": LEARNER,
    "lr": SIMILARITY,
    "lrdi": SIMILARITY,
    "lrqi": SIMILARITY,
    "mcq-accuracy": {"questions": None, "prompt": None},
    "nmi": {"k": None, "seed": 0},
    "nsdcg": {"k": None},
    "request-categories": {"prompt": None},
    "risk": {"rank": "first"},
    "rouge-link-privacy": CLAIMS,
    "smr": {"within": "note"},
    "tab-token-recall": {"authors_compat": False},
    "task-utility": LEARNER,
    "tpi": TERMS,
    "tps": TERMS,
    "truthful": {"judge": "tables"},
}


def test_settings_have_these_defaults() -> None:
    metrics = {name: registry.get("metric", name) for name in registry.names("metric")}
    assert {name: metric.settings for name, metric in metrics.items() if metric.settings} == DEFAULTS
    assert {name for name, metric in metrics.items() if metric.version != 1} == {
        *("alid", "lr", "lrdi", "lrqi", "smr", "tpi", "tps"),
        "inference-rate",
    }


def test_the_default_models() -> None:
    assert models.DEFAULTS == {"scorer": "masked", "embedder": "static", "classifier": "icd10"}
    assert target.SCORER == "frequency"
