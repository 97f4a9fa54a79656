"""Collect what the program does, so that compare.py can say whether a refactor changed it.

    python tests/golden/collect.py --out DIR [--python VENV/bin/python] [--fast] [--only GROUP]...

runs the command line (commands.toml) and the library (dump.py, through entry_points.toml) with the given python (by
default the one that runs this), and writes into DIR one folder for each group: what each command released, its audit
and other files, stdout, stderr and exit code. What differs from run to run (seconds, dates of today, versions, paths)
is taken out, and secrets that the program draws are fixed (fixed_secrets). Collect once with the old code and once with
the new, then run ``compare.py OLD NEW``. After a rename of commands or options edit commands.toml, after one of modules
entry_points.toml, and say in renames.toml which keys and values of the outputs have other names now. --fast is a subset
of about a minute. PYTHONPATH is passed on, so that another source tree can be tried: PYTHONPATH=TREE/src.
"""

from __future__ import annotations

import argparse
import csv
import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import structures
from tests.golden.letters import letters

TABLE = tomllib.loads((HERE / "commands.toml").read_text("utf-8"))
LEVELS = ("small", "fast", "full")
LIBRARY = "library"
PARQUET = (
    "import sys, json, pyarrow.parquet as p; print(json.dumps(p.read_table(sys.argv[1]).to_pylist(), default=str))"
)
MARK = re.compile(r"⟦[A-Z]\d*\|([^⟧]*)⟧")
FLOAT = re.compile(r"(?<![\w.])-?\d+\.\d{6,}(?:e-?\d+)?(?![\w.])")


class Command(NamedTuple):
    group: str
    name: str
    level: str
    arguments: list[str]

    @property
    def folder(self) -> str:
        return f"{self.group}/{self.name}"


def commands() -> Iterator[Command]:
    for row in TABLE["command"]:
        for each in row.get("each", [""]):
            name = row["name"].replace(
                "{each}", re.sub(r"[^\w.]+", "-", Path(each).stem if each.endswith(".toml") else each)
            )
            text = row["arguments"].replace("{each}", each).replace("{out}", f"out/{row['group']}/{name}")
            yield Command(row["group"], name, row["level"], shlex.split(text))


def chosen(all_commands: Sequence[Command], only: Sequence[str]) -> list[Command]:
    """The commands of some groups, with those whose output they read."""
    wanted: list[Command] = []
    for command in reversed(all_commands):
        is_read = any(f"out/{command.folder}/" in argument for later in wanted for argument in later.arguments)
        if not only or command.group in only or is_read:
            wanted.append(command)
    return wanted[::-1]


def prepare(work: Path) -> None:
    """Everything that the commands read."""
    shutil.copytree(ROOT / "examples", work / "examples", ignore=shutil.ignore_patterns("plugin"))
    shutil.copytree(HERE / "recipes", work / "recipes")
    shutil.copy(HERE / "fixed.key", work)
    rows = [{"id": letter.id, "text": letter.text} for letter in letters()]
    write_records(work / "letters.jsonl", rows)
    write_records(work / "some.jsonl", rows[:35])
    formats = work / "formats"
    formats.mkdir()
    texts = [row["text"] for row in rows[:21]]
    write_records(work / "everyday.jsonl", everyday_documents())
    write_records(work / "structures.jsonl", structured_documents())
    (formats / "letters.txt").write_text("\n\n".join(texts[::7]), "utf-8")
    (formats / "letters.md").write_text("\n\n".join(f"# Letter\n\n{text}" for text in texts[1::7]), "utf-8")
    (formats / "letters.json").write_text(json.dumps(rows[:21], ensure_ascii=False, indent=1), "utf-8")
    (formats / "broken.jsonl").write_text('{"id": "a", "text": "Anna Wexcombe"}\n{"id": "b"\n{"id": "c"}\n', "utf-8")
    (formats / "answer.txt").write_text("Dear PERSON_1, we reminded PERSON_2; see you at LOC_1.\n", "utf-8")
    _write_table(formats / "letters.csv", [["id", "text"], *([row["id"], row["text"]] for row in rows[:21])])
    _write_table(formats / "letters.tsv", [["id", "text"], *([row["id"], row["text"]] for row in rows[:21])], "\t")
    _write_table(formats / "labels.csv", [["id", "label"], *([row["id"], row["id"][:2]] for row in rows)])
    people = json.loads((work / "examples/texts/biographies.json").read_text("utf-8"))
    known = [{"id": key, "subjects": [{"id": 0, "PIIs": _facts(text)}]} for key, text in people.items()]
    (formats / "subjects.jsonl").write_text("".join(json.dumps(row) + "\n" for row in known), "utf-8")
    _write_html(formats / "letters.html", texts)
    _write_docx(formats / "letters.docx", texts)


