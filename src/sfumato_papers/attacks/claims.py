"""The claims attack: find a person's sanitized record by three facts known about them (Xin et al., 2025).

Splitters take a text apart into claims; judges rate how well a record supports a claim.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import median_low
from typing import ClassVar, NamedTuple, Protocol, Self, runtime_checkable
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.base import MAX_GUESSES, AttackKind, ask_grouped, load_prompt, margin
from sfumato.attacks.linking.weighting import Bm25
from sfumato.document import Attempt, Evidence, Guess
from sfumato.errors import InputError, RecipeError, suggest
from sfumato.lexicon.grammar import content_lemmas, sentence_ranges, split_words, trim_range
from sfumato.lexicon.grammar_en import AUXILIARIES, word_classes
from sfumato.lexicon.tables import words
from sfumato.lexicon.tokens import WORD_OR_POSSESSIVE
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_list, parse_object, parse_strings
from sfumato.llm.prompt import list_schema, object_schema
from sfumato.llm.usage import Usage
from sfumato.models.base import Embedder, Range
from sfumato_papers.attacks import PACKAGE, PROMPTS

_JOINT = re.compile(
    rf"(?:[,;:–—]|(?<!\s))\s++(?:{'|'.join(words('clauses', 'conjunctions', 'en', PACKAGE))})\s+"
    r"|[,;:]\s+|(?<!\s)\s++[–—]\s+"
    rf"|(?:[,;:]|(?<!\s))\s++(?=(?:{'|'.join(words('clauses', 'subordinators', 'en', PACKAGE))})\s)",
    re.IGNORECASE,
)
"""What may part two clauses in English: a sign or conjunction goes, a relative or subordinating word stays."""
_VERBS = frozenset({"verb", "past", "participle"})
_LEAST_WORDS = 3
_SHORT = 200
"""Characters: a summary of a short text may be longer than the text."""
_EDGES = " \t\r\n,;:.!?…\"'“”‘’–—"


@dataclass(frozen=True, slots=True)
class Claim:
    """One piece of information, and its range in the text, if it was taken from there.

    A claim is part of the text as it stands: "and is a nurse" becomes "is a nurse", not "she is a nurse".
    """

    text: str
    range: Range | None = None


class Splitter(Protocol):
    """Splits texts into claims."""

    name: str

    def split(self, texts: Sequence[str]) -> list[list[Claim]]:
        """The claims of each text, in its order."""
        ...


class ClauseSplitter:
    """Sentences, split where a conjunction, a comma or a relative word parts two clauses with a verb each."""

    name = "clauses"

    def split(self, texts: Sequence[str]) -> list[list[Claim]]:
        """Claims with their ranges, sorted and disjoint; parts without a content word are left out."""
        return [list(_split_clauses(text)) for text in texts]


def _split_clauses(text: str) -> Iterator[Claim]:
    for sentence in sentence_ranges(text):
        for clause in _clauses(text, *sentence):
            start, end = trim_range(text, *clause, _EDGES)
            if content_terms(text[start:end]):
                yield Claim(text[start:end], (start, end))


def content_terms(text: str) -> list[str]:
    """What a claim is compared by: base forms of its words, stop words aside, and its numbers."""
    return content_lemmas(text) + [word.lower() for word in split_words(text) if any(map(str.isdigit, word))]


def _clauses(text: str, start: int, end: int) -> Iterator[Range]:
    """Parts between joints; one that is no clause goes with the part before it, the first with the next."""
    joints = [match.span() for match in _JOINT.finditer(text, start, end)]
    begin = start
    for (stop, next_start), (next_stop, _) in pairwise([*joints, (end, end)]):
        if _is_clause(text[begin:stop]) and _is_clause(text[next_start:next_stop]):
            yield begin, stop
            begin = next_start
    yield begin, end


def _is_clause(text: str) -> bool:
    tokens = [word.lower() for word in split_words(text)]
    classes = word_classes()
    return len(tokens) >= _LEAST_WORDS and any(word in AUXILIARIES or classes.get(word) in _VERBS for word in tokens)


CLAIM_CHOICES = ("first", "random", "last")
KNOWN_CLAIMS = 3
"""Claims that the attacker knows of each record."""
K1, B = 0.9, 0.4
"""The defaults of BM25 in Lucene and Pyserini, which the paper uses."""


def choose_known_claims(count: int, which: str, seed: int, record: str) -> tuple[int, ...]:
    """Which of a record's claims the attacker knows: the first three, the last, or three drawn for this record."""
    if which not in CLAIM_CHOICES:
        raise RecipeError(f"no way {which!r} to choose known claims: {suggest(which, CLAIM_CHOICES)}")
    if count < KNOWN_CLAIMS:
        raise ValueError(f"{count} claims are too few to know {KNOWN_CLAIMS}")
    if which != "random":
        start = 0 if which == "first" else count - KNOWN_CLAIMS
        return tuple(range(start, start + KNOWN_CLAIMS))
    drawn = _generator(seed, record).choice(count, KNOWN_CLAIMS, replace=False)
    return tuple(sorted(map(int, drawn)))


