"""Detectors beside each other: what one finds is found; borders settled, repeats looked for, mentions linked."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import NamedTuple

from sfumato import registry
from sfumato.detectors.base import DEFAULT_DETECTORS, Detector
from sfumato.detectors.entities import SubjectNames, link, repeated, without_outvoted
from sfumato.detectors.llm import cut_around_direct
from sfumato.detectors.rules.name_boundaries import SMALL_WORDS_IN_NAMES
from sfumato.detectors.rules.patterns import Pattern, PatternSet
from sfumato.document import LABELS, Document, Span, merge_spans
from sfumato.errors import PluginError, plugin_name
from sfumato.lexicon.name_lists import LEGAL_FORMS, is_title
from sfumato.lexicon.phrases import PhraseIndex
from sfumato.models.tokens import replace_surrogates

# -- Where a span begins and ends when several detectors found the same thing.


_WORD = re.compile(r"[^\W_]+")
_SMALL_WORDS = frozenset(
    "a an the no nr of and or in on at to by for from with s t de la el los las del y e o en con der die das des dem "
    "den und von zu im am le les du et à au aux un une il lo gli i di da do dos das os as het een van".split()
)
_LOOSE_BEFORE = ' \t\r\n\u00a0>|,;:*•"“”'
_LOOSE_AFTER = ' \t\r\n\u00a0<|,;:*•"“”'
_LAST_WORD = re.compile(r"(?:^|[\s,-])([^\W\d_]{3,})\.$")
_ABBREVIATIONS = frozenset(
    {form.casefold().rstrip(".") for form in LEGAL_FORMS} | set("esq prof hons jun sen vol apt ste ave blvd".split())
)


def tidied(text: str, spans: Iterable[Span]) -> list[Span]:
    """Spans without white space and loose marks at their ends; those of only small words ("of") and titles are dropped.

    Merging cuts such pieces off, and repeated through a document they would take every "of" out of it.
    """
    kept = []
    for span in spans:
        string = text[span.start : span.end]
        if all(map(_says_nothing, _WORD.findall(string))):
            continue
        start = span.start + len(string) - len(string.lstrip(_LOOSE_BEFORE))
        end = span.end - len(string) + len(string.rstrip(_LOOSE_AFTER))
        if text[start:end].endswith(".") and _ends_a_sentence(text[start:end]):
            end -= 1
        kept.append(span.moved(start, end))
    return kept


def _says_nothing(word: str) -> bool:
    return word.lower() in _SMALL_WORDS or is_title(word)


def _ends_a_sentence(string: str) -> bool:
    """Whether the full stop at the end belongs to the sentence, not to an abbreviation: Tomás. but not Ltd. or S.A."""
    last = _LAST_WORD.search(string)
    return last is not None and last[1].casefold() not in _ABBREVIATIONS


def without_rough(text: str, spans: Iterable[Span]) -> list[Span]:
    """The spans less those of rules that readers of context (all other detectors) have covered more exactly.

    Rules join what stands together ("48080 Bilbao") and take titles and full stops along. Where other spans leave
    nothing of such a span open but marks, titles and small words, and one of them agrees on its label, their borders
    are better; nothing that tells is uncovered by that. A person's name is not cut in two at its particle ("van der").
    """
    spans = list(spans)
    readers = merge_spans(span for span in spans if not span.source.startswith("rules:"))
    if len(readers) in (0, len(spans)):
        return spans
    covered = _union(readers)
    starts = [start for start, _ in covered]
    begins, ends = [span.start for span in readers], [span.end for span in readers]

    def is_open(start: int, end: int) -> bool:
        at = bisect_right(starts, start) - 1
        return at < 0 or covered[at][1] < end

    def find_labels(span: Span) -> set[str]:
        first = bisect_right(ends, span.start)
        return {reader.label for reader in readers[first : bisect_left(begins, span.end)]}

    def is_rough(span: Span) -> bool:
        if not span.source.startswith("rules:"):
            return False
        words = list(_WORD.finditer(text, span.start, span.end))
        opened = [is_open(*match.span()) for match in words]
        if any(is_left and not _says_nothing(word[0]) for word, is_left in zip(words, opened, strict=True)):
            return False
        if span.label == "PERSON":
            inside = zip(opened, opened[1:], words[1:], strict=False)
            if any(is_left and not before and word[0] in SMALL_WORDS_IN_NAMES for before, is_left, word in inside):
                return False
        return span.label in find_labels(span)

    return [span for span in spans if not is_rough(span)]


def _union(spans: Iterable[Span]) -> list[tuple[int, int]]:
    """Sorted spans as ranges that do not touch."""
    ranges: list[tuple[int, int]] = []
    for span in spans:
        if ranges and span.start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(ranges[-1][1], span.end))
        else:
            ranges.append((span.start, span.end))
    return ranges


# -- What a recipe adds by hand: patterns, terms that are always personal, terms that never are.


class UserTerms:
    """A recipe's patterns, deny-list and allow-list, over whatever the detectors found."""

    def __init__(
        self,
        patterns: Sequence[Pattern],
        allow: Iterable[str],
        deny: Mapping[str, Iterable[str]],
        least_score: float,
    ) -> None:
        self._least_score = least_score
        self._patterns = PatternSet(patterns) if patterns else None
        self._allowed: PhraseIndex[str] = PhraseIndex(match_case=False)
        for term in allow:
            self._allowed.add(term, term)
        self._denied: PhraseIndex[str] = PhraseIndex(match_case=False)
        for label, terms in deny.items():
            for term in terms:
                self._denied.add(term, label)

    def added(self, text: str) -> list[Span]:
        """Spans of the patterns and of the denied terms."""
        spans = [Span(hit.start, hit.end, hit.value, "direct", 1.0, "recipe:deny") for hit in self._denied.find(text)]
        if self._patterns:
            spans += [
                replace(span, source=span.source.replace("rules:", "recipe:", 1))
                for span in self._patterns.find(text)
                if span.score >= self._least_score
            ]
        return spans

    def without_allowed(self, text: str, spans: Iterable[Span]) -> list[Span]:
        """The spans less those that lie within an allowed term, or add only a title to one."""
        if not len(self._allowed):
            return list(spans)
        allowed = [(hit.start, hit.end) for hit in self._allowed.find(text)]
        starts = [start for start, _ in allowed]

        def is_allowed(span: Span) -> bool:
            start = span.start
            while len(words := text[start : span.end].split(maxsplit=1)) == 2 and is_title(words[0]):
                start = span.end - len(words[1])
            at = bisect_right(starts, start) - 1
            return at >= 0 and span.end <= allowed[at][1]

        return [span for span in spans if not is_allowed(span)]


