"""One document gives one release: from the library, from a run over files, and from several processes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import sfumato
from sfumato import recipe as recipes
from sfumato.document import Document, Edit, Release
from sfumato.pipeline import Pipeline, finishing_steps
from sfumato.residuals.values import hide_repeats
from sfumato.runs.anonymize import anonymize_files

DOCUMENTS = {
    "keys": 'The patient, Mrs Anna Quorvex, was seen on 3 August 2021.\n{"annaquorvex": 1, "Quorvex": {"age": 41}}\n',
    "tags": 'Mr Tobias Wrexley called.\n<wrexley id="1"><item tobias_wrexley="2"/></wrexley>\n',
    "code": "Ask Dr Rosalba Penhallow.\nclass PenhallowRosalbaPenhallow:\n    owner = 'rosalba@mail.example'\n",
}
OFFLINE = [name for name in recipes.names() if not (loaded := recipes.load(name)).asking and not loaded.extras]


@pytest.mark.parametrize("name", OFFLINE)
def test_the_library_and_the_command_line_give_the_same_release(tmp_path: Path, name: str) -> None:
    recipe = recipes.load(name).with_changes(seed=1, ids="keep")
    source = tmp_path / "in.jsonl"
    source.write_text("".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in DOCUMENTS.items()))
    with sfumato.Vault.open(tmp_path / "v.db", tmp_path / "k.key") as vault:
        key = vault.key
    anonymize_files([source], tmp_path / "out.jsonl", recipe, key=key)
    lines = map(json.loads, (tmp_path / "out.jsonl").read_text().splitlines())
    by_files = {line["id"]: line["text"] for line in lines}
    documents = [Document(identifier, text) for identifier, text in DOCUMENTS.items()]
    releases = sfumato.anonymize(documents, recipe=recipe, key_file=tmp_path / "k.key")
    assert {release.document.id: release.text for release in releases} == by_files


@pytest.mark.parametrize("name", [name for name in recipes.names() if name != "none"])
def test_repeats_are_hidden_by_every_recipe_of_ours(name: str) -> None:
    assert hide_repeats in finishing_steps(recipes.load(name), are_given=False)


@pytest.mark.parametrize("name", recipes.published_names())
def test_a_published_method_is_left_as_its_authors_describe_it(name: str) -> None:
    assert hide_repeats not in finishing_steps(recipes.load(name), are_given=False)


def test_a_further_mention_stays_where_the_user_gave_the_spans() -> None:
    document = Document("a", 'Mrs Anna Quorvex came.\n{"annaquorvex": 1}')
    spans = [sfumato.Span(4, 16, "PERSON")]
    (outcome,) = Pipeline(recipes.load("fast"), given=lambda document: spans).anonymize([document])
    assert isinstance(outcome, Release)
    assert [edit.span.start for edit in outcome.edits] == [4]
    assert isinstance(outcome.edits[0], Edit)
