"""ROUGE-L and BLEU against the libraries, and against their definitions."""

from __future__ import annotations

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from sfumato.document import Document, Release
from sfumato.errors import NotMeasurable
from sfumato.lexicon.tokens import WORD_OR_SIGN
from sfumato.metrics.base import MetricInput
from sfumato.metrics.surface import bleu, rouge_l, rouge_l_f1
from tests.metrics.invented import release

_WORDS = st.sampled_from("the old mill Anna judge met 12 , . of boats".split())
_TEXTS = st.lists(_WORDS, max_size=25).map(" ".join)
_SOME_WORDS = st.lists(_WORDS, min_size=1, max_size=25).map(" ".join)


def pair(original: str, released: str, key: str = "d") -> Release:
    return Release.rewritten(Document(key, original), released)


def slow(one: list[str], other: list[str]) -> int:
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, a in enumerate(one):
        for j, b in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if a == b else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


@given(_TEXTS, _TEXTS)
def test_rouge_l_is_the_librarys(original: str, released: str) -> None:
    expected = RougeScorer(["rougeL"]).score(original, released)["rougeL"].fmeasure
    score = rouge_l_f1(original, released)
    if score is None:
        assert not any(map(str.isalnum, original))
    else:
        assert score == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=20), st.lists(st.sampled_from("abcd"), max_size=20))
def test_rouge_l_is_its_definition(one: list[str], other: list[str]) -> None:
    score = rouge_l_f1(" ".join(one), " ".join(other))
    assert score == pytest.approx(2 * slow(one, other) / (len(one) + len(other)), abs=1e-12)


def test_rouge_l_counts_words_of_any_script() -> None:
    assert rouge_l_f1("Ольга живёт там", "ольга жила там") == pytest.approx(2 / 3)


@given(st.lists(st.tuples(_SOME_WORDS, _TEXTS), min_size=1, max_size=4))
def test_bleu_is_the_librarys(pairs: list[tuple[str, str]]) -> None:
    cut = [[" ".join(WORD_OR_SIGN.findall(text)) for text in side] for side in zip(*pairs, strict=True)]
    reference = sacrebleu.BLEU(tokenize="none", effective_order=True, force=True)
    expected = reference.corpus_score(cut[1], [cut[0]]).score / 100
    score = bleu(MetricInput([pair(*texts, key=str(number)) for number, texts in enumerate(pairs)]))
    assert score.value == pytest.approx(expected, abs=1e-9)


@given(_SOME_WORDS, _TEXTS)
def test_bleu_of_one_document_is_the_librarys_sentence_bleu(original: str, released: str) -> None:
    cut = [" ".join(WORD_OR_SIGN.findall(text)) for text in (original, released)]
    expected = sacrebleu.sentence_bleu(cut[1], [cut[0]], tokenize="none").score / 100
    score = bleu(MetricInput([pair(original, released)]))
    assert score.per_document["d"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("metric", [rouge_l, bleu])
def test_untouched_is_one_emptied_is_zero_and_in_between_is_between(metric: object) -> None:
    text = "The old clerk met the new judge at noon."
    assert metric(MetricInput([release(text)])).value == pytest.approx(1.0)  # type: ignore[operator]
    assert metric(MetricInput([pair(text, "")])).value == 0.0  # type: ignore[operator]
    score = metric(MetricInput([release(text, ("judge", "person"))]))  # type: ignore[operator]
    assert 0 < score.value < 1
    assert "variant" in score.settings


@pytest.mark.parametrize("metric", [rouge_l, bleu])
def test_empty_originals_are_left_out_and_all_empty_refused(metric: object) -> None:
    some = MetricInput([pair("A word here.", "A word here."), pair("", "x", key="e")])
    assert metric(some).settings["left_out"] == 1  # type: ignore[operator]
    with pytest.raises(NotMeasurable, match="empty"):
        metric(MetricInput([pair("", "x")]))  # type: ignore[operator]


def test_a_long_text_needs_little_memory() -> None:
    words = " ".join(f"w{number % 977}" for number in range(30_000))
    assert rouge_l_f1(words, words[: len(words) // 2]) == pytest.approx(2 / 3, abs=0.01)
