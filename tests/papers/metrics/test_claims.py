"""The measures of the claims attack, worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sfumato import measure
from sfumato.cli.app import app
from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import NotMeasurable, RecipeError, UnknownName, WrongArgument
from sfumato.llm.replay import ScriptedChat
from sfumato.metrics.base import MetricInput
from sfumato.metrics.surface import rouge_l_f1
from sfumato.statistics import wilson
from sfumato_papers.attacks.claims import ChatJudge, ChatSplitter, Question, Rating
from sfumato_papers.metrics.claims import LinkedRecord, linkage, privacy, rouge_privacy, show_records

ANA = Document("ana", "Ana has asthma. Ana bakes bread. Ana keeps bees. Ana plays the harp. Ana was seen in Lublin.")
BO = Document("bo", "Bo has gout. Bo flies planes. Bo grows roses. Bo sings loudly. Bo was seen in Oslo.")
SHORT = Document("short", "Cy knits. Cy reads.")


def released(document: Document, **changes: str) -> Release:
    items = [(document.text.index(old), old, new) for old, new in changes.items()]
    return Release(document, tuple(Edit(Span(at, at + len(old), "MISC"), new) for at, old, new in items))


MASKED = [
    released(ANA, harp="MISC_1", Lublin="LOC_1"),
    released(BO, roses="", Oslo="LOC_1"),
    released(SHORT),
]


@pytest.mark.parametrize("known", ["first", "random", "last"])
def test_originals_are_found_and_all_is_known(known: str) -> None:
    inputs = MetricInput([Release(document) for document in (ANA, BO, SHORT)])
    linked = linkage(inputs, known=known)
    assert (linked.value, linked.n, linked.interval) == (1.0, 2, wilson(2, 2))
    assert linked.settings["too_few_claims"] == 1
    assert linked.settings["chance"] == pytest.approx(1 / 3)
    assert privacy(inputs, known=known).value == 0
    assert rouge_privacy(inputs, known=known).value == 0


def test_ratings_become_privacy() -> None:
    # Known: the first three. Unknown of Ana: "plays the harp" (ana, play of ana, play, harp: 2), "was seen in Lublin"
    # (ana, see of ana, see, lublin: 2). Of Bo: "sings loudly" (1), "was seen in Oslo" (2).
    score = privacy(MetricInput(MASKED), known="first")
    assert score.per_document == {"ana": 0.5, "bo": 0.25}
    assert score.value == 0.375
    assert score.settings["ratings"] == {"1": 1, "2": 3, "3": 0}
    assert score.settings["judge"] == "lexical"


def test_a_wrong_link_is_judged_against_the_wrong_record() -> None:
    swapped = [Release.rewritten(ANA, BO.text), Release.rewritten(BO, ANA.text)]
    assert linkage(MetricInput(swapped), known="first").value == 0
    # Ana's claims are found in what was released for Bo: nothing is private, though no link is right.
    assert privacy(MetricInput(swapped), known="first").value == 0


def test_nothing_left_is_chance_and_private() -> None:
    documents = [Document(str(number), f"{ANA.text} Ana is {number}.") for number in range(40)]
    inputs = MetricInput([Release.rewritten(document, "") for document in documents])
    linked = linkage(inputs)
    assert linked.value == pytest.approx(1 / 40)
    assert linked.settings["empty_releases"] == 40
    assert privacy(inputs).value == 1
    assert rouge_privacy(inputs).value == 1


def test_of_equal_releases_each_may_be_the_one() -> None:
    twin = Document("twin", ANA.text)
    linked = linkage(MetricInput([Release(ANA), Release(twin), Release(BO)]))
    assert linked.per_document == {"ana": 0.5, "twin": 0.5, "bo": 1.0}


def test_the_baseline_is_rouge_l_both_times() -> None:
    score = rouge_privacy(MetricInput(MASKED), known="first")
    for release in MASKED[:2]:
        overlap = rouge_l_f1(release.document.text, release.text)
        assert overlap is not None
        assert score.per_document[release.document.id] == pytest.approx(1 - overlap)
    assert score.settings["linked"] == 1
    # Three known sentences of Ana, 9 words of her 18: a release of just these is nearer by F1 than her whole text.
    first = Document("copy", "Zed naps. Zed eats. Zed runs. Zed hums.")
    near = Release.rewritten(first, "Ana has asthma. Ana bakes bread. Ana keeps bees.")
    score = rouge_privacy(MetricInput([Release(ANA), near]), known="first")
    assert score.per_document["ana"] == pytest.approx(1 - 2 * 9 / (18 + 9))


class Nine:
    """A splitter that takes nine words a claim."""

    name = "nine"

    def split(self, texts: list[str]) -> list[list[object]]:
        return [[] for _ in texts]


def test_what_cannot_be_measured_says_why() -> None:
    with pytest.raises(NotMeasurable, match="not one of 1 originals has more than 3 claims"):
        linkage(MetricInput([Release(SHORT)]))
    with pytest.raises(NotMeasurable, match="not one of 2 originals"):
        privacy(MetricInput([Release(ANA), Release(BO)]), splitter=Nine())
    with pytest.raises(NotMeasurable, match="one release only"):
        linkage(MetricInput([Release(ANA)]))
    with pytest.raises(RecipeError, match="no splitter 'words'"):
        linkage(MetricInput(MASKED), splitter="words")
    with pytest.raises(RecipeError, match="no way 'middle'"):
        linkage(MetricInput(MASKED), known="middle")


def test_a_chat_may_split_and_judge() -> None:
    script = {
        "List the claims": '{"claims": ["A is a.", "B is b.", "C is c.", "D is d.", "E is e."]}',
        "Rate the 2 claims": [*['{"ratings": [1, 3]}'] * 3, *['{"ratings": [1, 2]}'] * 3, '{"ratings": [2, 3]}'],
    }
    chat = ScriptedChat(script)
    score = privacy(MetricInput(MASKED[:2]), splitter=ChatSplitter(chat), judge=ChatJudge(chat))
    assert score.value == 0.5
    assert score.settings["judge"] == "chat:scripted,prompt=judge-claims@2,votes=3"
    assert score.settings["splitter"] == "chat:scripted,prompt=split-claims@1"
    by_name = privacy(MetricInput(MASKED[:2], chat=chat), splitter="chat", judge="chat")
    assert (by_name.value, by_name.settings) == (score.value, score.settings)
    assert by_name.cost["questions"] == 2 + 2 * 3
    assert by_name.cost["failed"] == 0
    assert by_name.cost["prompt_tokens"] > 0
    assert "chat" not in privacy.settings
    for name in ("splitter", "judge"):
        with pytest.raises(NotMeasurable, match=f"the {name} 'chat' needs a language model: give --chat"):
            privacy(MetricInput(MASKED[:2]), **{name: "chat"})


def test_records_may_be_summarized_first() -> None:
    script = {
        "Summarize the record": '{"summary": "A is a, B is b, C is c, D is d."}',
        "List the claims": '{"claims": ["A is a.", "B is b.", "C is c.", "D is d."]}',
        "Rate the 1 claims": '{"ratings": [2]}',
    }
    chat = ScriptedChat(script)
    score = privacy(MetricInput(MASKED[:2], chat=chat), splitter="summary", judge="chat")
    assert score.value == 0.5
    assert score.settings["splitter"] == (
        "chat:scripted,prompt=summarize-record@1, chat:scripted,prompt=split-claims@1"
    )
    assert score.cost["questions"] == 2 + 2 + 2 * 3
    with pytest.raises(NotMeasurable, match="the splitter 'summary' needs a language model: give --chat"):
        linkage(MetricInput(MASKED[:2]), splitter="summary")
    with pytest.raises(RecipeError, match="no splitter 'sumary': did you mean 'summary'"):
        linkage(MetricInput(MASKED[:2]), splitter="sumary")
    with pytest.raises(RecipeError, match=r"prompt missing.toml cannot be read"):
        linkage(MetricInput(MASKED[:2], chat=chat), splitter="summary:missing.toml")


class Mute:
    """A judge that cannot be understood."""

    name = "mute"

    def rate(self, questions: list[Question]) -> list[list[int | None]]:
        return [[None if "Bo" in claim else 3 for claim in question.claims] for question in questions]


def test_what_a_judge_leaves_open_is_counted() -> None:
    score = privacy(MetricInput(MASKED), judge=Mute())
    assert score.per_document == {"ana": 1.0}
    assert (score.settings["unreadable"], score.settings["left_out"]) == (2, 1)
    with pytest.raises(NotMeasurable, match="no answer that can be read"):
        privacy(MetricInput([Release(BO), Release(SHORT)]), judge=Mute())


class Halting:
    """Rates the first claim of each record alone."""

    name = "halting"

    def rate(self, questions: list[Question]) -> list[list[int | None]]:
        return [[2, *[None] * (len(question.claims) - 1)] for question in questions]


def test_privacy_is_the_mean_over_the_claims_that_were_rated() -> None:
    score = privacy(MetricInput(MASKED), known="first", judge=Halting())
    assert score.per_document == {"ana": 0.5, "bo": 0.5}  # (2 - 1) / 2, of one claim each; the other was not rated
    assert score.settings["unreadable"] == 2


FIRST = {name: {"known": "first"} for name in ("claims-privacy", "rouge-link-privacy")}
SYNTHESIZED = {
    "s1": "Someone bakes bread and has asthma. Someone keeps bees. Someone was seen in Lublin.",
    "s2": "Rain fell.",
    "s3": "Snow fell.",
    "s4": "Bo has gout. Bo flies planes. Bo grows roses.",
}


def test_a_set_of_synthesized_texts_may_have_any_size() -> None:
    originals = {document.id: document.text for document in (ANA, BO, SHORT)}
    measured = measure(originals, SYNTHESIZED, metrics=["claims"], synthesized=True, settings=FIRST)
    # Ana's three known claims lead to s1: of "plays the harp" no word is there, of "was seen in Lublin" see and lublin,
    # two of three: (1 + .5) / 2. Bo's lead to s4, where of "sings loudly" and "was seen in Oslo" bo alone is: 1.
    assert measured.scores["claims-privacy"].per_document == {"ana": 0.75, "bo": 1.0}
    assert measured.scores["claims-privacy"].settings["candidates"] == 4
    assert "chance" not in measured.scores["claims-privacy"].settings
    lexical = {key: rouge_l_f1(originals[key], SYNTHESIZED[text]) for key, text in (("ana", "s1"), ("bo", "s4"))}
    assert measured.scores["rouge-link-privacy"].per_document == {
        key: 1 - (value or 0) for key, value in lexical.items()
    }
    assert "no link is right or wrong" in measured.refused["claims-linkage"]
    scores = measure(originals, {"s": SYNTHESIZED["s4"]}, metrics=["claims-privacy"], synthesized=True, settings=FIRST)
    assert scores.scores["claims-privacy"].per_document["bo"] == 1.0


def test_metrics_of_an_original_and_its_release_refuse_synthesized_texts() -> None:
    measured = measure({"ana": ANA.text}, SYNTHESIZED, metrics=["rouge-l", "risk"], synthesized=True)
    assert not measured.scores
    assert all("stands for none" in reason for reason in measured.refused.values())
    with pytest.raises(WrongArgument, match="synthesized texts are a path or"):
        measure({"ana": ANA.text}, MASKED, synthesized=True)


def test_synthesized_texts_are_read_from_a_file(tmp_path: Path) -> None:
    for name, texts in (("o.jsonl", {"ana": ANA.text, "bo": BO.text}), ("s.jsonl", SYNTHESIZED)):
        rows = [json.dumps({"id": key, "text": text}) for key, text in texts.items()]
        (tmp_path / name).write_text("\n".join(rows), encoding="utf-8")
    arguments = ["measure", str(tmp_path / "o.jsonl"), str(tmp_path / "s.jsonl"), "--synthesized", "--json"]
    result = CliRunner().invoke(app, [*arguments, "--metric", "claims-privacy"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["metrics"]["claims-privacy"]["settings"]["candidates"] == 4


def test_a_record_with_its_match_and_the_claims_that_leak() -> None:
    """Table 5 of Xin et al. (2025): record, match, claims used for matching, leaks detected by the judge."""
    (record,) = show_records(["bo"], MASKED, known="first")
    assert (record.document_id, record.match_id) == ("bo", "bo")
    assert record.original == BO.text
    assert record.match == MASKED[1].text
    assert record.known == ("Bo has gout", "Bo flies planes", "Bo grows roses")
    assert record.others == (("Bo sings loudly", Rating(1)), ("Bo was seen in Oslo", Rating(2)))
    assert record.leaked == list(record.others)
    # The figure of the metric follows from the same ratings.
    ratings = [rating.value - 1 for _, rating in record.others if rating.value]
    assert privacy(MetricInput(MASKED), known="first").per_document["bo"] == sum(ratings) / 2 / len(ratings)
    assert not any(word in repr(record) for word in ("gout", "Oslo", "sings"))


def test_a_match_may_be_the_release_of_another_record() -> None:
    swapped = [Release.rewritten(ANA, BO.text), Release.rewritten(BO, "Ana keeps bees. Ana has asthma.")]
    (record,) = show_records(["ana"], swapped, known="first")
    assert (record.match_id, record.match) == ("bo", swapped[1].text)
    assert [claim for claim, _ in record.others] == ["Ana plays the harp", "Ana was seen in Lublin"]
    assert record.leaked == []


def test_records_are_shown_only_where_they_are_asked_for() -> None:
    given = ([ANA, BO, SHORT], MASKED)
    assert measure(*given, metrics=["claims-privacy"]).records == ()
    measured = measure(
        *given,
        metrics=["claims-privacy"],
        settings={"claims-privacy": {"known": "first", "judge": Mute()}},
        show_claims=["bo", "short"],
    )
    (record,) = measured.records
    assert isinstance(record, LinkedRecord)
    assert record.others == (("Bo sings loudly", Rating(None)), ("Bo was seen in Oslo", Rating(None)))
    assert [str(problem) for problem in measured.problems] == [
        "releases: the claims of short cannot be shown: they have no release, or three claims at most"
    ]
    told = measured.to_json()
    assert told["records"][0]["match"] == MASKED[1].text
    del told["records"]
    assert "gout" not in json.dumps(told)
    assert "gout" not in repr(measured)
    with pytest.raises(UnknownName, match="no document 'anna'"):
        measure(*given, metrics=["claims-privacy"], show_claims=["anna"])


def test_a_judge_is_asked_once_for_the_figure_and_what_is_shown() -> None:
    reasons = json.dumps({"ratings": [{"reason": "sung loudly", "rating": 1}, {"reason": "a place", "rating": 2}]})
    chat = ScriptedChat(lambda request: reasons)
    settings = {"claims-privacy": {"known": "first", "judge": "chat"}}
    measured = measure(
        [ANA, BO], MASKED[:2], metrics=["claims-privacy"], settings=settings, chat=chat, show_claims=["bo"]
    )
    (record,) = measured.records
    assert isinstance(record, LinkedRecord)
    assert record.leaked[0] == ("Bo sings loudly", Rating(1, "sung loudly"))
    assert len(chat.asked) == 2 * 3


def test_the_command_prints_a_record_where_its_id_is_given(tmp_path: Path) -> None:
    for name, texts in (("o", [ANA, BO]), ("r", MASKED[:2])):
        rows = [(text.id, text.text) if isinstance(text, Document) else (text.document.id, text.text) for text in texts]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps({"id": i, "text": t}) + "\n" for i, t in rows))
    given = ["measure", str(tmp_path / "o.jsonl"), str(tmp_path / "r.jsonl"), "--metric", "claims-privacy"]
    assert "gout" not in CliRunner().invoke(app, given).output
    shown = CliRunner().invoke(app, [*given, "--set", "claims-privacy.known=first", "--show-claims", "bo"]).output
    assert "original record:\n" + BO.text in shown
    assert "linked release (its own):\n" + MASKED[1].text in shown
    assert "claims that leak, 2 of 2 others:\n  Bo sings loudly (the same is said)\n" in shown
    assert "harp" not in shown
