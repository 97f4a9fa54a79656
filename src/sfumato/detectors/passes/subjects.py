"""Names of people with several documents: found in one of them, they are hidden in all."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sfumato.detectors.everyday import everyday_words
from sfumato.detectors.passes.repeats import RepeatFinder, is_telling
from sfumato.document import Document, Span, Withheld
from sfumato.isolation import attempt


@dataclass(frozen=True)
class SubjectNames:
    """Direct identifiers of people with several documents: what was found in one is personal in all of them."""

    strings: Mapping[str, Mapping[str, Span]]
    """Subject id -> string -> the span that says what it is."""

    @classmethod
    def learn(
        cls,
        documents: Callable[[], Iterable[Document]],
        detect: Callable[[Iterable[Document]], Iterator[tuple[Document, list[Span] | Withheld]]],
    ) -> SubjectNames | None:
        """Read the documents once to count them by subject, and those of subjects with several again to detect names.

        None where no subject has several. A document without subjects is not read again. One that raises teaches
        nothing, as if it were not there; the run itself withholds it.
        """
        counts = Counter(subject for document in documents() for subject in set(document.subjects))
        shared = {subject for subject, count in counts.items() if count > 1}
        if not shared:
            return None
        names: dict[str, dict[str, Span]] = defaultdict(dict)
        for document, spans in detect(item for item in documents() if shared.intersection(item.subjects)):
            telling = (
                spans if isinstance(spans, Withheld) else attempt(partial(_telling_spans, document, spans), document)
            )
            for string, span in () if isinstance(telling, Withheld) else telling:
                for subject in shared.intersection(document.subjects):
                    names[subject].setdefault(string, span)
        return cls({subject: dict(strings) for subject, strings in names.items()})

    def spans(self, document: Document, covered: Sequence[Span]) -> list[Span]:
        """Occurrences of the identifiers of a document's subjects, outside of the covered spans."""
        strings: dict[str, Span] = {}
        for subject in document.subjects:
            strings.update(self.strings.get(subject, {}))
        return RepeatFinder(strings).find(document.text, covered, "same-subject") if strings else []


def _telling_spans(document: Document, spans: Iterable[Span]) -> list[tuple[str, Span]]:
    """The direct identifiers of a document that tell by themselves who is meant."""
    everyday = everyday_words(document.text)
    strings = ((document.text[span.start : span.end], span) for span in spans if span.identifier == "direct")
    return [(string, span) for string, span in strings if is_telling(string, span, everyday)]