def write_records(path: Path, rows: Iterable[dict[str, str]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


def everyday_documents(step: int = 5) -> Iterator[dict[str, str]]:
    """Every fifth document of the everyday corpus, without its marks: some 300, in seven languages."""
    for path in sorted((ROOT / "corpora/everyday/documents").rglob("*.txt"))[::step]:
        yield {"id": f"{path.parent.name}-{path.stem}", "text": MARK.sub(r"\1", path.read_text("utf-8"))}


def structured_documents(count: int = 15) -> Iterator[dict[str, str]]:
    """Tables, JSON, YAML, XML, SQL, logs and code, alone and between sentences."""
    for kind in structures.MAKERS:
        for number, case in enumerate(structures.cases(kind, count)):
            yield {"id": f"{kind}-{number:02}", "text": case.text}


def _facts(text: str) -> list[dict[str, Any]]:
    said = [("NAME", text[: text.find(" ")]), *(("AGE", match) for match in re.findall(r"\b\d{4}\b", text))]
    return [{"tag": tag, "keyword": keyword, "certainty": 5, "hardness": 1} for tag, keyword in said]


def _write_table(path: Path, rows: Sequence[Sequence[str]], mark: str = ",") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=mark, lineterminator="\n").writerows(rows)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _write_html(path: Path, texts: Sequence[str]) -> None:
    body = "".join(f'<p title="{_escaped(text[:20])}">{_escaped(text)}</p>\n' for text in texts[::3])
    rows = "".join(f"<tr><td>{at}</td><td><b>{_escaped(text[:60])}</b></td></tr>" for at, text in enumerate(texts))
    head = '<meta charset="utf-8"><title>Letters</title>'
    page = f"<!doctype html><html><head>{head}</head><body>{body}<table>{rows}</table></body></html>"
    path.write_text(page, "utf-8")


def _write_docx(path: Path, texts: Sequence[str]) -> None:
    word = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    package = "http://schemas.openxmlformats.org/package/2006"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    runs = "".join(
        f"<w:p><w:r><w:t xml:space='preserve'>{_escaped(line[: len(line) // 2])}</w:t></w:r>"
        f"<w:r><w:t xml:space='preserve'>{_escaped(line[len(line) // 2 :])}</w:t></w:r></w:p>"
        for text in texts[::2]
        for line in text.split("\n")
    )
    members = {
        "[Content_Types].xml": f"<Types xmlns='{package}/content-types'><Default Extension='rels' ContentType="
        "'application/vnd.openxmlformats-package.relationships+xml'/><Default Extension='xml' ContentType="
        f"'application/xml'/><Override PartName='/word/document.xml' ContentType='{kind}'/></Types>",
        "_rels/.rels": f"<Relationships xmlns='{package}/relationships'>"
        f"<Relationship Id='rId1' Type='{office}' Target='word/document.xml'/></Relationships>",
        "word/document.xml": f"<w:document xmlns:w='{word}'><w:body>{runs}<w:sectPr/></w:body></w:document>",
    }
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)


def rounded(value: Any) -> Any:
    """JSON with volatile values taken out and floats of six significant digits."""
    if isinstance(value, dict):
        volatile, dropped = TABLE["normalise"]["keys"], TABLE["normalise"]["drop"]
        kept = ((key, item) for key, item in value.items() if key not in dropped)
        return {key: f"<{key}>" if key in volatile else rounded(item) for key, item in kept}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return float(f"{value:.6g}") if isinstance(value, float) else value


def plain(text: str, work: Path) -> str:
    """Text without paths, times and digits of floats that a machine may change."""
    text = text.replace(str(work), "<work>").replace(str(ROOT), "<root>")
    for pattern, instead in TABLE["normalise"]["text"]:
        text = re.sub(pattern, instead, text)
    return FLOAT.sub(lambda match: f"{float(match[0]):.6g}", text)


def normalised(text: str, name: str, work: Path) -> str:
    """JSON is parsed, one line or one file; anything else is text."""
    if name.endswith((".json", ".jsonl")):
        try:
            if name.endswith(".json"):
                return json.dumps(rounded(json.loads(plain(text, work))), ensure_ascii=False, indent=1) + "\n"
            rows = [rounded(json.loads(line)) for line in plain(text, work).splitlines()]
            return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        except ValueError:
            pass
    return plain(text, work)


