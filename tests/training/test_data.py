"""The data side of the tagger's training: formats, splits, generated texts."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
from training.tagger import labels, noise
from training.tagger.generate import filled, generate, templates
from training.tagger.records import Mark, Record, disjoint, read, skeleton, write
from training.tagger.sets.conll import rebuilt
from training.tagger.shapes import recased
from training.tagger.splits import folded_out, read_foldout, split, write_foldout
from training.tagger.thresholds import HIGHEST, rising, threshold
from training.tagger.user import read_user

from sfumato.detectors.tagger import SHAPE_COUNT, SHAPES, shape_ids, token_shape
from sfumato.document import LABELS


def _texts(text: str, marks: list[Mark] | tuple[Mark, ...]) -> list[tuple[str, str | None]]:
    return [(text[mark.start : mark.end], mark.label) for mark in marks]


def test_labels_are_the_products() -> None:
    assert labels.LABELS == LABELS
    assert len(labels.TAGS) == 17


def test_records_come_back_from_a_file(tmp_path: Path) -> None:
    record = Record("a", "1", "g", "Zoë met Ann.", (Mark(0, 3, "PERSON", "direct"), Mark(8, 11, None)))
    for name in ("data.jsonl", "data.jsonl.gz"):
        assert write(tmp_path / name, [record]) == 1
        assert list(read(tmp_path / name)) == [record]


@pytest.mark.parametrize(
    "mark", [Mark(3, 3, "PERSON"), Mark(0, 99, "PERSON"), Mark(0, 3, "NAME"), Mark(0, 3, "PERSON", "maybe")]
)
def test_a_record_refuses_what_does_not_fit(mark: Mark) -> None:
    with pytest.raises(ValueError, match="s/1"):
        Record("s", "1", "g", "Zoë met Ann.", (mark,))


def test_of_overlapping_marks_the_longest_known_one_stays() -> None:
    text = "Mr John Smith 1999 "
    marks = [Mark(3, 7, "PERSON"), Mark(0, 14, "PERSON", "direct"), Mark(8, 19, None), Mark(14, 19, "DATETIME")]
    assert disjoint(text, marks) == (Mark(0, 13, "PERSON", "direct"), Mark(14, 18, "DATETIME"))


def test_near_copies_share_a_group() -> None:
    text, other = "I am Ann, 31", "i am BOB, 78"
    assert skeleton(text, [Mark(5, 8, "PERSON")]) == skeleton(other, [Mark(5, 8, "PERSON")])
    assert skeleton("@ann look http://x.y/1") == skeleton("@bob look http://x.y/2")


def test_tokens_become_natural_text() -> None:
    tokens = [
        ("@", "B-PER"),
        ("ann", "B-PER"),
        ("said", "O"),
        ("(", "O"),
        ("in", "O"),
        ("New", "B-LOC"),
        ("York", "I-LOC"),
    ]
    text, marks = rebuilt([*tokens, (")", "O"), ("it", "O"), ("'s", "O"), ("ok", "O"), ("!", "O")])
    assert text == "@ann said (in New York) it's ok!"
    assert _texts(text, marks) == [("@ann", "PERSON"), ("New York", "LOC")]


def _records(name: str, count: int) -> list[Record]:
    return [Record(name, f"{name}-{n}", f"group-{n // 2}", "text", ()) for n in range(count)]


def test_a_group_is_never_torn_apart(tmp_path: Path) -> None:
    records = [*_records("tab", 200), *_records("btc", 200)]
    kept_back = folded_out(records, seed=3)
    assert kept_back == folded_out(reversed(records), seed=3)
    assert len(kept_back["tab"]) == 50
    assert len(kept_back["btc"]) == 40
    write_foldout(kept_back, 3, tmp_path / "foldout.json")
    parts = split(records, read_foldout(tmp_path / "foldout.json"), seed=3, share=0.2)
    groups = [
        {(record.set, record.group) for record in part} for part in (parts.train, parts.validation, parts.foldout)
    ]
    assert all(groups)
    assert len(groups[0] | groups[1] | groups[2]) == sum(map(len, groups))


def test_the_shipped_list_keeps_back_enough_rulings() -> None:
    assert len(read_foldout()["tab"]) >= 28


def test_generated_texts_repeat_with_the_seed_and_hold_their_values() -> None:
    once, again = list(generate(1, copies=1)), list(generate(1, copies=1))
    assert once == again
    assert {record.set for record in once} == {"generated", "generated_negative"}
    assert all("{" not in record.text or '"' in record.text or "def " in record.text for record in once)
    assert not any(record.marks for record in once if record.set == "generated_negative")
    assert {mark.label for record in once for mark in record.marks} == set(LABELS) - {"MISC"}


def test_every_template_can_be_filled_and_named_once() -> None:
    found = templates(1)
    assert len({template.id for template in found}) == len(found) > 250
    for template in found:
        text, marks = filled(template, random.Random(template.id))
        assert all(text[mark.start : mark.end].strip() for mark in marks)


@pytest.mark.parametrize("name", ["ocr", "typos", "no_punctuation", "wrapped", "quoted", "lower", "upper"])
def test_noise_moves_the_marks_along(name: str) -> None:
    text = (
        "Dear Ms Annabel Strasse, your visit is on Monday, 3 May at the hospital of Upper Wallop near Salisbury.\nBye"
    )
    marks = [Mark(5, 23, "PERSON"), Mark(42, 55, "DATETIME")]
    for seed in range(20):
        changed, moved = getattr(noise, name)(text, marks, random.Random(seed))
        person, day = (changed[mark.start : mark.end] for mark in moved)
        assert person.split()[0].lower() in ("ms", "m5", "ms,", "m")
        assert person[-1] not in ", "
        assert day.strip()


def test_changes_before_inside_and_after_a_mark() -> None:
    text, marks = noise.rewritten("ab cd ef", [Mark(3, 5, "PERSON")], [(0, 1, "xyz"), (4, 5, ""), (6, 7, "--")])
    assert text == "xyzb c --f"
    assert _texts(text, marks) == [("c", "PERSON")]


SHAPED = {
    "lower": ["john", "é"],
    "title": ["John"],
    "upper": ["J", "NATO"],
    "mixed": ["McX", "a1"],
    "digits": ["12"],
    "punctuation": [",", "--"],
    "other": ["李"],
}


@pytest.mark.parametrize(("piece", "name"), [(piece, name) for name, pieces in SHAPED.items() for piece in pieces])
def test_shapes(piece: str, name: str) -> None:
    assert SHAPES[token_shape(piece)] == name


def test_shape_ids_tell_what_stood_before() -> None:
    ids = shape_ids("Al b\nC.", [(0, 2), (3, 4), (5, 6), (6, 7)])
    assert [number // len(SHAPES) for number in ids] == [2, 1, 2, 0]
    assert shape_ids("", []) == []


def test_recasing_keeps_gaps_and_uncased_shapes() -> None:
    for number, lowered in enumerate(recased("lower")):
        assert lowered // len(SHAPES) == number // len(SHAPES)
    assert len(recased("upper")) == SHAPE_COUNT
    assert recased("upper")[0] == 0


def test_own_files_in_both_formats(tmp_path: Path) -> None:
    mention = {"start_offset": 0, "end_offset": 3, "entity_type": "PERSON", "identifier_type": "DIRECT"}
    tab = [
        {
            "doc_id": "d",
            "text": "Ann left.",
            "annotations": {"a1": {"entity_mentions": [mention]}, "a2": {"entity_mentions": []}},
        }
    ]
    (tmp_path / "tab.json").write_text(json.dumps(tab), encoding="utf-8")
    first, second = read_user(tmp_path / "tab.json")
    assert first.group == second.group
    assert first.marks == (Mark(0, 3, "PERSON", "direct"),)
    line = {"id": "d", "text": "Ann left.", "spans": [{"start": 0, "end": 3, "label": "PERSON"}]}
    (tmp_path / "spans.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    (only,) = read_user(tmp_path / "spans.jsonl")
    assert only.marks == (Mark(0, 3, "PERSON", None),)
    (tmp_path / "bad.jsonl").write_text('{"id": "d"}\n', encoding="utf-8")
    with pytest.raises(ValueError, match="text 1"):
        list(read_user(tmp_path / "bad.jsonl"))


def test_a_rising_fit_pools_what_falls_and_keeps_what_rises() -> None:
    assert rising(np.array([0.0, 1.0, 0.0, 1.0, 1.0])).tolist() == [0.0, 0.5, 0.5, 1.0, 1.0]
    assert rising(np.array([1.0, 1.0, 1.0, 0.0])).tolist() == [0.75] * 4


def test_a_label_that_is_often_wrong_gets_a_higher_threshold() -> None:
    chances = np.linspace(0.01, 0.99, 400).tolist()
    assert threshold([(chance, chance > 0.2) for chance in chances]) == pytest.approx(0.2, abs=0.02)
    assert threshold([(chance, chance > 0.4) for chance in chances]) == pytest.approx(0.4, abs=0.02)
    assert threshold([(0.9, True)]) == HIGHEST
