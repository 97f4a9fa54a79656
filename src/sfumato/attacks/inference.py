"""The inference attack: guess what stood in a replaced span from the released text alone (Pilán et al., 2025)."""

from __future__ import annotations

import heapq
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import islice, product
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np

from sfumato.attacks.base import PROMPTS, AttackKind, Person, check_count, load_prompt, resolve_plugin
from sfumato.detectors.detection import detection_by_name
from sfumato.document import LABELS, Attempt, Document, Guess, Span
from sfumato.errors import InputError
from sfumato.generalize.hierarchy import candidate_originals
from sfumato.lexicon.caches import remember_in_run
from sfumato.lexicon.grammar import STOP_WORDS, content_lemmas, frequent_lemma, is_word, lemma, split_words
from sfumato.lexicon.language import document_language
from sfumato.lexicon.tables import to_ascii_letters
from sfumato.lexicon.time import Order, PartialDate, read_dates_each_way
from sfumato.lexicon.tokens import WORD_OR_POSSESSIVE
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_strings
from sfumato.llm.prompt import list_schema
from sfumato.models.base import TokenScorer

GUESSES = 5
UNREADABLE = ""
"""Stands for an answer that could not be read. It counts as guessed: a broken attacker proves no privacy."""


@runtime_checkable
class Guesser(Protocol):
    """Says what may have stood in a span of a released text.

    One that learns from the background has ``needs_background = True``: a recipe, which has none, refuses it.
    """

    name: str

    def fit(self, background: Sequence[Person]) -> Self:
        """Learn from what the attacker has read; once, before any guess."""
        ...

    def guess(self, text: str, spans: Sequence[Span], count: int) -> list[tuple[Guess, ...]]:
        """At most ``count`` different guesses for each span, likeliest first.

        A guess whose answer is empty (``UNREADABLE``) says that the answer could not be read.
        """
        ...


class InferenceAttack:
    """Guess what stood in a replaced span from the released text alone, five guesses a span."""

    kind: ClassVar[AttackKind] = "inference"
    name: ClassVar[str] = "inference"
    goal: ClassVar[str] = "Sees the released text and where something was replaced, and guesses what stood there."
    cite: ClassVar[str | None] = "pilan2025"
    uses: ClassVar[tuple[str, ...]] = ("chat",)

    def __init__(
        self, *, guesser: str | Guesser = "statistics", guesses: int = GUESSES, chat: Chat | None = None
    ) -> None:
        """``guesser``: a registered one by name, or an object; ``guesses``: how many it has for each span.

        ``chat``: whom the guesser "chat" asks.
        """
        check_count("guesses", guesses)
        self.guesser: Guesser = resolve_plugin("guesser", guesser, chat) if isinstance(guesser, str) else guesser
        self._count = guesses

    def fit(self, background: Sequence[Person]) -> Self:
        """Let the guesser read the background."""
        self.guesser.fit(background)
        return self

    def run(self, texts: Mapping[str, str], spans: Mapping[str, Sequence[Span]]) -> list[Attempt]:
        """One attempt for each span, in order. Spans are places in the released texts; a suppressed one has no width.

        The text is all that the guesser sees: no original, no reason, and of the other people only the background.
        """
        attempts = []
        for key, text in texts.items():
            replaced = spans.get(key, ())
            if any(span.end > len(text) for span in replaced):
                raise ValueError(f"a span of document {key} ends after its released text ({len(text)} characters)")
            for span, guesses in zip(replaced, self.guesser.guess(text, replaced, self._count), strict=True):
                lead = guesses[0].score - guesses[1].score if len(guesses) > 1 else None
                attempts.append(Attempt(self.name, key, guesses[: self._count], None, lead, (), span))
        return attempts


_REACH = 60
"""Characters on either side in which the neighbouring words are looked for."""
_NEIGHBOURS = 10
WEIGHTS = {"all": 0.1, "left": 0.3, "right": 0.3, "left two": 0.6, "right two": 0.6, "both": 1.0, "similar": 1.5}
"""How much each context counts: the more specific, the more. Set by hand, before any release was attacked."""

Context = tuple[str, ...]


