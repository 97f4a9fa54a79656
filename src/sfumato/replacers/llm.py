"""Invented values of the same type, by a model that sees the types alone: Presidio's way."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from sfumato.document import Document, Edit, Span
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.lexicon.phrases import fold_phrase
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_object, parse_strings
from sfumato.llm.prompt import Prompt, PromptRunner, TextSplitter, list_schema
from sfumato.replacers.base import (
    PROMPTS,
    Ahead,
    Known,
    assign_absent,
    entity_of,
    found_by,
    known_by,
    number,
    numbered,
    occurs,
    question,
)
from sfumato.replacers.generalize import edits, grouped, is_direct, mentions_of, most_used
from sfumato.replacers.select import Board, Entity, Telling, in_words, level_of
from sfumato.vault.ledger import Ledger

# -- A text with a placeholder in each span's place: all that a model is shown where it must not see the originals.


PLACEHOLDER = re.compile(r"<([A-Z]+(?:_[A-Z]+)*_\d+)>")
_MOST_NAMES = 40
"""Placeholders that one answer is to fill: more would not fit into its tokens."""


@dataclass(frozen=True)
class Masked:
    """The text, with ``<PERSON_1>`` and the like in it, and the placeholder of each entity that wants a value."""

    text: str
    names: Mapping[Known, str]

    @classmethod
    def of(cls, document: Document, spans: Sequence[Span], every: Sequence[Span] = ()) -> Masked:
        """``every``: spans that are hidden, too, but want no value, with ``spans`` among them or not."""
        names: dict[Known, str] = {}
        pieces, at = list[str](), 0
        for span in sorted({*spans, *every}, key=lambda span: (span.start, span.end)):
            key = known_by(document, span)
            if key not in names:
                taken = sum(label == span.label for label, _ in names)
                names[key] = next(islice(numbered(document, span.label)(0), taken, None))
            pieces += [document.text[at : span.start], f"<{names[key]}>"]
            at = span.end
        wanted = {known_by(document, span) for span in spans}
        return cls("".join([*pieces, document.text[at:]]), {key: name for key, name in names.items() if key in wanted})

    def questions(self, parts: TextSplitter, wanted: set[str]) -> Iterator[tuple[str, list[str]]]:
        """The text in parts that a model can read, each with the wanted placeholders that stand first there."""
        if not wanted:
            return
        asked: set[str] = set()
        for part in parts.split(self.text, {"text": "", "names": ", ".join(sorted(wanted)[:_MOST_NAMES])}):
            here = [name for name in dict.fromkeys(PLACEHOLDER.findall(part)) if name in wanted - asked]
            asked.update(here)
            for low in range(0, len(here), _MOST_NAMES):
                yield part, here[low : low + _MOST_NAMES]


# -- Invented values of the same type, by a model that sees the types alone: Presidio's way.


ROUNDS = 2
"""How often values are asked for: those that cannot be used are asked for again."""
_LONGEST = 120
"""Characters of a value; what is longer is a sentence and not a value."""
_NAME = re.compile(r"[A-Z]+_\d+")
_SIGNS = frozenset("<>[]{}|\n")

_PAIR = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "value": {"type": "string"}},
    "required": ["name", "value"],
    "additionalProperties": False,
}


class Synthetic:
    """Put an invented value of the same type, from a language model that sees the text without its originals."""

    cite: ClassVar[str | None] = "mendels2018"
    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("ledger", "chat")

    def __init__(self, *, ledger: Ledger, chat: Chat, prompt: str | Path = PROMPTS / "synthetic.toml") -> None:
        """``prompt``: a file with the keys of prompts/synthetic.toml."""
        read = Prompt.load(prompt, ("text", "names"), shipped=PROMPTS)
        self._splitter = TextSplitter(chat, read)
        self._asking = PromptRunner(
            chat,
            read,
            _read_synthetic,
            schema=list_schema("values", _PAIR),
            max_tokens=self._splitter.max_answer_tokens,
        )
        self._ledger = ledger
        self._values: dict[tuple[str, str], dict[Known, str]] = {}
        self.name, self.usage = self._asking.name, self._asking.usage

    def prepare(self, batch: Sequence[Ahead]) -> None:
        """Ask for the values of several documents at once; ``replace`` then asks nobody."""
        masked = [Masked.of(document, spans, every) for document, spans, every in batch]
        found: list[dict[str, str]] = [{} for _ in batch]
        for sample_index in range(ROUNDS):
            asked = [
                (at, part, names)
                for at, one in enumerate(masked)
                for part, names in one.questions(self._splitter, set(one.names.values()) - found[at].keys())
            ]
            answers = self._asking.ask(
                [{"text": text, "names": ", ".join(names)} for _, text, names in asked], sample_index
            )
            for (at, _, names), answer in zip(asked, answers, strict=True):
                for name in names:
                    value = (answer or {}).get(name, "")
                    if _is_usable(value, batch[at].document, found[at].values()):
                        found[at][name] = value
        self._values = {
            _key(document): {entity: values.get(name, "") for entity, name in one.names.items()}
            for (document, _, _), one, values in zip(batch, masked, found, strict=True)
        }

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        wanted = {known_by(document, span) for span in spans}
        if wanted - self._values.get(_key(document), {}).keys():
            self.prepare([Ahead(document, spans, spans)])
        values = self._values[_key(document)] if spans else {}
        return [self._edit(document, span, values[known_by(document, span)]) for span in spans]

    def _edit(self, document: Document, span: Span, value: str) -> Edit:
        kind, entity = f"synthetic/{span.label}", entity_of(document, span)
        put = assign_absent(self._ledger, document, kind, entity, span.label, lambda: iter([value]))
        chosen = self.name if put == value or not put.startswith(f"{span.label}_") else "label: no value can be used"
        return Edit(span, put, (found_by(span), type(self).__name__, chosen))


def _key(document: Document) -> tuple[str, str]:
    return document.id, document.text


def _read_synthetic(answer: str, question: Mapping[str, str]) -> dict[str, str] | None:
    """Values by placeholder; nothing where not one of those asked for is among them."""
    found = (parse_object(answer) or {}).get("values")
    if isinstance(found, list):
        pairs = [_pair(row) for row in found]
    elif isinstance(found, Mapping):
        pairs = list(found.items())
    else:
        return None
    asked = set(question["names"].split(", "))
    read: dict[str, str] = {}
    for pair in pairs:
        if pair is not None and isinstance(pair[0], str) and isinstance(pair[1], str):
            name = pair[0].strip().strip("<>")
            if name in asked:
                read.setdefault(name, " ".join(pair[1].split()))
    return read or None


def _pair(row: Any) -> tuple[Any, Any] | None:
    return (row["name"], row["value"]) if isinstance(row, Mapping) and {"name", "value"} <= set(row) else None


def _is_usable(value: str, document: Document, given: Collection[str]) -> bool:
    """Whether a value may stand there: it says something, and neither the text nor another placeholder has it."""
    if not 0 < len(value) <= _LONGEST or _SIGNS & set(value) or _NAME.fullmatch(value):
        return False
    return not occurs(value, document) and fold_phrase(value) not in map(fold_phrase, given)


# -- An abstraction in place of each span, one of three that a model offers for it: the way of Dou et al.


OFFERS = 3


class Abstract:
    """Put one of three abstractions of a span that a language model offers; label direct identifiers."""

    cite: ClassVar[str | None] = "dou2024"
    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("ledger", "chat")

    def __init__(self, *, ledger: Ledger, chat: Chat, prompt: str | Path = PROMPTS / "abstract.toml") -> None:
        """``prompt``: a file with the keys of prompts/abstract.toml."""
        read = Prompt.load(prompt, ("sentence", "span", "count"), shipped=PROMPTS)
        self._asking = PromptRunner(chat, read, _read_abstract, schema=list_schema("abstractions", {"type": "string"}))
        self._ledger = ledger
        self._offers: dict[tuple[str, str], dict[Known, list[str]]] = {}
        self.name, self.usage = self._asking.name, self._asking.usage

    def prepare(self, batch: Sequence[Ahead]) -> None:
        """Ask for the abstractions of several documents at once; ``replace`` then asks nobody."""
        self._offers = {}
        open_: list[tuple[dict[Known, list[str]], Known, list[Mention], Telling]] = []
        for document, spans, _ in batch:
            mentions, groups = mentions_of(document, spans), grouped(document, spans)
            telling = _telling(mentions)
            own = self._offers[document.id, document.text] = {key: [] for key in groups}
            open_ += [
                (own, key, [mentions[place] for place in group], telling)
                for key, group in groups.items()
                if not any(is_direct(spans[place]) for place in group)
            ]
        for sample_index in range(ROUNDS):
            answers = self._asking.ask([question(same[0], OFFERS) for _, _, same, _ in open_], sample_index)
            left = []
            for asked, answer in zip(open_, answers, strict=True):
                own, key, same, telling = asked
                own[key] = [text for text in (answer or [])[:OFFERS] if not _repeats(text, same, telling)]
                if answer is not None and not own[key]:
                    left.append(asked)
            open_ = left

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        mentions, groups = mentions_of(document, spans), grouped(document, spans)
        if groups.keys() - self._offers.get((document.id, document.text), {}).keys():
            self.prepare([Ahead(document, spans, spans)])
        offers = self._offers.get((document.id, document.text), {})
        entities = [
            Entity(
                group,
                self._drawn(document, key, mentions[group[0]], offers[key]),
                number(self._ledger, document, spans[group[0]]),
            )
            for key, group in groups.items()
        ]
        return edits(Board(document.text, mentions, entities), spans)

    def _drawn(self, document: Document, key: Known, mention: Mention, offers: Sequence[str]) -> tuple[Level, ...]:
        """One of the offers, which are in no order; the recipe's seed says which."""
        if not offers:
            return ()
        drawn = self._ledger.random_bytes(document, "abstract", *key)
        return (level_of(offers[int.from_bytes(drawn[:8], "big") % len(offers)], mention, self.name),)


def _telling(mentions: Sequence[Mention]) -> Telling:
    language = mentions[0].language if mentions else "en"
    return Telling.of(mentions, most_used(language), language)


def _read_abstract(answer: str, question: Mapping[str, str]) -> list[str] | None:
    found = in_words(parse_strings(answer, "abstractions"))
    return [" ".join(phrase.split()).strip(" .,;:[]") for phrase in found] or None


def _repeats(offered: str, mentions: Sequence[Mention], telling: Telling) -> bool:
    """Whether it says the original, has telling words or a number of it, or says what another span hides."""
    if not offered or telling.quotes(offered):
        return True
    return any(
        fold_phrase(mention.surface) in fold_phrase(offered)
        or telling.gives_away(Level(offered, 0.0), mention)
        or telling.has_words_of(mention, offered)
        for mention in mentions
    )
