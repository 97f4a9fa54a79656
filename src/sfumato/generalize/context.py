"""What stands around a mention: the words before it, the noun it may describe, where a sentence begins."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.generalize.hierarchy import Mention
from sfumato.lexicon.grammar_en import CONJUNCTIONS, DETERMINERS, FUNCTION_WORDS, PREPOSITIONS, word_classes
from sfumato.lexicon.name_lists import demonyms, given_names, groups, lookup_key
from sfumato.lexicon.time import MONTHS, WEEKDAYS

_OPENING = "([{\"“‘'«„‚¿¡"
_CLOSING = ")]}\"”’'»"
_PAIRS = {")": "(", "]": "[", "}": "{", "”": "“", "’": "‘", "»": "«"}
_EDGES = re.compile(r"\A(?P<before>[\s(\[{\"“‘'«„‚,;:]*)(?P<core>.*?)(?P<after>[\s)\]}\"”’'»,;:.!?…]*)\Z", re.DOTALL)
_LEFT_OVER = re.compile(r"['’][sS]\s+(?=\w)")
"""The possessive ending of the word before, at the start of a mention."""
_WORD_BEFORE = re.compile(r"[^\S\n\r]*(?:\n\r?)?[^\S\n\r]*(?P<word>[\w'’-]*[^\W\d_])(?![\w'’-])")
"""Read from right to left."""
_WORD_AFTER = re.compile(r"\A[^\S\n\r]+(?P<word>[^\W_][\w'’-]*)")
_ABBREVIATION = re.compile(
    r"(?:(?<![\w.])(?:mr|mrs|ms|mx|dr|st|prof|rev|hon|gen|col|capt|lt|sgt|no|nos|art|arts|para|paras|sec|fig|vol|ch|p|"
    r"pp|cf|v|vs|approx|ca|dept|ave|jr|sr|e\.g|i\.e|al|viz|sra|dra|núm|pág|\w)|(?<=\.)[^\W\d_])\.\Z",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"(?:\b[^\W\d_]\.)+\Z|\b(?:inc|ltd|co|corp|bros|jr|sr|st|etc|mr|mrs|dr|no)\.\Z", re.IGNORECASE)
NEVER_MODIFIED = frozenset(
    "last next able unable aware due ill alone alive available responsible present former late early later today "
    "yesterday tomorrow tonight ago away abroad together monday tuesday wednesday thursday friday saturday "
    "sunday january february march april may june july august september october november december v vs no nos art p pp "
    "am pm bc ad ce etc ie eg jr sr mr mrs ms miss dr prof sir".split()
)
"""Words after a name that are not what it describes: "in Poland last year"."""


@dataclass(frozen=True, slots=True)
class TrimmedMention:
    """A mention without the signs at its edges: ``text[start:end]`` is what is said, the rest stays."""

    start: int
    end: int
    before: str
    after: str
    possessive: str
    """Its possessive ending ("’s", "'", ...), inside the mention; "" where it has none."""


def trim_mention(mention: Mention) -> TrimmedMention:
    """The mention's edges: white space, brackets, quotes and punctuation stay, abbreviations keep their dot."""
    said = mention.surface
    found = _EDGES.match(said)
    assert found is not None
    before, core, after = found["before"], found["core"], found["after"]
    ending = _LEFT_OVER.match(said)
    if ending is not None and mention.text[max(0, mention.start - 1) : mention.start].isalnum():
        before, core = ending.group(), said[ending.end() : len(said) - len(after)]
    if not core:
        space = said[len(said.rstrip()) :]
        return TrimmedMention(mention.start, mention.end - len(space), "", space, "")
    if after[:1] == "." and _DOTTED.search(core + "."):
        # One dot that ends both the abbreviation and the sentence stays.
        ends = _ends_sentence(after[1:] + mention.text[mention.end : mention.end + 40])
        core, after = (core, after) if ends else (core + ".", after[1:])
    while after and _closes(core, after[0]):
        core, after = core + after[0], after[1:]
    possessive = ""
    ending = re.search(r"['’][sS]\Z", core)
    quoted = any(sign in "'‘" for sign in before) or mention.text[max(0, mention.start - 1) : mention.start] in (
        "'",
        "‘",
    )
    if ending is not None:
        possessive = ending.group()
    elif after[:1] in ("'", "’") and core[-1:] in "sS" and not quoted:
        possessive, after = after[0], after[1:]
    start = mention.start + len(before)
    return TrimmedMention(start, mention.end - len(after), before, after, possessive)


