"""Carry out a recipe: detect spans in documents, replace them, and release or withhold each document."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sfumato import registry
from sfumato.detectors.detection import Detection, UserTerms, batches
from sfumato.detectors.entities import SubjectNames, link_mentions
from sfumato.detectors.language import find_foreign_passages, find_uncovered_language
from sfumato.detectors.rules.patterns import minimum_score
from sfumato.detectors.structure import document_structure
from sfumato.document import Document, Edit, Outcome, Release, Span, Withheld, merge_spans, resolve_overlaps
from sfumato.errors import PluginError, plugin_name
from sfumato.formats.identifiers import is_in_code
from sfumato.lexicon.caches import forget_long_texts
from sfumato.llm.usage import Usage
from sfumato.recipe import UNGUARDED, Choice, Recipe
from sfumato.replacers.base import BatchReplacer, PendingDocument, Replacer
from sfumato.rewriters.check import RewriteStage
from sfumato.vault.key import Key
from sfumato.vault.ledger import Ledger
from sfumato.vault.store import Vault

if TYPE_CHECKING:
    from sfumato.attacks.background import Background
    from sfumato.llm.chat import Chat

Lookup = Callable[[Document], Sequence[Span] | None]
"""The spans of a document, from a file or a caller; None where there are none for it."""
_PART_CHARACTERS = 20_000
"""Characters of the documents whose spans are found and replaced while detectors read those after them."""


@dataclass(frozen=True, slots=True)
class DetectedSpans:
    """The spans of a document, or why it is withheld; and why a language model had no usable answer."""

    spans: list[Span] | Withheld
    failure: str | None = None


class Pipeline:
    """A recipe, ready to run over any number of documents; memory does not grow with them."""

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
        chat: Chat | None = None,
        background: Background | None = None,
    ) -> None:
        """``given`` takes the place of the recipe's detectors; ``threads``: how many they may use, else all cores.

        ``subjects``: what ``learn`` has read about people who have several documents. ``chat``: the
        language model, else the one that the recipe names. ``background``: what is known of people, for methods that
        read it.
        """
        self.recipe = recipe
        self._given = given
        if recipe.seed is not None:
            secret = hashlib.sha256(f"sfumato seed {recipe.seed}".encode()).digest()
        self._ledger = Ledger(vault, scope=recipe.scope, key=key or (vault.key if vault else None), secret=secret)
        self._chat = chat if chat is not None else _recipe_chat(recipe)
        self._background = background
        self._plugin_defaults = {"threshold": recipe.threshold, "threads": threads}
        self._plugins: dict[tuple[str, str], tuple[str, Any]] = {}
        """By kind and choice: the plug-in's name, and the plug-in."""
        self.failed: Mapping[str, str] = {}
        """Documents of the last batch without a usable answer of the language model, with the reason."""
        detectors = [] if given else recipe.detectors
        remote = [choice for choice in detectors if choice.is_remote_detector]
        patterns = [pattern.compiled() for pattern in recipe.pattern]
        self._detection = Detection(
            [self._plugin("detector", choice) for choice in detectors if choice not in remote],
            remote_detectors=[self._plugin("detector", choice) for choice in remote],
            terms=UserTerms(patterns, recipe.allow, recipe.deny, minimum_score(recipe.threshold)),
            subjects=subjects,
            as_found=recipe.spans == "as-found",
        )
        self._replacers: dict[str, Replacer] = {
            label: self._plugin("replacer", choice) for label, choice in recipe.replace.items()
        }
        self._rewriting: RewriteStage | None = None
        if recipe.rewrite is not None:
            rewriter = self._plugin("rewriter", recipe.rewrite)
            self._rewriting = RewriteStage(
                rewriter, recipe.rewrite_reads, self._fall_back, self._foreign, is_checked=recipe.published is None
            )

    def _plugin(self, kind: str, choice: Choice) -> Any:
        """A plug-in that the recipe chooses; the same choice gives the same object."""
        key = (kind, choice.model_dump_json())
        if key not in self._plugins:
            plugin = registry.create(
                kind,
                choice.use,
                choice.options,
                defaults=self._plugin_defaults,
                ledger=self._ledger,
                chat=self._chat,
                background=self._background,
            )
            self._plugins[key] = choice.use, plugin
        return self._plugins[key][1]

    @property
    def usage(self) -> dict[str, Usage]:
        """What each plug-in that asks a language model has cost so far, by its name."""
        total: dict[str, Usage] = {}
        for name, plugin in self._plugins.values():
            usage = getattr(plugin, "usage", None)
            if isinstance(usage, Usage):
                total[name] = total.get(name, Usage()) + usage
        return total

    @property
    def remarks(self) -> list[str]:
        """That nothing guards a published method, and the plug-ins' ``remarks`` about a run, without duplicates."""
        remarks = [f"{self.recipe.name} is {UNGUARDED}"] if self.recipe.published is not None else []
        remarks += [remark for _, plugin in self._plugins.values() for remark in getattr(plugin, "remarks", ())]
        return list(dict.fromkeys(remarks))

    def learn(self, documents: Callable[[], Iterable[Document]]) -> None:
        """Read a corpus first: so that a name in one of a person's documents is hidden in all of them.

        Replacers that need the whole corpus before the first document read it, too.
        """
        if self._given is None:
            self._detection.learn(documents)
        for replacer in self._corpus_readers:
            replacer.learn(documents)

    @property
    def reads_corpus(self) -> bool:
        """Whether ``learn`` needs all documents, and not only those that name their subjects."""
        return bool(self._corpus_readers)

    @property
    def _corpus_readers(self) -> list[Any]:
        return [replacer for replacer in self._replacers.values() if getattr(replacer, "reads_corpus", False)]

    @property
    def subjects(self) -> SubjectNames | None:
        """What ``learn`` has read, for a pipeline in another process."""
        return self._detection.subjects

    def detect(self, documents: Iterable[Document]) -> Iterator[tuple[Document, list[Span]]]:
        """Each document with its spans: merged, disjoint, sorted, linked. Documents in ``failed`` lack some."""
        for batch in batches(self._with_locale(documents)):
            detected = self._detection.detect(batch)
            self.failed = detected.failed
            for document, spans in zip(batch, detected.spans, strict=True):
                yield document, self._with_foreign_passages(document, spans)

    def anonymize(self, documents: Iterable[Document]) -> Iterator[Outcome]:
        """For each document, in order, a release or the reason why it is withheld."""
        for batch in batches(self._with_locale(documents)):
            if self._given is None:
                outcomes = self._from_detected(batch)
            else:
                outcomes = iter(self._released(batch, [_given_spans(self._given, document) for document in batch]))
            yield from outcomes if self._rewriting is None else self._rewriting.run(list(outcomes))

    def _with_locale(self, documents: Iterable[Document]) -> Iterable[Document]:
        """The documents, with what the recipe states about their language, country and order of dates."""
        stated = self.recipe.stated_locale.stated
        return (replace(document, meta={**document.meta, **stated}) for document in documents) if stated else documents

    def _from_detected(self, batch: Sequence[Document]) -> Iterator[Outcome]:
        """Part by part: while one is replaced, detectors that work ahead read the next ones."""
        if self.recipe.asking:  # language models are asked about a whole batch at once
            yield from self.replace_spans(batch, self.find_spans(batch))
            return
        covered = [document for document in batch if self._foreign(document.text) is None]
        parts = batches(batch, _PART_CHARACTERS) if self._detection.read_ahead(covered) else [batch]
        try:
            for part in parts:
                yield from self.replace_spans(part, self.find_spans(part))
        finally:
            self._detection.read_ahead([])

    def find_spans(self, documents: Sequence[Document]) -> list[DetectedSpans]:
        """What is to be replaced in each document: the half of ``anonymize`` that has no state, for other processes."""
        batch = list(self._with_locale(documents))
        foreign = [self._foreign(document.text) for document in batch]
        # A document that is withheld for its language is not sent to a language model.
        read = [document for document, language in zip(batch, foreign, strict=True) if language is None]
        detected = self._detection.detect(read)
        detected_spans = iter(detected.spans)
        results: list[DetectedSpans] = []
        for document, language in zip(batch, foreign, strict=True):
            if language is not None:
                reason = f"in a language no active detector covers ({language})"
                results.append(DetectedSpans(Withheld(document, reason, language)))
                continue
            spans = self._with_foreign_passages(document, next(detected_spans))
            failure = detected.failed.get(document.id)
            is_withheld = failure is not None and not self.may_fall_back
            results.append(DetectedSpans(Withheld(document, failure or "") if is_withheld else spans, failure))
        return results

    def replace_spans(self, documents: Sequence[Document], detected: Sequence[DetectedSpans]) -> list[Outcome]:
        """The other half: the documents with their spans replaced, in order."""
        forget_long_texts()
        batch = list(self._with_locale(documents))
        outcomes = self._released(batch, [result.spans for result in detected])
        return [
            outcome if isinstance(outcome, Withheld) else replace(outcome, fallback_reason=result.failure)
            for outcome, result in zip(outcomes, detected, strict=True)
        ]

    def _fall_back(self, release: Release, reason: str) -> Outcome:
        return replace(release, fallback_reason=reason) if self.may_fall_back else Withheld(release.document, reason)

    def _foreign(self, text: str) -> str | None:
        """The language because of which a text must not be released; None where it may be."""
        return None if self.recipe.uncovered == "release" else self.uncovered_language(text)

    def _with_foreign_passages(self, document: Document, spans: list[Span]) -> list[Span]:
        """The spans, and the passages of a document in languages that no active detector covers."""
        languages = self._detection.languages
        if self.recipe.uncovered == "release" or languages is None or self.uncovered_language(document.text):
            return spans
        passages = document_structure(document).cut_spans(find_foreign_passages(document.text, languages))
        return merge_spans([*spans, *passages]) if passages else spans

    @property
    def may_fall_back(self) -> bool:
        """Whether a document that a language model failed on is released as the other detectors make it."""
        return self.recipe.failed == "fallback" and bool(self._detection.detectors or self._given)

    def uncovered_language(self, text: str) -> str | None:
        """The language that a text is mainly in, where no active detector covers it; None where one does."""
        languages = self._detection.languages
        return None if languages is None else find_uncovered_language(text, languages)

    def _released(self, batch: Sequence[Document], detected: Sequence[list[Span] | Withheld]) -> list[Outcome]:
        """Replacers that ask a language model do so for the whole batch before the first document."""
        pairs = list(zip(batch, detected, strict=True))
        pending = [(document, spans) for document, spans in pairs if not isinstance(spans, Withheld)]
        for replacer in {id(replacer): replacer for replacer in self._replacers.values()}.values():
            if isinstance(replacer, BatchReplacer):
                replacer.prepare(
                    [
                        PendingDocument(
                            document, [span for span in spans if self._replacers[self._key(span)] is replacer], spans
                        )
                        for document, spans in pending
                    ]
                )
        return [spans if isinstance(spans, Withheld) else self.release(document, spans) for document, spans in pairs]

    def _key(self, span: Span) -> str:
        """The recipe's key for the span's replacer."""
        return span.label if span.label in self._replacers else "default"

    def release(self, document: Document, spans: Sequence[Span]) -> Release:
        """The document with its (disjoint) spans replaced as the recipe says."""
        edits = []
        groups: dict[str, list[Span]] = defaultdict(list)
        for span in spans:
            groups[self._key(span)].append(span)
        for key, group in groups.items():
            edits += _edits_with_anchors(self._replacers[key], document, group)
        self._ledger.finish(document)
        edits = document_structure(document).fit_edits(edits, lambda span: is_in_code(document, span))
        # An edit may be wider than its span, and its replacer does not know what others replace.
        return Release(document, resolve_overlaps(edits))


