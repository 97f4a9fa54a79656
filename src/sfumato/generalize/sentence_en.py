"""A level in an English sentence: as a noun phrase or before a noun, in the right number, with its possessive ending."""

from __future__ import annotations

import re
from dataclasses import replace

from sfumato.generalize.context import (
    APPROXIMATE,
    NEVER_MODIFIED,
    TIME_PREPOSITIONS,
    LeftContext,
    Substitution,
    TrimmedMention,
    is_group_adjective,
    modifies_next_noun,
    read_left_context,
    word_after,
    word_class,
)
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.lexicon.grammar_en import (
    indefinite_article,
    is_plural,
    pluralize_phrase,
    singularize,
    singularize_phrase,
    split_after_head,
)
from sfumato.lexicon.name_lists import ORGANISATION_HEADS, given_names, is_title, lookup_key
from sfumato.lexicon.time import MONTHS
from sfumato.lexicon.world import country_name_of

# -- The preposition and the article that a phrase needs in an English sentence, given those that stand there.


OWN_PREPOSITION = re.compile(
    r"(?:in|on|at|between|from|during|around|about|before|after|over|under|up to|(?:more|less|fewer) than|"
    r"at least|at most|approximately|within|since|until|by)\b",
    re.IGNORECASE,
)
RANGE = re.compile(r"\d|between|(?:more|less|fewer) than|over|under|up to|about|around|at least|at most", re.IGNORECASE)
"""How a level begins that says how much."""
_BOUND = re.compile(r"\b(?:than|least|most|between|from|over|under|nearly|almost|up to)\s+\Z", re.IGNORECASE)
"""Words before a value that leave no place for a range: "more than between 10 and 50"."""
_DASHES = frozenset("-‑–—")
_TAKING_A_DATE = frozenset(
    "dated set fixed named called marked chose chosen spent celebrated following remember read".split()
)
_ADVERBIAL = re.compile(
    r"(?:yesterday|today|tomorrow|tonight|last|next|this|that|every|each|the (?:next|same|following|previous))\b"
    r"|.*\b(?:ago|later|earlier|before)\Z",
    re.IGNORECASE | re.DOTALL,
)


def with_preposition_and_article(
    level: Level, mention: Mention, edges: TrimmedMention, left: LeftContext, phrase: str, many: bool
) -> Substitution:
    """The phrase with the preposition and the article it needs."""
    article = left.article.low if left.article.locked else _article(level, mention, edges, left, phrase, many)
    stood, before = left.preposition.low, left.before.lower()
    own = OWN_PREPOSITION.match(phrase)
    preposition = stood
    if not left.preposition.locked:
        preposition = _preposition(level, mention, edges, left, own.group().lower() if own else "")
    bound = _BOUND.search(mention.text, max(0, edges.start - 20), edges.start)
    sound = own is None or stood != preposition or bound is None
    if mention.label == "DATETIME" and before in ("last", "next", "this", "every", "each", "that"):
        sound = sound and re.search(r"\d", phrase) is None and (level.article != "the" or " " not in phrase)
    if mention.label == "DEM" and not left.article.word and _name_follows(mention.text, edges.end):
        article = ""
    return replace(_put(edges, left, preposition, article, phrase), sound=sound)


def with_existing_words(edges: TrimmedMention, left: LeftContext, phrase: str) -> Substitution:
    """The phrase behind the words that stood there, "a" and "an" as it sounds."""
    article = left.article.low
    if article in ("a", "an") and not left.article.locked:
        article = indefinite_article(phrase)
    return _put(edges, left, left.preposition.low, article, phrase)


def _put(edges: TrimmedMention, left: LeftContext, preposition: str, article: str, phrase: str) -> Substitution:
    """The phrase with its lead: words before the mention that are right stay, from the first wrong one on all goes."""
    start = edges.start
    words = []
    for stood, wanted in ((left.preposition, preposition), (left.article, article)):
        outside = stood.word != "" and stood.at < edges.start
        if outside and stood.low != wanted and start == edges.start:
            start = stood.at
        if wanted and (not outside or start < edges.start):
            words.append(wanted)
    return Substitution(start, edges.end, " ".join([*words, phrase]), edges.possessive)


def _preposition(level: Level, mention: Mention, edges: TrimmedMention, left: LeftContext, own: str) -> str:
    """The preposition that is to stand before the phrase."""
    stood = left.preposition.low
    is_time = mention.label == "DATETIME"
    if stood in APPROXIMATE:
        return "" if own else stood
    if " " in stood:  # "at about 9 p.m.": what stands for a clock time takes no "at"
        return "" if own else stood.rpartition(" ")[2] if is_time else stood
    if own and stood and (is_time or own in TIME_PREPOSITIONS):
        return ""
    if level.preposition in TIME_PREPOSITIONS and stood and stood != "during":
        return level.preposition
    if level.preposition is not None and not stood and is_time and not own and _is_adverbial(mention, edges, left):
        return level.preposition
    return stood