class ClaimsAttack:
    """Find a person's sanitized record by a few facts known about them: BM25 over all sanitized records."""

    kind: ClassVar[AttackKind] = "claims"
    name: ClassVar[str] = "claims"
    goal: ClassVar[str] = "Knows three claims of each record, and looks for it among all the sanitized records."
    cite: ClassVar[str | None] = "xin2025"

    def __init__(self, *, seed: int = 0) -> None:
        """``seed``: of the order of ties, and of the guess where nothing fits."""
        self._seed = seed

    def fit(self, released: Mapping[str, str]) -> Self:
        """Index the sanitized records (id -> text); empty ones too, which may be guessed blindly."""
        if not released:
            raise InputError("there is no sanitized record to look in: give at least one")
        self._ids, self._texts = list(released), list(released.values())
        self._index = Bm25Index([content_terms(text) for text in self._texts])
        return self

    def run(self, known: Mapping[str, Sequence[str]]) -> list[Attempt]:
        """One attempt for each person, by the claims known of them; the guesses are sanitized records' ids.

        Where no record shares a word with the claims there is one blind guess, of score 0.
        """
        return [self._attempt(person, " ".join(claims)) for person, claims in known.items()]

    def _attempt(self, person: str, query: str) -> Attempt:
        terms = Counter(content_terms(query))
        scores = self._index.scores(terms)
        best = self._best(scores, person)
        guesses = tuple(Guess(self._ids[number], float(scores[number])) for number in best)
        return Attempt(self.name, person, guesses, None, margin(guesses), self._evidence(best[0], terms))

    def _best(self, scores: NDArray[np.float64], person: str) -> list[int]:
        """The records that fit best, or one blind guess. Ties are in random order: the records' order must not help."""
        generator = _generator(self._seed, person)
        least = np.partition(scores, -MAX_GUESSES)[-MAX_GUESSES] if len(scores) > MAX_GUESSES else 0.0
        fitting = np.flatnonzero((scores >= least) & (scores > 0))
        if not len(fitting):
            return [int(generator.integers(len(scores)))]
        order = np.lexsort((generator.random(len(fitting)), -scores[fitting]))[:MAX_GUESSES]
        return [int(number) for number in fitting[order]]

    def _evidence(self, record: int, terms: Mapping[str, int]) -> tuple[Evidence, ...]:
        """The words of the linked record that the claims share, each at its first occurrence."""
        by_term: dict[str, Evidence] = {}
        for match in WORD_OR_POSSESSIVE.finditer(self._texts[record]):
            for term in content_terms(match[0]):
                if term in terms and term not in by_term:
                    weight = terms[term] * self._index.weight(term, record)
                    by_term[term] = Evidence(match[0], weight, match.start(), match.end())
        return tuple(sorted(by_term.values(), key=lambda item: (-item.weight, item.start)))


