"""What a ladder is made of: a mention to generalize, and rungs that are true of it.

A ladder is a module with two functions:

- ``rungs(mention) -> list[Rung]``: what is true of the mention, most specific first, members growing; empty where it
  cannot read **all** of the mention with confidence. It never guesses: a wrong rung is worse than none.
- ``originals(phrase, text, language) -> Iterator[str]``: what may have stood where ``phrase`` (a rung, as it stands in
  the released ``text``) now stands, commonest and best fitting first; empty where it does not know the phrase.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

Article = Literal["a", "the", ""]
MOST = 50
"""So many originals are listed: nobody guesses more often."""


@dataclass(frozen=True, slots=True)
class Mention:
    """``text[start:end]``, and the document around it."""

    text: str
    start: int
    end: int
    label: str
    language: str = "en"

    @property
    def said(self) -> str:
        return self.text[self.start : self.end]

    @property
    def is_cut(self) -> bool:
        """Whether it is nothing, or begins or ends inside a word."""
        text, start, end = self.text, self.start, self.end
        if not 0 <= start < end <= len(text):
            return True
        return any(text[at - 1].isalnum() and text[at].isalnum() for at in (start, end) if 0 < at < len(text))

    @property
    def before(self) -> str:
        return self.text[: self.start]

    @property
    def after(self) -> str:
        return self.text[self.end :]


@dataclass(frozen=True, slots=True)
class Rung:
    """Something less specific that is true of a mention.

    ``text`` is a noun phrase without its article ("large city in northern Poland"), or, of an adjective, an adjective
    ("Northern European"). How it is put into a sentence is ``fit``'s business.
    """

    text: str
    members: float
    """About how many originals could stand here; it grows from rung to rung."""
    article: Article = "a"
    """What the phrase needs where nothing determines it: "a" large city, "the" summer of 2003, "" August 2003."""
    plural: bool = False
    modifier: str | None = None
    """How it stands before a noun: "Polish" court for "court in a large city in Poland". None: it cannot."""
    preposition: str | None = None
    """The preposition that a time wants: "in" August 2003, "on" a weekday. None: any will do."""
    source: str = ""
    """Which table or rule says so; the audit shows it."""


class Ladder(Protocol):
    """A module that fits the two functions."""

    def rungs(self, mention: Mention) -> list[Rung]: ...

    def originals(self, phrase: str, text: str, language: str) -> Iterator[str]: ...
