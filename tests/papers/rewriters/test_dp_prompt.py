"""DP-Prompt: the stated epsilon, and that tokens are sampled accordingly."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from sfumato.document import Document, Release, Withheld
from sfumato.errors import ChatError, RecipeError
from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat
from sfumato.vault.ledger import Ledger
from sfumato_papers.rewriters.dp_prompt import DpPrompt, ExponentialMechanism
from tests.rewriters.chats import LetterChat

SCORES = (-0.3, -1.0, -2.5, -4.0, -6.0, -40.0, -math.inf, -3.0)


def released(rewriter: DpPrompt, text: str = "a text") -> Release:
    (release,) = rewriter.rewrite([Document("d", text)])
    assert isinstance(release, Release)
    return release


def test_it_says_where_no_epsilon_is_kept() -> None:
    (remark,) = DpPrompt(chat=ScriptedChat(lambda request: "a b", name="far away")).remarks
    assert "keeps no epsilon with 'far away'" in remark
    assert DpPrompt(chat=LetterChat(lambda written: SCORES)).remarks == ()


@given(st.floats(-50, 0), st.floats(0.1, 50), st.floats(0.05, 20))
def test_epsilon_and_temperature_follow_from_each_other(low: float, width: float, temperature: float) -> None:
    mechanism = ExponentialMechanism(low, low + width, temperature)
    assert mechanism.epsilon == pytest.approx(2 * ((low + width) - low) / temperature)
    again = ExponentialMechanism.with_epsilon(mechanism.epsilon, low, low + width)
    assert again.temperature == pytest.approx(temperature)


@given(
    st.lists(st.tuples(st.floats(-60, 0), st.floats(-60, 0)), min_size=2, max_size=30),
    st.floats(-20, -1),
    st.floats(0.2, 5),
)
def test_no_two_documents_are_told_apart_by_more_than_epsilon(
    pairs: list[tuple[float, float]], low: float, temperature: float
) -> None:
    mechanism = ExponentialMechanism(low, 0.0, temperature)
    one, other = (np.log(mechanism.probabilities(np.array(scores))) for scores in zip(*pairs, strict=True))
    assert np.abs(one - other).max() <= mechanism.epsilon * (1 + 1e-9)


def test_tokens_are_drawn_by_the_softmax_of_the_clipped_scores() -> None:
    mechanism = ExponentialMechanism(-5.0, -0.5, 1.5)
    weights = [math.exp(min(max(score, -5.0), -0.5) / 1.5) for score in SCORES]
    chances = np.random.default_rng(8).random(20_000)
    drawn = np.bincount([mechanism.sample(np.array(SCORES), chance) for chance in chances], minlength=len(SCORES))
    expected = np.array(weights) / sum(weights) * len(chances)
    assert chisquare(drawn, expected).pvalue > 0.01
    assert drawn.min() > 0  # also what the model would never say


def test_the_ends_of_chance_are_tokens() -> None:
    mechanism = ExponentialMechanism(-5.0, 0.0, 1.0)
    assert mechanism.sample(np.array(SCORES), 0.0) == 0
    assert mechanism.sample(np.array(SCORES), math.nextafter(1, 0)) == len(SCORES) - 1


def test_a_whole_run_draws_from_the_whole_vocabulary() -> None:
    chat = LetterChat(lambda written: SCORES)
    rewriter = DpPrompt(chat=chat, temperature=2.0, low=-6.0, high=0.0, tokens=32, ledger=Ledger(secret=b"8" * 32))
    outcomes = rewriter.rewrite([Document(str(at), f"text {at}") for at in range(300)])
    texts = "".join(outcome.text for outcome in outcomes if isinstance(outcome, Release))
    ended = rewriter.usage.generated_tokens - len(texts)
    weights = [math.exp(min(max(score, -6.0), 0.0) / 2.0) for score in SCORES]
    drawn = np.array([*(texts.count(letter) for letter in "abcdefg"), ended])
    expected = np.array(weights) / sum(weights) * drawn.sum()
    assert chisquare(drawn, expected).pvalue > 0.01


def test_both_epsilons_and_the_bounds_are_stated() -> None:
    chat = LetterChat(lambda written: [-30.0] * 7 + [0.0] if len(written) == 3 else [0.0] + [-30.0] * 7)
    rewriter = DpPrompt(chat=chat, epsilon=80.0, low=-20.0, high=0.0, tokens=10)
    release = released(rewriter)
    assert rewriter.epsilon == 80.0
    assert release.text == "aaa"
    assert release.reasons == (
        "chat:scripted, prompt dp-prompt@1",
        "temperature 0.5, ln p clipped to [-20, 0]: epsilon 80 a token",
        "epsilon 800 for a paraphrase of at most 10 tokens; 4 drawn, which tell 320 at most",
        "epsilon 800 for the document: 1 x 800",
        "outside of it: how many pieces the document has, the white space between them, and later checks",
    )
    assert rewriter.usage.generated_tokens == chat.steps == 4


def test_no_more_tokens_are_drawn_than_said_and_long_texts_cost_more() -> None:
    chat = LetterChat(lambda written: [0.0] + [-30.0] * 7)
    rewriter = DpPrompt(chat=chat, temperature=0.5, tokens=40)
    release = released(rewriter, "Ida baked bread. " * 40)
    pieces = chat.steps // 40
    assert pieces > 1
    assert release.text.split() == ["a" * 40] * pieces
    assert f"epsilon {pieces * 40 * 80:g} for the document: {pieces} x 3200" in release.reasons


def test_draws_are_repeated_with_the_secret_and_differ_without() -> None:
    def texts(secret: bytes | None) -> list[str]:
        rewriter = DpPrompt(chat=LetterChat(lambda written: [-2.0] * 7 + [-9.0]), ledger=Ledger(secret=secret))
        return [released(rewriter, text).text for text in ("one", "two", "one")]

    first = texts(b"1" * 32)
    assert first == texts(b"1" * 32)
    assert first[0] == first[2] != first[1]
    assert first != texts(b"2" * 32)
    assert texts(None) != texts(None)


def test_an_empty_paraphrase_or_no_scores_give_no_release() -> None:
    ends = LetterChat(lambda written: [-30.0] * 7 + [0.0])
    (outcome,) = DpPrompt(chat=ends, temperature=0.1).rewrite([Document("d", "a text")])
    assert isinstance(outcome, Withheld)

    def fails(written: Any) -> list[float]:
        raise ChatError("too long")

    (outcome,) = DpPrompt(chat=LetterChat(fails)).rewrite([Document("d", "a text")])
    assert isinstance(outcome, Withheld)
    shrinking = LetterChat(lambda written: [0.0] + [-30.0] * (7 - len(written)))
    (outcome,) = DpPrompt(chat=shrinking, temperature=0.1).rewrite([Document("d", "a text")])
    assert isinstance(outcome, Withheld)


def test_without_scores_no_epsilon_is_stated_or_promised() -> None:
    asked: list[Request] = []

    def answer(request: Request) -> str:
        asked.append(request)
        return "another text"

    rewriter = DpPrompt(chat=ScriptedChat(answer), temperature=1.3)
    release = released(rewriter)
    assert (release.text, rewriter.epsilon) == ("another text", None)
    assert "without an epsilon" in release.reasons[-1]
    assert asked[0].temperature == 1.3
    with pytest.raises(RecipeError, match=r"--chat FILE\.gguf"):
        DpPrompt(chat=ScriptedChat(answer), epsilon=10.0)


@pytest.mark.parametrize(
    "options",
    [
        {"temperature": 1.0, "epsilon": 10.0},
        {"temperature": 0.0},
        {"epsilon": -1.0},
        {"epsilon": math.inf},
        {"low": 0.0},
        {"low": -math.inf},
        {"high": math.nan},
        {"tokens": 0},
    ],
)
def test_options_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(RecipeError):
        DpPrompt(chat=LetterChat(lambda written: SCORES), **options)