def _is_adverbial(mention: Mention, edges: TrimmedMention, left: LeftContext) -> bool:
    """Whether a time stands without a preposition, as in "he left yesterday" and "born 6 May 1993"."""
    follows = word_after(mention.text, edges.end)[0].lower()
    if left.determined or follows in ("is", "was", "has", "had", "will", "would", "as"):
        return False
    before = left.before.lower()
    after_verb = before == "born" or word_class(before or "x") in ("participle", "past", "verb")
    if after_verb and not left.article.word and before not in _TAKING_A_DATE:
        return True
    governed = word_class(before or "x") == "function" and before not in (
        "that",
        "and",
        "but",
        "it",
        "him",
        "her",
        "there",
    )
    return not governed and _ADVERBIAL.match(mention.text[edges.start : edges.end]) is not None


def _article(level: Level, mention: Mention, edges: TrimmedMention, left: LeftContext, phrase: str, many: bool) -> str:
    """The article that is to stand before the phrase."""
    stood = left.article.low
    wanted: str = level.article
    if wanted == "a":
        named_in_plural = is_plural(split_after_head(phrase)[0].rpartition(" ")[2])
        wanted = "" if many or named_in_plural else indefinite_article(phrase)
    if not stood and mention.label == "DATETIME" and _in_a_range(mention.text, edges):
        return ""
    if not stood:
        return "" if left.determined else wanted
    if stood == "the":
        bare = OWN_PREPOSITION.match(phrase) is not None or (not many and not phrase[:1].islower())
        if wanted == "" and bare and mention.label in ("LOC", "DATETIME"):
            return ""
        if (
            mention.label == "LOC"
            and wanted in ("a", "an")
            and country_name_of(mention.text[left.core : edges.end]) is not None
        ):
            return wanted  # "the Netherlands" has its article by name only
        return "the"
    if wanted == "" and not many and is_group_adjective(phrase.rpartition(" ")[2]):  # "an [Irishman]": "a European"
        return indefinite_article(phrase)
    return wanted


def _in_a_range(text: str, edges: TrimmedMention) -> bool:
    """Whether a dash without spaces joins the time to another: "1933–37"."""
    return text[edges.end : edges.end + 1] in _DASHES or text[max(0, edges.start - 1) : edges.start] in _DASHES


def _name_follows(text: str, end: int) -> bool:
    """Whether a name follows that the mention is the title of: "[police officer] Ahmet"."""
    word, _ = word_after(text, end)
    return word[:1].isupper() and word_class(word) == "noun"


# -- A level in an English sentence: as a noun phrase or before a noun, in the right number, with its possessive ending.


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


def render_english(level: Level, mention: Mention, edges: TrimmedMention, room: tuple[int, int]) -> Substitution:
    """The level in an English sentence."""
    text = mention.text
    before, after = text[max(0, edges.start - 1) : edges.start], text[edges.end : edges.end + 2]
    if before.isalnum() or after[:1].isalnum():
        # Half a word is left over beside it: nothing will read well.
        return Substitution(edges.start, edges.end, level.text, edges.possessive, sound=False)
    left = read_left_context(mention, edges, room)
    # A hyphen between two years is a dash.
    joins = re.match(r"[-‑]\w", after) and not after[1:].isdigit()
    if joins or (before in ("-", "‑") and not text[max(0, edges.start - 2) : edges.start - 1].isdigit()):
        return _hyphenated(level, mention, edges, left)
    said = text[left.core : edges.end - len(edges.possessive)]
    owned = edges.possessive or after[:1] in ("'", "’")
    if not owned and _attributive(level, mention, left, said, edges.end):
        return _before_noun(level, mention, edges, left, room)
    phrase, many = _number(level, mention, left, said)
    draft = with_preposition_and_article(level, mention, edges, left, phrase, many)
    glued = before in _GLUING and not draft.text[:1].isdigit()
    if glued or not _whole(mention, edges, left):
        draft = replace(draft, sound=False)
    return _with_ending(draft, text, edges, many, room)


def _whole(mention: Mention, edges: TrimmedMention, left: LeftContext) -> bool:
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


def _attributive(level: Level, mention: Mention, left: LeftContext, said: str, end: int) -> bool:
    """Whether the mention describes the noun behind it."""
    noun, _ = word_after(mention.text, end)
    led_up = left.article.word != "" or left.determined
    if mention.label == "PERSON" or noun == "":
        return False
    if mention.label == "QUANTITY" or RANGE.match(level.text):
        return left.article.low in ("a", "an") and word_class(noun) != "function"
    if mention.label == "DATETIME":
        is_date = led_up and not said[:1].islower() and not said.endswith("s")
        if is_date and word_class(noun) in ("noun", "verb", "adjective") and noun.lower() not in NEVER_MODIFIED:
            return True  # "the [June 2008] issue": but for a noun, a date takes no article
        measured = _MEASURE.search(said) is not None or (led_up and not is_plural(said.rpartition(" ")[2]))
        return measured and modifies_next_noun(mention.text, end)
    single = not (said.islower() and is_plural(said.rpartition(" ")[2]))
    return (led_up and single and _completes(noun, said, mention.label)) or modifies_next_noun(mention.text, end)


