"""Published methods by name: each loads, is listed, runs, and has nothing of ours around it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, ClassVar

import pytest
from typer.testing import CliRunner

import sfumato
from sfumato import recipe as recipes
from sfumato import registry
from sfumato.cli.app import app
from sfumato.detectors import adapters
from sfumato.detectors.detection import Detection
from sfumato.document import Document, Release, Span
from sfumato.errors import RecipeError, UnknownName
from sfumato.formats.records import NOT_MASKED
from sfumato.llm.chat import Request
from sfumato.llm.prompt import Prompt
from sfumato.llm.replay import ScriptedChat
from sfumato.pipeline import Pipeline
from sfumato.runs.anonymize import anonymize_files
from sfumato_papers.detectors import PROMPTS, hf_tagger
from tests.rewriters.chats import LetterChat

TEXT = "Ida Quorvex, a judge in Velbrin, wrote to ida@quorvex.example on 3 May 1990. Quorvex Ltd answered. Ida left."
DOCS = Path(__file__).parents[2] / "docs"


def run(name: str, chat: ScriptedChat | None = None, text: str = TEXT, annotations: Any = None) -> str:
    pipeline = Pipeline(recipes.load(f"published/{name}"), chat=chat)
    documents = [Document("1", text, annotations=annotations)]
    pipeline.learn(lambda: documents)
    [outcome] = pipeline.anonymize(documents)
    assert isinstance(outcome, Release), outcome
    return outcome.text


def listing(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["methods", "--published", *arguments])


@pytest.mark.parametrize("name", recipes.published_names())
def test_each_loads_and_says_what_it_repeats(name: str) -> None:
    recipe = recipes.load(name)
    assert recipe.name == name
    assert recipe.description
    assert recipe.published is not None
    assert recipe.published.stands_in
    assert recipe.published.differs
    assert recipe.published.cite in registry.references()
    assert f"| `{name}` |" in (DOCS / "published.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", recipes.published_names())
def test_nothing_of_ours_is_around_it(name: str) -> None:
    recipe = recipes.load(name)
    assert not {"rules", "tagger"} & {choice.use for choice in recipe.detectors}
    assert (recipe.uncovered, recipe.ids, recipe.failed) == ("release", "keep", "withhold")
    assert recipe.spans == "as-found" or not recipe.detect
    assert recipe.rewrite is None or recipe.rewrite_reads == "original"


@pytest.mark.parametrize("name", recipes.published_names())
def test_the_run_says_that_nothing_guards_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapters, "load_pipeline", lambda model, without=(): None)
    monkeypatch.setattr(adapters, "_analyzer", lambda model: (None, None))
    monkeypatch.setattr(hf_tagger, "open_network", lambda model, device: SimpleNamespace(labels=("O",), most_tokens=9))
    monkeypatch.setenv("LANGUAGE_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("LANGUAGE_KEY", "key")
    pipeline = Pipeline(recipes.load(name), chat=LetterChat(lambda written: [0.0] * 8))
    assert pipeline.remarks[0] == f"{name} is {recipes.UNGUARDED}"
    assert not Pipeline(recipes.load("default")).remarks


@pytest.mark.parametrize("name", [name.removeprefix("published/") for name in recipes.published_names()])
def test_the_plain_name_stays_guarded(name: str) -> None:
    try:
        recipe = recipes.load(name)
    except UnknownName:
        return
    assert recipe.published is None
    assert recipe.spans == "completed"
    if recipe.asking:
        assert {"rules", "tagger"} <= {choice.use for choice in recipe.detectors}


def test_the_list_has_authors_stand_ins_and_differences() -> None:
    listed = json.loads(listing("--json").stdout)
    assert listed["guarded"] is False
    assert "no detector of ours" in listed["remark"]
    rows = {row["name"]: row for row in listed["published"]}
    assert list(rows) == recipes.published_names()
    assert rows["published/intact"]["source"] == "Pilán et al. 2025"
    assert rows["published/intact"]["needs"] == "--chat"
    assert rows["published/presidio"]["needs"] == "presidio"
    assert all(row["stands_in"] and row["differs"] for row in rows.values())
    lines = listing("--search", "staab")
    assert [line.split("\t")[2] for line in lines.stdout.splitlines()] == ["Staab et al. 2025"]
    assert "no detector of ours" in lines.stderr
    assert listing("--search", "zzz").stdout == ""


def test_plain_recipes_are_listed_apart() -> None:
    assert not any("/" in name for name in recipes.names())
    with pytest.raises(UnknownName, match="did you mean 'published/intact'"):
        recipes.load("published/intakt")


def test_a_recipe_that_repeats_an_unknown_work_is_refused() -> None:
    with pytest.raises(RecipeError, match=r"published.cite: no work 'staab2052': did you mean 'staab2025'"):
        recipes.parse('[published]\ncite = "staab2052"', "mine")
    with pytest.raises(RecipeError, match=r"unknown key 'published.citation'"):
        recipes.parse('[published]\ncitation = "x"', "mine")


class FirstWord:
    """A detector that finds one word, once."""

    languages: ClassVar[frozenset[str] | None] = frozenset({"en"})

    def detect(self, documents: Sequence[Document]) -> list[list[Span]]:
        return [[Span(0, 3, "PERSON", "direct", 0.9, "test:word")] for _ in documents]


def test_spans_as_found_are_neither_completed_nor_repeated() -> None:
    document = Document("1", TEXT)
    [completed] = Detection([FirstWord()]).spans([document])
    [as_found] = Detection([FirstWord()], as_found=True).spans([document])
    assert [(span.start, span.end) for span in as_found] == [(0, 3)]
    assert [(span.start, span.end) for span in completed] != [(0, 3)]


# Each on one short text.


def answers(infer: str, rewrite: str) -> Callable[[Request], str]:
    return lambda request: infer if request.schema else rewrite


def test_adversarial_staab_releases_what_the_model_writes() -> None:
    infer = json.dumps(
        {"inferences": [{"attribute": "sex", "reasoning": "the name", "guesses": ["female"], "certainty": 1}]}
    )
    rewrite = "I changed little.\n#\nIda Quorvex, a lawyer in Velbrin, wrote to ida@quorvex.example in 1990."
    chat = ScriptedChat(answers(infer, rewrite))
    # The name stays: nothing of ours looks for it.
    assert run("adversarial-staab", chat) == rewrite.partition("#\n")[2]
    assert len(chat.asked) == 6
    assert TEXT in chat.asked[0].messages[-1].text


def test_intact_replaces_what_one_annotator_marked_and_nothing_else() -> None:
    start = TEXT.index("Velbrin")
    spans = [Span(start, start + 7, "LOC", "quasi", 1.0, "gold", annotator="a1")]
    broader = json.dumps({"broader": ["a port", "a town", "a district", "a region", "a country"]})
    guesses = json.dumps({"guesses": ["Oskarup", "Tarnhem", "Ludgrave", "Halvik", "Brunsta"]})
    chat = ScriptedChat(lambda request: guesses if "guesses" in request.messages[-1].text else broader)
    assert run("intact", chat, annotations=tuple(spans)) == TEXT.replace("Velbrin", "a port")


ON_ANNOTATIONS = (
    "abstract",
    "entity-type",
    "least-specific",
    "manual",
    "most-specific",
    "presidio-synthetic",
    "suppression",
)


@pytest.mark.parametrize(("name", "expected"), [("manual", "SENSITIVE"), ("entity-type", "LOC"), ("suppression", "")])
def test_baselines_replace_what_annotators_mask(name: str, expected: str) -> None:
    kept = Span(0, 3, "PERSON", None, 1.0, NOT_MASKED, annotator="a1")
    assert run(name, annotations=(*marked(LOC="Velbrin"), kept)) == TEXT.replace("Velbrin", expected)


def test_the_manual_baseline_masks_what_any_annotator_masks() -> None:
    (place,), (office,) = marked(LOC="Velbrin"), marked(DEM="judge")
    both = (place, replace(office, annotator="a2"))
    assert run("manual", annotations=both) == TEXT.replace("Velbrin", "SENSITIVE").replace("judge", "SENSITIVE")
    assert run("suppression", annotations=both) in {TEXT.replace("Velbrin", ""), TEXT.replace("judge", "")}


@pytest.mark.parametrize(("name", "expected"), [("most-specific", "a port"), ("least-specific", "a country")])
def test_the_variants_of_intact_attack_nothing(name: str, expected: str) -> None:
    chat = ScriptedChat(lambda request: json.dumps({"broader": ["a port", "a town", "a country"]}))
    assert run(name, chat, annotations=marked(LOC="Velbrin")) == TEXT.replace("Velbrin", expected)
    assert all("guesses" not in request.messages[-1].text for request in chat.asked)


def test_synthetic_values_stand_for_what_an_annotator_marked_and_the_model_sees_its_type_alone() -> None:
    values = [{"name": "PERSON_1", "value": "Nora Tellwick"}, {"name": "LOC_1", "value": "Oskarup"}]
    chat = ScriptedChat(lambda request: json.dumps({"values": values}))
    released = run("presidio-synthetic", chat, annotations=marked(PERSON="Ida Quorvex", LOC="Velbrin"))
    assert released == TEXT.replace("Ida Quorvex", "Nora Tellwick").replace("Velbrin", "Oskarup")
    asked = chat.asked[0].messages[-1].text
    assert "Velbrin" not in asked
    assert "Ida Quorvex" not in asked


def test_one_of_three_abstractions_stands_for_what_an_annotator_marked() -> None:
    chat = ScriptedChat(lambda request: json.dumps({"abstractions": ["a port", "a town", "a place"]}))
    released = run("abstract", chat, annotations=marked(LOC="Velbrin"))
    assert released in {TEXT.replace("Velbrin", place) for place in ("a port", "a town", "a place")}


def marked(**spans: str) -> tuple[Span, ...]:
    """What an annotator marked."""
    items = [(TEXT.index(words), words, label) for label, words in spans.items()]
    return tuple(
        Span(start, start + len(words), label, "quasi", 1.0, "gold", annotator="a1") for start, words, label in items
    )


class Analyzer:
    """A mail address as Presidio scores it, and a name and an organisation as spaCy gives them."""

    def analyze_iterator(self, texts: Iterable[str], language: str, score_threshold: float) -> list[list[Any]]:
        assert score_threshold == 0
        found = (("ORGANIZATION", "Quorvex Ltd"), ("PERSON", "Ida Quorvex"), ("EMAIL_ADDRESS", r"\S+@\S+"))
        return [
            [
                SimpleNamespace(entity_type=kind, start=match.start(), end=match.end(), score=0.05)
                for kind, pattern in found
                for match in re.finditer(pattern, text)
            ]
            for text in texts
        ]


def test_presidio_masks_what_presidio_finds_by_its_own_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    models = []

    def analyzer(model: str) -> tuple[Any, Any]:
        models.append(model)
        return SimpleNamespace(max_length=1000), Analyzer()

    monkeypatch.setattr(adapters, "_analyzer", analyzer)
    released = TEXT.replace("Ida Quorvex,", "SENSITIVE,").replace("ida@quorvex.example", "SENSITIVE")
    assert run("presidio") == released
    assert models == ["en_core_web_lg"]


LISTING = [
    "all-attributes",
    "all-attributes-entities-only",
    "all-attributes-first-only",
    "all-attributes-no-example",
    "man-vs-machine",
    "sparks",
    "student",
]


@pytest.mark.parametrize("name", LISTING)
def test_every_occurrence_of_what_the_model_lists_is_masked_and_nothing_else(name: str) -> None:
    chat = ScriptedChat(lambda request: json.dumps({"spans": ["Ida", "a judge in Velbrin", "on", "quorvex"]}))
    # The rules would find the mail address, the date and the rest of the name; "quorvex" is written so only there.
    expected = re.sub(r"\bIda\b|a judge in Velbrin|\bon\b|\bquorvex\b", "SENSITIVE", TEXT)
    assert run(name, chat) == expected
    assert chat.asked[0].temperature == 1
    assert chat.asked[0].schema is not None


def test_an_empty_list_releases_the_text_as_it_is() -> None:
    assert {run(name, ScriptedChat(lambda request: json.dumps({"spans": []}))) for name in LISTING} == {TEXT}


def test_prompts_have_the_turns_of_the_publication() -> None:
    def turns(name: str) -> list[str]:
        chat = ScriptedChat(lambda request: json.dumps({"spans": []}))
        run(name, chat)
        return [message.role for message in chat.asked[0].messages]

    one_shot = ["system", "user", "assistant", "user"]
    assert {name: turns(name) for name in LISTING} == {
        "all-attributes": one_shot,
        "all-attributes-entities-only": one_shot,
        "all-attributes-first-only": one_shot,
        "all-attributes-no-example": ["system", "user"],
        "man-vs-machine": ["system", "user"],
        "sparks": ["user"],
        "student": ["user"],
    }


def test_the_task_is_in_the_first_turn_of_the_user() -> None:
    for name in LISTING[:4]:
        chat = ScriptedChat(lambda request: json.dumps({"spans": []}))
        run(name, chat)
        system, user = chat.asked[0].messages[:2]
        assert "attribute" not in system.text
        assert "states an attribute of the person" in user.text


@pytest.mark.parametrize("name", LISTING[:4])
def test_a_published_prompt_has_the_words_of_the_detector(name: str) -> None:
    """Only the place of the instruction differs, so that an ablation is still one sentence."""

    def words(path: str | Path) -> list[str]:
        prompt = Prompt.load(path)
        parts = [prompt.system, *(prompt.example or ()), prompt.user]
        return sorted(" ".join(parts).split())

    (choice,) = recipes.load(f"published/{name}").detect
    assert words(choice.options["prompt"]) == words(PROMPTS / f"{name}.toml")


REWRITE = "Ida Quorvex, once a lawyer in Velbrin, sent something to ida@quorvex.example in 1990; nobody else answered."


@pytest.mark.parametrize(
    ("name", "requests"),
    [("clinical-lora", 1), ("clinical-rewrite", 1), ("deid-gpt", 1), ("dp-prompt", 1), ("sanitize-paraphrase", 2)],
)
def test_rewriters_read_the_original_and_release_what_the_model_writes(name: str, requests: int) -> None:
    sanitized = f"I leave out the rest.\n#\n{REWRITE}"
    chat = ScriptedChat(lambda request: sanitized if "single #" in request.messages[0].text else REWRITE)
    assert run(name, chat) == REWRITE
    assert len(chat.asked) == requests
    assert TEXT in chat.asked[0].messages[-1].text


SETTINGS: dict[str, list[tuple[float, float | None, list[str]]]] = {
    "clinical-lora": [(0.0, None, ["system", "user"])],
    "clinical-rewrite": [(0.0, None, ["system", "user"])],
    "deid-gpt": [(0.05, 1.0, ["user"])],
    "dp-prompt": [(1.0, 1.0, ["user"])],
    "sanitize-paraphrase": [(0.1, 1.0, ["user"])] * 2,
    "adversarial-staab": [(0.1, 1.0, ["system", "user"])] * 6,
    "adversarial-chats": [(0.1, 1.0, ["user"]), (0.1, 1.0, ["system", "user"])] * 3,
    "adversarial-records": [(0.1, 1.0, ["user"]), (0.1, 1.0, ["system", "user"])] * 3,
    "adversarial-rulings": [(0.1, 1.0, ["system", "user"])] * 6,
    "adversarial-posts": [(0.1, 1.0, ["system", "user"])] * 6,
}
"""Of each request in the order they are asked: temperature, top_p and turns, as the authors' papers and code have them.