class StatisticsGuesser:
    """Guesses what the background has in such places: same type, same words around, in similar texts."""

    needs_background: ClassVar[bool] = True
    name = "statistics"

    def __init__(self, *, detector: str = "rules") -> None:
        """``detector``: finds the values of the background; ``default`` are those of the default recipe."""
        self._detector = detector

    def fit(self, background: Sequence[Person]) -> Self:
        """Count values by context, and index the texts by their words."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        texts = [text for person in background for text in person.texts if text.strip()]
        if not texts:
            raise InputError("the background holds no text to learn from: give what an attacker may have read")
        documents = [Document(str(number), text) for number, text in enumerate(texts)]
        self._spellings: dict[str, Counter[str]] = defaultdict(Counter)
        self._all: dict[str, Counter[str]] = {"": Counter()}
        self._by_context: dict[tuple[str, Context], Counter[str]] = defaultdict(Counter)
        self._by_text: list[dict[str, Counter[str]]] = []
        for document, spans in zip(documents, detection_by_name(self._detector).spans(documents), strict=True):
            self._by_text.append(defaultdict(Counter))
            for span in spans:
                self._count(document.text, span)
        self._most_common = {label: counts.most_common() for label, counts in self._all.items()}
        self._totals = {label: counts.total() for label, counts in self._all.items()}
        self._words = TfidfVectorizer(sublinear_tf=True, token_pattern=r"(?u)\b[^\W\d_]{2,}\b")
        try:
            self._index = self._words.fit_transform(texts)
        except ValueError:
            raise InputError(
                "the background holds no words to learn from: give what an attacker may have read"
            ) from None
        return self

    def _count(self, text: str, span: Span) -> None:
        value = text[span.start : span.end]
        key = value.lower()
        self._spellings[key][value] += 1
        for label in (span.label, ""):
            self._all.setdefault(label, Counter())[key] += 1
            self._by_text[-1][label][key] += 1
            for context in contexts(text, span):
                self._by_context[label, context][key] += 1

    def guess(self, text: str, spans: Sequence[Span], count: int) -> list[tuple[Guess, ...]]:
        """What the contexts add up to; a label that the background never shows is guessed from all labels."""
        similar = self._most_similar(text)
        return [self._guess(text, span, similar, count) for span in spans]

    def _guess(self, text: str, span: Span, similar: Sequence[tuple[int, float]], count: int) -> tuple[Guess, ...]:
        label = span.label if span.label in self._all else ""
        scores: dict[str, float] = defaultdict(float)
        for context in contexts(text, span):
            _add(scores, self._by_context.get((label, context)), WEIGHTS[context[0]])
        for number, similarity in similar:
            _add(scores, self._by_text[number].get(label), WEIGHTS["similar"] * similarity)
        for key, _ in islice(self._most_common[label], count):
            scores[key] += 0.0
        for key in scores:
            scores[key] += WEIGHTS["all"] * self._all[label][key] / (self._totals[label] + 1)
        best = heapq.nsmallest(count, scores.items(), key=lambda item: (-item[1], item[0]))
        return tuple(Guess(self._spellings[key].most_common(1)[0][0], score) for key, score in best)

    def _most_similar(self, text: str) -> list[tuple[int, float]]:
        """The most similar texts by shared words, with shares that add up to 1 at most."""
        similarity = (self._index @ self._words.transform([text]).T).toarray().ravel()
        best = np.argsort(-similarity, kind="stable")[:_NEIGHBOURS]
        # A text that is nearest by far should count most by far: its share grows with the fourth power.
        total = float((similarity[best] ** 4).sum())
        return [(int(number), float(similarity[number] ** 4 / total)) for number in best if similarity[number] > 0]


def contexts(text: str, span: Span) -> Iterator[Context]:
    """The words around a span: one and two on either side, one on both."""
    before = [word.lower() for word in WORD_OR_POSSESSIVE.findall(text, max(0, span.start - _REACH), span.start)][-2:]
    after = [word.lower() for word in WORD_OR_POSSESSIVE.findall(text, span.end, span.end + _REACH)][:2]
    if before:
        yield ("left", before[-1])
    if after:
        yield ("right", after[0])
    if before and after:
        yield ("both", before[-1], after[0])
    if len(before) == 2:
        yield ("left two", *before)
    if len(after) == 2:
        yield ("right two", *after)


def _add(scores: dict[str, float], counts: Counter[str] | None, weight: float) -> None:
    """Add each count as a share of all, less where few were counted."""
    if counts:
        total: Any = counts.total() + 1
        for key, number in counts.items():
            scores[key] += weight * number / total


_CONTEXT_CHARACTERS = 150
"""Characters on either side that the model reads: more costs time and changes little."""


class LikelihoodGuesser:
    """Ranks what the background has in such places by how likely it is here, by a token scorer (a language model)."""

    needs_background: ClassVar[bool] = True

    def __init__(self, *, scorer: str | TokenScorer = "default", candidates: int = 20, detector: str = "rules") -> None:
        """``candidates``: how many the model is asked about, those that the statistics find likeliest."""
        from sfumato.models.base import load_scorer

        check_count("candidates", candidates)
        self._scorer = load_scorer(scorer) if isinstance(scorer, str) else scorer
        self._candidates = candidates
        self._statistics = StatisticsGuesser(detector=detector)
        self.name = f"likelihood:{self._scorer.name},candidates={candidates}"

    def fit(self, background: Sequence[Person]) -> Self:
        self._statistics.fit(background)
        return self

    def guess(self, text: str, spans: Sequence[Span], count: int) -> list[tuple[Guess, ...]]:
        """Scores are ln p(guess | text around it), the least of its sub-tokens."""
        candidates = self._statistics.guess(text, spans, max(count, self._candidates))
        return [self._rank(text, span, guesses)[:count] for span, guesses in zip(spans, candidates, strict=True)]

    def _rank(self, text: str, span: Span, candidates: Sequence[Guess]) -> tuple[Guess, ...]:
        before = text[max(0, span.start - _CONTEXT_CHARACTERS) : span.start]
        after = text[span.end : span.end + _CONTEXT_CHARACTERS]
        scored = []
        for answer in (guess.answer for guess in candidates):
            answer_range = (len(before), len(before) + len(answer))
            information = self._scorer.information(before + answer + after, [answer_range])[0]
            scored.append(Guess(answer, -float(information)))
        return tuple(sorted(scored, key=lambda guess: -guess.score))


_LANGUAGE_SAMPLE = 3000
"""Characters of a text by which its language is told."""


class HierarchyGuesser:
    """Guesses what generalizes to this level in our own tables, the commonest and best fitting first; no background."""

    name = "hierarchy"

    def fit(self, background: Sequence[Person]) -> Self:
        """Nothing to learn: it knows our tables."""
        return self

    def guess(self, text: str, spans: Sequence[Span], count: int) -> list[tuple[Guess, ...]]:
        """Scores are 1, 1/2, 1/3 ... by the order of the tables; none where no table knows the phrase."""
        language = document_language(text[:_LANGUAGE_SAMPLE]) or "en"
        guesses: dict[tuple[str, str], tuple[Guess, ...]] = {}
        keys = [(text[span.start : span.end], span.label if span.label in LABELS else "MISC") for span in spans]
        for phrase, label in dict.fromkeys(keys):
            guesses[phrase, label] = _ranked(tuple(islice(candidate_originals(phrase, text, label, language), count)))
        return [guesses[key] for key in keys]


class ChatGuesser:
    """Asks a chat model what stood in a span; it needs no background. An unreadable answer is said to be one.

    The model reads the whole released text, with the span marked in it.
    """

    cite: ClassVar[str | None] = "pilan2025"
    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("chat",)

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "guess.toml") -> None:
        """``prompt``: a file with the keys of prompts/guess.toml."""
        schema = list_schema("guesses", {"type": "string"})
        self._splitter, self._runner = load_prompt(
            chat, prompt, ("text", "span", "count"), lambda answer, _: parse_strings(answer, "guesses") or None, schema
        )
        self.name, self.usage = self._runner.name, self._runner.usage

    def fit(self, background: Sequence[Person]) -> Self:
        """Nothing to learn: the model is trained."""
        return self

    def guess(self, text: str, spans: Sequence[Span], count: int) -> list[tuple[Guess, ...]]:
        """Scores are 1, 1/2, 1/3 ... by the order of the answer. Of a text too long to be read at once the model sees
        the part around the span."""
        return self.guess_each([(text, span) for span in spans], count)

    def guess_each(self, places: Sequence[tuple[str, Span]], count: int) -> list[tuple[Guess, ...]]:
        """``guess`` for places in several texts, asked together."""
        answers = self._runner.ask([self._question(text, span, count) for text, span in places])
        unreadable = (Guess(UNREADABLE, 0.0),)
        return [_ranked(tuple(dict.fromkeys(answer[:count]))) if answer else unreadable for answer in answers]

    def _question(self, text: str, span: Span, count: int) -> dict[str, str]:
        phrase = text[span.start : span.end]
        values = {"text": "", "span": phrase, "count": str(count)}
        start, end = self._splitter.window_around(text, (span.start, span.end), values)
        return {**values, "text": f"{text[start : span.start]}[[{phrase}]]{text[span.end : end]}"}


@lru_cache(maxsize=1024)
def _ranked(answers: tuple[str, ...]) -> tuple[Guess, ...]:
    """Scores by the order: 1, 1/2, 1/3 ..."""
    return tuple(Guess(answer, 1 / rank) for rank, answer in enumerate(answers, 1))


FREQUENT_LEMMAS = 200
NAME_LABELS = frozenset({"PERSON", "ORG", "LOC"})
"""Labels of which every word is part of a name; under others a capital tells."""
_NGRAM = 4
_INSIDE = 4
"""Letters that a lemma must have, to count where it stands inside another."""
_ACRONYM = 3
"""Title-cased words that make an acronym that counts as a lemma, at least."""
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.IGNORECASE)
_ARTICLES = frozenset({"A", "An", "The"})


def frequent_lemmas(texts: Iterable[str], most: int = FREQUENT_LEMMAS) -> frozenset[str]:
    """The most frequent lemmas of a corpus; sharing one of these is no match.

    Names do not count, however frequent: a word that is never in small letters (Turkish, but not Government).
    """
    counts, lower_case = Counter[str](), set[str]()
    for text in texts:
        words = split_words(text)
        counts.update(content_lemmas(" ".join(word for word in words if not word.isupper())))
        lower_case.update(content_lemmas(" ".join(word for word in words if word.islower())))
    return frozenset(sorted(lower_case, key=lambda word: (-counts[word], word))[:most])


def all_letter_runs(word: str) -> set[str]:
    """All runs of four letters, as in the paper: *Constitutional* and *Administration* share one."""
    return {word[start : start + _NGRAM] for start in range(len(word) - _NGRAM + 1)}


def first_letter_run(word: str) -> set[str]:
    """The first four letters: what *Turkey* and *Turkish* share."""
    return {word[:_NGRAM]} if len(word) >= _NGRAM else set()


class MatchRules(NamedTuple):
    """What counts as a match beyond the same words."""

    letter_runs: Callable[[str], set[str]]
    """The letters of a name that count where they are shared."""
    has_short_acronyms: bool
    """Whether two title-cased words match their two letters: European Union and EU."""
    guesses_need_capitals: bool
    """Whether a word of a guess is part of a name only with a capital, as in the original."""
    base_form: Callable[[str, str], str]
    """The base form of a word of a language."""


PUBLISHED = MatchRules(all_letter_runs, has_short_acronyms=True, guesses_need_capitals=False, base_form=lemma)
"""MATCH as Pilán et al. (2025) describe it."""
AT_THE_START = MatchRules(
    first_letter_run, has_short_acronyms=False, guesses_need_capitals=True, base_form=frequent_lemma
)
"""Names match by their first letters: for the choice of a generalization, which must not depend on endings. Base forms
are those of frequent words, so that no dictionary has to be loaded."""


def is_match(
    original: str,
    guess: str,
    label: str,
    frequent: Set[str] = frozenset(),
    language: str = "en",
    rules: MatchRules = PUBLISHED,
) -> bool:
    """Whether ``guess`` matches ``original``, accents and case aside: MATCH of INTACT.

    Looser than the same string, so that *Turkish* for *Turkey* counts; stricter for dates, whose generalizations repeat
    parts of them by design: a DATETIME matches only where all lemmas agree, or the dates they say. Others match by any
    of: the same, case aside; a lemma in common that is neither a number, a stop word nor frequent (the acronym of
    title-cased words counts as one); a lemma of more than three letters inside one of the other; for names, four
    letters in a row in common.
    """
    original, guess = to_ascii_letters(original), to_ascii_letters(guess.strip())
    if guess == UNREADABLE or guess.lower() == original.strip().lower():
        return True
    if label == "DATETIME":
        dates, guessed = (_DatesOf.text(text, language, rules.base_form) for text in (original, guess))
        return not dates.readings.isdisjoint(guessed.readings) or dates.lemmas == guessed.lemmas != ()
    first, second = (_lemmas(_WordsOf.text(text, language, rules.base_form), frequent) for text in (original, guess))
    # Two letters count against a word alone ("EU"): those of two names agree by chance.
    if rules.has_short_acronyms and (_short_acronym(original) & second or _short_acronym(guess) & first):
        return True
    if first & second or _is_inside(first, second) or _is_inside(second, first):
        return True
    is_any_word = label in NAME_LABELS
    runs = _runs(original, frequent, language, rules, is_any_word)
    is_any_word = is_any_word or not rules.guesses_need_capitals
    return bool(runs) and not runs.isdisjoint(_runs(guess, frequent, language, rules, is_any_word))


def _is_inside(shorter: Set[str], longer: Set[str]) -> bool:
    """Whether a lemma of some length is part of one of the others."""
    return any(len(short) >= _INSIDE and short in long for short in shorter for long in longer)


class _WordsOf(NamedTuple):
    """The words of a phrase in the forms in which they are compared."""

    words: tuple[str, ...]
    lemmas: tuple[str, ...]
    initials: str

    @staticmethod
    @remember_in_run(4096)
    def text(text: str, language: str, base_form: Callable[[str, str], str]) -> _WordsOf:
        """Those of a phrase; the guesses of an attacker repeat from document to document."""
        return _WordsOf(tuple(split_words(text)), tuple(content_lemmas(text, language, base_form)), _initials(text))


def _lemmas(phrase: _WordsOf, frequent: Set[str]) -> set[str]:
    """The lemmas that are not frequent, and the acronym of title-cased words: *who* of World Health Organization."""
    lemmas = {word for word in phrase.lemmas if word not in frequent}
    return lemmas | {phrase.initials} if len(phrase.initials) >= _ACRONYM else lemmas


def _initials(text: str) -> str:
    return "".join(word[0].lower() for word in split_words(text) if word.istitle() and word not in _ARTICLES)


def _short_acronym(text: str) -> set[str]:
    return {initials} if len(initials := _initials(text)) == _ACRONYM - 1 else set()


def _runs(text: str, frequent: Set[str], language: str, rules: MatchRules, is_any_word: bool) -> set[str]:
    """The letters of the words of a name: of all words, or of capitalised ones."""
    words = _WordsOf.text(text, language, rules.base_form).words
    named = (word for word in words if is_any_word or word[0].isupper())
    names = (word for word in named if is_word(word) and rules.base_form(word, language) not in frequent)
    return {run for word in names for run in rules.letter_runs(word.lower())}


class _DatesOf(NamedTuple):
    """What is compared of two phrases that say a date."""

    readings: frozenset[tuple[PartialDate, ...]]
    """The dates in each of the ways in which numeric dates and years of two digits can be read."""
    lemmas: tuple[str, ...]
    """All lemmas, numbers too ("3rd" as "3"), in any order."""

    @staticmethod
    @remember_in_run(4096)
    def text(text: str, language: str, base_form: Callable[[str, str], str]) -> _DatesOf:
        """Those of a phrase; the guesses of an attacker repeat from document to document."""
        orders: tuple[Order, ...] = ("dmy", "mdy")
        readings = read_dates_each_way(text, list(product(orders, (1900, 2000))))
        words = [word for word in split_words(text) if word.lower() not in STOP_WORDS[language]]
        lemmas = (base_form(word[:-2] if _ORDINAL.fullmatch(word) else word, language) for word in words)
        return _DatesOf(frozenset(readings) - {()}, tuple(sorted(lemmas)))
