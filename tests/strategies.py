"""Texts and spans that break careless code."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

from sfumato.document import LABELS, Identifier, Span

_HARD = st.sampled_from(
    [
        "é",
        "e\u0301",
        "👩‍👩‍👧",
        "🏳️‍🌈",
        "שלום",
        "مرحبا",
        "\r\n",
        "\0",
        "𝔘𝔫",
        "ß",
        "İ",
        "\u200d",
        "\ufeff",
        " ",
        "a",
        "Anna",
        "1",
    ]
)
_IDENTIFIERS: tuple[Identifier | None, ...] = ("direct", "quasi", None)
texts = st.lists(st.one_of(_HARD, st.text(max_size=5)), max_size=25).map("".join)


def examples(times: int) -> settings:
    """For a property that is cheap to try and dear to break: so many times the examples of the profile."""
    profile = settings.default
    assert profile is not None
    return settings(max_examples=times * profile.max_examples)


@st.composite
def spans_over(draw: st.DrawFn, text: str) -> list[Span]:
    """Any spans over a text, overlapping or not."""
    if not text:
        return []
    count = draw(st.integers(0, 8))
    collected = []
    for _ in range(count):
        start = draw(st.integers(0, len(text) - 1))
        end = draw(st.integers(start + 1, len(text)))
        label = draw(st.sampled_from([*LABELS, "OTHER"]))
        score = draw(st.sampled_from([0.0, 0.3, 0.5, 1.0]))
        identifier = draw(st.sampled_from(_IDENTIFIERS))
        collected.append(Span(start, end, label, identifier, score, source=draw(st.sampled_from(["a", "b"]))))
    return collected


@st.composite
def texts_with_spans(draw: st.DrawFn) -> tuple[str, list[Span]]:
    text = draw(texts)
    return text, draw(spans_over(text))
