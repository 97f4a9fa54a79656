"""Truthfulness and abstraction of replacements, judged by tables, a small model or a language model; levels chosen.

A replacement is *truthful* if it is still true when read in the original's place, and *abstract* if it says less than
the original (Pilán et al., 2025, section 5.7).
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from sfumato.attacks.base import resolve
from sfumato.document import LABELS, Edit, Release
from sfumato.errors import NotMeasurable
from sfumato.generalize.truth import (
    UNKNOWN,
    Pair,
    TableVerdict,
    bare,
    countries_in,
    hierarchy_levels,
    judge_by_tables,
    says_no_more_than_label,
    shared_lemmas,
)
from sfumato.lexicon import hypernyms, wordnet
from sfumato.lexicon.grammar import sentence_ranges, split_words
from sfumato.lexicon.language import CONFIDENT, identify_language
from sfumato.lexicon.tables import word_set
from sfumato.lexicon.tables import words as words_in
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_list
from sfumato.llm.prompt import Prompt, PromptRunner, list_schema
from sfumato.metrics.base import ALL_TYPES, BY_TYPE, PROMPTS, metric, require_edits, with_cost
from sfumato.metrics.mentions import replaced_spans
from sfumato.models.base import Embedder, Floats, load_embedder
from sfumato.statistics import Estimate, proportion, share

T = TypeVar("T")

FEATURES = tuple(
    "cosine level_cosine shared longer described new_names new_digits kind_above "
    "lands_agree vague plain_original".split()
)
"""What the small model sees of a pair, from -1 to 1 or nearly so."""
_VAGUE = word_set("generalization", "vague", "en", "sfumato.metrics")
_DESCRIPTION = re.compile(r"\s*(?:(?:in|at|on|from|near)\s+)?(?:an?|some|one of|unos|unas|una?)\s", re.IGNORECASE)
"""How a description begins, and a name does not: "in a port"."""
_DIGITS = re.compile(r"\d+")
_COMMON_SENSES = 3


def features(pairs: Sequence[Pair], embedder: Embedder) -> Floats:
    """[pair, feature], in the order of ``FEATURES``."""
    texts_of_pairs = [
        [bare(pair.original), bare(pair.replacement), *(noun for noun, _ in hierarchy_levels(pair))] for pair in pairs
    ]
    texts = sorted({text for pair_texts in texts_of_pairs for text in pair_texts})
    row = {text: number for number, text in enumerate(texts)}
    vectors = embedder.embed(texts).astype(np.float64) if texts else np.zeros((0, 1))
    rows = []
    for pair, pair_texts in zip(pairs, texts_of_pairs, strict=True):
        original, now, *true = (vectors[row[text]] for text in pair_texts)
        rows.append([float(now @ original), max((float(now @ level) for level in true), default=0.0), *_surface(pair)])
    return np.array(rows, np.float64).reshape(len(pairs), len(FEATURES))


def _surface(pair: Pair) -> list[float]:
    before, now = split_words(pair.original), split_words(pair.replacement)
    lemmas, _, shared = shared_lemmas(pair)
    names = _names(pair.original)
    countries, countries_now = countries_in(pair.original), countries_in(pair.replacement)
    head, head_now = (hypernyms.head_noun(text).casefold() for text in (pair.original, pair.replacement))
    return [
        len(shared) / max(1, len(lemmas)),
        math.tanh(math.log((len(now) + 1) / (len(before) + 1))),
        float(bool(_DESCRIPTION.match(pair.replacement))),
        len(_names(pair.replacement) - names) / max(1, len(now)),
        float(not set(_DIGITS.findall(pair.replacement)) <= set(_DIGITS.findall(pair.original))),
        float(_is_hypernym(head_now, head)),
        0.0 if not countries or not countries_now else 1.0 if countries & countries_now else -1.0,
        float(not _VAGUE.isdisjoint(word.lower() for word in now)),
        float(not names and not _DIGITS.search(pair.original)),
    ]


def _names(text: str) -> set[str]:
    """Words with a capital letter; of a phrase of several the first may have it for its place alone."""
    words = split_words(text)
    if len(words) > 1 and words[1].islower():
        words = words[1:]
    return {word.lower() for word in words if word[:1].isupper()}


@lru_cache(maxsize=2**13)
def _is_hypernym(wide: str, narrow: str) -> bool:
    """Whether a common sense of ``wide`` is a hypernym of a common sense of ``narrow`` in WordNet."""
    tops, senses = (wordnet.senses(noun)[:_COMMON_SENSES] for noun in (wide, narrow))
    top_numbers = {top.number for top in tops}
    return not top_numbers.isdisjoint(_ancestors(senses)) and top_numbers.isdisjoint(sense.number for sense in senses)


def _ancestors(concepts: Sequence[wordnet.Concept]) -> set[int]:
    ancestors = set[int]()
    pending = list(concepts)
    while pending:
        parents = [parent for concept in pending for parent in wordnet.direct_hypernyms(concept)]
        pending = [parent for parent in parents if parent.number not in ancestors]
        ancestors.update(concept.number for concept in pending)
    return ancestors


Kind = Literal["replaced", "label", "suppressed"]
_TYPES = (*LABELS, *words_in("entity_types", "types", package="sfumato.metrics"))
_LABEL = re.compile(
    rf"\W*(?:{'|'.join(_TYPES)})S?(?:[_ -]?\d+)?\W*"
    r"|\W*[A-Z]{2,}(?:_[A-Z]+)+(?:_?\d+)?\W*"
    r"|[<\[{]+[A-Z][A-Z _-]+\d*[>\]}]+"
)
"""Types by their names, and what is written like one: US_DRIVER_LICENSE, <NUMBER PLATE 2>."""
_SUPPRESSION = re.compile(
    r"\W*(?:(?:redacted|sensitive|masked|hidden|removed|deleted|anonymi[sz]ed|[x#█▇_*]+)\W*)?", re.IGNORECASE
)
_DUMMY = re.compile(r"(?<!\w)(?:ABC|DEF|GHI|JKL|LMN|MNO|OPQ|PQR|STU|UVW|VWX|XYZ)(?!\w)")
"""A name that says it is none: XYZ Corp. Of an organisation it says that it is one, of anything else nothing."""


class Verdict(NamedTuple):
    """None: the judge does not know. ``p_*``: its probability, where it has one; ``reason``: what decided."""

    kind: Kind
    truthful: bool | None = None
    abstract: bool | None = None
    p_truthful: float | None = None
    p_abstract: float | None = None
    reason: str = ""


@runtime_checkable
class PairJudge(Protocol):
    """Says of replacements whether they are truthful and abstract. It is asked of those that say something only.

    One that asks a language model has ``usage``, a ``Usage``.
    """

    name: str

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """One verdict for each pair, in order."""
        ...


def kind_of(replacement: str, label: str = UNKNOWN) -> Kind:
    """Whether it is a bare type (PERSON_1, [LOC]), says nothing at all ("", ***, [REDACTED]), or says something."""
    if _SUPPRESSION.fullmatch(replacement):
        return "suppressed"
    if _LABEL.fullmatch(replacement):
        return "label"
    if _DUMMY.search(replacement):
        return "label" if label == "ORG" else "suppressed"
    return "replaced"


WEIGHTS = "generalization_judge.json"
_BATCH_PAIRS = 4096
_LANGUAGES = frozenset({"en"})
"""Languages of the ratings that the model was fitted to. Dates and numbers are read in others, too."""


class TableJudge:
    """Judges by dates, numbers, places, WordNet and hierarchies, and by a small model where these do not decide.

    The model is a logistic regression over ``FEATURES``, fitted to half of 1,200 human ratings by
    ``training/generalization_judge.py``; docs/utility.md says how well it agrees with the other half.
    """

    def __init__(self) -> None:
        self.name = f"tables@{_weights()['version']}"

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Yes or no with a probability; None for what is in a language that the model was not made for."""
        return list(_judge_with_tables(tuple(pairs)))


