"""The bytes of a run do not depend on the engine that does the work."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sfumato import recipe as recipes
from sfumato.errors import SfumatoError
from sfumato.parallel import Item, Result
from sfumato.recipe import Recipe
from sfumato.runs.anonymize import anonymize_files
from sfumato.vault.store import Vault
from tests.runs.engines import PicklingEngine

LABELS = recipes.load("labels").with_changes(detect=["rules"])
NAMES = ["Anna Quorvex", "Boris Belnik", "Carla Trellez", "Dora Aasmund"]
KEY = "0f1dd9c2a7be43586e90b31c4fd2857a"
RECIPES = {
    "surrogates": LABELS.with_changes(replace={"default": "surrogate"}, seed=1),
    "corpus surrogates": LABELS.with_changes(replace={"default": "surrogate"}, seed=1, scope="corpus"),
    "stated locale": LABELS.with_changes(locale="en-US"),
}


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.detectors.detection.BATCH_DOCUMENTS", 10)


def letters(folder: Path, count: int = 40) -> Path:
    """Letters of two files, some with a bad line, an id that says a name, or a foreign language."""
    folder.mkdir()
    for half in (0, 1):
        with (folder / f"part-{half}.jsonl").open("w", encoding="utf-8") as file:
            for number in range(half, count, 2):
                name, other = NAMES[number % 4], NAMES[number // 4 % 4]
                text = (
                    f"Dear Mr {name}, please call Ms {other} (020 7946 0{number:03}) on 3 March {1990 + number % 30}."
                )
                if number % 20 == 7:
                    text = "Уважаемый господин, пожалуйста, позвоните завтра утром вашему врачу в городскую больницу."
                document_id = name.replace(" ", "-") + f"-{number}" if number % 20 == 3 else f"doc-{number}"
                record = {"id": document_id, "text": text, "subjects": [f"s{number % 30}"]}
                file.write(json.dumps(record) + "\n")
            file.write("{not json\n")
    return folder


def release(source: Path, place: Path, recipe: Recipe, *, vault: bool = False, **options: Any) -> dict[str, object]:
    """A run's released files, audit, summary, and what its vault restores."""
    place.mkdir(exist_ok=True)
    (place / "key").write_text(KEY)
    opened = Vault.open(place / "v.db", place / "key") if vault else None
    try:
        summary = anonymize_files(
            [source], place / "out", recipe, audit=place / "audit.jsonl", vault=opened, **options
        ).to_json()
        records = None if opened is None else list(opened.all_records())
    finally:
        if opened:
            opened.close()
    files: dict[str, object] = {path.name: path.read_bytes() for path in sorted((place / "out").iterdir())}
    lines = [json.loads(line) for line in (place / "audit.jsonl").read_text(encoding="utf-8").splitlines()]
    files["audit"] = [{key: value for key, value in line.items() if key != "vault"} for line in lines]
    left_out = ("seconds", "files", "resumed")
    files["summary"] = {key: value for key, value in summary.items() if key not in left_out}
    files["vault"] = records
    return files


@pytest.mark.parametrize(
    ("name", "vault"), [*((name, False) for name in RECIPES), ("surrogates", True), ("corpus surrogates", True)]
)
def test_an_engine_changes_no_byte(name: str, vault: bool, tmp_path: Path) -> None:
    source, engine = letters(tmp_path / "in"), PicklingEngine()
    alone = release(source, tmp_path / "alone", RECIPES[name], vault=vault)
    assert release(source, tmp_path / "engine", RECIPES[name], vault=vault, engine=engine) == alone
    assert engine.items == 4


class _Stopped(Exception):
    """The end of a run that was stopped from outside."""


class StoppedEngine(PicklingEngine):
    """Stops after some results, as where the machine is switched off."""

    def map(
        self, make_worker: Callable[[], Callable[[Item], Result]], items: Iterable[Item], *, most: int | None = None
    ) -> Iterator[Result]:
        for number, result in enumerate(super().map(make_worker, items)):
            if number == 2:
                raise _Stopped
            yield result


@pytest.mark.parametrize("name", ["surrogates", "corpus surrogates"])
@pytest.mark.parametrize("vault", [False, True], ids=["memory", "vault"])
def test_what_one_engine_began_another_ends(name: str, vault: bool, tmp_path: Path) -> None:
    source, recipe = letters(tmp_path / "in"), RECIPES[name]
    alone = release(source, tmp_path / "alone", recipe, vault=vault)
    with pytest.raises(_Stopped):
        release(source, tmp_path / "resumed", recipe, vault=vault, engine=StoppedEngine(ahead=0))
    engine = PicklingEngine()
    assert release(source, tmp_path / "resumed", recipe, vault=vault, engine=engine) == alone
    is_replayed = recipe.scope == "corpus" and not vault
    assert engine.items == (4 if is_replayed else 2)


def test_what_needs_one_process_is_refused(tmp_path: Path) -> None:
    source = letters(tmp_path / "in", 4)
    asking = recipes.load("clinical-rewrite")
    with pytest.raises(SfumatoError, match="asks a language model in one process; leave --engine out"):
        anonymize_files([source], tmp_path / "out", asking, engine=PicklingEngine())
    spans = tmp_path / "spans.jsonl"
    spans.write_text("")
    with pytest.raises(SfumatoError, match="a spans file is read in one process"):
        anonymize_files([source], tmp_path / "out", LABELS, spans=spans, engine=PicklingEngine())
    assert not (tmp_path / "out").exists()
