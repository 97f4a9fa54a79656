"""TRIR, the published linking attack: a language model trained to say whose text it reads.

After Manzanares-Salor et al. (2024), with their settings. Their code reports the best epoch, which only who knows the
answer can choose; ours attacks with the last, and ``best_epoch`` gives theirs.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import simplemma

from sfumato.attacks.base import MAX_GUESSES, AttackKind, Person, check_count, margin, not_fitted
from sfumato.detectors.detection import detection_by_name
from sfumato.document import Attempt, Document, Edit, Evidence, Guess, Release
from sfumato.errors import InputError, RecipeError, suggest
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.language import document_language
from sfumato.models.base import Floats, Range
from sfumato.models.hugging_face import on_device
from sfumato.models.tokens import window_ranges
from sfumato_papers.attacks.trir import network

BACKGROUNDS = ("both", "clear", "masked")
SHIPPED_MODEL = "masked (shipped)"
"""How the settings of a figure name the model that is used where none is given."""
MAX_EVIDENCE = 20
"""Words an attempt names at most."""
SPECIAL_TOKENS = 2
"""Special tokens of a window, [CLS] and [SEP]: they count in its length."""
_WORD = re.compile(r"[^\W_]+(?=n['’]t\b)|n['’]t\b|['’](?:s|d|m|ll|re|ve)\b|[^\W_]+|\.(?=\s|$)", re.IGNORECASE)
"""A word, an ending that is one by itself, or the end of a sentence, which the authors keep."""


class Word(NamedTuple):
    """The lemma that the model reads, and the offsets of the word."""

    lemma: str
    start: int
    end: int


class CuratedText(NamedTuple):
    """A text as the model reads it. ``starts`` are the words' offsets in it, in order."""

    text: str
    words: tuple[Word, ...]
    starts: tuple[int, ...]

    def word_at(self, offset: int) -> Word:
        """The word at an offset of the curated text."""
        return self.words[int(np.searchsorted(self.starts, offset, side="right")) - 1]


def curate(text: str, language: str) -> CuratedText:
    """Lemmas joined by spaces, without stop words; sentences still end in a full stop.

    Lemmas, not stems: a language model knows "family" as one word and "famili" as two pieces.
    """
    stop_words = STOP_WORDS.get(language, STOP_WORDS["en"])
    words, parts, starts, size = list[Word](), list[str](), list[int](), 0
    for match in _WORD.finditer(text):
        word = match[0]
        if word.lower().replace("’", "'") in stop_words or (word == "." and not parts):
            continue
        lemma = word if word == "." else lemmatize(word, language)
        gap = "" if lemma == "." or not parts else " "
        parts.append(gap + lemma)
        starts.append(size + len(gap))
        size += len(parts[-1])
        words.append(Word(lemma, *match.span()))
    return CuratedText("".join(parts), tuple(words), tuple(starts))


@cache
def lemmatize(word: str, language: str) -> str:
    """The dictionary form, by simplemma's tables; the word itself where they lack it."""
    try:
        return str(simplemma.lemmatize(word, lang=language))
    except ValueError:
        raise RecipeError(f"language {language!r} has no table of lemmas: try en, es, de, fr, it, pt or nl") from None


def majority_language(texts: Iterable[str]) -> str:
    """The language most of the texts are in. One for all: a release is often too broken to tell its own."""
    sizes: dict[str, int] = {}
    for text in texts:
        code = document_language(text) or "en"
        sizes[code] = sizes.get(code, 0) + len(text)
    return max((code for code in sizes if code in STOP_WORDS), key=sizes.__getitem__, default="en")


def split_windows(length: int, window: int, overlap: int) -> list[Range]:
    """Ranges of tokens that cover ``length``, each sharing ``overlap`` with the next; none of an empty text.

    ``window`` counts the two special tokens, as the authors count it: 98 of 100 are text.
    """
    size = window - SPECIAL_TOKENS
    return window_ranges(length, size, size - overlap) if length else []


def sum_windows(logits: Floats, owners: Sequence[int], count: int) -> tuple[Floats, Floats]:
    """Each document's logits summed over its windows [document, person], and how many windows it has."""
    totals = np.zeros((count, logits.shape[1]))
    np.add.at(totals, np.asarray(owners, np.int64), logits)
    return totals, np.bincount(np.asarray(owners, np.int64), minlength=count).astype(np.float64)


