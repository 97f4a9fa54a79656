"""One method, several models, several runs."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from statistics import fmean, stdev
from typing import cast

import pytest

from sfumato.comparison.compare import compare_methods
from sfumato.comparison.methods import RepeatedChat, combine_runs
from sfumato.comparison.page import page
from sfumato.document import Score
from sfumato.errors import InputError, RecipeError
from sfumato.llm.chat import Message, Request, logits_model
from sfumato.llm.replay import ScriptedChat
from sfumato.metrics.measurement import Measurement
from sfumato.recipe import Recipe
from tests.chats import unreadable_chat

DOCUMENTS = {
    "1": "Anna Quorvex keeps bees behind the lighthouse and raced pigeons for years.",
    "2": "Bo Pellwick mends clocks in the old mill and sings in a choir on Sundays.",
}
ASKING = Recipe.model_validate(
    {"name": "asking", "detect": ["sparks"], "always_run": [], "replace": {"default": "suppress"}}
)
PLAIN = Recipe.model_validate({"name": "plain", "detect": ["rules"], "replace": {"default": "suppress"}})


def drawing(name: str = "drawing") -> ScriptedChat:
    """Lists one thing more in every other run."""

    def answer(request: Request) -> str:
        (key,) = (request.schema or {})["properties"]
        result = ["raced pigeons", "sings in a choir"]
        more = ["behind the lighthouse"] if request.sample_index >= 10_000 else []
        return json.dumps({key: [item for item in result + more if item in request.messages[-1].text]})

    return ScriptedChat(answer, name=name)


def test_every_model_and_run_has_its_row_and_others_run_once() -> None:
    one, other = drawing("one"), drawing("other")
    comparison = compare_methods(
        DOCUMENTS, {"asking": ASKING, "plain": PLAIN}, metrics=["rouge-l"], chats=[one, other], repeats=2
    )
    assert list(comparison.measurements) == ["asking @ one", "asking @ other", "plain"]
    score = comparison.measurements["asking @ one"].scores["rouge-l"]
    runs = score.settings["runs"]
    assert len(runs) == 2
    assert runs[0] > runs[1], "the second run took out more"
    assert score.value == pytest.approx(fmean(runs))
    assert score.settings["spread"] == pytest.approx(stdev(runs))
    assert "spread" not in comparison.measurements["plain"].scores["rouge-l"].settings
    assert comparison.by_model == {"asking": ("asking @ one", "asking @ other")}
    cost = comparison.costs["asking @ one"]
    assert (cost.runs, cost.documents, cost.usage.questions) == (2, 2, 4)
    assert cost.to_json()["per_document"]["requests"] == 1
    assert "plain" not in comparison.costs
    assert comparison.to_json()["methods"]["asking @ one"]["chat"]["model"] == "one"


def test_the_page_shows_spread_and_tokens() -> None:
    comparison = compare_methods(DOCUMENTS, {"asking": ASKING}, metrics=["rouge-l"], chats=[drawing()], repeats=2)
    html = page(comparison)
    assert "Several runs" in html
    assert "What the language models cost" in html
    assert "raced pigeons" not in html
    assert "Several runs" not in page(compare_methods(DOCUMENTS, {"plain": PLAIN}, metrics=["rouge-l"]))


def test_what_was_run_is_not_run_again_and_its_cost_is_remembered(tmp_path: Path) -> None:
    chat = drawing()
    first = compare_methods(DOCUMENTS, {"asking": ASKING}, metrics=["rouge-l"], chats=[chat], cache=tmp_path)
    asked = len(chat.asked)
    again = compare_methods(DOCUMENTS, {"asking": ASKING}, metrics=["rouge-l"], chats=[chat], cache=tmp_path)
    assert len(chat.asked) == asked
    assert again.costs == first.costs
    assert again.measurements["asking"].scores == first.measurements["asking"].scores


def test_a_rewriting_method_is_compared_too(tmp_path: Path) -> None:
    chat = ScriptedChat(lambda request: "Somebody keeps animals by the sea and did a sport with birds for some years.")
    recipe = Recipe.model_validate({"name": "rewriting", "rewrite": "dp-prompt", "always_run": ["rules"]})
    for _ in range(2):
        comparison = compare_methods(
            {"1": DOCUMENTS["1"]}, {"rewriting": recipe}, metrics=["rouge-l"], chats=[chat], cache=tmp_path
        )
        assert 0 < comparison.measurements["rewriting"].scores["rouge-l"].value < 1


def test_metrics_ask_the_judge_and_no_other() -> None:
    judge = ScriptedChat(lambda request: json.dumps({"rating": 4, "reason": "it reads well"}), name="judge")
    chat = drawing()
    comparison = compare_methods(DOCUMENTS, {"asking": ASKING}, metrics=["coherence"], chats=[chat], chat=judge)
    assert comparison.measurements["asking"].scores["coherence"].value == 4
    assert judge.asked
    none = compare_methods(DOCUMENTS, {"asking": ASKING}, metrics=["coherence"], chats=[chat])
    assert "language model" in none.measurements["asking"].refused["coherence"]


def test_without_a_model_it_says_which_method_wants_one() -> None:
    with pytest.raises(RecipeError, match="'sparks' needs a language model"):
        compare_methods(DOCUMENTS, {"asking": ASKING}, metrics=["rouge-l"])
    with pytest.raises(RecipeError, match="given twice"):
        compare_methods(DOCUMENTS, {"asking": ASKING}, metrics=["rouge-l"], chats=[drawing(), drawing()])
    with pytest.raises(RecipeError, match="once or more often"):
        compare_methods(DOCUMENTS, {"asking": ASKING}, metrics=["rouge-l"], chats=[drawing()], repeats=0)


def test_documents_that_used_the_fallback_are_a_remark_also_from_the_cache(tmp_path: Path) -> None:
    def answer(request: Request) -> str:
        (key,) = (request.schema or {})["properties"]
        return "hm {" if "pigeons" in request.messages[-1].text else json.dumps({key: []})

    def remark(recipe: Recipe) -> str:
        chats = [ScriptedChat(answer)]
        (problem,) = compare_methods(
            DOCUMENTS, {"a": recipe}, metrics=["rouge-l"], chats=chats, cache=tmp_path
        ).problems
        return str(problem)

    for _ in range(2):
        assert "1 of 2 documents fell back" in remark(ASKING.with_changes(failed="fallback", always_run=["rules"]))
    assert "withholds 1 documents" in remark(ASKING)


def test_a_method_that_releases_nothing_does_not_end_the_others() -> None:
    comparison = compare_methods(
        DOCUMENTS, {"asking": ASKING, "plain": PLAIN}, metrics=["rouge-l"], chats=[drawing("good"), unreadable_chat()]
    )
    assert list(comparison.measurements) == ["asking @ good", "plain"]
    (problem,) = comparison.problems
    assert "asking @ unreadable: the method 'asking' releases not one document" in str(problem)
    assert comparison.costs["asking @ unreadable"].usage.requests == 2, "what it cost is said all the same"
    assert "asking @ unreadable" in page(comparison)
    with pytest.raises(InputError, match="releases not one document"):
        compare_methods(DOCUMENTS, {"asking": ASKING}, metrics=["rouge-l"], chats=[unreadable_chat()])


def test_a_prompt_that_changed_is_run_again(tmp_path: Path) -> None:
    mine = tmp_path / "mine.toml"
    shipped = resources.files("sfumato_papers.detectors").joinpath("prompts/sparks.toml").read_text(encoding="utf-8")
    recipe = ASKING.with_changes(detect=[{"use": "sparks", "prompt": str(mine)}])
    chat = drawing()
    for asked, text in ((2, shipped), (2, shipped), (4, f"{shipped}\n# changed")):
        mine.write_text(text, encoding="utf-8")
        compare_methods(DOCUMENTS, {"a": recipe}, metrics=["rouge-l"], chats=[chat], cache=tmp_path / "kept")
        assert len(chat.asked) == asked


PEOPLE = {"1": "Anna keeps bees behind the lighthouse.", "2": "Bo mends clocks in the old mill."}


def test_every_run_of_an_attack_is_told() -> None:
    comparison = compare_methods(
        DOCUMENTS, {"a": ASKING}, metrics=["rouge-l"], chats=[drawing()], repeats=2, background=PEOPLE, attacks=["bm25"]
    )
    assert list(comparison.attacks) == ["a", "a (run 2)"]
    assert len(comparison.to_json()["methods"]["a"]["attacks_by_run"]) == 2
    assert {row[0] for row in comparison.rows() if row[1] == "attack"} == {"a", "a (run 2)"}


def test_attempts_with_another_judge_are_not_taken_from_the_cache(tmp_path: Path) -> None:
    answer = json.dumps({"score": 50, "evidence": []})
    judges = [ScriptedChat(lambda request: answer, name=name) for name in ("one", "other", "one")]
    for judge in judges:
        compare_methods(
            DOCUMENTS,
            {"plain": PLAIN},
            metrics=["rouge-l"],
            background=PEOPLE,
            attacks=["rag"],
            chat=judge,
            cache=tmp_path,
        )
    assert [bool(judge.asked) for judge in judges] == [True, True, False]


def test_a_judge_that_babbles_costs_its_own_figures_alone() -> None:
    judge = unreadable_chat()
    comparison = compare_methods(
        DOCUMENTS, {"plain": PLAIN}, metrics=["rouge-l", "risk"], background=PEOPLE, attacks=["rag", "bm25"], chat=judge
    )
    assert list(comparison.measurements["plain"].scores) == ["rouge-l"]
    assert "could be used" in comparison.measurements["plain"].refused["risk"]
    assert len({request.key for request in judge.asked}) == len(judge.asked), "it is not asked for every metric"
    assert "its risk is not measured" in str(comparison.problems[0])
    assert not comparison.attacks
    page(comparison)


def test_two_rows_cannot_have_one_name() -> None:
    methods = {"a": ASKING, "a @ one": PLAIN}
    with pytest.raises(RecipeError, match="two rows of the table would be called 'a @ one'"):
        compare_methods(DOCUMENTS, methods, metrics=["rouge-l"], chats=[drawing("one"), drawing("two")])
    with pytest.raises(RecipeError, match="none of the methods asks a language model"):
        compare_methods(DOCUMENTS, {"plain": PLAIN}, metrics=["rouge-l"], chats=[drawing()])


def test_names_are_text_on_the_page() -> None:
    chats = [drawing("<i>x</i>"), drawing("<script>")]
    html = page(compare_methods(DOCUMENTS, {"<q>a</q>": ASKING}, metrics=["rouge-l"], chats=chats, repeats=2))
    for markup in ("<q>a", "<i>x", "<script"):
        assert markup not in html


def test_another_run_shows_the_scores_that_the_model_shows() -> None:
    class Shows(ScriptedChat):
        def next_logprobs(self) -> None: ...

    chat = Shows({})
    assert cast(object, logits_model(RepeatedChat(chat, 2))) is chat


def test_another_run_asks_the_same_with_other_sample_indices() -> None:
    chat = ScriptedChat({"Who": "nobody"})
    request = Request((Message("user", "Who?"),), seed=3, sample_index=1)
    RepeatedChat(chat, 3).ask([request])
    assert chat.asked[0].messages == request.messages
    assert (chat.asked[0].sample_index, chat.asked[0].seed) == (20_001, 20_003)
    assert chat.asked[0].key != request.key


def test_a_metric_that_one_run_refuses_has_no_mean() -> None:
    score = Score("m", 0.5, (0.4, 0.6), 2, {"1": 0.5}, True)
    combined = combine_runs([Measurement({"m": score}, {}), Measurement({}, {"m": "nothing to measure"})])
    assert not combined.scores
    assert combined.refused == {"m": "in run 2, nothing to measure"}
