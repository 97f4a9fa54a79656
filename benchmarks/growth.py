"""How time and memory grow with the size of the input, for every pattern and every reader of the package.

    python -m benchmarks.growth [--only patterns|readers|memory] [--n 10]

Inputs of 20, 40 and 80 kB are built to be bad: repeats of what a pattern itself is made of, runs of stops, digits,
brackets and quotes, near misses. Processor time, best of five; the exponent is the logarithm of the ratio for each
doubling (1: linear, 2: quadratic). An input that takes less than 0.2 s at 80 kB is not judged. ``tests/test_growth.py``
(``make test-deep``) fails at an exponent of 1.3.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import math
import pkgutil
import re
import signal
import sys
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import fields, is_dataclass
from functools import cached_property, lru_cache
from itertools import chain
from pathlib import Path
from re import _parser as regex_parser  # type: ignore[attr-defined]
from tempfile import TemporaryDirectory
from types import FrameType, FunctionType, ModuleType
from typing import Any, NamedTuple

from benchmarks.growth_readers import READERS, Reader, Shape, build, peak_memory, shape_name

import sfumato
import sfumato_papers
from sfumato.errors import SfumatoError
from sfumato.lexicon.tokens import LazyPattern

SIZES = (20_000, 40_000, 80_000)
JUDGED_FROM = 0.2
"""Seconds of processor time at the largest size."""
MAX_EXPONENT = 1.3
MAX_MEMORY = 30
"""Peak memory, in multiples of the input's size."""
MAX_MEMORY_OF_RESULTS = 100
"""The same for what also holds spans or edits."""
_FIRST_SIZES = (2_500, 5_000, 10_000)
"""Measured before: most inputs need no more, and steep ones are given up early."""
_CLEARLY_LINEAR = 1.15
_TRIES = 5
_LIMIT = 2.0
"""Seconds of processor time after which one measurement is given up."""


class Growth(NamedTuple):
    """How the time for one kind of input grows; ``exponent`` is infinite where it was given up."""

    name: str
    shape: str
    seconds: float
    exponent: float

    @property
    def is_too_steep(self) -> bool:
        return self.seconds >= JUDGED_FROM and self.exponent >= MAX_EXPONENT


class _GivenUp(Exception):
    """A measurement took too long."""


@contextmanager
def _limited() -> Iterator[None]:
    def give_up(number: int, frame: FrameType | None) -> None:
        raise _GivenUp

    before = signal.signal(signal.SIGPROF, give_up)
    signal.setitimer(signal.ITIMER_PROF, _LIMIT)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    with _limited():
        work()
    return max(time.process_time() - began, 1e-6)


def measure(name: str, shape: str, prepare: Callable[[int], Callable[[], object]]) -> Growth:
    """The growth of what ``prepare`` returns for each size; the larger ones are measured only where it may be steep."""
    times: list[float] = []
    try:
        for size in (*_FIRST_SIZES, *SIZES):
            times.append(_seconds(prepare(size)))
            if times[-1] * (SIZES[-1] / size) ** 3 < JUDGED_FROM:  # even if it grew with the cube
                return Growth(name, shape, times[-1], 0.0)
    except _GivenUp:
        if not times:
            return Growth(name, shape, _LIMIT, math.inf)
        last = math.log2(times[-1] / times[-2]) if len(times) > 1 else 0.0
        return Growth(name, shape, _LIMIT, max(last, math.log2(_LIMIT / times[-1])))
    best = times[-len(SIZES) :]
    works = [prepare(size) for size in SIZES]
    for _ in range(_TRIES - 1):
        if best[-1] < JUDGED_FROM or _exponent(best) < _CLEARLY_LINEAR:
            break
        with suppress(_GivenUp):  # on a busy machine one try may take longer than those before
            best = [min(seconds, _seconds(work)) for seconds, work in zip(best, works, strict=True)]
    return Growth(name, shape, best[-1], _exponent(best))


def _exponent(times: list[float]) -> float:
    return math.log2(times[-1] / times[0]) / (len(times) - 1)


# Patterns.