def probabilities(total: Floats, count: float) -> Floats:
    """Softmax of the mean window logits: it ranks as the sum does, without becoming 0 or 1 for long texts."""
    mean = total / count
    odds = np.exp(mean - mean.max())
    shares: Floats = odds / odds.sum()
    return shares


def evidence(text: str, weights: dict[Word, float], most: int = MAX_EVIDENCE) -> tuple[Evidence, ...]:
    """The words that speak for the first guess, heaviest first, each with its share of all that does."""
    positive = {word: weight for word, weight in weights.items() if weight > 0}
    total = sum(positive.values())
    heaviest = sorted(positive.items(), key=lambda item: (-item[1], item[0].start))
    return tuple(
        Evidence(text[word.start : word.end], weight / total, word.start, word.end) for word, weight in heaviest[:most]
    )


def mask_entities(texts: Sequence[str], detector: str) -> list[str]:
    """The texts with what a detector finds replaced by its label, as releases of entity maskers look."""
    documents = [Document(str(number), text) for number, text in enumerate(texts)]
    return [
        Release(document, tuple(Edit(span, span.label) for span in spans)).text
        for document, spans in zip(documents, detection_by_name(detector).spans(documents), strict=True)
    ]


class _Window(NamedTuple):
    """A window's token ids, and the tokens' offsets in the curated text (None for special tokens)."""

    ids: list[int]
    offsets: list[int | None]


