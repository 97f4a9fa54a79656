"""A duration's levels hold its length, widen, and read well where it stood; an age's hold the age."""

from __future__ import annotations

import re
from itertools import islice, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.generalize import durations
from sfumato.generalize.hierarchy import Level, Mention

_DAYS = {"second": 1 / 86400, "minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.44}
_DAYS |= {"year": 365.25, "decade": 3652.5}
_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_SEVERAL = {"minute": (1 / 720, 1 / 24), "hour": (1 / 12, 1), "day": (2, 14), "week": (14, 92), "month": (60, 366)}


def mention(marked: str, label: str = "DATETIME", language: str = "en") -> Mention:
    before, parts, after = re.split(r"[\[\]]", marked)
    return Mention(before + parts + after, len(before), len(before) + len(parts), label, language)


def texts(marked: str, label: str = "DATETIME", language: str = "en") -> list[str]:
    return [level.text for level in durations.levels(mention(marked, label, language))]


def stretch(text: str) -> tuple[float, float]:
    """The days that a phrase speaks of, read by the words of this test alone."""
    words = text.replace("'", "").split()
    amounts: list[tuple[float, str]] = []
    number = None
    for word in words:
        plain = word.strip(",").removesuffix("s")
        if plain in _DAYS:
            amounts.append((1.0 if number is None else number, plain))
            number = None
        elif word in _WORDS or word.isdigit():
            if number is not None:
                amounts.append((number, ""))
            number = float(_WORDS.index(word) if word in _WORDS else word)
    ends = [size * _DAYS[unit or amounts[-1][1]] for size, unit in amounts]
    if words[0] == "several":
        return _SEVERAL.get(amounts[0][1]) or (2 * ends[0], 10 * ends[0])
    if words[0] in ("less", "more"):
        return (0.0, ends[0]) if words[0] == "less" else (ends[0], float("inf"))
    return ends[0], ends[1]


@given(st.integers(1, 99), st.sampled_from(["minute", "hour", "day", "week", "month", "year"]), st.booleans())
def test_every_level_holds_the_length_and_more_than_the_last(number: int, unit: str, in_words: bool) -> None:
    shown = _WORDS[number] if in_words and number < len(_WORDS) else str(number)
    days = number * _DAYS[unit]
    levels = durations.levels(mention(f"It took [{shown} {unit}{'s' * (number != 1)}]."))
    assert levels
    for level in levels:
        low, high = stretch(level.text)
        assert low * 0.98 <= days <= high * 1.02, level.text
        matches = re.findall(r"\d+|[a-z]+", level.text)
        assert shown not in matches
        assert str(number) not in matches
    for one, next_one in pairwise(levels):
        assert one.members < next_one.members
        (low, high), (lower, higher) = stretch(one.text), stretch(next_one.text)
        assert lower <= low * 1.02
        assert high <= higher * 1.02


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("for [three months].", ["between two and four months", "several months", "less than a year"]),
        ("within [three months].", ["two to four months", "several months"]),
        ("a [three-month] period", ["two- to four-month", "several-month"]),
        ("for [six years and three months]", ["between five and eight years", "several years", "more than a year"]),
        ("to [three months'] imprisonment", ["between two and four months'", "several months'"]),
        ("to [five years’] imprisonment", ["between four and six years’", "more than a year’s"]),
        ("to [seven years]’ imprisonment", ["several years", "more than twelve months"]),
        ("It lasted [18 months].", ["between 12 and 24 months"]),
        ("[two days later] it rained", ["between one and three days later"]),
        ("a [period of ten years] in", ["period of between eight and twelve years"]),
        ("for [about one week].", ["between three days and two weeks"]),
        ("for [over 12 years].", ["more than ten years"]),
        ("of [2 to 6 months'] imprisonment", ["between one and nine months'"]),
        ("for [between six months and five years] in", ["between four months and eight years"]),
        ("of from [six months to three years] in", ["four months to four years"]),
        ("between [one and two years] in", ["nine months and three years"]),
        ("the [six‑month] limit", ["four- to nine-month"]),
        ("sentences of [several years]’ imprisonment", ["more than twelve months"]),
        ("Under no circumstance can it exceed [30 days] from", ["40 days"]),
        ("for more than [forty years] they", ["30 years"]),
    ],
)
def test_it_reads_well_where_it_stood(marked: str, expected: list[str]) -> None:
    released = texts(marked)
    assert [text for text in expected if text not in released] == []


