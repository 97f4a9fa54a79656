"""What may stand in an entity's place: ladder rungs, a user's tables and, where there is one, a chat model's offers.

Every candidate passes the same filters, whoever offered it: it must not say the original by itself, nor name what
another span of the document hides.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache

from sfumato.attacks.inference.match import at_the_start, match
from sfumato.knowledge.geography.settlements import settlements
from sfumato.knowledge.grammar.lemmas import content_lemmas, is_word, words
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.climb import climb
from sfumato.knowledge.ladders.table import UserTable
from sfumato.replacers.generalize.order import merged

_WIDE = ("europ", "asia", "afric", "americ", "oceani", "north", "south", "east", "west", "centr", "united", "unit")
"""Beginnings of words that half a map shares: that a European court is hidden hides no continent."""
_STEM = 6
"""Letters by which a beekeeper is known in beekeeping."""
_SHORT = 3
"""Letters of what may stand in another word's place by chance."""
_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")


@dataclass(frozen=True)
class Telling:
    """What a candidate must not say: the original itself, and the names that other spans hide."""

    frequent: Set[str]
    language: str
    hidden: Set[str] = field(default_factory=frozenset)
    """Beginnings of the capitalised words in all spans that are replaced."""
    quoted: Set[str] = field(default_factory=frozenset)
    """What stands in these spans, but for what is very short."""
    _judged: dict[tuple[str, str, str], bool] = field(default_factory=dict, compare=False, repr=False)
    """Guesses already judged: round after round, an attacker says much the same."""

    @classmethod
    def of(cls, mentions: Sequence[Mention], frequent: Set[str], language: str) -> Telling:
        hidden = frozenset(start for mention in mentions for start in _starts(mention.said))
        spaced = {_spaced(mention.said) for mention in mentions}
        return cls(frequent, language, hidden, frozenset(said for said in spaced if len(said) > _SHORT + 2))

    def matches(self, mention: Mention, guess: str) -> bool:
        """MATCH as the attacker's success is judged, but letters in common count at the start of words alone.

        Anywhere in them, any *-tion* says any other, and what is chosen would depend on endings.
        """
        key = (mention.said, mention.label, guess)
        if key not in self._judged:
            is_place = mention.label in ("LOC", "ORG") and _is_same_place(mention.said, guess)
            self._judged[key] = is_place or match(*key[::2], mention.label, self.frequent, self.language, at_the_start)
        return self._judged[key]

    def gives_away(self, rung: Rung, mention: Mention) -> bool:
        """Whether the rung itself is a guess that matches, or names what is hidden elsewhere."""
        if mention.label != "DATETIME":
            if self.matches(mention, rung.text):
                return True
            if _numbers(rung.text) & _numbers(mention.said):
                return True
        said = {start for form in (rung.text, rung.modifier or "") for start in _starts(form)}
        return bool(said & self.hidden) and mention.label != "DATETIME"

    def quotes(self, phrase: str) -> bool:
        """Whether a phrase that a model wrote, who saw the text, says what a span hides: all of it, or a name of it."""
        spaced = _spaced(phrase)
        return bool(_starts(phrase) & self.hidden) or any(said in spaced for said in self.quoted)

    def has_words_of(self, mention: Mention, phrase: str) -> bool:
        """Whether the phrase repeats a number of the mention, or the stem of a word that is not among the most used."""
        own, said = (
            {base[:_STEM] for base in content_lemmas(text, self.language) if base not in self.frequent}
            for text in (mention.said, phrase)
        )
        return bool(own & said) or bool(_numbers(mention.said) & _numbers(phrase))


Climb = Callable[[Mention], Sequence[Rung]]


def candidates(
    mentions: Sequence[Mention],
    tables: Sequence[UserTable],
    telling: Telling,
    offered: Sequence[Rung] = (),
    climb: Climb = climb,
) -> tuple[Rung, ...]:
    """The candidates that all mentions of one entity share, most specific first.

    The mention that the ladders know best speaks for the others, which are the same thing by other words. What is
    ``offered`` by others is put among the rungs.
    """
    best: Sequence[Rung] = ()
    for mention in {mention.said: mention for mention in mentions}.values():
        found = next((tuple(rungs) for table in tables if (rungs := table.rungs(mention))), None) or climb(mention)
        if len(found) > len(best):
            best = found
    offered = [rung for rung in offered if not telling.quotes(rung.text)]
    return tuple(
        rung for rung in merged(best, offered) if not any(telling.gives_away(rung, mention) for mention in mentions)
    )


@lru_cache(maxsize=2**14)
def _is_same_place(one: str, other: str) -> bool:
    """Whether they are two names of one city: Cologne and Köln."""
    return bool(set(settlements(one)[:1]) & set(settlements(other)[:1]))


def _starts(text: str) -> set[str]:
    """The first four letters of capitalised words: Turkey and Turkish are one name."""
    return {
        word[:4].casefold()
        for word in words(text)
        if is_word(word) and word[0].isupper() and len(word) > 3 and not word.casefold().startswith(_WIDE)
    }


def _spaced(text: str) -> str:
    return f" {' '.join(words(text.casefold()))} "


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))
