"""A rung in an English sentence: as a noun phrase or before a noun, in the right number, with its possessive ending."""

from __future__ import annotations

import re
from dataclasses import replace

from sfumato.knowledge.dates.calendar import MONTHS
from sfumato.knowledge.geography.countries import named
from sfumato.knowledge.grammar.inflection import head, in_plural, in_singular, is_plural, singular
from sfumato.knowledge.heads import ORGANISATIONS
from sfumato.knowledge.honorifics import is_title
from sfumato.knowledge.ladders.base import Mention, Rung
from sfumato.knowledge.ladders.fit.articles import OWN_PREPOSITION, RANGE, behind_article, led
from sfumato.knowledge.ladders.fit.context import NOT_DESCRIBED, Cut, describes, is_people, kind, word_after
from sfumato.knowledge.ladders.fit.draft import Draft
from sfumato.knowledge.ladders.fit.left import Left, left_of
from sfumato.knowledge.lexicon import given_names, key

_PLURAL_DETERMINERS = frozenset(
    "these those both several many few two three four five six seven eight nine ten".split()
)
_SINGULAR_DETERMINERS = frozenset("this that each every another one a an".split())
_PARTS_OF_PLACES = frozenset(
    "north south east west northern southern eastern western central north-eastern north-western south-eastern "
    "south-western northeastern northwestern southeastern southwestern north-east north-west south-east south-west "
    "upper lower inner outer downtown greater mid rural".split()
)
_MONTH = "|".join(MONTHS["en"])
_PARTS_OF_TIMES = re.compile(
    r"\b(?:early|late|mid|mid-|(?:beginning|end|start|middle|half|quarter|part|spring|summer|autumn|fall|winter|"
    rf"{_MONTH}|\w+day) (?:of|in))(?: the)?\s*\Z",
    re.IGNORECASE,
)
_MONTH_BEFORE = re.compile(rf"\b(?:{_MONTH}),? \Z", re.IGNORECASE)
_MEASURE = re.compile(r"\w-(?:second|minute|hour|day|week|month|year|decade)(?:-old)?\Z")
_UNIT = re.compile(r"(?P<count>[\w-]+) (?P<unit>seconds|minutes|hours|days|weeks|months|years|decades)")
_BETWEEN = re.compile(r"between (\d[\d,.]*) and (\d[\d,.]*(?: \w+){0,2})")
_GLUING = frozenset("#@_$€£.")
_JOINED_TO_A_NAME = re.compile(r"[-‑](?:based|born|bound|wide|area|led|backed|controlled)\b")


def english(rung: Rung, mention: Mention, edges: Cut, room: tuple[int, int]) -> Draft:
    """The rung in an English sentence."""
    text = mention.text
    before, after = text[max(0, edges.start - 1) : edges.start], text[edges.end : edges.end + 2]
    if before.isalnum() or after[:1].isalnum():
        # Half a word is left over beside it: nothing will read well.
        return Draft(edges.start, edges.end, rung.text, edges.possessive, sound=False)
    left = left_of(mention, edges, room)
    # A hyphen between two years is a dash.
    joins = re.match(r"[-‑]\w", after) and not after[1:].isdigit()
    if joins or (before in ("-", "‑") and not text[max(0, edges.start - 2) : edges.start - 1].isdigit()):
        return _hyphenated(rung, mention, edges, left)
    said = text[left.core : edges.end - len(edges.possessive)]
    owned = edges.possessive or after[:1] in ("'", "’")
    if not owned and _attributive(rung, mention, left, said, edges.end):
        return _before_noun(rung, mention, edges, left, room)
    phrase, many = _number(rung, mention, left, said)
    draft = led(rung, mention, edges, left, phrase, many)
    glued = before in _GLUING and not draft.text[:1].isdigit()
    if glued or not _whole(mention, edges, left):
        draft = replace(draft, sound=False)
    return _with_ending(draft, text, edges, many, room)


def _whole(mention: Mention, edges: Cut, left: Left) -> bool:
    """Whether the words before cut no part out of what is said, which what is wider need not have.

    "northern [Cyprus]" is not northern Western Asia, "late [1993]" not the late 1990s.
    """
    if mention.label == "LOC":
        return left.before.lower() not in _PARTS_OF_PLACES
    if mention.label == "PERSON":
        return not is_title(left.before)
    if mention.label != "DATETIME":
        return True
    lead = mention.text[max(0, edges.start - 30) : edges.start]
    is_year = re.match(r"[12]\d\d\d\b", mention.text[edges.start : edges.end]) is not None
    return _PARTS_OF_TIMES.search(lead) is None and not (is_year and _MONTH_BEFORE.search(lead))


def _attributive(rung: Rung, mention: Mention, left: Left, said: str, end: int) -> bool:
    """Whether the mention describes the noun behind it."""
    noun, _ = word_after(mention.text, end)
    led_up = left.article.word != "" or left.determined
    if mention.label == "PERSON" or noun == "":
        return False
    if mention.label == "QUANTITY" or RANGE.match(rung.text):
        return left.article.low in ("a", "an") and kind(noun) != "function"
    if mention.label == "DATETIME":
        is_date = led_up and not said[:1].islower() and not said.endswith("s")
        if is_date and kind(noun) in ("noun", "verb", "adjective") and noun.lower() not in NOT_DESCRIBED:
            return True  # "the [June 2008] issue": but for a noun, a date takes no article
        measured = _MEASURE.search(said) is not None or (led_up and not is_plural(said.rpartition(" ")[2]))
        return measured and describes(mention.text, end)
    single = not (said.islower() and is_plural(said.rpartition(" ")[2]))
    return (led_up and single and _completes(noun, said, mention.label)) or describes(mention.text, end)