def package_modules() -> Iterator[ModuleType]:
    """All modules of the packages that can be imported with what is installed."""
    packages = (
        pkgutil.walk_packages(package.__path__, f"{package.__name__}.") for package in (sfumato, sfumato_papers)
    )
    for info in chain.from_iterable(packages):
        try:
            yield importlib.import_module(info.name)
        except (ImportError, SfumatoError):  # an extra that is not installed
            continue


def find_patterns() -> dict[str, re.Pattern[Any]]:
    """Every compiled pattern: in variables of modules, classes, containers and functions without parameters."""
    by_content: dict[tuple[str | bytes, int], str] = {}
    patterns: dict[str, re.Pattern[Any]] = {}
    for module in package_modules():
        source = inspect.getsource(module)
        for name, value in sorted(vars(module).items()):
            if re.search(rf"^(?:def |class )?[\w, ]*\b{name}\b", source, re.MULTILINE) is None:
                continue  # imported from another module
            for path, pattern in _patterns_in(value, f"{module.__name__}.{name}", module.__name__, depth=5):
                if by_content.setdefault((pattern.pattern, pattern.flags), path) == path:
                    patterns[path] = pattern
    return patterns


def _patterns_in(value: object, path: str, module: str, depth: int) -> Iterator[tuple[str, re.Pattern[Any]]]:
    if isinstance(value, LazyPattern):
        value = value.compiled()
    if isinstance(value, re.Pattern):
        yield path, value
        return
    inner: Iterator[tuple[str, object]] = iter(())
    if depth == 0:
        return
    if isinstance(value, type):
        inner = ((f".{name}", member) for name, member in vars(value).items() if not name.startswith("__"))
    elif isinstance(value, Mapping):
        inner = ((f"[{key!r}]", member) for key, member in value.items())
    elif isinstance(value, list | tuple | set | frozenset):
        inner = ((f"[{getattr(member, 'name', index)}]", member) for index, member in enumerate(value))
    elif is_dataclass(value):
        names = [item.name for item in fields(value)]
        names += [name for name, member in vars(type(value)).items() if isinstance(member, cached_property)]
        inner = ((f".{name}", getattr(value, name, None)) for name in names)
    elif _gives_patterns(value):
        inner = iter([("()", value())])  # type: ignore[operator]
    for name, member in inner:
        yield from _patterns_in(member, path + name, module, depth - 1)


def _gives_patterns(value: object) -> bool:
    """Whether this is a function without parameters whose annotation says that it returns patterns."""
    function = getattr(value, "__wrapped__", value)
    if not isinstance(function, FunctionType) or function.__code__.co_argcount + function.__code__.co_kwonlyargcount:
        return False
    return "Pattern" in str(function.__annotations__.get("return", ""))


_SEARCHES = re.compile(r"\.(?:match|fullmatch|pattern|flags)\b|\s*(?::[^=\n]+)?=(?!=)")
"""What follows the name of a pattern that is defined, or matched from a place, or part of another pattern."""


def is_anchored(path: str) -> bool:
    """Whether the source only ever matches a module's pattern from a place, and never searches with it."""
    module, _, name = path.rpartition(".")
    if not name.isidentifier() or module not in sys.modules:
        return False
    uses = 0
    for source in _sources():
        if module not in source.name and f"from {module} import" not in source.text and source.name != module:
            continue
        for use in re.finditer(rf"(?<![\w\"'`]){name}\b", source.text):
            line_start = source.text.rfind("\n", 0, use.start()) + 1
            if _IMPORT.match(source.text, line_start):
                continue
            if not _SEARCHES.match(source.text, use.end()):
                return False
            uses += 1
    return uses > 1


_IMPORT = re.compile(r"\s*(?:from|import)\b|\s+\w+,\s*\n")


class _Source(NamedTuple):
    name: str
    text: str


@lru_cache(maxsize=1)
def _sources() -> list[_Source]:
    return [_Source(module.__name__, inspect.getsource(module)) for module in package_modules()]


# Bad inputs for a pattern, from what it is made of.

