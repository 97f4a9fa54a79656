"""An error planted in one document, at many places of a run: the rest is released, and no text is told.

    python -m benchmarks.planted_errors [--places 50] [--recipe default] [--seed 1]

A clean run over a small corpus shows which functions of the package are given the marked document, or a part of it.
Some of them, spread over the modules, are then made to raise whenever they are given it, one in each run. A run holds
where every other document is released as in the clean run, the marked one is not, the run says so (exit code 1), and
neither its problems nor its notes quote the document. A run that works around the error, and releases what the clean
one does, holds, too.
"""

from __future__ import annotations

import argparse
import gc
import json
import random
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import _lru_cache_wrapper
from inspect import isgeneratorfunction, unwrap
from itertools import chain, islice, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType, FunctionType
from typing import Any

from sfumato import isolation
from sfumato import recipe as recipes
from sfumato.attacks.background import as_background
from sfumato.document import Document
from sfumato.protection.target import Options, Target
from sfumato.runs.anonymize import anonymize_files
from sfumato.runs.detect import detect_files
from sfumato.runs.protected import ProtectedRun
from sfumato.runs.summary import Summary
from sfumato.statistics import wilson
from sfumato.vault.store import Vault

MARK = "Zebulonquist"
"""A name that stands in one document alone."""
_TEXT = (
    "The patient, Mrs {name}, was seen in the clinic of Harwell on 3 August 2021 about her knee. She is 47 years old, "
    'works as a midwife, and can be reached at +44 20 7946 00{n}8. {{"owner": "{name}", "visits": 3}}\n'
)
_NAMES = ("Anna Quorvex", "Tobias Wrexley", f"Hilary {MARK}", "Rosalba Penhallow", "Ignatius Pennywhistle")
_OTHERS = ("Quorvex", "Wrexley", "Penhallow", "Pennywhistle")
"""Names of the other documents, which may stand in the same file."""
_MOST_ITEMS = 70
_ISOLATING = frozenset({"attempt", "run_step", "run_without_failing"})
"""Functions that call one of these isolate what goes wrong below them, which is where errors are planted."""
_DEPTH = 3


@dataclass(frozen=True)
class Place:
    """A function, by module and qualified name; and how the run was started."""

    run: str
    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.run}: {self.module}.{self.name}"


def write_corpus(folder: Path, count: int = len(_NAMES)) -> None:
    """Files of each kind; the marked document is a text file, a page, and a record among others."""
    folder.mkdir()
    for number, name in enumerate(_NAMES[:count]):
        (folder / f"note{number}.txt").write_text(_TEXT.format(name=name, n=number), encoding="utf-8")
        page = f"<html><body><p class='note'>{_TEXT.format(name=name, n=number)}</p></body></html>"
        (folder / f"page{number}.html").write_text(page, encoding="utf-8")
    records = [
        {"id": f"r{number}", "text": _TEXT.format(name=name, n=number)} for number, name in enumerate(_NAMES[:count])
    ]
    (folder / "records.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")


# What is run.


def _anonymize(folder: Path, out: Path, recipe: str) -> Summary:
    return anonymize_files([folder], out / "released", recipes.load(recipe), audit=out / "audit.jsonl")


def _with_vault(folder: Path, out: Path, recipe: str) -> Summary:
    with Vault.open(out / "vault.db", out / "vault.key") as vault:
        return anonymize_files([folder], out / "released", recipes.load(recipe), vault=vault)


def _detect(folder: Path, out: Path, recipe: str) -> Summary:
    return detect_files([folder / "records.jsonl"], out / "released.jsonl", recipes.load(recipe))


def _protect(folder: Path, out: Path, recipe: str) -> Summary:
    # The background is no document: what is known of the marked one's subject does not hold the mark.
    known = {f"r{number}": _TEXT.format(name=name.split()[0], n=number) for number, name in enumerate(_NAMES)}
    options = Options(attacks=("bm25", "joint", "record-linkage"))
    run = ProtectedRun(Target.of(2, None, None, release_anyway=True), as_background(known), options)
    return anonymize_files([folder / "records.jsonl"], out / "released", recipes.load(recipe), protected_run=run)