def _completes(word: str, said: str, label: str) -> bool:
    """Whether a word of another class can, behind an article and the mention, only be the noun that is described."""
    what = word_class(word)
    if is_group_adjective(said):
        return what in ("noun", "adjective", "gerund")  # "an [American] former officer"
    if said[:1].isupper() and word[0].isupper():
        return what in ("adjective", "verb") and lookup_key(word) not in given_names()  # "the [Rochefort] Open"
    return what == "adjective" and label != "ORG" and word.lower() not in NEVER_MODIFIED  # "the [London] flat"


def _before_noun(
    level: Level, mention: Mention, edges: TrimmedMention, left: LeftContext, room: tuple[int, int]
) -> Substitution:
    """Before a noun that the mention describes: "the [Istanbul] bar"."""
    modifier = level.modifier or _as_modifier(level, mention.label)
    if modifier is not None:
        return with_existing_words(edges, left, modifier)
    noun, stop = word_after(mention.text, edges.end)
    same = singularize(split_after_head(level.text)[0].lower()).rpartition(" ")[2] == singularize(noun.lower())
    if same and stop <= room[1] and edges.end == mention.end:
        many = is_plural(noun.lower())
        return with_preposition_and_article(
            level, mention, replace(edges, end=stop), left, pluralize_phrase(level.text) if many else level.text, many
        )
    return replace(with_existing_words(edges, left, level.text), sound=False)


def _as_modifier(level: Level, label: str) -> str | None:
    """The level itself as it may stand before a noun: an adjective, a name, a short noun; "several-month"."""
    unit = _UNIT.fullmatch(level.text)
    if unit is not None:
        return f"{unit['count']}-{singularize(unit['unit'])}"
    between = _BETWEEN.fullmatch(level.text)
    if between is not None:
        return f"{between[1]} to {between[2]}"
    if level.text[:1].isdigit() and label != "LOC":
        return level.text
    if split_after_head(level.text)[1] or len(level.text.split()) > 3 or OWN_PREPOSITION.match(level.text):
        return None
    proper = level.article == "" and not level.plural and not level.text[:1].islower()
    adjective = word_class(level.text.rpartition(" ")[2]) == "adjective"
    if proper or adjective or (label == "DATETIME" and level.article != "a"):
        return level.text
    if label == "LOC":
        return (
            level.text if " " not in level.text and level.text != "country" else None
        )  # a "country court" is a rural one
    return None if label == "DATETIME" else singularize_phrase(level.text)


def _hyphenated(level: Level, mention: Mention, edges: TrimmedMention, left: LeftContext) -> Substitution:
    """Joined by a hyphen: "[Ankara]-based", "non-[Turkish]"."""
    if _JOINED_TO_A_NAME.match(mention.text[edges.end : edges.end + 12]):
        word = level.text if level.article == "" and not level.text[:1].islower() else None
    else:
        word = level.modifier or _as_modifier(level, mention.label)
    draft = with_existing_words(edges, left, word or level.text)
    return replace(draft, sound=word is not None and _whole(mention, edges, left))


def _number(level: Level, mention: Mention, left: LeftContext, said: str) -> tuple[str, bool]:
    """The level's phrase in the number of the original where it is known, and whether that is the plural."""
    if mention.label in ("DATETIME", "QUANTITY"):
        return level.text, level.plural
    word = left.article.low or (left.before.lower() if left.determined else "")
    if level.plural:
        single = word in _SINGULAR_DETERMINERS - {"a", "an"}
        return (singularize_phrase(level.text), False) if single else (level.text, True)
    if level.article != "a" or word in _SINGULAR_DETERMINERS:
        return level.text, False
    last = split_after_head(said)[0].rpartition(" ")[2]
    people = mention.label == "DEM" and re.search(r"[A-Z]\w+[^siu]s\Z", last) is not None
    coordinated = (
        mention.label == "LOC" and re.search(r"\w,? (?:and|&) \w", said) is not None and country_name_of(said) is None
    )
    bodies = (
        singularize(last.lower()) in ORGANISATION_HEADS and last.lower() not in ORGANISATION_HEADS
    )  # "the [Assize Courts]"
    many = people or bodies or (last.islower() and is_plural(last)) or word in _PLURAL_DETERMINERS or coordinated
    return (pluralize_phrase(level.text), True) if many else (level.text, False)


def _with_ending(
    draft: Substitution, text: str, edges: TrimmedMention, many: bool, room: tuple[int, int]
) -> Substitution:
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
