"""KNEO: every word becomes a near neighbour, never a word of the document, and the same one throughout a document."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sfumato
from sfumato.document import Document, Release, Withheld
from sfumato.errors import InputError, RecipeError
from sfumato.lexicon.tokens import in_case_of
from sfumato.models.embedders import StaticEmbedder
from sfumato.vault.ledger import Ledger
from sfumato_papers.rewriters.kneo import Kneo

NOTE = "Mr Ansel Quorvex, aged 45, was seen on 12 March 1987 at St Olave Hospital. Ansel has diabetes; ANSEL smokes."
WORDS = {"cat": (1, 0), "dog": (0.9, 0.1), "wolf": (0.8, 0.3), "boat": (0, 1), "ship": (0.1, 0.9), "Ferry": (0.2, 0.8)}
"""Near one another: cat, dog, wolf; and boat, ship, ferry."""


def released(text: str, name: str = "d", **options: Any) -> str:
    rewriter = Kneo(**{"ledger": Ledger(secret=b"8" * 32), **options})
    (release,) = rewriter.rewrite([Document(name, text)])
    assert isinstance(release, Release)
    return release.text


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


@pytest.fixture
def vectors(tmp_path: Path) -> Path:
    rows = [f"{word} {first} {second}" for word, (first, second) in WORDS.items()]
    path = tmp_path / "words.vec"
    path.write_text("\n".join([f"{len(WORDS)} 2", *rows, "</s> 1 1", ""]), encoding="utf-8")
    return path


def test_every_word_and_number_is_replaced_and_the_rest_stays() -> None:
    text = released(NOTE)
    assert re.sub(r"[^\W_]+", "x", text) == re.sub(r"[^\W_]+", "x", NOTE)
    assert not {word.casefold() for word in words(text)} & {word.casefold() for word in words(NOTE)}


def test_neighbours_are_the_nearest_by_the_shipped_embedders_own_cosine() -> None:
    """Worked by another way: whole texts through the embedder, against all its whole words."""
    embedder = StaticEmbedder()
    vocabulary = [word for word in embedder._tokenizer.get_vocab() if re.fullmatch(r"[a-z0-9]{2,}", word)]
    table = embedder.embed(vocabulary)
    for word in ("diabetes", "quorvex", "1987"):
        cosines = table @ embedder.embed([word])[0]
        nearest = [vocabulary[index] for index in np.argsort(-cosines) if vocabulary[index] != word]
        assert released(word, k=1) == nearest[0]
        assert {released(word, k=3, ledger=Ledger(secret=bytes([n] * 32))) for n in range(30)} == set(nearest[:3])


def test_a_word_is_the_same_throughout_a_document_in_its_own_case() -> None:
    first, again, shouted = (words(released(NOTE))[words(NOTE).index(word)] for word in ("Ansel", "Ansel", "ANSEL"))
    assert first == again
    assert first[0].isupper()
    assert shouted == first.upper()
    assert [in_case_of(original, "boat") for original in ("Cat", "CAT", "cat", "C", "12")] == [
        "Boat", "BOAT", "boat", "Boat", "boat"
    ]  # fmt: skip


def test_the_key_and_the_document_decide_which_neighbour() -> None:
    text = " ".join(words(NOTE)[:8])
    assert released(text) == released(text)
    assert len({released(text, k=10, ledger=Ledger(secret=bytes([n] * 32))) for n in range(5)}) > 1
    assert len({released(text, name, k=10) for name in "abcde"}) > 1


def test_vectors_of_a_file_and_words_that_it_lacks(vectors: Path) -> None:
    assert released("Cat, boat!", vectors=vectors, k=1) == "Dog, ship!"
    assert released("cat dog", vectors=vectors, k=1) == "wolf wolf"
    assert released("BOAT ship", vectors=vectors, k=1) == "FERRY ferry"
    assert released("heron", vectors=vectors, k=1) in {word.casefold() for word in WORDS}
    # Nothing is near a word without a vector: which one stands for it is left to the key.
    assert len({released("heron", vectors=vectors, k=1, ledger=Ledger(secret=bytes([n] * 32))) for n in range(9)}) > 2


def test_texts_without_words_and_odd_texts() -> None:
    assert released("") == ""
    assert released(" – !\n") == " – !\n"
    assert released("病院") != "病院"
    assert released("a" * 500) != "a" * 500
    assert released("x\ud800y") != "x\ud800y"


@pytest.mark.parametrize("k", [0, -1, True, 1.5, "2"])
def test_k_is_checked(k: Any) -> None:
    with pytest.raises(RecipeError, match="k is a whole number"):
        Kneo(k=k)


def test_a_file_that_holds_no_vectors_is_named_with_the_line(tmp_path: Path, vectors: Path) -> None:
    with pytest.raises(InputError, match=r"missing\.vec: the word vectors cannot be read"):
        Kneo(vectors=tmp_path / "missing.vec")
    for text, line in (("cat 1 0\n", 1), ("2 2\ncat 1 0\ndog 1\n", 3), ("1 2\ncat one 0\n", 2), ("", 1)):
        path = tmp_path / f"bad{len(text)}.vec"
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=rf"bad\d+\.vec, line {line}: not word vectors"):
            Kneo(vectors=path)
    infinite = tmp_path / "infinite.vec"
    infinite.write_text("3 1\ncat inf\ndog 1\nboat 2\n", encoding="utf-8")
    with pytest.raises(InputError, match="not finite"):
        Kneo(vectors=infinite)
    with pytest.raises(RecipeError, match="has 6 words: lower k"):
        Kneo(vectors=vectors, k=6)


def test_a_document_with_every_word_of_the_embedding_is_withheld(vectors: Path) -> None:
    (outcome,) = Kneo(vectors=vectors).rewrite([Document("d", " ".join(WORDS))])
    assert isinstance(outcome, Withheld)
    assert outcome.reason.startswith("words.vec has no word that is not its own")


def test_as_published_nothing_is_detected_and_by_the_plain_name_spans_are_replaced_first() -> None:
    text = "Ansel Quorvex was born on 12 March 1987."
    published = sfumato.anonymize(text, recipe="published/kneo")
    assert "[" not in published.text
    assert not {"Ansel", "Quorvex", "March", "1987"} & set(words(published.text))
    guarded = sfumato.anonymize(text, recipe="kneo")
    assert guarded.hidden
    assert not {"Ansel", "Quorvex"} & set(words(guarded.text))
