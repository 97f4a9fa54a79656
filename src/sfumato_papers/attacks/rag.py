"""The linking attack by retrieval and a language model, which judges the few people whom a released text fits best."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sfumato import registry
from sfumato.attacks.base import AttackKind, Person, ask_grouped, check_count, load_prompt, margin, not_fitted
from sfumato.document import Attempt, Evidence, Guess
from sfumato.errors import InputError, NotMeasurable, RecipeError
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_object
from sfumato.llm.prompt import object_schema
from sfumato.llm.usage import Usage
from sfumato.models.base import Embedder, load_embedder
from sfumato.models.tokens import TOKENIZER, load_tokenizer, replace_surrogates, window_ranges
from sfumato_papers.attacks import PROMPTS

PASSAGES_SHOWN = 5
"""Passages of a person that the model is shown."""
_OVERLAP = 10
"""One in so many tokens of a passage is in the next one too."""
_RANK_CONSTANT = 60
"""Of reciprocal rank fusion: the usual constant, so that no single first place decides (Cormack et al., 2009)."""
_BATCH = 32
"""Documents whose candidates are asked about together: keeps a server busy, bounds memory."""


class Passages:
    """The passages of a background, embedded."""

    def __init__(self, background: Sequence[Person], embedder: Embedder, size: int) -> None:
        self._embedder, self._size = embedder, size
        by_person = [[part for text in person.texts for part in split_passages(text, size)] for person in background]
        self._texts = [passage for passages in by_person for passage in passages]
        ends = np.cumsum([0, *map(len, by_person)]).tolist()
        self._rows = {person.id: rows for person, rows in zip(background, pairwise(ends), strict=True)}
        self._vectors: NDArray[np.float32] = embedder.embed(self._texts)

    def closest(self, person: str, text: str, most: int) -> list[str]:
        """The person's passages most like the text, in the order they were written."""
        low, high = self._rows[person]
        queries = self._embedder.embed(split_passages(text, self._size))
        similarity = queries @ self._vectors[low:high].T
        score = similarity.max(axis=0) if len(queries) else np.zeros(high - low)
        rows = np.sort(np.argsort(-score, kind="stable")[:most])
        return [self._texts[low + row] for row in rows]


