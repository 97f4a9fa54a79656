"""What the words around a mention say it is: a place, a person, an occupation, or a part of a longer name or compound.

A table knows what a word may mean; only the sentence knows what it means here. A hierarchy asks this module before it
says that *Jordan* is a country or that a *keeper* is a worker. The words are in ``data/<language>/evidence.toml``.
"""

from __future__ import annotations

import re
from functools import cache

from sfumato.annotated_text import read_once_at
from sfumato.generalize.context import (
    NEVER_MODIFIED,
    begins_sentence,
    modifies_next_noun,
    trim_mention,
    word_after,
    word_before,
    word_class,
)
from sfumato.generalize.hierarchy import Mention
from sfumato.lexicon import hypernyms, wordnet
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.grammar_en import FUNCTION_WORDS
from sfumato.lexicon.name_lists import ORGANISATION_HEADS, PLACE_HEADS, family_names, is_title, lookup_key
from sfumato.lexicon.tables import languages_with, word_set
from sfumato.lexicon.tokens import lazy_pattern

LANGUAGES = frozenset(languages_with("evidence", "sfumato.generalize"))
_ACRONYM = 3
"""Letters; a word of so many that WordNet has in capitals is what it says."""
_NEAR = 7
"""So many words before a preposition are looked at for a word of travel."""
_BEFORE = 160
"""So many characters before a mention are read."""
_WORD = lazy_pattern(r"[^\W\d_][\w'’-]*")
_ARTICLE = lazy_pattern(r"(?:(?<=\s)|\A)(?:the|el|la|los|las)\s+\Z")
_LEAD = lazy_pattern(r"(?P<word>[^\W\d_][\w'’-]*)\s+\Z")
_NAME = r"(?:the\s+)?[^\W\d_a-z][\w.'’-]*(?:\s[^\W\d_a-z][\w.'’-]*){0,3}"
_LIST = lazy_pattern(rf"(?P<lead>(?:\A|\s|\()[\w'’-]+\s+)(?:{_NAME}\s*(?:,|,?\s(?:and|or|to|y|e|o|a)|&)\s+)+\Z")
"""A list of names before the mention, and the word that leads to it."""
_FIELD = lazy_pattern(
    r"(?:\A|[\n|;\t]|\s{2}|[{,])\s*[\"']?(?P<label>[^\n:=|]{2,40}?)[\"']?\s*(?:[:=]|\.{3,})\s*[\"'“]?\Z"
)
_PIECE_BEFORE = lazy_pattern(r"(?P<piece>[^\n,;:.()]{1,50})[,(]\s*\Z")
_CLOSES = lazy_pattern(r"\s*(?:[,.;)\]\"”|]|\Z|\n|[–—-]\s)")
_WITHIN = lazy_pattern(
    r",?\s+\(?(?:near|outside)\s+(?:the\s)?[^\W\d_a-z]|,\s+(?:in\s+)?(?:the\s)?[A-Z]{2}\b|,\s+in\s+(?:the\s)?[A-Z]"
)
"""After a place: what it is near or in."""
_SENTENCE_END = lazy_pattern(r"[.!?;:\n]\s")


@cache
def _words(key: str, language: str) -> frozenset[str]:
    return word_set("evidence", key, language, "sfumato.generalize")


def _language(mention: Mention) -> str:
    return mention.language if mention.language in LANGUAGES else "en"


@read_once_at
def is_stated_place(mention: Mention) -> bool:
    """Whether the words before it, a field or an address say that a place stands there."""
    language = _language(mention)
    start = trim_mention(mention).start
    before = mention.text[max(0, start - _BEFORE) : start]
    bare = before.rstrip("\"“‘'«(") if before[-1:] not in "(" else before
    if bare[-1:].isspace():  # as all of these patterns end, which take long where they do not match
        bare = _ARTICLE.sub("", bare) if before[-1:] not in "(" else bare
        if (lead := _LEAD.search(bare)) and _leads_to_place(bare[: lead.end()], language):
            return True
        if (listed := _LIST.search(bare)) and _leads_to_place(bare[: listed.end("lead")], language):
            return True
    following = word_after(mention.text, mention.end)[0].casefold()
    if following in _words("after_places", language) or _WITHIN.match(mention.text[mention.end : mention.end + 40]):
        return True
    return _is_in_field(mention, before, language, "place_fields") or _is_in_address(mention, before)


def _leads_to_place(before: str, language: str) -> bool:
    """Whether what ends with a word before a name leads to a place: "lives in", "flew from Rome to"."""
    words = [word.casefold() for word in _WORD.findall(_SENTENCE_END.split(before)[-1])]
    if not words:
        return False
    if words[-1] in _words("in_places", language):
        return _words("before_subjects", language).isdisjoint(words[-2:-1])  # "experience in Java"
    near = words[-_NEAR - 1 : -1]
    return words[-1] in _words("before_places_or_people", language) and not _words("travel", language).isdisjoint(near)


