"""Prompts as TOML files, and their use: fill in variables, ask a Chat, parse the answer, retry, count failures."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

from sfumato.errors import RecipeError
from sfumato.lexicon.grammar import TextRange
from sfumato.llm.chat import Chat, Message, Request
from sfumato.llm.parse import MAX_LENGTH, failure_reason
from sfumato.llm.usage import Usage
from sfumato.llm.windows import estimate_tokens, split_pieces, split_windows, text_budget

TRIES = 3
"""How often a question is asked at most."""
_RETRY_TEMPERATURE = 0.4
"""The least temperature of a retry: the same request at 0 would give the same answer."""
_VARIABLE = re.compile(r"\{([a-z_]+)\}")
_REQUIRED: Mapping[str, type | tuple[type, ...]] = {
    "name": str,
    "version": int,
    "user": str,
    "temperature": (int, float),
    "max_tokens": int,
}
_KEYS = {*_REQUIRED, "top_p", "system", "example_user", "example_answer", "example", "fields"}

T = TypeVar("T")
Variables = Mapping[str, str]
"""What the variables of a prompt template are filled with."""
AnswerParser = Callable[[str, Variables], T | None]
"""What an answer says to a question with these variables; None where it cannot be parsed."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt template: instructions, an example, and a question with {variables}."""

    name: str
    """The file's name and version; of a user's own file also a digest of its content."""
    user: str
    temperature: float
    max_tokens: int
    system: str = ""
    example: tuple[str, str] | None = None
    """A question and its answer, shown as an earlier turn."""
    examples: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Examples by type, where a file has one for each."""
    fields: Mapping[str, Any] = field(default_factory=dict)
    """What else the file holds for the method that reads it."""
    top_p: float | None = None
    """As in a Request."""

    @classmethod
    def load(cls, path: str | Path, variables: Collection[str] = (), *, shipped: Path | None = None) -> Prompt:
        """A prompt from a TOML file; ``variables``: those that the question must have.

        ``shipped``: the folder of our own files. A file from elsewhere is named with a digest of its content.
        """
        path = Path(path)
        try:
            content = path.read_bytes()
            table: dict[str, Any] = tomllib.loads(content.decode("utf-8"))
        except (OSError, ValueError) as error:
            raise RecipeError(f"prompt {path} cannot be read ({type(error).__name__}): name a TOML file") from None
        _check(path, table, variables)
        name = f"{table['name']}@{table['version']}"
        if shipped is not None and path.parent != shipped:
            name += f"#{hashlib.sha256(content).hexdigest()[:8]}"
        return cls(
            name,
            table["user"],
            float(table["temperature"]),
            table["max_tokens"],
            table.get("system", ""),
            (table["example_user"], table["example_answer"]) if "example_user" in table else None,
            {key: (example["user"], example["answer"]) for key, example in table.get("example", {}).items()},
            table.get("fields", {}),
            table.get("top_p"),
        )

    def request(
        self, variables: Variables, *, example: str | None = None, schema: Mapping[str, Any] | None = None
    ) -> Request:
        """The question with its variables filled in, after the instructions and the example (the one of a type)."""
        shown = self.examples[example] if example is not None else self.example
        turns = [Message("system", self.system.strip())] if self.system else []
        if shown is not None:
            turns += [Message("user", shown[0].strip()), Message("assistant", shown[1].strip())]
        turns.append(Message("user", fill_template(self.user, variables)))
        return Request(tuple(turns), self.temperature, self.max_tokens, schema=schema, top_p=self.top_p)

    @property
    def size(self) -> int:
        """Characters of the whole prompt without what the variables are filled with."""
        examples = [self.example or ("", ""), *self.examples.values()]
        return len(self.system) + len(self.user) + max(len(user) + len(answer) for user, answer in examples)


def _check(path: Path, table: Mapping[str, Any], variables: Collection[str]) -> None:
    for key, kind in _REQUIRED.items():
        if not isinstance(table.get(key), kind) or isinstance(table.get(key), bool):
            wanted = "a number" if isinstance(kind, tuple) else f"of type {kind.__name__}"
            raise RecipeError(f"prompt {path}: {key} must be there, {wanted}")
    top_p = table.get("top_p")
    if top_p is not None and not (isinstance(top_p, int | float) and 0 < top_p <= 1):
        raise RecipeError(f"prompt {path}: top_p is a number above 0 and at most 1")
    if unknown := set(table) - _KEYS:
        raise RecipeError(f"prompt {path}: unknown key {min(unknown)!r}; what a method adds goes under [fields]")
    if missing := set(variables) - set(_VARIABLE.findall(table["user"])):
        raise RecipeError(f"prompt {path}: user lacks the variable {{{min(missing)}}}")
    if ("example_user" in table) != ("example_answer" in table):
        raise RecipeError(f"prompt {path}: example_user and example_answer belong together")
    for example in table.get("example", {}).values():
        if not isinstance(example, Mapping) or not {"user", "answer"} <= set(example):
            raise RecipeError(f"prompt {path}: each [example.TYPE] needs user and answer")


def fill_template(template: str, variables: Variables) -> str:
    """A template with its {variables} filled in; {fence} is a line around texts that none of them can know."""
    mark = hashlib.sha256("\0".join(variables.values()).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    values = {**variables, "fence": f"=== {mark}"}
    # In one pass: a {variable} inside a document is not filled in.
    return _VARIABLE.sub(lambda variable: values.get(variable[1], variable[0]), template).strip()


class PromptRunner(Generic[T]):
    """Asks one Chat with one prompt. ``usage`` counts what it cost and which answers could not be parsed."""

    def __init__(
        self,
        chat: Chat,
        prompt: Prompt,
        parse: AnswerParser[T],
        *,
        schema: Mapping[str, Any] | None = None,
        example: str | None = None,
        max_tokens: Callable[[Variables], int] | None = None,
    ) -> None:
        """``schema``: a JSON schema for models that support one; ``example``: which of the prompt's to show.

        ``max_tokens``: the answer's limit by question, where that is less than the prompt's ``max_tokens``.
        """
        self._chat, self._prompt, self._parse = chat, prompt, parse
        self._schema, self._example, self._max_tokens = schema, example, max_tokens
        self.name = f"chat:{chat.name},prompt={prompt.name}"
        self.usage = Usage()
        self.failures: list[str | None] = []
        """For each question of the last ``ask`` why there is no answer; None where there is one."""

    def ask(
        self, questions: Sequence[Variables], sample_index: int = 0, *, temperature: float | None = None
    ) -> list[T | None]:
        """Each parsed answer; None where none came, or none could be parsed in ``TRIES``.

        ``sample_index``: which of several answers to the same questions.
        """
        answers: list[T | None] = [None] * len(questions)
        self.failures = [None] * len(questions)
        unanswered = list(range(len(questions)))
        for attempt in range(TRIES):
            if not unanswered:
                break
            sample = sample_index * TRIES + attempt
            requests = [self._request(questions[index], sample, temperature) for index in unanswered]
            ask_again = []
            for index, reply in zip(unanswered, self._chat.ask(requests), strict=True):
                self.usage.note(reply)
                if reply.failure is None and len(reply.text) <= MAX_LENGTH:
                    answers[index] = self._parse(reply.text, questions[index])
                self.failures[index] = failure_reason(reply) if answers[index] is None else None
                if (why := self.failures[index]) is not None:
                    self.usage.miss(why)
                    if reply.failure is None or reply.cut:  # what did not arrive, the Chat itself has asked for again
                        ask_again.append(index)
            unanswered = ask_again
        self.usage.questions += len(questions)
        self.usage.failed += sum(failure is not None for failure in self.failures)
        return answers

    def _request(self, question: Variables, sample: int, temperature: float | None) -> Request:
        request = self._prompt.request(question, example=self._example, schema=self._schema)
        used = request.temperature if temperature is None else temperature
        if sample % TRIES:
            used = max(used, _RETRY_TEMPERATURE)
        limit = request.max_tokens if self._max_tokens is None else min(request.max_tokens, self._max_tokens(question))
        return replace(request, temperature=used, max_tokens=limit, seed=sample, sample_index=sample)


def list_schema(key: str, item: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with one list of items."""
    return object_schema({key: {"type": "array", "items": dict(item)}})