def _closes(core: str, sign: str) -> bool:
    """Whether a closing sign belongs to an opening one inside: "Court (Chamber)"."""
    if sign == '"':
        return core.count(sign) % 2 == 1
    opening = _PAIRS.get(sign)
    return opening is not None and core.count(sign) < core.count(opening)


def _ends_sentence(rest: str) -> bool:
    """Whether what follows a dot shows that it ended a sentence: a line's end, or a small word with a capital."""
    found = re.match(r"[\"”’)\]]*(?:\s*(?P<end>\n|\Z)|\s+[\"“‘(]*(?P<word>\w+))", rest)
    if found is None or found["word"] is None:
        return found is not None
    return found["word"][0].isupper() and found["word"].lower() in FUNCTION_WORDS


def word_before(text: str, at: int) -> tuple[str, int]:
    """The word right before, with only white space and no empty line between, and where it begins; "" for none."""
    if at == 0 or not text[at - 1].isspace():
        return "", at
    near = text[max(0, at - 60) : at]
    found = _WORD_BEFORE.match(near[::-1])
    if found is None:
        return "", at
    return found["word"][::-1], at - found.end("word")


def word_after(text: str, at: int) -> tuple[str, int]:
    """The word right after, on the same line with only white space between, and where it ends; "" for none."""
    found = _WORD_AFTER.match(text[at : at + 60])
    return (found["word"], at + found.end("word")) if found else ("", at)


def begins_sentence(text: str, at: int) -> bool:
    """Whether a sentence, a heading or a list item begins here."""
    before = text[max(0, at - 200) : at].rstrip(_OPENING + " \t\xa0")
    if not before or before.strip() == "":
        return True
    if before[-1] in "\n\r":
        line = before.rstrip().rpartition("\n")[2]
        blank = before[len(before.rstrip()) :].count("\n") > 1
        running = line[-1:] == "," or line.rpartition(" ")[2].lower() in FUNCTION_WORDS
        return blank or line[-1:] in ".!?:;" or (len(line) < 60 and not running)
    ended = before.rstrip(_CLOSING)
    if ended[-1:] in ("!", "?", "…"):
        return True
    return ended.endswith(".") and _ABBREVIATION.search(ended) is None


def is_line_in_capitals(text: str, start: int, end: int) -> bool:
    """Whether the line is written in capitals throughout."""
    if text[start:end] != text[start:end].upper():
        return False
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    line = text[first : len(text) if last < 0 else last][:400]
    return line.isupper() and sum(map(str.isalpha, line)) > 4


def word_class(word: str) -> str:
    """The class of an English word: "function", "verb", "adjective", ..., "noun" where nothing else is known."""
    low = word.lower().replace("’", "'")
    if low in FUNCTION_WORDS or low.split("'")[0] in FUNCTION_WORDS:
        return "function"
    if not low[:1].isalpha():
        return "number"
    return word_classes().get(low, "adjective" if is_group_adjective(word) else "noun")


def is_group_adjective(word: str) -> bool:
    """Whether it is a demonym, a religion or a language, as an adjective may be."""
    return (
        word in demonyms() or word in groups() or (word.istitle() and word_classes().get(word.lower()) == "adjective")
    )


def modifies_next_noun(text: str, end: int) -> bool:
    """Whether what ends here stands before a noun that it describes: "[Istanbul] bar", "[Turkish] Government"."""
    word, stop = word_after(text, end)
    if not word or word.lower().rstrip(".") in NEVER_MODIFIED:
        return False
    what = word_class(word)
    if what == "noun":
        return not (word[0].isupper() and lookup_key(word) in given_names())
    if what in ("adjective", "gerund", "participle"):
        following, _ = word_after(text, stop)
        if not following or word_class(following) not in ("noun", "adjective") or following.lower() in NEVER_MODIFIED:
            return what == "adjective" and word.lower() in ("national", "nationals", "native", "elder", "minor")
        return what == "adjective" or word[0].isupper()
    return False


# -- What is about to stand in a mention's place.


@dataclass(frozen=True, slots=True)
class Substitution:
    """What stands in place of ``text[start:end]``, before capital and edges are seen to."""

    start: int
    end: int
    text: str
    possessive: str = ""
    sound: bool = True
    """Whether it is grammatical, and as true as the level is."""


# -- What leads up to a mention in an English sentence: its article, the preposition of a time, the word before them.


