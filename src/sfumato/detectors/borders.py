"""Borders of spans: where a span must end, and what belongs to it whole: words, numbers, names, brackets."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from sfumato.annotated_text import read_once
from sfumato.detectors.everyday import COMMON, LISTED, EverydayWords, may_name
from sfumato.detectors.rules.patterns import any_of, word_list
from sfumato.detectors.rules.people import SMALL_WORDS_IN_NAMES, UPPER
from sfumato.document import Span, merge_spans
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import LEGAL_FORMS, NOT_IN_NAMES_OF_PEOPLE, PARTICLES, is_title, lookup_key
from sfumato.lexicon.time import mentions_time
from sfumato.lexicon.tokens import ALPHANUMERIC, LETTERS, find_at, lazy_pattern

TextRange = tuple[int, int]

_SMALL_WORDS = frozenset(word_list("spans.small_words"))
_LOOSE_BEFORE = ' \t\r\n\u00a0>|,;:*•"“”)]'
_LOOSE_AFTER = ' \t\r\n\u00a0<|,;:*•"“”([–—'
_LAST_WORD = lazy_pattern(r"(?:^|[\s,-])([^\W\d_]{3,})\.$")
_ABBREVIATIONS = frozenset(
    {form.casefold().rstrip(".") for form in LEGAL_FORMS} | set(word_list("spans.abbreviations"))
)


# Where a span must end: lines, sentences, cells, and what stands before a colon.

_CELL = lazy_pattern(r"[ \t]*(?:\t|\||[ \u00a0]{3})[|\s]*")
_LINE = lazy_pattern(r"[ \t\r]*\n[ \t]*")
_SENTENCE = lazy_pattern(rf"[.!?…][\"'”’»)\]]*\s+(?=[\"'“‘«(¿¡]?[{UPPER}])")
_KEY = lazy_pattern(r":\s+")
_BETWEEN_PEOPLE = lazy_pattern(r"\s+[/→>]+\s+")
_FIELD = lazy_pattern(r"[^\n:>]{1,30}[:>](?:\s|$)|[-*•>|#]")
_NAMED_BY_WORDS = frozenset({"LOC", "CODE"})
"""Kinds that everyday words may name: Station Road, a password."""
_WITHOUT_KEYS = frozenset({"DATETIME", "CODE", "QUANTITY"})
_LONGEST_ABBREVIATION = 4
_SHORT_LINE = 20
_WRAPPED_LINE = 40
"""A line of at least so many characters may go on in the next one; a shorter one is a line of a form or a list."""


def cut_at_borders(text: str, spans: Iterable[Span], everyday: EverydayWords) -> Iterator[Span]:
    """The spans of models, cut where a field, a cell, a line, a sentence or a paragraph ends; those of rules as given.

    A line may go on in the next one where the text is wrapped; an address has several lines. Of a span that is cut,
    pieces of only everyday words are left out: the name of a field, the beginning of the next sentence.
    """
    for span in spans:
        if span.source.startswith(("rules:", "recipe:")):
            yield span
            continue
        borders = _borders(text, span, everyday)
        starts, ends = [span.start, *(end for _, end in borders)], [*(start for start, _ in borders), span.end]
        is_cut = any(text[start] != '"' for start, _ in borders)
        for start, end in zip(starts, ends, strict=True):
            if start < end and not (is_cut and _has_only_everyday_words(text[start:end], span.label, everyday)):
                yield span.moved(start, end)


def _has_only_everyday_words(piece: str, label: str, everyday: EverydayWords) -> bool:
    if label in _NAMED_BY_WORDS or any(map(str.isdigit, piece)):
        return not piece.strip()
    if lookup_key(piece.strip()) in name_lists.places():
        return False

    def is_everyday(word: str) -> bool:
        if is_title(word):
            return True
        is_name = label == "PERSON" and word[0].isupper() and may_name(word)
        return not is_name and everyday.includes(word, label)

    return all(map(is_everyday, LETTERS.findall(piece)))


def _borders(text: str, span: Span, everyday: EverydayWords) -> list[TextRange]:
    string = text[span.start : span.end]
    borders = [match.span() for match in _CELL.finditer(string)]
    if "\n" in string:
        borders += [
            match.span()
            for match in _LINE.finditer(string)
            if not _goes_on(text, span.start + match.start(), span.start + match.end(), span.label)
        ]
    borders += [
        (match.start() + 1, match.end())
        for match in _SENTENCE.finditer(string)
        if match[0][0] != "." or _ends_sentence_surely(string[: match.start() + 1], everyday)
    ]
    if span.label not in _WITHOUT_KEYS:
        borders += [match.span() for match in _KEY.finditer(string)]
    if span.label == "PERSON":
        borders += [match.span() for match in _BETWEEN_PEOPLE.finditer(string)]
    if span.label == "PERSON" and string.count('"') % 2:
        quotation = string.index('"')
        borders.append((quotation, quotation + 1))
    return [(span.start + start, span.start + end) for start, end in sorted(borders)]


def _ends_sentence_surely(string: str, everyday: EverydayWords) -> bool:
    """Whether a full stop within a span ends a sentence: an abbreviation is short, and neither a word nor a name."""
    if not ends_sentence(string):
        return False
    word = LETTERS.findall(string)[-1]
    return len(word) > _LONGEST_ABBREVIATION or may_name(word) or everyday.includes(word)


def _goes_on(text: str, line_end: int, next_start: int, label: str) -> bool:
    """Whether what stands before a line break goes on after it: a wrapped line, or a further line of an address."""
    if "\n" in text[text.find("\n", line_end) + 1 : next_start] or _FIELD.match(text, next_start):
        return False
    if label == "LOC":
        return True
    line = text[text.rfind("\n", 0, line_end) + 1 : line_end]
    next_line = text[next_start : next_start + _SHORT_LINE].partition("\n")[0]
    is_heading = len(next_line) < _SHORT_LINE and not next_line.endswith((".", ",", "!", "?"))
    return len(line) >= _WRAPPED_LINE and not line.endswith((".", ":", ";", "!", "?")) and not is_heading


def ends_sentence(string: str) -> bool:
    """Whether the full stop at the end belongs to the sentence, not to an abbreviation: Tomás. but not Ltd. or S.A."""
    last = _LAST_WORD.search(string)
    return last is not None and last[1].casefold() not in _ABBREVIATIONS and not is_title(last[1])


# What belongs together: a number with its separators, a code, a name with its hyphens.

_JOINED = lazy_pattern(r"(?<![^\W_])[^\W_]++(?:(?:[.,:/'’‑–-]|_++)[^\W_]++)+")
_JOINING_SIGN = lazy_pattern(r"[.,:/'’‑–_-](?<=[^\W_].)(?=_*[^\W_])")
_PART = lazy_pattern(r"[^\W_]+")
_HYPHENS = "-‑–'’"
_LONGEST_SYLLABLE = 5
_HAS_DIGIT_OR_LINE = lazy_pattern(r"[\d_]")
_GLUED = lazy_pattern(r"[-‑](?:[^\W\d_A-Z]{1,4}[-‑]?)?")
"""What stands between the parts of one name without a space: "-en-" in Tremblay-en-France."""
_ADJOINING_NUMBER_BEFORE = lazy_pattern(r"[^\W_][.,:/’'–-]$")
_ADJOINING_NUMBER_AFTER = lazy_pattern(r"[.,:/’'–-][^\W_]|[ ]?%")


@read_once
def compounds(text: str, everyday: EverydayWords, without_names: bool = False) -> Sequence[TextRange]:
    """Ranges of more than one word that are one number, code or name: 4.1, PHQ-9, some_user, O'Brien, Min-jun, K.P.

    ``without_names``: leave out names, which have no digit; to tell them the language must be known.
    Asked for again each time that the spans of a text are merged.
    """
    ranges = []
    for match in find_at(_JOINED, text, _starts_of_joined(text)):
        if without_names and not _HAS_DIGIT_OR_LINE.search(match[0]):
            continue
        parts = list(_PART.finditer(text, *match.span()))
        start = parts[0].start()
        for before, after in zip(parts, [*parts[1:], None], strict=True):
            if after is None or not _joins(before[0], text[before.end()], after[0], everyday):
                if start < before.start():
                    ranges.append((start, before.end()))
                start = after.start() if after else start
    return ranges


def _starts_of_joined(text: str) -> Iterator[int]:
    """Where the letters and digits begin that a sign joins to others."""
    for sign in _JOINING_SIGN.finditer(text):
        start = sign.start()
        while start and text[start - 1].isalnum():
            start -= 1
        yield start


def _joins(before: str, mark: str, after: str, everyday: EverydayWords) -> bool:
    if mark == "_":
        return True
    if before[-1].isdigit() and after[0].isdigit():
        return mark not in _HYPHENS[3:]
    if mark == "." and len(before) == len(after) == 1:
        return before.isalpha() and after.isalpha()
    if mark not in _HYPHENS:
        return False
    if any(map(str.isdigit, before + after)):
        words = [part for part in (before, after) if not any(map(str.isdigit, part))]
        return mark in "-‑" and all(word.isupper() for word in words)
    if mark in "'’":
        return before[0].isupper() and after[0].isupper()
    if before[0].isupper() and after[0].isupper():
        return not (everyday.includes(before) and everyday.includes(after))
    # Min-jun, Eun-ji; not UK-based
    is_name = before[0].isupper() and not before.isupper() and mark != "–"
    return is_name and after.islower() and len(after) <= _LONGEST_SYLLABLE and everyday.rank(after) > COMMON


def is_part_of_number(text: str, start: int, end: int) -> bool:
    """Whether a range begins or ends with a digit beside a sign that belongs to the same number: the 1 of "4.1"."""
    if text[start].isdigit() and _ADJOINING_NUMBER_BEFORE.search(text, max(0, start - 2), start):
        return True
    return text[end - 1].isdigit() and _ADJOINING_NUMBER_AFTER.match(text, end) is not None


def complete_spans(text: str, spans: Sequence[Span], everyday: EverydayWords) -> list[Span]:
    """Disjoint, sorted spans that neither begin nor end within a compound or between brackets that belong together.

    Spans that share a compound become one: a code where it has digits and one of them is one, else a person.
    """
    if not spans:
        return []
    all_ranges = compounds(text, everyday, without_names=all(span.label != "PERSON" for span in spans))
    numbers = [(start, end) for start, end in all_ranges if _HAS_DIGIT_OR_LINE.search(text, start, end)]

    def extend(start: int, end: int, ranges: Sequence[TextRange], starts: Sequence[int]) -> TextRange:
        first, last = bisect_right(starts, start) - 1, bisect_left(starts, end) - 1
        if first >= 0 and ranges[first][1] > start:
            start = ranges[first][0]
        if last >= 0 and ranges[last][1] > end:
            end = ranges[last][1]
        return start, end

    all_starts, number_starts = ([start for start, _ in ranges] for ranges in (all_ranges, numbers))
    completed: list[Span] = []
    for span in spans:
        # Of names only those of people: "Bayer-Aufkleber" is not "Bayer".
        places = (all_ranges, all_starts) if span.label == "PERSON" else (numbers, number_starts)
        whole = span.moved(*_balance(text, *extend(span.start, span.end, *places)))
        if span.label == "PERSON" and (
            particles := _PARTICLES_BEFORE.search(text, max(0, whole.start - 24), whole.start)
        ):
            has_capitals = particles.lastgroup != "capitals" or text[whole.start : whole.start + 2].isupper()
            whole = whole.moved(particles.start(), whole.end) if has_capitals else whole
        may_have_state = (
            span.label == "LOC" and text[whole.start].isupper() and not text[whole.start : whole.end].isupper()
        )
        if may_have_state and (state := _STATE_AFTER.match(text, whole.end)):
            whole = whole.moved(whole.start, state.end())
        if completed and (whole.start < completed[-1].end or _GLUED.fullmatch(text, completed[-1].end, whole.start)):
            has_digits = any(map(str.isdigit, text[completed[-1].start : whole.end]))
            completed[-1] = _unite(completed[-1], whole, "CODE" if has_digits else "PERSON")
        else:
            completed.append(whole)
    return completed


_PARTICLES_BEFORE = lazy_pattern(
    rf"(?<![\w.])(?:(?P<capitals>(?:(?:{any_of(word.upper() for word in PARTICLES)})[ \u00a0])++)"
    rf"|(?P<short>(?:[{UPPER}]\.[ \u00a0]?){{1,3}}(?:[vdz]\.?[ \u00a0]?){{1,3}}(?<=[ \u00a0.])))\Z"
)
"""Particles before a surname in capitals, and initials with shortened ones: VAN DEN, I. v."""
_STATE_AFTER = lazy_pattern(
    rf",[ \u00a0]{any_of(word_list('addresses.us_states'))}(?![\w'’-]|[ \u00a0]?[?!]|[ \u00a0][{UPPER}]{{2}})"
)
"""The state after a town: Salem, OR. Not what is asked or shouted: "Salem, OK?", "Roma, AL CENTRO"."""


def _unite(first: Span, second: Span, label: str = "PERSON") -> Span:
    """One span over both: what has the label where one of them has it, else what the likelier of them says."""
    likelier = max(first, second, key=lambda span: (span.label == label, span.score, len(span)))
    return likelier.moved(first.start, max(first.end, second.end))


_BRACKETS = {")": "(", "]": "[", "}": "{", "”": "“", "»": "«", "“": "„"}
_BRACKETS_AND_QUOTES = frozenset((*_BRACKETS, *_BRACKETS.values(), '"'))


def _balance(text: str, start: int, end: int) -> TextRange:
    """The range with the bracket or quotation mark beside it whose counterpart is inside: (270) 555-0143.

    A bracket at its end whose counterpart is outside is left off, and so is a single quotation mark before it.
    """
    if text.startswith("'", start) and text.startswith("'", end) and "'" not in text[start + 1 : end]:
        start += 1
    if _BRACKETS_AND_QUOTES.isdisjoint(text[start:end]):
        return start, end
    for closing, opening in _BRACKETS.items():
        inside = text.count(opening, start, end) - text.count(closing, start, end)
        if inside < 0 and text[end - 1] == closing:
            end -= 1
        elif inside < 0 and text.endswith(opening, 0, start):
            start -= 1
        elif inside > 0 and text[start] == opening:
            start += 1
        elif inside > 0 and text.startswith(closing, end):
            end += 1
    if text.count('"', start, end) % 2 and text.startswith('"', end):
        end += 1
    return start, end


# Names of several words.

_BETWEEN_NAMES = lazy_pattern(rf"[ \u00a0\n](?:{any_of(PARTICLES)}[ \u00a0'’-]){{0,3}}")
_MAIDEN_NAME = lazy_pattern(rf",?[ \u00a0][(]?{any_of(word_list('names.maiden'))}\.?[ \u00a0]")
_NICKNAME = lazy_pattern(rf"[ \u00a0][\"“„‘'«][{UPPER}][^\W\d_]+(?:[ -][^\W\d_]+)?[\"”“’'»][ \u00a0]")
_OPENING = lazy_pattern(r"[ \u00a0][\"“„‘'«]")
_REST_OF_NAME = lazy_pattern(rf"[\"”“’'»][ \u00a0][{UPPER}]")
_SURNAME_FIRST = lazy_pattern(r",[ \u00a0]")
_LAST_NAME = lazy_pattern(rf"(?<=[^\W\d_])[ \u00a0](?P<name>[{UPPER}][^\W\d_]+)$")
_FIRST_NAME = lazy_pattern(rf"(?P<name>[{UPPER}][^\W\d_]+)[ \u00a0](?=[^\W\d_{UPPER}])")
_FIELD_START = lazy_pattern(r"(?:^|[\n:;|\"=>(\t.)-]|[ ]{2})[ \t]*$")
_FIELD_END = lazy_pattern(r"[ \t]*(?:$|[\n\r|;:()<\"\t\d]|,[ ]?\d|[ ]{2}|\.(?:\s|$))")
_CLOSINGS = frozenset((*word_list("introductions.closings"), *word_list("introductions.salutations")))
_NAME_WORD = lazy_pattern(r"[^\W\d_][\w'’‑–.-]*")
_LEGAL_FORM = lazy_pattern(rf"(?<!\w){any_of(form for form in LEGAL_FORMS if len(form) > 2)}\.?$")
_PARTS_OF_FIRMS = frozenset({"PERSON", "ORG", "LOC", "MISC"})
_LONGEST_NAME = 7
_LONGEST_GAP = 24
_LIKELY = 0.5


def join_names(text: str, spans: Sequence[Span], everyday: EverydayWords) -> list[Span]:
    """Disjoint, sorted spans in which the parts of one person's name are one span.

    Parts stand beside each other, or have a particle, a nickname in quotation marks, "née" or the comma of a list
    ("Smith, Anna") between them. One of them must be a person, and all must read as a name.
    """
    joined: list[Span] = []
    for span in spans:
        for part in _split_name_off(text, joined, span):
            if joined and _is_one_organisation(text, joined[-1], part):
                joined[-1] = replace(_unite(joined[-1], part), label="ORG")
            elif joined and _is_one_name(text, joined[-1], part, everyday):
                name = replace(_unite(joined[-1], part), label="PERSON")
                joined[-1] = name.moved(*_balance(text, name.start, name.end))
            else:
                joined.append(part)
    return joined


def _split_name_off(text: str, before: list[Span], span: Span) -> list[Span]:
    """The span, its first word apart where that goes on the name before it; so is the last one of the span before.

    "chef Aurélie" beside a person "CAZALS": an attribute and a name.
    """
    if not before or text[before[-1].end : span.start] not in (" ", "\u00a0"):
        return [span]
    last = before[-1]
    if span.label == "PERSON" != last.label and (name := _LAST_NAME.search(text, last.start, last.end)):
        if may_name(name["name"]):
            before[-1:] = [last.moved(last.start, name.start()), last.moved(name.start("name"), last.end)]
    elif last.label == "PERSON" != span.label and (name := _FIRST_NAME.match(text, span.start, span.end)):
        return [span.moved(span.start, name.end("name")), span.moved(name.end(), span.end)]
    return [span]


def _is_one_name(text: str, first: Span, span: Span, everyday: EverydayWords) -> bool:
    if span.start - first.end > _LONGEST_GAP:
        return False
    if len(_NAME_WORD.findall(text, first.start, span.end)) > _LONGEST_NAME:
        return False
    between = text[first.end : span.start]
    if _SURNAME_FIRST.fullmatch(between):
        return _is_surname_first(text, first, span)
    is_direct = _BETWEEN_NAMES.fullmatch(between)
    if "PERSON" not in (first.label, span.label):
        return False
    is_quoted = _OPENING.fullmatch(between) and _REST_OF_NAME.match(text, span.end)
    is_nickname = _NICKNAME.fullmatch(between) or is_quoted
    if not (is_direct or is_nickname or _MAIDEN_NAME.fullmatch(between)):
        return False
    string = text[span.start : span.end]
    if "\n" in between and not _goes_on(text, first.end, span.start, "PERSON"):
        return False
    if is_direct and between.strip() and span.label == "LOC" and lookup_key(string) in name_lists.large_places():
        return False  # "Anna de Madrid" is from there
    if text[first.end - 2 : first.end] in ("'s", "’s"):
        return False
    if is_title(string.split()[0]):
        return False
    return _reads_as_name(text, first, everyday, slice(-1, None)) and _reads_as_name(text, span, everyday, slice(1))


def _reads_as_name(text: str, span: Span, everyday: EverydayWords, adjoining: slice) -> bool:
    """Whether a span can be a part of a person's name: the adjoining word is capitalised.

    Of another label than a person all words must be, and none may be an everyday word.
    """
    words = [word.rstrip(".") for word in _NAME_WORD.findall(text, span.start, span.end)]
    if not words or any(map(str.isdigit, text[span.start : span.end])):
        return False
    if span.label == "PERSON":
        return all(word[0].isupper() or word in SMALL_WORDS_IN_NAMES for word in words[adjoining])

    def is_name(word: str) -> bool:
        key = lookup_key(word)
        is_other = key in NOT_IN_NAMES_OF_PEOPLE or word in name_lists.demonyms() or key in name_lists.occupations()
        return word[0].isupper() and not is_other and not everyday.includes(word)

    return all(is_name(word) for word in words if word not in SMALL_WORDS_IN_NAMES and not is_title(word))


def _is_one_organisation(text: str, first: Span, span: Span) -> bool:
    """Whether two spans beside each other are one name: a place and what is there ("Leeds", "Burns Unit"), or a firm's
    name that ends with its legal form: "Quorvex", "Belnik Ltd"."""
    if text[first.end : span.start] not in (" ", "\u00a0") or first.label not in _PARTS_OF_FIRMS:
        return False
    if (first.label, span.label) == ("LOC", "ORG") and not any(map(str.isdigit, text[first.start : first.end])):
        return text[first.start].isupper() and text[span.start].isupper()
    return text[first.start].isupper() and _LEGAL_FORM.search(text, span.start, span.end) is not None


def _is_surname_first(text: str, first: Span, span: Span) -> bool:
    """ "Smith, Anna" in a list or field: a surname at its beginning, a comma, given names, and its end."""
    surname, given = text[first.start : first.end], text[span.start : span.end].partition("(")[0]
    is_upper = surname.isupper() and not given.isupper()
    if not is_upper and not _FIELD_START.search(text, max(0, first.start - 4), first.start):
        return False
    words = _NAME_WORD.findall(given)
    if not words or any(map(str.isdigit, surname + given)) or not all(word[0].isupper() for word in words):
        return False
    keys = [lookup_key(word.rstrip(".")) for word in words]
    is_given = all(key in name_lists.given_names() or len(key) == 1 or "-" in key for key in keys)
    is_person = "PERSON" in (first.label, span.label)
    if is_upper and is_person:
        return True
    parts = [lookup_key(word) for word in _NAME_WORD.findall(surname)] or [""]
    is_only_given = parts[0] in name_lists.given_names() and parts[0] not in name_lists.family_names()
    is_surname = len(parts) == 1 and not is_only_given and parts[0] not in _CLOSINGS
    is_certain = is_person or keys[0] not in name_lists.places()
    return is_given and is_surname and is_certain and _FIELD_END.match(text, span.end) is not None


# What is left over at the edges.

_LONGEST_TITLE = 16
_INITIALS = lazy_pattern(rf"(?<!\w)[{UPPER}]\.[ \u00a0-]?[{UPPER}]\.|(?:^|(?<=\n))[{UPPER}]\.?(?=\s|$)", re.MULTILINE)
"""Initials of two names, or one initial as a signature."""


def trim_spans(text: str, spans: Iterable[Span]) -> list[Span]:
    """Spans without white space and loose marks at their ends; those of only small words ("of") and titles are dropped.

    Merging cuts such pieces off, and repeated through a document they would take every "of" out of it.
    """
    trimmed = []
    for span in spans:
        string = text[span.start : span.end]
        if not _is_short_name(text, span) and all(map(_is_small_word, ALPHANUMERIC.findall(string))):
            continue
        start = span.start + len(string) - len(string.lstrip(_LOOSE_BEFORE))
        end = span.end - len(string) + len(string.rstrip(_LOOSE_AFTER))
        if text[start:end].endswith(".") and ends_sentence(text[start:end]):
            end -= 1
        trimmed.append(span.moved(*_balance(text, start, end)))
    return trimmed


def _is_short_name(text: str, span: Span) -> bool:
    """Whether a person's name is initials, or a small word after a title: Dr Au."""
    words = text[span.start : span.end].split()
    if span.label != "PERSON" or not words:  # merging may leave the blank between two other spans
        return False
    before = text[max(0, span.start - _LONGEST_TITLE) : span.start].split()
    is_after_title = any(map(is_title, (*before[-1:], *words[:-1]))) and not is_title(words[-1])
    has_capital = words[-1][:1].isupper()
    return (is_after_title and has_capital) or _INITIALS.search(text, max(0, span.start - 1), span.end + 2) is not None