def test_an_over_that_may_be_a_preposition_is_left_alone() -> None:
    assert texts("Over [24 hours] he walked") == []
    assert texts("Over [five years] he walked") == ["several years"]


@pytest.mark.parametrize(
    "marked",
    [
        "twenty-[two months]",
        "1[5 years]",
        "[1974]",
        "[mid-year]",
        "[the following]",
        "in the [1890s]",
        "not be held for [more than two days]",
        "[21 years] or over",
    ],
)
def test_what_is_cut_or_no_duration_has_no_levels(marked: str) -> None:
    assert texts(marked) == []


def test_one_day_may_be_some_day() -> None:
    assert texts("I hope that [one day] it will") == []
    assert texts("It rained for [one day].")


def test_spanish() -> None:
    assert texts("durante [tres meses]", language="es")[:1] == ["entre dos y cuatro meses"]
    assert "varios meses" in texts("durante [tres meses]", language="es")
    assert texts("während [drei Monaten]", language="de") == []


def ages_in(level: Level) -> tuple[int, int]:
    named = {
        "in infancy": (0, 1),
        "in childhood": (2, 12),
        "in adolescence": (13, 17),
        "in early adulthood": (18, 29),
        "in middle age": (40, 64),
        "in later life": (60, 200),
        "in adulthood": (18, 200),
        "under the age of majority": (0, 17),
    }
    numbers = [int(part) for part in re.findall(r"\d+", level.text)]
    if level.text in named:
        return named[level.text]
    if "or over" in level.text:
        return numbers[0], 200
    return (0, numbers[0] - 1) if "under" in level.text else (numbers[0], numbers[1])


@given(st.integers(0, 120))
def test_every_level_holds_the_age(age: int) -> None:
    levels = durations.levels(mention(f"She was [{age} years old] then.", "DEM"))
    assert levels
    for level in levels:
        low, high = ages_in(level)
        assert low <= age <= high
        assert str(age) not in re.findall(r"\d+", level.text)
        if age >= 90:
            assert high == 200
    assert [level.members for level in levels] == sorted({level.members for level in levels})


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("a [65-year-old] man", ["60- to 69-year-old", "older", "adult"]),
        ("the [47-year-old] was", ["40- to 49-year-old", "middle-aged adult", "adult"]),
        ("a man, [aged 47], was", ["between 40 and 49 years old", "in middle age", "in adulthood"]),
        ("reached the [age of 35] and", ["age of between 30 and 39", "age of between 20 and 39", "age of 18 or over"]),
        ("aged [22 years],", ["between 20 and 29", "between 20 and 39", "18 or over"]),
        ("She was [91] when", ["90 or over", "18 or over"]),
        ("He was [42].", ["between 40 and 49", "between 40 and 59", "18 or over"]),
        ("Tom, [42], of", ["between 40 and 49", "between 40 and 59", "18 or over"]),
        ("under the age of [18] are", []),
        ("a child under [15 years] of age", []),
        ("He was [75].", ["between 70 and 79", "between 60 and 79", "60 or over", "18 or over"]),
        ("I am [90] and", ["90 or over", "18 or over"]),
        ("this [93-year-old] man", ["90+ year-old", "older", "adult"]),
        ("I ([29M]) am", ["25-34M", "25-44M", "18+M"]),
        ("a [58 y.o.] farmer", ["50-59 y.o.", "40-59 y.o.", "18+ y.o."]),
        ("a [93 yo] veteran", ["90+ yo"]),
        ("Ann ([9]) was", ["between 8 and 12", "between 8 and 17", "under 18"]),
        ("has [two] daughters", []),
        ("the father of [3] children", []),
        ("less than [eighteen years of age] at", []),
    ],
)
def test_ages_as_they_are_written(marked: str, expected: list[str]) -> None:
    assert texts(marked, "DEM") == expected


