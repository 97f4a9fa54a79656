"""What is on this machine: optional parts, and the models that came with the package."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import metadata, resources
from pathlib import Path

_CARD = "MODEL_CARD.md"
_REQUIREMENT = re.compile(r"([\w.-]+)[^;]*;.*extra\s*==\s*['\"]([\w-]+)['\"]")
_FOR_DEVELOPERS = {"dev"}


@dataclass(frozen=True, slots=True)
class Extra:
    """An optional part: which packages it has, which are missing, and how to get them."""

    name: str
    packages: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def command(self) -> str:
        return f"pip install 'sfumato[{self.name}]'"


@dataclass(frozen=True, slots=True)
class ShippedModel:
    """A model that came with the package."""

    name: str
    bytes: int
    card: Path


def installed_extras() -> list[Extra]:
    """Every optional part, by what the package says of itself."""
    packages: dict[str, list[str]] = {}
    for line in metadata.requires("sfumato") or ():
        if (found := _REQUIREMENT.match(line)) and found[2] not in _FOR_DEVELOPERS:
            packages.setdefault(found[2], []).append(found[1])
    return [Extra(name, tuple(own), tuple(filter(_missing, own))) for name, own in sorted(packages.items())]


def shipped_models() -> list[ShippedModel]:
    """Every folder of weights with a model card."""
    root = Path(str(resources.files("sfumato")))
    folders = sorted(card.parent for card in root.rglob(_CARD))
    return [
        ShippedModel(
            _name(folder), sum(file.stat().st_size for file in folder.iterdir() if file.is_file()), folder / _CARD
        )
        for folder in folders
    ]


def _missing(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return True
    return False


def _name(folder: Path) -> str:
    named = folder.parent if folder.name == "weights" else folder
    return named.name.replace("_", "-")
