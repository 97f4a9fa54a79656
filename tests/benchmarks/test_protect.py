"""How the benchmark of risk-bounded release makes its material, against what can be worked out by hand."""

from __future__ import annotations

import pytest
from benchmarks.protect_cost import written
from benchmarks.protect_figures import difference
from benchmarks.protect_sets import halved, unmasked
from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document, Score

WORDS = st.lists(st.sampled_from("ann read law and history in lublin , then art .".split()), min_size=1, max_size=30)


def score(values: dict[str, float]) -> Score:
    return Score("tps", sum(values.values()) / len(values), (0, 1), len(values), values, True, {}, {})


def test_a_text_is_halved_where_a_sentence_begins() -> None:
    text = "Ewa Lis was born here. She studied law. She died there in the cold winter of the war."
    assert halved(text) == ("Ewa Lis was born here. She studied law. ", "She died there in the cold winter of the war.")
    assert halved("One sentence alone") == ("", "One sentence alone")


@given(st.text(alphabet="ab. \n", max_size=60))
def test_halves_are_the_whole(text: str) -> None:
    assert "".join(halved(text)) == text


@given(WORDS, st.data())
def test_masks_are_found_again(words: list[str], data: st.DataObject) -> None:
    hidden = data.draw(st.lists(st.booleans(), min_size=len(words), max_size=len(words)))
    masked = " ".join("SENSITIVE" if hide else word for word, hide in zip(words, hidden, strict=True))
    release = unmasked(Document("1", " ".join(words)), masked)
    left = [word for word, hide in zip(words, hidden, strict=True) if not hide]
    assert [word for word in release.text.replace("SENSITIVE", " ").split() if word] == left


def test_a_mask_of_another_text_is_refused() -> None:
    with pytest.raises(ValueError, match="not the original's text"):
        unmasked(Document("1", "Ewa Lis read law."), "SENSITIVE read medicine.")


def test_written_people_say_new_things_in_known_words() -> None:
    texts = ["the old man saw the old dog and the old man ran", "a small dog saw the small man and ran"]
    made = list(written(texts, 50))
    assert made == list(written(texts, 50))
    known = {pair for text in texts for pair in zip(text.split(), text.split()[1:], strict=False)}
    assert all(set(text.split()) <= {word for pair in known for word in pair} for text in made)
    assert any(text not in texts for text in made)
    assert all(len(text.split()) in (9, 10, 11, 12, 13) for text in made)


def test_differences_are_over_the_documents_of_both() -> None:
    gap = difference(score({"a": 0.5, "b": 0.75, "withheld": 0.9}), score({"a": 0.25, "b": 0.75}))
    assert gap.value == pytest.approx(-0.125)
    assert gap.n == 2
    assert gap.interval == pytest.approx((-0.25, 0.0))
