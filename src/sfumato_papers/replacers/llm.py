"""Replacers that ask a language model: synthetic values of the same type (Presidio), and abstractions (Dou et al.)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar

from sfumato.document import Document, Edit, Span
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.lexicon.tokens import fold_phrase
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_object, parse_strings
from sfumato.llm.prompt import Prompt, PromptRunner, TextSplitter, list_schema, object_schema
from sfumato.replacers.base import (
    EntityKey,
    PendingDocument,
    assign_absent,
    detection_reason,
    entity_key,
    entity_of,
    label_candidates,
    numbered_label,
    occurs,
    span_question,
)
from sfumato.replacers.generalize import group_by_entity, is_direct, make_edits, mentions_of, most_used_lemmas
from sfumato.replacers.select import DisclosureFilter, EntityCandidates, LevelAssignment, chat_level, usable_phrases
from sfumato.vault.ledger import Ledger
from sfumato_papers.replacers import PROMPTS

ROUNDS = 2
"""How often values are asked for: those that cannot be used are asked for again."""
ABSTRACTIONS = 3
PLACEHOLDER = re.compile(r"<([A-Z]+(?:_[A-Z]+)*_\d+)>")
_MAX_PLACEHOLDERS = 40
"""Placeholders that one answer fills: more would not fit into its tokens."""
_MAX_VALUE = 120
"""Characters of a value; what is longer is a sentence."""
_LABEL = re.compile(r"[A-Z]+_\d+")
_BRACKETS = frozenset("<>[]{}|\n")
_PAIR = object_schema({"name": {"type": "string"}, "value": {"type": "string"}})


class Synthetic:
    """Put an invented value of the same type, from a language model that sees the text without its originals."""

    cite: ClassVar[str | None] = "mendels2018"
    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("ledger", "chat")

    def __init__(self, *, ledger: Ledger, chat: Chat, prompt: str | Path = PROMPTS / "synthetic.toml") -> None:
        """``prompt``: a file with the keys of prompts/synthetic.toml."""
        loaded = Prompt.load(prompt, ("text", "names"), shipped=PROMPTS)
        self._splitter = TextSplitter(chat, loaded)
        schema, max_tokens = list_schema("values", _PAIR), self._splitter.max_answer_tokens
        self._runner = PromptRunner(chat, loaded, _parse_values, schema=schema, max_tokens=max_tokens)
        self._ledger = ledger
        self._values: dict[tuple[str, str], dict[EntityKey, str]] = {}
        self.name, self.usage = self._runner.name, self._runner.usage

    def prepare(self, batch: Sequence[PendingDocument]) -> None:
        """Ask for the values of several documents at once, for ``replace``."""
        texts = [MaskedText.of(pending.document, pending.spans, pending.all_spans) for pending in batch]
        values: list[dict[str, str]] = [{} for _ in batch]
        for sample_index in range(ROUNDS):
            asked = [
                (index, part, names)
                for index, text in enumerate(texts)
                for part, names in text.questions(self._splitter, set(text.names.values()) - values[index].keys())
            ]
            questions = [{"text": part, "names": ", ".join(names)} for _, part, names in asked]
            answers = self._runner.ask(questions, sample_index)
            for (index, _, names), answer in zip(asked, answers, strict=True):
                for name in names:
                    value = (answer or {}).get(name, "")
                    if _is_usable(value, batch[index].document, values[index].values()):
                        values[index][name] = value
        self._values = {
            _key(pending.document): {entity: by_name.get(name, "") for entity, name in text.names.items()}
            for pending, text, by_name in zip(batch, texts, values, strict=True)
        }

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        wanted = {entity_key(document, span) for span in spans}
        if wanted - self._values.get(_key(document), {}).keys():
            self.prepare([PendingDocument(document, spans, spans)])
        values = self._values[_key(document)] if spans else {}
        return [self._edit(document, span, values[entity_key(document, span)]) for span in spans]

    def _edit(self, document: Document, span: Span, value: str) -> Edit:
        kind, entity = f"synthetic/{span.label}", entity_of(document, span)
        replacement = assign_absent(self._ledger, document, kind, entity, span.label, lambda: iter([value]))
        is_label = replacement != value and replacement.startswith(f"{span.label}_")
        source = "label: no value can be used" if is_label else self.name
        return Edit(span, replacement, (detection_reason(span), type(self).__name__, source))


def _key(document: Document) -> tuple[str, str]:
    return document.id, document.text


def _parse_values(answer: str, question: Mapping[str, str]) -> dict[str, str] | None:
    """Values by placeholder; None where not one that was asked for is among them."""
    values = (parse_object(answer) or {}).get("values")
    pairs: list[tuple[Any, Any]]
    if isinstance(values, list):
        rows = [row for row in values if isinstance(row, Mapping)]
        pairs = [(row["name"], row["value"]) for row in rows if {"name", "value"} <= set(row)]
    elif isinstance(values, Mapping):
        pairs = list(values.items())
    else:
        return None
    asked = set(question["names"].split(", "))
    by_name: dict[str, str] = {}
    for name, value in pairs:
        if isinstance(name, str) and isinstance(value, str) and (bare := name.strip().strip("<>")) in asked:
            by_name.setdefault(bare, " ".join(value.split()))
    return by_name or None


def _is_usable(value: str, document: Document, others: Collection[str]) -> bool:
    """Whether a value can replace a span: it is no placeholder, and neither the text nor another placeholder has it."""
    if not 0 < len(value) <= _MAX_VALUE or _BRACKETS & set(value) or _LABEL.fullmatch(value):
        return False
    return not occurs(value, document) and fold_phrase(value) not in map(fold_phrase, others)


@dataclass(frozen=True)
class MaskedText:
    """A text with placeholders such as ``<PERSON_1>`` for spans, so that a model does not see the originals."""

    text: str
    names: Mapping[EntityKey, str]
    """The placeholder of each entity that needs a value."""

    @classmethod
    def of(cls, document: Document, spans: Sequence[Span], others: Sequence[Span] = ()) -> MaskedText:
        """``others``: spans that are hidden as well, but need no value; they may include ``spans``."""
        names: dict[EntityKey, str] = {}
        pieces, position = list[str](), 0
        for span in sorted({*spans, *others}, key=lambda span: (span.start, span.end)):
            key = entity_key(document, span)
            if key not in names:
                taken = sum(label == span.label for label, _ in names)
                names[key] = next(islice(label_candidates(document, span.label)(0), taken, None))
            pieces += [document.text[position : span.start], f"<{names[key]}>"]
            position = span.end
        wanted = {entity_key(document, span) for span in spans}
        text = "".join([*pieces, document.text[position:]])
        return cls(text, {key: name for key, name in names.items() if key in wanted})

    def questions(self, splitter: TextSplitter, wanted: set[str]) -> Iterator[tuple[str, list[str]]]:
        """The text in parts that fit a model, each with the wanted placeholders that occur there first."""
        if not wanted:
            return
        asked: set[str] = set()
        for part in splitter.split(self.text, {"text": "", "names": ", ".join(sorted(wanted)[:_MAX_PLACEHOLDERS])}):
            names = [name for name in dict.fromkeys(PLACEHOLDER.findall(part)) if name in wanted - asked]
            asked.update(names)
            for first in range(0, len(names), _MAX_PLACEHOLDERS):
                yield part, names[first : first + _MAX_PLACEHOLDERS]


class Abstract:
    """Put one of three abstractions of a span that a language model offers; label direct identifiers."""

    cite: ClassVar[str | None] = "dou2024"
    needs_chat: ClassVar[bool] = True
    uses: ClassVar[tuple[str, ...]] = ("ledger", "chat")

    def __init__(self, *, ledger: Ledger, chat: Chat, prompt: str | Path = PROMPTS / "abstract.toml") -> None:
        """``prompt``: a file with the keys of prompts/abstract.toml."""
        loaded = Prompt.load(prompt, ("sentence", "span", "count"), shipped=PROMPTS)
        schema = list_schema("abstractions", {"type": "string"})
        self._runner = PromptRunner(chat, loaded, _parse_abstractions, schema=schema)
        self._ledger = ledger
        self._abstractions: dict[tuple[str, str], dict[EntityKey, list[str]]] = {}
        self.name, self.usage = self._runner.name, self._runner.usage

    def prepare(self, batch: Sequence[PendingDocument]) -> None:
        """Ask for the abstractions of several documents at once, for ``replace``."""
        self._abstractions = {}
        unanswered: list[tuple[dict[EntityKey, list[str]], EntityKey, list[Mention], DisclosureFilter]] = []
        for document, spans, _ in batch:
            mentions, groups = mentions_of(document, spans), group_by_entity(document, spans)
            language = mentions[0].language if mentions else "en"
            disclosure = DisclosureFilter.of(mentions, most_used_lemmas(language), language)
            by_entity = self._abstractions[_key(document)] = {key: [] for key in groups}
            unanswered += [
                (by_entity, key, [mentions[index] for index in group], disclosure)
                for key, group in groups.items()
                if not any(is_direct(spans[index]) for index in group)
            ]
        for sample_index in range(ROUNDS):
            questions = [span_question(mentions[0], ABSTRACTIONS) for _, _, mentions, _ in unanswered]
            answers = self._runner.ask(questions, sample_index)
            left = []
            for asked, answer in zip(unanswered, answers, strict=True):
                by_entity, key, mentions, disclosure = asked
                offered = (answer or [])[:ABSTRACTIONS]
                by_entity[key] = [text for text in offered if not _repeats(text, mentions, disclosure)]
                if answer is not None and not by_entity[key]:
                    left.append(asked)
            unanswered = left

    def replace(self, document: Document, spans: Sequence[Span]) -> list[Edit]:
        mentions, groups = mentions_of(document, spans), group_by_entity(document, spans)
        if groups.keys() - self._abstractions.get(_key(document), {}).keys():
            self.prepare([PendingDocument(document, spans, spans)])
        abstractions = self._abstractions.get(_key(document), {})
        entities = []
        for key, group in groups.items():
            chosen = self._choose(document, key, mentions[group[0]], abstractions[key])
            label = numbered_label(self._ledger, document, spans[group[0]])
            entities.append(EntityCandidates(group, chosen, label))
        return make_edits(LevelAssignment(document.text, mentions, entities), spans)

    def _choose(
        self, document: Document, key: EntityKey, mention: Mention, abstractions: Sequence[str]
    ) -> tuple[Level, ...]:
        """One of the abstractions, which are in no order; the recipe's seed determines which."""
        if not abstractions:
            return ()
        secret = self._ledger.random_bytes(document, "abstract", *key)
        return (chat_level(abstractions[int.from_bytes(secret[:8], "big") % len(abstractions)], mention, self.name),)


def _parse_abstractions(answer: str, question: Mapping[str, str]) -> list[str] | None:
    phrases = usable_phrases(parse_strings(answer, "abstractions"))
    return [" ".join(phrase.split()).strip(" .,;:[]") for phrase in phrases] or None


def _repeats(offered: str, mentions: Sequence[Mention], disclosure: DisclosureFilter) -> bool:
    """Whether it contains the original, identifying words or a number of it, or what another span hides."""
    if not offered or disclosure.quotes(offered):
        return True
    return any(
        fold_phrase(mention.surface) in fold_phrase(offered)
        or disclosure.discloses(Level(offered, 0.0), mention)
        or disclosure.shares_words(mention, offered)
        for mention in mentions
    )