# -- Detectors beside each other: what one finds is found; borders settled, repeats looked for, mentions linked.


BATCH_DOCUMENTS = 64
BATCH_CHARACTERS = 1_000_000
_REPEAT_ROUNDS = 4
_LABEL = re.compile(rf"(?<!\w)(?:{'|'.join(LABELS)})_[1-9]\d{{0,3}}(?!\w)")
"""A longer number may be somebody's: CODE_4417123456789113 is no label of ours."""

_ONE_CODE = ({"CODE", "QUANTITY"}, {"CODE", "MISC"})

NO_TERMS = UserTerms((), (), {}, 0.0)


class Detected(NamedTuple):
    """A batch's spans, and by id why a language model had nothing usable to say on a document."""

    spans: list[list[Span]]
    failed: Mapping[str, str]


class Detection:
    """The detectors of a run. Spans come out merged, disjoint, sorted and linked."""

    def __init__(
        self,
        detectors: Sequence[Detector],
        *,
        asking: Sequence[Detector] = (),
        terms: UserTerms = NO_TERMS,
        subjects: SubjectNames | None = None,
    ) -> None:
        """``asking``: those that ask a language model. ``subjects``: what ``learn`` found out in another process."""
        for detector in (*detectors, *asking):
            _check_languages(detector)
        self.detectors, self.asking = detectors, asking
        self.subjects = subjects
        self._terms = terms

    @property
    def languages(self) -> frozenset[str] | None:
        """What is covered, None for any language.

        A language model may say that it reads any language; what it missed there, no other detector would catch.
        """
        covered = [detector.languages for detector in self.detectors]
        if not covered or None in covered:
            return None
        return frozenset(code for codes in covered for code in codes or ())

    def learn(self, documents: Callable[[], Iterable[Document]]) -> None:
        """Read a corpus beforehand, so that who is named in one of a person's documents is hidden in all of them.

        Without language models: a text that is read twice is paid for once.
        """
        self.subjects = SubjectNames.learn(documents, self._plainly)

    def spans(self, documents: Iterable[Document]) -> Iterator[list[Span]]:
        """What the detectors that ask nobody find in each document."""
        for _, found in self._plainly(documents):
            yield found

    def _plainly(self, documents: Iterable[Document]) -> Iterator[tuple[Document, list[Span]]]:
        for batch in batches(documents):
            yield from zip(batch, self._found(batch, self.detectors), strict=True)

    def detect(self, batch: Sequence[Document]) -> Detected:
        """What stands in each document of a batch."""
        spans = self._found(batch, [*self.detectors, *self.asking])
        failed: dict[str, str] = {}
        for detector in self.asking:
            failed |= getattr(detector, "failed", {})
        return Detected(spans, failed)

    def _found(self, batch: Sequence[Document], detectors: Iterable[Detector]) -> list[list[Span]]:
        found: list[list[Span]] = [[] for _ in batch]
        read = [_readable(document) for document in batch]
        for detector in detectors:
            for document, spans, more in zip(batch, found, _checked(detector, read), strict=True):
                spans.extend(_beside_labels(document.text, more))
        return [self._settled(document, spans) for document, spans in zip(batch, found, strict=True)]

    def _settled(self, document: Document, spans: list[Span]) -> list[Span]:
        text = document.text
        kept = [*spans, *self._terms.added(text), *document.meta.get("marked", ())]
        kept = self._terms.without_allowed(text, kept)
        merged = without_outvoted(text, tidied(text, merge_spans(without_rough(text, cut_around_direct(kept)))))
        merged = _whole_codes(text, merged)
        if self.subjects is not None:
            known = self._terms.without_allowed(text, self.subjects.spans(document, merged))
            merged = tidied(text, merge_spans([*merged, *known]))
        # Merging can cut spans, and a piece cut off may stand elsewhere too: a few rounds settle it.
        for _ in range(_REPEAT_ROUNDS):
            again = self._terms.without_allowed(text, repeated(text, merged))
            if not again:
                break
            merged = tidied(text, merge_spans([*merged, *again]))
        return link(text, merged)


