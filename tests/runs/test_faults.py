"""Faults of machines: whatever breaks, nothing is lost, nothing is doubled, and the same command ends the run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from sfumato.document import Outcome
from sfumato.errors import SfumatoError
from sfumato.llm.settings import open_chat
from sfumato.recipe import Recipe
from sfumato.runs.anonymize import anonymize_files
from tests.llm.server import Handler, answer, serving
from tests.runs.test_engines import RECIPES, letters, release

SURROGATES = RECIPES["surrogates"]
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sfumato.detectors.detection.BATCH_DOCUMENTS", 8)
    monkeypatch.setattr("sfumato.runs.journal._FLUSH_EVERY", 5)


def test_a_local_worker_that_is_killed_ends_the_run_and_the_next_one_resumes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, place = letters(tmp_path / "in"), tmp_path / "killed"
    monkeypatch.setattr("sfumato.runs.workers._AHEAD", 0)  # else the workers may have ended before they are killed
    seen: list[Outcome] = []

    def kill_workers(outcome: Outcome) -> None:
        seen.append(outcome)
        if len(seen) == 10:
            children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
            for process in {int(pid) for path in children for pid in path.read_text().split()}:
                if b"spawn_main" in Path(f"/proc/{process}/cmdline").read_bytes():
                    os.kill(process, signal.SIGKILL)

    if not Path("/proc/self/task").exists():
        pytest.skip("processes are found by Linux's /proc")
    with pytest.raises(SfumatoError, match=r"a worker process was killed.* which resumes"):
        release(source, place, SURROGATES, jobs=2, on_outcome=kill_workers)
    assert not (place / "out").exists()
    done = len((place / ".out.sfumato-work" / "journal.jsonl").read_bytes().splitlines())
    assert 0 < done < 40
    assert release(source, place, SURROGATES) == release(source, tmp_path / "alone", SURROGATES)


LIMITED = """
import resource, sys
from pathlib import Path
import sfumato.runs.journal
from tests.runs.test_engines import RECIPES, release
sfumato.runs.journal._FLUSH_EVERY = 5
size = int(sys.argv[3])
if size:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
try:
    release(Path(sys.argv[1]), Path(sys.argv[2]), RECIPES["surrogates"])
except Exception as error:
    sys.exit(f"{type(error).__name__}: {error}")
"""


@pytest.mark.parametrize("size", [4_000, 14_000], ids=["journal", "outputs"])
def test_where_a_file_must_not_grow_the_run_stops_and_goes_on_with_room(size: int, tmp_path: Path) -> None:
    source, place = letters(tmp_path / "in"), tmp_path / "limited"
    command: list[str | Path] = [sys.executable, "-c", LIMITED, source, place, str(size)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert run.returncode == 1
    assert run.stderr.startswith("DiskFull: ")
    assert "run the same command again" in run.stderr
    assert not (place / "out").exists()
    assert release(source, place, SURROGATES) == release(source, tmp_path / "alone", SURROGATES)


@pytest.mark.parametrize("damage", ["torn", "garbage"])
def test_a_damaged_journal_costs_what_was_damaged_and_no_more(damage: str, tmp_path: Path) -> None:
    source, place = letters(tmp_path / "in"), tmp_path / "damaged"
    seen: list[Outcome] = []

    def stop(outcome: Outcome) -> None:
        seen.append(outcome)
        if len(seen) == 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        release(source, place, SURROGATES, on_outcome=stop)
    journal = place / ".out.sfumato-work" / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    whole = b"".join(lines[:7])
    journal.write_bytes(whole + (lines[7][:40] if damage == "torn" else b"\x00\xff\x00\n" + b"".join(lines[8:])))
    again: list[Outcome] = []
    resumed = release(source, place, SURROGATES, on_outcome=again.append)
    assert resumed == release(source, tmp_path / "alone", SURROGATES)
    assert len(again) == 40 - 7


@pytest.mark.parametrize("format_name", ["jsonl", "parquet"])
def test_a_corrupt_shard_is_named_and_the_others_are_released(format_name: str, tmp_path: Path) -> None:
    folder, good = tmp_path / "in", letters(tmp_path / "good", 8)
    folder.mkdir()
    for path in good.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())
    shard = folder / f"shard.{format_name}"
    content = _shard(shard)
    shard.write_bytes(content[: len(content) // 2])
    out = tmp_path / "out"
    summary = anonymize_files([folder], out, SURROGATES)
    assert not summary.complete
    assert any(str(problem).startswith(str(shard)) for problem in summary.problems)
    assert {path.name for path in out.iterdir()} >= {path.name for path in good.iterdir()}
    assert summary.released == len(_ids(out))
    shard.write_bytes(content)
    repaired = anonymize_files([folder], out, SURROGATES)
    assert repaired.released == summary.released + (5 if format_name == "parquet" else 3)


def _shard(path: Path) -> bytes:
    """A shard of five documents, and its bytes."""
    records = [{"id": f"s{number}", "text": f"Call Mr Osric Tannenfels, 020 7946 0{number}11."} for number in range(5)]
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
    else:
        pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        parquet.write_table(pyarrow.Table.from_pylist(records), path)
    return path.read_bytes()


def _ids(out: Path) -> list[str]:
    return [json.loads(line)["id"] for path in out.glob("*.jsonl") for line in path.read_text().splitlines()]


def test_an_endpoint_that_hangs_withholds_what_it_was_asked_and_a_second_run_asks_only_that(tmp_path: Path) -> None:
    recipe = Recipe.model_validate({"detect": ["sparks"], "always_run": ["rules"], "uncovered": "release"})
    source = tmp_path / "in.jsonl"
    texts = {"a": "Ida keeps bees.", "b": "Osric raced pigeons.", "c": "Mirja sells boats."}
    source.write_text("".join(json.dumps({"id": key, "text": text}) + "\n" for key, text in texts.items()))
    gone = threading.Event()
    asked: list[str] = []

    def behave(handler: Handler, body: dict[str, Any], number: int) -> None:
        text = body["messages"][-1]["content"]
        asked.append(text)
        if "pigeons" in text and not gone.is_set():
            gone.wait(20)
            return
        (key,) = body["response_format"]["json_schema"]["schema"]["properties"] if "response_format" in body else ("x",)
        handler.say(200, answer(json.dumps({key: []})))

    with serving(behave) as server:
        spec = tmp_path / "chat.toml"
        spec.write_text(f'url = "{server.url}"\nmodel = "tiny"\ntimeout = 0.3\n')
        chats = [open_chat(str(spec), cache=tmp_path / "cache") for _ in range(2)]
        first = anonymize_files([source], tmp_path / "out.jsonl", recipe, chat=chats[0])
        (note,) = first.withheld_documents
        assert "no answer within 0.3 s" in note.reason
        assert first.released == 2
        gone.set()
        asked.clear()
        second = anonymize_files([source], tmp_path / "out.jsonl", recipe, chat=chats[1])
    assert (second.released, second.withheld) == (3, 0)
    assert len(asked) >= 1
    assert all("pigeons" in text for text in asked)
