"""The three parts of the benchmark of language models: finding, rewriting, offering generalizations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.chat_figures import Figure, Measuring, Row, measured, suppressed
from benchmarks.chat_sets import Corpus
from benchmarks.chat_watch import WatchedChat
from benchmarks.detect_run import detector
from benchmarks.generalize import says_nothing
from benchmarks.protect_sets import SECRET

from sfumato import registry
from sfumato.document import Document, Outcome, Release, Span
from sfumato.errors import SfumatoError
from sfumato.llm.usage import Usage
from sfumato.metrics.base import MetricInput
from sfumato.pipeline import Pipeline
from sfumato.recipe import Recipe
from sfumato.statistics import wilson

PROMPTS = (
    "all-attributes",
    "all-attributes-no-example",
    "all-attributes-entities-only",
    "all-attributes-first-only",
    "man-vs-machine",
    "sparks",
    "student",
)
Found = Mapping[str, Sequence[Span]]


@dataclass(frozen=True)
class Finding:
    """What a prompt found in a set, and what that cost."""

    spans: Found
    usage: Usage
    failed: int
    tokens: list[tuple[int, int]]
    wall: float | None


def ask_all(corpora: Sequence[Corpus], chat: WatchedChat, prompts: Sequence[str]) -> Iterator[tuple[str, str, Finding]]:
    """Each prompt on each set: set, prompt and finding.

    One prompt's questions follow each other over all sets, so that a server that keeps beginnings reads it once.
    """
    for name in prompts:
        for corpus in corpora:
            title = f"{name}, {corpus.name}"
            with chat.method(title):
                asking = registry.create("detector", name, {}, chat=chat)
                found = _by_id(corpus.documents, asking.detect(corpus.documents))
            finding = Finding(found, asking.usage, len(asking.failed), _tokens(chat), chat.wall(title))
            yield corpus.name, name, finding


def detection(corpus: Corpus, findings: Mapping[str, Finding], measuring: Measuring) -> Iterator[Row]:
    """What each prompt finds alone, beside our detector and Presidio; then each together with our detector."""
    floor = _by("default", corpus.documents) or {}
    yield _masked("nothing masked", {}, corpus, measuring)
    yield _masked("annotator", corpus.gold, corpus, measuring)
    yield _masked("rules + tagger", floor, corpus, measuring)
    if (presidio := _by("presidio-sm", corpus.documents)) is not None:
        yield _masked("Presidio-sm", presidio, corpus, measuring)
    for name, one in findings.items():
        row = _masked(name, one.spans, corpus, measuring)
        row.usage, row.failed, row.tokens, row.wall = one.usage, one.failed, one.tokens, one.wall
        yield row
    for name, one in findings.items():
        both = {key: [*floor[key], *one.spans[key]] for key in floor}
        yield _masked(f"{name} + rules + tagger", both, corpus, measuring)


def adversarial(corpus: Corpus, chat: WatchedChat, measuring: Measuring, options: Mapping[str, Any]) -> Iterator[Row]:
    """The rewriter on the originals, as in its paper; the same checked by our detector; and our detector alone."""
    title = f"adversarial, {corpus.name}"
    with chat.method(title):
        rewriter = registry.create("rewriter", "adversarial", options, chat=chat)
        outcomes = rewriter.rewrite(corpus.documents)
    row = _rewritten("adversarial, as the model wrote it", outcomes, corpus, measuring)
    _spent(row, rewriter.usage, row.failed, chat, title)
    yield row
    rewrite = {"use": "adversarial", **options}
    recipe = Recipe.model_validate({"rewrite": rewrite, "rewrite_reads": "original"})
    outcomes = list(Pipeline(recipe, secret=SECRET, chat=chat).anonymize(corpus.documents))
    yield _rewritten("adversarial, checked by rules + tagger", outcomes, corpus, measuring)
    plain = list(Pipeline(Recipe(), secret=SECRET).anonymize(corpus.documents))
    yield _rewritten("rules + tagger, labels", plain, corpus, measuring)
    yield _rewritten("nothing done", [Release(document, ()) for document in corpus.documents], corpus, measuring)


def intact(corpus: Corpus, chat: WatchedChat, measuring: Measuring) -> Iterator[Row]:
    """The annotator's mentions generalized: candidates from a model, from our hierarchies, from both; plain labels."""
    for source in ("chat", "both", "hierarchies"):
        title = f"generalize, candidates = {source}"
        with chat.method(f"{title}, {corpus.name}"):
            pipeline = _given(corpus, {"use": "generalize", "candidates": source}, chat)
            outcomes = list(pipeline.anonymize(corpus.documents))
        row = _generalized(title, outcomes, corpus, measuring)
        if source != "hierarchies":
            _spent(row, pipeline.usage["generalize"], row.failed, chat, f"{title}, {corpus.name}")
        yield row
    if corpus.published:
        made = [Release(document, tuple(corpus.published[document.id])) for document in corpus.documents]
        yield _generalized("INTACT, as published", made, corpus, measuring)
    for name in ("entity-type", "suppress"):
        outcomes = list(_given(corpus, {"use": name}, None).anonymize(corpus.documents))
        yield _generalized(name, outcomes, corpus, measuring)


