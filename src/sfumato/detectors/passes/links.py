"""Pass: mentions of the same person, organisation, place or code get one entity."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise

from sfumato.detectors.everyday import everyday_words
from sfumato.detectors.names import POSSESSIVE, link_people
from sfumato.detectors.rules.patterns import any_of, word_list
from sfumato.document import Span
from sfumato.lexicon.name_lists import LEGAL_FORMS, is_title
from sfumato.lexicon.tables import load_toml, words_of_all_languages
from sfumato.lexicon.tokens import (
    fold_phrase,
    lazy_pattern,
)

_FORMS = sorted({re.escape(form.casefold().rstrip(".")) for form in LEGAL_FORMS}, key=len, reverse=True)


_LEGAL_FORM = lazy_pattern(rf"(?<![\s,])[\s,]++(?:{'|'.join(_FORMS)})\.?$")


_ACRONYM_WORDS = frozenset(word_list("spans.acronym_words"))


_OPENING_QUOTE = lazy_pattern(r"[ \u00a0]\(?[\"“„«‘][ \u00a0]?")


_CLOSING_QUOTE = lazy_pattern(r"[ \u00a0]?[\"”“»’]")


_TITLE_LIKE_INITIAL = lazy_pattern(r"([^\W\d_])\.[ \u00a0](?=[^\W\d_]{2})")


_SHORTEST_WITH_TITLE = 5


_WORD_BEFORE = lazy_pattern(r"(?<!\w)([^\W\d_]+\.?)[ \u00a0]$")


_LONGEST_TITLE = 16


def link_mentions(text: str, spans: Sequence[Span]) -> list[Span]:
    """The same spans, each with an ``entity``; an entity that is set stays.

    People: full name, surname or given name alone, initials, possessive, any case, "Surname, Given". A surname that two
    people of the document share is linked to neither, and contradicting titles (Mr / Mrs) separate. Organisations: with
    or without legal form, the beginning of the name, and the acronym of its capitalised words. Everything else: the
    same string in any case and spacing; codes also without their separators.
    """
    by_label: dict[str, list[int]] = defaultdict(list)
    for index, span in enumerate(spans):
        if span.entity is None:
            by_label[span.label].append(index)
    entities: dict[int, str] = {}
    for label, indexes in by_label.items():
        mentions = [_with_title(text, spans[i]) for i in indexes]
        if label == "PERSON":
            mentions = _join_form_names(text, [spans[i] for i in indexes], mentions)
        for index, name in zip(indexes, _LINKERS.get(label, _link_strings)(mentions), strict=True):
            entities[index] = f"{label.lower()}:{name}"
    for i, (first, second) in enumerate(pairwise(spans)):
        if i in entities and i + 1 in entities and _is_alias(text, first, second):
            alias = entities[i + 1]
            entities |= {index: entities[i] for index, entity in entities.items() if entity == alias}
    return [span.linked(entities[i]) if i in entities else span for i, span in enumerate(spans)]


def _is_alias(text: str, first: Span, second: Span) -> bool:
    """Whether the second span is a nickname of the first: Hyun-woo ("Leo")."""
    if not first.label == second.label == "PERSON" or not _OPENING_QUOTE.fullmatch(text, first.end, second.start):
        return False
    return _CLOSING_QUOTE.match(text, second.end) is not None


def _with_title(text: str, span: Span) -> str:
    """The string of a span; of a person with the title before it, which may tell which of two people is meant."""
    string = text[span.start : span.end]
    if span.label != "PERSON":
        return string
    title = _TITLE_LIKE_INITIAL.match(string) if len(string) > _SHORTEST_WITH_TITLE else None
    if title and (written_out := _written_out_titles(everyday_words(text).language).get(title[1].lower())):
        return f"{written_out} {string[title.end() :]}"  # French "M. Quorvex"
    return title_before(text, span) + string


def _join_form_names(text: str, spans: Sequence[Span], mentions: Sequence[str]) -> list[str]:
    """The strings of people; where a form has a name in neighbouring fields, each part is the whole name."""
    joined = list(mentions)
    for parts in _form_names(text, spans):
        whole = " ".join(mentions[number] for number in parts)
        for number in parts:
            joined[number] = whole
    return joined


def _form_names(text: str, spans: Sequence[Span]) -> Iterator[list[int]]:
    """The numbers of spans that are one person's given names and surname, in this order, in fields of a form."""
    given: list[int] = []
    surname: list[int] = []
    field: str | None = None
    for number, span in enumerate(spans):
        end = spans[number - 1].end if number else -_LONGEST_GAP
        is_near = 0 <= span.start - end <= _LONGEST_GAP
        is_further = field == "given" and is_near and _FURTHER_NAME.fullmatch(text, end, span.start) is not None
        field = "given" if is_further else _name_field(text, span)
        is_complete = surname and (field == "surname" or (given and not is_further))
        if field is None or not is_near or is_complete:
            if given and surname:
                yield given + surname
            given, surname = [], []
        if field is not None:
            (given if field == "given" else surname).append(number)
    if given and surname:
        yield given + surname


