"""Recipes that ask a language model: the other detectors always run, failures are said, rewrites are checked."""

from __future__ import annotations

import json

import pytest

import sfumato
from sfumato import recipe as recipes
from sfumato.document import Document, Release, Withheld
from sfumato.errors import NotReleased, RecipeError
from sfumato.llm.chat import Request
from sfumato.llm.replay import ScriptedChat
from sfumato.pipeline import Pipeline
from sfumato.recipe import Recipe
from tests.chats import unreadable_chat

TEXT = "Anna Quorvex (anna@example.org) keeps bees behind the lighthouse and raced pigeons for years."
FAST = {"always_run": ["rules"], "replace": {"default": "label"}}


def listing(*spans: str) -> ScriptedChat:
    """A model that lists these, whatever it is asked."""

    def answer(request: Request) -> str:
        (key,) = (request.schema or {})["properties"]
        return json.dumps({key: list(spans)})

    return ScriptedChat(answer)


def only(recipe: Recipe, chat: ScriptedChat, text: str = TEXT) -> Release | Withheld:
    (outcome,) = Pipeline(recipe, chat=chat).anonymize([Document("1", text)])
    return outcome


def test_what_the_model_lists_goes_and_so_does_what_always_running_detectors_find() -> None:
    recipe = Recipe.model_validate({"detect": ["all-attributes"], **FAST})
    outcome = only(recipe, listing("raced pigeons", "keeps bees"))
    assert isinstance(outcome, Release)
    for gone in ("Anna", "example.org", "raced pigeons", "keeps bees"):
        assert gone not in outcome.text
    assert "behind the lighthouse" in outcome.text


def test_detectors_that_always_run_can_be_removed_by_name_alone() -> None:
    recipe = Recipe.model_validate({"detect": ["all-attributes"], **FAST, "always_run": []})
    outcome = only(recipe, listing("raced pigeons"))
    assert isinstance(outcome, Release)
    assert "anna@example.org" in outcome.text
    assert "raced pigeons" not in outcome.text


def test_a_document_without_a_usable_answer_is_withheld() -> None:
    recipe = Recipe.model_validate({"detect": ["all-attributes"], **FAST})
    outcome = only(recipe, unreadable_chat())
    assert isinstance(outcome, Withheld)
    assert "Anna" not in outcome.reason


def test_or_released_as_always_running_detectors_leave_it_where_the_recipe_says_so() -> None:
    recipe = Recipe.model_validate({"detect": ["all-attributes"], **FAST, "failed": "fallback"})
    outcome = only(recipe, unreadable_chat())
    assert isinstance(outcome, Release)
    assert "Anna" not in outcome.text
    without = recipe.with_changes(always_run=[])
    assert isinstance(only(without, unreadable_chat()), Withheld), "there is nothing to fall back to"


def test_a_language_that_only_the_model_reads_is_not_covered_while_other_detectors_always_run() -> None:
    finnish = "Tämä on pitkä suomenkielinen teksti, jota mikään sääntö ei lue, ja siinä puhutaan mehiläisistä."
    recipe = Recipe.model_validate({"detect": ["sparks"], **FAST})
    assert isinstance(only(recipe, listing(), finnish), Withheld)
    assert isinstance(only(recipe.with_changes(always_run=[]), listing(), finnish), Release)


REWRITE = {"rewrite": {"use": "sanitize-paraphrase", "first": "paraphrase"}, **FAST, "detect": ["rules"]}


def saying(text: str) -> ScriptedChat:
    """A model that writes this text in whatever form it is asked for."""

    def answer(request: Request) -> str:
        if request.schema:
            (key,) = request.schema["properties"]
            return json.dumps({key: text})
        return text

    return ScriptedChat(answer)


def test_a_rewriter_reads_what_always_running_detectors_have_left() -> None:
    chat = saying("Somebody keeps bees behind the lighthouse and raced pigeons for a number of years.")
    outcome = only(Recipe.model_validate(REWRITE), chat)
    assert isinstance(outcome, Release)
    assert outcome.rewrite is not None
    assert outcome.reasons
    assert not any("Quorvex" in message.text for request in chat.asked for message in request.messages)
    assert outcome.hidden, "what was replaced before is known to the audit"


@pytest.mark.parametrize("reads", ["release", "original"])
def test_a_rewrite_that_says_the_identifier_again_is_mended(reads: str) -> None:
    outcome = only(Recipe.model_validate({**REWRITE, "rewrite_reads": reads}), saying(TEXT))
    assert isinstance(outcome, Release)
    for gone in ("Anna", "Quorvex", "anna@example.org"):
        assert gone not in outcome.text
    assert any("survivors replaced" in reason for reason in outcome.reasons)


def test_a_rewrite_that_fails_is_withheld_or_falls_back() -> None:
    refusing = saying("I'm sorry, I cannot help with that.")
    assert isinstance(only(Recipe.model_validate(REWRITE), refusing), Withheld)
    fallen = only(Recipe.model_validate({**REWRITE, "failed": "fallback"}), refusing)
    assert isinstance(fallen, Release)
    assert fallen.rewrite is None
    assert "Anna" not in fallen.text


def test_what_asking_cost_is_known_by_method() -> None:
    pipeline = Pipeline(Recipe.model_validate({"detect": ["sparks"], **FAST}), chat=listing())
    list(pipeline.anonymize([Document("1", TEXT), Document("2", TEXT)]))
    assert pipeline.usage["sparks"].questions == 2
    assert pipeline.usage["sparks"].prompt_tokens > 0


def test_people_with_several_documents_are_not_paid_for_twice() -> None:
    chat = listing()
    pipeline = Pipeline(Recipe.model_validate({"detect": ["sparks"], **FAST}), chat=chat)
    documents = [Document("1", TEXT, ("anna",)), Document("2", TEXT, ("anna",))]
    pipeline.learn(lambda: documents)
    assert not chat.asked


def test_without_a_model_nothing_starts() -> None:
    for recipe in ("sparks", "adversarial", "synthetic"):
        with pytest.raises(RecipeError, match=f"{recipe}' needs a language model: give --chat"):
            Pipeline(recipes.load(recipe))


def test_a_recipe_can_be_named_by_its_method() -> None:
    assert recipes.load("sparks").detectors[0].use == "sparks"
    assert [choice.use for choice in recipes.load("sparks").detectors[1:]] == ["rules", "tagger"]
    rewriting = recipes.load("adversarial").rewrite
    assert rewriting is not None
    assert rewriting.use == "adversarial"
    assert recipes.load("surrogate").replace["default"].use == "surrogate"
    assert recipes.load("spacy").detectors == recipes.load("spacy").detect


def test_a_model_is_no_detector_that_always_runs() -> None:
    with pytest.raises(RecipeError, match="always_run: sparks asks a language model"):
        recipes.parse('always_run = ["sparks"]', "mine.toml")


def test_from_the_library() -> None:
    recipe = Recipe.model_validate({"detect": ["all-attributes"], **FAST})
    released = sfumato.anonymize(TEXT, recipe=recipe, chat=listing("raced pigeons"))
    assert "raced pigeons" not in released.text
    with pytest.raises(NotReleased, match="withheld"):
        sfumato.anonymize(TEXT, recipe=recipe, chat=unreadable_chat())
