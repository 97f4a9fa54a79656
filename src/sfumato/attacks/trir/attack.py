"""TRIR, the published attack: a language model taught to say whose text it reads (papers 000 and 002).

The numbers are the authors' own; where their code peeks at the answer (the best epoch), ours does not:
``best_epoch.py`` has that by name.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from sfumato.attacks.base import TOP, Person
from sfumato.attacks.trir import base as trir_base
from sfumato.attacks.trir import train as trir_train
from sfumato.attacks.trir.text import (
    Curated,
    Word,
    curated,
    evidence,
    language_of,
    masked,
    probabilities,
    summed,
    windows,
)
from sfumato.document import Attempt, Guess
from sfumato.errors import InputError, NotMeasurable, RecipeError, suggest
from sfumato.knowledge.grammar.function_words import STOP_WORDS

BACKGROUNDS = ("both", "clear", "masked")
EVIDENCE = 20
"""Words an attempt names at most."""


class _Cut(NamedTuple):
    """A window's token ids, and where its tokens stand in the curated text (specials have no place)."""

    ids: list[int]
    places: list[int | None]


class Trir:
    """Links by a language model fine-tuned to tell whose text it reads: the published TRIR."""

    name: ClassVar[str] = "trir"
    goal: ClassVar[str] = (
        "Says whom a released text is about, knowing other texts on every person and how entity maskers change a text."
    )
    paper: ClassVar[str | None] = "000"
    extra: ClassVar[str | None] = "torch"

    def __init__(
        self,
        *,
        model: str | None = None,
        device: str = "cpu",
        folder: str | Path | None = None,
        epochs: int = trir_train.FINETUNING.epochs,
        pretraining_epochs: int = trir_train.PRETRAINING.epochs,
        background: str = "both",
        detector: str = "default",
        language: str = "auto",
        seed: int = 0,
    ) -> None:
        """``model``: a BERT-like folder or a name of the hub, else the shipped masked language model.

        ``folder``: where checkpoints are kept, so that a stopped run goes on; ``pretraining_epochs=0`` and
        ``background="clear"`` are the paper's ablations; ``detector`` masks the copy of the background.
        """
        if background not in BACKGROUNDS:
            raise RecipeError(f"no background {background!r}: {suggest(background, BACKGROUNDS)}")
        if language != "auto" and language not in STOP_WORDS:
            raise RecipeError(f"no language {language!r}: {suggest(language, ['auto', *STOP_WORDS])}")
        for value, least, what in ((epochs, 1, "epochs"), (pretraining_epochs, 0, "pretraining_epochs")):
            if not isinstance(value, int) or value < least:
                raise RecipeError(f"{what} must be {least} or more; got {value!r}")
        self._model, self._device, self._folder = model, device, None if folder is None else Path(folder)
        self._finetuning = replace(trir_train.FINETUNING, epochs=epochs)
        self._pretraining = replace(trir_train.PRETRAINING, epochs=pretraining_epochs)
        self._background, self._detector, self._language, self._seed = background, detector, language, seed
        self._people: list[str] = []

    def fit(self, background: Sequence[Person]) -> Self:
        """Train on the people's texts, or take up a training that was stopped."""
        return self._fit(background, None)

    def fit_watched(self, background: Sequence[Person], watch: Callable[[int], None]) -> Self:
        """Train from the first epoch of fine-tuning on; ``watch`` may run the attack after each."""
        return self._fit(background, watch)

    def _fit(self, background: Sequence[Person], watch: Callable[[int], None] | None) -> Self:
        self._people = _checked(background)
        known = (text for person in background for text in person.texts)
        self._read_in = language_of(known) if self._language == "auto" else self._language
        texts, owners = self._texts(background)
        base = trir_base.load(self._model)
        self._tokenizer = base.tokenizer
        self._special = trir_train.Special(
            *(int(getattr(base.tokenizer, f"{name}_token_id")) for name in ("cls", "sep", "pad", "mask"))
        )
        kept = None if self._folder is None else self._folder / self._print(base, texts, owners)
        final = kept / "finetuning.pt" if kept and watch is None else None
        if self._pretraining.epochs and not (final and final.is_file()):
            self._pretrain(base, texts, kept / "pretraining.pt" if kept else None)
        with trir_train.seeded(f"{self._seed} head", next(base.masked.parameters()).device):
            self._classifier = trir_base.on_device(base.classifier(len(self._people)), self._device)
        cuts = [self._cut(text, self._finetuning) for text in texts]
        ids = [cut.ids for group in cuts for cut in group]
        if not ids:
            raise InputError("no text of the background has a word: give texts about the people in it")
        people = [owner for owner, group in zip(owners, cuts, strict=True) for _ in group]
        loss = trir_train.person_loss(self._classifier, self._special.pad, ids, people)
        trir_train.fit(self._classifier, loss, len(ids), self._finetuning, self._seed, final, watch)
        return self

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        """A document's people by the sum of its windows' logits; a text without a word is linked to nobody."""
        if not self._people:
            raise NotMeasurable("the attack 'trir' knows nobody yet: fit it on a background first")
        texts = [curated(text, self._read_in) for text in released.values()]
        cuts = [self._cut(text, self._finetuning) for text in texts]
        owners = [number for number, group in enumerate(cuts) for _ in group]
        ids = [cut.ids for group in cuts for cut in group]
        found = trir_train.logits(self._classifier, self._special.pad, ids, self._finetuning.batch)
        totals, counts = summed(found, owners, len(texts))
        return [
            self._attempt(document, released[document], text, group, total, count)
            for document, text, group, total, count in zip(released, texts, cuts, totals, counts, strict=True)
        ]

    def _attempt(
        self, document: str, released: str, text: Curated, cuts: Sequence[_Cut], total: Any, count: float
    ) -> Attempt:
        if not count:
            return Attempt(self.name, document, ())
        shares = probabilities(total, count)
        order = np.argsort(-total, kind="stable")[:TOP]
        guesses = tuple(Guess(self._people[person], float(shares[person])) for person in order)
        margin = float(1 - shares[order[1]] / shares[order[0]])
        carried = evidence(released, self._carried(text, cuts, int(order[0])), EVIDENCE)
        return Attempt(self.name, document, guesses, score=margin, evidence=carried)

    def _carried(self, text: Curated, cuts: Sequence[_Cut], person: int) -> dict[Word, float]:
        """What each word adds to a person's log-odds; one in two windows adds in both."""
        ids = [cut.ids for cut in cuts]
        parts = trir_train.contributions(self._classifier, self._special, ids, person, self._finetuning.batch)
        weights: dict[Word, float] = defaultdict(float)
        for cut, values in zip(cuts, parts, strict=True):
            for place, value in zip(cut.places, values, strict=True):
                if place is not None and (word := text.word_at(place)).lemma != ".":
                    weights[word] += float(value)
        return weights

    def _texts(self, background: Sequence[Person]) -> tuple[list[Curated], list[int]]:
        """All texts to learn from, and the number of each one's person."""
        owners = [number for number, person in enumerate(background) for _ in person.texts]
        clear = [text for person in background for text in person.texts]
        copies = {"clear": clear} if self._background != "masked" else {}
        if self._background != "clear":
            copies["masked"] = masked(clear, self._detector)
        texts = [curated(text, self._read_in) for copy in copies.values() for text in copy]
        return texts, owners * len(copies)

    def _cut(self, text: Curated, stage: trir_train.Stage, longest: int | None = None) -> list[_Cut]:
        encoded = self._tokenizer(
            text.text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
        )
        ids, places = encoded["input_ids"], [start for start, _ in encoded["offset_mapping"]]
        return [
            _Cut([self._special.first, *ids[low:high], self._special.last], [None, *places[low:high], None])
            for low, high in windows(len(ids), min(stage.window, longest or stage.window), stage.overlap)
        ]

    def _pretrain(self, base: trir_base.Base, texts: Sequence[Curated], checkpoint: Path | None) -> None:
        trir_base.on_device(base.masked, self._device)
        stage = self._pretraining
        ids = [cut.ids for text in texts for cut in self._cut(text, stage, base.longest)]
        loss = trir_train.masked_loss(base.masked, base.tokenizer, ids)
        trir_train.fit(base.masked, loss, len(ids), stage, self._seed, checkpoint)
        base.masked.cpu()

    def _print(self, base: trir_base.Base, texts: Sequence[Curated], owners: Sequence[int]) -> str:
        """What a checkpoint depends on: it is taken up only where all of it is the same."""
        digest = hashlib.sha256()
        parts = [base.print(), repr(self._pretraining), repr(self._finetuning), str(self._seed), *self._people]
        for part in [*parts, *(f"{owner} {text.text}" for owner, text in zip(owners, texts, strict=True))]:
            packed = part.encode("utf-8", "surrogatepass")
            digest.update(len(packed).to_bytes(8, "big") + packed)
        return digest.hexdigest()[:16]


def _checked(background: Sequence[Person]) -> list[str]:
    people = [person.id for person in background]
    if len(people) < 2:
        raise InputError(f"a background of {len(people)} people tells nobody apart: give at least two")
    if len(set(people)) < len(people):
        twice = next(person for number, person in enumerate(people) if person in people[:number])
        raise InputError(f"person {twice!r} stands twice in the background: put their texts together")
    return people
