"""A text with a placeholder in each span's place: all that a model is shown where it must not see the originals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from sfumato.document import Document, Span
from sfumato.models.chat.parts import Parts
from sfumato.replacers.base import Known, known_by, numbered

PLACEHOLDER = re.compile(r"<([A-Z]+(?:_[A-Z]+)*_\d+)>")
_MOST_NAMES = 40
"""Placeholders that one answer is to fill: more would not fit into its tokens."""


@dataclass(frozen=True)
class Masked:
    """The text, with ``<PERSON_1>`` and the like in it, and the placeholder of each entity that wants a value."""

    text: str
    names: Mapping[Known, str]

    @classmethod
    def of(cls, document: Document, spans: Sequence[Span], every: Sequence[Span] = ()) -> Masked:
        """``every``: spans that are hidden, too, but want no value, with ``spans`` among them or not."""
        names: dict[Known, str] = {}
        pieces, at = list[str](), 0
        for span in sorted({*spans, *every}, key=lambda span: (span.start, span.end)):
            key = known_by(document, span)
            if key not in names:
                taken = sum(label == span.label for label, _ in names)
                names[key] = next(islice(numbered(document, span.label)(0), taken, None))
            pieces += [document.text[at : span.start], f"<{names[key]}>"]
            at = span.end
        wanted = {known_by(document, span) for span in spans}
        return cls("".join([*pieces, document.text[at:]]), {key: name for key, name in names.items() if key in wanted})

    def questions(self, parts: Parts, wanted: set[str]) -> Iterator[tuple[str, list[str]]]:
        """The text in parts that a model can read, each with the wanted placeholders that stand first there."""
        if not wanted:
            return
        asked: set[str] = set()
        for part in parts.of(self.text, {"text": "", "names": ", ".join(sorted(wanted)[:_MOST_NAMES])}):
            here = [name for name in dict.fromkeys(PLACEHOLDER.findall(part)) if name in wanted - asked]
            asked.update(here)
            for low in range(0, len(here), _MOST_NAMES):
                yield part, here[low : low + _MOST_NAMES]
