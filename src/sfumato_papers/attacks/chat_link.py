"""The linking attack by a language model: it lists what a release says, searches, compares ten people, or abstains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import ClassVar, NamedTuple, Self

from sfumato.attacks.base import AttackKind, Person, ask_grouped, check_count, load_prompt, margin, not_fitted
from sfumato.document import Attempt, Evidence, Guess
from sfumato.errors import NotMeasurable
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_object, parse_strings
from sfumato.llm.prompt import list_schema, object_schema
from sfumato.llm.usage import Usage
from sfumato.models.base import Embedder, load_embedder
from sfumato_papers.attacks import PROMPTS
from sfumato_papers.attacks.rag import Passages, check_chat, create_retrievers, fit_search, fuse_rankings

EXTRACT = PROMPTS / "extract-facts.toml"
CHOOSE = PROMPTS / "choose-person.toml"
FACTS_SCHEMA = list_schema("facts", {"type": "string"})
CHOICE_SCHEMA = object_schema(
    {
        "person": {"type": "integer", "minimum": 0},
        "certainty": {"type": "integer", "minimum": 0, "maximum": 100},
        "evidence": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
    }
)
PASSAGES_SHOWN = 2
"""Passages of each candidate that the model is shown."""
PASSAGE_TOKENS = 128
MAX_FACTS = 30
_BATCH = 32
"""Documents that are asked about together: keeps a server busy, bounds memory."""


class Choice(NamedTuple):
    """The number of the person chosen, from 1; 0: none. How certain, and the facts that it quotes."""

    person: int
    certainty: int
    facts: tuple[str, ...]


def parse_facts(answer: str, question: Mapping[str, str]) -> list[str] | None:
    """The facts that an answer lists; None where it is not the list asked for."""
    facts = parse_strings(answer, "facts")
    return None if facts is None else facts[:MAX_FACTS]


def parse_choice(answer: str, question: Mapping[str, str]) -> Choice | None:
    """What an answer says; None where it is not just the object asked for, or names a person who was not shown."""
    parsed = parse_object(answer)
    if parsed is None:
        return None
    person, certainty, facts = parsed.get("person"), parsed.get("certainty"), parsed.get("evidence", [])
    numbers = (person, certainty)
    if not all(isinstance(number, int) and not isinstance(number, bool) for number in numbers):
        return None
    assert isinstance(person, int)
    assert isinstance(certainty, int)
    if not 0 <= person <= question["people"].count(_HEADING) or not 0 <= certainty <= 100:
        return None
    if not isinstance(facts, list) or not all(isinstance(fact, str) for fact in facts):
        return None
    return Choice(person, certainty, tuple(facts))


_HEADING = "## person "


class ChatLink:
    """Links by asking a chat model what a release says, searching for it, and comparing the ten likeliest people."""

    kind: ClassVar[AttackKind] = "linking"
    name: ClassVar[str] = "chat-link"
    goal: ClassVar[str] = (
        "Says whom a released text is about, or that it cannot tell: a language model lists what the text says, and "
        "compares the people whom a search for it finds."
    )
    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("chat", "embedder")

    def __init__(
        self,
        *,
        chat: Chat | None,
        retrieve: str = "combination",
        embedder: Embedder | str = "default",
        candidates: int = 10,
        prompt: str | Path = CHOOSE,
        extraction: str | Path = EXTRACT,
    ) -> None:
        """``retrieve``: the linking attack that searches, or several joined by +; ``prompt`` and ``extraction``: files
        with the keys of prompts/choose-person.toml and prompts/extract-facts.toml."""
        chat = check_chat(chat, self.name)
        check_count("candidates", candidates)
        self._candidates = candidates
        self._embedder = load_embedder(embedder) if isinstance(embedder, str) else embedder
        self._retrievers = create_retrievers(retrieve, embedder)
        self._passages: Passages | None = None
        self._splitter, self._extraction = load_prompt(
            chat, extraction, ("released",), parse_facts, FACTS_SCHEMA, shipped=PROMPTS
        )
        _, self._choosing = load_prompt(chat, prompt, ("facts", "people"), parse_choice, CHOICE_SCHEMA, shipped=PROMPTS)
        self.chat_name = f"{self._extraction.name}, {self._choosing.name}"

    @property
    def usage(self) -> Usage:
        """Of both questions."""
        return self._extraction.usage + self._choosing.usage

    def fit(self, background: Sequence[Person]) -> Self:
        """Fit the searching attacks, and split the background into passages to be shown."""
        self._passages = fit_search(self._retrievers, background, self._embedder, PASSAGE_TOKENS)
        return self

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        """The person chosen first, then the others as they were found; no guess where the model abstains."""
        if self._passages is None:
            raise not_fitted(self.name)
        before = self.usage
        rankings = self._search(released)  # all at once: an attack that searches may compare the releases
        documents, attempts = iter(released.items()), list[Attempt]()
        while batch := dict(islice(documents, _BATCH)):
            attempts += self._run_batch(batch, rankings, self._passages)
        asked = self.usage.questions - before.questions
        if asked and self.usage.failed - before.failed == asked:
            raise NotMeasurable(f"none of {asked} answers could be used ({self.chat_name}): try another model")
        return attempts

    def _run_batch(
        self, released: Mapping[str, str], rankings: Mapping[str, Sequence[Sequence[str]]], passages: Passages
    ) -> list[Attempt]:
        parts = [
            [{"released": part} for part in self._splitter.split(text, {"released": ""})] for text in released.values()
        ]
        facts = [
            list(dict.fromkeys(fact for answer in answers if answer for fact in answer))[:MAX_FACTS]
            for answers in ask_grouped(self._extraction, parts)
        ]
        queries = {key: "\n".join(of_text) for key, of_text in zip(released, facts, strict=True) if of_text}
        by_facts = self._search(queries) if queries else {}
        candidates = [fuse_rankings([*rankings[key], *by_facts.get(key, ())])[: self._candidates] for key in released]
        questions = [
            self._question(of_text, people, passages) for of_text, people in zip(facts, candidates, strict=True)
        ]
        answers = ask_grouped(self._choosing, [[question] if question else [] for question in questions])
        return [
            self._attempt(key, text, people, answer[0] if answer else None)
            for (key, text), people, answer in zip(released.items(), candidates, answers, strict=True)
        ]

    def _search(self, texts: Mapping[str, str]) -> dict[str, list[list[str]]]:
        """By text, the people whom each attack that searches finds, best first."""
        rankings: dict[str, list[list[str]]] = {key: [] for key in texts}
        for retriever in self._retrievers:
            for attempt in retriever.run(texts):
                rankings[attempt.document_id].append([guess.answer for guess in attempt.guesses])
        return rankings

    def _question(self, facts: Sequence[str], people: Sequence[str], passages: Passages) -> dict[str, str] | None:
        if not facts or not people:
            return None
        listed = "\n".join(facts)
        shown = (
            f"{_HEADING}{number}\n" + "\n[...]\n".join(passages.closest(person, listed, PASSAGES_SHOWN))
            for number, person in enumerate(people, 1)
        )
        return {"facts": listed, "people": "\n\n".join(shown)}

    def _attempt(self, document: str, text: str, people: Sequence[str], choice: Choice | None) -> Attempt:
        """The certainty is the score of the person chosen; the others have fractions, as they were found.

        Without a usable answer there is no choice, and the order of the search stays.
        """
        if choice is not None and choice.person == 0:
            return Attempt(self.name, document, ())
        if choice is not None and choice.person > len(people):
            choice = None  # a background may hold what looks like a heading
        scores = {person: 1 / (rank + 1) for rank, person in enumerate(people, 1)}
        evidence: tuple[Evidence, ...] = ()
        if choice is not None:
            scores[people[choice.person - 1]] = 1.0 + choice.certainty
            quotes = dict.fromkeys(fact for fact in choice.facts if fact.strip() and fact in text)
            starts = ((quote, text.find(quote)) for quote in quotes)
            evidence = tuple(Evidence(quote, 1 / len(quotes), at, at + len(quote)) for quote, at in starts)
        guesses = tuple(Guess(person, scores[person]) for person in sorted(scores, key=lambda person: -scores[person]))
        return Attempt(self.name, document, guesses, score=margin(guesses), evidence=evidence)
