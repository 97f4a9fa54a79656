"""Software bill of materials (CycloneDX) and licence tables, from the locked versions in requirements/.

make sbom        # or: python -m requirements.inventory
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SBOM = ROOT / "sbom.cdx.json"
PAGE = ROOT / "docs" / "licences.md"
LARGEST_LOCK = "extras.txt"
"""The lock that holds every package; the others are parts of it."""
USER_LOCK = "user.txt"
"""What users install: the package with its extra `formats`."""
RUN_TIME_EXTRAS = ("formats", "llm", "presidio", "ray", "spacy", "torch")
"""The extras of pyproject.toml that users install; `dev` is for those who work on the code."""


@dataclass(frozen=True)
class Locked:
    """One version of a package in a lock: its files' SHA-256, where it applies, and which packages need it."""

    name: str
    version: str
    marker: str
    hashes: tuple[str, ...]
    needed_by: tuple[str, ...]


@dataclass(frozen=True)
class Licensed:
    """A package's licence and use, as requirements/packages.toml has them."""

    licence: str
    use: str


def canonical_name(requirement: str) -> str:
    """The name at the start of a requirement, written as package indexes write it."""
    match = re.match(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)", requirement)
    if not match:
        raise ValueError(f"not a requirement: {requirement!r}")
    return re.sub(r"[-_.]+", "-", match[1]).lower()


@cache
def read_lock(name: str) -> list[Locked]:
    """All entries of a lock file of requirements/, in its order."""
    entries = []
    text = (ROOT / "requirements" / name).read_text(encoding="utf-8")
    for block in re.split(r"^(?=[A-Za-z0-9])", text, flags=re.MULTILINE)[1:]:
        match = re.match(r"([^=\s]+)==([^\s;]+)(?: ; (.*?))?(?: \\)?\n", block)
        if not match:
            raise ValueError(f"requirements/{name}: not an exact version: {block.splitlines()[0]}")
        hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})\b", block)
        parents = re.findall(r"^ +# (?:via|  ) ?([a-z0-9][a-z0-9._-]*)", block, re.MULTILINE)
        entries.append(
            Locked(canonical_name(match[1]), match[2], match[3] or "", tuple(sorted(hashes)), tuple(sorted(parents)))
        )
    return entries


@cache
def project() -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def direct_dependencies(extra: str | None) -> list[str]:
    """The requirements of an extra in pyproject.toml, or of the package itself."""
    table = project()["project"]
    requirements: list[str] = table["optional-dependencies"][extra] if extra else table["dependencies"]
    return requirements


def reachable(requirements: Iterable[str], entries: list[Locked]) -> set[str]:
    """The packages that these requirements bring, themselves included."""
    names = {canonical_name(requirement) for requirement in requirements}
    while more := {entry.name for entry in entries if names.intersection(entry.needed_by)} - names:
        names |= more
    return names


def run_time_packages() -> dict[str, list[str]]:
    """Every run-time package with the extras that bring it; none where it always comes."""
    entries = read_lock(LARGEST_LOCK)
    always = reachable(direct_dependencies(None), entries)
    extras: dict[str, list[str]] = {name: [] for name in always}
    for extra in RUN_TIME_EXTRAS:
        for name in reachable(direct_dependencies(extra), entries) - always:
            extras.setdefault(name, []).append(extra)
    return dict(sorted(extras.items()))


@cache
def licences() -> dict[str, Licensed]:
    """The licence and use of every package in requirements/packages.toml."""
    table = tomllib.loads((ROOT / "requirements" / "packages.toml").read_text(encoding="utf-8"))
    return {name: Licensed(licence, use) for name, (licence, use) in table["packages"].items()}


@cache
def allowed_licences() -> frozenset[str]:
    """The licences that a dependency may have."""
    table = tomllib.loads((ROOT / "requirements" / "packages.toml").read_text(encoding="utf-8"))
    return frozenset(table["allowed"]["licences"])


def licence_parts(expression: str) -> set[str]:
    """The single licences of an SPDX expression, with their exceptions."""
    return {part.strip(" ()") for part in re.split(r" (?:AND|OR) ", expression)}


