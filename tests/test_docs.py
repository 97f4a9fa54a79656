"""What exists is documented, and what is documented exists. tests/test_doc_*.py run it."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest

import sfumato
from sfumato import recipe as recipes
from sfumato import registry
from sfumato.cli import app
from sfumato.formats.base import SUFFIXES
from sfumato.recipe import Recipe, UserPattern

ROOT = Path(__file__).parents[1]
COMMANDS = {name: app.load_command(name) for name in app.commands()}


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def section(command: str) -> str:
    match = re.search(rf"## sfumato {command}\n(.*?)(?=\n## |\Z)", page("commands.md"), re.DOTALL)
    assert match, f"docs/commands.md has no section for {command}"
    return match[1]


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_command_and_option_is_documented(command: str) -> None:
    for parameter in COMMANDS[command].params:
        for option in parameter.opts:
            if option.startswith("--") and option != "--help":
                assert f"`{option}`" in section(command), f"{command} {option} is undocumented"


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_the_list_of_commands_says_what_each_command_says(command: str) -> None:
    assert COMMANDS[command].help.partition("\n")[0] == app.commands()[command]


def test_no_documented_option_has_gone() -> None:
    for command in COMMANDS:
        known = {option for parameter in COMMANDS[command].params for option in parameter.opts}
        assert set(re.findall(r"`(--[\w-]+)`", section(command))) <= known


def test_every_recipe_key_and_recipe_is_documented() -> None:
    text = page("recipes.md")
    for key in [*Recipe.model_fields, *UserPattern.model_fields, *recipes.names()]:
        assert f"`{key}`" in text, f"recipe key or recipe {key} is undocumented"


@pytest.mark.parametrize("plugin", registry.all_plugins(), ids=lambda plugin: f"{plugin.kind}-{plugin.name}")
def test_every_plug_in_and_its_options_are_documented(plugin: registry.Plugin) -> None:
    # A metric may have the name of the attack it counts.
    rows = re.findall(rf"^\| `{plugin.name}` \|.*$", page("methods.md"), re.MULTILINE)
    assert rows, f"docs/methods.md has no row for {plugin.kind} {plugin.name}"
    options = [f"`{name}`" for name in inspect.signature(registry.get(plugin.kind, plugin.name)).parameters]
    missing = [[option for option in options if option != "`ledger`" and option not in row] for row in rows]
    assert [] in missing, f"options {missing} of {plugin.kind} {plugin.name} are undocumented"


def test_every_format_is_documented() -> None:
    for suffix in SUFFIXES:
        assert f"`{suffix}`" in page("formats.md")


def test_the_documented_recipe_is_valid() -> None:
    (toml,) = re.findall(r"```toml\n(name.*?)```", page("recipes.md"), re.DOTALL)
    assert recipes.parse(toml, "docs").name == "ward"


def flat(text: str) -> str:
    """Words alone, without the marks of a quotation or a table."""
    return " ".join(re.sub(r"^> ?", "", text, flags=re.MULTILINE).split())


def test_everyday_documents_are_released_as_the_page_shows() -> None:
    block = r"\n\n```text\n(.*?)```"
    pairs = re.findall(rf"Before:{block}\n\nAfter:{block}", page("everyday.md"), re.DOTALL)
    assert len(pairs) == 5
    for before, after in pairs:
        assert sfumato.anonymize(before).text == after


@pytest.mark.parametrize("name", [path.name for path in sorted((ROOT / "examples/released").iterdir())])
def test_the_examples_are_released_as_shown(name: str) -> None:
    before = (ROOT / "examples/texts" / name).read_text(encoding="utf-8")
    after = (ROOT / "examples/released" / name).read_text(encoding="utf-8")
    assert sfumato.anonymize(before).text == after, "make examples/released, then README.md and docs/generalization.md"


def test_before_and_after_are_what_the_examples_say() -> None:
    folders = {"before": ROOT / "examples/texts", "after": ROOT / "examples/released"}
    texts = {when: flat((folder / "ruling.txt").read_text(encoding="utf-8")) for when, folder in folders.items()}
    rows = re.findall(r"^\| (before|after) \| (.*) \|$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    quoted = re.findall(r"^(Before|After) \(.*\):\n\n((?:>.*\n)+)", page("generalization.md"), re.MULTILINE)
    assert [when for when, _ in [*rows, *quoted]] == ["before", "after", "Before", "After"]
    for when, text in [*rows, *quoted]:
        assert flat(text) in texts[when.lower()]


def test_every_option_of_the_default_replacer_has_its_meaning() -> None:
    for name in inspect.signature(registry.get("replacer", "generalize")).parameters.keys() - {"ledger"}:
        assert re.search(rf"^\| `{name}` \|", page("generalization.md"), re.MULTILINE), f"{name} is undocumented"


def test_every_page_is_linked_and_no_link_leads_nowhere() -> None:
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    linked = set(re.findall(r"\(docs/([\w-]+\.md)", (ROOT / "README.md").read_text(encoding="utf-8")))
    for name in pages:
        linked |= set(re.findall(r"\]\(([\w-]+\.md)", page(name)))
    assert linked == pages


PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
GROUPS = {f"sfumato.{kind}s" for kind in (*registry.KINDS, *registry.EXTENSIONS)}
"""Entry points look like modules and need not be."""


def exists(dotted: str) -> bool:
    """Whether this is a module, or a name in one."""
    module, names = dotted, list[str]()
    while True:
        try:
            found = import_module(module)
            break
        except ModuleNotFoundError:
            module, _, name = module.rpartition(".")
            names.insert(0, name)
    for name in names:
        if not hasattr(found, name):
            return False
        found = getattr(found, name)
    return True


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_and_file_that_a_page_names_is_there(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    dotted = set(re.findall(r"(?<![\w/.:@-])sfumato(?:_papers)?(?:\.[A-Za-z_]\w*)+", text)) - GROUPS
    assert not [name for name in sorted(dotted) if not exists(name)]
    files = re.findall(r"(?<![\w/.-])((?:src|sfumato|training|benchmarks|tests|examples[a-z-]*)/[\w/.-]*\w)", text)
    places = [ROOT, ROOT / "src", path.parent]
    assert not [name for name in sorted(set(files)) if not any((place / name).exists() for place in places)]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_a_heading(path: Path) -> None:
    for target, anchor in re.findall(r"\]\(([\w./-]*\.md)?(?:#([\w-]+))?\)", path.read_text(encoding="utf-8")):
        page = (path.parent / target).resolve() if target else path
        assert page.is_file(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
            texts = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert anchor in texts, f"{target}#{anchor}"


def test_the_tests_that_the_threat_model_names_exist() -> None:
    named = re.findall(r"`((?:[\w/]+\.py)?(?:::\w+)?)`", page("threat-model.md"))
    files = [name for name in named if name]
    assert len(files) > 20
    current = ""
    for name in files:
        file, _, function = name.partition("::")
        current = file or current
        path = ROOT / current if current.startswith("training/") else ROOT / "tests" / current
        assert path.is_file(), name
        assert not function or f"def {function}(" in path.read_text(encoding="utf-8"), name


_OURS = re.compile(r"_*[A-Za-z]\w*")
_IS_CODE_NAME = re.compile(r"[a-z]_[a-z]|_[A-Z]|[A-Z]_|^_|[a-z][A-Z]")
_PLACEHOLDERS = re.compile(r"<[^>]*>|\*\w*|\bmy_\w+|\w+_pl\b")
"""Names that the reader is to choose, and those of Polish, the example of docs/languages.md."""


def test_names_of_code_in_the_pages_exist() -> None:
    """Every module, function, constant and key that a page names is a word of the code or of its data."""
    missing: set[str] = set()
    for path in [*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        prose = re.sub(r"^```.*?^```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for code in re.findall(r"`([^`\n]+)`", prose):
            missing.update(filter(_IS_CODE_NAME.search, _OURS.findall(_PLACEHOLDERS.sub("", code))))
    folders = ("src", "training", "benchmarks", "examples/plugin", "requirements", "tests")
    files = [
        file for folder in folders for file in (ROOT / folder).rglob("*.*") if file.suffix in (".py", ".toml", ".in")
    ]
    for file in (ROOT / "pyproject.toml", ROOT / "Makefile", *files):
        content = file.stem if file == Path(__file__) else f"{file.stem} {file.read_text(encoding='utf-8')}"
        missing = {name for name in missing if name not in content or not re.search(rf"\b{name}\b", content)}
    assert not missing
