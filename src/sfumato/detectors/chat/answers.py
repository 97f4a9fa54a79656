"""What a model's answer about one window says: the strings of it that can be used, or that it is no answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sfumato.detectors.chat.occurrences import Occurrences
from sfumato.detectors.chat.worth import is_passage
from sfumato.models.chat.reading.parse import strings_so_far

KEY = "spans"
CIRCLE = 10
"""So many strings in a row that were said before: the model goes in circles, and has said what it had to say."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Strings, each once, in the order of the answer."""

    strings: tuple[str, ...]
    broke_off: bool
    """Whether more might have followed."""
    repaired: bool
    """Whether it ended in the middle, for whatever reason."""
    ignored: int
    """How many passages it held."""


def read(answer: str, text: str) -> Answer | None:
    """What an answer says about a text; None for what is none: unreadable, a refusal, or about another text.

    An empty list is an answer. One of which nothing stands in the text, that just gives the text back, or that has more
    strings than the text has letters, is not.
    """
    found = strings_so_far(answer, KEY)
    if found is None or len(found.items) > len(text):
        return None
    said = list(dict.fromkeys(found.items))
    kept = tuple(string for string in said if not is_passage(string, text))
    if said and not _is_about(text, kept):
        return None
    broke_off = found.cut and not _goes_in_circles(found.items)
    return Answer(kept, broke_off, found.cut, len(said) - len(kept))


def _is_about(text: str, strings: Sequence[str]) -> bool:
    seen = Occurrences(text)
    return any(seen.holds(string) or seen.folded(string) for string in strings)


def _goes_in_circles(items: Sequence[str]) -> bool:
    return len(items) > CIRCLE and set(items[-CIRCLE:]) <= set(items[:-CIRCLE])