class Bm25Index:
    """BM25 weights of terms in records."""

    def __init__(self, records: Sequence[Sequence[str]]) -> None:
        from scipy.sparse import csr_array

        self._terms: dict[str, int] = {}
        rows, columns = list[int](), list[int]()
        for number, record in enumerate(records):
            for term in record:
                rows.append(self._terms.setdefault(term, len(self._terms)))
                columns.append(number)
        shape = (len(self._terms), len(records))
        counts = csr_array((np.ones(len(rows), np.float32), (rows, columns)), shape=shape)
        self._weights = Bm25(K1, B).learn(counts)

    def scores(self, query: Mapping[str, int]) -> NDArray[np.float64]:
        """Of each record the sum of the weights of the query's terms, times their counts."""
        counts = {self._terms[term]: count for term, count in query.items() if term in self._terms}
        scores: NDArray[np.float64] = np.array(list(counts.values()), np.float64) @ self._weights[list(counts)]
        return scores

    def weight(self, term: str, record: int) -> float:
        """The weight of a term in a record that has it."""
        return float(self._weights[self._terms[term], record])


def _generator(seed: int, record: str) -> np.random.Generator:
    return np.random.default_rng([seed, crc32(record.encode("utf-8", "surrogatepass"))])


class ChatSplitter:
    """Asks a chat model for the claims of a text: atomic sentences that can be understood alone.

    A text without a readable answer has none, and is counted.
    """

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "split-claims.toml") -> None:
        """``prompt``: a file with the keys of prompts/split-claims.toml."""
        schema = list_schema("claims", {"type": "string"})
        self._splitter, self._runner = load_prompt(chat, prompt, ("text",), _read_claims, schema, shipped=PROMPTS)
        self.name, self.usage = self._runner.name, self._runner.usage

    def split(self, texts: Sequence[str]) -> list[list[Claim]]:
        """Claims in the order of the text, without ranges: they are the model's words. A blank text has none."""
        parts = [self._splitter.split(text, {"text": ""}) if text.strip() else [] for text in texts]
        answers = ask_grouped(self._runner, [[{"text": part} for part in of_text] for of_text in parts])
        return [[Claim(claim) for answer in of_text for claim in answer or ()] for of_text in answers]


class SummarySplitter:
    """Has a chat model summarize each text and then split the summary: for records with long generated passages.

    So do Xin et al. (2025) with conversations of WildChat, lest a chatbot's answers make up most of the claims. A text
    without a readable summary has no claims, and is counted.
    """

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "summarize-record.toml") -> None:
        """``prompt``: a file with the keys of prompts/summarize-record.toml."""
        self._parts, self._runner = load_prompt(chat, prompt, ("text",), _read_summary, _SUMMARY, shipped=PROMPTS)
        self._claims = ChatSplitter(chat)
        self.name = f"{self._runner.name}, {self._claims.name}"

    @property
    def usage(self) -> Usage:
        """Of both questions."""
        return self._runner.usage + self._claims.usage

    def split(self, texts: Sequence[str]) -> list[list[Claim]]:
        """The claims of each text's summary. A text too long to be read at once is summarized in parts."""
        return self._claims.split(self.summarize(texts))

    def summarize(self, texts: Sequence[str]) -> list[str]:
        """The summary of each text; empty where there is none."""
        parts = [self._parts.split(text, {"text": ""}) if text.strip() else [] for text in texts]
        answers = ask_grouped(self._runner, [[{"text": part} for part in of_text] for of_text in parts])
        return [" ".join(filter(None, of_text)) for of_text in answers]


_SUMMARY = object_schema({"summary": {"type": "string"}})