def _name_field(text: str, span: Span) -> str | None:
    """Which part of a name a span is by the field before it, "surname" or "given": *Surname: Quorvex*."""
    match = _NAME_FIELD.search(text, max(0, span.start - _LONGEST_FIELD), span.start)
    return match.lastgroup if match else None


_LONGEST_FIELD = 40


_LONGEST_GAP = 60
"""Characters between two parts of a name in a form: the second field, and a line of other signs."""


_FURTHER_NAME = lazy_pattern(r"[\s\"']*,[\s\"']*")


_NAME_FIELD = lazy_pattern(
    rf"(?<!\w)(?:(?P<surname>{any_of(words_of_all_languages('names', 'surname_fields'))})"
    rf"|(?P<given>{any_of(words_of_all_languages('names', 'given_name_fields'))}))(?:\([a-z]{{1,2}}\))?\W{{1,16}}$",
    re.IGNORECASE,
)


def title_before(text: str, span: Span) -> str:
    before = _WORD_BEFORE.search(text, max(0, span.start - _LONGEST_TITLE), span.start)
    return before[0] if before and is_title(before[1]) else ""


@cache
def _written_out_titles(language: str) -> Mapping[str, str]:
    """Titles of a language that look like initials."""
    pairs = load_toml("names", language)["titles"].get("initials", "").split()
    return dict(pair.split("=", 1) for pair in pairs)


def _link_strings(mentions: Iterable[str]) -> list[str]:
    return [fold_phrase(POSSESSIVE.sub("", mention.strip())) for mention in mentions]


def _link_codes(mentions: Iterable[str]) -> list[str]:
    return [re.sub(r"[\s.\-/()]", "", mention).casefold() or mention for mention in mentions]


def _link_organisations(mentions: Sequence[str]) -> list[str]:
    cores = [_core(mention) for mention in mentions]
    longest_first = sorted(set(cores), key=lambda core: (-len(core), core))
    alphabetical = sorted(longest_first)
    acronyms: dict[str, dict[str, None]] = defaultdict(dict)
    for mention, core in dict.fromkeys(zip(mentions, cores, strict=True)):
        for acronym in _acronyms(mention):
            acronyms[acronym].setdefault(core)
    ids: dict[str, str] = {}
    for core in longest_first:
        longer_names: list[str] = []
        position = bisect_left(alphabetical, core + " ")
        # Two are enough to see that there is more than one.
        while position < len(alphabetical) and len(longer_names) < 2:
            name = alphabetical[position]
            if not name.startswith(core + " "):
                break
            longer_names += [name] if ids.get(name) == name else []
            position += 1
        candidates = longer_names or list(acronyms.get(core, ()))
        ids[core] = candidates[0] if len(candidates) == 1 and candidates[0] in ids else core
    return [ids[core] for core in cores]


def _core(mention: str) -> str:
    """The name of an organisation without article and legal form, folded."""
    core = fold_phrase(POSSESSIVE.sub("", mention.strip()))
    return _LEGAL_FORM.sub("", core.removeprefix("the ")) or core


def _acronyms(mention: str) -> set[str]:
    words = re.findall(r"[^\W\d_]+", mention)
    capitalised = [word for word in words if word[0].isupper()]
    if len(capitalised) < 2:
        return set()
    without_form = capitalised[:-1] if _LEGAL_FORM.search(mention.casefold()) else capitalised
    with_small_words = [word for word in words if word[0].isupper() or word in _ACRONYM_WORDS]
    return {
        "".join(word[0] for word in part).casefold()
        for part in (capitalised, without_form, with_small_words)
        if len(part) > 1
    }


_LINKERS: dict[str, Callable[[Sequence[str]], list[str]]] = {
    "PERSON": link_people,
    "ORG": _link_organisations,
    "CODE": _link_codes,
}
