"""Protection by word embeddings (Hassan et al. 2023): terms near the person's name are generalized.

Embeddings are trained on the documents and the background, in which a term of several words is one token and all
mentions of a person by name are one, too. A term is disclosive where the cosine of its vector and the person's exceeds
the threshold. Its most specific generalization that does not exceed it takes its place, or the label.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

from sfumato.attacks.background import Background
from sfumato.attacks.ground_truth import names_of
from sfumato.document import Document, Edit, Span
from sfumato.errors import InputError, listed
from sfumato.generalize.clauses import may_widen_mention
from sfumato.generalize.hierarchy import WITHOUT_HIERARCHY, Mention, generalize
from sfumato.generalize.sentence import is_grammatical, render_label, render_level
from sfumato.lexicon.grammar import TextRange
from sfumato.metrics.terms import add_disjoint, tokens
from sfumato.replacers.base import detection_reason, language_of
from sfumato_papers.detectors.terms import BackgroundReplacer, find_terms, term_key
from sfumato_papers.models.skip_gram import SkipGramSettings, WordVectors, train

LEAST_TOKENS = 1000
"""Vectors of fewer are noise."""
_SENTENCE_ENDS = frozenset(".!?")


class Word2Vec(BackgroundReplacer):
    """Generalize the terms whose word embedding is near that of the person's name."""

    cite: ClassVar[str | None] = "hassan2023"
    name: ClassVar[str] = "word2vec"

    def __init__(
        self,
        *,
        threshold: float = 0.5,
        dimensions: int = 12,
        window: int = 5,
        negatives: int = 5,
        epochs: int = 10,
        rate: float = 0.07,
        seed: int = 1,
        background: Background | None = None,
    ) -> None:
        """``threshold``: a term with a larger cosine is disclosive. The others are settings of the skip-gram model:
        the vectors' ``dimensions``, words to each side (``window``), ``negatives`` drawn for each pair, ``epochs``,
        the learning ``rate`` at the beginning, and the ``seed`` of what is drawn."""
        super().__init__(background)
        if not isinstance(threshold, int | float) or not -1 <= threshold < 1:
            raise ValueError(f"threshold is a cosine from -1 to below 1, got {threshold!r}")
        self._threshold = float(threshold)
        self._settings = SkipGramSettings(dimensions, window, negatives, epochs, rate, seed=seed)
        self._vectors: WordVectors | None = None

    def read_corpus(self, documents: Sequence[Document]) -> None:
        texts: list[tuple[str, Sequence[str]]] = [(document.text, self.subjects(document)) for document in documents]
        texts += [(text, [person.id]) for person in self.background.people for text in person.texts]
        sentences = [tokens for text, people in texts for tokens in self._sentences(text, people)]
        count = sum(map(len, sentences))
        if count < LEAST_TOKENS:
            raise InputError(
                f"documents and background have {count} terms and words, too few to train word embeddings on "
                f"({LEAST_TOKENS:,} at least): give more documents, or a background with more text"
            )
        self._vectors = train(sentences, self._settings)
        self._check_named(documents)

    def _check_named(self, documents: Sequence[Document]) -> None:
        nameless = [document.id for document in documents if not self._person_tokens(document)]
        if nameless:
            raise InputError(
                f"{len(nameless)} documents are about people whose names stand in no text ({listed(nameless)}), so the "
                "embedding cannot tell what is near them: give people's names as ids, or a background with a column "
                "of names"
            )

    def replace_terms(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        self._check_named([document])
        people, text = self._person_tokens(document), document.text
        language, names = language_of(document), self._names_of(self.subjects(document))
        ends = [0, *(span.end for span in spans)]
        starts = [*(span.start for span in spans[1:]), len(text)]
        edits = []
        for span, limits in zip(spans, zip(ends, starts, strict=False), strict=False):
            near = self._similarity(_token(text[span.start : span.end], names), people)
            if near is None or near > self._threshold:
                mention = Mention(text, span.start, span.end, span.label, language, document.meta.get("date_order"))
                edits.append(self._edit(span, mention, near, people, limits))
        return edits

    def _edit(
        self, span: Span, mention: Mention, near: float | None, people: Collection[str], limits: TextRange
    ) -> Edit:
        """The edit of a term; ``limits``: where the terms beside it end and begin."""
        why = "its embedding is not known" if near is None else f"cosine {near:.2f} with the person"
        reasons = (detection_reason(span), why)
        has_levels = span.label not in WITHOUT_HIERARCHY and may_widen_mention(mention)
        for number, level in enumerate(generalize(mention) if has_levels else (), 1):
            wider = self._similarity(term_key(level.text), people)
            # A generalization that stands in no text never stands beside the person.
            if (wider is None or wider <= self._threshold) and is_grammatical(level, mention, limits):
                rendered = render_level(level, mention, limits)
                where = span.moved(rendered.start, rendered.end)
                return Edit(where, rendered.text, (*reasons, f"level {number} ({level.source})"), number)
        rendered = render_label(span.label, mention, limits)
        return Edit(span.moved(rendered.start, rendered.end), rendered.text, (*reasons, "label"))

    def _similarity(self, token: str, people: Collection[str]) -> float | None:
        """The largest cosine of a token and a person; None where the token was in no text."""
        assert self._vectors is not None
        return max(self._vectors.cosine(token, person) for person in people) if token in self._vectors else None

    def _person_tokens(self, document: Document) -> list[str]:
        assert self._vectors is not None
        return [token for person in self.subjects(document) if (token := _person_token(person)) in self._vectors]

    @cached_property
    def _all_names(self) -> Mapping[str, frozenset[frozenset[str]]]:
        """By person the words of each of their names."""
        return {
            person.id: frozenset(
                frozenset(term_key(name).split()) for name in names_of(person.id, self.background.names)
            )
            for person in self.background.people
        }

    def _names_of(self, people: Sequence[str]) -> dict[str, frozenset[frozenset[str]]]:
        return {person: self._all_names[person] for person in people}

    def _sentences(self, text: str, people: Sequence[str]) -> Iterator[list[str]]:
        """The tokens of each sentence: terms, other words, and one token for all mentions of a person by name."""
        names, words = self._names_of(people), tokens(text)
        ranges = add_disjoint(find_terms(text, words=False), ((word.start, word.end) for word in words))
        sentence: list[str] = []
        last = 0
        for start, end in ranges:
            if "\n" in text[last:start] or text[start:end] in _SENTENCE_ENDS:
                yield sentence
                sentence = []
            last = end
            if token := _token(text[start:end], names):
                sentence.append(token)
        yield sentence


def _person_token(person: str) -> str:
    return f"\0{person}"  # no term has this character


def _token(term: str, names: Mapping[str, frozenset[frozenset[str]]]) -> str:
    """The token of a term: that of the person whose name it is, or a part of their name; else its words."""
    key = term_key(term)
    words = frozenset(key.split()) - {"s"}
    if words and term[:1].isupper():
        for person, names_of_person in names.items():
            # A name in full, with words that the known one lacks, is a mention, too: "Ida Maria Quorvex".
            if any(words <= name or (len(name) > 1 and name < words) for name in names_of_person):
                return _person_token(person)
    return key
