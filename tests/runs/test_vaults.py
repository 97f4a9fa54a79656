"""A run and its vault: what is done is in the vault for good, and a run goes on only with the vault it began with."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sfumato import recipe as recipes
from sfumato.document import Outcome
from sfumato.errors import EncryptionKeyError, InputError
from sfumato.runs.anonymize import anonymize_files
from sfumato.runs.journal import Entry, WorkFolder
from sfumato.runs.restore import restore_files
from sfumato.runs.summary import Summary
from sfumato.vault.database import SealedDatabase
from sfumato.vault.store import Vault

LABELS = recipes.load("labels")


class Stopped(Exception):
    pass


def stop_after(count: int) -> Callable[[Outcome], None]:
    left = count

    def see(outcome: Outcome) -> None:
        nonlocal left
        left -= 1
        if left < 0:
            raise Stopped

    return see


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    names = ("Ida Quorvex", "Tobias Wrexley", "Mirja Holmqvist")
    lines = [{"id": f"n{number}", "text": f"Dear {names[number % 3]}, yours."} for number in range(40)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return tmp_path


def anonymize(folder: Path, stop: int | None = None) -> Summary:
    with Vault.open(folder / "v.db", folder / "v.key") as vault:
        extra = {} if stop is None else {"on_outcome": stop_after(stop)}
        return anonymize_files(
            [folder / "in.jsonl"],
            folder / "out.jsonl",
            LABELS,
            audit=folder / "audit.jsonl",
            vault=vault,
            key=vault.key,
            **extra,  # type: ignore[arg-type]
        )


def remove_vault(folder: Path) -> None:
    for path in folder.glob("v.db*"):
        path.unlink()


def test_a_run_does_not_go_on_without_the_vault_it_began_with(folder: Path) -> None:
    with pytest.raises(Stopped):
        anonymize(folder, 17)
    (folder / "v.db").rename(folder / "kept.db")
    message = r"v\.db: is not the vault that .*; put that vault back.*; or delete .*\.out\.jsonl\.sfumato-work to begin"
    for _ in range(2):
        with pytest.raises(EncryptionKeyError, match=message):
            anonymize(folder)
    assert not (folder / "out.jsonl").exists()
    remove_vault(folder)
    (folder / "kept.db").rename(folder / "v.db")
    assert anonymize(folder).resumed == 17
    with Vault.open_existing(folder / "v.db", folder / "v.key") as vault:
        summary = restore_files([folder / "out.jsonl"], folder / "back.jsonl", vault, audit=folder / "audit.jsonl")
    assert summary.released == 40
    assert (folder / "back.jsonl").read_text() == (folder / "in.jsonl").read_text()


def test_a_run_does_not_go_on_with_an_earlier_copy_of_its_vault(folder: Path) -> None:
    with pytest.raises(Stopped):
        anonymize(folder, 10)
    shutil.copy(folder / "v.db", folder / "backup.db")
    with pytest.raises(Stopped):
        anonymize(folder, 10)
    remove_vault(folder)
    shutil.copy(folder / "backup.db", folder / "v.db")
    with pytest.raises(EncryptionKeyError, match=r"v\.db: is an earlier copy of the vault.*put that vault back"):
        anonymize(folder)


def test_a_copy_that_was_used_elsewhere_lacks_documents_and_is_noticed(folder: Path) -> None:
    """Its generation is as high, by other entries."""
    with pytest.raises(Stopped):
        anonymize(folder, 10)
    shutil.copy(folder / "v.db", folder / "backup.db")
    with pytest.raises(Stopped):
        anonymize(folder, 10)
    remove_vault(folder)
    shutil.copy(folder / "backup.db", folder / "v.db")
    with Vault.open(folder / "v.db", folder / "v.key") as vault:
        for number in range(200):
            vault.assign("other", "k", str(number), lambda taken: [str(taken)])
    with pytest.raises(EncryptionKeyError, match=r"document 11 was finished .* is not in this vault"):
        anonymize(folder)


def test_a_run_that_has_done_nothing_yet_takes_any_vault(folder: Path) -> None:
    with pytest.raises(Stopped):
        anonymize(folder, 0)
    remove_vault(folder)
    assert anonymize(folder).released == 40


def test_an_audit_tells_an_earlier_copy_of_the_vault(folder: Path) -> None:
    with Vault.open(folder / "v.db", folder / "v.key"):
        pass
    shutil.copy(folder / "v.db", folder / "backup.db")
    anonymize(folder)
    states = {json.dumps(json.loads(line)["vault"]) for line in (folder / "audit.jsonl").read_text().splitlines()}
    with Vault.open_existing(folder / "v.db", folder / "v.key") as vault:
        assert states == {json.dumps({"id": vault.state.id, "generation": vault.state.generation})}
    with (
        Vault.open_existing(folder / "backup.db", folder / "v.key") as vault,
        pytest.raises(EncryptionKeyError, match=r"backup\.db: is an earlier copy"),
    ):
        restore_files([folder / "out.jsonl"], folder / "back.jsonl", vault, audit=folder / "audit.jsonl")


@pytest.mark.parametrize(
    "content", ["", "{}\n", "not JSON\n", '{"vault": 3}\n', '{"vault": {"id": "x", "generation": "y"}}\n']
)
def test_a_file_that_is_no_audit_of_a_vault_is_refused(content: str, folder: Path) -> None:
    anonymize(folder)
    (folder / "a.jsonl").write_text(content)
    with Vault.open_existing(folder / "v.db", folder / "v.key") as vault:
        with pytest.raises(InputError, match=r"a\.jsonl: does not say which vault"):
            restore_files([folder / "out.jsonl"], folder / "back.jsonl", vault, audit=folder / "a.jsonl")
        with pytest.raises(InputError, match=r"b\.jsonl: the audit cannot be read"):
            restore_files([folder / "out.jsonl"], folder / "back.jsonl", vault, audit=folder / "b.jsonl")


def test_the_vault_is_flushed_first_then_the_journal_then_files_get_their_names(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    sync, fsync, replace = SealedDatabase.sync, os.fsync, Path.replace

    def synced(self: SealedDatabase) -> None:
        modes = []
        transaction = self._transaction

        def watched(begin: str = "BEGIN IMMEDIATE") -> object:
            modes.append(self._fetch("PRAGMA synchronous")[0][0])
            return transaction(begin)

        self._transaction = watched  # type: ignore[assignment, method-assign]
        before = self._durable
        sync(self)
        self._transaction = transaction  # type: ignore[method-assign]
        if self._durable != before:
            assert modes == [2]  # FULL
        events.append("vault")

    def fsynced(descriptor: int) -> None:
        fsync(descriptor)
        name = Path(os.readlink(f"/proc/self/fd/{descriptor}")).name if Path("/proc/self/fd").exists() else ""
        if name in ("journal.jsonl", ""):
            events.append("journal")

    def replaced(self: Path, target: Path) -> Path:
        if target.name == "out.jsonl":
            events.append("release")
        return replace(self, target)

    monkeypatch.setattr(SealedDatabase, "sync", synced)
    monkeypatch.setattr(os, "fsync", fsynced)
    monkeypatch.setattr(Path, "replace", replaced)
    anonymize(folder)
    assert events[: events.index("release")].count("journal") >= 1
    journal = events.index("journal")
    assert "vault" in events[:journal]
    assert "journal" not in events[events.index("release") :]


def test_an_unreadable_end_of_the_journal_is_done_again(folder: Path) -> None:
    work = WorkFolder(folder / "out.jsonl", "fingerprint")
    for number in range(3):
        work.append(Entry(0, str(number), str(number), "text"))
    work.leave()
    journal = folder / ".out.jsonl.sfumato-work" / "journal.jsonl"
    for torn in (b"\0\0\0\n", b'{"source": 0\n', b"[]\n", b'{"source": 0'):
        complete = journal.read_bytes()
        journal.write_bytes(complete + torn)
        again = WorkFolder(folder / "out.jsonl", "fingerprint")
        assert (again.done, journal.read_bytes()) == (3, complete)
        again.leave()


def test_pages_that_are_released_alike_come_back_each_as_its_own(folder: Path) -> None:
    """By their names; without them the bytes do not say which is which, and nothing is guessed."""
    pages = {f"page-{name.lower()}": f"<html><body><p>{name} Quorvex</p>\n</body></html>" for name in ("Ida", "Jon")}
    (folder / "in").mkdir()
    for number, page in enumerate(pages.values()):
        (folder / "in" / f"p{number}.html").write_text(page)
    with Vault.open(folder / "v.db", folder / "v.key") as vault:
        for _ in range(2):  # the second run changes nothing
            anonymize_files([folder / "in"], folder / "out", LABELS, vault=vault, key=vault.key)
        assert (folder / "out" / "p0.html").read_bytes() == (folder / "out" / "p1.html").read_bytes()
        restore_files([folder / "out"], folder / "back", vault)
        for number, page in enumerate(pages.values()):
            assert (folder / "back" / f"p{number}.html").read_text() == page
        (folder / "out" / "p0.html").rename(folder / "moved.html")
        summary = restore_files([folder / "moved.html"], folder / "again", vault)
        assert summary.released == 0
        assert "different originals" in summary.withheld_documents[0].reason
    Vault.open(folder / "v.db", folder / "v.key").close()


def test_workers_end_with_the_process_that_started_them() -> None:
    """As after a kill: nobody tells them to."""
    program = (
        "import multiprocessing, os, sys, threading\n"
        "from sfumato.runs import workers\n"
        "def work():\n"
        "    threading.Thread(target=workers._end_with_parent, daemon=True).start()\n"
        "    print(os.getpid(), flush=True)\n"
        "    threading.Event().wait()\n"
        "if __name__ == '__main__':\n"
        "    multiprocessing.get_context('fork').Process(target=work).start()\n"
        "    sys.stdin.read()\n"
        "    os._exit(0)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert int(process.stdout.readline()) > 0
        process.stdin.close()
        assert process.stdout.read() == ""  # returns when the worker, which holds it open, has ended