@lru_cache(maxsize=1)
def _judge_with_tables(pairs: tuple[Pair, ...]) -> list[Verdict]:
    # Remembered, because both metrics ask about the same pairs, one after the other.
    verdicts = [_verdict_from_tables(judge_by_tables(pair)) for pair in pairs]
    undecided = [
        number
        for number, (pair, verdict) in enumerate(zip(pairs, verdicts, strict=True))
        if pair.language in _LANGUAGES and None in (verdict.truthful, verdict.abstract)
    ]
    for start in range(0, len(undecided), _BATCH_PAIRS):
        batch = undecided[start : start + _BATCH_PAIRS]
        table = features([pairs[number] for number in batch], _embedder())
        truthful, abstract = (_probabilities(table, _weights()[question]) for question in ("truthful", "abstract"))
        for number, p_truthful, p_abstract in zip(batch, truthful, abstract, strict=True):
            verdicts[number] = _with_model_answers(verdicts[number], float(p_truthful), float(p_abstract))
    return verdicts


def _verdict_from_tables(table: TableVerdict | None) -> Verdict:
    if table is None:
        return Verdict("replaced")
    trust = _weights()["tables"]
    p_truthful = _probability_right(table.truthful, trust["truthful"])
    p_abstract = _probability_right(table.abstract, trust["abstract"])
    return Verdict("replaced", table.truthful, table.abstract, p_truthful, p_abstract, table.reason)