def _is_small_word(word: str) -> bool:
    return word.lower() in _SMALL_WORDS or is_title(word)


_TOKEN = lazy_pattern(r"\S+")
_WITHIN_NAMES = PARTICLES | name_lists.SURNAME_CONJUNCTIONS
_AROUND_WORDS = ",;:.!?()\"'“”‘’"


def trim_everyday_words(text: str, spans: Iterable[Span], everyday: EverydayWords) -> Iterator[Span]:
    """People that the tagger or the rules found, without everyday words at their ends.

    "at bedside" is no name, and of "told Anna Quorvex LOVES" only the two words in the middle are. A span of the tagger
    without any other word is dropped, and one with everyday words in its middle is cut there.
    """
    common = name_lists.common_words()
    for span in spans:
        if span.label != "PERSON" or not span.source.startswith(("tagger:", "rules:")):
            yield span
            continue
        words = list(_TOKEN.finditer(text, span.start, span.end))
        string = text[span.start : span.end]
        is_telling = [not _is_loose_word(word[0].strip(_AROUND_WORDS), string, everyday) for word in words]
        if words and _BEFORE_SENTENCE.search(text, max(0, span.start - 9), span.start):
            is_telling[0] &= not _is_first_function_word(words[0][0].strip(_AROUND_WORDS), len(words), everyday)
        if everyday.has_capital_nouns:  # "Anna zu Bett"
            for index, (particle, noun) in enumerate(pairwise(word[0] for word in words)):
                if particle in PARTICLES and not may_name(noun) and everyday.includes(noun.strip(_AROUND_WORDS)):
                    is_telling[index : index + 2] = False, False
        if all(is_telling):
            yield span
            continue
        loose = [word[0] for word, telling in zip(words, is_telling, strict=True) if not telling]
        is_small = not any(map(str.isupper, loose))
        if string.islower() and any(is_telling):  # a name that is spelled out
            first, last = is_telling.index(True), len(words) - is_telling[::-1].index(True)
            is_telling[first:last] = [True] * (last - first)
        for first, last in _runs(is_telling):
            run = [word[0].strip(_AROUND_WORDS) for word in words[first : last + 1]]
            # Nor "Beste collega", where the first word has its capital from the sentence.
            is_common = is_small and all(lookup_key(word) in common for word in run)
            if span.source.startswith("rules:") or not is_common:
                start = span.start if first == 0 else words[first].start()
                yield span.moved(start, span.end if last == len(words) - 1 else words[last].end())


