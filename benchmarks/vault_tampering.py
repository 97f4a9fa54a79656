"""Random changes to a vault by somebody who can write the file and has no key: are they noticed?

    python -m benchmarks.vault_tampering [--n 1000] [--seed 1]

Each trial changes a copy of a vault: rows are swapped, copied, removed, renumbered or put back from an earlier state or
from another vault with the same key, bytes of the file are changed, or the whole file is replaced by an earlier copy or
by the other vault. Then the vault is opened with its key, compared with the state that an audit recorded, as
``sfumato restore --audit`` does, and everything in it is restored. *Noticed*: an error of ours, before or instead of
the answer. *Harmless*: every answer is as before. *Lost*: a name was not put back, in silence. *Wrong*: a wrong name.
*Crashed*: another kind of error. The last three must be 0. The last row counts the trials again without that record:
an earlier copy of the whole file, or an empty one, cannot be told from the present one then.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from sfumato.document import Document, Edit, Release, Span
from sfumato.errors import EncryptionKeyError, SfumatoError
from sfumato.vault.database import VaultState
from sfumato.vault.key import Key
from sfumato.vault.restore import Restorer
from sfumato.vault.store import Vault

TABLES = {
    "assignment": ("space", "entity", "taken", "n", "value"),
    "release": ("id", "text", "undo"),
    "mention": ("n", "word", "tag", "value"),
    "file": ("released", "original"),
    "meta": ("name", "value"),
}
NAMES = [f"{given} {family}" for given in ("Ida", "Tobias", "Mirja", "Osric") for family in ("Quorvex", "Wrexley")]
TEXTS = ("{} came.", "Then {} left.", "{} is in Valmorra.")
ANSWER = "Dear PERSON_1 and PERSON_2, a word of PERSON_3."

Answers = dict[str, str]
Tampering = Callable[["Files", random.Random], None]


@dataclass
class Counts:
    """Outcomes of the trials."""

    outcomes: Counter[str] = field(default_factory=Counter)
    without_audit: Counter[str] = field(default_factory=Counter)
    by_kind: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def noticed(self) -> int:
        return self.outcomes["noticed"]

    @property
    def wrong(self) -> int:
        """Everything that must not happen."""
        return sum(self.outcomes[outcome] for outcome in ("wrong", "lost", "crashed"))


@dataclass(frozen=True)
class Files:
    """The vault of a trial, and what the attacker has besides: earlier copies, and another vault with the same key."""

    vault: Path
    others: list[Path]


def release(document_id: str, name: str, text: str, label: str) -> Release:
    start = text.index("{")
    span = Span(start, start + len(name), "PERSON", entity=f"person:{name}")
    return Release(Document(f"original {document_id}", text.format(name)), (Edit(span, label),))


def fill(vault: Vault, documents: range, shift: int) -> None:
    """Documents of one to three people each; the same released text stands for different people."""
    for number in documents:
        for index in range(1 + number % 3):
            name = NAMES[(number * 3 + index + shift) % len(NAMES)]
            vault.record(release(f"d{number}", name, TEXTS[index], f"PERSON_{index + 1}"), f"d{number}")
            vault.record(release(f"d{number}", name, "They met {} once.", "****"), f"d{number}")
            vault.assign("corpus", "label/PERSON", name, lambda taken: [f"PERSON_{taken + 1}"])
        vault.record_file(f"<p>{number}</p>".encode(), NAMES[(number + shift) % len(NAMES)].encode())


def restore_all(vault: Vault) -> Iterator[tuple[str, str]]:
    """Everything that the vault can be asked for, one after the other; an error is an answer, too."""
    restorer = Restorer(vault)

    def answer(ask: Callable[[], str]) -> str:
        try:
            return ask()
        except SfumatoError as error:
            return f"error: {type(error).__name__}"

    def invent(taken: int) -> Iterator[str]:
        return (f"NEW_{number}" for number in count(taken))

    for number in range(12):
        for text in (*TEXTS, "They met {} once."):
            for label in ("PERSON_1", "PERSON_2", "PERSON_3", "****"):
                released = text.format(label)
                yield f"exact {number} {released}", answer(lambda: restorer.about(f"d{number}", released).text)  # noqa: B023
        yield f"answer {number}", answer(lambda: restorer.about(f"d{number}", ANSWER).text)  # noqa: B023
        yield f"file {number}", answer(lambda: str(vault.original_file(f"<p>{number}</p>".encode())))  # noqa: B023
    for text in TEXTS:
        released = text.format("PERSON_1")
        yield f"by text {released}", answer(lambda: restorer.restore(Document("unknown", released))[1].text)  # noqa: B023
    yield "whole vault", answer(lambda: restorer.restore(Document("unknown", ANSWER))[1].text)
    for name in NAMES:
        yield f"assigned {name}", answer(lambda: vault.assign("corpus", "label/PERSON", name, invent))  # noqa: B023


# What is done to the file.


def rows_of(path: Path, table: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as raw:
        return raw.execute(f"SELECT {', '.join(TABLES[table])} FROM {table}").fetchall()


def write_rows(path: Path, table: str, rows: list[tuple[object, ...]]) -> None:
    with closing(sqlite3.connect(path)) as raw:
        raw.execute(f"DELETE FROM {table}")
        for row in rows:
            with suppress(sqlite3.Error):  # the database itself allows no two rows in one place
                raw.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)
        raw.commit()


def swap_values(files: Files, chance: random.Random) -> None:
    table = chance.choice(list(TABLES))
    rows = rows_of(files.vault, table)
    first, second = chance.sample(range(len(rows)), 2)
    cut = chance.randrange(1, len(rows[0]))
    rows[first], rows[second] = rows[first][:cut] + rows[second][cut:], rows[second][:cut] + rows[first][cut:]
    write_rows(files.vault, table, rows)


def rotate_values(files: Files, chance: random.Random) -> None:
    table = chance.choice(list(TABLES))
    rows = rows_of(files.vault, table)
    chosen = chance.sample(range(len(rows)), min(len(rows), chance.randint(2, 6)))
    values = [rows[index][-1] for index in chosen]
    for index, value in zip(chosen, [*values[1:], values[0]], strict=True):
        rows[index] = (*rows[index][:-1], value)
    write_rows(files.vault, table, rows)


def copy_value(files: Files, chance: random.Random) -> None:
    """Also from one table to another."""
    source, target = (chance.choice(list(TABLES)) for _ in range(2))
    value = chance.choice(rows_of(files.vault, source))[-1]
    rows = rows_of(files.vault, target)
    index = chance.randrange(len(rows))
    rows[index] = (*rows[index][:-1], value)
    write_rows(files.vault, target, rows)


def remove_rows(files: Files, chance: random.Random) -> None:
    table = chance.choice(list(TABLES))
    rows = rows_of(files.vault, table)
    left = chance.choice([0, len(rows) // 2, len(rows) - 1, len(rows) - 1, len(rows) - 2])
    write_rows(files.vault, table, chance.sample(rows, max(0, left)))


def remove_everything(files: Files, chance: random.Random) -> None:
    """Every row but those of some tables."""
    kept = chance.sample(list(TABLES), chance.randint(0, 2))
    for table in TABLES:
        if table not in kept:
            write_rows(files.vault, table, [])


def renumber(files: Files, chance: random.Random) -> None:
    table, column = chance.choice([("mention", 0), ("assignment", 3)])
    rows = rows_of(files.vault, table)
    numbers = [row[column] for row in rows]
    chance.shuffle(numbers)
    changed = [(*row[:column], number, *row[column + 1 :]) for row, number in zip(rows, numbers, strict=True)]
    write_rows(files.vault, table, changed)


def put_back_rows(files: Files, chance: random.Random) -> None:
    """Some rows of an earlier state or of another vault, beside the present ones or in their place."""
    table = chance.choice(list(TABLES))
    before = rows_of(chance.choice(files.others), table)
    some = chance.sample(before, chance.randint(1, len(before)))
    places = {row[:-1] for row in some}
    write_rows(files.vault, table, [row for row in rows_of(files.vault, table) if row[:-1] not in places] + some)


def put_back_tables(files: Files, chance: random.Random) -> None:
    other = chance.choice(files.others)
    for table in chance.sample(list(TABLES), chance.randint(1, 4)):
        write_rows(files.vault, table, rows_of(other, table))


def put_back_the_file(files: Files, chance: random.Random) -> None:
    shutil.copy(chance.choice(files.others), files.vault)


def change_bytes(files: Files, chance: random.Random) -> None:
    content = bytearray(files.vault.read_bytes())
    for _ in range(chance.choice([1, 1, 10, 1000])):
        content[chance.randrange(len(content))] = chance.randrange(256)
    files.vault.write_bytes(content)


def cut_the_file(files: Files, chance: random.Random) -> None:
    content = files.vault.read_bytes()
    files.vault.write_bytes(content[: chance.randrange(1, len(content))])


def swap_pages(files: Files, chance: random.Random) -> None:
    """Pages of the database, here or from an earlier copy."""
    content = bytearray(files.vault.read_bytes())
    other = chance.choice([bytes(content), *(path.read_bytes() for path in files.others)])
    for _ in range(chance.randint(1, 3)):
        source, target = chance.randrange(len(other) // 4096), chance.randrange(1, len(content) // 4096)
        content[target * 4096 : (target + 1) * 4096] = other[source * 4096 : (source + 1) * 4096]
    files.vault.write_bytes(content)


TAMPERINGS: list[Tampering] = [
    swap_values,
    rotate_values,
    copy_value,
    remove_rows,
    remove_everything,
    renumber,
    put_back_rows,
    put_back_tables,
    put_back_the_file,
    change_bytes,
    cut_the_file,
    swap_pages,
]


def prepare(folder: Path) -> tuple[Key, VaultState, Files]:
    """A vault in its present state, two earlier ones, and another vault with the same key."""
    key = Key.create(folder / "v.key")
    present, first, second, other = (folder / f"{name}.db" for name in ("present", "first", "second", "other"))
    for path, upto, shift in ((first, 4, 0), (second, 8, 0), (present, 12, 1)):
        if path == present:  # some documents were released again, from other originals
            with Vault(present, key) as vault:
                fill(vault, range(3), shift)
        with Vault(present, key) as vault:
            fill(vault, range(3 if path == present else 0, upto), 0)
            state = vault.state
        if path != present:
            shutil.copy(present, path)
    with Vault(other, key) as vault:
        fill(vault, range(12), 3)
    return key, state, Files(present, [first, second, other])


def try_once(files: Files, key: Key, state: VaultState | None, expected: Answers) -> str:
    try:
        with Vault(files.vault, key) as vault:
            if state is not None:
                vault.check_not_older(state, Path("audit.jsonl"))
            answers = dict(restore_all(vault))
    except SfumatoError:
        return "noticed"
    except Exception:  # noqa: BLE001
        return "crashed"
    changed = {question for question, answer in answers.items() if answer != expected[question]}
    if not changed:
        return "harmless"
    errors = {question for question in changed if answers[question] == f"error: {EncryptionKeyError.__name__}"}
    if changed == errors:
        return "noticed"
    names = [name for question in changed - errors for name in NAMES if name in answers[question]]
    return "wrong" if names else "lost"


def run(trials: int, *, seed: int, folder: Path) -> Counts:
    """Outcomes of so many random tamperings; each kind is used equally often."""
    chance = random.Random(seed)
    key, state, files = prepare(folder)
    with Vault(files.vault, key) as vault:
        expected = dict(restore_all(vault))
    assert sum(any(name in answer for name in NAMES) for answer in expected.values()) > 40
    counts = Counts()
    trial = Files(folder / "trial.db", files.others)
    for number in range(trials):
        tampering = TAMPERINGS[number % len(TAMPERINGS)]
        for suffix in ("", "-wal", "-shm"):
            trial.vault.with_name(trial.vault.name + suffix).unlink(missing_ok=True)
        shutil.copy(files.vault, trial.vault)
        for _ in range(chance.choice([1, 1, 2])):
            with suppress(sqlite3.Error, ValueError, IndexError):  # the first change may leave nothing for a second
                tampering(trial, chance)
        content = trial.vault.read_bytes()
        outcome = try_once(trial, key, state, expected)
        counts.outcomes[outcome] += 1
        counts.by_kind[tampering.__name__.replace("_", " "), outcome] += 1
        for suffix in ("-wal", "-shm"):
            trial.vault.with_name(trial.vault.name + suffix).unlink(missing_ok=True)
        trial.vault.write_bytes(content)
        counts.without_audit[try_once(trial, key, None, expected)] += 1
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        counts = run(given.n, seed=given.seed, folder=Path(folder))
    outcomes = ("noticed", "harmless", "lost", "wrong", "crashed")
    print(f"| tampering | {' | '.join(outcomes)} |\n|{' --- |' * (len(outcomes) + 1)}")
    for kind in TAMPERINGS:
        name = kind.__name__.replace("_", " ")
        print(f"| {name} | {' | '.join(str(counts.by_kind[name, outcome]) for outcome in outcomes)} |")
    print(f"| **all** | {' | '.join(str(counts.outcomes[outcome]) for outcome in outcomes)} |")
    print(f"| all, without an audit | {' | '.join(str(counts.without_audit[outcome]) for outcome in outcomes)} |")
    raise SystemExit(1 if counts.wrong else 0)


if __name__ == "__main__":
    main()