def _probabilities(table: Floats, weights: Mapping[str, Any]) -> Floats:
    slope = np.array([weights["weights"][name] for name in FEATURES])
    odds: Floats = table @ slope + weights["intercept"]
    return 1 / (1 + np.exp(-odds))


def _probability_right(answer: bool | None, share_right: float) -> float | None:
    return None if answer is None else share_right if answer else 1 - share_right


def _with_model_answers(verdict: Verdict, p_truthful: float, p_abstract: float) -> Verdict:
    """A verdict with the model's answers to what the tables left open."""
    if verdict.truthful is None:
        verdict = verdict._replace(truthful=p_truthful >= 0.5, p_truthful=p_truthful)
    if verdict.abstract is None:
        verdict = verdict._replace(abstract=p_abstract >= 0.5, p_abstract=p_abstract)
    return verdict._replace(reason=verdict.reason or "model")


def judge_pairs(pairs: Iterable[Pair], judge: PairJudge | None = None) -> list[Verdict]:
    """A verdict for each pair, in order. Bare labels and suppressions are recognized by their form and not judged.

    A bare label is true of what it stands for and says less, by definition; of a suppression nothing can be said.
    """
    kinds = [(pair, kind_of(pair.replacement, pair.label)) for pair in pairs]
    to_judge = sorted({pair for pair, kind in kinds if kind == "replaced"})
    verdicts = dict(zip(to_judge, (judge or TableJudge()).verdicts(to_judge), strict=True))
    by_form = {"label": Verdict("label", True, True, reason="label"), "suppressed": Verdict("suppressed")}
    return [verdicts[pair] if kind == "replaced" else by_form[kind] for pair, kind in kinds]


@cache
def _weights() -> Mapping[str, Any]:
    loaded: dict[str, Any] = json.loads(resources.files("sfumato.metrics").joinpath(WEIGHTS).read_text("utf-8"))
    return loaded


@cache
def _embedder() -> Any:
    return load_embedder("static")


class ChatPairJudge:
    """Judges by asking a chat model; a pair whose answer cannot be read stays unjudged and is counted."""

    def __init__(self, chat: Chat, prompt: str | Path = PROMPTS / "judge-generalizations.toml") -> None:
        """``prompt``: a file with the keys of prompts/judge-generalizations.toml."""
        read = Prompt.load(prompt, ("sentence", "original", "replacement"), shipped=PROMPTS)
        self._runner = PromptRunner(chat, read, _parse_answers, schema=list_schema("answers", {"type": "boolean"}))
        self.name, self.usage = self._runner.name, self._runner.usage

    def verdicts(self, pairs: Sequence[Pair]) -> list[Verdict]:
        """Yes or no to both questions; None to both where there is no readable answer."""
        questions = [
            {"sentence": sentence(pair), "original": pair.original, "replacement": pair.replacement} for pair in pairs
        ]
        return [
            Verdict("replaced", answer[0], answer[1], reason="chat")
            if answer
            else Verdict("replaced", reason="unreadable")
            for answer in self._runner.ask(questions)
        ]


def _parse_answers(answer: str, question: Mapping[str, str]) -> list[bool] | None:
    answers = parse_list(answer, "answers") or []
    return answers if len(answers) == 2 and all(isinstance(item, bool) for item in answers) else None


