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
MOST_LINES_OF_THE_CORE, MOST_LINES_IN_ALL = 66_700, 79_600
"""When texts are read once they are to shrink: to 56,000 and 68,000."""
MOST_MODULES, LEAST_MEAN_LINES, MOST_LINES = 360, 180, 700
MOST_SINGLE_IMPORTERS = 21
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


def test_there_are_few_modules_of_readable_size() -> None:
    sizes = {name: lines(path) for name, path in modules().items()}
    assert len(sizes) <= MOST_MODULES
    assert sum(size for name, size in sizes.items() if name.partition(".")[0] == "sfumato") <= MOST_LINES_OF_THE_CORE
    assert sum(sizes.values()) <= MOST_LINES_IN_ALL
    assert sum(sizes.values()) / len(sizes) >= LEAST_MEAN_LINES
    assert {name: size for name, size in sizes.items() if size > MOST_LINES} == {}


def importers() -> dict[str, set[str]]:
    """Which modules import each module, themselves or a name of theirs."""
    found: dict[str, set[str]] = defaultdict(set)
    for name, path in modules().items():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ImportFrom) and node.module:
                for alias in node.names:
                    full = f"{node.module}.{alias.name}"
                    found[full if full in modules() else node.module].add(name)
    return found


def is_exempt(name: str) -> bool:
    """Plug-ins, hierarchies (looked up by name), formats, commands, and what belongs to one language stand alone."""
    points = {
        point.value.partition(":")[0]
        for kind in (*registry.KINDS, *registry.EXTENSIONS)
        for point in registry._points(kind).values()
    }
    package, _, last = name.rpartition(".")
    return (
        name in points
        or name.startswith(("sfumato.formats.", "sfumato.cli.", "sfumato_papers.cli."))
        or (package.rpartition(".")[0] == "sfumato.generalize" and last in ("hierarchy", "guesses"))
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
    found = []
    for name, path in modules().items():
        last = name.rpartition(".")[2]
        if last.rpartition("_")[2] in LANGUAGES or last.startswith("grammar"):
            continue
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Compare) and any(
                isinstance(side, ast.Constant) and side.value in LANGUAGES for side in (node.left, *node.comparators)
            ):
                found.append(f"{name}:{node.lineno}")
    assert found == []


def test_patterns_that_matches_are_compared_with_are_compiled() -> None:
    """A match knows the compiled pattern, never the lazy one that stands for it."""
    for file in modules().values():
        source = file.read_text("utf-8")
        for name in re.findall(r"\.re (?:is|is not|==|!=) (\w+)", source):
            assert f"\n{name} = re.compile(" in source, (file.name, name)
