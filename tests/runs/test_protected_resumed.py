"""A protected run that was stopped goes on where it was, and gives the same bytes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from sfumato.attacks.background import as_background
from sfumato.document import Outcome
from sfumato.errors import OutputError
from sfumato.progress import Progress
from sfumato.protection.target import Options
from sfumato.runs.anonymize import anonymize_files
from sfumato.runs.summary import Summary
from sfumato.vault.key import Key
from sfumato.vault.restore import restore_with
from sfumato.vault.store import Vault
from tests.protection.invented_corpus import background
from tests.runs.protected_runs import LABELS, OPTIONS, lines, make_run, seeded

KEY = "0f1dd9c2a7be43586e90b31c4fd2857a"


class Stopped(BaseException):
    pass


def stop_at(stage: str, done: int) -> Callable[[Progress], None]:
    def look(step: Progress) -> None:
        if (step.stage, step.done) == (stage, done):
            raise Stopped

    return look


@pytest.mark.parametrize("with_vault", [False, True], ids=["memory", "vault"])
def test_a_stopped_run_goes_on_and_gives_the_same_bytes(with_vault: bool, tmp_path: Path, loop_runs: list[int]) -> None:
    source = lines(tmp_path / "in.jsonl")
    recipe = LABELS if with_vault else seeded()
    (tmp_path / "key").write_text(KEY)
    Vault.open(tmp_path / "new.db", tmp_path / "key").close()  # an audit names its vault
    with_holdout = Options(attacks=("bm25",), holdout_documents=5)

    def run(name: str, on_progress: Callable[[Progress], None] = lambda step: None) -> Summary:
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        if not (folder / "v.db").exists():
            shutil.copy(tmp_path / "new.db", folder / "v.db")
        vault = Vault.open(folder / "v.db", tmp_path / "key") if with_vault else None
        try:
            return anonymize_files(
                [source],
                folder / "out.jsonl",
                recipe,
                audit=folder / "audit.jsonl",
                vault=vault,
                key=Key.load(tmp_path / "key"),
                protected_run=make_run(folder, options=with_holdout, on_progress=on_progress),
            )
        finally:
            if vault:
                vault.close()

    whole = run("whole")
    all_runs = len(loop_runs)
    loop_runs.clear()
    for stage, done in (("protecting", 2), ("protecting", 4), ("hold-out run", 3)):
        with pytest.raises(Stopped):
            run("broken", stop_at(stage, done))
        assert not (tmp_path / "broken" / "out.jsonl").exists()
    resumed = run("broken")
    assert len(loop_runs) == all_runs
    assert resumed.released == whole.released == 5
    for file in ("out.jsonl", "audit.jsonl"):
        assert (tmp_path / "broken" / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()
    assert resumed.protection is not None
    assert whole.protection is not None
    assert resumed.protection.scenarios == whole.protection.scenarios
    assert not list((tmp_path / "broken").glob(".*"))


def test_a_run_stopped_while_writing_goes_on_too(tmp_path: Path, loop_runs: list[int]) -> None:
    source, key = lines(tmp_path / "in.jsonl"), Key(b"k" * 32)
    left = [3]

    def look(outcome: Outcome) -> None:
        left[0] -= 1
        if left[0] == 0:
            raise Stopped

    (tmp_path / "whole").mkdir()
    own = make_run(tmp_path, options=OPTIONS)
    anonymize_files([source], tmp_path / "whole" / "out.jsonl", seeded(), key=key, protected_run=own)
    before = len(loop_runs)
    with pytest.raises(Stopped):
        anonymize_files([source], tmp_path / "out.jsonl", seeded(), key=key, protected_run=own, on_outcome=look)
    done = len(loop_runs)
    anonymize_files([source], tmp_path / "out.jsonl", seeded(), key=key, protected_run=own)
    assert len(loop_runs) == done > before
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole" / "out.jsonl").read_bytes()


def test_a_certificate_that_cannot_be_written_costs_no_second_run(tmp_path: Path, loop_runs: list[int]) -> None:
    source, place = lines(tmp_path / "in.jsonl"), tmp_path / "certificate.json"
    place.mkdir()

    def run() -> Summary:
        return anonymize_files([source], tmp_path / "out.jsonl", seeded(), protected_run=make_run(tmp_path))

    with pytest.raises(OutputError, match="is a folder"):
        run()
    done = len(loop_runs)
    place.rmdir()
    assert place in run().files
    assert len(loop_runs) == done
    assert not list(tmp_path.glob(".*"))


def test_a_resumed_run_without_a_key_keeps_its_ranks(tmp_path: Path, loop_runs: list[int]) -> None:
    source = lines(tmp_path / "in.jsonl")
    stopping = make_run(tmp_path, options=OPTIONS, on_progress=stop_at("attacking the initial releases", 0))
    with pytest.raises(Stopped):
        anonymize_files([source], tmp_path / "out.jsonl", LABELS, protected_run=stopping)
    done = len(loop_runs)
    anonymize_files([source], tmp_path / "out.jsonl", LABELS, protected_run=make_run(tmp_path, options=OPTIONS))
    assert len(loop_runs) == done  # with other ranks they would have been done again


def test_after_a_stop_the_vault_still_knows_who_is_who(tmp_path: Path) -> None:
    source = lines(tmp_path / "in.jsonl")
    (tmp_path / "key").write_text(KEY)
    seen: list[Outcome] = []
    with Vault.open(tmp_path / "v.db", tmp_path / "key") as vault:

        def run(on_progress: Callable[[Progress], None] = lambda step: None) -> None:
            anonymize_files(
                [source],
                tmp_path / "out.jsonl",
                LABELS,
                vault=vault,
                key=vault.key,
                protected_run=make_run(tmp_path, on_progress=on_progress),
                on_outcome=seen.append,
            )

        with pytest.raises(Stopped):
            run(stop_at("verifying", 0))
        run()
    first = next(outcome for outcome in seen if outcome.document.id == "n0")
    assert restore_with("PERSON_1 called.", [first]) == "Anna Quorvex called."  # type: ignore[list-item]


def test_another_target_or_background_starts_anew(tmp_path: Path, loop_runs: list[int]) -> None:
    source = lines(tmp_path / "in.jsonl")
    with pytest.raises(Stopped):
        anonymize_files(
            [source],
            tmp_path / "out.jsonl",
            seeded(),
            protected_run=make_run(tmp_path, on_progress=stop_at("verifying", 0)),
        )
    loop_runs.clear()
    more = as_background({person.id: [*person.texts, "They came along and left."] for person in background().people})
    anonymize_files([source], tmp_path / "out.jsonl", seeded(), protected_run=make_run(tmp_path, background=more))
    assert len(loop_runs) >= 5
