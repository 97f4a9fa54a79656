"""Adversarial anonymization: rounds, stopping, and failures of the model."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from sfumato import recipe as recipes
from sfumato.document import Document, Release, Withheld
from sfumato.errors import RecipeError
from sfumato.llm.chat import Reply, Request
from sfumato.pipeline import Pipeline
from sfumato_papers.rewriters.adversarial import ATTRIBUTES, Adversarial, AdversarialStaab
from tests.rewriters.chats import CountingChat

TEXT = "My husband and I bake bread in Lublin. I am 42."
STEPS = (
    TEXT,
    "My partner and I bake bread in Lublin. I am 42.",
    "My partner and I bake bread in a town. I am 42.",
    "My partner and I bake bread in a town. I am grown up.",
)


def inference(attribute: str, certainty: Any = 4) -> dict[str, Any]:
    return {"attribute": attribute, "reasoning": "It says so.", "guesses": ["this"], "certainty": certainty}


def inference_answer(*inferences: dict[str, Any]) -> str:
    return json.dumps({"inferences": inferences})


def asks_for_inferences(request: Request) -> bool:
    return "Attributes:" in request.messages[-1].text


def shown(request: Request) -> str:
    """The text between the fences of a question."""
    return request.messages[-1].text.split("=== ")[1].partition("\n")[2].strip()


def model(request: Request) -> str:
    """Infers what is left to be inferred, and takes one thing out at a time."""
    step = STEPS.index(shown(request))
    if asks_for_inferences(request):
        return inference_answer(
            *[inference(name) for name in ("sex", "location", "age")[step:]], inference("income", 2)
        )
    return f"I change one thing.\n#\n{STEPS[step + 1]}"


def only(outcomes: list[Release | Withheld]) -> Release:
    (release,) = outcomes
    assert isinstance(release, Release)
    return release


def test_each_round_writes_against_what_is_inferred_now() -> None:
    chat = CountingChat(model)
    release = only(Adversarial(chat=chat).rewrite([Document("a", f"\n{TEXT}\n\n")]))
    assert release.text == f"\n{STEPS[3]}\n\n"
    assert release.reasons == (
        "adversarial, chat:scripted, prompts adversarial-infer@1 and adversarial-rewrite@1",
        "round 1: inferred sex (4), location (4), age (4)",
        "round 2: inferred location (4), age (4)",
        "round 3: inferred age (4)",
    )
    assert {request.temperature for request in chat.asked} == {0.1}
    assert all(name in chat.asked[0].messages[-1].text for name in ATTRIBUTES)
    rewrite = chat.asked[1].messages[-1].text
    assert "- sex (certainty 4): this. It says so." in rewrite
    assert "income" not in rewrite


def test_a_text_that_gives_nothing_away_stays_as_it_is_and_is_not_rewritten() -> None:
    chat = CountingChat(lambda request: inference_answer(inference("sex", 2)))
    release = only(Adversarial(chat=chat).rewrite([Document("a", TEXT)]))
    assert release.text == TEXT
    assert release.reasons[1:] == ("round 1: nothing inferred at certainty 3 or more",)
    assert chat.calls == [1]


def test_the_documents_of_a_batch_are_asked_about_together_and_drop_out_as_they_settle() -> None:
    chat = CountingChat(model)
    rewriter = Adversarial(chat=chat, rounds=4)
    outcomes = rewriter.rewrite([Document(str(at), text) for at, text in enumerate([STEPS[0], STEPS[2], STEPS[3]])])
    assert [outcome.text for outcome in outcomes if isinstance(outcome, Release)] == [STEPS[3]] * 3
    # Infer and rewrite in turn: three texts, of which one has nothing to hide; then one settles in each round.
    assert chat.calls == [3, 2, 2, 1, 1, 1, 1]
    assert rewriter.usage.requests == sum(chat.calls)
    assert rewriter.usage.failed == 0


@pytest.mark.parametrize(("certainty", "rounds", "expected"), [(5, 3, TEXT), (4, 1, STEPS[1]), (4, 2, STEPS[2])])
def test_certainty_and_rounds_are_options(certainty: int, rounds: int, expected: str) -> None:
    rewriter = Adversarial(chat=CountingChat(model), certainty=certainty, rounds=rounds)
    assert only(rewriter.rewrite([Document("a", TEXT)])).text == expected


def test_inferences_that_cannot_be_read_count_as_all_of_them() -> None:
    def answer(request: Request) -> str:
        return "a woman, I think" if asks_for_inferences(request) else f"Done.\n#\n{STEPS[3]}"

    chat = CountingChat(answer)
    release = only(Adversarial(chat=chat, rounds=1).rewrite([Document("a", TEXT)]))
    assert release.text == STEPS[3]
    assert release.reasons[1] == "round 1: the inferences could not be read: every attribute counts as inferred"
    assert all(f"- {name} " in chat.asked[-1].messages[-1].text for name in ATTRIBUTES)


@pytest.mark.parametrize(
    "bad",
    [
        "",
        STEPS[1],
        "I'm sorry, but I can't help with that.",
        "Done.\n#\n",
        "Done.\n#\nI'm sorry, but I can't help with that.",
        f"Nothing to do.\n#\n{TEXT}",
        f"Done.\n#\n{'word ' * 400}",
        "Done.\n#\nМой партнёр и я печём хлеб в городе. Я взрослый человек.",
        Reply("", failure="timeout"),
        Reply(f"Done.\n#\n{STEPS[1]}", cut=True),
    ],
)
def test_without_any_usable_rewrite_a_document_is_withheld(bad: str | Reply) -> None:
    def answer(request: Request) -> str | Reply:
        return inference_answer(inference("sex")) if asks_for_inferences(request) else bad

    rewriter = Adversarial(chat=CountingChat(answer))
    (outcome,) = rewriter.rewrite([Document("a", TEXT)])
    assert isinstance(outcome, Withheld)
    assert "no rewrite of the model could be used" in outcome.reason
    assert rewriter.usage.failed == 3
    never_arrives = isinstance(bad, Reply) and bad.failure is not None  # which is not asked for again
    assert rewriter.usage.unreadable == (3 if never_arrives else 9)


def test_a_second_thought_of_the_model_does_not_release_the_text() -> None:
    def answer(request: Request) -> str:
        if asks_for_inferences(request):
            return inference_answer() if request.sample_index else inference_answer(inference("sex"))
        return "no"

    (outcome,) = Adversarial(chat=CountingChat(answer)).rewrite([Document("a", TEXT)])
    assert isinstance(outcome, Withheld)


def test_a_round_without_a_usable_rewrite_keeps_the_last_good_text() -> None:
    def answer(request: Request) -> str:
        if asks_for_inferences(request):
            return inference_answer(inference("location"))
        return f"Done.\n#\n{STEPS[1]}" if shown(request) == TEXT else "no"

    release = only(Adversarial(chat=CountingChat(answer)).rewrite([Document("a", TEXT)]))
    assert release.text == STEPS[1]
    assert [line.endswith("the text stays as it was") for line in release.reasons[1:]] == [False, True, True]


@pytest.mark.parametrize(
    "bad",
    [
        inference_answer(inference("sex", 6)),
        inference_answer(inference("sex", True)),
        inference_answer({"attribute": "sex"}),
        json.dumps({"inferences": ["sex"]}),
        json.dumps({"inferences": [inference("sex") | {"guesses": "this"}]}),
    ],
)
def test_half_an_inference_is_not_read(bad: str) -> None:
    rewriter = Adversarial(chat=CountingChat(lambda request: bad))
    (outcome,) = rewriter.rewrite([Document("a", TEXT)])
    assert isinstance(outcome, Withheld)


def test_attributes_by_other_names_and_others_than_asked() -> None:
    def answer(request: Request) -> str:
        if asks_for_inferences(request):
            wanted = [inference("Relationship status"), inference("gender", "5"), inference("shoe size")]
            return inference_answer(*wanted) if shown(request) == TEXT else inference_answer(inference("shoe size"))
        return f"Done.\n#\n{STEPS[3]}"

    release = only(Adversarial(chat=CountingChat(answer)).rewrite([Document("a", TEXT)]))
    assert release.reasons[1:] == (
        "round 1: inferred relationship (4), sex (5)",
        "round 2: nothing inferred at certainty 3 or more",
    )


def test_the_same_run_gives_the_same() -> None:
    runs = [only(Adversarial(chat=CountingChat(model)).rewrite([Document("a", TEXT)])) for _ in range(2)]
    assert runs[0] == runs[1]


@pytest.mark.parametrize(
    "options", [{"rounds": 0}, {"certainty": 0}, {"certainty": 6}, {"attributes": []}, {"attributes": "age"}]
)
def test_options_are_checked(options: dict[str, Any]) -> None:
    with pytest.raises(RecipeError):
        Adversarial(chat=CountingChat(model), **options)


# Staab et al. as Xin et al. run it: three rounds on the original text, each against everything that is inferred.


def three_rounds(text: str, infer: Callable[[str], list[str]], sanitize: Callable[[str, list[str]], str]) -> str:
    """The published loop, in plain words."""
    for _ in range(3):
        text = sanitize(text, infer(text))
    return text


CUES = {"sex": "husband", "location": "Lublin", "age": "42", "income": "rich"}
"""What each attribute is inferred from; income is the least certain."""


def infer(text: str) -> list[str]:
    return [name for name, cue in CUES.items() if cue in text]


def sanitize(text: str, inferred: list[str]) -> str:
    """Takes out the first thing that was inferred; an unchanged text where nothing was."""
    return text.replace(CUES[inferred[0]], "some") if inferred else text


def staab_model(request: Request) -> str:
    text = shown(request)
    if asks_for_inferences(request):
        return inference_answer(*[inference(name, 1 if name == "income" else 4) for name in infer(text)])
    told = [name for name in CUES if f"- {name} (certainty" in request.messages[-1].text]
    assert told == infer(text)
    return f"I change this.\n#\n{sanitize(text, told)}"


@pytest.mark.parametrize(
    "text",
    [
        "My husband and I bake bread in Lublin. I am 42 and rich.",
        "We live in Lublin and are rich, which is nice for us.",
        "I am rich, and that is all I have to say about it.",
        "Nothing can be told from this text, however long one looks.",
    ],
)
def test_three_rounds_against_everything_inferred(text: str) -> None:
    chat = CountingChat(staab_model)
    release = only(AdversarialStaab(chat=chat).rewrite([Document("a", text)]))
    assert release.text == three_rounds(text, infer, sanitize)
    assert chat.calls == [1] * 6  # infer and rewrite, three times, whatever was inferred


def test_ours_leaves_the_uncertain_and_stops() -> None:
    text = "I am rich, and that is all I have to say about it."
    assert only(Adversarial(chat=CountingChat(staab_model)).rewrite([Document("a", text)])).text == text
    assert only(AdversarialStaab(chat=CountingChat(staab_model)).rewrite([Document("a", text)])).text != text


def test_the_published_method_reads_the_original_and_is_guarded_by_nothing() -> None:
    text = "My husband Odo Vantrell and I bake bread in Lublin. I am 42 and rich."
    recipe = recipes.parse(
        'detect = []\nalways_run = []\nrewrite = "adversarial-staab"\nrewrite_reads = "original"\n', "staab"
    )
    chat = CountingChat(staab_model)
    (outcome,) = Pipeline(recipe, chat=chat).anonymize([Document("a", text)])
    assert isinstance(outcome, Release)
    assert shown(chat.asked[0]) == text
    assert outcome.text == three_rounds(text, infer, sanitize)


def test_by_its_name_it_reads_the_original_and_the_detectors_guard_the_text() -> None:
    text = "My husband Odo Vantrell and I bake bread in Lublin. I am 42 and rich."
    recipe = recipes.load("adversarial-staab")
    assert (recipe.rewrite_reads, recipes.load("adversarial").rewrite_reads) == ("original", "release")
    chat = CountingChat(staab_model)
    (outcome,) = Pipeline(recipe, chat=chat).anonymize([Document("a", text)])
    assert isinstance(outcome, Release)
    assert shown(chat.asked[0]) == text
    assert "Vantrell" in three_rounds(text, infer, sanitize)
    assert "Vantrell" not in outcome.text


def test_without_any_usable_rewrite_the_published_method_withholds_too() -> None:
    chat = CountingChat(lambda request: inference_answer() if asks_for_inferences(request) else "no")
    (outcome,) = AdversarialStaab(chat=chat).rewrite([Document("a", TEXT)])
    assert isinstance(outcome, Withheld)
