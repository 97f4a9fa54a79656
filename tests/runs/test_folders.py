"""Whole folders: one bad file stops nothing, every file keeps its manner and name, and secrets stay out of them."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from sfumato import recipe as recipes
from sfumato.errors import InputError, OutputError
from sfumato.formats.base import Columns
from sfumato.formats.sources import load
from sfumato.runs.anonymize import anonymize_files
from sfumato.runs.detect import detect_files
from sfumato.runs.restore import restore_files
from sfumato.runs.summary import NothingRead, Summary
from sfumato.vault.store import Vault
from tests.formats import docx_files

LABELS = recipes.load("labels")
KEY = "0f1dd9c2a7be43586e90b31c4fd2857a"
LETTER = "Mr Ignatius Pennywhistle came home."


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def messages(summary: Summary) -> str:
    return "\n".join(map(str, summary.problems))


@pytest.fixture
def vault(tmp_path: Path) -> Vault:
    write(tmp_path / "key", KEY)
    return Vault.open(tmp_path / "vault.db", tmp_path / "key")


def test_a_table_without_its_columns_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    write(tmp_path / "in/a.csv", "id,texts\n1,hello\n")
    write(tmp_path / "in/b.csv", f"id,text,ward\n1,{LETTER},3A\n")
    write(tmp_path / "in/c.csv", "id,text\n1,hello\n")
    summary = anonymize_files([tmp_path / "in"], tmp_path / "out", LABELS, columns=Columns(keep=("ward",)))
    assert "--text-column" in messages(summary)
    assert "--keep-column" in messages(summary)
    assert (summary.skipped, summary.released, summary.complete) == (2, 1, False)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["b.csv"]
    with pytest.raises(InputError, match="--text-column"):
        anonymize_files([tmp_path / "in/a.csv"], tmp_path / "a.jsonl", LABELS)


MIRRORED = {
    "table.csv": "\ufeffward;text;key\r\n3A;{};7\r\n",
    "rows.jsonl": '{{"key": 7, "ward": "3A", "text": "{}"}}\n',
    "list.json": '[\n{{"key": 7, "text": "{}", "ward": "3A"}}\n]\n',
}


@pytest.mark.parametrize("name", MIRRORED)
@pytest.mark.parametrize("target", ["out", "out.{}"], ids=["folder", "file"])
def test_a_file_of_records_keeps_its_manner_and_comes_back_whole(
    name: str, target: str, tmp_path: Path, vault: Vault
) -> None:
    template = MIRRORED[name]
    source = write(tmp_path / "in" / name, template.format("Anna Quorvex came."))
    columns = Columns("key", "text", ("ward",))
    if name == "list.json" and target != "out":
        target = "out.tab.json"
    out = tmp_path / target.format(source.suffix[1:])
    anonymize_files([source], out, LABELS, columns=columns, vault=vault, key=vault.key)
    released = out / name if out.is_dir() else out
    assert released.read_bytes().decode() == template.format("PERSON_1 came.")
    restore_files([released], tmp_path / "back", vault, columns=columns)
    assert next((tmp_path / "back").iterdir()).read_bytes() == source.read_bytes()


def test_a_released_id_is_text_even_where_ids_are_numbers(tmp_path: Path) -> None:
    source = write(tmp_path / "in.jsonl", '{"id": 1, "text": "hello"}\n')
    anonymize_files([source], tmp_path / "out.jsonl", LABELS.with_changes(ids="renumber"))
    assert (tmp_path / "out.jsonl").read_text() == '{"id": "document-1", "text": "hello"}\n'


def test_renamed_files_of_records_come_back_under_their_names(tmp_path: Path, vault: Vault) -> None:
    for name in ("ignatius_pennywhistle.csv", "sub/maria_jones.csv"):
        write(tmp_path / "in" / name, f"id,text\n1,{LETTER}\n")
    anonymize_files([tmp_path / "in"], tmp_path / "out", LABELS, vault=vault, key=vault.key)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["file-1.csv", "file-2.csv"]
    restore_files([tmp_path / "out"], tmp_path / "back", vault)
    for name in ("ignatius_pennywhistle.csv", "sub/maria_jones.csv"):
        assert (tmp_path / "back" / name).read_bytes() == (tmp_path / "in" / name).read_bytes()


PAGE = (
    f'<p id="pennywhistle">{LETTER}</p><a href="#pennywhistle">x</a>'
    '<img src="ignatius_pennywhistle.jpg" class="pennywhistle-photo">'
)


@pytest.mark.parametrize("jobs", [1, 2])
def test_names_in_a_page_s_identifiers_are_hidden_and_come_back(jobs: int, tmp_path: Path, vault: Vault) -> None:
    source = write(tmp_path / "in/page.html", PAGE)
    anonymize_files([source], tmp_path / "out", LABELS, vault=vault, key=vault.key, jobs=jobs)
    released = (tmp_path / "out/page.html").read_text()
    assert "pennywhistle" not in released.lower()
    summary = restore_files([tmp_path / "out"], tmp_path / "back", vault)
    assert summary.complete
    assert (tmp_path / "back/page.html").read_bytes() == source.read_bytes()


GENERALIZED = {
    "page.html": "<p>She was born on <b>3 August 1961</b> in <i>Gdansk</i>, a <em>Hungarian</em> baker.</p><p>at</p>\n",
    "note.md": "# On\n**3 August 1961** she left\n\n- a\n- Hungarian baker of Gdansk",
    "table.csv": 'id,text\n1,"On 3 August 1961, in Gdansk: a Hungarian."\n',
}


def test_what_is_generalized_across_markup_comes_back_whole(tmp_path: Path, vault: Vault) -> None:
    """An article or a preposition that goes with a span may stand outside of its element."""
    for name, text in GENERALIZED.items():
        write(tmp_path / "in" / name, text)
    runs = docx_files.paragraph("She was born on ", "3 August", " 1961 in ", "Gdansk", ", a ", "Hungarian baker.")
    docx_files.write_docx(tmp_path / "in" / "letter.docx", runs)
    recipe = recipes.load("default")
    anonymize_files([tmp_path / "in"], tmp_path / "out", recipe, vault=vault, key=vault.key)
    released = {document.id: document.text for document in load([tmp_path / "out"])}
    assert len(released) == 4
    assert not [text for text in released.values() if "Gdansk" in text or "3 August" in text or "Hungarian" in text]
    assert restore_files([tmp_path / "out"], tmp_path / "back", vault).complete
    for name, text in GENERALIZED.items():
        assert (tmp_path / "back" / name).read_bytes().decode() == text
    texts = [[document.text for document in load([tmp_path / folder / "letter.docx"])] for folder in ("in", "back")]
    assert texts[0] == texts[1]


@pytest.mark.parametrize("out", ["in/out", "in/out.jsonl", "in", "."])
def test_outputs_and_inputs_are_kept_apart(out: str, tmp_path: Path) -> None:
    write(tmp_path / "in/a.txt", LETTER)
    with pytest.raises(OutputError, match="outside of"):
        anonymize_files([tmp_path / "in"], tmp_path / out, LABELS)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.txt", "in"]


def test_spans_and_audit_are_not_written_among_the_inputs(tmp_path: Path) -> None:
    write(tmp_path / "in/a.txt", LETTER)
    with pytest.raises(OutputError, match="outside of"):
        detect_files([tmp_path / "in"], tmp_path / "in/spans.jsonl", LABELS)
    with pytest.raises(OutputError, match="--audit outside of"):
        anonymize_files([tmp_path / "in"], tmp_path / "out", LABELS, audit=tmp_path / "in/audit.jsonl")


def test_nothing_that_undoes_a_release_lies_in_its_folder(tmp_path: Path, vault: Vault) -> None:
    source = write(tmp_path / "in/a.txt", LETTER)
    out = tmp_path / "out"
    with pytest.raises(OutputError, match=r"audit\.jsonl: .*outside of it"):
        anonymize_files([source], out, LABELS, audit=out / "sub/audit.jsonl")
    with pytest.raises(OutputError, match=r"key: .*outside of it"):
        anonymize_files([source], out, LABELS, confidential=[out / "key"])
    write(out / "key", KEY)
    with Vault.open(out / "vault.db", out / "key") as inside, pytest.raises(OutputError, match=r"vault\.db: "):
        anonymize_files([source], out, LABELS, vault=inside, key=inside.key)
    with pytest.raises(OutputError, match="outside of it"):
        anonymize_files([source], tmp_path / "x.jsonl", LABELS, audit=tmp_path / "x.jsonl")


def test_confidential_files_are_for_their_owner_only(tmp_path: Path) -> None:
    source = write(tmp_path / "in/a.txt", LETTER)
    detect_files([source], tmp_path / "spans.jsonl", LABELS)
    anonymize_files([source], tmp_path / "out", LABELS, audit=tmp_path / "audit.jsonl")
    anonymize_files([source], tmp_path / "out", LABELS, audit=tmp_path / "a.masks.json")
    for name in ("spans.jsonl", "audit.jsonl", "a.masks.json"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


@pytest.mark.parametrize("names", [("a.jsonl", "b.docx"), ("a.pdf",)])
def test_where_nothing_can_be_read_nothing_is_written(names: tuple[str, ...], tmp_path: Path) -> None:
    for name in names:
        write(tmp_path / "in" / name, "" if name == "a.jsonl" else "x")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(NothingRead, match=rf"no document could be read.*{names[0]}") as caught:
        anonymize_files([tmp_path / "in"], tmp_path / "out", LABELS, audit=tmp_path / "audit.jsonl")
    assert all(name in messages(caught.value.summary) for name in names)
    with pytest.raises(NothingRead):
        detect_files([tmp_path / "in"], tmp_path / "spans.jsonl", LABELS)
    assert sorted(tmp_path.iterdir()) == before