def split_passages(text: str, size: int) -> list[str]:
    """The text in passages of at most ``size`` sub-tokens that overlap by a tenth."""
    tokens = _tokenizer().encode(replace_surrogates(text), add_special_tokens=False).offsets
    if not tokens:
        return []
    windows = window_ranges(len(tokens), size, size - size // _OVERLAP)
    return [text[tokens[low][0] : tokens[high - 1][1]] for low, high in windows]


@cache
def _tokenizer() -> Any:
    return load_tokenizer(TOKENIZER.parent)


PROMPT = PROMPTS / "rag-link.toml"
SCHEMA = object_schema(
    {
        "score": {"type": "integer", "minimum": 0, "maximum": 100},
        "evidence": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
    }
)


class Judgement(NamedTuple):
    """0 (someone else) to 100 (this person), and the phrases that it quotes."""

    score: int
    phrases: tuple[str, ...]


def parse_judgement(answer: str, question: Mapping[str, str]) -> Judgement | None:
    """What an answer says; None where it is not just the object asked for."""
    parsed = parse_object(answer)
    if parsed is None:
        return None
    score, phrases = parsed.get("score"), parsed.get("evidence", [])
    if not isinstance(score, int) or isinstance(score, bool) or not 0 <= score <= 100:
        return None
    if not isinstance(phrases, list) or not all(isinstance(phrase, str) for phrase in phrases):
        return None
    return Judgement(score, tuple(phrases))


def check_chat(chat: Chat | None, attack: str) -> Chat:
    """The chat model of an attack. Raises RecipeError where there is none."""
    if chat is None or not callable(getattr(chat, "ask", None)):
        raise RecipeError(
            f"the attack {attack!r} needs a chat model to judge with, got {type(chat).__name__}: "
            "give chat=, an object with a name and ask(requests), as sfumato.llm.chat.Chat describes it"
        )
    return chat


def create_retrievers(names: str, embedder: Embedder | str) -> list[Any]:
    """The linking attacks that search, by their names joined by +; an embedder that is named is theirs as well."""
    defaults = {"embedder": embedder} if isinstance(embedder, str) else {}
    return [registry.create("attack", name.strip(), {}, defaults=defaults) for name in names.split("+")]


def fit_search(retrievers: Sequence[Any], background: Sequence[Person], embedder: Embedder, chunk: int) -> Passages:
    """Fit the attacks that search; the passages of the background, of so many tokens, that can be shown."""
    if not background:
        raise InputError("an empty background: give texts about the people whom a release may concern")
    for retriever in retrievers:
        retriever.fit(background)
    return Passages(background, embedder, chunk)


class Rag:
    """Links by asking a chat model to judge the ten people whose known texts fit a release best."""

    kind: ClassVar[AttackKind] = "linking"
    name: ClassVar[str] = "rag"
    goal: ClassVar[str] = (
        "Says whom a released text is about, knowing texts on every person, a language model judging the likely ones."
    )
    cite: ClassVar[str | None] = "lewis2020"
    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("chat", "embedder")

    def __init__(
        self,
        *,
        chat: Chat | None,
        retrieve: str = "dense",
        embedder: Embedder | str = "default",
        candidates: int = 10,
        chunk: int = 128,
        prompt: str | Path = PROMPT,
    ) -> None:
        """``retrieve``: the linking attack that names candidates, or several joined by +; ``chunk``: tokens of a
        passage that is shown; ``prompt``: a file with the keys of prompts/rag-link.toml."""
        chat = check_chat(chat, self.name)
        check_count("candidates", candidates)
        check_count("chunk", chunk)
        self._candidates, self._chunk = candidates, chunk
        self._embedder = load_embedder(embedder) if isinstance(embedder, str) else embedder
        self._retrievers = create_retrievers(retrieve, embedder)
        self._passages: Passages | None = None
        variables = ("person", "known", "released")
        self._splitter, self._runner = load_prompt(chat, prompt, variables, parse_judgement, SCHEMA, shipped=PROMPTS)
        self.chat_name, self.usage = self._runner.name, self._runner.usage

    def fit(self, background: Sequence[Person]) -> Self:
        """Fit the retrieving attacks, and split the background into passages to be shown."""
        self._passages = fit_search(self._retrievers, background, self._embedder, self._chunk)
        return self

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        """Candidates by the model's score, ties by how they were retrieved; those without an answer come last."""
        if self._passages is None:
            raise not_fitted(self.name)
        before = self.usage + Usage()
        documents, attempts = iter(released.items()), list[Attempt]()
        while batch := dict(islice(documents, _BATCH)):
            attempts += self._run_batch(batch, self._passages)
        asked = self.usage.questions - before.questions
        if asked and self.usage.failed - before.failed == asked:
            raise NotMeasurable(
                f"none of {asked} answers could be used ({self._runner.name}): try another model, or check that it runs"
            )
        return attempts

    def _run_batch(self, released: Mapping[str, str], passages: Passages) -> list[Attempt]:
        retrieved = self._retrieve(released)
        questions = [
            self._questions(person, text, passages)
            for text, people in zip(released.values(), retrieved, strict=True)
            for person in people
        ]
        # Of a text that is read in parts the part that speaks most for the person counts.
        judgements = (max(answers, key=_points) for answers in ask_grouped(self._runner, questions))
        return [
            _attempt(document, text, [(person, next(judgements)) for person in people])
            for (document, text), people in zip(released.items(), retrieved, strict=True)
        ]

    def _questions(self, person: str, text: str, passages: Passages) -> list[dict[str, str]]:
        known = "\n[...]\n".join(passages.closest(person, text, PASSAGES_SHOWN))
        values = {"person": person, "known": known, "released": ""}
        return [{**values, "released": part} for part in self._splitter.split(text, values)]

    def _retrieve(self, released: Mapping[str, str]) -> list[list[str]]:
        """Each text's candidates, best first: one ranking, or several summed by reciprocal rank."""
        attempts = zip(*(retriever.run(released) for retriever in self._retrievers), strict=True)
        rankings = ([[guess.answer for guess in attempt.guesses] for attempt in of_text] for of_text in attempts)
        return [fuse_rankings(of_text)[: self._candidates] for of_text in rankings]


def _points(judgement: Judgement | None) -> int:
    return -1 if judgement is None else judgement.score


def fuse_rankings(rankings: Sequence[Sequence[str]]) -> list[str]:
    """Several rankings as one by reciprocal rank fusion: the sum of 1 / (60 + rank)."""
    if len(rankings) == 1:
        return list(rankings[0])
    scores: dict[str, float] = defaultdict(float)
    for ranking in rankings:
        for rank, person in enumerate(ranking, 1):
            scores[person] += 1 / (_RANK_CONSTANT + rank)
    return sorted(scores, key=lambda person: -scores[person])


def _attempt(document: str, text: str, judged: Sequence[tuple[str, Judgement | None]]) -> Attempt:
    if not judged:
        return Attempt(Rag.name, document, ())
    size = len(judged) + 1
    # Whole points are the model's, the fraction says who was retrieved earlier; without an answer, below 0.
    scores = {person: _points(answer) + (size - rank) / size for rank, (person, answer) in enumerate(judged, 1)}
    guesses = tuple(Guess(person, scores[person]) for person in sorted(scores, key=lambda person: -scores[person]))
    best = dict(judged)[guesses[0].answer]
    quotes = _find_quotes(text, best) if best else ()
    return Attempt(Rag.name, document, guesses, score=margin(guesses), evidence=quotes)


def _find_quotes(text: str, judgement: Judgement) -> tuple[Evidence, ...]:
    """The phrases that the model quotes, with their offsets; what is not in the text is left out."""
    quotes = dict.fromkeys(phrase for phrase in judgement.phrases if phrase.strip() and phrase in text)
    starts = ((phrase, text.find(phrase)) for phrase in quotes)
    return tuple(Evidence(phrase, 1 / len(quotes), start, start + len(phrase)) for phrase, start in starts)
