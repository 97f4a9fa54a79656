"""How values agree. The oracles are written from the rules that Oh et al. (2026) publish, tag by tag."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato_papers.attacks.subjects.matching import CODES, EDUCATION, TAGS, SharedWords, agreement, needs_judge


class Judge:
    """Says the same of everything, and keeps what it was asked."""

    name = "constant"

    def __init__(self, answer: float | None) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str, str]] = []

    def compare(self, tag: str, truth: str, guess: str) -> float | None:
        self.asked.append((tag, truth, guess))
        return self.answer


def rule(tag: str, truth: str, guess: str) -> float:
    """What the rule alone says: a judge that says 0 changes nothing."""
    return agreement(tag, truth, guess, Judge(0.0))


@pytest.mark.parametrize(
    ("tag", "truth", "guess", "expected"),
    [
        ("IDENTIFICATION_NUMBER", "QX-ID-12 34", "qxid1234", 1),
        ("IDENTIFICATION_NUMBER", "QX-ID-1234", "QX-ID-1235", 0),
        ("PASSPORT_NUMBER", "QXP 123456", "123456", 1),  # a prefix of three
        ("PASSPORT_NUMBER", "QXPP 123456", "123456", 0),  # and of four
        ("PASSPORT_NUMBER", "123456", "QXP123456", 1),
        ("PASSPORT_NUMBER", "123456QXP", "123456", 0),
        ("PHONE_NUMBER", "+44 20 7946 0018", "20 7946 0018", 1),
        ("PHONE_NUMBER", "020 7946 0018", "0018", 0),
        ("EMAIL_ADDRESS", "Ida@Quorvex.example", "ida@quorvex.example", 1),
        ("EMAIL_ADDRESS", "ida@quorvex.example", "idaquorvex@example", 0),
        ("NAME", "Katarina Quorvex", "Katerina Quorvex", 1),
        ("NAME", "James Smith", "James Brown", 0),
        ("NATIONALITY", "Netherlands", "Netherland", 1),
        ("NATIONALITY", "Poland", "Czechia", 0),
        ("OCCUPATION", "Truck driver", "truck driver", 1),
        ("OCCUPATION", "Retail worker", "Health worker", 1),  # .867: the rule counts letters
        ("AFFILIATION", "Tvesk Bakery", "Tvesk Bakary", 1),
        ("POSITION", "Director", "Baker", 0),
        ("SEX", "Female", "woman", 1),
        ("SEX", "Male", " m", 1),
        ("SEX", "Male", "Female", 0),
        ("RELATIONSHIP", "No relation", "single", 1),
        ("RELATIONSHIP", "Widowed", "Widower", 1),
        ("RELATIONSHIP", "Married", "In Relation", 0),
        ("EDUCATION", "High School Diploma", "high school diploma", 1),
        ("EDUCATION", "High School Diploma", "No High School Diploma", 0),
        ("EDUCATION", "PhD", "College Degree", 0),
        ("AGE", "34", "39", 1),
        ("AGE", "34", "40", 0),
        ("AGE", "30-39", "39", 1),
        ("AGE", "30-39", "40", 0),
        ("AGE", "30", "25-64", 1),
        ("AGE", "20-60", "30-70", 1),  # 30 common years of 40: .75
        ("AGE", "20-60", "31-71", 0),  # 29 of 40
        ("AGE", "20–60", "50-54", 1),  # the shorter range lies inside the longer
        ("AGE", "53-54", "54-55", 0),
        ("AGE", "53-53", "53-53", 0),  # ranges without a year between their ends have nothing in common
        ("AGE", "old", "60", 0),
        ("LOCATION", "Lublin / Poland", "lublin/POLAND", 1),
        ("LOCATION", "Lublin / Poland", "Poland", 0.5),
        ("LOCATION", "Poland", "Lublin / Poland", 0.5),
        ("LOCATION", "Lublin / Poland", "Gdańsk / Poland", 0.5),  # all levels but one
        ("LOCATION", "San Diego / United States", "San Jose / United States", 0.5),
        ("LOCATION", "San Diego", "San Jose", 0),
        ("LOCATION", "Northampton / England / United Kingdom", "Southampton / Wales / United Kingdom", 0),
        ("LOCATION", "Springfield / United States", "Springfield / Canada", 0.5),
        ("LOCATION", "A / B / C / D / E", "X / B / C / D / E", 1),  # four levels are compared
        ("LOCATION", "Izmir / Turkey", "Izmir / Türkiye", 1),
        ("LOCATION", "Republic of Turkey", "Türkiye", 0),
    ],
)
def test_each_rule(tag: str, truth: str, guess: str, expected: float) -> None:
    assert rule(tag, truth, guess) == expected


def literal_age(truth: str, guess: str) -> float:
    """Two ages: at most 5 years apart. An age and a range: inside. Two ranges: overlap coefficient of .75."""
    one, other = ([int(part) for part in value.split("-")] for value in (truth, guess))
    if len(one) == len(other) == 1:
        return abs(one[0] - other[0]) <= 5
    if len(one) == len(other) == 2:
        common = max(0, min(one[1], other[1]) - max(one[0], other[0]))
        return common / max(1, min(one[1] - one[0], other[1] - other[0])) >= 0.75
    (age,), (low, high) = sorted((one, other), key=len)
    return low <= age <= high


_AGES = st.integers(0, 99).map(str) | st.tuples(st.integers(0, 80), st.integers(0, 30)).map(
    lambda pair: f"{pair[0]}-{pair[0] + pair[1]}"
)


@given(_AGES, _AGES)
def test_ages_as_published(truth: str, guess: str) -> None:
    assert rule("AGE", truth, guess) == literal_age(truth, guess)


def literal_place(truth: str, guess: str) -> float:
    """All levels equal from the country down: 1. One holds the other, or all but one of several are equal: .5."""
    one, other = ([level.strip().lower() for level in value.split("/")] for value in (truth, guess))
    if one == other:
        return 1
    if len(one) != len(other):
        longer, shorter = (one, other) if len(one) > len(other) else (other, one)
        if longer[len(longer) - len(shorter) :] == shorter:
            return 0.5
    depth = min(4, max(len(one), len(other)))
    equal = 0
    for level in range(1, depth + 1):
        if level <= len(one) and level <= len(other) and one[-level] == other[-level]:
            equal += 1
    if equal == depth:
        return 1
    return 0.5 if equal == depth - 1 and equal > 0 else 0


_PLACES = st.lists(st.sampled_from(["Ash", "Elm", "Fir"]), min_size=1, max_size=6).map(" / ".join)


@given(_PLACES, _PLACES)
def test_places_by_level(truth: str, guess: str) -> None:
    assert rule("LOCATION", truth, guess) == literal_place(truth, guess)


@given(*[st.text("aB1-", min_size=1, max_size=6)] * 2)
def test_numbers_as_published(truth: str, guess: str) -> None:
    one, other = (re.sub("[^A-Z0-9]", "", value.upper()) for value in (truth, guess))
    ends = one.endswith(other) or other.endswith(one)
    expected = bool(one and other) and ends and abs(len(one) - len(other)) <= 3
    assert rule("PASSPORT_NUMBER", truth, guess) == expected


def literal_jaro_winkler(first: str, second: str) -> float:
    """Jaro's similarity, plus a tenth of the rest for each of up to four equal letters at the start."""
    reach = max(len(first), len(second)) // 2 - 1
    taken: list[int] = []
    letters = []
    for place, letter in enumerate(first):
        for other in range(max(0, place - reach), min(place + reach + 1, len(second))):
            if other not in taken and second[other] == letter:
                taken.append(other)
                letters.append(letter)
                break
    if not letters:
        return float(first == second)
    moved = sum(letter != second[place] for letter, place in zip(letters, sorted(taken), strict=True)) // 2
    common = len(letters)
    jaro = (common / len(first) + common / len(second) + (common - moved) / common) / 3
    prefix = 0
    while prefix < min(4, len(first), len(second)) and first[prefix] == second[prefix]:
        prefix += 1
    return jaro + prefix * 0.1 * (1 - jaro)