def _is_in_field(mention: Mention, before: str, language: str, key: str) -> bool:
    """Whether it is the value of a field with such a label: "Location: X", "city": "X"; or all of its line."""
    label_end = (before[:-1] if before[-1:] in ('"', "'", "“") else before).rstrip()
    field = _FIELD.search(before) if label_end.endswith((":", "=", "...")) else None
    if field is not None:
        return not _words(key, language).isdisjoint(word.casefold() for word in _WORD.findall(field["label"]))
    if key != "place_fields":
        return False
    line_start = mention.text.rfind("\n", 0, mention.start) + 1
    line_end = mention.text.find("\n", mention.end)
    around = mention.text[line_start : mention.start] + mention.text[mention.end : max(line_end, mention.end)]
    if line_end < 0:
        around = mention.text[line_start : mention.start] + mention.text[mention.end : mention.end + 80]
    return not any(map(str.isalpha, around))


def _is_in_address(mention: Mention, before: str) -> bool:
    """Whether it follows, after a comma, a number, a street, a building or an organisation, and ends there."""
    piece = _PIECE_BEFORE.search(before) if before.rstrip()[-1:] in (",", "(") else None
    if piece is None or _CLOSES.match(mention.text[mention.end : mention.end + 4]) is None:
        return False
    words = piece["piece"].split()
    last = words[-1] if words else ""
    head = last.casefold().rstrip(".")
    return any(map(str.isdigit, last)) or head in ORGANISATION_HEADS or head in PLACE_HEADS


@read_once_at
def is_stated_person(mention: Mention) -> bool:
    """Whether the words beside a name make it a person's or a family's: "her partner X", "Mr X", "the X family"."""
    language = _language(mention)
    trimmed = trim_mention(mention)
    previous = word_before(mention.text, trimmed.start)[0].casefold()
    if previous in _words("before_people", language) or (previous and is_title(previous)):
        return True
    following = word_after(mention.text, trimmed.end)[0].casefold()
    return following in _words("people_after_names", language)


@read_once_at
def has_naming_article(mention: Mention) -> bool:
    """Whether an article makes it the name of something else than a town: "drives a Lincoln", "The Old Forge"."""
    trimmed = trim_mention(mention)
    previous, start = word_before(mention.text, trimmed.start)
    within = re.match(r"(The|A|An)\s+\w", mention.text[trimmed.start : trimmed.end])
    article = within[1] if within else previous
    place = trimmed.start if within else start
    if modifies_next_noun(mention.text, trimmed.end):
        return False  # "a London bus"
    if article in ("a", "an"):
        return True
    return article in ("The", "A", "An") and not begins_sentence(mention.text, place)


@read_once_at
def is_in_longer_name(mention: Mention) -> bool:
    """Whether capitalised words beside it make it part of a longer name: "[American] Express", "CPA [Québec]".

    Not before an institution, whose it is then: "the [Turkish] Government", "the [Izmir] State Security Court".
    """
    following = name_word_after(mention)
    if following and not is_institution(following):
        return True
    return name_word_before(mention) != ""


def is_institution(word: str) -> bool:
    """Whether names of public institutions have the word: "Government", "Criminal"."""
    return word.casefold() in ORGANISATION_HEADS or word.casefold() in _words("institutions", "en")


def name_word_after(mention: Mention) -> str:
    """The capitalised word that follows on the same line, as part of the same name; else ""."""
    word, end = word_after(mention.text, trim_mention(mention).end)
    sign = "&" if mention.text[end : end + 1] == "&" else ""
    return word + sign if _is_name_word(word, mention.language) else ""


def name_word_before(mention: Mention) -> str:
    """The capitalised word before it on the same line, as part of the same name; else ""."""
    trimmed = trim_mention(mention)
    word, start = word_before(mention.text, trimmed.start)
    if "\n" in mention.text[start : trimmed.start] or not _is_name_word(word, mention.language):
        return ""
    is_first = begins_sentence(mention.text, start) and word_class(word) != "noun"
    return "" if is_first or is_title(word) or word.endswith(("'s", "’s")) else word


def _is_name_word(word: str, language: str) -> bool:
    lowered = word.casefold()
    if not word[:1].isupper() or lowered in NEVER_MODIFIED or lowered.split("'")[0].split("’")[0] in FUNCTION_WORDS:
        return False
    return lowered not in STOP_WORDS.get(language, ())