COMMON_SHAPES = (
    *"aA1. \n,;:-_'\"@/&%#$(<[{",
    *(
        "a ",
        "A ",
        "Aa ",
        "1 ",
        ". ",
        "a.",
        "1.",
        "a@",
        "a@a.",
        "a-",
        "A.",
        "1,",
        "\u00e9",
        "\u0301",
        "\u3042",
        "(a",
        "[1",
    ),
    *("Anna ", "Anna Berg ", "12 May ", "Mr ", "no. ", "a, ", "the "),
)
_MAX_SHAPES = 40


def shapes_of(pattern: re.Pattern[Any]) -> list[str]:
    """Texts to repeat: a sample of the pattern, of each part that repeats, with and without what comes before it."""
    shapes: dict[str, None] = {}
    sample = _sample(_parse(pattern), shapes)
    for text in (sample, sample[:-1], sample[1:]):
        shapes.setdefault(text)
    return [shape for shape in shapes if shape][:_MAX_SHAPES]


def _parse(pattern: re.Pattern[Any]) -> Any:
    flags = pattern.flags & ~re.UNICODE if isinstance(pattern.pattern, bytes) else pattern.flags
    return regex_parser.parse(pattern.pattern, flags)


def _sample(items: Any, shapes: dict[str, None]) -> str:
    """A text that the items match, or nearly; bad texts for the repeats in them are added to ``shapes``."""
    text = ""
    for operation, argument in items:
        name = str(operation)
        if name == "LITERAL":
            text += chr(argument)
        elif name == "NOT_LITERAL":
            text += "a" if argument != ord("a") else "b"
        elif name == "ANY":
            text += "a"
        elif name == "IN":
            text += _member(argument)
        elif name == "BRANCH":
            samples = [_sample(branch, shapes) for branch in argument[1]]
            text += max(samples[:8], key=len)
        elif name == "SUBPATTERN":
            text += _sample(argument[-1], shapes)
        elif name == "ATOMIC_GROUP":
            text += _sample(argument, shapes)
        elif name.endswith("REPEAT"):
            least, most, inner = argument
            body = _sample(inner, shapes)
            if int(most) > _SHORT_REPEAT:
                for shape in (body, text + body, body + text):
                    shapes.setdefault(shape)
            text += body * min(max(least, 1), 8)
    return text


_SHORT_REPEAT = 8
_CATEGORIES = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a", "CATEGORY_NOT_DIGIT": "a"}
_CANDIDATES = "a1 .-A,;@\n\u00e9\u00ff\0"


def _member(items: Any) -> str:
    """A character of a class."""
    if str(items[0][0]) == "NEGATE":
        excluded = re.compile("[" + "".join(_class_text(item) for item in items[1:]) + "]")
        return next((character for character in _CANDIDATES if not excluded.match(character)), "\u4e00")
    operation, argument = items[0]
    if str(operation) == "LITERAL":
        return chr(argument)
    if str(operation) == "RANGE":
        return chr(argument[0])
    return _CATEGORIES.get(str(argument), "-")


_CATEGORY_CLASSES = {"DIGIT": "d", "SPACE": "s", "WORD": "w"}


def _class_text(item: Any) -> str:
    operation, argument = item
    if str(operation) == "LITERAL":
        return re.escape(chr(argument))
    if str(operation) == "RANGE":
        return f"{re.escape(chr(argument[0]))}-{re.escape(chr(argument[1]))}"
    *negated, kind = str(argument).removeprefix("CATEGORY_").split("_")
    letter = _CATEGORY_CLASSES.get(kind, "w")
    return "\\" + (letter.upper() if negated else letter)


def as_bytes(text: str) -> bytes:
    """A bad input for a pattern of bytes: each character of its sample is one byte, also above 127."""
    try:
        return text.encode("latin-1")
    except UnicodeEncodeError:
        return text.encode()