_THINGS = frozenset({"LOC", "ORG", "MISC"})
_SURE = 0.95
"""The least score at which everyday words in small letters are taken for a thing's name."""


def trim_function_words(text: str, spans: Iterable[Span], everyday: EverydayWords) -> Iterator[Span]:
    """Places, organisations and other things that the tagger found, without small function words at their ends.

    One of everyday words in small letters alone ("rodajas", "collier") is dropped unless the tagger is sure. Of dates,
    ages, amounts and codes, only the words behind the last number go: *3.1. da*, *9122 of*; of dates also what follows
    behind a function word and says no time: *marzo de ingeniero*.
    """
    for span in spans:
        if not span.source.startswith("tagger:") or span.label == "PERSON":
            yield span
            continue
        if span.label == "DATETIME":
            span = _trim_to_time(text, span, everyday)
        if span.label not in _THINGS:
            yield span.moved(span.start, span.start + _length_to_last_number(text[span.start : span.end], everyday))
            continue
        words = list(_TOKEN.finditer(text, span.start, span.end))
        kept = [index for index, word in enumerate(words) if not _is_small_function_word(word[0], everyday)]
        if not kept:
            continue
        rest = [words[index][0].strip(_AROUND_WORDS) for index in kept]
        is_everyday = all(word.islower() and everyday.includes(word, span.label) for word in rest)
        if is_everyday and span.score < _SURE:
            continue
        start = span.start if kept[0] == 0 else words[kept[0]].start()
        end = span.end if kept[-1] == len(words) - 1 else words[kept[-1]].end()
        yield span.moved(start, end)


