"""Whether a wider phrase stays true where it stands in its clause: not where that denies, compares or speaks of all.

"He owned a shotgun" says that he owned a weapon; "he owned no shotgun" does not say that he owned none, and the only
Norwegian in a choir need not be its only European. The words that do this are *operators*: each reaches as far into its
clause as its kind says. They are regular expressions in ``data/<language>/clauses.toml``. What cannot be told is not
widened: a label in its place is true.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from sfumato.annotated_text import read_once
from sfumato.generalize.context import begins_sentence, word_before
from sfumato.generalize.hierarchy import Mention
from sfumato.lexicon.grammar_en import is_plural
from sfumato.lexicon.tables import languages_with, load_toml
from sfumato.lexicon.tokens import lazy_pattern

_PACKAGE = "sfumato.generalize"
LANGUAGES = frozenset(languages_with("clauses", _PACKAGE))
_LONGEST = 300
"""Characters before and after a place that are read of its clause."""
_AHEAD = 30
"""So far an idiom may reach beyond the place: "more than [40]"."""
_SCOPES = (
    *("counts", "frequencies", "exclusions", "denials", "refusals"),
    *("comparisons", "conditions", "universals", "rankings", "concerns"),
)
"""Kinds of operators. Denials and exclusions reach what stands before them and behind, the others what follows."""
_WORDS = (
    *("counts", "frequencies", "idioms", "comparisons", "ends", "asides", "joined_verbs", "restrictions"),
    *_SCOPES[2:],
    *("relatives", "verbs"),
)
_BEHIND = frozenset({"denials", "exclusions", "restrictions", "counts", "comparisons"})
_TO_COMMA = frozenset({"comparisons", "conditions", "rankings"})
_TO_VERB = frozenset({"universals", "rankings"})
_SIGNS = (
    r"(?P<stop>[.!?…][\"”’)\]]*\s+|\n\s*)|(?P<end>[;:|\t{}]\s?|,[\"”»]|[\"”»]\s?[,:]|,(?=[^\s\d]))|"
    r"(?P<open>[(\[])|(?P<close>[)\]])|(?P<comma>,)"
)
_ITEM = lazy_pattern(r"[-–•*·>#\[\d]")
_TO_COMMA_BEHIND = lazy_pattern(r"[^,.;:!?\n]{0,60},\s")
_SENTENCE_END = lazy_pattern(r"[^.!?\n]*(?:[.!](?=\w)[^.!?\n]*)*")
_ARTICLES = r"(?:the|el|la|dem|den|der|le|la|l['’]|il|lo|de|het|o|a)\b"


class Token(NamedTuple):
    """A word or a sign of a text that matters, with the list that it is of."""

    kind: str
    start: int
    end: int
    word: str


@dataclass(frozen=True, slots=True)
class Operator:
    """A word that changes what a clause says of what it reaches."""

    kind: str
    word: str
    end: int
    follows_verb: bool


@dataclass(slots=True)
class Lead:
    """What of a clause stands before a place in it."""

    start: int
    """Where the clause begins."""
    operators: list[Operator] = field(default_factory=list)
    """Those that reach the place."""
    has_verb: bool = False
    _relatives: int = 0
    _brackets: list[int] = field(default_factory=list)
    _around: Lead | None = None
    """The clause that goes on behind a comma: "The applicant, [who was not heard], was born"."""

    def read(self, token: Token, language: str) -> Lead:
        """The clause that goes on behind a word or a sign."""
        match token.kind:
            case "asides":
                return Lead(token.end, _around=self)
            case "ends" if token.start <= self.start + 1:
                return Lead(token.end, _around=Lead(token.end))  # "Although she was not well, [Anna] came."
            case "ends" | "end" | "stop":
                return Lead(token.end)
            case "open":
                self._brackets.append(len(self.operators))
            case "close" if self._brackets:
                del self.operators[self._brackets.pop() :]
            case "comma":
                if self._around is not None:
                    return self._around
                self._keep(lambda operator: operator.kind not in _TO_COMMA)
            case "relatives":
                self._relatives += bool(self.operators)
            case "joined_verbs":
                self._keep(lambda operator: not operator.follows_verb and not _is_verbal(operator, language))
                self._read_verb()
            case "verbs":
                self._read_verb()
            case "restrictions" if not self.has_verb and token.start > self.start + 1:
                self.operators.append(Operator("exclusions", token.word, token.end, follows_verb=False))  # "He alone"
            case kind if kind in _SCOPES:
                self.operators.append(Operator(kind, token.word, token.end, self.has_verb))
        return self

    def _read_verb(self) -> None:
        self.has_verb = True
        if self._relatives:
            self._relatives -= 1
        else:
            self._keep(lambda operator: operator.kind not in _TO_VERB)

    def _keep(self, stays: Callable[[Operator], bool]) -> None:
        self.operators = [operator for operator in self.operators if stays(operator)]


@cache
def _grammar(language: str) -> re.Pattern[str]:
    lists = load_toml("clauses", language, _PACKAGE)
    groups = (f"(?P<{key}>{'|'.join(lists[key])})" for key in dict.fromkeys(_WORDS) if lists.get(key))
    # Whole words; some begin with a comma, or end with a blank.
    words = rf"(?:(?<![\w-])|(?=,))(?:{'|'.join(groups)})(?:(?<=\s)|(?![\w-]))"
    return re.compile(rf"{words}|{_SIGNS}", re.IGNORECASE)


@cache
def _phrases(language: str, key: str) -> re.Pattern[str]:
    """Phrases that a clause may begin with."""
    return re.compile(rf"(?:{'|'.join(load_toml('clauses', language, _PACKAGE)[key])})(?!\w)", re.IGNORECASE)


@read_once
def _tokens(text: str, language: str) -> tuple[Token, ...]:
    """What matters of a text, but for idioms, and full stops and line breaks that end nothing."""
    matches = _grammar(language).finditer(text)
    return tuple(
        Token(match.lastgroup or "", *match.span(), match.group().lower())
        for match in matches
        if match.lastgroup != "idioms" and not (match.lastgroup == "stop" and not _is_border(text, match))
    )


def _tokens_between(text: str, language: str, start: int, end: int) -> Iterator[Token]:
    tokens = _tokens(text, language)
    for token in islice(tokens, bisect_left(tokens, start, key=attrgetter("start")), None):
        if token.end > end:
            return
        yield token


def read_lead(text: str, position: int, language: str) -> Lead:
    """The clause before a position, with the operators that reach it."""
    first = max(0, position - _LONGEST)
    lead = Lead(first)
    for token in _tokens_between(text, language, first, position):
        lead = lead.read(token, language)
    return lead


def _is_verbal(operator: Operator, language: str) -> bool:
    """Whether it denies one verb, and not what is joined to it: "is not married and [lives] in Leeds"."""
    return operator.kind == "denials" and _phrases(language, "verbal").fullmatch(operator.word) is not None


def _is_border(text: str, match: re.Match[str]) -> bool:
    """Whether a full stop or a line break ends a sentence, or an item of a list or a chat begins behind it."""
    sign, lines = match.group(), match.group().count("\n")
    if sign[0] in "!?…" or lines > 1 or (lines and (sign[0] != "\n" or _ITEM.match(text, match.end()))):
        return True
    return begins_sentence(text, match.end())


def is_denied(text: str, start: int, language: str) -> bool:
    """Whether the clause is denied before a number: nobody may be held *for more than two days*."""
    operators = read_lead(text, start, language).operators if language in LANGUAGES else []
    return any(each.kind == "denials" and not _is_bound_of_number(each, text, start) for each in operators)


def operators_after(text: str, position: int, language: str, *, of_time: bool = False) -> list[Operator]:
    """What denies, excludes or compares, after a position in its clause; of a time also what repeats it."""
    operators: list[Operator] = []
    brackets = 0
    for token in _tokens_between(text, language, position, position + _LONGEST):
        kind = token.kind
        if kind in ("open", "close"):
            brackets += 1 if kind == "open" else -1
        if brackets > 0:
            continue
        if brackets < 0:
            break
        if kind in ("end", "ends", "asides", "stop", "relatives", "comma", "joined_verbs"):
            break
        if kind in _BEHIND or (of_time and kind == "frequencies"):
            operators.append(Operator(kind, token.word, token.end, follows_verb=False))
    return operators


def may_widen_mention(mention: Mention) -> bool:
    """Whether a level of the mention is true where the mention stands."""
    return may_widen(mention.text, mention.start, mention.end, mention.language, mention.label)


def may_widen(text: str, start: int, end: int, language: str, label: str = "") -> bool:
    """Whether what the clause says of ``text[start:end]`` holds of something wider, too."""
    if language not in LANGUAGES:
        return True
    if _is_in_question(text, start, end, language) or (label == "DEM" and _is_all_of_a_people(text, start, end)):
        return False
    lead = read_lead(text, start, language)
    within: list[Operator] = []
    if label in ("DEM", "LOC", "ORG") and text[start:end][:1].islower():
        within = read_lead(text, end, language).operators  # "every nurse"
    before = [operator for operator in lead.operators if not _is_bound_of_number(operator, text, start)]
    ignored = {"concerns"} if label == "DATETIME" else {"concerns", "frequencies"}
    if any(operator.kind not in ignored for operator in (*before, *within)) or _is_denied_of_another(
        text, end, language
    ):
        return False
    clause = text[lead.start : start].strip().lower()
    is_fronted = _phrases(language, "fronts").fullmatch(clause.rpartition(",")[2].strip()) is not None
    is_time = label == "DATETIME"
    after = operators_after(text, end, language, of_time=is_time)
    if is_fronted and (comma := _TO_COMMA_BEHIND.match(text, end)):
        after += operators_after(text, comma.end(), language, of_time=is_time)  # "On [3 May], she did not work."
    if any(operator.kind != "denials" for operator in after):
        return False
    if not after or load_toml("clauses", language, _PACKAGE)["denies_after_verb"]:
        return not after
    return lead.has_verb or (not is_fronted and _phrases(language, "subjects").match(clause) is not None)


def _is_denied_of_another(text: str, end: int, language: str) -> bool:
    """Whether what is said is denied of another behind it: born in [Leeds], but his brother was not."""
    if "elided_denials" not in load_toml("clauses", language, _PACKAGE):
        return False
    rest = _SENTENCE_END.match(text, end, min(len(text), end + _LONGEST))
    return rest is not None and _phrases(language, "elided_denials").search(text, end, rest.end()) is not None


def is_bound_of_time(text: str, start: int, language: str) -> bool:
    """Whether a clause compares with a time: what was before [3 May] need not have been before May."""
    if language not in LANGUAGES:
        return False
    words = "|".join(load_toml("clauses", language, _PACKAGE)["bounds_of_times"])
    before = text[max(0, start - _AHEAD) : start]
    return re.search(rf"(?<!\w)(?:{words})\s+(?:{_ARTICLES}\s*)?\Z", before, re.IGNORECASE) is not None


def _is_bound_of_number(operator: Operator, text: str, start: int) -> bool:
    """Whether it belongs to the number behind it, whose hierarchy reads it: "less than [40]"."""
    is_adjacent = text[operator.end : start].strip(" €$£") == "" and any(map(str.isdigit, text[start : start + 2]))
    return is_adjacent and operator.word.rpartition(" ")[2] in ("than", "de", "que", "a", "most")


def _is_in_question(text: str, start: int, end: int, language: str) -> bool:
    """Whether it is asked for. When or why somebody came to Leeds is asked of somebody who did."""
    rest = _SENTENCE_END.match(text, end, min(len(text), end + _LONGEST))
    if rest is None or text[rest.end() : rest.end() + 1] != "?":
        return False
    clause = text[read_lead(text, start, language).start : start]
    return _phrases(language, "presupposing").match(clause.lstrip(" \"“'¿-–")) is None


def _is_all_of_a_people(text: str, start: int, end: int) -> bool:
    """ "The Norwegians" are all of them, as are "Norwegians" that a sentence begins with."""
    surface = text[start:end].strip()
    if not surface[:1].isupper() or not is_plural(surface.split()[-1].lower()):
        return False
    previous = word_before(text, start)[0].lower()
    return previous in ("the", "these", "those") or (not previous and begins_sentence(text, start))