def object_schema(properties: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The JSON schema of an object that has these properties and no others."""
    return {
        "type": "object",
        "properties": {key: dict(value) for key, value in properties.items()},
        "required": list(properties),
        "additionalProperties": False,
    }


class TextSplitter:
    """Splits texts so that they fit a model's context beside a prompt and the answer.

    The model is asked for its context only when there is a text to split.
    """

    def __init__(self, chat: Chat, prompt: Prompt) -> None:
        self._chat, self._prompt = chat, prompt

    def max_answer_tokens(self, question: Variables) -> int:
        """The prompt's ``max_tokens``, but at most a third of the context."""
        context = self._chat.context
        return self._prompt.max_tokens if context is None else min(self._prompt.max_tokens, context // 3)

    def max_text_tokens(self, variables: Variables) -> int:
        """Tokens that are left for a text beside these other variables."""
        used = sum(estimate_tokens(message.text) for message in self._prompt.request(variables).messages)
        return text_budget(self._chat.context, used, self.max_answer_tokens(variables))

    def split(self, text: str, variables: Variables) -> list[str]:
        """The text; or, where it is too long, all of it in parts that end with a sentence."""
        limit = self.max_text_tokens(variables)
        if estimate_tokens(text) <= limit:
            return [text]
        return [text[start:end] for start, end in split_pieces(text, limit)] or [text]

    def window_around(self, text: str, place: TextRange, variables: Variables) -> TextRange:
        """As much of the text around a place as fits, from the start of a sentence to the end of another."""
        limit = self.max_text_tokens(variables)
        if estimate_tokens(text) <= limit:
            return 0, len(text)
        middle = sum(place) / 2
        windows = split_windows(text, limit, limit // 2)
        holding = [window for window in windows if window[0] <= place[0] and place[1] <= window[1]]
        return min(holding, key=lambda window: abs(sum(window) / 2 - middle), default=(place[0], place[1]))