def _read_summary(answer: str, question: Mapping[str, str]) -> str | None:
    """The summary on one line; one that is longer than the text summarizes nothing."""
    summary = (parse_object(answer) or {}).get("summary")
    if not isinstance(summary, str) or not any(map(str.isalpha, summary)):
        return None
    one_line = " ".join(summary.split())
    return one_line if len(one_line) <= max(len(question["text"]), _SHORT) else None


def _read_claims(answer: str, question: Mapping[str, str]) -> list[str] | None:
    return [claim for claim in parse_strings(answer, "claims") or () if any(map(str.isalpha, claim))] or None


# The thresholds of judges without a language model were fixed beforehand, on 150 patient stories that no reported
# figure uses: claims against stories of other people (to be rated 3), and against their own story with one word of the
# claim replaced by a label (to be rated 2). docs/attacks.md has the shares.
SAME, SIMILAR, UNSUPPORTED = 1, 2, 3
"""How well a record supports a claim."""


class Question(NamedTuple):
    """Claims, and the passage they are rated against."""

    claims: Sequence[str]
    passage: str


@runtime_checkable
class Judge(Protocol):
    """Rates claims against passages."""

    name: str

    def rate(self, questions: Sequence[Question]) -> list[list[int | None]]:
        """1, 2 or 3 for each claim of each question; None where the judge gave no readable answer."""
        ...


class Rating(NamedTuple):
    """How well a record supports a claim, and why; None and no reason where a judge gave none."""

    value: int | None
    reason: str = ""


@runtime_checkable
class ExplainingJudge(Judge, Protocol):
    """A judge that gives a reason for each rating."""

    def explain(self, questions: Sequence[Question]) -> list[list[Rating]]:
        """As ``rate``, with the reasons; they may quote the record."""
        ...


class LexicalJudge:
    """Rates by shared words: all of a claim's words in one sentence of the record are the same, half are similar."""

    name = "lexical"

    def __init__(self, *, similar: float = 0.5) -> None:
        """``similar``: least share of a claim's words, stop words aside, in one sentence of the record."""
        self._similar = similar

    def rate(self, questions: Sequence[Question]) -> list[list[int | None]]:
        return [self._rate(*question) for question in questions]

    def _rate(self, claims: Sequence[str], passage: str) -> list[int | None]:
        sentences = [frozenset(content_terms(passage[start:end])) for start, end in sentence_ranges(passage)]
        return [self._rating(frozenset(content_terms(claim)), sentences) for claim in claims]

    def _rating(self, claim: frozenset[str], sentences: Sequence[frozenset[str]]) -> int:
        shared = max((len(claim & sentence) for sentence in sentences), default=0)
        if not shared or shared < self._similar * len(claim):
            return UNSUPPORTED
        return SAME if shared == len(claim) else SIMILAR


class EmbeddingJudge:
    """Rates by the cosine of a claim and the nearest sentence or clause of the record."""

    def __init__(self, *, embedder: str | Embedder = "default", same: float = 0.95, similar: float = 0.6) -> None:
        """``same``, ``similar``: least cosines; the defaults are meant for the default embedder."""
        from sfumato.models.base import load_embedder

        self._embedder = load_embedder(embedder) if isinstance(embedder, str) else embedder
        self._same, self._similar = same, similar
        self.name = f"embedding:{self._embedder.name}"

    def rate(self, questions: Sequence[Question]) -> list[list[int | None]]:
        return [self._rate(*question) for question in questions]

    def _rate(self, claims: Sequence[str], passage: str) -> list[int | None]:
        parts = [passage[start:end] for start, end in sentence_ranges(passage)]
        parts += [claim.text for claim in ClauseSplitter().split([passage])[0]]
        if not parts or not claims:
            return [UNSUPPORTED] * len(claims)
        nearest = (self._embedder.embed(claims) @ self._embedder.embed(parts).T).max(axis=1)
        # Rounding may leave the cosine of a text with itself a little below 1.
        ratings = np.where(nearest >= self._same - 1e-6, SAME, np.where(nearest >= self._similar, SIMILAR, UNSUPPORTED))
        return [int(rating) for rating in ratings]


