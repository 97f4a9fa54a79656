import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.attacks.subjects.matching import TAGS, agreement


@pytest.mark.parametrize(
    ("tag", "truth", "guess", "expected"),
    [
        ("IDENTIFICATION_NUMBER", "QX-ID-12 34", "qxid1234", 1),
        ("IDENTIFICATION_NUMBER", "QX-ID-1234", "QX-ID-1235", 0),
        ("DRIVER_LICENSE_NUMBER", "QX-DL-9", "QX-DL-9", 1),
        ("PASSPORT_NUMBER", "X 123", "X123", 1),
        ("EMAIL_ADDRESS", "Ida@Quorvex.example", "ida@quorvex.example", 1),
        ("EMAIL_ADDRESS", "ida@quorvex.example", "idaquorvex@example", 0),
        ("PHONE_NUMBER", "+44 20 7946 0018", "020 7946 0018", 1),
        ("PHONE_NUMBER", "020 7946 0018", "020 7946 0019", 0),
        ("PHONE_NUMBER", "020 7946 0018", "0018", 0),
        ("NAME", "Ida Quorvex", "Mrs Quorvex, Ida", 1),
        ("NAME", "Ida", "Ida Quorvex", 1),
        ("NAME", "Ida Quorvex", "Quorvex", 0.5),
        ("NAME", "Ida Quorvex", "I. Quorvex", 0.5),
        ("NAME", "Katarina Quorvex", "Katerina Quorvex", 1),
        ("NAME", "Ida Quorvex", "Bo Tvesk", 0),
        ("SEX", "Female", "woman", 1),
        ("SEX", "Male", "Female", 0),
        ("AGE", "34", "39", 1),
        ("AGE", "34", "40", 0),
        ("AGE", "30-39", "30-37", 1),
        ("AGE", "30", "25-64", 0.5),
        ("AGE", "20-29", "60", 0),
        ("AGE", "old", "60", 0),
        ("LOCATION", "Lublin / Poland", "Lublin / Poland", 1),
        ("LOCATION", "Lublin / Poland", "Poland", 0.5),
        ("LOCATION", "Poland", "Lublin / Poland", 1),
        ("LOCATION", "Lublin / Poland", "Gdańsk / Poland", 0.5),
        ("LOCATION", "Springfield / United States", "Springfield / Canada", 0),
        ("NATIONALITY", "United States", "American", 1),
        ("NATIONALITY", "Netherlands", "Dutch", 1),
        ("NATIONALITY", "Poland", "Czech", 0),
        ("EDUCATION", "College Degree", "college degree", 1),
        ("EDUCATION", "PhD", "College Degree", 0.5),
        ("EDUCATION", "College Degree", "PhD", 0),
        ("RELATIONSHIP", "Married", "In Relation", 0.5),
        ("RELATIONSHIP", "Married", "Divorced", 0),
        ("OCCUPATION", "Truck driver", "truck driver", 1),
        ("OCCUPATION", "Nurse", "Registered nurse", 1),
        ("OCCUPATION", "Software developer", "Developer", 0.5),
        ("OCCUPATION", "Teacher", "Teaching assistant", 0.5),
        ("OCCUPATION", "Retail worker", "Health worker", 0),
        ("AFFILIATION", "Quorvex Ltd", "Quorvex", 0.5),
        ("AFFILIATION", "Tvesk Bakery", "Tvesk Bakary", 1),
        ("POSITION", "Director", "Baker", 0),
    ],
)
def test_each_rule(tag: str, truth: str, guess: str, expected: float) -> None:
    assert agreement(tag, truth, guess) == expected


class Generous:
    name = "generous"

    def __init__(self, answer: float | None) -> None:
        self.answer = answer
        self.asked: list[tuple[str, str, str]] = []

    def compare(self, tag: str, truth: str, guess: str) -> float | None:
        self.asked.append((tag, truth, guess))
        return self.answer


def test_a_judge_is_asked_only_where_no_rule_decides() -> None:
    judge = Generous(1.0)
    assert agreement("OCCUPATION", "Physician", "Doctor", judge) == 1
    assert judge.asked == [("OCCUPATION", "Physician", "Doctor")]
    assert agreement("OCCUPATION", "Doctor", "doctor", judge) == 1
    assert agreement("AGE", "34", "70", judge) == 0
    assert len(judge.asked) == 1


def test_without_an_answer_of_the_judge_shared_words_decide() -> None:
    assert agreement("OCCUPATION", "Teacher", "Teaching assistant", Generous(None)) == 0.5


@given(st.sampled_from(TAGS), st.text(max_size=30), st.text(max_size=30))
def test_scores_are_three(tag: str, truth: str, guess: str) -> None:
    assert agreement(tag, truth, guess) in (0, 0.5, 1)


@given(st.sampled_from(TAGS), st.text(max_size=20))
def test_nothing_matches_nothing(tag: str, value: str) -> None:
    assert agreement(tag, value, "") == agreement(tag, "  ", value) == 0