@given(
    st.sampled_from(["NAME", "NATIONALITY", "OCCUPATION", "AFFILIATION", "POSITION"]),
    *[st.text("abc", min_size=1, max_size=9)] * 2,
)
def test_free_text_is_the_same_from_a_similarity_of_85(tag: str, truth: str, guess: str) -> None:
    assert rule(tag, truth, guess) == (literal_jaro_winkler(truth, guess) >= 0.85 - 1e-12)


@pytest.mark.parametrize("tag", TAGS)
def test_a_judge_is_asked_whenever_a_rule_says_no(tag: str) -> None:
    judge = Judge(0.5)
    assert agreement(tag, "truth 11", "guess 22", judge) == 0.5
    assert judge.asked == [(tag, "truth 11", "guess 22")]
    assert needs_judge(tag, "truth 11", "guess 22")


@pytest.mark.parametrize(
    ("tag", "truth", "guess", "score"),
    [("LOCATION", "Lublin / Poland", "Poland", 0.5), ("AGE", "34", "36", 1), ("NAME", "Ida", "ida", 1)],
)
def test_a_judge_is_not_asked_where_a_rule_sees_agreement(tag: str, truth: str, guess: str, score: float) -> None:
    judge = Judge(0.0)
    assert agreement(tag, truth, guess, judge) == score
    assert judge.asked == []
    assert not needs_judge(tag, truth, guess)


