"""`sfumato anonymize` is killed (SIGKILL) again and again and started again: does it end with the same bytes?

    python -m benchmarks.kills [--random 200] [--publishing 50] [--documents 300] [--seed 1]

A folder of records, web pages and texts is anonymized with the recipe ``fast``, by one process and by two workers, with
and without a vault. Kills at random moments come at any time between the start and the end of a run, to the whole group
of processes or to the first one alone; kills while publishing come right before one of the files that the run opens,
renames or removes from its first output on. After some kills the run is let through, and its output folder, its audit
and the decrypted content of its vault are compared with those of a run that nobody disturbed. Files that are left over,
and workers that live on, are differences, too.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from sfumato.vault.key import Key
from sfumato.vault.store import Vault

NAMES = ("Ida Quorvex", "Tobias Wrexley", "Mirja Holmqvist", "Osric Tannenfels")
PROGRAM = (sys.executable, "-c", "from sfumato.cli import main; main()")
PATIENCE = 120
KILLS_BEFORE_AN_END = 5
LAST_SECONDS = 60
"""How long workers may live on after the first process was killed."""
HOOK = """
import os, signal, sys

if "KILLS_AT" in os.environ:
    at, place, count = int(os.environ["KILLS_AT"]), os.environ["KILLS_PLACE"], 0
    started = False
    events = {"open", "os.rename", "os.remove", "os.rmdir", "os.link", "os.truncate"}

    def hook(event, args):
        global started, count
        if event not in events:
            return
        path = os.fsdecode(args[0]) if isinstance(args[0], (str, bytes)) else ""
        started = started or (path.startswith(place) and path.endswith(".part"))
        if started and (path.startswith(place) or event != "open"):
            count += 1
            if count == at:
                os.kill(os.getpid(), signal.SIGKILL)
            if at == 0:
                with os.fdopen(os.dup(2), "w") as file:
                    file.write("event\\n")

    sys.addaudithook(hook)
