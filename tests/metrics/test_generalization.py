"""Shares of truthful and of more abstract replacements, against counts by hand, and the judges behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import NotMeasurable, RecipeError
from sfumato.generalize.truth import Pair
from sfumato.llm.replay import ScriptedChat
from sfumato.metrics.base import MetricInput
from sfumato.metrics.generalization import (
    ChatPairJudge,
    TableJudge,
    Verdict,
    abstract_share,
    judge_pairs,
    label_fallback,
    replaced_pairs,
    truthful_and_abstract_share,
    truthful_share,
)
from sfumato.statistics import wilson

ANNA = Document("anna", "Anna Quorvex, a cardiologist, was born in Leeds on 3 May 1970 and earns 4,200 euros.")
BELA = Document("bela", "Bela Tvesk was seen on 7 June 1998 in Poland.")
QUIET = Document("quiet", "It rained.")


def edit(document: Document, old: str, new: str, label: str, source: str = "") -> Edit:
    at = document.text.index(old)
    return Edit(Span(at, at + len(old), label, source=source), new)


PAIRS = st.builds(
    lambda original, now, label: Pair(original, now, label),
    st.text(max_size=30),
    st.text(max_size=30),
    st.sampled_from(["LOC", "MISC", "x"]),
)
RELEASES = [
    Release(
        ANNA,
        (
            edit(ANNA, "Anna Quorvex", "PERSON_1", "PERSON"),
            edit(ANNA, "cardiologist", "physician", "DEM"),  # true, wider
            edit(ANNA, "Leeds", "Sheffield", "LOC"),  # neither
            edit(ANNA, "3 May 1970", "3/5/1970", "DATETIME"),  # true, the same
            edit(ANNA, "4,200 euros", "", "QUANTITY"),
        ),
    ),
    Release(
        BELA,
        (
            edit(BELA, "Bela Tvesk", "PERSON_1", "PERSON"),
            edit(BELA, "7 June 1998", "1998", "DATETIME"),  # true, wider
            edit(BELA, "Poland", "Poland", "LOC"),  # no change
        ),
    ),
    Release(QUIET),
]


def test_shares_are_those_counted_by_hand() -> None:
    truthful = truthful_share(MetricInput(RELEASES))
    abstract = abstract_share(MetricInput(RELEASES))
    assert (truthful.value, truthful.n) == (3 / 4, 4)
    assert truthful.interval == wilson(3, 4)
    assert (abstract.value, abstract.n) == (2 / 4, 4)
    assert truthful.per_document == {"anna": 2 / 3, "bela": 1.0}
    assert {name: truthful.settings[name] for name in ("labels", "suppressed", "unjudged", "type_phrases")} == {
        "labels": 2,
        "suppressed": 1,
        "unjudged": 0,
        "type_phrases": 0,
    }
    assert truthful.settings["decided_by"] == {"dates": 2, "places": 1, "taxonomy": 1}
    assert truthful.settings["by_label"]["DATETIME"] == {"value": 1.0, "interval": list(wilson(2, 2)), "n": 2}
    assert abstract.settings["by_label"]["LOC"]["value"] == 0.0


def test_labels_and_suppressions_alone_are_refused() -> None:
    labels = Release(BELA, (edit(BELA, "Bela Tvesk", "PERSON_1", "PERSON"), edit(BELA, "Poland", "", "LOC")))
    with pytest.raises(NotMeasurable, match="bare label"):
        truthful_share(MetricInput([labels]))
    with pytest.raises(NotMeasurable, match="no span"):
        truthful_share(MetricInput([Release(QUIET)]))
    with pytest.raises(NotMeasurable, match="rewritten"):
        abstract_share(MetricInput([Release.rewritten(QUIET, "It was wet.")]))


def test_what_no_judge_can_read_is_counted_as_unjudged() -> None:
    text = "La paciente acudió a la consulta por dolor de cabeza y fue tratada con reposo el 3 de mayo de 2001."
    note = Document("nota", text)
    release = Release(
        note,
        (edit(note, "dolor de cabeza", "una dolencia", "DEM"), edit(note, "3 de mayo de 2001", "2001", "DATETIME")),
    )
    score = truthful_share(MetricInput([release]))
    assert (score.value, score.n, score.settings["unjudged"]) == (1.0, 1, 1)


def test_another_judge_may_be_given_and_is_named() -> None:
    class No:
        name = "no"
        usage: Mapping[str, int] = {}

        def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict]:
            return [Verdict("replaced", False, False, reason="no") for _ in pairs]

    score = truthful_share(MetricInput(RELEASES), judge=No())
    assert (score.value, score.settings["judge"], score.settings["labels"]) == (0.0, "no", 2)
    with pytest.raises(RecipeError, match="'tabels'"):
        truthful_share(MetricInput(RELEASES), judge="tabels")


def test_a_pair_carries_what_stands_around_it() -> None:
    masked = Release(BELA, (edit(BELA, "7 June 1998", "1998", "UNKNOWN", source="mask"),))
    (pair,) = replaced_pairs(masked)
    assert pair == Pair("7 June 1998", "1998", "DATETIME", "Bela Tvesk was seen on ", " in Poland.", "en")


def test_the_model_prefers_a_description_to_a_sibling() -> None:
    described, sibling, alike = judge_pairs(
        [
            Pair("Northgate Assize Court", "a place where verdicts are read", "ORG"),
            Pair("Northgate Assize Court", "Brimdale Hospital", "ORG"),
            Pair("attorney", "lawyer", "DEM"),
        ]
    )
    assert described.reason == sibling.reason == "model"
    assert (described.truthful, described.abstract) == (True, True)
    assert (sibling.truthful, sibling.abstract) == (False, False)
    assert alike.abstract is False
    assert described.p_truthful is not None
    assert sibling.p_truthful is not None
    assert sibling.p_truthful < 0.5 < described.p_truthful


def test_verdicts_come_in_the_order_asked_and_do_not_depend_on_company() -> None:
    pairs = [
        Pair("Leeds", "LOC_1", "LOC"),
        Pair("Serco", "a large company", "ORG"),
        Pair("Leeds", "", "LOC"),
        Pair("Leeds", "the United Kingdom", "LOC"),
        Pair("Serco", "a large company", "ORG"),
    ]
    verdicts = judge_pairs(pairs)
    assert [verdict.kind for verdict in verdicts] == ["label", "replaced", "suppressed", "replaced", "replaced"]
    assert (verdicts[0].truthful, verdicts[0].abstract, verdicts[2].truthful) == (True, True, None)
    assert verdicts[1] == verdicts[4] == judge_pairs([pairs[1]])[0]
    assert judge_pairs([]) == []


@given(st.lists(PAIRS))
def test_any_pair_gets_a_verdict_with_probabilities(pairs: list[Pair]) -> None:
    for verdict in judge_pairs(pairs):
        if verdict.kind == "replaced":
            assert verdict.p_truthful is not None
            assert verdict.p_abstract is not None
            assert 0 <= verdict.p_truthful <= 1
            assert verdict.truthful == (verdict.p_truthful >= 0.5)
            assert verdict.abstract == (verdict.p_abstract >= 0.5)


def test_a_chat_judges_and_unreadable_answers_are_counted() -> None:
    chat = ScriptedChat(
        {
            "a physician": '{"answers": [true, true]}',
            "Sheffield": '```json\n{"answers": [false, false]}\n```',
            "3/5/1970": '{"answers": [1, 0]}',
            "1998": "Yes, it is.",
        }
    )
    told = Release(ANNA, (edit(ANNA, "a cardiologist", "a physician", "DEM"), *RELEASES[0].edits[2:4]))
    judge = ChatPairJudge(chat)
    score = truthful_share(MetricInput([told, RELEASES[1]]), judge=judge)
    assert (score.value, score.n) == (1 / 2, 2)
    assert (score.settings["unjudged"], score.cost["failed"], score.cost["requests"]) == (2, 2, 2 + 6)
    again = truthful_share(MetricInput([told, RELEASES[1]], chat=chat), judge="chat")
    assert (again.value, again.settings) == (score.value, score.settings)
    with pytest.raises(NotMeasurable, match="the judge 'chat' needs a language model"):
        truthful_share(MetricInput([told]), judge="chat")
    assert score.settings["judge"] == "chat:scripted,prompt=judge-generalizations@1"
    asked = next(request.messages[-1].text for request in chat.asked if "Sheffield" in request.messages[-1].text)
    assert "was born in [[Leeds]] on 3 May 1970" in asked


def test_the_table_judge_names_its_version() -> None:
    assert TableJudge().name.startswith("tables@")


TABLE_2 = {  # Pilán et al. (2025), per cent of 600: not truthful (same, more abstract), truthful (same, more abstract)
    "Presidio": (61.8, 18.5, 2.0, 17.7),
    "Dou et al.": (1.5, 3.3, 20.2, 75.0),
    "INTACT": (3.5, 3.3, 15.2, 78.0),
}


class CountingJudge:
    """Answers by the number that a replacement ends in."""

    name = "counting"

    def __init__(self, answers: Sequence[tuple[bool | None, bool | None]]) -> None:
        self._answers = answers

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict]:
        return [Verdict("replaced", *self._answers[int(pair.replacement.split()[-1])]) for pair in pairs]


def numbered(labels: Sequence[str]) -> list[Release]:
    """A document with a replaced word for each label."""
    text = " ".join(f"w{number}" for number in range(len(labels)))
    document, edits, at = Document("d", text), [], 0
    for number, label in enumerate(labels):
        edits.append(Edit(Span(at, at + len(f"w{number}"), label), f"thing {number}"))
        at += len(f"w{number}") + 1
    return [Release(document, tuple(edits))]


@pytest.mark.parametrize("approach", TABLE_2)
def test_truthful_and_abstract_as_in_table_2(approach: str) -> None:
    untrue_same, untrue_less, true_same, true_less = (round(6 * share) for share in TABLE_2[approach])
    answers = [(False, False)] * untrue_same + [(False, True)] * untrue_less
    answers += [(True, False)] * true_same + [(True, True)] * true_less
    types = ["ORG", "DATETIME", "LOC", "QUANTITY", "DEM", "MISC"] * 100  # 100 instances of each of six types
    score = truthful_and_abstract_share(MetricInput(numbered(types)), judge=CountingJudge(answers))
    shares = score.settings["by_type"]["all"]
    printed = [round(100 * shares[name]["value"], 1) for name in shares]
    assert printed == list(reversed(TABLE_2[approach]))
    assert score.value == shares["true, says less"]["value"]
    assert sum(share["value"] for share in shares.values()) == pytest.approx(1)
    assert {row["true, says less"]["n"] for label, row in score.settings["by_type"].items() if label != "all"} == {100}
    if approach == "INTACT":  # "81.3 % of the INTACT replacements were deemed as less specific and 93.2 % as truthful"
        less = shares["true, says less"]["value"] + shares["not true, says less"]["value"]
        true = shares["true, says less"]["value"] + shares["true, says no less"]["value"]
        assert (round(100 * less, 1), round(100 * true, 1)) == (81.3, 93.2)


def test_the_four_combinations_by_type_leave_out_what_one_question_has_no_answer_to() -> None:
    answers = [(True, True), (True, False), (True, None), (False, True), (False, False)]
    score = truthful_and_abstract_share(
        MetricInput(numbered(["LOC", "LOC", "LOC", "ORG", "ORG"])), judge=CountingJudge(answers)
    )
    assert (score.value, score.n, score.settings["unjudged"]) == (0.25, 4, 1)
    by_type = {label: [row[name]["value"] for name in row] for label, row in score.settings["by_type"].items()}
    assert by_type == {"all": [0.25] * 4, "LOC": [0.5, 0.5, 0, 0], "ORG": [0, 0, 0.5, 0.5]}


def chosen(label: str, *reasons: str) -> tuple[str, tuple[str, ...]]:
    return label, ("tagger:mask (0.99)", *reasons)


def with_reasons(edits: Sequence[tuple[str, tuple[str, ...]]]) -> list[Release]:
    document = Document("d", "x " * len(edits))
    return [
        Release(
            document,
            tuple(
                Edit(Span(2 * number, 2 * number + 1, label), "thing", reasons)
                for number, (label, reasons) in enumerate(edits)
            ),
        )
    ]


def test_share_of_labels_as_in_table_a5() -> None:
    # DATETIME: 175 of 4,467, 3.92 %; QUANTITY: 590 of 2,709, 21.78 %.
    guessed = [f"guessed at level {number} of 5: chat" for number in range(1, 6)]
    label = chosen("DATETIME", *guessed, "label: no candidate is left")
    dates = [label] * 175 + [chosen("DATETIME", "level 1 of 5 (chat)")] * (4467 - 175)
    amounts = [("QUANTITY", label[1])] * 590 + [chosen("QUANTITY", guessed[0], "level 2 of 5 (chat)")] * (2709 - 590)
    score = label_fallback(MetricInput(with_reasons(dates + amounts)))
    by_type = score.settings["by_type"]
    assert [round(100 * by_type[name]["label"]["value"], 2) for name in ("DATETIME", "QUANTITY")] == [3.92, 21.78]
    assert score.value == (175 + 590) / (4467 + 2709)


def test_the_level_that_was_chosen_by_type() -> None:
    edits = [
        chosen("LOC", "level 1 of 5 (places)"),
        chosen(
            "LOC", "guessed at level 1 of 5: hierarchy", "guessed at level 2 of 5: hierarchy", "level 3 of 5 (places)"
        ),
        chosen("LOC", "guessed at level 1 of 1: hierarchy", "label: no candidate is left"),
        chosen("MISC", "label"),
        chosen("PERSON", "label"),
        chosen("CODE", "label"),
        chosen("ORG", "Suppress"),
    ]
    score = label_fallback(MetricInput(with_reasons(edits)))
    assert (score.value, score.n, score.settings["always_labels"], score.settings["other_replacers"]) == (0.5, 4, 2, 1)
    shares = {
        label: {column: row[column]["value"] for column in row} for label, row in score.settings["by_type"].items()
    }
    assert shares == {
        "all": {"level 1": 0.25, "level 2": 0, "level 3": 0.25, "label": 0.25, "no candidate": 0.25},
        "LOC": {"level 1": 1 / 3, "level 2": 0, "level 3": 1 / 3, "label": 1 / 3, "no candidate": 0},
        "MISC": {"level 1": 0, "level 2": 0, "level 3": 0, "label": 0, "no candidate": 1},
    }


def test_a_release_without_levels_has_no_share_of_labels() -> None:
    with pytest.raises(NotMeasurable, match="which level was chosen"):
        label_fallback(MetricInput(with_reasons([chosen("ORG", "Suppress"), chosen("PERSON", "label")])))