def licence_of(name: str) -> Licensed:
    """What packages.toml says of a package; an error that names the next step where it says nothing."""
    if name not in licences():
        raise SystemExit(
            f"requirements/packages.toml has no line for {name}: read its licence, add it and what the package is for, "
            "then run make sbom again"
        )
    return licences()[name]


def our_version() -> str:
    """The version of the package, read without importing it."""
    text = (ROOT / "src" / "sfumato" / "version.py").read_text(encoding="utf-8")
    match = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if not match:
        raise ValueError("src/sfumato/version.py: no __version__")
    return match[1]


def package_url(entry: Locked) -> str:
    """The package URL (purl) of a locked version."""
    return f"pkg:pypi/{entry.name}@{entry.version.replace('+', '%2B')}"


def component(entry: Locked, extras: list[str]) -> dict[str, Any]:
    """A package as a component of the bill of materials."""
    expression = licence_of(entry.name).licence
    is_single = len(licence_parts(expression)) == 1 and " WITH " not in expression
    # In the largest lock a tool may ask for a package everywhere that users need on one platform only.
    markers = {locked.name: locked.marker for locked in read_lock(USER_LOCK)}
    properties = {"sfumato:extras": ",".join(extras), "sfumato:marker": markers.get(entry.name, entry.marker)}
    result = {
        "type": "library",
        "bom-ref": package_url(entry),
        "name": entry.name,
        "version": entry.version,
        "scope": "optional" if extras else "required",
        "hashes": [{"alg": "SHA-256", "content": digest} for digest in entry.hashes],
        "licenses": [{"license": {"id": expression}} if is_single else {"expression": expression}],
        "purl": package_url(entry),
        "properties": [{"name": name, "value": value} for name, value in properties.items() if value],
    }
    return {key: value for key, value in result.items() if value}


def bill_of_materials() -> dict[str, Any]:
    """The bill of materials of all run-time dependencies; the same bytes for the same locks."""
    extras = run_time_packages()
    entries = [entry for entry in read_lock(LARGEST_LOCK) if entry.name in extras]
    references: dict[str, list[str]] = {}
    for entry in entries:
        references.setdefault(entry.name, []).append(package_url(entry))
    direct = {canonical_name(item) for extra in (None, *RUN_TIME_EXTRAS) for item in direct_dependencies(extra)}
    us = f"pkg:pypi/sfumato@{our_version()}"
    depends_on = {us: {reference for name in direct for reference in references[name]}}
    for entry in entries:
        depends_on[package_url(entry)] = {
            package_url(child) for child in entries if entry.name in child.needed_by and child.name != entry.name
        }
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": us,
                "name": "sfumato",
                "version": our_version(),
                "licenses": [{"license": {"id": project()["project"]["license"]}}],
                "purl": us,
            }
        },
        "components": [component(entry, extras[entry.name]) for entry in entries],
        "dependencies": [{"ref": ref, "dependsOn": sorted(depends_on[ref])} for ref in depends_on],
    }


def licence_table(*, optional: bool) -> str:
    """The packages that always come, or those that only extras bring, as a Markdown table."""
    extras = run_time_packages()
    versions: dict[str, list[str]] = {}
    for entry in read_lock(LARGEST_LOCK):
        versions.setdefault(entry.name, []).append(entry.version)
    head = ["package", "version", "licence", *(["extras"] if optional else []), "what it is for"]
    rows = [head, ["---"] * len(head)]
    for name, brought_by in extras.items():
        if bool(brought_by) == optional:
            of_extras = [", ".join(brought_by)] if optional else []
            about = licence_of(name)
            rows.append([name, ", ".join(versions[name]), about.licence, *of_extras, about.use])
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def licence_page(text: str) -> str:
    """The page with its two tables replaced by what the locks say."""
    for title, optional in (("always", False), ("extras", True)):
        start, end = f"<!-- table: {title} -->\n", "<!-- end of table -->\n"
        before, separator, rest = text.partition(start)
        if not separator:
            raise ValueError(f"docs/licences.md: the line {start.strip()} is missing")
        text = before + start + licence_table(optional=optional) + end + rest.partition(end)[2]
    return text


def main() -> None:
    """Write the bill of materials and the tables of the licence page."""
    SBOM.write_text(json.dumps(bill_of_materials(), indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(licence_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
