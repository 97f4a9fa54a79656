"""Anonymize text, attack the result, repair what the attack found, and say in numbers how private and useful it is."""

from typing import TYPE_CHECKING, Any

from sfumato.document import LABELS, Attempt, Document, Edit, Evidence, Guess, Release, Score, Span, merge_spans
from sfumato.errors import NotReleased, SfumatoError, UncoveredLanguage
from sfumato.telemetry import switch_off
from sfumato.version import __version__

if TYPE_CHECKING:
    from sfumato.api import anonymize, attack, compare, detect, frontier, measure, protect, restore
    from sfumato.vault.store import Vault

switch_off()

__all__ = [
    "LABELS",
    "Attempt",
    "Document",
    "Edit",
    "Evidence",
    "Guess",
    "NotReleased",
    "Release",
    "Score",
    "SfumatoError",
    "Span",
    "UncoveredLanguage",
    "Vault",
    "__version__",
    "anonymize",
    "attack",
    "compare",
    "detect",
    "frontier",
    "measure",
    "merge_spans",
    "protect",
    "restore",
]

_LAZY = {
    **dict.fromkeys(("anonymize", "attack", "compare", "detect", "frontier", "measure", "protect", "restore"), "api"),
    "Vault": "vault.store",
}


def __getattr__(name: str) -> Any:
    """Import the working parts on first use, so that ``import sfumato`` stays fast."""
    from importlib import import_module
    from importlib.util import find_spec

    if name in _LAZY:
        return getattr(import_module(f"sfumato.{_LAZY[name]}"), name)
    if not name.startswith("_") and find_spec(f"sfumato.{name}") is None:
        registry = import_module("sfumato.registry")
        if name in registry.names("function"):  # which a package beside this one brings
            return registry.get("function", name)
    raise AttributeError(f"module 'sfumato' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, also those that are not imported yet."""
    from sfumato.registry import names

    return [*__all__, *names("function")]
