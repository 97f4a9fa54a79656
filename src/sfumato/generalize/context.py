"""The text around a mention: its edges, the words beside it, whether a sentence begins, what class a word has."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sfumato.annotated_text import read_once_at
from sfumato.generalize.hierarchy import Mention
from sfumato.lexicon.grammar import TextRange
from sfumato.lexicon.grammar_en import CONJUNCTIONS, DETERMINERS, FUNCTION_WORDS, PREPOSITIONS, word_classes
from sfumato.lexicon.name_lists import demonyms, given_names, groups, lookup_key
from sfumato.lexicon.tables import word_set, words
from sfumato.lexicon.time import MONTHS, WEEKDAYS
from sfumato.lexicon.tokens import alternation, lazy_pattern
from sfumato.lexicon.wordnet import lookup_form

NEVER_MODIFIED = word_set("sentence", "never_modified", "en")
"""Words after a name that the name does not modify: "in Poland last year"."""
_ADJECTIVES_USED_AS_NOUNS = word_set("sentence", "adjectives_used_as_nouns", "en")
_OPENING = "([{\"“‘'«„‚¿¡"
_CLOSING = ")]}\"”’'»"
_PAIRS = {")": "(", "]": "[", "}": "{", "”": "“", "’": "‘", "»": "«"}
_EDGES = lazy_pattern(
    r"\A(?P<before>[\s(\[{\"“‘'«„‚,;:]*)(?P<core>.*?)(?P<after>[\s()\[\]{}\"“”’'«»,;:.!?…]*)\Z", re.DOTALL
)
_CONJUNCTION_AT_END = lazy_pattern(r"(?<=\w)\s+(?:and|or|und|oder|et|ou|y)\Z")
_HALF_POSSESSIVE = lazy_pattern(r"[sS]\s(?=\w)")
_OPEN_POSSESSIVE = lazy_pattern(r"\w['’]\Z")
_POSSESSIVE_OF_WORD_BEFORE = lazy_pattern(r"['’][sS]\s+(?=\w)")
_WORD_BEFORE = lazy_pattern(r"[^\S\n\r]*(?:\n\r?)?[^\S\n\r]*(?P<word>[\w'’-]*[^\W\d_])(?![\w'’-])")
"""Read from right to left."""
_WORD_AFTER = lazy_pattern(r"\A[^\S\n\r\t](?P<word>[^\W_][\w'’-]*)(?!/)")
"""After one space: more of them separate columns. "w/" and the like are no words."""
_ABBREVIATION = lazy_pattern(
    rf"(?:(?<![\w.])(?:{alternation(words('sentence', 'abbreviations', 'en'))}|\w)|(?<=\.)[^\W\d_])\.\Z", re.IGNORECASE
)
_DOTTED = lazy_pattern(
    rf"(?:\b[^\W\d_]\.)+\Z|\b(?:{alternation(words('sentence', 'final_abbreviations', 'en'))})\.\Z", re.IGNORECASE
)


_SHORT_YEAR = lazy_pattern(r"['’]\d\d(?!\w)")
"""*'84*, whose apostrophe is no quotation mark."""
_DAY_AND_MONTH = lazy_pattern(r"(?:.*\D)?\d{1,2}\.\d{1,2}", re.DOTALL)
"""*12.5.*, whose last full stop belongs to the date."""


@dataclass(frozen=True, slots=True)
class TrimmedMention:
    """A mention without the punctuation at its edges: ``text[start:end]`` is replaced, the rest stays."""

    start: int
    end: int
    before: str
    after: str
    possessive: str
    """Its possessive ending ("’s", "'", ...), inside the mention; "" where it has none."""