RUNS: Mapping[str, Callable[[Path, Path, str], Summary]] = {
    "anonymize": _anonymize,
    "anonymize with a vault": _with_vault,
    "detect": _detect,
    "protect": _protect,
}


def released_texts(out: Path) -> dict[str, str]:
    """What went out, by file and id."""
    texts = {}
    for path in sorted(out.glob("released*")) + sorted((out / "released").rglob("*")):
        if path.suffix == ".jsonl":
            for line in path.read_text(encoding="utf-8").splitlines():
                texts[f"{path.name} {json.loads(line)['id']}"] = line
        elif path.is_file():
            texts[path.name] = path.read_text(encoding="utf-8")
    return texts


# Where it goes, and how an error is planted there.


def holds_mark(value: object, depth: int = _DEPTH) -> bool:
    """Whether a value is, or holds, text of the marked document; that of a whole file with others is not its own."""
    if isinstance(value, str):
        text = value.casefold()
        return MARK.casefold() in text and not any(name.casefold() in text for name in _OTHERS)
    if isinstance(value, bytes):
        return MARK.encode() in value and not any(name.encode() in value for name in _OTHERS)
    if not depth:
        return False
    if type(value) is dict:
        return any(holds_mark(item, depth - 1) for item in list(value.values())[:_MOST_ITEMS])
    if isinstance(value, list | tuple | set | frozenset):
        return any(holds_mark(item, depth - 1) for item in list(value)[:_MOST_ITEMS])
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value)]
        return any(holds_mark(getattr(value, name, None), depth - 1) for name in names)
    return False


def _is_given_mark(arguments: Sequence[object]) -> bool:
    # What an object that serves all documents remembers of them is not what it is given.
    own = getattr(arguments[0], "__dict__", {}) if arguments else {}
    is_of_document = any(isinstance(item, str | Document) and holds_mark(item) for item in list(own.values()))
    return is_of_document or any(map(holds_mark, arguments))