def _completes(word: str, said: str, label: str) -> bool:
    """Whether a word of another class can, behind an article and the mention, only be the noun that is described."""
    what = kind(word)
    if is_people(said):
        return what in ("noun", "adjective", "gerund")  # "an [American] former officer"
    if said[:1].isupper() and word[0].isupper():
        return what in ("adjective", "verb") and key(word) not in given_names()  # "the [Rochefort] Open"
    return what == "adjective" and label != "ORG" and word.lower() not in NOT_DESCRIBED  # "the [London] flat"


def _before_noun(rung: Rung, mention: Mention, edges: Cut, left: Left, room: tuple[int, int]) -> Draft:
    """Before a noun that the mention describes: "the [Istanbul] bar"."""
    modifier = rung.modifier or _as_modifier(rung, mention.label)
    if modifier is not None:
        return behind_article(edges, left, modifier)
    noun, stop = word_after(mention.text, edges.end)
    same = singular(head(rung.text)[0].lower()).rpartition(" ")[2] == singular(noun.lower())
    if same and stop <= room[1] and edges.end == mention.end:
        many = is_plural(noun.lower())
        return led(rung, mention, replace(edges, end=stop), left, in_plural(rung.text) if many else rung.text, many)
    return replace(behind_article(edges, left, rung.text), sound=False)


def _as_modifier(rung: Rung, label: str) -> str | None:
    """The rung itself as it may stand before a noun: an adjective, a name, a short noun; "several-month"."""
    unit = _UNIT.fullmatch(rung.text)
    if unit is not None:
        return f"{unit['count']}-{singular(unit['unit'])}"
    between = _BETWEEN.fullmatch(rung.text)
    if between is not None:
        return f"{between[1]} to {between[2]}"
    if rung.text[:1].isdigit() and label != "LOC":
        return rung.text
    if head(rung.text)[1] or len(rung.text.split()) > 3 or OWN_PREPOSITION.match(rung.text):
        return None
    proper = rung.article == "" and not rung.plural and not rung.text[:1].islower()
    adjective = kind(rung.text.rpartition(" ")[2]) == "adjective"
    if proper or adjective or (label == "DATETIME" and rung.article != "a"):
        return rung.text
    if label == "LOC":
        return (
            rung.text if " " not in rung.text and rung.text != "country" else None
        )  # a "country court" is a rural one
    return None if label == "DATETIME" else in_singular(rung.text)


def _hyphenated(rung: Rung, mention: Mention, edges: Cut, left: Left) -> Draft:
    """Joined by a hyphen: "[Ankara]-based", "non-[Turkish]"."""
    if _JOINED_TO_A_NAME.match(mention.text[edges.end : edges.end + 12]):
        word = rung.text if rung.article == "" and not rung.text[:1].islower() else None
    else:
        word = rung.modifier or _as_modifier(rung, mention.label)
    draft = behind_article(edges, left, word or rung.text)
    return replace(draft, sound=word is not None and _whole(mention, edges, left))


def _number(rung: Rung, mention: Mention, left: Left, said: str) -> tuple[str, bool]:
    """The rung's phrase in the number of the original where it is known, and whether that is the plural."""
    if mention.label in ("DATETIME", "QUANTITY"):
        return rung.text, rung.plural
    word = left.article.low or (left.before.lower() if left.determined else "")
    if rung.plural:
        single = word in _SINGULAR_DETERMINERS - {"a", "an"}
        return (in_singular(rung.text), False) if single else (rung.text, True)
    if rung.article != "a" or word in _SINGULAR_DETERMINERS:
        return rung.text, False
    last = head(said)[0].rpartition(" ")[2]
    people = mention.label == "DEM" and re.search(r"[A-Z]\w+[^siu]s\Z", last) is not None
    coordinated = mention.label == "LOC" and re.search(r"\w,? (?:and|&) \w", said) is not None and named(said) is None
    bodies = singular(last.lower()) in ORGANISATIONS and last.lower() not in ORGANISATIONS  # "the [Assize Courts]"
    many = people or bodies or (last.islower() and is_plural(last)) or word in _PLURAL_DETERMINERS or coordinated
    return (in_plural(rung.text), True) if many else (rung.text, False)


def _with_ending(draft: Draft, text: str, edges: Cut, many: bool, room: tuple[int, int]) -> Draft:
    """The possessive ending that goes with the phrase; one that follows the mention is replaced where it must."""
    if edges.possessive:
        return replace(draft, possessive=_ending(draft.text, edges.possessive[0], many))
    end = draft.end
    found = re.match(r"(['’])([sS]?)(?!\w)", text[end : end + 3])
    if found is None or (not found[2] and text[end - 1 : end] not in ("s", "S")):
        return draft
    fitting = _ending(draft.text, found[1], many)
    if fitting == found.group() or end + len(found.group()) > room[1]:
        return draft
    return replace(draft, end=end + len(found.group()), possessive=fitting)


def _ending(phrase: str, sign: str, many: bool) -> str:
    last = phrase.rpartition(" ")[2]
    return sign if last.endswith("s") and (many or is_plural(last)) else f"{sign}s"