def _trim_to_time(text: str, span: Span, everyday: EverydayWords) -> Span:
    """A date without what follows its last time behind a function word, where that says no time."""
    words = list(_TOKEN.finditer(text, span.start, span.end))
    is_small = [_is_small_function_word(word[0], everyday) for word in words]
    times = [index for index, word in enumerate(words) if mentions_time(word[0]) and not is_small[index]]
    if not times or times[-1] + 1 == len(words) or not is_small[times[-1] + 1]:
        return span
    return span.moved(span.start, words[times[-1]].end())


def _length_to_last_number(string: str, everyday: EverydayWords) -> int:
    """How long a string is without function words behind its last word with a digit; all of it without digits."""
    words = list(_TOKEN.finditer(string))
    last = next((index for index in range(len(words) - 1, -1, -1) if re.search(r"\d", words[index][0])), None)
    if last is None or not all(_is_small_function_word(word[0], everyday) for word in words[last + 1 :]):
        return len(string)
    return words[last].end()


def _is_small_function_word(word: str, everyday: EverydayWords) -> bool:
    bare = word.strip(_AROUND_WORDS)
    return bare.islower() and everyday.is_function_word(bare)


def _runs(flags: Sequence[bool]) -> Iterator[TextRange]:
    """First and last index of each run of true values."""
    start = None
    for index, flag in enumerate((*flags, False)):
        if flag and start is None:
            start = index
        elif not flag and start is not None:
            yield start, index - 1
            start = None


