"""Every method that a comparison table of the five papers names is a recipe, a command, or refused with a reason."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

import sfumato
from sfumato import recipe as recipes
from sfumato import registry
from sfumato.cli.app import app, load_command
from sfumato.errors import UnknownName

PAGE = (Path(__file__).parents[2] / "docs" / "published.md").read_text(encoding="utf-8")
ADVERSARIAL = "adversarial-staab"
SYNTHESIS = "synthesis"
COMPARED = {
    # Figures 1 and 2, table 2, and the baselines of section 5.3.
    "manzanares2025": {
        "spaCy NER": "spacy",
        "Microsoft Presidio": "presidio",
        "Word2Vec, t = 0.5": "word2vec-0.5",
        "Word2Vec, t = 0.25": "word2vec-0.25",
        "k-anonymity, greedy": "k-anonymity-greedy",
        "k-anonymity, random": "k-anonymity-random",
        "manual annotations": "manual",
        "Man vs the machine": "man-vs-machine",
        "Sparks": "sparks",
        "Student de-identification": "student",
        "our prompt": "all-attributes",
        "our prompt without the example": "all-attributes-no-example",
        "our prompt without the sentence beyond NER": "all-attributes-entities-only",
        "our prompt without the sentence on occurrences": "all-attributes-first-only",
    },
    # Figure 2, with the toolbox that two of its seven methods come from.
    "pissarra2024": {
        "INCOGNITUS": "incognitus",
        "Presidio": "presidio",
        "KNEO": "kneo",
        "ClinicalBERT": "clinicalbert",
        "Phi-2, zero-shot": "clinical-rewrite",
        "Llama-3, zero-shot": "clinical-rewrite",
        "Phi-2, fine-tuned": "clinical-lora",
        "Llama-3, fine-tuned": "clinical-lora",
    },
    # Table 1 (related methods), table 3 and the baselines of section 5.3.
    "pilan2025": {
        "MAPA toolkit": "mapa",
        "Albanese et al.": "mapa",
        "Presidio's synthetic replacements": "presidio-synthetic",
        "Dou et al.": "abstract",
        "INTACT": "intact",
        "most-specific": "most-specific",
        "least-specific": "least-specific",
        "Suppression": "suppression",
        "Entity type": "entity-type",
    },
    # Tables 1, 2 and 3.
    "xin2025": {
        "No Sanitization": "no-sanitization",
        "Remove All Info": "remove-all-info",
        "Sanitize & Paraphrase": "sanitize-paraphrase",
        "Azure AI PII tool": "azure-pii",
        "Scrubbing": "azure-pii",
        "Dou et al. (2024)": "self-disclosure",
        "Staab et al. (2024)": ADVERSARIAL,
        "Staab et al. (2024), prompts for WildChat": "adversarial-chats",
        "Staab et al. (2024), prompts for MedQA": "adversarial-records",
        "Data Synthesis": SYNTHESIS,
        "Data Synthesis with differential privacy": "synthesis-dp",
    },
    # The four anonymization methods of figures 3, 13 and 16.
    "oh2026": {
        "Longformer": "longformer",
        "DeID-GPT": "deid-gpt",
        "DP-Prompt": "dp-prompt",
        "Adversarial Anonymization, TAB": "adversarial-rulings",
        "Adversarial Anonymization, PANORAMA": "adversarial-posts",
    },
}
"""By paper, what its tables and figures compare, and the name it has here."""
CASES = [(paper, title, name) for paper, methods in COMPARED.items() for title, name in methods.items()]


@pytest.mark.parametrize(("paper", "title", "name"), CASES, ids=[f"{paper}: {title}" for paper, title, _ in CASES])
def test_each_is_a_recipe_or_a_command_or_refused_by_name(paper: str, title: str, name: str) -> None:
    published = f"published/{name}"
    assert paper in registry.references()
    kinds = [published in known for known in (recipes.published_names(), recipes.commands(), recipes.refused())]
    assert sum(kinds) == 1, f"{paper} compares {title}"
    if published in recipes.refused():
        with pytest.raises(UnknownName) as caught:
            recipes.load(published)
        method = recipes.refused()[published]
        assert str(caught.value) == str(method)
        assert method.reason in str(caught.value)
        assert method.instead in str(caught.value)


def test_nothing_is_refused_that_no_table_compares() -> None:
    compared = {f"published/{name}" for _, _, name in CASES}
    assert set(recipes.refused()) <= compared


@pytest.mark.parametrize("method", recipes.refused().values(), ids=lambda method: method.name)
def test_a_refusal_stands_in_the_docs_and_names_what_exists(method: recipes.RefusedMethod) -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{method.name}` |"))
    assert method.title in row
    assert method.reason in row
    assert method.instead in row
    for name in re.findall(r"published/[\w.-]+", method.instead):
        assert name in recipes.published_names()


@pytest.mark.parametrize("method", recipes.commands().values(), ids=lambda method: method.name)
def test_a_method_that_is_a_command_is_documented_and_named_where_a_recipe_is_asked_for(
    method: recipes.PublishedCommand,
) -> None:
    assert f"| `{method.name}` |" in PAGE
    _, command, *options = method.command.split()
    known = {option for parameter in load_command(command).params for option in parameter.opts}
    assert {word for word in options if word.startswith("--")} <= known
    assert method.stands_in
    assert method.differs
    for load in (recipes.load, lambda name: sfumato.compare({"1": "Ida sings."}, [name])):
        with pytest.raises(UnknownName) as caught:
            load(method.name)
        assert method.command in str(caught.value)


def test_the_list_shows_commands_after_the_recipes() -> None:
    listed = json.loads(CliRunner().invoke(app, ["methods", "--published", "--json"]).stdout)
    assert [row["name"] for row in listed["commands"]] == list(recipes.commands())
    lines = CliRunner().invoke(app, ["methods", "--published", "--search", "DP-SGD"]).stdout.splitlines()
    [fields] = [line.split("\t") for line in lines]
    assert fields[0] == "published/synthesis-dp"
    assert fields[2:4] == ["Xin et al. 2025", f"torch: {recipes.commands()[fields[0]].command}"]
    assert len(fields) == 6


def test_the_commands_end_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ida Quorvex sings in Velbrin.", encoding="utf-8")
    for arguments in (
        ["anonymize", str(tmp_path / "a.txt"), "--recipe", "published/incognitus", "--out", str(tmp_path / "out")],
        ["compare", str(tmp_path), "--method", "published/incognitus", "--report", str(tmp_path / "r.html")],
    ):
        result = CliRunner().invoke(app, arguments)
        assert result.exit_code != 0
        shown = " ".join((result.stderr or str(result.exception)).split())
        assert "it is a toolbox" in shown
        assert "published/kneo" in shown
    assert not (tmp_path / "out").exists()
    with pytest.raises(UnknownName, match="it is a toolbox"):
        sfumato.compare({"1": "Ida sings."}, ["published/incognitus"])
    with pytest.raises(UnknownName, match="it is a toolbox"):
        recipes.load("incognitus")


def test_the_list_shows_them_last() -> None:
    listed = json.loads(CliRunner().invoke(app, ["methods", "--published", "--json"]).stdout)
    assert [row["name"] for row in listed["refused"]] == list(recipes.refused())
    assert all(row["reason"] and row["instead"] and row["source"] for row in listed["refused"])
    lines = CliRunner().invoke(app, ["methods", "--published", "--search", "toolbox"]).stdout.splitlines()
    assert [line.split("\t")[:4] for line in lines] == [
        ["published/incognitus", "INCOGNITUS", "Pissarra et al. 2024", "refused"]
    ]