def _given(corpus: Corpus, replacer: Mapping[str, Any], chat: WatchedChat | None) -> Pipeline:
    recipe = Recipe.model_validate({"replace": {"default": dict(replacer)}})
    return Pipeline(recipe, secret=SECRET, given=lambda document: corpus.gold.get(document.id), chat=chat)


def _masked(name: str, found: Found, corpus: Corpus, measuring: Measuring) -> Row:
    releases = [suppressed(document, found.get(document.id, ())) for document in corpus.documents]
    return Row(name, measuring.masked(corpus, releases), len(releases))


def _rewritten(name: str, outcomes: Sequence[Outcome], corpus: Corpus, measuring: Measuring) -> Row:
    """Withheld documents are left out of the figures, and counted."""
    releases = [outcome for outcome in outcomes if isinstance(outcome, Release)]
    return Row(name, measuring.rewritten(corpus, releases), len(outcomes), len(outcomes) - len(releases))


def _generalized(name: str, outcomes: Sequence[Outcome], corpus: Corpus, measuring: Measuring) -> Row:
    releases = [outcome for outcome in outcomes if isinstance(outcome, Release)]
    quasi = [edit for one in releases for edit in one.edits if edit.span.identifier != "direct"]
    known = next(iter(corpus.backgrounds.values()))
    bare = sum(says_nothing(edit.replacement) for edit in quasi)
    figures = {
        "tps": measuring.kept(releases),
        "bare": Figure(bare / len(quasi), *wilson(bare, len(quasi)), len(quasi)) if quasi else Figure(None),
        "truthful": measured("truthful", MetricInput(releases)),
        "abstract": measured("abstract", MetricInput(releases)),
        "guessed": measured("inference-rate", MetricInput(releases, background=known), guesser="hierarchy"),
        **measuring.risks(corpus, releases),
    }
    return Row(name, figures, len(outcomes), len(outcomes) - len(releases))


def _spent(row: Row, usage: Usage, failed: int, chat: WatchedChat, title: str) -> None:
    row.usage, row.failed, row.wall = usage, failed, chat.wall(title)
    row.tokens = _tokens(chat)


def _tokens(chat: WatchedChat) -> list[tuple[int, int]]:
    return [(reply.prompt_tokens, reply.generated_tokens) for reply in chat.replies]


def _by(name: str, documents: Sequence[Document]) -> dict[str, list[Span]] | None:
    """What a detector without a language model finds; None where it is not installed."""
    try:
        detect = detector(name)
    except (SfumatoError, ImportError):
        return None
    return _by_id(documents, detect(documents))


def _by_id(documents: Sequence[Document], found: Sequence[list[Span]]) -> dict[str, list[Span]]:
    return {document.id: spans for document, spans in zip(documents, found, strict=True)}
