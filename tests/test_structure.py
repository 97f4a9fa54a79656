"""The layout of the package: few modules of readable size, word lists in data files, languages in language modules."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from functools import cache
from pathlib import Path

import sfumato
from sfumato import registry
from sfumato.lexicon.tables import languages_with

SOURCE = Path(sfumato.__file__).parents[1]
PACKAGES = ("sfumato", "sfumato_papers")
MOST_LINES = 650
"""Of a module, as of the longest today. They are to be 350 in the packages that read texts, and 500 in the others."""
MOST_SINGLE_IMPORTERS = 25
LONGEST_WORD_LIST = 10
"""Lines of a literal of strings in code; a longer one is a data file."""
LANGUAGES = set(languages_with("function_words"))


@cache
def modules() -> dict[str, Path]:
    """Every module by its dotted name; a package by its own."""
    named = {}
    for path in sorted(path for package in PACKAGES for path in (SOURCE / package).rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        named[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return named


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_modules_have_a_readable_size() -> None:
    sizes = {name: lines(path) for name, path in modules().items()}
    assert {name: size for name, size in sizes.items() if size > MOST_LINES} == {}


def agreed_sizes() -> dict[str, int]:
    """The table of docs/architecture.md: the lines that each package may have."""
    page = (SOURCE.parent / "docs/architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(sfumato\w*/(?:\w+/|\*\.py))` \| ([\d,]+) \|$", page, re.MULTILINE)
    return {package: int(agreed.replace(",", "")) for package, agreed in rows}


def test_no_package_outgrows_the_size_agreed() -> None:
    sizes: dict[str, int] = defaultdict(int)
    for path in modules().values():
        package, *inner = path.relative_to(SOURCE).parts
        sizes[f"{package}/{inner[0]}/" if len(inner) > 1 else f"{package}/*.py"] += lines(path)
    agreed = agreed_sizes()
    assert sizes.keys() == agreed.keys(), "docs/architecture.md, Sizes: one row for each package"
    too_large = {name: (size, agreed[name]) for name, size in sizes.items() if size > agreed[name]}
    assert too_large == {}, "docs/architecture.md, Sizes, says how to agree on more"


def importers() -> dict[str, set[str]]:
    """Which modules import each module, themselves or a name of theirs."""
    result: dict[str, set[str]] = defaultdict(set)
    for name, path in modules().items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    result[full if full in modules() else node.module].add(name)
    return result


def is_exempt(name: str) -> bool:
    """Plug-ins, hierarchies (looked up by name), formats, commands, passes and what is of one language stand alone."""
    points = {
        point.value.partition(":")[0]
        for kind in (*registry.KINDS, *registry.EXTENSIONS)
        for point in registry._points(kind).values()
    }
    package, _, last = name.rpartition(".")
    return (
        name in points
        or name.startswith(("sfumato.formats.", "sfumato.cli.", "sfumato_papers.cli.", "sfumato.detectors.passes."))
        or (package.rpartition(".")[0] == "sfumato.generalize" and last in ("hierarchy", "reading", "guesses"))
        or last.rpartition("_")[2] in LANGUAGES
    )


def test_few_modules_have_a_single_importer_in_their_own_package() -> None:
    lonely = [
        name
        for name, by in importers().items()
        if name in modules()
        and len(by) == 1
        and not is_exempt(name)
        and name.rpartition(".")[0] not in PACKAGES
        and (next(iter(by)).rpartition(".")[0] == name.rpartition(".")[0] or next(iter(by)) == name.rpartition(".")[0])
    ]
    assert len(lonely) <= MOST_SINGLE_IMPORTERS, sorted(lonely)


def is_word_list(node: ast.expr) -> bool:
    """Whether a literal holds words: a string to be split, or a collection of plain strings."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("split", "splitlines")
    ):
        return isinstance(node.func.value, ast.Constant)
    if (
        isinstance(node, ast.Call)
        and node.args
        and isinstance(node.func, ast.Name)
        and node.func.id in ("frozenset", "set")
    ):
        return is_word_list(node.args[0])
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return bool(node.elts) and all(
            isinstance(item, ast.Constant) and isinstance(item.value, str) for item in node.elts
        )
    if isinstance(node, ast.Dict):  # a value that is a sentence is a message
        return bool(node.values) and all(
            is_word_list(value)
            or (isinstance(value, ast.Constant) and isinstance(value.value, str) and not value.value.endswith("."))
            for value in node.values
        )
    return False


def test_word_lists_are_data_files() -> None:
    long = []
    for name, path in modules().items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None and is_word_list(node.value):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                if length > LONGEST_WORD_LIST and not any(
                    isinstance(target, ast.Name) and target.id == "__all__" for target in targets
                ):
                    long.append(f"{name}:{node.lineno} ({length} lines)")
    assert long == []


def test_languages_are_compared_in_language_modules_only() -> None:
    """``language == "es"`` stands in modules of one language, or of grammar; elsewhere data is looked up."""
    collected = []
    for name, path in modules().items():
        last = name.rpartition(".")[2]
        if last.rpartition("_")[2] in LANGUAGES or last.startswith("grammar"):
            continue
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Compare) and any(
                isinstance(side, ast.Constant) and side.value in LANGUAGES for side in (node.left, *node.comparators)
            ):
                collected.append(f"{name}:{node.lineno}")
    assert collected == []


def test_patterns_that_matches_are_compared_with_are_compiled() -> None:
    """A match knows the compiled pattern, never the lazy one that stands for it."""
    for file in modules().values():
        source = file.read_text("utf-8")
        for name in re.findall(r"\.re (?:is|is not|==|!=) (\w+)", source):
            assert f"\n{name} = re.compile(" in source, (file.name, name)