"""


@dataclass(frozen=True)
class Setting:
    """How a run is made."""

    jobs: int
    has_vault: bool

    def __str__(self) -> str:
        return f"{self.jobs} worker{'s' * (self.jobs > 1)}, {'a' if self.has_vault else 'no'} vault"


@dataclass
class Counts:
    """Kills, runs that came to their end after them, and what was different then."""

    kills: dict[str, int] = field(default_factory=dict)
    ended: int = 0
    resumed: int = 0
    differences: list[str] = field(default_factory=list)


SETTINGS = [Setting(1, False), Setting(1, True), Setting(2, False), Setting(2, True)]
Content = dict[str, object]


class Bench:
    """The inputs, and what undisturbed runs make of them."""

    def __init__(self, folder: Path, documents: int, seed: int) -> None:
        self.folder = folder.resolve()
        self.chance = random.Random(seed)
        self.counts = Counts()
        self._write_inputs(documents)
        (folder / "hook").mkdir()
        (folder / "hook" / "sitecustomize.py").write_text(HOOK, encoding="utf-8")
        self.key = Key.create(folder / "v.key")
        Vault(folder / "new.db", self.key).close()  # an audit names its vault: all runs begin with this one
        self.expected: dict[bool, Content] = {}
        self.events: dict[bool, int] = {}
        self.seconds: dict[bool, tuple[float, float]] = {}
        """Until there is a work folder, and from then on."""
        for has_vault in (False, True):
            place, began = self._new_place(has_vault), time.monotonic()
            process = self._start(Setting(1, has_vault), place, 0)
            self._wait_for_work(process, place)
            works = time.monotonic()
            printed = self._finish(process)
            self.seconds[has_vault] = (works - began, time.monotonic() - works)
            self.events[has_vault] = printed.count("event\n")
            self.expected[has_vault] = self._content(place)

    def _write_inputs(self, documents: int) -> None:
        source = self.folder / "in"
        source.mkdir()
        with (source / "notes.jsonl").open("w", encoding="utf-8") as file:
            for number in range(documents):
                first, second = NAMES[number % 4], NAMES[number // 4 % 4]
                text = f"Dear {first}, please call {second} on 3 March {1990 + number % 30}."
                file.write(json.dumps({"id": f"note-{number}", "text": text}) + "\n")
        for number in range(3):
            page = f"<html><body><p>{NAMES[number]} wrote to <b>{NAMES[3]}</b>.</p></body></html>"
            (source / f"page-{number}.html").write_text(page, encoding="utf-8")
            (source / f"text-{number}.txt").write_text(f"{NAMES[number]} came on 4 May 1999.\n", encoding="utf-8")

    def _new_place(self, has_vault: bool) -> Path:
        place = self.folder / "place"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        if has_vault:
            shutil.copy(self.folder / "new.db", place / "v.db")
        return place

    def _start(self, setting: Setting, place: Path, kill_at: int | None) -> subprocess.Popen[str]:
        vault = ("--vault", place / "v.db", "--key-file", self.folder / "v.key") if setting.has_vault else ()
        arguments = (self.folder / "in", "--recipe", "fast", "--out", place / "out", "--audit", place / "audit.jsonl")
        environment = dict(os.environ)
        if kill_at is not None:
            environment |= {"KILLS_AT": str(kill_at), "KILLS_PLACE": str(place)}
            paths = (str(self.folder / "hook"), os.environ.get("PYTHONPATH"))
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        return subprocess.Popen(
            [*PROGRAM, "anonymize", *map(str, arguments), "--jobs", str(setting.jobs), *map(str, vault), "--json"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def _finish(self, process: subprocess.Popen[str]) -> str:
        """What a run printed that nobody kills."""
        printed, _ = process.communicate(timeout=PATIENCE)
        if process.returncode:
            raise AssertionError(f"exit code {process.returncode}\n{printed}")
        return printed

    def _wait_for_work(self, process: subprocess.Popen[str], place: Path) -> None:
        while process.poll() is None and not (place / ".out.sfumato-work").exists():
            time.sleep(0.002)

    def _content(self, place: Path) -> Content:
        """Every file of a finished run; of the vault, what is in it."""
        files: Content = {
            str(path.relative_to(place)): path.read_bytes()
            for path in sorted(place.rglob("*"))
            if path.is_file() and not path.name.startswith("v.db")
        }
        if (place / "v.db").exists():
            with Vault(place / "v.db", self.key) as vault:
                files["vault"] = (vault.state, dict(decrypted(vault)))
        return files

    # Kills.

    def random_kills(self, count: int) -> None:
        """As many kills at random moments, over all settings; those with one worker are three times as many."""
        self._series("random", count, [SETTINGS[index] for index in (0, 1, 0, 1, 1, 2, 0, 3)], self._kill_at_random)

    def publishing_kills(self, count: int) -> None:
        self._series("publishing", count, [SETTINGS[index] for index in (0, 1, 1, 3)], self._kill_while_publishing)

    def _series(self, kind: str, count: int, settings: list[Setting], kill: object) -> None:
        assert callable(kill)
        killed = series = 0
        while killed < count:
            setting = settings[series % len(settings)]
            series += 1
            place = self._new_place(setting.has_vault)
            for _ in range(min(KILLS_BEFORE_AN_END, count - killed)):
                if not kill(setting, place):
                    break  # it had come to its end
                killed += 1
                name = f"{kind}, {setting}"
                self.counts.kills[name] = self.counts.kills.get(name, 0) + 1
            self._compare(kind, setting, place)
            print(f"{kind}: {killed} of {count} kills", file=sys.stderr, flush=True)

    def _kill_at_random(self, setting: Setting, place: Path) -> bool:
        process = self._start(setting, place, None)
        before, work = self.seconds[setting.has_vault]
        if self.chance.random() < 0.2:
            delay = self.chance.uniform(0.0, before)
        else:  # most kills come when there is something to lose
            self._wait_for_work(process, place)
            delay = self.chance.uniform(0.0, work * (1.0 if setting.jobs == 1 else 2.0))
        try:
            process.wait(timeout=delay)
        except subprocess.TimeoutExpired:
            is_whole_group = setting.jobs == 1 or self.chance.random() < 0.5
            return self._kill(process, is_whole_group)
        process.communicate(timeout=PATIENCE)
        return False

    def _kill(self, process: subprocess.Popen[str], is_whole_group: bool) -> bool:
        if is_whole_group:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.wait(timeout=PATIENCE)
        self._check_nobody_is_left(process)
        assert process.stdout is not None
        process.stdout.close()
        return process.returncode == -signal.SIGKILL

    def _kill_while_publishing(self, setting: Setting, place: Path) -> bool:
        process = self._start(setting, place, self.chance.randint(1, self.events[setting.has_vault]))
        process.wait(timeout=PATIENCE)
        self._check_nobody_is_left(process)
        assert process.stdout is not None
        process.stdout.close()
        return process.returncode == -signal.SIGKILL

    def _check_nobody_is_left(self, process: subprocess.Popen[str]) -> None:
        end = time.monotonic() + LAST_SECONDS
        while time.monotonic() < end:
            try:
                os.killpg(process.pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        self.counts.differences.append("a worker lived on")

    def _compare(self, kind: str, setting: Setting, place: Path) -> None:
        printed = self._finish(self._start(setting, place, None))
        self.counts.ended += 1
        self.counts.resumed += json.loads(printed[printed.index("{") :])["resumed"] > 0
        content, expected = self._content(place), self.expected[setting.has_vault]
        for name in sorted(content.keys() | expected.keys()):
            if content.get(name) != expected.get(name):
                self.counts.differences.append(f"{kind}, {setting}: {name}")


def decrypted(vault: Vault) -> Iterator[tuple[object, object]]:
    """Every entry of a vault by its place, in clear text."""
    database = vault._database
    for space, entity, taken, n, value in database.rows("SELECT * FROM assignment"):
        yield (space, entity), (taken, n, database.decrypt(value, entity))
    for id_tag, text_tag, undo in database.rows("SELECT * FROM release"):
        yield (id_tag, text_tag), database.decrypt(undo, b"release", id_tag, text_tag)
    for n, word, tag, _ in database.rows("SELECT * FROM mention"):
        yield (word, tag), n
    for released, original in database.rows("SELECT * FROM file"):
        yield released, database.decrypt(original, released)


def processor_seconds() -> float:
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usage)


def run(folder: Path, random_kills: int, publishing_kills: int, documents: int, seed: int) -> Counts:
    """Kills of both kinds; the counts say what was different afterwards."""
    bench = Bench(folder, documents, seed)
    bench.random_kills(random_kills)
    bench.publishing_kills(publishing_kills)
    return bench.counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--random", type=int, default=200)
    parser.add_argument("--publishing", type=int, default=50)
    parser.add_argument("--documents", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        counts = run(Path(folder), given.random, given.publishing, given.documents, given.seed)
    print("| kills | number |\n| --- | --- |")
    for name, number in sorted(counts.kills.items()):
        print(f"| {name} | {number} |")
    print(f"\n{sum(counts.kills.values())} kills; {counts.ended} runs came to their end, {counts.resumed} of them had")
    print(f"finished documents to go on from; {len(counts.differences)} differences")
    print(f"{processor_seconds():.0f} s of processor time, {time.monotonic() - began:.0f} s in all")
    for difference in counts.differences:
        print(f"- {difference}")
    raise SystemExit(1 if counts.differences else 0)


if __name__ == "__main__":
    main()
