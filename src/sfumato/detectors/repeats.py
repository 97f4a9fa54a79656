"""What is personal once is personal everywhere: in the document, and in other documents of the same person."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sfumato.document import Document, Span
from sfumato.knowledge import lexicon
from sfumato.knowledge.honorifics import is_title
from sfumato.phrases import Hit, PhraseIndex, spaced

_SHORTEST_NAME = 4
_ENDINGS = ("s", "es", "a", "ova", "ová")
"""How a surname is bent in the languages we read: the Quorvexes, Quorvexs Haus, Quorvexová."""

_LIKELY = 0.5

_Value = tuple[Span, str | None]


class Repeats:
    """Strings found somewhere, each with a span that says what it is, to be found again.

    Always as whole words; names in any case unless they are also common words (Will), everything else as written.
    Of a full name its other forms are found too: the first and the last word alone, bent, turned round, with initials.
    """

    def __init__(self, found: Mapping[str, Span]) -> None:
        self._index: PhraseIndex[_Value] = PhraseIndex(match_case=False)
        for string, span in found.items():
            any_case = span.label == "PERSON" and not _is_common(string)
            self._index.add(string, (span, None if any_case else spaced(string)))
            if span.label == "PERSON":
                for form in _other_forms(string):
                    if form not in found:
                        self._index.add(form, (span, form))

    def find(self, text: str, known: Sequence[Span], note: str) -> list[Span]:
        """Where the strings stand in a text, outside the spans already known (disjoint, sorted)."""
        starts = [span.start for span in known]

        def is_as_written(hit: Hit[_Value]) -> bool:
            as_written = hit.value[1]
            return as_written is None or spaced(text[hit.start : hit.end]) == as_written

        def is_covered(hit: Hit[_Value]) -> bool:
            at = bisect_right(starts, hit.start) - 1
            return at >= 0 and hit.end <= known[at].end

        return [
            replace(hit.value[0], start=hit.start, end=hit.end, entity=None, source=f"{hit.value[0].source}+{note}")
            for hit in self._index.find(text, is_as_written)
            if not is_covered(hit)
        ]


def repeated(text: str, spans: Sequence[Span]) -> list[Span]:
    """The other places of a document where a found string stands; the spans are disjoint and sorted."""
    return Repeats({text[span.start : span.end]: span for span in spans}).find(text, spans, "repeated")


def without_outvoted(text: str, spans: Sequence[Span]) -> list[Span]:
    """The spans (disjoint, sorted) less the faint guesses whose string was let stand in most other places.

    What is replaced once must go everywhere, so a string is judged as one: a faint guess at one of five places would
    otherwise take all five. Direct identifiers are never put to the vote.
    """
    faint = Counter(text[span.start : span.end] for span in spans if _is_faint(span))
    if not faint:
        return list(spans)
    firm = {text[span.start : span.end] for span in spans if not _is_faint(span)}
    asked = {text[span.start : span.end]: span for span in spans if text[span.start : span.end] in faint.keys() - firm}
    standing = Counter(text[hit.start : hit.end] for hit in Repeats(asked).find(text, spans, "repeated"))
    outvoted = {string for string in asked if standing[string] > faint[string]}
    return [span for span in spans if text[span.start : span.end] not in outvoted]


def _is_faint(span: Span) -> bool:
    return span.identifier != "direct" and span.score < _LIKELY


@dataclass(frozen=True)
class SubjectNames:
    """The direct identifiers of people who have several documents: what was found in one holds in all of theirs."""

    found: Mapping[str, Mapping[str, Span]]
    """A subject's id -> string -> what it is."""

    @classmethod
    def learn(
        cls,
        documents: Callable[[], Iterable[Document]],
        detect: Callable[[Iterable[Document]], Iterator[tuple[Document, list[Span]]]],
    ) -> SubjectNames | None:
        """Read the documents once to see who has several, and those of these people again to find what names them.

        None where nobody has. A document without subjects has one of its own, and is not read again.
        """
        counts = Counter(subject for document in documents() for subject in set(document.subjects))
        shared = {subject for subject, count in counts.items() if count > 1}
        if not shared:
            return None
        found: dict[str, dict[str, Span]] = defaultdict(dict)
        for document, spans in detect(item for item in documents() if shared.intersection(item.subjects)):
            for span in spans:
                if span.identifier == "direct":
                    for subject in shared.intersection(document.subjects):
                        found[subject].setdefault(document.text[span.start : span.end], span)
        return cls({subject: dict(strings) for subject, strings in found.items()})

    def spans(self, document: Document, known: Sequence[Span]) -> list[Span]:
        """What is known of a document's subjects, where it stands in its text beyond what was found there."""
        strings: dict[str, Span] = {}
        for subject in document.subjects:
            strings.update(self.found.get(subject, {}))
        return Repeats(strings).find(document.text, known, "same-subject") if strings else []


def _other_forms(name: str) -> Iterator[str]:
    """Other ways to write a full name, as written: Anna, Quorvex, Quorvexes, Quorvex Anna, A. Quorvex, A.Q."""
    words = [word for word in name.replace(",", " ").split() if not is_title(word)]
    if len(words) < 2 or "," in name:
        words = words[-1:] + words[:-1] if "," in name and len(words) == 2 else []
    if len(words) < 2:
        return
    first, last = words[0], words[-1]
    for word in (first, last):
        if _is_name(word):
            yield word
    if not (_is_name(first) and last.isalpha() and last[0].isupper()):
        return
    if len(last) > _SHORTEST_NAME and _is_name(last):
        yield from (last + ending for ending in _ENDINGS)
    yield from (f"{last} {first}", f"{last}, {first}", f"{first} {last}")
    yield from (f"{first[0]}. {last}", f"{first[0]}.{last}", f"{first[0]} {last}", f"{last} {first[0]}.")
    yield from (f"{first[0]}.{last[0]}.", f"{first[0]}. {last[0]}.")


def _is_name(word: str) -> bool:
    return word.isalpha() and word[0].isupper() and not _is_common(word)


def _is_common(name: str) -> bool:
    key = lexicon.key(name)
    return len(key) < _SHORTEST_NAME or (key.isalpha() and key in lexicon.common_words())