_BEFORE_SENTENCE = re.compile(r"(?:(?<![^\n])|(?<=[.!?…:])\s+|(?<=\n)\s+)[\"“”«'‘’¿¡(]*\Z")


def _is_first_function_word(word: str, count: int, everyday: EverydayWords) -> bool:
    """Whether a word with which a sentence begins is one of grammar, and no name: "Ninguna", but not "De Vries"."""
    if not word.istitle() or not everyday.is_function_word(word) or lookup_key(word) in name_lists.given_names():
        return False
    return count == 1 or not (word.lower() in PARTICLES or may_name(word))


def _is_loose_word(word: str, name: str, everyday: EverydayWords) -> bool:
    """Whether a word of what was taken for a name is an everyday word: in small letters, or in capitals by itself."""
    if len(word) < 2 or word in _WITHIN_NAMES or is_title(word):
        return False
    if word.isupper() and not name.isupper():
        return word.isalpha() and not may_name(word) and everyday.includes(word)
    if not word.isalpha() or not word.islower():
        return False
    if everyday.is_function_word(word):
        return lookup_key(word) not in name_lists.given_names()
    return not may_name(word) and everyday.includes(word, limit=None if name.islower() else LISTED)


def keep_names_whole(spans: Iterable[Span]) -> list[Span]:
    """The spans, other kinds cut back where they overlap the end or beginning of a person's name.

    Of two overlapping spans the longer one wins, which would cut "Anna Quorvex from Graz" after "Anna".
    """
    spans = list(spans)
    names = merge_spans(span for span in spans if span.label == "PERSON" and span.score >= _LIKELY)
    ends = [name.end for name in names]

    def cut(span: Span) -> Span | None:
        start, end = span.start, span.end
        index = bisect_right(ends, start)
        if index < len(names) and names[index].start < start < ends[index] < end:
            start = ends[index]
        index = bisect_left(ends, end)
        if index < len(names) and start < names[index].start < end < ends[index]:
            end = names[index].start
        return span.moved(start, end) if start < end else None

    cuts = (span if span.label == "PERSON" else cut(span) for span in spans)
    return [span for span in cuts if span is not None]


