"""DP-Fusion: what the model is shown, what is stated, and what is drawn; and the audit of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binomtest, chisquare

import sfumato
from sfumato.document import Document, Release, Span, Withheld
from sfumato.errors import ChatError, InputError, RecipeError
from sfumato.llm.chat import Message
from sfumato.llm.replay import ScriptedChat
from sfumato.vault.ledger import Ledger
from sfumato_papers.rewriters import dp_audit, dp_fusion
from sfumato_papers.rewriters.dp_audit import audit
from sfumato_papers.rewriters.dp_fusion import DpFusion

TEXT = "Ansel Quorvex was born in Velbrin in 1973."
WORDS = ("Ansel ", "Ilda ", "someone ", "Velbrin ", "there ", "")
"""The vocabulary of a model; the last one ends an answer."""


class NameChat(ScriptedChat):
    """A model that writes the names it is shown: its scores are a function of the question and what is written."""

    end_tokens = frozenset({5})

    def __init__(self, scores: Callable[[str, Sequence[int]], Sequence[float]] | None = None) -> None:
        super().__init__(lambda request: "", name="names")
        self._scores = scores or shown_names
        self.questions: list[str] = []

    def next_logprobs(
        self, messages: Sequence[Message], written: Sequence[int] = ()
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        question = messages[-1].text
        self.questions.append(question)
        scores = np.array(self._scores(question, written), np.float64)
        order = np.argsort(-scores, kind="stable")
        return np.arange(len(scores), dtype=np.int64)[order], scores[order]

    def text_of(self, tokens: Sequence[int]) -> str:
        return "".join(WORDS[token] for token in tokens)


def shown_weights(question: str, written: Sequence[int]) -> NDArray[np.float64]:
    names = [5.0 if name in question else 0.5 for name in ("Ansel", "Ilda", "Velbrin")]
    return np.array([names[0], names[1], 1.0, names[2], 1.0, 1.0 if written else 1e-6])


def shown_names(question: str, written: Sequence[int]) -> list[float]:
    weights = shown_weights(question, written)
    return list(np.log(weights / weights.sum()))


def document(text: str = TEXT, *names: tuple[str, str]) -> Document:
    private = names or (("Ansel Quorvex", "PERSON"), ("Velbrin", "LOC"), ("1973", "DATETIME"))
    places = [(text.index(name), name, label) for name, label in private]
    return Document("d", text, annotations=tuple(Span(at, at + len(name), label) for at, name, label in places))


def fusion(chat: NameChat | None = None, **options: Any) -> DpFusion:
    return DpFusion(**{"chat": chat or NameChat(), "ledger": Ledger(secret=b"7" * 32), "tokens": 4, **options})


def constant(chance: float) -> Callable[[int], float]:
    return lambda position: chance


def released(rewriter: DpFusion, given: Document | None = None) -> Release:
    (release,) = rewriter.rewrite([given or document()])
    assert isinstance(release, Release), release
    return release


def test_the_model_is_shown_one_group_at_a_time() -> None:
    contexts = fusion().single_piece(document())
    public = contexts.public[-1].text
    assert "\n_ was born in _ in _.\n" in public
    shown = ["\n_ was born in _ in 1973.\n", "\n_ was born in Velbrin in _.\n", "\nAnsel Quorvex was born in _ in _.\n"]
    for private, line in zip(contexts.private, shown, strict=True):
        assert private[-1].text == public.replace("\n_ was born in _ in _.\n", line)  # the mark around it, too
    (together,) = fusion(groups="one").single_piece(document()).private
    assert f"\n{TEXT}\n" in together[-1].text


def test_the_mixture_by_hand() -> None:
    """One group: the largest share of P for which both divergences of order 2 are within the bound."""
    rewriter = fusion(bound=0.1)
    given = document(TEXT, ("Ansel Quorvex", "PERSON"))
    _, mixed = rewriter.decoder.distribution(rewriter.single_piece(given), [])
    public, private = np.array([0.5, 0.5, 1, 5, 1, 1e-6]), np.array([5, 0.5, 1, 5, 1, 1e-6])
    public, private = public / public.sum(), private / private.sum()

    def divergences(share: float) -> list[float]:
        mixture = share * private + (1 - share) * public
        return [math.log((mixture**2 / public).sum()), math.log((public**2 / mixture).sum())]

    share = (mixed[0] - public[0]) / (private[0] - public[0])
    assert mixed == pytest.approx(share * private + (1 - share) * public)
    assert max(divergences(share)) == pytest.approx(0.1)
    assert 0 < share < 1


def test_with_no_bound_left_the_spans_tell_nothing_and_with_a_wide_one_all() -> None:
    contexts = [
        fusion().single_piece(document(f"{name} lives.", (name, "PERSON")))
        for name in ("Ansel Quorvex", "Ilda Maravel")
    ]
    hidden, open_ = (
        [fusion(bound=bound).decoder.distribution(context, [])[1] for context in contexts] for bound in (0.0, 50.0)
    )
    assert hidden[0] == pytest.approx(hidden[1], abs=0)
    assert (open_[0][0], open_[1][1]) == pytest.approx((5 / 8, 5 / 8), rel=1e-5)


def test_several_groups_are_mixed_in_equal_parts() -> None:
    rewriter = fusion(bound=50.0)
    contexts = rewriter.single_piece(document())
    _, mixed = rewriter.decoder.distribution(contexts, [])
    alone = [rewriter.decoder.distribution(contexts._replace(private=(span,)), [])[1] for span in contexts.private]
    assert mixed == pytest.approx(np.mean(alone, axis=0))
    assert mixed.sum() == pytest.approx(1)


def test_tokens_are_drawn_by_the_mixture() -> None:
    rewriter = fusion(bound=0.3, tokens=1)
    contexts = rewriter.single_piece(document())
    _, mixed = rewriter.decoder.distribution(contexts, [])
    chances = np.random.default_rng(3).random(600)
    drawn = np.bincount([rewriter.decoder.sample(contexts, constant(chance))[0] for chance in chances], minlength=6)
    assert chisquare(drawn, mixed * 600).pvalue > 0.01
    assert rewriter.decoder.sample(contexts, constant(0.0)) == [0]
    assert rewriter.decoder.sample(contexts, constant(math.nextafter(1, 0))) == [5]


def up(epsilon: float) -> str:
    """Four digits, upwards: a stated epsilon is never smaller than the one that is kept."""
    places = 3 - math.floor(math.log10(epsilon))
    return f"{math.ceil(epsilon * 10**places) / 10**places:g}"


def test_what_is_stated() -> None:
    reasons = released(fusion(bound=0.02, delta=1e-3, tokens=100)).reasons
    group = 300 * math.log(2 / 3 + math.exp(0.02) / 3) + 3 * math.log(1000)
    authors = 100 * math.log(2 / 3 + math.exp(0.04) / 3) + math.log(1000)
    assert reasons == (
        "chat:names, prompt dp-fusion@1",
        "3 groups of private spans (DATETIME, LOC, PERSON)",
        "temperature 1",
        "Rényi divergence of order 2 from the text without them at most 0.02 a token",
        f"epsilon {up(100 * 0.06 + 3 * math.log(1000))} at delta 0.001 for any two values of all private spans, over "
        "100 tokens",
        f"epsilon {up(group)} at delta 0.001 for those of one group",
        f"as the authors count, {authors:.4g} for one group",
        "outside of it: which spans are private, where they stand, all other text, and later checks",
    )
    pure = released(fusion(alpha=math.inf, epsilon=4.0, tokens=10, groups="one")).reasons
    assert "epsilon 4 for any two values of all private spans, over 10 tokens" in pure
    assert "at most 0.2 a token" in pure[3]
    nothing = released(fusion(), Document("d", "Nobody is named.", annotations=()))
    assert nothing.reasons[1].startswith("no private spans: all of the text is public")


def test_the_number_of_pieces_does_not_depend_on_private_spans() -> None:
    line = "{} baked bread in the old mill by the river that day. "
    for name in ("Bo", "Ansel Maximilian Quorvex the Younger of Velbrin"):
        text = "".join(line.format(name) for _ in range(12))
        starts = [index for index in range(len(text)) if text.startswith(name + " baked", index)]
        given = Document("d", text, annotations=tuple(Span(at, at + len(name), "PERSON") for at in starts))
        reasons = released(fusion(tokens=100), given).reasons
        assert any(reason.endswith("over 3 x 100 tokens") for reason in reasons)
    assert any(reason.startswith(f"epsilon {up(300 * 0.3 + 3 * math.log(1000))} at") for reason in reasons)


def test_draws_are_repeated_with_the_secret() -> None:
    def text(secret: bytes) -> str:
        return released(fusion(ledger=Ledger(secret=secret), tokens=30)).text

    assert text(b"1" * 32) == text(b"1" * 32)
    assert len({text(bytes([number] * 32)) for number in range(5)}) > 1


def test_what_gives_no_release() -> None:
    (unknown,) = fusion().rewrite([Document("d", TEXT)])
    assert isinstance(unknown, Withheld)
    assert unknown.reason.startswith("which spans are private is not known")

    def fails(question: str, written: Sequence[int]) -> list[float]:
        raise ChatError("too long")

    ends = [-40.0] * 5 + [0.0]
    for scores, reason in (
        (fails, "gave no scores"),
        (lambda question, written: ends, "is empty"),
        (lambda question, written: [math.nan] * 6, "gave no scores"),
        (lambda question, written: [-3.0] * 6, "gave no scores"),  # a part of the vocabulary
        (lambda question, written: [math.log(1 / 6)] * (6 if "_ was" in question else 5), "gave no scores"),
    ):
        rewriter = fusion(NameChat(scores))
        (outcome,) = rewriter.rewrite([document()])
        assert isinstance(outcome, Withheld)
        assert reason in outcome.reason
        assert rewriter.usage.failed == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bound": 0.1, "epsilon": 9.0}, "give one of them"),
        ({"groups": "span"}, "label or one"),
        ({"temperature": 0.0}, "above 0"),
        ({"delta": 0.0}, "no epsilon can be computed"),
        ({"alpha": math.inf, "delta": 0.1}, "leave it out"),
        ({"epsilon": 5.0}, "cannot be kept"),
        ({"tokens": 0}, "whole number"),
        ({"chat": ScriptedChat({}, name="far away")}, "no epsilon can be kept with 'far away'"),
    ],
)
def test_what_cannot_have_an_epsilon_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        fusion(**options)


def test_as_published_nothing_is_looked_for_in_the_text_and_the_plain_name_is_guarded() -> None:
    chat = NameChat(lambda question, written: [0.0, *[-40.0] * 5] if not written else [*[-40.0] * 5, 0.0])
    published = sfumato.anonymize(document(), recipe="published/dp-fusion", chat=chat)
    assert published.text == "Ansel"
    assert not any("Quorvex" in question for question in chat.questions if "_ was born in _ in _" in question)
    assert any("Ansel Quorvex was born in _ in _" in question for question in chat.questions)
    guarded = sfumato.anonymize(document(), recipe="dp-fusion", chat=chat)
    assert "Ansel" not in guarded.text


# The audit


def pair(**options: Any) -> tuple[DpFusion, Document, Document]:
    one, other = (document(f"{name} lives.", (name, "PERSON")) for name in ("Ansel Quorvex", "Ilda Maravel"))
    return fusion(**options), one, other


def test_an_audit_finds_less_than_is_stated_and_more_than_nothing() -> None:
    audited = audit(*pair(alpha=math.inf, bound=0.5, tokens=2), samples=4000, seed=1)
    assert audited.epsilon == 2.0
    assert 0.3 < audited.lower <= audited.estimate <= audited.upper
    assert audited.lower <= audited.largest_loss <= audited.epsilon
    assert audited.is_consistent
    assert audited.right[1] == audited.wrong[1] == 2000


def test_an_audit_refutes_an_epsilon_that_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dp_fusion, "find_share", lambda private, public, order, bound: 1.0)
    audited = audit(*pair(alpha=math.inf, bound=0.5, tokens=1), samples=4000, seed=1)
    assert audited.epsilon == 1.0
    assert audited.lower > 1.0
    assert not audited.is_consistent


def test_an_audit_of_the_same_value_finds_nothing() -> None:
    rewriter, one, _ = pair(bound=5.0)
    audited = audit(rewriter, one, one, samples=400)
    assert (audited.lower, audited.largest_loss) == (0.0, 0.0)


def test_the_limits_are_those_of_exact_tests() -> None:
    (low, hits, high), (rare, false, often) = (
        (test.proportion_ci(0.975, "exact").low, test.statistic, test.proportion_ci(0.975, "exact").high)
        for test in (binomtest(90, 100), binomtest(20, 100))
    )
    expected = [
        max(math.log((right - 0.01) / wrong), math.log((1 - wrong - 0.01) / (1 - right)))
        for right, wrong in ((low, often), (hits, false), (high, rare))
    ]
    assert dp_audit._bounds(((90, 100), (20, 100)), 0.01, 0.95) == pytest.approx(expected)
    assert dp_audit._bounds(((0, 10), (10, 10)), 0.01, 0.95)[0] == -math.inf
    assert dp_audit._bounds(((10, 10), (0, 10)), 0.01, 0.95)[1:] == (math.inf, math.inf)


def test_the_true_epsilon_is_rarely_below_the_limit() -> None:
    """One token, where the true epsilon is known: of 60 audits at 90 %, few lie above it."""
    rewriter, one, other = pair(alpha=math.inf, bound=0.4, tokens=1)
    chances = [rewriter.decoder.distribution(rewriter.single_piece(given), [])[1] for given in (one, other)]
    true = float(np.abs(np.log(chances[0] / chances[1])).max())
    items = [audit(rewriter, one, other, samples=300, seed=seed, confidence=0.9).lower for seed in range(60)]
    assert sum(lower > true for lower in items) <= 6


def test_documents_of_an_audit_differ_in_private_spans_alone() -> None:
    rewriter, one, other = pair()
    with pytest.raises(InputError, match="differ outside their private spans"):
        audit(rewriter, one, document("Ilda Maravel left.", ("Ilda Maravel", "PERSON")), samples=10)
    with pytest.raises(InputError, match="pieces: give one of a few lines"):
        audit(rewriter, document("Ansel lives. " * 40, ("Ansel", "PERSON")), other, samples=10)
    with pytest.raises(InputError, match="needs 2 samples"):
        audit(rewriter, one, other, samples=1)
