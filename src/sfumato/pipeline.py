"""Documents in, releases out: what a recipe says, carried out."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sfumato import registry
from sfumato.detectors.base import Detector
from sfumato.detectors.borders import tidied, without_rough
from sfumato.detectors.entities import link
from sfumato.detectors.language import uncovered
from sfumato.detectors.repeats import SubjectNames, repeated, without_outvoted
from sfumato.detectors.rules.patterns import least_score
from sfumato.detectors.terms import UserTerms
from sfumato.document import Document, Release, Span, merge_spans, settled
from sfumato.recipe import Recipe
from sfumato.replacers.base import Replacer
from sfumato.vault import Key, Ledger, Vault

BATCH_DOCUMENTS = 64
BATCH_CHARACTERS = 1_000_000
_REPEAT_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Withheld:
    """A document that is not released, and why."""

    document: Document
    reason: str


Outcome = Release | Withheld
Lookup = Callable[[Document], Sequence[Span] | None]
"""Spans that somebody else found for a document; None where they have nothing on it."""


class Pipeline:
    """A recipe made ready to run. Feed it documents in any number; memory does not grow with them."""

    def __init__(
        self,
        recipe: Recipe,
        *,
        vault: Vault | None = None,
        key: Key | None = None,
        secret: bytes | None = None,
        given: Lookup | None = None,
        subjects: SubjectNames | None = None,
        threads: int | None = None,
    ) -> None:
        """``given`` takes the place of the recipe's detectors; ``threads``: how many they may use, else all cores.

        ``subjects``: what ``learn`` found out beforehand about people who have several documents.
        """
        self.recipe = recipe
        self.vault = vault
        self._given = given
        self.subjects = subjects
        if recipe.seed is not None:
            secret = hashlib.sha256(f"sfumato seed {recipe.seed}".encode()).digest()
        self.ledger = Ledger(vault, scope=recipe.scope, key=key or (vault.key if vault else None), secret=secret)
        dial = {"threshold": recipe.threshold, "threads": threads}
        self._detectors: list[Detector] = [
            registry.create("detector", choice.use, choice.options, defaults=dial)
            for choice in ([] if given else recipe.detect)
        ]
        self._replacers: dict[str, Replacer] = {
            label: registry.create("replacer", choice.use, choice.options, ledger=self.ledger)
            for label, choice in recipe.replace.items()
        }
        patterns = [pattern.compiled() for pattern in recipe.pattern]
        self._terms = UserTerms(patterns, recipe.allow, recipe.deny, least_score(recipe.threshold))
        covered = [detector.languages for detector in self._detectors]
        self._languages = (
            None if given or None in covered else frozenset(code for codes in covered for code in codes or ())
        )

    def learn(self, documents: Callable[[], Iterable[Document]]) -> None:
        """Read a corpus beforehand, so that who is named in one of a person's documents is hidden in all of them."""
        if self._given is None:
            self.subjects = SubjectNames.learn(documents, self.detect)

    def detect(self, documents: Iterable[Document]) -> Iterator[tuple[Document, list[Span]]]:
        """Each document with its spans: merged, disjoint, sorted, linked."""
        for batch in batches(documents):
            found: list[list[Span]] = [[] for _ in batch]
            for detector in self._detectors:
                for spans, more in zip(found, detector.detect(batch), strict=True):
                    spans.extend(more)
            for document, spans in zip(batch, found, strict=True):
                yield document, self._settled(document, spans)

    def _settled(self, document: Document, spans: list[Span]) -> list[Span]:
        text = document.text
        if self._given is not None:
            return link(text, merge_spans(spans))
        kept = [*spans, *self._terms.added(text), *document.meta.get("marked", ())]
        kept = self._terms.without_allowed(text, kept)
        merged = without_outvoted(text, tidied(text, merge_spans(without_rough(text, kept))))
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

    def anonymize(self, documents: Iterable[Document]) -> Iterator[Outcome]:
        """A release for each document, in order; or why there is none."""
        if self._given is not None:
            for document in documents:
                yield self._from_given(document)
            return
        for document, spans in self.detect(documents):
            language = self.uncovered_language(document)
            if language is not None and self.recipe.uncovered == "withhold":
                yield Withheld(document, f"in a language no active detector covers ({language})")
            else:
                yield self.release(document, spans)

    def uncovered_language(self, document: Document) -> str | None:
        """The language of a document that no active detector covers; None where all is well."""
        return None if self._languages is None else uncovered(document.text, self._languages)

    def _from_given(self, document: Document) -> Outcome:
        given = self._given(document) if self._given else None
        if given is None:
            return Withheld(document, "the spans file has no entry with its id")
        if any(span.end > len(document.text) for span in given):
            return Withheld(document, "the spans file has a span that ends after the text: not made for this text")
        return self.release(document, self._settled(document, list(given)))

    def release(self, document: Document, spans: Sequence[Span]) -> Release:
        """The document with its spans replaced as the recipe says; the spans are disjoint."""
        by_replacer: Mapping[str, list[Span]] = defaultdict(list)
        for span in spans:
            by_replacer[span.label if span.label in self._replacers else "default"].append(span)
        edits = []
        for label, group in by_replacer.items():
            ends = [span.end for span in group]
            for edit in self._replacers[label].replace(document, group):
                edits.append((edit, group[bisect_right(ends, edit.span.start)]))
        self.ledger.finish(document)
        # An edit may be wider than its span, and its replacer does not know what others replace.
        return Release(document, settled(edits))


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
