"""The words that lead up to a date: which of them stay, and what they become before a wider one."""

from __future__ import annotations

import re
from dataclasses import dataclass

PLACING = frozenset("on in at within throughout over between en el la los las entre a al".split())
"""Words that say no more than when: another may stand in their place, or none."""
_LEADS = {
    "before": "in or before",
    "after": "in or after",
    "prior to": "in or before",
    "on or about": "around",
    "on or around": "around",
    "at about": "around",
    "at around": "around",
    "at approximately": "around",
    "circa": "around",
    "c.": "around",
    "ca.": "around",
    "ca": "around",
    "c": "around",
    "antes de": "no más tarde de",
    "antes del": "no más tarde de",
    "después de": "no antes de",
    "después del": "no antes de",
    "tras": "no antes de",
    "desde el": "desde",
    "hasta el": "hasta",
    "a partir del": "a partir de",
    "alrededor del": "alrededor de",
    "durante el": "durante",
    "del": "de",
}
FROM = {"from": "from", "de": "de", "del": "de", "desde": "desde", "desde el": "desde"}
"""Words that open a range, and what stands before it then."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where the mention stands: the word it begins with, if that must stay, and the word before it."""

    lead: str = ""
    before: str = ""
    bounded: bool = False
    """Whether something is told of the whole of it: "the end of [1998]" is not the end of the 1990s."""


def led(lead: str, phrase: str, preposition: str) -> str:
    """The phrase behind the word that the mention began with, or behind the one that it wants itself."""
    # "durante finales de 1999" is not said.
    placing = lead in PLACING or (lead.startswith("durante") and preposition == "a")
    return contracted(f"{preposition} {phrase}" if placing else f"{_LEADS.get(lead, lead)} {phrase}")


def contracted(text: str) -> str:
    """With "de el" and "a el" drawn together, as Spanish does."""
    return re.sub(r"\bde el\b", "del", re.sub(r"\ba el\b", "al", text))
