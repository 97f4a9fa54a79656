"""Length and readability."""

from __future__ import annotations

import pytest

from sfumato.document import Document, Release
from sfumato.errors import NotMeasurable
from sfumato.metrics.base import MetricInput
from sfumato.metrics.surface import length_change, readability_change, reading_ease, syllables
from tests.metrics.invented import release


def pair(original: str, released: str, key: str = "d") -> Release:
    return Release.rewritten(Document(key, original), released)


def test_length_is_a_share_of_the_originals_words() -> None:
    text = "Osric mended seven boats."
    score = length_change(
        MetricInput([release(text, ("Osric ", "")), pair(text, text + " Twice over, too, and well.", "e")])
    )
    assert score.per_document == pytest.approx({"d": 1 / 4, "e": 5 / 4})
    assert score.value == pytest.approx((1 / 4 + 5 / 4) / 2)
    assert score.settings["ratio"] == pytest.approx((3 / 4 + 9 / 4) / 2)
    assert not score.higher_is_better


def test_length_needs_words() -> None:
    score = length_change(MetricInput([pair("one", "one two"), pair("", "x", "e")]))
    assert (score.n, score.settings["left_out"], score.value) == (1, 1, 1.0)
    with pytest.raises(NotMeasurable, match="empty"):
        length_change(MetricInput([pair("...", "x")]))


@pytest.mark.parametrize(
    ("word", "count"),
    [
        *[(word, 1) for word in "cat make makes lodged walked rules the be free played whole loved".split()],
        *[(word, 2) for word in "table houses detained wanted judges people places boxes wishes tables titled".split()],
        *[(word, 3) for word in "applicant convention articles Pennyworth".split()],
        ("TSK", 1),
    ],
)
def test_syllables(word: str, count: int) -> None:
    assert syllables(word) == count


def test_reading_ease_is_fleschs_formula() -> None:
    # 9 words in 2 sentences; syllables 1 1 1 1 1 1 + 1 1 2 = 10.
    text = "The cat sat on the mat. It ate tables."
    assert reading_ease(text) == pytest.approx(206.835 - 1.015 * 9 / 2 - 84.6 * 10 / 9, abs=1e-9)
    assert reading_ease("12 % ...") is None


def test_readability_is_the_change_in_points() -> None:
    text = "The cat sat on the mat. It ate tables."
    score = readability_change(MetricInput([release(text, ("tables", "it"))]))
    after = 206.835 - 1.015 * 9 / 2 - 84.6 * 9 / 9
    assert score.settings["releases"] == pytest.approx(after, abs=1e-9)
    assert score.value == pytest.approx(after - score.settings["originals"], abs=1e-9)
    assert readability_change(MetricInput([release(text)])).value == 0.0


def test_readability_is_for_english() -> None:
    spanish = pair("La señora llegó a la ciudad el martes y habló con los vecinos.", "La señora llegó.", "es")
    english = pair("The old woman came to the city on Tuesday and spoke with her neighbours.", "She came.")
    score = readability_change(MetricInput([spanish, english]))
    assert (score.n, score.settings["unknown_language"], score.settings["left_out"]) == (1, 1, 1)
    with pytest.raises(NotMeasurable, match="English"):
        readability_change(MetricInput([spanish]))
    with pytest.raises(NotMeasurable, match="English"):
        readability_change(MetricInput([pair("The cat sat on the mat.", "")]))
