"""Pairs of an original and its anonymized text, as a chat in which only the answer is learned."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from sfumato.errors import InputError, Problem, listed
from sfumato.formats.base import Columns, OnProblem
from sfumato.formats.inputs import as_documents
from sfumato.llm.prompt import Prompt
from sfumato_papers.rewriters import PROMPTS
from sfumato_papers.synthesis.causal import CausalLM, Example
from sfumato_papers.synthesis.deid_tags import BrokenTag, find_tags

CLINICAL = PROMPTS / "clinical.toml"
"""The prompt of the rewriter ``clinical-rewrite``."""
FEWEST_PAIRS = 10
"""Fewer are nothing to learn from."""


@dataclass(frozen=True)
class Pair:
    """An original and what is to be written in its place."""

    id: str
    original: str = field(repr=False)
    anonymized: str = field(repr=False)


class Parts(NamedTuple):
    """Pairs to learn from, and pairs whose loss is measured."""

    train: list[Pair]
    validation: list[Pair]


def with_plain_tags(text: str) -> str:
    """A note whose tags ``[**...**]`` say their kind alone: ids and moved dates could not be learned."""
    parts, end = list[str](), 0
    for tag in find_tags(text):
        parts += [text[end : tag.start], f"[{tag.kind.replace('-', ' ').upper()}]"]
        end = tag.end
    return "".join([*parts, text[end:]])


def read_pairs(originals: Path, anonymized: Path, on_problem: OnProblem) -> list[Pair]:
    """Two files or folders, joined by id. What stands in one alone, or is blank, is left out and reported."""
    targets = dict[str, str]()
    for document in as_documents(anonymized, Columns(), on_problem):
        try:
            targets[document.id] = with_plain_tags(document.text)
        except BrokenTag as broken:
            on_problem(Problem(str(anonymized), f"document {document.id}: {broken}"))
    texts = {document.id: document.text for document in as_documents(originals, Columns(), on_problem)}
    for path, ids in ((originals, texts.keys() - targets.keys()), (anonymized, targets.keys() - texts.keys())):
        if ids:
            message = f"{len(ids)} texts have no counterpart and are left out: {listed(sorted(ids))}"
            on_problem(Problem(str(path), message, is_warning=True))
    both = [Pair(key, text, targets[key]) for key, text in texts.items() if key in targets]
    pairs = [pair for pair in both if pair.original.strip() and pair.anonymized.strip()]
    if len(pairs) < len(both):
        on_problem(Problem(str(originals), f"{len(both) - len(pairs)} pairs with a blank text are left out"))
    if len(pairs) < FEWEST_PAIRS:
        raise InputError(
            f"{originals} and {anonymized}: {len(pairs)} pairs are too few to learn from: give at least "
            f"{FEWEST_PAIRS} texts that have the same ids in both"
        )
    if all(pair.original == pair.anonymized for pair in pairs):
        raise InputError(f"{anonymized}: every text equals its original: name the anonymized texts")
    return pairs


def divide(pairs: Sequence[Pair], split: Path | None) -> Parts:
    """By the parts ``train`` and ``validation`` that ``sfumato fill --split`` wrote; else every tenth is set aside."""
    if split is None:
        return Parts([p for n, p in enumerate(pairs) if n % 10 != 9], [p for n, p in enumerate(pairs) if n % 10 == 9])
    try:
        ids = json.loads(split.read_text(encoding="utf-8"))
        train, validation = ({str(key) for key in ids[part]} for part in ("train", "validation"))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{split}: cannot be read ({type(error).__name__}); give JSON with lists of ids, train and validation"
        ) from None
    parts = Parts([pair for pair in pairs if pair.id in train], [pair for pair in pairs if pair.id in validation])
    if len(parts.train) < FEWEST_PAIRS or not parts.validation:
        raise InputError(
            f"{split}: {len(parts.train)} pairs for training and {len(parts.validation)} for validation: at least "
            f"{FEWEST_PAIRS} and 1 are needed; check that its ids are those of the texts"
        )
    return parts


def check_template(model: CausalLM) -> None:
    """Raises InputError for a model that was not made for chats."""
    if not getattr(model.tokenizer, "chat_template", None):
        raise InputError(
            f"model {model.name!r} has no chat template, so its answers cannot be told from questions: name an "
            "instruction-tuned one"
        )


def example(model: CausalLM, prompt: Prompt, pair: Pair, max_tokens: int) -> Example:
    """The chat as the rewriter asks it, then the anonymized text, which alone is learned."""
    turns = [{"role": turn.role, "content": turn.text} for turn in prompt.request({"text": pair.original}).messages]
    question = model.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
    before = model.tokens(question)
    ids = (*before, *model.tokens(pair.anonymized.strip()), model.end)
    return Example(ids, first=len(before), is_cut=len(ids) > min(max_tokens, model.longest))


def examples(
    model: CausalLM, prompt: Prompt, pairs: Sequence[Pair], max_tokens: int, on_problem: OnProblem
) -> list[Example]:
    """One for each pair that fits. Others are left out: half an answer would teach to stop in the middle."""
    made = [example(model, prompt, pair, max_tokens) for pair in pairs]
    kept = [item for item in made if not item.is_cut]
    if len(kept) < len(made):
        message = f"{len(made) - len(kept)} pairs are longer than {max_tokens} tokens and are left out"
        on_problem(Problem("pairs", message, is_warning=True))
    if not kept:
        raise InputError(f"no pair fits into {max_tokens} tokens: raise --tokens, or give shorter texts")
    return kept