def sentence(pair: Pair) -> str:
    """The original in double brackets, in its sentence as far as it is known."""
    marked = f"{pair.before}[[{pair.original}]]{pair.after}"
    start, end = len(pair.before), len(marked) - len(pair.after)
    parts = [(low, high) for low, high in sentence_ranges(marked) if low < end and start < high]
    return marked[parts[0][0] : parts[-1][1]].strip() if parts else marked


JUDGES: Mapping[str, Callable[[], PairJudge]] = {"tables": TableJudge}
_CONTEXT_CHARACTERS = 300
"""Characters on each side that a judge sees."""


@metric("truthful", family="generalization", cite="pilan2025", higher_is_better=True)
def truthful_share(
    releases: Sequence[Release], judge: str | PairJudge = "tables", chat: Chat | None = None
) -> Estimate:
    """Share of replacements that are still true when read in the original's place; labels and suppressions apart."""
    return _share(releases, judge, chat, lambda verdict: verdict.truthful)


@metric("abstract", family="generalization", cite="pilan2025", higher_is_better=True)
def abstract_share(
    releases: Sequence[Release], judge: str | PairJudge = "tables", chat: Chat | None = None
) -> Estimate:
    """Share of replacements that say less than the original did; labels and suppressions apart."""
    return _share(releases, judge, chat, lambda verdict: verdict.abstract)


CROSSED = {
    (True, True): "true, says less",
    (True, False): "true, says no less",
    (False, True): "not true, says less",
    (False, False): "not true, says no less",
}
"""The four columns of table 2 of Pilán et al. (2025), as ``sfumato rate`` calls them, too."""


@metric("truthful-and-abstract", family="generalization", cite="pilan2025", higher_is_better=True)
def truthful_and_abstract_share(
    releases: Sequence[Release], judge: str | PairJudge = "tables", chat: Chat | None = None
) -> Estimate:
    """Share of replacements that are true and say less; with all four combinations of both answers, by type."""
    answers, apart, judge = _answers(releases, judge, chat, _both)
    crossed = {key: [(label, CROSSED[both]) for label, both, _ in of_text] for key, of_text in answers.items()}
    hits = {key: float(sum(column == CROSSED[True, True] for _, column in rows)) for key, rows in crossed.items()}
    settings = {"judge": judge.name, **apart, BY_TYPE: cross_tabulate(crossed.values(), CROSSED.values())}
    totals = {key: float(len(rows)) for key, rows in crossed.items()}
    return with_cost(share(hits, totals, settings), judge)


def _both(verdict: Verdict) -> tuple[bool, bool] | None:
    if verdict.truthful is None or verdict.abstract is None:
        return None
    return verdict.truthful, verdict.abstract