@read_once_at
def is_part_of_compound(mention: Mention) -> bool:
    """Whether a noun beside a common noun makes it part of a compound: "[taxi] driver", "salmon [keeper]"."""
    trimmed = trim_mention(mention)
    text = mention.text
    if text[max(0, trimmed.start - 2) : trimmed.start] == "& ":
        return True  # "Hartigan & [Daughters]"
    if text[max(0, trimmed.start - 1) : trimmed.start] in ("-", "‑") or text[trimmed.end : trimmed.end + 1] in (
        "-",
        "‑",
    ):
        return True
    previous, start = word_before(text, trimmed.start)
    is_same_line = "\n" not in text[start : trimmed.start]
    if previous and is_same_line and _is_noun_before(text, previous, start):
        return True
    return precedes_noun(mention)


def precedes_noun(mention: Mention) -> bool:
    """Whether a common noun follows that the mention belongs to: "[Lollipop] lady"."""
    end = trim_mention(mention).end
    following, _ = word_after(mention.text, end)
    if not following[:1].islower() or following in FUNCTION_WORDS or not wordnet.is_common_noun(following):
        return False
    is_number = wordnet.senses(following)[0].field == "quantity"  # "by the headmaster three days later"
    return not is_number and modifies_next_noun(mention.text, end)


def _is_noun_before(text: str, word: str, start: int) -> bool:
    """Whether the word before a noun is a noun of the same phrase; not a possessor, a number or a verb."""
    lowered = word.casefold().replace("’", "'")
    if lowered.endswith(("'s", "s'")) or not word[0].isalpha() or lowered in NEVER_MODIFIED or len(word) < 3:
        return False
    return word_class(word) == "noun" and not (lowered.endswith("ly") or (word.isupper() and start == 0))


@read_once_at
def is_stated_occupation(mention: Mention) -> bool:
    """Whether the sentence or a field says that someone works as this: "works as a", "Occupation:", "retired"."""
    trimmed = trim_mention(mention)
    text = mention.text
    before = text[max(0, trimmed.start - _BEFORE) : trimmed.start]
    if word_before(text, trimmed.start)[0].casefold() in _words("not_occupied", "en"):
        return False
    if re.match(r"(?:an?|the|his|her)\s", text[trimmed.start : trimmed.end], re.IGNORECASE):
        return True
    following = name_word_after(mention)
    if following and not _is_part_of_person(following):
        return False  # "[Head of Chemistry] R&D"
    if following or _is_in_field(mention, before, "en", "occupation_fields"):
        return True  # "Commodore X", "Occupation: X"
    if not before.strip() or before.rstrip()[-1:] in ",(–—-:;•|" or before[-1:] in "\n\t":
        return True  # in apposition, in a list, on a line of its own
    words = before.rsplit(None, 3)[-2:]
    lowered = [word.casefold().strip("\"“‘'(").replace("’", "'") for word in words]
    occupied = _words("occupied", "en")
    if lowered[-1:] == ["of"] and lowered[0] in _words("occupation_fields", "en"):
        return True  # "the post of"
    is_described = bool(lowered) and word_class(lowered[-1]) == "adjective"
    return is_described or any(word in occupied or word.endswith(("-year-old", "'s", "'m", "'re")) for word in lowered)


@read_once_at
def is_stated_organisation(mention: Mention) -> bool:
    """Whether someone works there or deals with it: "at X", "employed by X"; or it stands alone in a field."""
    before = mention.text[max(0, mention.start - 40) : mention.start]
    previous = word_before(mention.text, mention.start)[0].casefold() if before[-2:].strip() else ""
    is_led = previous in _words("before_organisations", "en") and before[-2:-1] != " "
    return is_led or before.rstrip(" \t\"“'")[-1:] in ("", "\n", ":", "|")


def _is_part_of_person(word: str) -> bool:
    """Whether a capitalised word after a title may be a name or an initial."""
    word = word.rstrip("'’").removesuffix("'s").removesuffix("’s")
    return word.isalpha() and (len(word) == 1 or not word.isupper() or lookup_key(word) in family_names())


def is_stable_occupation(head: str) -> bool:
    """Whether an occupation stays what it is with a noun before it: a theatre nurse is a nurse."""
    return head.casefold() in _words("stable_heads", "en")


def is_written_as_code(mention: Mention) -> bool:
    """Whether letters that are all capitals stand in a line that is not: SAP is no nation, NA no metal."""
    surface = mention.surface.strip()
    letters = "".join(filter(str.isalpha, surface))
    if not letters.isupper() or len(letters) < 2 or "." in surface:
        return False
    if len(surface) >= _ACRONYM and wordnet.senses(surface) and hypernyms.may_be_written_in_capitals(surface):
        return False  # HIV
    first = mention.text.rfind("\n", 0, mention.start) + 1
    last = mention.text.find("\n", mention.end)
    line = mention.text[first : len(mention.text) if last < 0 else last][:400]
    others = "".join(filter(str.isalpha, line.replace(surface, "", 1)))
    return not others or sum(map(str.isupper, others)) < 0.7 * len(others)
