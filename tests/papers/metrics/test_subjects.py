import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document, Release
from sfumato.errors import NotMeasurable
from sfumato.formats.base import Columns
from sfumato.llm.replay import ScriptedChat
from sfumato.metrics.base import MetricInput
from sfumato.metrics.run import load_values
from sfumato_papers.attacks.subjects.matching import NON_CODES, Attribute, Profile
from sfumato_papers.metrics.subjects import collective_protection, individual_protection


class Reader:
    """Knows what each text gives away; whom it means is told by the first name of their description."""

    name = "reader"

    def __init__(self, known: dict[str, list[dict[str, str]]]) -> None:
        self.known = known

    def profile(self, texts: list[str]) -> list[list[Profile]]:
        return [
            [
                Profile(item["who"], tuple(Attribute(tag, value, 3) for tag, value in item.items() if tag != "who"))
                for item in self.known.get(text, [])
            ]
            for text in texts
        ]


def person(description: str, hardness: int = 1, certainty: int = 5, **facts: str) -> dict[str, object]:
    rows = [
        {"tag": tag, "keyword": value, "certainty": certainty, "hardness": hardness} for tag, value in facts.items()
    ]
    return {"description": description, "PIIs": rows}


IDA, BO, COOK, BAKER = "Ida Quorvex - the owner", "Bo Tvesk - her guest", "The cook", "The baker"
SUBJECTS = {
    "a": [
        person(IDA, NAME="Ida Quorvex", AGE="34", SEX="Female", LOCATION="Lublin / Poland"),
        person(BO, 2, NAME="Bo Tvesk"),
        person(COOK, certainty=2, AGE="80"),
    ],
    "b": [person(BAKER, 3, OCCUPATION="Baker", SEX="Male")],
}
ORIGINALS = {"a": "Ida Quorvex met Bo Tvesk and the cook.", "b": "The baker slept late."}
RELEASED = {"a": "The owner met a guest and the cook.", "b": "The baker slept."}
KNOWN = {
    ORIGINALS["a"]: [
        {"who": "Ida Quorvex", "NAME": "Ida Quorvex", "AGE": "34", "SEX": "Female", "LOCATION": "Lublin / Poland"},
        {"who": "Bo Tvesk", "NAME": "Bo Tvesk"},
    ],
    # The cook is as old as Ida, and is not Ida.
    RELEASED["a"]: [
        {"who": "the cook", "AGE": "34"},
        {"who": "the owner", "AGE": "36", "SEX": "F", "LOCATION": "Poland"},
    ],
    ORIGINALS["b"]: [{"who": "the baker", "OCCUPATION": "Baker", "SEX": "Male"}],
    RELEASED["b"]: [{"who": "the baker", "SEX": "Male"}],
}


def inputs(*texts: str, subjects: Mapping[str, object] | None = None) -> MetricInput:
    documents = [Document(key, text) for key, text in ORIGINALS.items()]
    releases = [Release.rewritten(one, text) for one, text in zip(documents, texts, strict=True)]
    return MetricInput(releases, subjects=SUBJECTS if subjects is None else subjects)


def test_worked_by_hand() -> None:
    # Ida: S = 1 + 1 + .5 of A = 4; Bo is not found, 0 of 1; the third has A = 0; the baker 1 of 2.
    given_ = inputs(*RELEASED.values())
    cpr = collective_protection(given_, profiler=Reader(KNOWN))
    ipr = individual_protection(given_, profiler=Reader(KNOWN))
    assert cpr.value == pytest.approx(1 - 3.5 / 7)
    assert ipr.value == pytest.approx(((1 - 2.5 / 4) + 1 + (1 - 1 / 2)) / 3)
    assert cpr.per_document == {"a": pytest.approx(1 - 2.5 / 5), "b": 0.5}
    assert cpr.interval[0] < cpr.value < cpr.interval[1]
    settings = cpr.settings
    assert (settings["subjects"], settings["attributes"], settings["without_attributes"]) == (3, 7, 1)
    assert (settings["found"], settings["undescribed"], settings["aligner"], settings["judge"]) == (
        2,
        0,
        "mentions",
        "shared words",
    )
    assert settings["on_originals"] == 0
    assert settings["by_tag"]["LOCATION"] == {"value": 0.5, "attributes": 1}
    assert settings["by_tag"]["SEX"] == {"value": 0, "attributes": 2}
    assert settings["by_hardness"] == {
        "1": {"value": pytest.approx(1 - 2.5 / 4), "attributes": 4},
        "2": {"value": 1, "attributes": 1},
        "3": {"value": 0.5, "attributes": 2},
    }
    assert settings["by_target"]["target"] == {"value": pytest.approx(1 - 3.5 / 6), "subjects": 2}
    assert settings["by_target"]["others"] == {"value": 1, "subjects": 1}
    # 1 - AAC is over the attributes of the people whom the documents are about, in either metric.
    assert settings["one_minus_aac"]["value"] == ipr.settings["one_minus_aac"]["value"] == pytest.approx(1 - 3.5 / 6)
    assert ipr.settings["by_target"]["target"]["value"] == pytest.approx(((1 - 2.5 / 4) + (1 - 1 / 2)) / 2)
    low, high = settings["one_minus_aac"]["interval"]
    assert (low < 1 - 3.5 / 6 < high, settings["one_minus_aac"]["subjects"]) == (True, 2)