def measure_pattern(name: str, pattern: re.Pattern[Any], *, anchored: bool = False) -> Growth:
    """The steepest growth of a pattern over its bad inputs: searching in a text, or matching it from the beginning."""

    def prepare(shape: str, end: str) -> Callable[[int], Callable[[], object]]:
        def work(size: int) -> Callable[[], object]:
            text: Any = (shape * (size // len(shape) + 1))[:size] + end
            if isinstance(pattern.pattern, bytes):
                text = as_bytes(text)
            if anchored:
                return lambda: (pattern.match(text), pattern.fullmatch(text))
            return lambda: sum(1 for _ in pattern.finditer(text))

        return work

    shapes = dict.fromkeys([*shapes_of(pattern), *COMMON_SHAPES])
    cases = [(shape, "\u00a7") for shape in shapes]
    if isinstance(pattern.pattern, bytes):
        # "Any byte but" at the end of a pattern finds the sign there, and nothing where the bytes just end.
        cases += [(shape, "") for shape in shapes_of(pattern)]
    return steepest(measure(name, shape, prepare(shape, end)) for shape, end in cases)


def steepest(growths: Iterable[Growth]) -> Growth:
    """The steepest growth; the rest is not measured once one is too steep."""
    worst: Growth | None = None
    for growth in growths:
        if worst is None or _steepness(growth) > _steepness(worst):
            worst = growth
        if growth.is_too_steep:
            break
    assert worst is not None
    return worst


def _steepness(growth: Growth) -> tuple[bool, float, float]:
    return growth.is_too_steep, growth.exponent if growth.seconds >= JUDGED_FROM else 0.0, growth.seconds


# What is not searched with, or not with long texts.


class Exemptions(NamedTuple):
    """Beginnings of the names of patterns, each with the reason."""

    anchored: dict[str, str]
    short: dict[str, str]


def exemptions() -> Exemptions:
    return Exemptions(
        **tomllib.loads(Path(__file__).with_suffix("").with_name("growth_exempt.toml").read_text("utf-8"))
    )


def pattern_growths(names: Iterable[str] | None = None) -> Iterator[Growth]:
    """The steepest growth of every pattern that is not exempt."""
    anchored, short = exemptions()
    patterns = find_patterns()
    for name in patterns if names is None else names:
        if not name.startswith(tuple(short)):
            is_matched = name.startswith(tuple(anchored)) or is_anchored(name)
            yield measure_pattern(name, patterns[name], anchored=is_matched)


def reader_growth(reader: Reader) -> Growth:
    """The steepest growth of a reader over its bad inputs."""
    with TemporaryDirectory() as folder:

        def prepare(shape: Shape) -> Callable[[int], Callable[[], object]]:
            reader.prepare(build(shape, 100), Path(folder))()  # so that word lists are loaded
            return lambda size: reader.prepare(build(shape, size), Path(folder))

        return steepest(measure(reader.name, shape_name(shape), prepare(shape)) for shape in reader.shapes)


def _print_growths(growths: Iterable[Growth], n: int) -> None:
    for growth in sorted(growths, key=_steepness, reverse=True)[:n]:
        exponent = f"{growth.exponent:.2f}" if growth.seconds >= JUDGED_FROM else "-"
        print(f"{growth.name:60} {exponent:>6} {growth.seconds:8.3f} s  {growth.shape!r:.40}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--only", choices=["patterns", "readers", "memory"])
    parser.add_argument("--n", type=int, default=10, help="how many patterns, the steepest first")
    arguments = parser.parse_args()
    if arguments.only in (None, "patterns"):
        growths = list(pattern_growths())
        print(f"{len(growths)} patterns; exponent and seconds at {SIZES[-1] // 1000} kB of the {arguments.n} worst")
        _print_growths(growths, arguments.n)
    if arguments.only in (None, "readers"):
        print(f"{len(READERS)} readers, {sum(len(reader.shapes) for reader in READERS)} inputs; exponent and seconds")
        _print_growths(map(reader_growth, READERS), len(READERS))
    if arguments.only in (None, "memory"):
        print(f"{len(READERS)} readers; peak memory above that for one line, in multiples of the input")
        for reader in READERS:
            print(f"{reader.name:60} {peak_memory(reader):6.1f}")


if __name__ == "__main__":
    main()