class Trir:
    """Links by a language model fine-tuned to tell whose text it reads: the published TRIR."""

    kind: ClassVar[AttackKind] = "linking"
    name: ClassVar[str] = "trir"
    goal: ClassVar[str] = (
        "Says whom a released text is about, knowing other texts on every person and how entity maskers change a text."
    )
    cite: ClassVar[str | None] = "manzanares2024"
    extra: ClassVar[str | None] = "torch"

    def __init__(
        self,
        *,
        model: str | None = None,
        device: str = "cpu",
        folder: str | Path | None = None,
        epochs: int = network.FINETUNING.epochs,
        pretraining_epochs: int = network.PRETRAINING.epochs,
        background: str = "both",
        detector: str = "default",
        language: str = "auto",
        seed: int = 0,
    ) -> None:
        """``model``: a BERT-like folder or a name of the hub, else the shipped masked language model.

        ``folder``: where checkpoints are kept, so that a stopped run can resume; ``pretraining_epochs=0`` and
        ``background="clear"`` are the paper's ablations; ``detector`` masks the copy of the background.
        """
        if background not in BACKGROUNDS:
            raise RecipeError(f"no background {background!r}: {suggest(background, BACKGROUNDS)}")
        if language != "auto" and language not in STOP_WORDS:
            raise RecipeError(f"no language {language!r}: {suggest(language, ['auto', *STOP_WORDS])}")
        check_count("epochs", epochs)
        check_count("pretraining_epochs", pretraining_epochs, least=0)
        self._model, self._device, self._folder = model, device, None if folder is None else Path(folder)
        self._finetuning = replace(network.FINETUNING, epochs=epochs)
        self._pretraining = replace(network.PRETRAINING, epochs=pretraining_epochs)
        self._background, self._detector, self._language, self._seed = background, detector, language, seed
        self._people: list[str] = []

    @property
    def settings(self) -> dict[str, Any]:
        """What a figure depends on; ``copies`` are the texts of the background that it is trained on."""
        return {
            "model": self._model or SHIPPED_MODEL,
            "epochs": self._finetuning.epochs,
            "pretraining_epochs": self._pretraining.epochs,
            "copies": ["clear", "masked"] if self._background == "both" else [self._background],
            "detector": None if self._background == "clear" else self._detector,
            "language": self._language,
            "seed": self._seed,
        }

    def fit(self, background: Sequence[Person], watch: Callable[[int], None] | None = None) -> Self:
        """Train on the people's texts, or resume a training that was stopped.

        ``watch`` may run the attack after each epoch of fine-tuning, which then starts from the first.
        """
        self._people = _check_people(background)
        known_texts = (text for person in background for text in person.texts)
        self._text_language = majority_language(known_texts) if self._language == "auto" else self._language
        texts, owners = self._texts(background)
        base = network.load(self._model)
        self._tokenizer = base.tokenizer
        self._special = network.Special(
            *(int(getattr(base.tokenizer, f"{name}_token_id")) for name in ("cls", "sep", "pad", "mask"))
        )
        folder = None if self._folder is None else self._folder / self._fingerprint(base, texts, owners)
        final = folder / "finetuning.pt" if folder and watch is None else None
        if self._pretraining.epochs and not (final and final.is_file()):
            self._pretrain(base, texts, folder / "pretraining.pt" if folder else None)
        with network.seeded(f"{self._seed} head", next(base.masked.parameters()).device):
            self._classifier = on_device(base.classifier(len(self._people)), self._device)
        windows = [self._split(text, self._finetuning) for text in texts]
        ids = [window.ids for group in windows for window in group]
        if not ids:
            raise InputError("no text of the background has a word: give texts about the people in it")
        people = [owner for owner, group in zip(owners, windows, strict=True) for _ in group]
        loss = network.person_loss(self._classifier, self._special.pad, ids, people)
        network.fit(self._classifier, loss, len(ids), self._finetuning, self._seed, final, watch)
        return self

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        """A document's people by the sum of its windows' logits; a text without a word is linked to nobody."""
        texts, windows, totals, counts = self._read(released)
        return [
            self._attempt(document, released[document], text, group, total, count)
            for document, text, group, total, count in zip(released, texts, windows, totals, counts, strict=True)
        ]

    def first_guesses(self, released: Mapping[str, str]) -> dict[str, str | None]:
        """The first guess of ``run`` for each document, without its evidence, which takes longer than the guess."""
        _, _, totals, counts = self._read(released)
        return {
            document: self._people[int(np.argmax(total))] if count else None
            for document, total, count in zip(released, totals, counts, strict=True)
        }

    def _read(self, released: Mapping[str, str]) -> tuple[list[CuratedText], list[list[_Window]], Floats, Floats]:
        """The texts as the model reads them, their windows, summed logits [document, person] and numbers of windows."""
        if not self._people:
            raise not_fitted(self.name)
        texts = [curate(text, self._text_language) for text in released.values()]
        windows = [self._split(text, self._finetuning) for text in texts]
        owners = [number for number, group in enumerate(windows) for _ in group]
        ids = [window.ids for group in windows for window in group]
        logits = network.logits(self._classifier, self._special.pad, ids, self._finetuning.batch)
        return texts, windows, *sum_windows(logits, owners, len(texts))

    def _attempt(
        self, document: str, released: str, text: CuratedText, windows: Sequence[_Window], total: Any, count: float
    ) -> Attempt:
        if not count:
            return Attempt(self.name, document, ())
        shares = probabilities(total, count)
        order = np.argsort(-total, kind="stable")[:MAX_GUESSES]
        guesses = tuple(Guess(self._people[person], float(shares[person])) for person in order)
        weights = self._word_weights(text, windows, int(order[0]))
        return Attempt(self.name, document, guesses, score=margin(guesses), evidence=evidence(released, weights))

    def _word_weights(self, text: CuratedText, windows: Sequence[_Window], person: int) -> dict[Word, float]:
        """What each word adds to a person's log-odds; a word in two windows adds in both."""
        ids = [window.ids for window in windows]
        parts = network.contributions(self._classifier, self._special, ids, person, self._finetuning.batch)
        weights: dict[Word, float] = defaultdict(float)
        for window, values in zip(windows, parts, strict=True):
            for offset, value in zip(window.offsets, values, strict=True):
                if offset is not None and (word := text.word_at(offset)).lemma != ".":
                    weights[word] += float(value)
        return weights

    def _texts(self, background: Sequence[Person]) -> tuple[list[CuratedText], list[int]]:
        """All texts to learn from, and the number of each one's person."""
        owners = [number for number, person in enumerate(background) for _ in person.texts]
        clear = [text for person in background for text in person.texts]
        copies = {"clear": clear} if self._background != "masked" else {}
        if self._background != "clear":
            copies["masked"] = mask_entities(clear, self._detector)
        texts = [curate(text, self._text_language) for copy in copies.values() for text in copy]
        return texts, owners * len(copies)

    def _split(self, text: CuratedText, stage: network.Stage, longest: int | None = None) -> list[_Window]:
        encoded = self._tokenizer(
            text.text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
        )
        ids, offsets = encoded["input_ids"], [start for start, _ in encoded["offset_mapping"]]
        return [
            _Window([self._special.first, *ids[low:high], self._special.last], [None, *offsets[low:high], None])
            for low, high in split_windows(len(ids), min(stage.window, longest or stage.window), stage.overlap)
        ]

    def _pretrain(self, base: network.PretrainedModel, texts: Sequence[CuratedText], checkpoint: Path | None) -> None:
        on_device(base.masked, self._device)
        stage = self._pretraining
        ids = [window.ids for text in texts for window in self._split(text, stage, base.longest)]
        loss = network.masked_loss(base.masked, base.tokenizer, ids)
        network.fit(base.masked, loss, len(ids), stage, self._seed, checkpoint)
        base.masked.cpu()

    def _fingerprint(self, base: network.PretrainedModel, texts: Sequence[CuratedText], owners: Sequence[int]) -> str:
        """Of all that a checkpoint depends on: it is used only where all of it is the same."""
        digest = hashlib.sha256()
        parts = [base.fingerprint(), repr(self._pretraining), repr(self._finetuning), str(self._seed), *self._people]
        for part in [*parts, *(f"{owner} {text.text}" for owner, text in zip(owners, texts, strict=True))]:
            packed = part.encode("utf-8", "surrogatepass")
            digest.update(len(packed).to_bytes(8, "big") + packed)
        return digest.hexdigest()[:16]


