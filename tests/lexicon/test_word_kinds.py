"""Kinds of words: what lists know of a word, the same by the table of hashes as by the lists themselves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.lexicon import name_lists
from sfumato.lexicon.word_kinds import BANDS, FLAGS, WORD_KIND_COUNT, kind_number, word_kinds


def described(word: str) -> tuple[str, set[str]]:
    (kind,) = word_kinds([word])
    return BANDS[kind >> len(FLAGS)], {flag for bit, flag in enumerate(FLAGS) if kind >> bit & 1}


@pytest.mark.parametrize("word", ["Miete", "miete", "MIETE", "brandweer", "vergadering"])
def test_everyday_words_of_other_languages_are_common_and_no_names(word: str) -> None:
    band, flags = described(word)
    assert band in ("common", "frequent", "uncommon")
    assert flags == set()


def test_names_places_and_medical_terms_are_flagged() -> None:
    assert "given name" in described("Anneke")[1]
    assert "family name" in described("Okonkwo")[1]
    assert "place" in described("Berlin")[1]
    assert "medical term" in described("Ibuprofen")[1]


def test_a_word_of_two_common_words_is_a_compound() -> None:
    assert described("Fahrradkeller") == ("compound", set())
    assert described("Xqzvbnwrtplk") == ("unknown", set())


def test_numbers_and_nothing_have_no_kind() -> None:
    assert word_kinds(["", "2024", "a1"]) == [0, 0, 0]
    assert word_kinds([]) == []


@given(st.lists(st.sampled_from(sorted(name_lists.given_names())) | st.text(max_size=12), max_size=20))
def test_a_kind_depends_on_the_word_alone(words: list[str]) -> None:
    together = word_kinds(words)
    assert together == [word_kinds([word])[0] for word in words]
    assert all(0 <= kind < WORD_KIND_COUNT for kind in together)


def test_single_given_names_are_all_in_the_table() -> None:
    names = [name for name in name_lists.given_names() if name.isalpha()]
    assert all(kind & 1 << FLAGS.index("given name") for kind in word_kinds(names))


def test_every_kind_has_its_number() -> None:
    numbers = {kind_number(band, flags) for band in BANDS for flags in ((), FLAGS, FLAGS[:1])}
    assert len(numbers) == 3 * len(BANDS)
    assert max(numbers) == WORD_KIND_COUNT - 1


def test_a_run_of_letters_too_long_for_a_word_is_not_split_at_each_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def listed(keys: list[str]) -> list[int]:
        asked.extend(keys)
        return [0] * len(keys)

    monkeypatch.setattr("sfumato.lexicon.word_kinds._listed", listed)
    assert word_kinds(["qx" * 500]) == [0]
    assert len(asked) == 1
