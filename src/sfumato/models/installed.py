"""The extras that are installed, and the models that are shipped with the package."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

_REQUIREMENT = re.compile(r"([\w.-]+)[^;]*;.*extra\s*==\s*['\"]([\w-]+)['\"]")


@dataclass(frozen=True, slots=True)
class Extra:
    """An extra: its packages, which of them are missing, and the command that installs them."""

    name: str
    packages: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def command(self) -> str:
        return f"pip install 'sfumato[{self.name}]'"


def installed_extras() -> list[Extra]:
    """Every extra, from the metadata of the package."""
    packages: dict[str, list[str]] = {}
    for line in metadata.requires("sfumato") or ():
        if (match := _REQUIREMENT.match(line)) and match[2] != "dev":
            packages.setdefault(match[2], []).append(match[1])
    return [Extra(name, tuple(names), tuple(filter(_is_missing, names))) for name, names in sorted(packages.items())]


def shipped_models() -> dict[str, int]:
    """Name and bytes of every folder of weights with a model card."""
    folders = sorted(card.parent for card in (Path(__file__).parent / "weights").rglob("MODEL_CARD.md"))
    sizes = [sum(file.stat().st_size for file in folder.iterdir() if file.is_file()) for folder in folders]
    return {folder.name.replace("_", "-"): size for folder, size in zip(folders, sizes, strict=True)}


def _is_missing(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return True
    return False