_EXACT_RULES = frozenset({"rules:age", "rules:date"})
"""Rules whose spans end where an age or a date does: "58 y.o.", "Sat 3/14 at 7 pm"."""


def drop_imprecise(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans without those of rules that the other detectors, which read context, have covered more exactly.

    Rules join what stands together ("48080 Bilbao") and include titles and full stops. Where other spans leave only
    marks, titles and small words of such a span uncovered, and one of them has the same label, their borders are
    better. A person's name is not cut in two at its particle ("van der").
    """
    spans = list(spans)
    exact = merge_spans(span for span in spans if not span.source.startswith("rules:"))
    if len(exact) in (0, len(spans)):
        return spans
    covered = _union(exact)
    covered_starts = [start for start, _ in covered]
    starts, ends = [span.start for span in exact], [span.end for span in exact]

    def is_uncovered(word: re.Match[str]) -> bool:
        index = bisect_right(covered_starts, word.start()) - 1
        return index < 0 or covered[index][1] < word.end()

    def is_imprecise(span: Span) -> bool:
        if not span.source.startswith("rules:") or span.source in _EXACT_RULES:
            return False
        words = list(ALPHANUMERIC.finditer(text, span.start, span.end))
        uncovered = list(map(is_uncovered, words))
        if any(is_open and not _is_small_word(word[0]) for word, is_open in zip(words, uncovered, strict=True)):
            return False
        if span.label == "PERSON":
            for (before, word), is_before_open, is_open in zip(pairwise(words), uncovered, uncovered[1:], strict=False):
                belongs_to_name = not is_before_open or is_title(before[0])
                if is_open and belongs_to_name and word[0] in SMALL_WORDS_IN_NAMES:
                    return False
        overlapping = exact[bisect_right(ends, span.start) : bisect_left(starts, span.end)]
        return any(other.label == span.label for other in overlapping)

    return [span for span in spans if not is_imprecise(span)]


def _union(spans: Iterable[Span]) -> list[TextRange]:
    """Sorted spans as ranges that do not touch."""
    ranges: list[TextRange] = []
    for span in spans:
        if ranges and span.start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(ranges[-1][1], span.end))
        else:
            ranges.append((span.start, span.end))
    return ranges
