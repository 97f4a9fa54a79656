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
    replaced_pairs,
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
    found = judge_pairs(pairs)
    assert [verdict.kind for verdict in found] == ["label", "replaced", "suppressed", "replaced", "replaced"]
    assert (found[0].truthful, found[0].abstract, found[2].truthful) == (True, True, None)
    assert found[1] == found[4] == judge_pairs([pairs[1]])[0]
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
