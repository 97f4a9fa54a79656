"""A few generated clinical notes: no fact is invented or changed, and identifiers go."""

from __future__ import annotations

from benchmarks.clinical_facts import count, generate


def test_notes_are_the_same_for_the_same_seed_and_have_both_kinds_of_marks() -> None:
    notes = list(generate(15, seed=1))
    assert notes == list(generate(15, seed=1))
    assert notes != list(generate(15, seed=2))
    assert all({kind for _, _, kind in note.marks} == {"x", "i"} for note in notes)
    assert all(note.text[start:end].strip() for note in notes for start, end, _ in note.marks)


def test_clinical_facts_stay_and_identifiers_go() -> None:
    counts = count(generate(15, seed=1))
    assert counts.facts > 150
    assert counts.invented == ()
    assert len(counts.changed) <= 0.01 * counts.facts, counts.changed
    assert len(counts.leaked) <= 0.01 * counts.identifiers, counts.leaked
