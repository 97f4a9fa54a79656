"""Named entities of a text by shape and small word lists: no model, the same on every machine.

Close to what spaCy's small English pipeline marks (docs/utility.md has the agreement).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from sfumato.knowledge import lexicon
from sfumato.knowledge.grammar.function_words import ENGLISH
from sfumato.knowledge.grammar.word_classes import word_classes
from sfumato.knowledge.honorifics import is_title
from sfumato.measures.terms.tokens import Token, disjoint
from sfumato.models.base import Range

_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.?"
)
_COUNT = (
    r"(?:\d+(?:[.,/:]\d+)*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|"
    r"hundred|thousand|million|first|second|third|fourth|fifth)"
)
_DATE = re.compile(
    rf"\b(?:\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}(?:,? \d{{4}})?|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
    rf"|{_MONTH} \d{{1,4}}"
    rf"|\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}|(?:the )?\d{{4}}s"
    rf"|{_COUNT}(?:[ -](?:and|to) {_COUNT})?[ -](?:years?|months?|weeks?|days?|hours?|minutes?)(?:[ -]old)?)\b"
)
_MONEY = re.compile(r"(?:\b[A-Z]{3} |[$€£] ?)\d+(?:[.,]\d+)*(?: (?:thousand|million|billion))?\b")
_AMOUNT = re.compile(rf"\b{_COUNT}(?: (?:{_COUNT}|euros?|dollars?|pounds?|percent|per cent))*(?:\b| ?%)")
_LAW = re.compile(
    r"\b(?:Articles?|Rules?|Sections?|Protocols?|Chapters?|Annex|Appendix|Regulation|Directive)(?: No\.?)? \d+"
    r"(?: ?§§? ?\d+)*(?: of the [A-Z]\w+(?: [A-Z]\w+)*)?"
)
_LINKS = frozenset({"of", "the", "de", "van", "von", "der", "del", "la", "le", "du", "bin", "al", "&"})
_OPENERS = frozenset('.!?:;•(“"”')


def entities(text: str, words: Sequence[Token]) -> list[Range]:
    """Dates, numbers with their units, and runs of capitalised words, disjoint and sorted."""
    taken = [found.span() for found in _DATE.finditer(text)]
    for pattern in (_LAW, _MONEY):
        taken = disjoint(taken, (found.span() for found in pattern.finditer(text)))
    taken = disjoint(taken, _names(text, words))
    return disjoint(taken, (found.span() for found in _AMOUNT.finditer(text)))


def _names(text: str, words: Sequence[Token]) -> Iterator[Range]:
    at = 0
    while at < len(words):
        if not _begins_name(text, words, at):
            at += 1
            continue
        last = at
        while (after := _goes_on(text, words, last)) is not None:
            last = after
        if last > at or _is_rare(words[at]) or words[at].text in lexicon.demonyms():
            # A name of several words takes its article along, as spaCy's do: "the Court of Appeal".
            has_article = last > at and at > 0 and words[at - 1].key == "the" and text[words[at - 1].end] == " "
            yield words[at - has_article].start, words[last].end + _dot(text, words[last])
        at = last + 1


def _dot(text: str, word: Token) -> bool:
    """Whether the dot behind belongs to the name, as that of an initial does: "G.D."."""
    return len(word.text) == 1 and text[word.start - 1 : word.start] == "." and text[word.end : word.end + 1] == "."


def _begins_name(text: str, words: Sequence[Token], at: int) -> bool:
    word = words[at]
    if not word.is_capitalised or word.key in ENGLISH or is_title(word.text):
        return False
    gap = text[words[at - 1].end : word.start] if at else "\n"
    if "\n" not in gap and words[at - 1].text not in _OPENERS:
        return True
    # A capital at the beginning of a sentence says nothing: the next word's must, or the word is in no list.
    if word_classes().get(word.key, "adjective") != "adjective":
        return False
    follows = at + 1 < len(words) and text[word.end : words[at + 1].start] == " " and words[at + 1].is_capitalised
    return (follows and words[at + 1].key not in ENGLISH) or _is_rare(word)


def _is_rare(word: Token) -> bool:
    return len(word.text) > 1 and word.key not in lexicon.common_words() and word.key not in word_classes()


def _goes_on(text: str, words: Sequence[Token], last: int) -> int | None:
    """The word that carries the name on: the next one, or one behind "of", a dot of initials, or a hyphen."""
    step = last + 1
    if step >= len(words):
        return None
    gap = text[words[last].end : words[step].start]
    if words[step].text in ".-/" and not gap and step + 1 < len(words):
        is_initial = words[step].text != "." or len(words[last].text) == 1
        near = words[step + 1].start - words[step].end <= (words[step].text == ".")
        return step + 1 if is_initial and near and words[step + 1].is_capitalised else None
    if gap not in (" ", "\u00a0"):
        return None
    if words[step].is_capitalised:
        return step
    while step + 1 < len(words) and words[step].key in _LINKS:
        step += 1
        if text[words[step - 1].end : words[step].start] != " ":
            return None
        if words[step].is_capitalised:
            return step
    return None
