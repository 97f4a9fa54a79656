"""Pass: names of several words that detectors found in pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sfumato.detectors.everyday import EverydayWords, everyday_words, may_name
from sfumato.detectors.passes.compounds import unite
from sfumato.detectors.passes.edges import balance
from sfumato.detectors.rules.name_parts import SMALL_WORDS_IN_NAMES, UPPER
from sfumato.detectors.rules.patterns import any_of, word_list
from sfumato.document import Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import LEGAL_FORMS, NOT_IN_NAMES_OF_PEOPLE, PARTICLES, is_title, lookup_key
from sfumato.lexicon.tokens import lazy_pattern

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


def join_names(text: str, spans: Sequence[Span]) -> list[Span]:
    """Disjoint, sorted spans in which the parts of one person's name are one span.

    Parts stand beside each other, or have a particle, a nickname in quotation marks, "née" or the comma of a list
    ("Smith, Anna") between them. One of them must be a person, and all must read as a name.
    """
    everyday = everyday_words(text)
    joined: list[Span] = []
    for span in spans:
        for part in _split_name_off(text, joined, span):
            if joined and _is_one_organisation(text, joined[-1], part):
                joined[-1] = replace(unite(joined[-1], part), label="ORG")
            elif joined and _is_one_name(text, joined[-1], part, everyday):
                name = replace(unite(joined[-1], part), label="PERSON")
                joined[-1] = name.moved(*balance(text, name.start, name.end))
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


_FIELD = lazy_pattern(r"[^\n:>]{1,30}[:>](?:\s|$)|[-*•>|#]")

_SHORT_LINE = 20

_WRAPPED_LINE = 40
"""A line of at least so many characters may go on in the next one; a shorter one is a line of a form or a list."""


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
