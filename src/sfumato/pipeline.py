"""Carry out a recipe: detect spans in documents, replace them, and release or withhold each document."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from sfumato import registry
from sfumato.annotated_text import LONG
from sfumato.detectors.allowed import AllowedTerms, cut_around_allowed, with_allowed
from sfumato.detectors.citations import Policy, kept_citations, with_citations
from sfumato.detectors.detection import Detection, UserTerms, batches
from sfumato.detectors.language import find_foreign_passages, find_uncovered_language
from sfumato.detectors.passes.links import link_mentions
from sfumato.detectors.passes.subjects import SubjectNames
from sfumato.detectors.rules.patterns import minimum_score
from sfumato.detectors.structure import document_structure
from sfumato.detectors.structure_check import keep_structures
from sfumato.document import (
    Document,
    Edit,
    Outcome,
    Release,
    Span,
    Withheld,
    allowed_ranges,
    keep_allowed,
    merge_spans,
    resolve_overlaps,
    within_allowed,
)
from sfumato.errors import PluginError, plugin_name
from sfumato.formats.identifiers import is_in_code
from sfumato.isolation import attempt, run_step
from sfumato.lexicon.caches import forget_texts
from sfumato.lexicon.named_days import find_named_days
from sfumato.llm.usage import CountsUsage, Usage
from sfumato.recipe import UNGUARDED, Choice, Recipe
from sfumato.replacers.base import BatchReplacer, CorpusReplacer, HidesNamedDays, PendingDocument, Replacer
from sfumato.residuals.identifiers import hide_identifiers
from sfumato.residuals.values import hide_repeats
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


FinishingStep = Callable[[Release], Outcome]
"""One of the last steps on a release: it hides more, or withholds the document."""


def finishing_steps(recipe: Recipe, *, are_given: bool) -> tuple[FinishingStep, ...]:
    """What is done to each release after its spans were replaced, or it was rewritten, in this order.

    ``are_given``: the spans come from a file or from annotators, and a further mention may stay on purpose. A published
    method is left as its authors describe it, but for the names of classes and ids that a page would break without.
    """
    steps: list[FinishingStep] = []
    if not are_given and recipe.published is None:
        steps.append(hide_repeats)
    steps += [hide_identifiers, keep_structures]
    return tuple(steps)


class _Pending(NamedTuple):
    """A document and its spans, which are to be replaced."""

    document: Document
    spans: list[Span]


@dataclass(frozen=True, slots=True)
class DetectedSpans:
    """The spans of a document; and why a language model had no usable answer, where the others' spans are enough."""

    spans: list[Span]
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
        self._raised: Mapping[str, str] = {}
        """Documents of the last batch that something raised on, with the kind of error."""
        detectors = [] if given else recipe.detectors
        remote = [choice for choice in detectors if choice.is_remote_detector]
        patterns = [pattern.compiled() for pattern in recipe.pattern]
        self._detection = Detection(
            [self._plugin("detector", choice) for choice in detectors if choice not in remote],
            remote_detectors=[self._plugin("detector", choice) for choice in remote],
            terms=UserTerms(patterns, recipe.deny, minimum_score(recipe.threshold)),
            subjects=subjects,
            as_found=recipe.spans == "as-found",
            without_passes=recipe.without_passes,
        )
        self._allowed = AllowedTerms(recipe.allow)
        self._replacers: dict[str, Replacer] = {
            label: self._plugin("replacer", choice) for label, choice in recipe.replace.items()
        }
        self._finishing = finishing_steps(recipe, are_given=given is not None or recipe.has_given_spans)
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
            if isinstance(plugin, CountsUsage) and isinstance(usage := plugin.usage, Usage):
                total[name] = total.get(name, Usage()) + usage
        return total

    @property
    def remarks(self) -> list[str]:
        """That nothing guards a published method, and the plug-ins' ``remarks`` about a run, without duplicates."""
        remarks = [f"{self.recipe.name} is {UNGUARDED}"] if self.recipe.published is not None else []
        for _, plugin in self._plugins.values():
            remarks += plugin.remarks if isinstance(plugin, registry.Remarks) else ()
        return list(dict.fromkeys(remarks))

    def learn(self, documents: Callable[[], Iterable[Document]]) -> None:
        """Read a corpus first: so that a name in one of a person's documents is hidden in all of them.

        Replacers that need the whole corpus before the first document read it, too.
        """
        if self._given is None:
            self._detection.learn(lambda: map(self._with_statements, documents()))
        for replacer in self._corpus_readers:
            replacer.learn(documents)

    @property
    def reads_corpus(self) -> bool:
        """Whether ``learn`` needs all documents, and not only those that name their subjects."""
        return bool(self._corpus_readers)

    @property
    def _corpus_readers(self) -> list[CorpusReplacer]:
        replacers = self._replacers.values()
        return [replacer for replacer in replacers if isinstance(replacer, CorpusReplacer) and replacer.reads_corpus]

    @property
    def subjects(self) -> SubjectNames | None:
        """What ``learn`` has read, for a pipeline in another process."""
        return self._detection.subjects

    def detect(self, documents: Iterable[Document]) -> Iterator[tuple[Document, list[Span]]]:
        """Each document with its spans: merged, disjoint, sorted, linked.

        Those that ``why_incomplete`` gives a reason for lack some.
        """
        for batch in batches(documents):
            failed: dict[str, str] = {}
            detect = partial(self._detected, failed=failed)
            results = run_step(run_step(batch, self._stated, _itself), detect, _itself)
            self.failed = failed
            self._raised = {result.document.id: result.reason for result in results if isinstance(result, Withheld)}
            for document, result in zip(batch, results, strict=True):
                yield (document, []) if isinstance(result, Withheld) else (result.document, result.spans)

    def why_incomplete(self, document: Document) -> str | None:
        """Why the spans of a document of the last batch of ``detect`` must not be taken for all of them."""
        if (reason := self._raised.get(document.id)) is not None:
            return reason
        return None if self.may_fall_back else self.failed.get(document.id)

    def anonymize(self, documents: Iterable[Document]) -> Iterator[Outcome]:
        """For each document, in order, a release or the reason why it is withheld."""
        try:
            for batch in batches(documents):
                parts = attempt(partial(self._parts, batch), batch[0])
                for part in [batch] if isinstance(parts, Withheld) else parts:
                    yield from run_step(part, self._outcomes, _itself)
                    for document in part:
                        document.text.forget()
                self._detection.read_ahead([])
        finally:
            self._detection.read_ahead([])
            forget_texts()

    def _parts(self, batch: list[Document]) -> list[list[Document]]:
        """The parts of a batch to be worked on one after the other.

        While one is replaced, detectors that work ahead read the next ones. Language models are asked about a whole
        batch at once.
        """
        if self._given is not None or self.recipe.asking:
            return [batch]
        located = [document for document in self._stated(batch) if isinstance(document, Document)]
        covered = [document for document in located if self._foreign(document.text) is None]
        return list(batches(batch, _PART_CHARACTERS)) if self._detection.read_ahead(covered) else [batch]

    def _outcomes(self, documents: Sequence[Document]) -> list[Outcome]:
        outcomes = (
            self.replace_spans(documents, run_step(documents, self.find_spans, _itself))
            if self._given is None
            else self._from_given(documents)
        )
        if self._rewriting is not None:
            outcomes = run_step(outcomes, self._rewriting.run, lambda release: release.document)
        return [attempt(partial(self.finish, outcome), outcome.document) for outcome in outcomes]

    def finish(self, outcome: Outcome) -> Outcome:
        """The outcome after the last steps, which depend on nothing but the document."""
        for step in self._finishing:
            if isinstance(outcome, Withheld):
                break
            outcome = attempt(partial(step, outcome), outcome.document)
        return outcome

    def _stated(self, documents: Iterable[Document]) -> list[Document | Withheld]:
        """The documents, with what the recipe states of them; those withheld on which that fails."""
        return run_step(list(documents), lambda items: list(map(self._with_statements, items)), _itself)

    def _with_statements(self, document: Document) -> Document:
        """The document, with what the recipe states about its language, country and dates, and what it allows."""
        if stated := self.recipe.stated_locale.stated:
            document = replace(document, meta={**document.meta, **stated})
        return with_allowed(document, self._allowed) if self._allowed else document

    def _from_given(self, batch: Sequence[Document]) -> list[Outcome]:
        return self._released(run_step(self._stated(batch), lambda items: list(map(self._given_spans, items)), _itself))

    def find_spans(self, documents: Sequence[Document]) -> list[DetectedSpans | Withheld]:
        """What is to be replaced in each document: the half of ``anonymize`` that has no state, for other processes."""
        failed: dict[str, str] = {}
        # A document that is withheld for its language is not sent to a language model.
        covered = run_step(self._stated(documents), lambda items: list(map(self._covered, items)), _itself)
        results: list[DetectedSpans | Withheld] = []
        for item in self._detected(covered, failed):
            failure = failed.get(item.document.id)
            if isinstance(item, Withheld):
                results.append(item)
            elif failure is not None and not self.may_fall_back:
                results.append(Withheld(item.document, failure))
            else:
                results.append(DetectedSpans(item.spans, failure))
        return results

    def _covered(self, document: Document) -> Document | Withheld:
        """The document; withheld where no active detector covers its language."""
        language = self._foreign(document.text)
        if language is None:
            return document
        return Withheld(document, f"in a language no active detector covers ({language})", language)

    def _detected(self, documents: Sequence[Document | Withheld], failed: dict[str, str]) -> list[_Pending | Withheld]:
        """Documents with their spans and passages in other languages. ``failed``: as in ``DetectionResult``."""

        def detect(items: Sequence[Document]) -> list[_Pending | Withheld]:
            result = self._detection.detect(items)
            failed.update(result.failed)
            return [
                spans if isinstance(spans, Withheld) else _Pending(document, spans)
                for document, spans in zip(items, result.spans, strict=True)
            ]

        def add_passages(items: Sequence[_Pending]) -> list[_Pending]:
            return [_Pending(item.document, self._with_foreign_passages(*item)) for item in items]

        return run_step(run_step(documents, detect, _itself), add_passages, _document_of)

    def replace_spans(
        self, documents: Sequence[Document], detected: Sequence[DetectedSpans | Withheld]
    ) -> list[Outcome]:
        """The other half: the documents with their spans replaced, in order."""
        for item in documents:
            if len(item.text) > LONG:
                item.text.forget()  # what detectors read takes memory, and replacers ask for other things
        pending: list[_Pending | Withheld] = []
        for document, result in zip(self._stated(documents), detected, strict=True):
            if isinstance(document, Withheld) or isinstance(result, Withheld):
                pending.append(document if isinstance(document, Withheld) else result)  # type: ignore[arg-type]
            else:
                pending.append(_Pending(document, result.spans))
        return [
            outcome
            if isinstance(outcome, Withheld)
            else replace(outcome, fallback_reason=None if isinstance(result, Withheld) else result.failure)
            for outcome, result in zip(self._released(pending), detected, strict=True)
        ]

    def _fall_back(self, release: Release, reason: str) -> Outcome:
        return replace(release, fallback_reason=reason) if self.may_fall_back else Withheld(release.document, reason)

    def _foreign(self, text: str) -> str | None:
        """The language because of which a text must not be released; None where it may be."""
        return None if self.recipe.uncovered == "release" else self.uncovered_language(text)

    def _with_foreign_passages(self, document: Document, spans: list[Span]) -> list[Span]:
        """The spans, and the passages of a document in languages that no active detector covers."""
        languages = self._detection.languages
        if not (self.recipe.uncovered == "release" or languages is None or self.uncovered_language(document.text)):
            passages = document_structure(document).cut_spans(find_foreign_passages(document.text, languages))
            spans = merge_spans([*spans, *passages]) if passages else spans
        return with_citations(document, cut_around_allowed(document, spans), self._citations)

    @property
    def _citations(self) -> Policy:
        """What becomes of citations; where spans are given or published methods make them, no care is taken of any."""
        is_own = self._given is None and self.recipe.published is None and self.recipe.spans == "completed"
        return self.recipe.citations if is_own else "parts"

    @property
    def may_fall_back(self) -> bool:
        """Whether a document that a language model failed on is released as the other detectors make it."""
        return self.recipe.failed == "fallback" and bool(self._detection.detectors or self._given)

    def uncovered_language(self, text: str) -> str | None:
        """The language that a text is mainly in, where no active detector covers it; None where one does."""
        languages = self._detection.languages
        return None if languages is None else find_uncovered_language(text, languages)

    def _released(self, items: Sequence[_Pending | Withheld]) -> list[Outcome]:
        """Replacers that ask a language model do so for the whole batch before the first document."""

        def release(pending: Sequence[_Pending]) -> list[Outcome]:
            self._prepare(pending)
            return [attempt(partial(self.release, *item), item.document) for item in pending]

        return run_step(items, release, _document_of)

    def _prepare(self, pending: Sequence[_Pending]) -> None:
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

    def _key(self, span: Span) -> str:
        """The recipe's key for the span's replacer."""
        return span.label if span.label in self._replacers else "default"

    def release(self, document: Document, spans: Sequence[Span]) -> Release:
        """The document with its (disjoint) spans replaced as the recipe says."""
        if self._citations == "keep" and (kept := kept_citations(document.text, spans)):
            document = replace(document, meta={**document.meta, "citations": kept})
        edits = []
        groups: dict[str, list[Span]] = defaultdict(list)
        for span in self._with_named_days(document, spans):
            groups[self._key(span)].append(span)
        try:
            for key, group in groups.items():
                edits += _edits_with_anchors(self._replacers[key], document, group)
        finally:
            self._ledger.finish(document)
        allowed = allowed_ranges(document)
        edits = [(within_allowed(document.text, edit, anchor, allowed), anchor) for edit, anchor in edits]
        structure = document_structure(document)
        edits = structure.fit_edits(edits, lambda span: is_in_code(document, span))
        # An edit may be wider than its span, and its replacer does not know what others replace.
        cut = keep_allowed(document, resolve_overlaps(edits))
        return Release(document, tuple(structure.join_in_scalars(cut, are_written=True)) if allowed else cut)

    def _given_spans(self, document: Document) -> _Pending | Withheld:
        spans = self._given(document) if self._given is not None else None
        if spans is None:
            return Withheld(document, "the spans file has no entry with its id")
        if any(span.end > len(document.text) for span in spans):
            return Withheld(document, "the spans file has a span that ends after the text: not made for this text")
        return _Pending(document, cut_around_allowed(document, link_mentions(document.text, merge_spans(spans))))

    def _with_named_days(self, document: Document, spans: Sequence[Span]) -> Sequence[Span]:
        """The spans, and "Christmas Day" and the like, where the replacer of dates hides them.

        Beside dates that are shifted they would tell by how much; for HIPAA they are dates themselves.
        """
        replacer = self._replacers.get("DATETIME", self._replacers["default"])
        if not isinstance(replacer, HidesNamedDays):
            return spans
        if replacer.hides_named_days == "beside dates" and all(span.label != "DATETIME" for span in spans):
            return spans
        days = [Span(start, end, "DATETIME", source="named day") for start, end in find_named_days(document.text)]
        added = cut_around_allowed(document, days)
        return link_mentions(document.text, merge_spans([*spans, *added])) if added else spans


def _recipe_chat(recipe: Recipe) -> Chat | None:
    if recipe.chat is None or not recipe.asking:
        return None
    from sfumato.llm.settings import open_chat

    return open_chat(recipe.chat)


def _itself(document: Document) -> Document:
    return document


def _document_of(item: _Pending) -> Document:
    return item.document


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
