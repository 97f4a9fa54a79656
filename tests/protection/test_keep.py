"""What a release is for: what tells the label, or is named, is repaired last and stands again at the start."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import InputError, RecipeError, SfumatoError
from sfumato.protection.keep import Keep, TermWorth, read_keep
from sfumato.protection.loss import Loss
from sfumato.protection.text import WorkingText
from tests.metrics.invented import LengthScorer, LetterEmbedder

BAKERS = ("The baker sold bread in Turku.", "Bread and flour were all she knew, said the baker.")
PILOTS = ("The pilot flew a seaplane to Oslo.", "A seaplane and a runway: the pilot was happy.")
DOCUMENTS = [Document(f"b{number}", text) for number, text in enumerate(BAKERS)]
DOCUMENTS += [Document(f"p{number}", text) for number, text in enumerate(PILOTS)]
LABELS = {document.id: {"b": "baker", "p": "pilot"}[document.id[0]] for document in DOCUMENTS}


def ranges(text: str, *words: str) -> list[tuple[int, int]]:
    return [(text.index(word), text.index(word) + len(word)) for word in words]


def test_what_tells_the_label_is_worth_more() -> None:
    worth = TermWorth(Keep(labels=LABELS), DOCUMENTS)
    bread, sold = worth.of(DOCUMENTS[0], ranges(BAKERS[0], "bread", "sold"))
    assert bread > sold >= 1
    seaplane, the = worth.of(DOCUMENTS[2], ranges(PILOTS[0], "seaplane", "The"))
    assert seaplane > the >= 1


def test_a_document_without_a_label_is_weighed_as_before() -> None:
    worth = TermWorth(Keep(labels={key: label for key, label in LABELS.items() if key != "b1"}), DOCUMENTS)
    assert np.array_equal(worth.of(DOCUMENTS[1], ranges(BAKERS[1], "flour", "knew")), [1, 1])


def test_terms_that_are_named_are_worth_most() -> None:
    worth = TermWorth(Keep(terms=frozenset({"seaplane", "was happy"})), DOCUMENTS)
    factors = worth.of(DOCUMENTS[3], ranges(PILOTS[1], "seaplane", "runway", "was", "happy"))
    assert factors[0] == factors[2] == factors[3] > factors[1] == 1


def edited(text: str, word: str, label: str, put: str, identifier: str = "quasi") -> Release:
    start = text.index(word)
    span = Span(start, start + len(word), label, identifier=identifier)  # type: ignore[arg-type]
    return Release(Document("p0", text), (Edit(span, put),))


def test_what_tells_the_label_stands_again_and_can_still_be_repaired() -> None:
    release = edited(PILOTS[0], "seaplane", "MISC", "MISC_1")
    kept = TermWorth(Keep(labels=LABELS), DOCUMENTS).initial(release)
    assert kept.text == PILOTS[0]
    text = WorkingText(kept)
    (number,) = (number for number, place in enumerate(text.places) if place.edit)
    text.widen([number])
    assert text.release()[0].text == release.text


@pytest.mark.parametrize(("label", "identifier"), [("PERSON", "quasi"), ("CODE", "quasi"), ("MISC", "direct")])
def test_what_identifies_directly_never_stands_again(label: str, identifier: str) -> None:
    release = edited(PILOTS[0], "seaplane", label, "X_1", identifier)
    keep = Keep(LABELS, frozenset({"seaplane"}), frozenset({"MISC", "ORG"}))
    assert TermWorth(keep, DOCUMENTS).initial(release) == release


def test_types_that_are_named_stand_again() -> None:
    release = edited(PILOTS[0], "Oslo", "LOC", "a city")
    assert TermWorth(Keep(types=frozenset({"LOC"})), DOCUMENTS).initial(release).text == PILOTS[0]
    assert TermWorth(Keep(types=frozenset({"ORG"})), DOCUMENTS).initial(release) == release


def test_costs_count_by_worth_and_the_loss_does_not() -> None:
    release = Release(DOCUMENTS[2])
    worth = TermWorth(Keep(labels=LABELS), DOCUMENTS)
    plain, weighed = (Loss(release, LengthScorer(), LetterEmbedder(), each) for each in (None, worth))
    seaplane, oslo = (Edit(Span(*where, "WORD"), "[…]") for where in ranges(PILOTS[0], "seaplane", "Oslo"))
    assert weighed.cost([seaplane]) / weighed.cost([oslo]) > plain.cost([seaplane]) / plain.cost([oslo])
    for loss in (plain, weighed):
        loss.update([seaplane])
    assert weighed.lost == pytest.approx(plain.lost)


def test_options_are_read_by_what_they_name(tmp_path: Path) -> None:
    labels, terms = tmp_path / "labels.csv", tmp_path / "terms.txt"
    labels.write_text("id,label\nb0,baker\np0,pilot\nx,\n", encoding="utf-8")
    terms.write_text("Rye  bread\n\nflour\n", encoding="utf-8")
    keep = read_keep([labels, str(terms), "loc"])
    assert keep == Keep({"b0": "baker", "p0": "pilot"}, frozenset({"rye bread", "flour"}), frozenset({"LOC"}))
    assert not read_keep([])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("labels.csv", "id,label\n", "no row has a label"),
        ("labels.csv", "id,occupation\nb0,baker\n", "no id or no label"),
        ("terms.txt", "\n \n", "holds no term"),
    ],
)
def test_a_file_that_says_nothing_is_refused(tmp_path: Path, name: str, content: str, message: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(SfumatoError, match=message):
        read_keep([tmp_path / name])


def test_people_and_codes_cannot_be_kept() -> None:
    for name in ("PERSON", "nothing.txt"):
        with pytest.raises(InputError, match="no such file"):
            read_keep([name])


def test_labels_of_other_documents_and_a_single_label_are_refused() -> None:
    with pytest.raises(InputError, match="none of the labels"):
        TermWorth(Keep(labels={"z9": "baker", "z8": "pilot"}), DOCUMENTS)
    with pytest.raises(RecipeError, match="the same label"):
        TermWorth(Keep(labels=dict.fromkeys(LABELS, "baker")), DOCUMENTS)