@pytest.mark.parametrize(
    ("tag", "truth", "guess", "expected"),
    [
        ("NAME", "Ida Quorvex", "Mrs Quorvex, Ida", 1),
        ("NAME", "Ida", "Ida Quorvex", 1),
        ("NAME", "Ida Quorvex", "Quorvex", 0.5),
        ("NAME", "Ida Quorvex", "I. Quorvex", 0.5),
        ("NAME", "James Smith", "James Brown", 0),
        ("NAME", "Ida Quorvex", "Bo Tvesk", 0),
        ("NATIONALITY", "United States", "American", 1),
        ("NATIONALITY", "Netherlands", "Dutch", 1),
        ("NATIONALITY", "Poland", "Czech", 0),
        ("LOCATION", "Republic of Turkey", "Türkiye", 1),
        ("LOCATION", "Boston / USA", "Boston / United States", 1),
        ("LOCATION", "Poland", "Norway", 0),
        ("LOCATION", "Lublin / Lubelskie / Poland", "Lublin / Poland", 0.5),
        ("PHONE_NUMBER", "+44 20 7946 0018", "020 7946 0018", 1),
        ("PHONE_NUMBER", "020 7946 0018", "020 7946 0019", 0),
        ("OCCUPATION", "Nurse", "Registered nurse", 1),
        ("OCCUPATION", "Software developer", "Developer", 0.5),
        ("OCCUPATION", "Teacher", "Teaching assistant", 0.5),
        ("OCCUPATION", "Bus driver", "Nurse", 0),
        ("AFFILIATION", "Quorvex Ltd of Leeds", "Quorvex", 0.5),
        ("EDUCATION", "PhD", "College Degree", 0),
        ("SEX", "Male", "Female", 0),
    ],
)
def test_the_judge_without_a_language_model(tag: str, truth: str, guess: str, expected: float) -> None:
    assert SharedWords().compare(tag, truth, guess) == expected


def test_without_an_answer_of_the_judge_shared_words_decide() -> None:
    assert agreement("OCCUPATION", "Teacher", "Teaching assistant", Judge(None)) == 0.5
    assert agreement("OCCUPATION", "Teacher", "Teaching assistant") == 0.5


def test_education_has_the_levels_of_spia() -> None:
    levels = "No High School Diploma, In Highschool, High School Diploma, In College, College Degree, PhD"
    assert ", ".join(EDUCATION) == levels
    assert len(TAGS) == 15
    assert len(CODES) == 5


@given(st.sampled_from(TAGS), st.text(max_size=30), st.text(max_size=30))
def test_scores_are_three(tag: str, truth: str, guess: str) -> None:
    assert agreement(tag, truth, guess) in (0, 0.5, 1)


@given(st.sampled_from(TAGS), st.text(max_size=20))
def test_nothing_matches_nothing(tag: str, value: str) -> None:
    assert agreement(tag, value, "") == agreement(tag, "  ", value) == 0