@read_once_at
def trim_mention(mention: Mention) -> TrimmedMention:
    """White space, brackets, quotes and punctuation at the edges are cut off; abbreviations keep their full stop."""
    surface, text = mention.surface, mention.text
    edges = _EDGES.match(surface)
    assert edges is not None
    before, core, after = edges["before"], edges["core"], edges["after"]
    ending = _POSSESSIVE_OF_WORD_BEFORE.match(surface)
    if ending is not None and text[max(0, mention.start - 1) : mention.start].isalnum():
        before, core = ending.group(), surface[ending.end() : len(surface) - len(after)]
    elif _HALF_POSSESSIVE.match(surface) and _OPEN_POSSESSIVE.search(text[max(0, mention.start - 2) : mention.start]):
        before, core = surface[:2], surface[2 : len(surface) - len(after)]  # "Piet'[s diaries]"
    if not core:
        space = surface[len(surface.rstrip()) :]
        return TrimmedMention(mention.start, mention.end - len(space), "", space, "")
    if _SHORT_YEAR.match(before[-1:] + core):
        before, core = before[:-1], before[-1] + core
    if conjunction := _CONJUNCTION_AT_END.search(core):
        core, after = core[: conjunction.start()], conjunction.group() + after  # "Germany and"
    if after[:1] == "." and (_DOTTED.search(core + ".") or _DAY_AND_MONTH.fullmatch(core)):
        # A full stop that ends both the abbreviation and the sentence stays.
        ends = _ends_sentence(after[1:] + text[mention.end : mention.end + 40])
        core, after = (core, after) if ends else (core + ".", after[1:])
    while after and _closes_bracket(core, after[0]):
        core, after = core + after[0], after[1:]
    while (opening := len(before.rstrip()) - 1) >= 0 and _opens_bracket(core, before[opening]):
        core, before = before[opening:] + core, before[:opening]
    possessive = ""
    ending = re.search(r"['’][sS]\Z", core)
    is_quoted = any(sign in "'‘" for sign in before) or text[max(0, mention.start - 1) : mention.start] in ("'", "‘")
    if ending is not None:
        # "St James's": without a word after it, it is part of a name.
        is_name = (
            mention.label in ("LOC", "ORG") and re.match(r"\s+\w", after + text[mention.end : mention.end + 3]) is None
        )
        possessive = "" if is_name else ending.group()
    elif after[:1] in ("'", "’") and core[-1:] in "sS" and not is_quoted:
        possessive, after = after[0], after[1:]
    return TrimmedMention(mention.start + len(before), mention.end - len(after), before, after, possessive)


def _closes_bracket(core: str, sign: str) -> bool:
    """Whether a closing sign belongs to an opening one inside: "Court (Chamber)"."""
    if sign == '"':
        return core.count(sign) % 2 == 1
    opening = _PAIRS.get(sign)
    return opening is not None and core.count(sign) < core.count(opening)


def _opens_bracket(core: str, sign: str) -> bool:
    """Whether an opening sign belongs to a closing one inside: "«Mina» Coulibaly"."""
    closing = next((closing for closing, opening in _PAIRS.items() if opening == sign), None)
    return closing is not None and core.count(sign) < core.count(closing)


def _ends_sentence(rest: str) -> bool:
    """Whether what follows a full stop shows that a sentence ended: a line break, or a capitalised function word."""
    match = re.match(r"[\"”’)\]]*(?:\s*(?P<end>\n|\Z)|\s+[\"“‘(]*(?P<word>\w+))", rest)
    if match is None or match["word"] is None:
        return match is not None
    return match["word"][0].isupper() and match["word"].lower() in FUNCTION_WORDS


def word_before(text: str, offset: int) -> tuple[str, int]:
    """The word before the offset and its start; "" where more than white space or an empty line is between."""
    if offset == 0 or not text[offset - 1].isspace():
        return "", offset
    match = _WORD_BEFORE.match(text[max(0, offset - 60) : offset][::-1])
    return ("", offset) if match is None else (match["word"][::-1], offset - match.end("word"))


def word_after(text: str, offset: int) -> tuple[str, int]:
    """The word after the offset and its end; "" where more than white space on the same line is between."""
    match = _WORD_AFTER.match(text[offset : offset + 60])
    return (match["word"], offset + match.end("word")) if match else ("", offset)


def begins_sentence(text: str, offset: int) -> bool:
    """Whether a sentence, a heading or a list item begins here."""
    before = text[max(0, offset - 200) : offset].rstrip(_OPENING + " \t\xa0")
    if not before or before.strip() == "":
        return True
    if before[-1] in "\n\r":
        line = before.rstrip().rpartition("\n")[2]
        has_empty_line = before[len(before.rstrip()) :].count("\n") > 1
        runs_on = line[-1:] == "," or line.rpartition(" ")[2].lower() in FUNCTION_WORDS
        return has_empty_line or line[-1:] in ".!?:;" or (len(line) < 60 and not runs_on)
    ended = before.rstrip(_CLOSING)
    if ended[-1:] in ("!", "?", "…"):
        return True
    return ended.endswith(".") and _ABBREVIATION.search(ended) is None