VOTES = 3


class ChatJudge:
    """Rates by asking a chat model three times, with a reason for each; what does not rate every claim is no vote."""

    cite: ClassVar[str | None] = "xin2025"
    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("chat",)

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "judge-claims.toml") -> None:
        """``prompt``: a file with the keys of prompts/judge-claims.toml."""
        rating = {"type": "integer", "enum": [SAME, SIMILAR, UNSUPPORTED]}
        schema = list_schema("ratings", object_schema({"reason": {"type": "string"}, "rating": rating}))
        self._splitter, self._runner = load_prompt(
            chat, prompt, ("claims", "passage", "count"), _read_ratings, schema, shipped=PROMPTS
        )
        self.name, self.usage = f"{self._runner.name},votes={VOTES}", self._runner.usage

    def rate(self, questions: Sequence[Question]) -> list[list[int | None]]:
        """The rating that most votes give each claim; None where no vote could be read."""
        return [[rating.value for rating in ratings] for ratings in self.explain(questions)]

    def explain(self, questions: Sequence[Question]) -> list[list[Rating]]:
        """The same with the reason of the first vote for that rating.

        A record too long to be read at once is read in parts: a claim is supported where one of them supports it. A
        record without a word supports nothing, and nobody is asked.
        """
        asked = [self._prompt_values(question) for question in questions]
        draws = [ask_grouped(self._runner, asked, sample_index) for sample_index in range(VOTES)]
        return [
            _combine_parts(zip(*votes, strict=True), len(question.claims))
            if parts
            else [Rating(UNSUPPORTED)] * len(question.claims)
            for question, parts, *votes in zip(questions, asked, *draws, strict=True)
        ]

    def _prompt_values(self, question: Question) -> list[dict[str, str]]:
        if not question.claims or not any(map(str.isalnum, question.passage)):
            return []
        claims = "\n".join(f"{number}. {claim}" for number, claim in enumerate(question.claims, 1))
        values = {"claims": claims, "passage": "", "count": str(len(question.claims))}
        return [{**values, "passage": part} for part in self._splitter.split(question.passage, values)]


def _combine_parts(votes: Iterable[Sequence[list[Rating] | None]], claims: int) -> list[Rating]:
    """Each claim's best rating over the parts of a record, whose votes were read or not."""
    readable = [[vote for vote in of_part if vote is not None] for of_part in votes]
    best: list[Rating] = []
    for claim in range(claims):
        by_part = [[vote[claim] for vote in of_part] for of_part in readable]
        decided = [(majority_vote([vote.value for vote in of_part if vote.value]), of_part) for of_part in by_part]
        value, of_part = min(
            ((value, of_part) for value, of_part in decided if value is not None),
            key=lambda item: item[0],
            default=(None, []),
        )
        best.append(Rating(value, next((vote.reason for vote in of_part if vote.value == value), "")))
    return best


def majority_vote(votes: Sequence[int]) -> int | None:
    """The most frequent vote; where there is none the middle one, and of two the one that says less privacy."""
    if not votes:
        return None
    (first, count), *others = Counter(votes).most_common()
    return first if not others or count > others[0][1] else median_low(votes)


def _read_ratings(answer: str, question: Mapping[str, str]) -> list[Rating] | None:
    """A rating for every claim, or nothing; a bare number is a rating without a reason."""
    items = parse_list(answer, "ratings")
    if items is None or len(items) != int(question["count"]):
        return None
    ratings = [_read_rating(item) for item in items]
    return [rating for rating in ratings if rating] if all(ratings) else None


def _read_rating(item: object) -> Rating | None:
    value, reason = (item.get("rating"), item.get("reason")) if isinstance(item, Mapping) else (item, "")
    if type(value) is not int or not SAME <= value <= UNSUPPORTED:
        return None
    return Rating(value, reason.strip() if isinstance(reason, str) else "")
