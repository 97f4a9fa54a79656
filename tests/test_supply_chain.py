"""What is installed: exact versions with hashes, the bill of materials, and licences."""

from __future__ import annotations

import json
import re
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from requirements import inventory

ROOT = Path(__file__).parents[1]
LOCKS = sorted(path.name for path in (ROOT / "requirements").glob("*.txt"))
HOLDS = {
    "user.txt": (None, "formats"),
    "dev.txt": (None, "formats", "llm", "dev"),
    "extras.txt": (None, *inventory.project()["project"]["optional-dependencies"]),
}
"""Which extras of pyproject.toml each lock installs; None is the package itself."""


def test_every_extra_has_a_lock_and_every_lock_is_known() -> None:
    assert [*HOLDS, "build.txt", "lock.txt"] == sorted(LOCKS, key=[*HOLDS, "build.txt", "lock.txt"].index)


@pytest.mark.parametrize(
    ("lock", "requirement"),
    [
        *((lock, item) for lock, extras in HOLDS.items() for x in extras for item in inventory.direct_dependencies(x)),
        *(("build.txt", item) for item in inventory.project()["build-system"]["requires"]),
    ],
)
def test_every_dependency_is_locked_within_its_range(lock: str, requirement: str) -> None:
    wanted = Requirement(requirement)
    entries = [entry for entry in inventory.read_lock(lock) if entry.name == inventory.canonical_name(wanted.name)]
    assert entries, f"{requirement} is not in requirements/{lock}: make lock"
    for entry in entries:
        assert wanted.specifier.contains(entry.version), f"requirements/{lock} has {entry.version}: make lock"


@pytest.mark.parametrize("lock", LOCKS)
def test_every_entry_has_hashes(lock: str) -> None:
    entries = inventory.read_lock(lock)
    assert entries
    assert [entry.name for entry in entries if not entry.hashes] == []


def test_compiled_packages_have_the_hashes_of_many_platforms() -> None:
    hashes = {entry.name: len(entry.hashes) for entry in inventory.read_lock("user.txt")}
    assert min(hashes[name] for name in ("cryptography", "lxml", "numpy", "onnxruntime", "pyarrow", "scipy")) > 12


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_index_no_address_and_no_folder(lock: str) -> None:
    line = re.compile(
        r" *#.*|[a-z0-9-]+==[\w.+!]+( ; [\w.'=!<>() ]+)? \\|    --hash=sha256:[0-9a-f]{64}( \\)?",
    )
    lines = (ROOT / "requirements" / lock).read_text(encoding="utf-8").splitlines()
    assert [text for text in lines if not line.fullmatch(text)] == []
    assert [text for text in lines if "://" in text or re.search(r"# +-[cr] (?!requirements/)", text)] == []


def test_the_locks_agree() -> None:
    largest = {(entry.name, entry.version) for entry in inventory.read_lock(inventory.LARGEST_LOCK)}
    known = {name for name, _ in largest}
    for lock in LOCKS:
        versions = {(entry.name, entry.version) for entry in inventory.read_lock(lock)}
        assert {entry for entry in versions if entry[0] in known} <= largest, f"requirements/{lock}: make lock"


def test_a_lock_holds_what_its_packages_need() -> None:
    largest = inventory.read_lock(inventory.LARGEST_LOCK)
    needed = inventory.reachable(
        [item for x in HOLDS["user.txt"] for item in inventory.direct_dependencies(x)], largest
    )
    assert {entry.name for entry in inventory.read_lock("user.txt")} == needed


def test_torch_is_the_build_for_processors() -> None:
    names = {entry.name for entry in inventory.read_lock("extras.txt")}
    assert [name for name in names if re.match(r"nvidia|cuda|triton", name)] == []
    builds = {entry.version: entry.marker for entry in inventory.read_lock("extras.txt") if entry.name == "torch"}
    assert sorted("sys_platform == 'linux'" in marker for marker in builds.values()) == [False, True]
    assert all(version.endswith("+cpu") for version, marker in builds.items() if "sys_platform == 'linux'" in marker)


@pytest.mark.parametrize("page", ["Makefile", "README.md"])
def test_every_install_checks_hashes(page: str) -> None:
    commands = re.findall(r"(?:pip|\$\(PIP\)) install (.*)", (ROOT / page).read_text(encoding="utf-8"))
    assert commands
    for command in commands:
        itself = re.fullmatch(r"--no-deps --no-build-isolation (?:--editable )?\.", command)
        assert itself or command.startswith("--require-hashes --no-deps --only-binary :all:"), command


def test_the_bill_of_materials_is_up_to_date() -> None:
    assert json.loads(inventory.SBOM.read_text(encoding="utf-8")) == inventory.bill_of_materials(), "make sbom"


def test_every_reference_of_the_bill_of_materials_is_a_component() -> None:
    bill = inventory.bill_of_materials()
    references = [bill["metadata"]["component"]["bom-ref"], *(part["bom-ref"] for part in bill["components"])]
    assert len(set(references)) == len(references)
    assert [entry["ref"] for entry in bill["dependencies"]] == references
    assert {ref for entry in bill["dependencies"] for ref in entry["dependsOn"]} == set(references[1:])


def test_the_licence_page_is_up_to_date() -> None:
    text = inventory.PAGE.read_text(encoding="utf-8")
    assert inventory.licence_page(text) == text, "make sbom"


def test_the_list_of_licences_holds_the_run_time_packages_and_no_others() -> None:
    assert set(inventory.licences()) == set(inventory.run_time_packages())


def test_no_package_is_under_the_gpl() -> None:
    assert [part for part in inventory.allowed_licences() if re.match(r"A?GPL", part)] == []
    for name, about in inventory.licences().items():
        assert inventory.licence_parts(about.licence) <= inventory.allowed_licences(), name
    weak_copyleft = [name for name, about in inventory.licences().items() if "LGPL" in about.licence]
    assert weak_copyleft == ["python-stdnum"], "docs/licences.md says what the LGPL means for each"


FAMILIES = ("AGPL", "LGPL", "GPL", "MPL", "Apache", "BSD", "MIT", "ISC", "PSF", "Mozilla", "GNU Lesser")
SAME = {"Mozilla": "MPL", "GNU Lesser": "LGPL"}


def families(text: str) -> set[str]:
    """The families of licences that a text names."""
    names = re.findall(rf"(?<![A-Za-z])(?:{'|'.join(FAMILIES)})(?![a-z])", text)
    return {SAME.get(name, name) for name in names}


def installed_packages() -> list[str]:
    """The run-time packages that are here; those of extras often are not."""
    here = {inventory.canonical_name(distribution.name) for distribution in metadata.distributions()}
    return sorted(here.intersection(inventory.licences()))


@pytest.mark.parametrize("name", installed_packages())
def test_the_licence_is_the_one_that_the_package_states(name: str) -> None:
    stated = metadata.metadata(name)
    licence = inventory.licences()[name].licence
    if expressions := stated.get_all("License-Expression"):
        assert [licence] == expressions
        return
    short = [text.partition("\n")[0] for text in stated.get_all("License") or []]  # some put the whole text there
    classifiers = [item for item in stated.get_all("Classifier") or [] if item.startswith("License ::")]
    assert families(licence) == families(" ".join([*short, *classifiers]))
