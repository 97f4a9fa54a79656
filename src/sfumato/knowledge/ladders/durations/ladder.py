"""Durations and ages: *three months* -> *between two and four months*, *several months*, *less than a year*."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from sfumato.knowledge.ladders.base import MOST, Mention, Rung
from sfumato.knowledge.ladders.bounds import goes_on, is_cut, is_denied, last_word
from sfumato.knowledge.ladders.durations import ages
from sfumato.knowledge.ladders.durations.age_reading import read_age
from sfumato.knowledge.ladders.durations.edges import NAMES
from sfumato.knowledge.ladders.durations.guesses import guesses
from sfumato.knowledge.ladders.durations.reading import SECONDS, Duration, read_duration
from sfumato.knowledge.ladders.durations.steps import OPENS, Step, steps

_SOURCE = "rule: durations"
_LONGEST = 120
_SOME_DAY = frozenset({"one day", "un día"})
_HOW_LONG = frozenset(
    "for within in after of lasted took takes than about another every last by durante en tras cada".split()
)
"""Behind these words "one day" is a length, and not *some day*."""
_NOUNS = frozenset("period term sentence duration total maximum minimum length plazo período periodo".split())


def rungs(mention: Mention) -> list[Rung]:
    """How long, ever less exactly; an age (*63 years old*, *aged 5*) as an age."""
    if mention.language not in NAMES:
        return []
    said = mention.said.strip()
    if len(said) > _LONGEST or is_cut(mention.text, mention.start, mention.end):
        return []
    if age := read_age(mention):
        return ages.rungs(age, mention)
    opening = last_word(mention.text, mention.start)
    inside = read_duration(f"{opening} {said}", mention.language) if opening in OPENS else None
    duration = inside if inside and inside.is_range else read_duration(said, mention.language)
    if duration is None or goes_on(mention.text, mention.end):
        return []
    if (duration.high is None or duration.low <= 0) and is_denied(mention.text, mention.start):
        return []
    if said.lower() in _SOME_DAY and opening not in _HOW_LONG:
        return []
    return _worded(steps(duration, mention), duration, mention)


def _worded(wider: list[Step], duration: Duration, mention: Mention) -> list[Rung]:
    found: list[Rung] = []
    members = 0.0
    is_noun = duration.lead.split()[:1] and duration.lead.split()[0].lower() in _NOUNS
    for step in wider:
        text = step.modifier if duration.is_modifier else _possessive(step.text, duration.apostrophe, mention)
        if not text:
            continue
        # In days; what has no end is counted up to fifty times its beginning.
        width = (min(step.high, 50 * max(step.low, SECONDS["day"])) - step.low) / SECONDS["day"]
        members = max(width, members * 1.01 + 0.001)
        found.append(
            Rung(
                duration.lead + text + duration.tail,
                members,
                article="a" if is_noun else "",
                plural=step.plural and not is_noun and not duration.is_modifier,
                modifier=step.modifier,
                source=_SOURCE,
            )
        )
    return found


def _possessive(text: str, apostrophe: str, mention: Mention) -> str:
    """With the apostrophe that the mention ends in; in the plural where one without an s follows the mention."""
    if apostrophe:
        return text + apostrophe if text.endswith("s") else f"{text}{apostrophe}s"
    follows = mention.text[mention.end : mention.end + 2]
    if follows[:1] in ("'", "’") and follows[1:2].lower() != "s" and not text.endswith("s"):
        return re.sub(r"(?:an?|one) year$", "twelve months", text) if text.endswith(" year") else ""
    return text


def originals(phrase: str, text: str, language: str) -> Iterator[str]:
    """Durations and ages that may have stood there: the usual ones inside the stretch, the most usual first."""
    yield from known_originals(phrase, language)


@lru_cache(maxsize=1024)
def known_originals(phrase: str, language: str) -> tuple[str, ...]:
    """The same as a list: the text around has no part in it."""
    if language not in NAMES:
        return ()
    band_of_ages = ages.read_back(phrase, language)
    found = ages.originals(*band_of_ages, language) if band_of_ages else guesses(phrase, language)
    return tuple(islice(found, MOST))