def keep(file: Path, name: str, target: Path, work: Path, python: Path) -> None:
    """A file that a command wrote, into the collected folder."""
    rules = TABLE["normalise"]
    if any(fnmatch.fnmatch(name, pattern) for pattern in rules["skip"]):
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if file.suffix == ".parquet":
        rows = subprocess.run([python, "-c", PARQUET, file], capture_output=True, text=True, check=True).stdout
        target.with_name(f"{target.name}.json").write_text(normalised(rows, "x.json", work), "utf-8")
    elif file.suffix == ".docx":
        with zipfile.ZipFile(file) as archive:
            for at, member in enumerate(archive.namelist()):
                inside = target / f"{at:02}-{member.replace('/', '-')}"
                inside.parent.mkdir(parents=True, exist_ok=True)
                inside.write_bytes(archive.read(member))
    elif any(fnmatch.fnmatch(name, pattern) for pattern in rules["exact"]):
        shutil.copyfile(file, target)
    else:
        target.write_text(normalised(file.read_text("utf-8"), name, work), "utf-8")


def run(command: Command, work: Path, out: Path, python: Path) -> None:
    own, target = work / "out" / command.folder, out / command.folder
    own.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    program = [part.replace("{bin}", str(python.parent)) for part in TABLE["program"]]
    done = subprocess.run(
        [*program, *command.arguments], cwd=work, env=environment(), capture_output=True, encoding="utf-8", check=False
    )
    is_json = "--json" in command.arguments and done.stdout.lstrip().startswith(("{", "["))
    stdout = "stdout.json" if is_json else "stdout.txt"
    (target / stdout).write_text(normalised(done.stdout, stdout, work), "utf-8")
    (target / "stderr.txt").write_text(plain(done.stderr, work), "utf-8")
    (target / "exit-code.txt").write_text(f"{done.returncode}\n", "utf-8")
    for file in sorted(path for path in own.rglob("*") if path.is_file()):
        name = file.relative_to(own).as_posix()
        keep(file, f"{command.folder}/{name}", target / name, work, python)


def environment() -> dict[str, str]:
    paths = [str(HERE / "fixed_secrets"), *filter(None, [os.environ.get("PYTHONPATH")])]
    fixed = {"NO_COLOR": "1", "COLUMNS": "120", "TERM": "dumb", "TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1"}
    # Faker draws Italian cities from a set, so that surrogates depend on the order of hashes.
    fixed["PYTHONHASHSEED"] = "0"
    return {**os.environ, **fixed, "PYTHONPATH": os.pathsep.join(paths)}


def start_dump(parts: Sequence[str], work: Path, python: Path) -> subprocess.Popen[bytes]:
    made = work / "out" / LIBRARY
    made.mkdir(parents=True, exist_ok=True)
    return subprocess.Popen([python, HERE / "dump.py", made, *parts], cwd=work, env=environment())


def finish_dump(dump: subprocess.Popen[bytes], work: Path, out: Path, python: Path) -> None:
    if dump.wait():
        raise SystemExit("dump.py failed: are the names in entry_points.toml up to date?")
    for file in sorted((work / "out" / LIBRARY).iterdir()):
        keep(file, f"{LIBRARY}/{file.name}", out / LIBRARY / file.name, work, python)


def collect(out: Path, python: Path, level: str = "full", only: Sequence[str] = (), *, quiet: bool = False) -> None:
    """Run everything of a level, and of all smaller ones; the library runs beside the commands.

    ``only``: some groups, and the commands of others whose output these read.
    """
    levels = LEVELS[: LEVELS.index(level) + 1]
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:
        work = Path(folder).resolve()
        prepare(work)
        parts = list(dict.fromkeys(part for entry in levels for part in TABLE["dumps"][entry]))
        start = time.monotonic()
        dump = start_dump(parts, work, python) if not only or LIBRARY in only else None
        for command in chosen([item for item in commands() if item.level in levels], only):
            began = time.monotonic()
            run(command, work, out, python)
            _say(quiet, command.folder, began)
        if dump is not None:
            finish_dump(dump, work, out, python)
        _say(quiet, "all", start)


def _say(quiet: bool, what: str, began: float) -> None:
    if not quiet:
        print(f"{time.monotonic() - began:6.1f} s  {what}", flush=True)


def main() -> None:
    groups = sorted({command.group for command in commands()} | {LIBRARY})
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="the folder that takes the outputs")
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="the python of the venv under test")
    parser.add_argument("--fast", action="store_true", help="a subset of about a minute")
    parser.add_argument("--small", action="store_true", help="what the pytest runs")
    parser.add_argument("--only", action="append", default=[], choices=groups, help="a group; may be given again")
    given = parser.parse_args()
    level = "small" if given.small else "fast" if given.fast else "full"
    # A venv's python is a link: it must not be resolved, or it is another venv's.
    collect(given.out.resolve(), Path(os.path.abspath(given.python)), level, given.only)


if __name__ == "__main__":
    main()