@pytest.mark.parametrize(
    ("marked", "language", "expected"),
    [
        ("Frau Moos, [79 J.], ist und war da", "de", "75-84 J."),
        ("eine [47-jährige] Frau", "de", "40- bis 49-jährige"),
        ("Mme Colin, [62 ans], est", "fr", "60-69 ans"),
        ("un uomo di [70 anni] che", "it", "65-74 anni"),
        ("een [75-jarige] vrouw", "nl", "70- tot 79-jarige"),
        ("o meu filho, de [33 anos], não", "pt", "30-39 anos"),
        ("une femme de [97 ans] est", "fr", "90+ ans"),
    ],
)
def test_ages_in_other_languages(marked: str, language: str, expected: str) -> None:
    assert texts(marked, "DEM", language)[0] == expected


@given(st.integers(2, 110), st.sampled_from(["{}M", "{} yo", "{} y/o", "F/{}", "{}/M"]))
def test_a_compact_age_lies_in_its_band(age: int, form: str) -> None:
    released = texts(f"Pt ([{form.format(age)}]) seen", "DEM")
    for level in released:
        numbers = [int(number) for number in re.findall(r"\d+", level)]
        if len(numbers) == 2:
            assert numbers[0] <= age <= numbers[1]
        elif "under" in level:
            assert age < numbers[0]
        else:
            assert numbers[0] <= age
        assert set(re.sub(r"under|[\d+-]", "", level)) == set(form.replace("{}", "")), (
            "what stands around the number stays"
        )


def test_spanish_ages() -> None:
    assert texts("varón de [45 años] con", "DEM", "es") == ["entre 40 y 49 años", "edad mediana", "edad adulta"]


@given(st.integers(1, 60), st.sampled_from(["day", "month", "year"]))
def test_the_guesser_guesses_what_its_band_holds(number: int, unit: str) -> None:
    levels = durations.levels(mention(f"for [{number} {unit}s]."))
    for level in levels:
        low, high = stretch(level.text)
        for guess in islice(durations.candidate_originals(level.text, "", "en"), 20):
            size, name = guess.split()
            days = (_WORDS.index(size) if size in _WORDS else int(size)) * _DAYS[name.removesuffix("s")]
            assert low * 0.97 <= days <= min(high, 1e9) * 1.03


def test_the_guesser_finds_common_ages() -> None:
    assert "45 years old" in islice(durations.candidate_originals("aged between 40 and 49", "", "en"), 5)
    assert "65-year-old" in islice(durations.candidate_originals("60- to 69-year-old", "", "en"), 5)


@given(st.text(max_size=30), st.text(max_size=20), st.text(max_size=20), st.sampled_from(["en", "es", "de"]))
def test_it_never_raises(before: str, said: str, after: str, language: str) -> None:
    text = before + said + after
    durations.levels(Mention(text, len(before), len(before) + len(said), "DATETIME", language))
    list(islice(durations.candidate_originals(said, text, language), 5))


@given(
    st.lists(st.sampled_from("a half 3 twenty-two years' month old aged over less than - ’ year, and of 99".split()))
)
def test_it_never_raises_on_what_is_almost_one(words: list[str]) -> None:
    phrase = " ".join(words)
    for label in ("DATETIME", "DEM", "QUANTITY"):
        durations.levels(Mention(phrase, 0, len(phrase), label))
    list(islice(durations.candidate_originals(phrase, phrase, "en"), 5))


def test_a_band_written_as_an_adjective_has_originals() -> None:
    assert list(durations.candidate_originals("four- to seven-day", "", "en"))[:2] == ["six-day", "five-day"]
