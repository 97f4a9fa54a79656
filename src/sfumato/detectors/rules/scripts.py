"""Words in a script that none of the seven languages uses: names, most often, and nothing a reader would miss."""

from __future__ import annotations

from sfumato.detectors.language import SCRIPTS
from sfumato.detectors.rules.patterns import Pattern

_MARKS = r"\u0300-\u036f\u0591-\u05c7\u064b-\u065f"


def _words(letters: str, least: int) -> str:
    return (
        rf"[{letters}][{letters}{_MARKS}]{{{least - 1},}}+(?:[ \u00a0·・'’.-]{{1,2}}[{letters}][{letters}{_MARKS}]*+)*+"
    )


# One or two Greek letters are a symbol of mathematics or a unit.
_OTHERS = "".join(letters for script, letters in SCRIPTS.items() if script != "Greek")

PATTERNS = (
    Pattern(
        "foreign-script", "MISC", rf"{_words(_OTHERS, 2)}|{_words(SCRIPTS['Greek'], 3)}", "quasi", 0.6, scope="script"
    ),
)