def find_places(run: str, recipe: str, folder: Path, out: Path) -> list[Place]:
    """The functions that are given the marked document in a clean run, in the order of their first call."""
    seen: dict[CodeType, bool] = {}
    places: dict[Place, None] = {}

    def watch(frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        module = frame.f_globals.get("__name__", "")
        if (
            event != "call"
            or seen.get(code)
            or not module.startswith(("sfumato.", "sfumato_papers."))
            or module == isolation.__name__
        ):
            return
        if (
            code.co_freevars
            or "<" in code.co_qualname
            or not code.co_argcount
            or _ISOLATING.intersection(code.co_names)
        ):
            return
        arguments = [frame.f_locals[name] for name in code.co_varnames[: code.co_argcount] if name in frame.f_locals]
        if _is_given_mark(arguments):
            seen[code] = True
            places[Place(run, module, code.co_qualname)] = None

    sys.setprofile(watch)
    try:
        RUNS[run](folder, out, recipe)
    finally:
        sys.setprofile(None)
    return list(places)


def choose(places: Sequence[Place], count: int, seed: int) -> list[Place]:
    """So many places, of as many modules as there are."""
    rng = random.Random(seed)
    by_module: dict[str, list[Place]] = defaultdict(list)
    for place in places:
        by_module[place.module].append(place)
    for several in by_module.values():
        rng.shuffle(several)
    modules = sorted(by_module)
    rng.shuffle(modules)
    rounds = chain.from_iterable(zip_longest(*(by_module[module] for module in modules)))
    return list(islice(filter(None, rounds), count))


_planted: list[FunctionType] = []
"""The function as it was, while an error is planted in it."""
calls = 0


def call_planted(arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """What is called in the place of a function with a planted error."""
    global calls
    if _is_given_mark([*arguments, *named.values()]):
        calls += 1
        raise RuntimeError(f"planted beside {MARK}, whom no message may name")
    return _planted[0](*arguments, **named)


def _stub(*arguments: Any, **named: Any) -> Any:
    return __import__("benchmarks.planted_errors", fromlist=["call_planted"]).call_planted(arguments, named)


def _generator_stub(*arguments: Any, **named: Any) -> Any:
    yield from __import__("benchmarks.planted_errors", fromlist=["call_planted"]).call_planted(arguments, named)


@contextmanager
def planted(place: Place) -> Iterator[None]:
    """An error in one function whenever it is given the marked document, wherever the function was imported to."""
    target: Any = sys.modules[place.module]
    for name in place.name.split("."):
        target = vars(target)[name] if isinstance(target, type) else getattr(target, name)
    target = getattr(target, "func", getattr(target, "fget", getattr(target, "__func__", target)))
    function = unwrap(target)
    code = function.__code__
    copy = FunctionType(code, function.__globals__, code.co_name, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    _planted.append(copy)
    function.__code__ = (_generator_stub if isgeneratorfunction(function) else _stub).__code__
    try:
        yield
    finally:
        function.__code__ = code
        _planted.clear()


def clear_caches() -> None:
    """So that a function is called again for a text that it has seen."""
    for item in gc.get_objects():
        if isinstance(item, _lru_cache_wrapper):
            item.cache_clear()


def failure(place: Place, folder: Path, out: Path, recipe: str, clean: Mapping[str, str]) -> str | None:
    """What is wrong with a run in which one document raises; None where nothing is."""
    global calls
    calls = 0
    clear_caches()
    with planted(place):
        try:
            summary = RUNS[place.run](folder, out, recipe)
        except Exception as error:  # noqa: BLE001  # whatever ends the run is what is looked for
            return f"the run ended with {type(error).__name__}"
    if not calls:
        return "the error was never raised"
    released = released_texts(out)
    marked = {key for key in clean if key.rpartition(" ")[2] in ("r2", "note2.txt", "page2.html")}
    if lost := clean.keys() - marked - released.keys():
        return f"{len(lost)} other documents are missing"
    if changed := [key for key in clean.keys() - marked if released[key] != clean[key]]:
        return f"{len(changed)} other documents came out otherwise"
    if any(MARK.casefold() in text.casefold() for text in released.values()):
        return "the marked document's text went out"
    if summary.complete and released != clean:
        return "the run counts as complete, and is not"
    told = json.dumps([*map(str, summary.problems), *(note.to_json() for note in summary.withheld_documents)])
    return "a message quotes the document" if MARK.casefold() in told.casefold() else None


def run_all(
    count: int, recipe: str, seed: int, runs: Sequence[str] = tuple(RUNS), documents: int = len(_NAMES)
) -> dict[Place, str | None]:
    """Each place with what was wrong. ``documents``: of each kind of file."""
    results: dict[Place, str | None] = {}
    with TemporaryDirectory() as name:
        root = Path(name)
        write_corpus(root / "in", documents)
        for number, run in enumerate(runs):
            (root / f"clean{number}").mkdir()
            RUNS[run](root / "in", root / f"clean{number}", recipe)
            clean = released_texts(root / f"clean{number}")
            (root / f"traced{number}").mkdir()
            places = find_places(run, recipe, root / "in", root / f"traced{number}")
            share = count // len(runs) + (number < count % len(runs))
            for index, place in enumerate(choose(places, share, seed)):
                (out := root / f"out{number}-{index}").mkdir()
                results[place] = failure(place, root / "in", out, recipe, clean)
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--places", type=int, default=50)
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    results = run_all(arguments.places, arguments.recipe, arguments.seed)
    failures = {place: reason for place, reason in results.items() if reason is not None}
    for place, reason in failures.items():
        print(f"{place}: {reason}")
    low, high = wilson(len(failures), len(results))
    modules = len({place.module for place in results})
    print(f"{len(results)} places in {modules} modules: {len(failures)} failures ({low:.1%} to {high:.1%})")


if __name__ == "__main__":
    from benchmarks import planted_errors  # whose functions are called in the place of others

    planted_errors.main()