Liu et al. and Oh et al. ask DeID-GPT at 0.05 with top_p 1. Utpala et al. sample with top_p 1 and top_k 0 at 0.75, 1,
1.25, 1.5 and 1.75. Staab et al. infer and rewrite at 0.1; Xin et al. do so in three rounds, and print all four prompts
without earlier turns as examples, those of inference without a system's turn. Oh et al. ask at 0.1, too, with a role
for inference. Pissarra et al. have a system prompt, and state no sampling.
"""


@pytest.mark.parametrize("name", SETTINGS)
def test_rewriters_are_asked_with_the_settings_of_the_publication(name: str) -> None:
    marked = f"I leave out the rest.\n#\n{REWRITE}"

    def answer(request: Request) -> str:
        if request.schema:
            return json.dumps({"inferences": []})
        return marked if "single #" in request.messages[-1].text else REWRITE

    chat = ScriptedChat(answer)
    run(name, chat)
    asked = [(request.temperature, request.top_p, [turn.role for turn in request.messages]) for request in chat.asked]
    assert asked == SETTINGS[name]


def test_staab_infers_the_eight_attributes_and_rewrites_against_what_it_inferred() -> None:
    inferred = {"attribute": "income", "reasoning": "a judge earns well", "guesses": ["high"], "certainty": 1}
    infer = json.dumps({"inferences": [inferred]})
    chat = ScriptedChat(answers(infer, f"I changed little.\n#\n{REWRITE}"))
    run("adversarial-staab", chat)
    first, second = (request.messages[-1].text for request in chat.asked[:2])
    asked = ("age", "education", "income", "location", "occupation", "relationship", "sex", "place of birth")
    assert f"{', '.join(asked)}." in first
    assert second.index(TEXT) < second.index("a judge earns well"), "the inferences stand after the text, as published"
    # The second round reads what the first wrote.
    assert REWRITE in chat.asked[2].messages[-1].text


ABOUT = {
    "adversarial-chats": (
        "a conversation between a user and an AI chatbot",
        "attributes of the user",
        "about the user",
    ),
    "adversarial-records": ("a patient's record", "attributes of the patient", "about the patient"),
    "adversarial-rulings": ("a document of a court case", "the applicant, the person who", "about the applicant"),
    "adversarial-posts": ("a text written by one author", "for the author", "about the user"),
}
"""What each prompt says of the text, of whom it infers, and of whom the rewrite speaks: appendix C.3 of Xin et al., and
figures 20 to 23 of Oh et al."""
STAAB = ["age", "education", "income", "location", "occupation", "relationship", "sex", "place of birth"]
TAB = ["name", "code", "place", "organisation", "demographic attribute", "date or time", "quantity", "other"]


@pytest.mark.parametrize("name", ABOUT)
def test_each_kind_of_text_has_its_adversarial_prompts(name: str) -> None:
    attributes = STAAB if name in {"adversarial-chats", "adversarial-records"} else TAB
    inferred = {"attribute": attributes[-1], "reasoning": "so it says", "guesses": ["x"], "certainty": 2}
    chat = ScriptedChat(answers(json.dumps({"inferences": [inferred]}), f"Little.\n#\n{REWRITE}"))
    assert run(name, chat) == REWRITE
    infer, rewrite = (request.messages[-1].text for request in chat.asked[:2])
    kind, inferred_of, rewritten_for = ABOUT[name]
    assert kind in infer
    assert inferred_of in infer
    assert rewritten_for in rewrite
    assert f"{', '.join(attributes)}." in infer
    assert "- name:" in infer or attributes == STAAB, "the kinds of TAB are described"
    assert rewrite.index(TEXT) < rewrite.index("so it says")
    assert len(chat.asked) == 6


def test_deid_gpt_names_the_eight_kinds_before_the_text() -> None:
    chat = ScriptedChat(lambda request: REWRITE)
    run("deid-gpt", chat)
    task, _, _ = chat.asked[0].messages[-1].text.partition(TEXT)
    assert re.findall(r"^(\d)\. ", task, re.MULTILINE) == list("12345678")
    assert "[redacted]" in task


def test_self_disclosures_are_abstracted_as_they_are_listed() -> None:
    disclosed = json.dumps({"spans": ["a judge in Velbrin", "ida@quorvex.example"]})
    offered = json.dumps({"abstractions": ["someone of note"] * 3})
    chat = ScriptedChat(lambda request: offered if "abstractions" in str(request.schema) else disclosed)
    released = run("self-disclosure", chat)
    # The address is a direct identifier to the rules, which would put a label there.
    assert released == TEXT.replace("a judge in Velbrin", "someone of note").replace(
        "ida@quorvex.example", "someone of note"
    )


def test_spacy_masks_the_entities_of_the_pipeline_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    models = []

    class Entities:
        max_length = 1000

        def pipe(self, texts: Iterable[str], batch_size: int) -> list[Any]:
            items = [re.search("Ida Quorvex", text) for text in texts]
            return [
                SimpleNamespace(ents=[SimpleNamespace(start_char=name.start(), end_char=name.end(), label_="PERSON")])
                for name in items
                if name
            ]

    def load(model: str, without: Sequence[str] = ()) -> Entities:
        models.append(model)
        return Entities()

    monkeypatch.setattr(adapters, "load_pipeline", load)
    assert run("spacy") == TEXT.replace("Ida Quorvex", "SENSITIVE")
    assert models == ["en_core_web_lg"]


def test_every_published_method_is_run_here_or_in_the_tests_of_its_package() -> None:
    ran = {*SETTINGS, "intact", "presidio", "self-disclosure", "spacy", *LISTING, *ON_ANNOTATIONS}
    assert ran <= {name.removeprefix("published/") for name in recipes.published_names()}
    elsewhere = [path.read_text(encoding="utf-8") for path in Path(__file__).parent.rglob("*/test_*.py")]
    for name in set(recipes.published_names()) - {f"published/{name}" for name in ran}:
        assert any(name in content for content in elsewhere), f"no test runs {name}"


def test_a_table_shows_both_names_and_the_summary_says_which_is_unguarded(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(2):
        (tmp_path / "in" / f"{number}.txt").write_text(TEXT, encoding="utf-8")
    chat = ScriptedChat(lambda request: json.dumps({"spans": ["Velbrin"]}))
    compared = sfumato.compare(tmp_path / "in", ["sparks", "published/sparks"], metrics=["length"], chats=[chat])
    assert list(compared.measurements) == ["sparks", "published/sparks"]
    summary = anonymize_files([tmp_path / "in"], tmp_path / "out", recipes.load("published/sparks"), chat=chat)
    assert summary.remarks == [f"published/sparks is {recipes.UNGUARDED}"]
    assert summary.to_json()["remarks"] == summary.remarks
    assert (tmp_path / "out" / "0.txt").read_text(encoding="utf-8") == TEXT.replace("Velbrin", "SENSITIVE")
