"""What an attack is: it learns from a background, then says of released texts whom they are about.

An attack is given released text, never a Release, so that it cannot see the original. Success is decided by who knows
the subjects (``risk.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Literal, Protocol, Self, TypeVar, get_args, runtime_checkable

from sfumato import registry
from sfumato.document import Attempt, Evidence, Guess
from sfumato.errors import NotMeasurable, RecipeError, suggest
from sfumato.llm.chat import Chat
from sfumato.llm.prompt import AnswerParser, Prompt, PromptRunner, TextSplitter
from sfumato.llm.usage import Usage
from sfumato.parallel import Engine

PACKAGE = "sfumato.attacks"
"""Where ``data/`` lies."""
PROMPTS = Path(__file__).parent / "prompts"
MAX_GUESSES = 50
"""People an attempt names at most, best first. Enough for every rank that a release is protected up to (4 × 11)."""

AttackKind = Literal["linking", "inference", "claims", "subjects"]
"""What an attack tries: to link a text to a person, to guess what stood in a replaced span, to find a person's record
by known claims, or to profile everyone in a text. Only linking attacks have a re-identification risk."""


@dataclass(frozen=True, slots=True)
class Person:
    """Someone in the background, and all that is known about them."""

    id: str
    texts: tuple[str, ...] = field(repr=False)


@runtime_checkable
class LinkingAttack(Protocol):
    """Ranks the people of a background by how well they fit a released text.

    An attempt's ``guesses`` are at most ``MAX_GUESSES`` people, best first, with the attack's own scores (higher fits
    better; people who share nothing with the text are left out); ``score`` is the margin of the first over the second,
    as a share of the first; ``evidence`` names the terms of the released text that carry the link to the first guess,
    heaviest first, with offsets into the released text. ``rank`` stays None: the attack does not know the truth.
    ``ranked_attempt`` makes such an attempt from the terms that speak for each person.

    One that needs no ``extra``, no ``chat`` and no option, and is not ``named_only``, runs wherever no attack is named,
    and counts in the risk. What else one may declare stands in the protocols below, and in ``linking.followed``: how it
    is followed while a text is repaired.
    """

    kind: ClassVar[AttackKind]
    """``"linking"``."""
    name: ClassVar[str]
    goal: ClassVar[str]
    """What the attacker wants and is assumed to know, in one sentence."""

    def fit(self, background: Sequence[Person]) -> Self:
        """Learn the people; once, before any run."""
        ...

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        """One attempt for each released text (document id -> text), in order; no text is blank."""
        ...


@runtime_checkable
class HasSettings(Protocol):
    """An attack whose figures depend on what it says by name: scores and reports carry it."""

    @property
    def settings(self) -> Mapping[str, Any]: ...


@runtime_checkable
class SeesAllTexts(Protocol):
    """An attack that sees all texts of a run at once, where ``joint`` is true."""

    joint: bool


@runtime_checkable
class AssumesTexts(Protocol):
    """An attack that assumes how many of the texts may be about one person: whoever knows the truth tells it."""

    def assume(self, per_person: int) -> None: ...


@runtime_checkable
class HasShards(Protocol):
    """An attack whose work can be done in shards of people, where ``has_shards`` is true."""

    has_shards: bool
    engine: Engine | None
    """What does it in the place of this process: set before ``fit``, where the user named an engine."""


@runtime_checkable
class NeedsChat(Protocol):
    """An attack that asks a language model, where ``needs_chat`` is true."""

    needs_chat: bool


@runtime_checkable
class CountsUsage(Protocol):
    """An attack that counts what asking a language model costs."""

    chat_name: str

    @property
    def usage(self) -> Usage: ...


def is_linking(attack: Any) -> bool:
    """Whether an attack, or its class, links texts to people; other attacks have records and metrics of their own.

    Raises RecipeError where it declares no kind, or no method to link with.
    """
    name = getattr(attack, "name", None) or getattr(attack, "__name__", type(attack).__name__)
    kind = getattr(attack, "kind", None)
    if kind not in get_args(AttackKind):
        wrong = "declares no kind" if kind is None else f"declares kind = {kind!r}"
        kinds = ", ".join(map(repr, get_args(AttackKind)))
        raise RecipeError(f'the attack {name!r} {wrong}: add kind = "linking" to its class, or another of {kinds}')
    if kind == "linking":
        for method in ("fit", "run"):
            if not callable(getattr(attack, method, None)):
                raise RecipeError(f"the attack {name!r} declares kind = 'linking' but has no {method}()")
    return bool(kind == "linking")


def not_fitted(attack: str) -> NotMeasurable:
    """The error of an attack that runs before it has read a background."""
    return NotMeasurable(f"the attack {attack!r} knows nobody yet: fit it on a background first")


def check_count(what: str, value: Any, least: int = 1) -> None:
    """Raises RecipeError where an option is no whole number, or too small."""
    if not isinstance(value, int) or value < least:
        raise RecipeError(f"{what} must be {least} or more; got {value!r}")


def ranked_attempt(attack: str, document_id: str, terms_of: Mapping[str, Sequence[Evidence]]) -> Attempt:
    """The attempt of an attack that has, by person, the terms of the text that support them.

    A person's score is the sum of their terms' weights; people without any are left out. In the attempt the weights are
    shares of the first guess's score.
    """
    scores = {person: sum(term.weight for term in terms) for person, terms in terms_of.items()}
    order = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:MAX_GUESSES]
    guesses = tuple(Guess(person, score) for person, score in order if score > 0)
    if not guesses:
        return Attempt(attack, document_id, ())
    best = guesses[0]
    heaviest = sorted(terms_of[best.answer], key=lambda term: (-term.weight, term.start))
    evidence = tuple(replace(term, weight=term.weight / best.score) for term in heaviest)
    return Attempt(attack, document_id, guesses, score=margin(guesses), evidence=evidence)


def margin(guesses: Sequence[Guess]) -> float:
    """The difference of the first and the second score, as a share of the first; scores below 0 count as 0."""
    first, second, *_ = (*(max(0.0, guess.score) for guess in guesses[:2]), 0.0, 0.0)
    return (first - second) / first if first else 0.0


CHAT = "chat"
"""The name of a part of an attack or a metric that asks a language model; ``chat:PROMPT.toml`` names the prompt."""
T = TypeVar("T")


def resolve(
    what: str, name: str, without_chat: Mapping[str, Callable[[], T]], with_chat: Callable[..., T], chat: Chat | None
) -> T:
    """The part of that name; ``with_chat`` makes the one that asks a Chat, with the prompt file where one is named."""
    if name in without_chat:
        return without_chat[name]()
    kind, _, prompt = name.partition(":")
    if kind != CHAT:
        raise RecipeError(f"no {what} {name!r}: {suggest(name, [*without_chat, CHAT])}")
    if chat is None:
        raise _no_chat(what, CHAT)
    return with_chat(chat, **({"prompt": prompt} if prompt else {}))


def resolve_plugin(kind: str, name: str, chat: Chat | None) -> Any:
    """A registered plug-in by name, without options but for the prompt."""
    plugin, _, prompt = name.partition(":")
    if chat is None and registry.asks(kind, plugin, {}):
        raise _no_chat(kind, plugin)
    return registry.create(kind, plugin, {"prompt": prompt} if prompt else {}, chat=chat)


def _no_chat(what: str, name: str) -> NotMeasurable:
    return NotMeasurable(f"the {what} {name!r} needs a language model: give --chat URL|FILE.gguf")


def ask_grouped(
    runner: PromptRunner[T], questions: Sequence[Sequence[Mapping[str, str]]], sample_index: int = 0
) -> list[list[T | None]]:
    """The answers to each group of questions, such as the parts of a long text; all are asked at once."""
    answers = iter(runner.ask([question for group in questions for question in group], sample_index))
    return [list(islice(answers, len(group))) for group in questions]


def load_prompt(
    chat: Chat,
    prompt: str | Path,
    variables: Sequence[str],
    parse: AnswerParser[T],
    schema: Mapping[str, Any],
    *,
    shipped: Path = PROMPTS,
) -> tuple[TextSplitter, PromptRunner[T]]:
    """A prompt file made ready to ask a Chat, and the splitter of texts that are too long to be read at once.

    ``shipped``: the folder of the prompts that come with the attack.
    """
    loaded = Prompt.load(prompt, variables, shipped=shipped)
    splitter = TextSplitter(chat, loaded)
    return splitter, PromptRunner(chat, loaded, parse, schema=schema, max_tokens=splitter.max_answer_tokens)