def test_empty_releases_give_nothing_away() -> None:
    for rate in (collective_protection, individual_protection):
        score = rate(inputs("", ""))
        assert score.value == 1
        assert score.interval[0] < 1  # seven attributes are no proof


def test_the_certainty_that_counts_is_a_setting() -> None:
    score = collective_protection(inputs(*ORIGINALS.values()), profiler=Reader(KNOWN), certainty=1)
    assert score.settings["subjects"] == 4
    assert score.value == pytest.approx(1 / 8)


def test_documents_without_subjects_are_left_out_and_counted() -> None:
    score = collective_protection(inputs("", "", subjects={"b": SUBJECTS["b"]}), profiler=Reader({}))
    assert (score.n, score.settings["without_subjects"]) == (1, 1)


@pytest.mark.parametrize("subjects", [{}, {"c": SUBJECTS["a"]}, {"a": [person(COOK, certainty=2, AGE="3")]}])
def test_without_anything_to_infer_it_is_refused(subjects: dict[str, object]) -> None:
    with pytest.raises(NotMeasurable, match="--subject-profiles"):
        collective_protection(inputs("", "", subjects=subjects), profiler=Reader({}))


_VALUES: dict[str, Any] = {
    "NAME": "Ida",
    "AGE": "30-33",
    "SEX": "Male",
    "LOCATION": "Lublin / Poland",
    "OCCUPATION": "Truck driver",
}
_GUESSES = st.lists(
    st.dictionaries(st.sampled_from(sorted(_VALUES)), st.sampled_from(["Ida", "31", "Male", "Poland", "driver"])).map(
        lambda guesses: {"who": "the owner", **guesses}
    ),
    max_size=4,
)


@given(_GUESSES, _GUESSES)
def test_rates_are_shares_and_knowing_nothing_is_best(
    first: list[dict[str, str]], second: list[dict[str, str]]
) -> None:
    subjects = {"a": [person(IDA, **_VALUES), person(BO, NAME="Bo")], "b": [person(BAKER, SEX="Male")]}
    given_ = inputs(*RELEASED.values(), subjects=subjects)
    reader = Reader({RELEASED["a"]: first, RELEASED["b"]: second})
    for rate in (collective_protection, individual_protection):
        assert 0 <= rate(given_, profiler=reader).value <= rate(given_, profiler=Reader({})).value == 1


def test_the_benchmarks_own_file_is_read_by_its_ids(tmp_path: Path) -> None:
    file = tmp_path / "spia.jsonl"
    rows = [{"metadata": {"data_id": key}, "text": ORIGINALS[key], "subjects": SUBJECTS[key]} for key in SUBJECTS]
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert load_values(file, "subjects", Columns(), lambda problem: None) == SUBJECTS


CHAT_ANSWERS = {
    "List B": '{"pairs": [{"a": 0, "b": 0}]}',
    "Fill in the ten tags": json.dumps({tag: {"value": "Male", "certainty": 1} for tag in NON_CODES}),
    "numbers and addresses": '{"attributes": []}',
    "List the people": '{"people": ["someone"]}',
}


@pytest.mark.parametrize(
    ("settings", "asks"),
    [
        ({}, False),
        ({"profiler": "chat"}, True),
        ({"aligner": "chat"}, True),
        ({"profiler": "chat", "aligner": "mentions"}, False),
    ],
)
def test_people_are_aligned_by_chat_where_it_is_asked_for_them(settings: dict[str, str], asks: bool) -> None:
    chat = ScriptedChat(CHAT_ANSWERS)
    score = collective_protection(replace(inputs(*RELEASED.values()), chat=chat), **settings)
    assert score.settings["aligner"].startswith("chat:" if asks else "mentions")
    assert any("List B" in request.messages[-1].text for request in chat.asked) == asks
