"""The extras that are installed, and the models that are shipped with the package."""

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
    """An extra: its packages, which of them are missing, and the command that installs them."""

    name: str
    packages: tuple[str, ...]
    missing: tuple[str, ...]

    @property
    def command(self) -> str:
        return f"pip install 'sfumato[{self.name}]'"


@dataclass(frozen=True, slots=True)
class ShippedModel:
    """A model shipped with the package."""

    name: str
    bytes: int
    card: Path


def installed_extras() -> list[Extra]:
    """Every extra, from the metadata of the package."""
    packages: dict[str, list[str]] = {}
    for line in metadata.requires("sfumato") or ():
        if (match := _REQUIREMENT.match(line)) and match[2] not in _FOR_DEVELOPERS:
            packages.setdefault(match[2], []).append(match[1])
    return [Extra(name, tuple(names), tuple(filter(_is_missing, names))) for name, names in sorted(packages.items())]


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


def _is_missing(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return True
    return False


def _name(folder: Path) -> str:
    return (folder.parent if folder.name == "weights" else folder).name.replace("_", "-")