def is_line_in_capitals(text: str, start: int, end: int) -> bool:
    """Whether the whole line is written in capitals."""
    if text[start:end] != text[start:end].upper():
        return False
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", end)
    line = text[first : len(text) if last < 0 else last][:400]
    return line.isupper() and sum(map(str.isalpha, line)) > 4


def word_class(word: str) -> str:
    """The class of an English word: "function", "verb", "adjective", ..., "noun" where nothing else is known."""
    lowered = word.lower().replace("’", "'")
    if lowered in FUNCTION_WORDS or lowered.split("'")[0] in FUNCTION_WORDS:
        return "function"
    if not lowered[:1].isalpha():
        return "number"
    return word_classes().get(lowered, "adjective" if is_group_adjective(word) else "noun")


def is_group_adjective(word: str) -> bool:
    """Whether it is a demonym, a religion or a language, which may be an adjective."""
    is_capitalised_adjective = word.istitle() and word_classes().get(word.lower()) == "adjective"
    return word in demonyms() or word in groups() or is_capitalised_adjective


_SHORTEST_NOUN = 3
_SHORT = 5
"""Letters; a shorter word that WordNet lacks is no noun."""


def modifies_next_noun(text: str, end: int) -> bool:
    """Whether what ends here modifies the noun after it: "[Istanbul] bar", "[Turkish] Government"."""
    word, stop = word_after(text, end)
    if not word or word.lower().rstrip(".") in NEVER_MODIFIED:
        return False
    next_class = word_class(word)
    if next_class == "noun":
        if word.islower() and (len(word) < _SHORTEST_NOUN or (len(word) < _SHORT and not lookup_form(word))):
            return False  # "back in Ibadan til the 20th", "in Ibadan w his mum"
        return not (word[0].isupper() and lookup_key(word) in given_names())
    if next_class in ("adjective", "gerund", "participle"):
        noun, _ = word_after(text, stop)
        if not noun or word_class(noun) not in ("noun", "adjective") or noun.lower() in NEVER_MODIFIED:
            return next_class == "adjective" and word.lower() in _ADJECTIVES_USED_AS_NOUNS
        return next_class == "adjective" or word[0].isupper()
    return False


@dataclass(frozen=True, slots=True)
class Substitution:
    """``text`` in place of ``original[start:end]``, before its capital and the punctuation at its edges are set."""

    start: int
    end: int
    text: str
    possessive: str = ""
    is_grammatical: bool = True
    """Whether the sentence stays grammatical, and as true as the level is."""


# The article, the preposition and the word before a mention in an English sentence.

TIME_PREPOSITIONS = word_set("sentence", "time_prepositions", "en")
APPROXIMATIONS = word_set("sentence", "approximations", "en")
_NO_ARTICLE_AFTER = word_set("sentence", "determiners", "en")
_TIME_DETERMINERS = word_set("sentence", "time_determiners", "en")
_NOT_IN_COMPOUNDS = word_set("sentence", "not_in_compounds", "en")
_BEFORE_ADJECTIVES = DETERMINERS | PREPOSITIONS | CONJUNCTIONS
_MONTHS_AND_DAYS = frozenset((*MONTHS["en"], *WEEKDAYS["en"]))
_NUMBER_AFTER_ARTICLE = lazy_pattern(
    r"\b(?:the|an?|his|her|its|their)\s+(?:\d+|(?:[A-Z]\.)+)\s+\Z|\s['’]s\s+\Z", re.IGNORECASE
)
"""A number or initials between an article and the mention: "the 2012 [Summer Olympics]", "the U.S. [Senate]"."""

_MODIFIED = lazy_pattern(
    r"\b(?:the|an?|his|her|its|their|my|our|your|this|that|every|each|[^\W\d_]+['’]s)\s+(?:[\w’'-]+\s+){0,2}"
    r"(?:\d[\w,./-]*(?:[ -](?:years?|months?|weeks?|days?)[ -]old)?|\d+ ?y/?o|[\w’'-]*-[\w’'-]+)"
    r"\s+(?:(?!(?:a[st]|in|on|of|to|for|from|by|with|and|or|is|was|after|before|until|when)\b)[^\W\d_]+\s+)?\Z",
    re.IGNORECASE,
)
"""A determiner before an age, an ordinal or a hyphenated word: "a 44-year-old [bassoonist]", "the 2nd [engineer]"."""


@dataclass(frozen=True, slots=True)
class LeadingWord:
    """An article or a preposition before the core of a mention."""

    word: str = ""
    start: int = 0
    is_fixed: bool = False
    """Whether it may not be replaced: it lies outside the limits, or beyond a line break or a quotation mark."""

    @property
    def lowered(self) -> str:
        return self.word.lower()


