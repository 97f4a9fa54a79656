"""The library: the same as the command line, on strings and documents."""

from sfumato.api.corpora import attack, compare, measure
from sfumato.api.protected import frontier, protect
from sfumato.api.texts import anonymize, detect, restore

__all__ = ["anonymize", "attack", "compare", "detect", "frontier", "measure", "protect", "restore"]