def _recipe_chat(recipe: Recipe) -> Chat | None:
    if recipe.chat is None or not recipe.asking:
        return None
    from sfumato.llm.settings import open_chat

    return open_chat(recipe.chat)


def _given_spans(lookup: Lookup, document: Document) -> list[Span] | Withheld:
    spans = lookup(document)
    if spans is None:
        return Withheld(document, "the spans file has no entry with its id")
    if any(span.end > len(document.text) for span in spans):
        return Withheld(document, "the spans file has a span that ends after the text: not made for this text")
    return link_mentions(document.text, merge_spans(spans))


def _edits_with_anchors(replacer: Replacer, document: Document, spans: Sequence[Span]) -> list[tuple[Edit, Span]]:
    """The replacer's edits, each with the span that it replaces. Raises PluginError where an edit has no span."""
    ends = [span.end for span in spans]
    edits: dict[int, Edit] = {}
    for edit in replacer.replace(document, spans):
        index = bisect_right(ends, edit.span.start)
        is_apart = index == len(spans) or edit.span.end < spans[index].start or edit.span.end > len(document.text)
        if is_apart or index in edits or not isinstance(edit.replacement, str):
            why = "is at none of the spans it was given" if is_apart else "replaces a span that has an edit already"
            raise PluginError(
                f"the replacer {plugin_name(replacer)} made an edit that "
                f"{why if isinstance(edit.replacement, str) else 'puts no text in its place'}: correct it "
                "(docs/plugins.md), or choose another; nothing is released"
            )
        edits[index] = edit
    return [(edit, spans[index]) for index, edit in edits.items()]