def _check_people(background: Sequence[Person]) -> list[str]:
    people = [person.id for person in background]
    if len(people) < 2:
        raise InputError(f"a background of {len(people)} people tells nobody apart: give at least two")
    if len(set(people)) < len(people):
        repeated = next(person for number, person in enumerate(people) if person in people[:number])
        raise InputError(f"person {repeated!r} is in the background twice: put their texts together")
    return people


@dataclass(frozen=True, slots=True)
class BestEpoch:
    """TRIR as its authors report it: the epoch chosen, the accuracy of each, and the attempts at the chosen one."""

    epoch: int
    accuracies: tuple[Mapping[str, float], ...]
    """Per epoch and set, the share of documents linked to the right person."""
    attempts: Mapping[str, Sequence[Attempt]]


def best_epoch(
    attack: Trir,
    background: Sequence[Person],
    released: Mapping[str, Mapping[str, str]],
    truth: Mapping[str, str],
    *,
    development: str | None = None,
) -> BestEpoch:
    """Train, try every set after every epoch, and take the (first) epoch of the best mean accuracy over the sets.

    ``released``: texts by document id, by the name of a set (a method, say). ``truth`` (document id -> person id) is
    used for the choice. ``development``: the set that alone decides, as the authors' code does where it is given one.
    Fine-tuning does not resume from a checkpoint: the epochs before it could not be tried.
    """
    if development is not None and development not in released:
        raise InputError(f"the development set {development!r} is not among the sets: {suggest(development, released)}")
    for name, documents in released.items():
        if unknown := [document for document in documents if document not in truth]:
            raise InputError(f"set {name!r}: the truth does not say whom document {unknown[0]!r} is about")
        if not documents:
            raise InputError(f"set {name!r} has no documents: leave it out")
    if not released:
        raise InputError("no releases to choose an epoch by: give at least one set")
    accuracies: list[Mapping[str, float]] = []
    best: tuple[float, int, Mapping[str, Sequence[Attempt]]] | None = None

    def watch(epoch: int) -> None:
        nonlocal best
        guesses = {name: attack.first_guesses(documents) for name, documents in released.items()}
        accuracies.append({name: _accuracy(guessed, truth) for name, guessed in guesses.items()})
        deciding = accuracies[-1].values() if development is None else [accuracies[-1][development]]
        mean = sum(deciding) / len(deciding)
        if best is None or mean > best[0]:
            best = (mean, epoch, {name: attack.run(documents) for name, documents in released.items()})

    attack.fit(background, watch)
    assert best is not None  # there is at least one epoch
    return BestEpoch(best[1], tuple(accuracies), best[2])


def _accuracy(guesses: Mapping[str, str | None], truth: Mapping[str, str]) -> float:
    return sum(person == truth[document] for document, person in guesses.items()) / len(guesses)