def cross_tabulate(rows: Iterable[Iterable[tuple[str, str]]], columns: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Of pairs of a type and a column: the share of each column among all pairs, and among those of each type."""
    by_type: dict[str, Counter[str]] = defaultdict(Counter)
    for label, column in (pair for pairs in rows for pair in pairs):
        by_type[label][column] += 1
    all_types = sum(by_type.values(), Counter[str]())
    counted = {ALL_TYPES: all_types, **dict(sorted(by_type.items()))}
    names = list(columns)
    return {
        label: {column: proportion(counts[column], counts.total()) for column in names}
        for label, counts in counted.items()
    }


def _share(
    releases: Sequence[Release], judge: str | PairJudge, chat: Chat | None, answer: Callable[[Verdict], bool | None]
) -> Estimate:
    answers, apart, judge = _answers(releases, judge, chat, answer)
    by_label: dict[str, list[bool]] = defaultdict(list)
    decided = Counter[str]()
    for label, is_true, reason in (item for of_text in answers.values() for item in of_text):
        by_label[label].append(is_true)
        decided[reason] += 1
    hits = {key: float(sum(is_true for _, is_true, _ in of_text)) for key, of_text in answers.items()}
    totals = {key: float(len(of_text)) for key, of_text in answers.items()}
    settings: dict[str, Any] = {
        "judge": judge.name,
        **apart,
        "decided_by": dict(sorted(decided.items())),
        "by_label": {label: proportion(sum(answers), len(answers)) for label, answers in sorted(by_label.items())},
    }
    return with_cost(share(hits, totals, settings), judge)


def _answers(
    releases: Sequence[Release], judge: str | PairJudge, chat: Chat | None, answer: Callable[[Verdict], T | None]
) -> tuple[dict[str, list[tuple[str, T, str]]], Counter[str], PairJudge]:
    """By document, the label of each judged replacement with the answer and what decided it; what stays apart."""
    if isinstance(judge, str):
        judge = resolve("judge", judge, JUDGES, ChatPairJudge, chat)
    pairs = {release.document.id: list(replaced_pairs(release)) for release in require_edits(releases)}
    verdicts = iter(judge_pairs([pair for document_pairs in pairs.values() for pair in document_pairs], judge))
    answers: dict[str, list[tuple[str, T, str]]] = {key: [] for key in pairs}
    apart = Counter[str](labels=0, suppressed=0, unjudged=0, type_phrases=0)
    for key, document_pairs in pairs.items():
        for pair, verdict in zip(document_pairs, verdicts, strict=False):
            given = answer(verdict)
            if verdict.kind != "replaced":
                apart["labels" if verdict.kind == "label" else "suppressed"] += 1
            elif given is None:
                apart["unjudged"] += 1
            else:
                answers[key].append((pair.label, given, verdict.reason))
                apart["type_phrases"] += says_no_more_than_label(pair.replacement, pair.label)
    if not any(answers.values()):
        raise NotMeasurable(_why_none(apart))
    return answers, apart, judge


def replaced_pairs(release: Release) -> Iterator[Pair]:
    """The replaced spans of a release, each with its context in the original."""
    text = release.document.text
    language = identify_language(text, CONFIDENT).code or "en"
    for piece in replaced_spans(release):
        start, end = piece.place
        around = (text[max(0, start - _CONTEXT_CHARACTERS) : start], text[end : end + _CONTEXT_CHARACTERS])
        yield Pair(piece.original, piece.edit.replacement, piece.label, *around, language)


_ALWAYS_LABELS = ("PERSON", "CODE")
"""Types that INTACT never generalizes; the paper leaves them out of its statistics."""
_CHOSEN_LEVEL = re.compile(r"level (\d+) of \d+")
LABEL, NO_CANDIDATE = "label", "no candidate"


@metric("label-fallback", family="levels", cite="pilan2025", higher_is_better=False)
def label_fallback(releases: Sequence[Release]) -> Estimate:
    """Share of spans to generalize that got their label; with the share of each level, by type.

    PERSON and CODE are left out: labels are what they always get.
    """
    chosen: dict[str, list[tuple[str, str]]] = {}
    apart = Counter[str](always_labels=0, other_replacers=0)
    for release in require_edits(releases):
        rows = chosen[release.document.id] = []
        for piece in replaced_spans(release):
            level = _chosen_level(piece.edit)
            if piece.edit.span.label in _ALWAYS_LABELS:
                apart["always_labels"] += 1
            elif level is None:
                apart["other_replacers"] += 1
            else:
                rows.append((piece.edit.span.label, level))
    highest = max((int(name.split()[1]) for rows in chosen.values() for _, name in rows if "level" in name), default=0)
    columns = [*(f"level {number}" for number in range(1, highest + 1)), LABEL, NO_CANDIDATE]
    settings = {**apart, BY_TYPE: cross_tabulate(chosen.values(), columns)} if any(chosen.values()) else {}
    return share(
        {key: float(sum(column in (LABEL, NO_CANDIDATE) for _, column in rows)) for key, rows in chosen.items()},
        {key: float(len(rows)) for key, rows in chosen.items()},
        settings,
        why_none="no edit says which level was chosen: give the audit of a run that generalizes (--audit FILE.jsonl)",
    )


def _chosen_level(edit: Edit) -> str | None:
    """``level N``, the label after candidates or without one; None where no generalizer made the edit.

    It is read from the reasons, which an audit keeps.
    """
    for reason in reversed(edit.reasons):
        if match := _CHOSEN_LEVEL.match(reason):
            return f"level {match[1]}"
        if reason.split(":")[0] == "label":
            return NO_CANDIDATE if reason == "label" else LABEL
    return None


def _why_none(apart: Counter[str]) -> str:
    if not any(apart.values()):
        return "no span was replaced, so there is nothing to judge"
    if apart["unjudged"]:
        return f"the judge could not read any of {apart['unjudged']} replacements: it knows English, give another judge"
    return "every replacement is a bare label or a suppression, so there is no generalization to judge"