TIME_PREPOSITIONS = frozenset({"on", "at", "in", "during"})
APPROXIMATE = frozenset({"about", "around", "approximately", "circa", "roughly"})
_DETERMINING = frozenset(
    "a an the this these those my your his her its our their whose each every some any no another several many few one "
    "two three four five six seven eight nine ten twenty hundred thousand first second third".split()
)
_DETERMINING_TIMES = frozenset("that last next following previous same".split())
_NOT_COMPOUND = frozenset("left open due near like worth born effective early late mid".split())
_MONTHS_AND_DAYS = frozenset((*MONTHS["en"], *WEEKDAYS["en"]))
_NUMBERED = re.compile(r"\b(?:the|an?|his|her|its|their)\s+(?:\d+|(?:[A-Z]\.)+)\s+\Z|\s['’]s\s+\Z", re.IGNORECASE)
"""A number or initials between an article and the mention: "the 2012 [Summer Olympics]", "the U.S. [Senate]"."""


@dataclass(frozen=True, slots=True)
class LeadingWord:
    """An article or a preposition that stands before what is said."""

    word: str = ""
    at: int = 0
    locked: bool = False
    """Whether it may not be replaced: it lies beyond the room, a line break or a sign."""

    @property
    def low(self) -> str:
        return self.word.lower()


@dataclass(frozen=True, slots=True)
class LeftContext:
    """What stands before what is said."""

    preposition: LeadingWord
    article: LeadingWord
    before: str
    """The word before the article, or where there is none before what is said: "his", "former", "Mr", "dated"."""
    determined: bool
    """Whether the word before leaves no place for an article."""
    core: int
    """Where what is said begins, behind its own article and preposition."""


def read_left_context(mention: Mention, edges: TrimmedMention, room: tuple[int, int]) -> LeftContext:
    """The words that lead up to what the mention says, inside the mention or before it."""
    text, core = mention.text, edges.start
    preposition, article = LeadingWord(), LeadingWord()
    own = re.match(r"(on|in|at|during)\s+(?=\S)", text[core : edges.end], re.IGNORECASE)
    if own is not None and mention.label == "DATETIME":
        preposition, core = LeadingWord(own.group(1), core), core + own.end()
    own = re.match(r"(the|an?)\s+(?=\S)", text[core : edges.end], re.IGNORECASE)
    if own is not None:
        article, core = LeadingWord(own.group(1), core), core + own.end()
    # "the “[Zaman]”": what stands before a quotation mark counts, and stays.
    at = edges.start
    while at and text[at - 1] in '"“‘«„':
        at -= 1
    before, begin = word_before(text, at)
    if not article.word and not preposition.word and before.lower() in ("a", "an", "the"):
        article = LeadingWord(before, begin, _locked(mention, edges, room, begin))
        at = begin
        before, begin = word_before(text, at)
    determined = not article.word and (
        _determines(text, before, begin, mention) or _NUMBERED.search(text, max(0, at - 30), at) is not None
    )
    if not preposition.word and before.lower() in TIME_PREPOSITIONS | APPROXIMATE:
        preposition = LeadingWord(before, begin, _locked(mention, edges, room, begin))
        outer, outer_at = word_before(text, begin)
        if before.lower() in APPROXIMATE and outer.lower() == "at" and outer_at >= room[0]:
            preposition = LeadingWord(f"{outer} {before}", outer_at, _locked(mention, edges, room, outer_at))
    return LeftContext(preposition, article, before, determined, core)


def _locked(mention: Mention, edges: TrimmedMention, room: tuple[int, int], begin: int) -> bool:
    between = mention.text[begin : edges.start]
    return edges.start > mention.start or begin < room[0] or re.fullmatch(r"[^\n\r\"“‘«„]*", between) is None


def _determines(text: str, word: str, at: int, mention: Mention) -> bool:
    low = word.lower()
    if not word or low in PREPOSITIONS:
        return False
    if low in _DETERMINING or low.endswith(("'s", "’s", "s'", "s’")):
        return True
    what = word_class(word)
    if mention.label == "DATETIME" and (what != "adjective" or low in _DETERMINING_TIMES):
        return low in _DETERMINING_TIMES
    if what == "adjective" and low not in _NOT_COMPOUND:
        # "the old", "in old", "old" at the start describe what follows; "he was ill" does not.
        outer = word_before(text, at)[0].lower()
        links = (
            outer.endswith(("'s", "’s"))
            or outer in DETERMINERS
            or outer in PREPOSITIONS
            or outer in CONJUNCTIONS
            or word_class(outer or "x") == "adjective"
        )
        return links or (not outer and begins_sentence(text, at))
    # "the Turin [District Court]", "the reindeer [husbandry]": part of one name or compound.
    compound = what == "noun" and word not in _MONTHS_AND_DAYS and len(word) > 1
    first = mention.surface.lstrip()[:1]
    beaten = low.endswith("ing") and first.isupper()  # "beating [Italy]"
    return compound and not beaten and (word[0].isupper() == first.isupper() or word[0].islower())