@dataclass(frozen=True, slots=True)
class LeftContext:
    """The words that lead up to the core of a mention, inside the mention or before it."""

    preposition: LeadingWord
    article: LeadingWord
    previous_word: str
    """The word before the article, or before the core where there is no article: "his", "former", "Mr", "dated"."""
    has_determiner: bool
    """Whether the previous word leaves no place for an article."""
    core_start: int
    """Where the core begins, after the mention's own article and preposition."""


@read_once_at
def read_left_context(mention: Mention, trimmed: TrimmedMention, limits: TextRange) -> LeftContext:
    """What leads up to a mention; asked for each of its levels."""
    text, core_start = mention.text, trimmed.start
    preposition, article = LeadingWord(), LeadingWord()
    match = re.match(r"(on|in|at|during)\s+(?=\S)", text[core_start : trimmed.end], re.IGNORECASE)
    if match is not None and mention.label == "DATETIME":
        preposition, core_start = LeadingWord(match.group(1), core_start), core_start + match.end()
    match = re.match(r"(the|an?)\s+(?=\S)", text[core_start : trimmed.end], re.IGNORECASE)
    if match is not None:
        article, core_start = LeadingWord(match.group(1), core_start), core_start + match.end()
    # "the “[Zaman]”": words before a quotation mark count, and stay.
    offset = trimmed.start
    while offset and text[offset - 1] in '"“‘«„':
        offset -= 1
    previous, start = word_before(text, offset)
    if not article.word and not preposition.word and previous.lower() in ("a", "an", "the"):
        article = LeadingWord(previous, start, _is_fixed(mention, trimmed, limits, start))
        offset = start
        previous, start = word_before(text, offset)
    has_determiner = not article.word and (
        _is_determiner(text, previous, start, mention)
        or _NUMBER_AFTER_ARTICLE.search(text, max(0, offset - 30), offset) is not None
        or (mention.label != "DATETIME" and _MODIFIED.search(text, max(0, offset - 60), offset) is not None)
    )
    if not preposition.word and previous.lower() in TIME_PREPOSITIONS | APPROXIMATIONS:
        preposition = LeadingWord(previous, start, _is_fixed(mention, trimmed, limits, start))
        outer, outer_start = word_before(text, start)
        if previous.lower() in APPROXIMATIONS and outer.lower() == "at" and outer_start >= limits[0]:
            is_fixed = _is_fixed(mention, trimmed, limits, outer_start)
            preposition = LeadingWord(f"{outer} {previous}", outer_start, is_fixed)
    return LeftContext(preposition, article, previous, has_determiner, core_start)


def _is_fixed(mention: Mention, trimmed: TrimmedMention, limits: TextRange, start: int) -> bool:
    between = mention.text[start : trimmed.start]
    return trimmed.start > mention.start or start < limits[0] or re.fullmatch(r"[^\n\r\"“‘«„]*", between) is None


def _is_determiner(text: str, word: str, start: int, mention: Mention) -> bool:
    """Whether the word before a mention leaves no place for an article: a determiner, or part of the same phrase."""
    lowered = word.lower()
    if not word or lowered in PREPOSITIONS:
        return False
    if lowered in _NO_ARTICLE_AFTER or lowered.endswith(("'s", "’s", "s'", "s’")):
        return True
    class_of_word = word_class(word)
    if mention.label == "DATETIME" and (class_of_word != "adjective" or lowered in _TIME_DETERMINERS):
        return lowered in _TIME_DETERMINERS
    if class_of_word == "adjective" and lowered not in _NOT_IN_COMPOUNDS:
        # "the old", "in old", "old" at the start modify what follows; "he was ill" does not.
        outer = word_before(text, start)[0].lower()
        is_led = outer.endswith(("'s", "’s")) or outer in _BEFORE_ADJECTIVES or word_class(outer or "x") == "adjective"
        return is_led or (not outer and begins_sentence(text, start))
    # "the Turin [District Court]", "the reindeer [husbandry]": part of one name or compound.
    is_compound = class_of_word == "noun" and word not in _MONTHS_AND_DAYS and len(word) > 1
    first = mention.surface.lstrip()[:1]
    is_verb_with_object = lowered.endswith("ing") and first.isupper()  # "beating [Italy]"
    return is_compound and not is_verb_with_object and (word[0].isupper() == first.isupper() or word[0].islower())