def _readable(document: Document) -> Document:
    """The document as any detector can read it, every offset as it was: half a surrogate pair is no character."""
    text = replace_surrogates(document.text)
    return document if text == document.text else replace(document, text=text)


def _beside_labels(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans without what they cover inside of a label that stands in the text already (``PERSON_1``)."""
    labels = [match.span() for match in _LABEL.finditer(text)]
    for span in spans:
        _, after = labels[at - 1] if (at := bisect_right(labels, (span.start, len(text)))) else (0, 0)
        before, last = labels[at - 1] if (at := bisect_left(labels, (span.end, 0))) else (0, 0)
        start = max(span.start, after)
        end = before if span.end <= last else span.end
        if text[start:end].strip():
            yield span.moved(start, end)


def _whole_codes(text: str, spans: Iterable[Span]) -> list[Span]:
    """A code and what adjoins it in the same word are one thing: 88213-AX is not a code beside a quantity."""
    found: list[Span] = []
    for span in spans:
        before = found[-1] if found else span
        code = before if before.label == "CODE" else span
        is_one = before.end == span.start and {before.label, span.label} in _ONE_CODE
        if is_one and not re.search(r"\s", text[before.start : span.end]):
            found[-1] = code.moved(before.start, span.end)
        else:
            found.append(span)
    return found


def _check_languages(detector: Detector) -> None:
    languages = getattr(detector, "languages", ())
    if languages is not None and not isinstance(languages, Set):
        raise PluginError(
            f"the detector {plugin_name(detector)} does not say in `languages` which it covers: a frozenset of codes "
            "such as frozenset({'en'}), or None for any (docs/plugins.md)"
        )


def _checked(detector: Detector, batch: Sequence[Document]) -> list[list[Span]]:
    """What the detector finds, refused where it is not one list of spans within its text for each document."""
    found = [list(spans) for spans in detector.detect(batch)]
    wrong = None
    if len(found) != len(batch):
        wrong = f"gave {len(found)} lists of spans for {len(batch)} documents"
    elif any(span.end > len(document.text) for document, spans in zip(batch, found, strict=True) for span in spans):
        wrong = "gave a span that ends after its text"
    if wrong is not None:
        raise PluginError(
            f"the detector {plugin_name(detector)} {wrong}: mend it (docs/plugins.md), or choose another; nothing is "
            "released"
        )
    return found


def named(name: str) -> Detection:
    """One detector by its name; ``default`` are those of the default recipe."""
    chosen = DEFAULT_DETECTORS if name == "default" else {name: {}}
    return Detection([registry.create("detector", one, options) for one, options in chosen.items()])


def batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Documents in groups that are worth a detector's while and fit in memory."""
    batch: list[Document] = []
    size = 0
    for document in documents:
        batch.append(document)
        size += len(document.text)
        if len(batch) >= BATCH_DOCUMENTS or size >= BATCH_CHARACTERS:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
