"""Agreement of annotators: published examples, and texts counted character by character."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from sfumato.document import Document, Span
from sfumato.errors import NotMeasurable
from sfumato.formats.records import NOT_MASKED
from sfumato.statistics import cohen_kappa, krippendorff_alpha
from sfumato_papers.rating.agreement import measure_agreement
from tests.cli.test_commands import sfumato

# Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), example C: four observers, twelve units.
UNITS = [
    (1, 1, 1),
    (2, 2, 3, 2),
    (3, 3, 3, 3),
    (3, 3, 3, 3),
    (2, 2, 2, 2),
    (1, 2, 3, 4),
    (4, 4, 4, 4),
    (1, 1, 2, 1),
    (2, 2, 2, 2),
    (5, 5, 5),
    (1, 1),
    (3,),
]


def literal_alpha(units: list[tuple[int, ...]]) -> float:
    """1 - D_o / D_e, by pairs of values within units and of all values."""
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]
    n, counts = len(values), Counter(values)
    observed = sum(sum(first != second for first in unit for second in unit) / (len(unit) - 1) for unit in units) / n
    chance = sum(counts[a] * counts[b] for a in counts for b in counts if a != b) / (n * (n - 1))
    return 1 - observed / chance


def coincidences(units: list[tuple[int, ...]], size: int) -> np.ndarray:
    table = np.zeros((size, size))
    for unit in units:
        for first in range(len(unit)):
            for second in range(len(unit)):
                if first != second:
                    table[unit[first], unit[second]] += 1 / (len(unit) - 1)
    return table


def test_alpha_of_the_published_example() -> None:
    assert round(float(krippendorff_alpha(coincidences(UNITS, 6))), 3) == 0.743
    assert literal_alpha(UNITS) == pytest.approx(float(krippendorff_alpha(coincidences(UNITS, 6))))


def test_kappa_by_hand() -> None:
    # 35 of 50 agree; by chance .5 * .6 + .5 * .4.
    assert float(cohen_kappa(np.array([[20.0, 5.0], [10.0, 15.0]]))) == pytest.approx((0.7 - 0.5) / (1 - 0.5))


def literal_kappa(first: str, second: str) -> float:
    n = len(first)
    agreement = sum(a == b for a, b in zip(first, second, strict=True)) / n
    chance = sum(first.count(item) * second.count(item) for item in set(first + second)) / n**2
    return (agreement - chance) / (1 - chance)


MARKED = {  # a letter for each character: P(erson), L(ocation), n(ot to mask, a location), . for nothing
    "a": {"x": "PPPP...LLL", "y": "PPPP...LL.", "z": "PPPP...nnn"},
    "b": {"x": "..LL..", "y": "LLLL.."},
    "c": {"x": "PP...."},
}
LABELS = {"P": "PERSON", "L": "LOC", "n": "LOC"}


def annotated() -> tuple[list[Document], dict[str, list[Span]]]:
    documents, spans = [], {}
    for key, by_name in MARKED.items():
        documents.append(Document(key, "w" * len(next(iter(by_name.values())))))
        spans[key] = [
            Span(at, at + 1, LABELS[letter], source=NOT_MASKED if letter == "n" else "gold", annotator=name)
            for name, letters in by_name.items()
            for at, letter in enumerate(letters)
            if letter in LABELS
        ]
    return documents, spans


def decided(letters: str, decision: str) -> str:
    return letters.replace("n", "." if decision == "masked or not" else "L").replace(
        "P" if decision == "masked or not" else " ", "L"
    )


@pytest.mark.parametrize("decision", ["masked or not", "type or none"])
def test_agreement_is_counted_by_character(decision: str) -> None:
    agreement = measure_agreement(*annotated())
    assert (agreement.documents, agreement.left_out, agreement.annotators, agreement.characters) == (2, 1, 3, 16)
    shared = [by_name for by_name in MARKED.values() if len(by_name) > 1]
    kappas = []
    for first, second in combinations("xyz", 2):
        texts = [item for item in shared if first in item and second in item]
        sides = ("".join(decided(text[name], decision) for text in texts) for name in (first, second))
        kappas.append(literal_kappa(*sides))
    assert agreement.kappa[decision].value == pytest.approx(sum(kappas) / 3)
    units = [
        tuple(ord(letter) for letter in characters)
        for word in shared
        for characters in zip(*(decided(letters, decision) for letters in word.values()), strict=True)
    ]
    assert agreement.alpha[decision].value == pytest.approx(literal_alpha(units))
    low, high = agreement.alpha[decision].interval
    assert low <= agreement.alpha[decision].value <= high


def test_the_longer_of_two_mentions_counts() -> None:
    document = Document("a", "w" * 9)
    spans = [
        Span(0, 6, "ORG", annotator="x"),
        Span(2, 4, "LOC", annotator="x"),
        Span(0, 6, "ORG", annotator="y"),
    ]
    assert measure_agreement([document], {"a": spans}).kappa["type or none"].value == 1


def test_one_annotator_is_not_enough() -> None:
    with pytest.raises(NotMeasurable, match="spans of two annotators"):
        measure_agreement([Document("a", "www")], {"a": [Span(0, 1, "LOC", annotator="x")]})
    same = [Span(0, 3, "LOC", annotator=name) for name in "xy"]
    with pytest.raises(NotMeasurable, match="one category"):
        measure_agreement([Document("a", "www")], {"a": same})


def test_the_command_reads_an_annotated_corpus(tmp_path: Path) -> None:
    documents, spans = annotated()
    names = {"gold": "QUASI", NOT_MASKED: "NO_MASK"}
    cases = [
        {
            "doc_id": document.id,
            "text": document.text,
            "annotations": {
                name: {
                    "entity_mentions": [
                        {
                            "start_offset": span.start,
                            "end_offset": span.end,
                            "entity_type": span.label,
                            "identifier_type": names[span.source],
                            "entity_id": str(number),
                        }
                        for number, span in enumerate(spans[document.id])
                        if span.annotator == name
                    ]
                }
                for name in MARKED[document.id]
            },
        }
        for document in documents
    ]
    (tmp_path / "tab.json").write_text(json.dumps(cases))
    told = json.loads(sfumato("rate", "--agreement", tmp_path / "tab.json", "--json").stdout)
    expected = measure_agreement(documents, spans)
    assert told["agreement"]["masked or not"]["alpha"]["value"] == expected.alpha["masked or not"].value
    assert told["agreement"]["type or none"]["kappa"]["value"] == expected.kappa["type or none"].value
    shown = sfumato("rate", "--agreement", tmp_path / "tab.json").stdout
    assert "3 annotators, 2 documents that two or more of them marked, 16 characters" in shown
    assert f"{expected.kappa['masked or not'].value:.3f} [" in shown
    assert "1 document with one annotator or none left out" in shown
    assert "one annotated corpus" in sfumato("rate", "--agreement", "a", "b", expect=2).stderr
