"""People's sentences in clear and as released, tokenized, in one small file for a machine without network.

    python -m training.link_encoder.prepare --data DATA --out out/link/people.npz [--releases CACHE.jsonl.gz]

A share of the texts (SHARE) is released by the default recipe, and with one tag in the same places; the edits are kept
in CACHE, so that the file can be made again in seconds. Beside it, ``base/`` gets the shipped masked language model's
weights in 8 bits.
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from shutil import copyfile

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import save_file
from sklearn.feature_extraction.text import TfidfVectorizer
from tokenizers import Tokenizer

from sfumato import anonymize
from sfumato.attacks.linking.cleaning import WORD, clean
from sfumato.errors import SfumatoError
from sfumato.models.masked import SHIPPED
from sfumato.models.tokens import load_tokenizer
from sfumato_papers.attacks.trir.network import dequantize
from training.eight_bits import in_eight_bits
from training.link_encoder.people import SEED, Edits, SourcePerson, SourceText, read_people
from training.tagger.splits import position

RECIPE, SHARE = "default", 0.24
"""Generalized texts are what words have to be matched across, and take the time; the others have names hidden only."""
TAG = "[REDACTED]"
COMMON = 0.3
"""Words that a larger share of a set's people have are not compared, as in the attack."""
NEIGHBOURS = 32
CLEAR = "clear"
LEAST_SENTENCES, LEAST_CHARACTERS = 2, 200
PARTS = ("train", "validation", "held out")
SIDES = ("both", "release", "background")
NO_WORD = np.uint16(2**16 - 1)
_BATCH = 64


def releases(people: Iterable[SourcePerson], cache: Path) -> dict[str, Edits]:
    """A text's fingerprint -> the edits of the recipe; those in the cache are not made again."""
    known: dict[str, Edits] = {}
    if cache.is_file():
        with gzip.open(cache, "rt", encoding="utf-8") as file:
            for key, edits in map(json.loads, file):
                known[key] = [(start, end, replacement) for start, end, replacement in edits]
    wanted = [text.text for person in people for text in person.texts if text.side != "background"]
    wanted = [text for text in wanted if position(SEED, f"recipe {text}") < SHARE and fingerprint(text) not in known]
    for start in range(0, len(wanted), _BATCH):
        known.update(_anonymized(wanted[start : start + _BATCH]))
        print(f"{min(start + _BATCH, len(wanted))} of {len(wanted)} released", flush=True)
    with gzip.open(cache, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps([key, edits], ensure_ascii=False) + "\n" for key, edits in known.items())
    return known


def _anonymized(texts: Sequence[str]) -> Iterator[tuple[str, Edits]]:
    """All texts at once, or, where one cannot be released, one by one without it."""
    try:
        outcomes = anonymize(texts, recipe=RECIPE)
    except SfumatoError:
        if len(texts) > 1:
            for text in texts:
                yield from _anonymized([text])
        return
    for text, release in zip(texts, outcomes, strict=True):
        edits = sorted((edit.span.start, edit.span.end, edit.replacement) for edit in release.edits)
        yield fingerprint(text), edits


def fingerprint(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:24]


def released_sentences(text: SourceText, edits: Edits) -> list[str]:
    """The sentences with edits; an edit that reaches over the end of a sentence counts to where it begins."""
    sentences: list[str] = []
    number = position = 0
    for start, end in text.sentences:
        position = max(position, start)
        parts: list[str] = []
        while number < len(edits) and edits[number][0] < end:
            first, last, replacement = edits[number]
            parts += [text.text[position:first], replacement]
            position = max(position, last)
            number += 1
        sentences.append("".join([*parts, text.text[position:end]]))
    return sentences


@dataclass
class Packed:
    """What the file holds: sentences as tokens and words, versions of texts as ranges of sentences, people.

    ``versions`` has a row for each version of a text: person, text, side, name, first sentence; all versions of a text
    have equally many sentences. ``word_of`` is a token's word within its sentence.
    """

    tokens: list[NDArray[np.uint16]] = field(default_factory=list)
    word_of: list[NDArray[np.uint16]] = field(default_factory=list)
    forms: list[NDArray[np.int32]] = field(default_factory=list)
    rarity: list[NDArray[np.float16]] = field(default_factory=list)
    versions: list[tuple[int, int, int, int, int, int]] = field(default_factory=list)
    people: list[tuple[int, int]] = field(default_factory=list)


class Packer:
    """Adds people to the arrays; words are compared where they are rare among the people of the set."""

    def __init__(self, tokenizer: Tokenizer, people: Sequence[SourcePerson]) -> None:
        self.packed = Packed()
        self.sets = sorted({person.set for person in people})
        self.names: dict[str, int] = {CLEAR: 0}
        self._tokenizer, self._forms = tokenizer, dict[str, int]()
        self._texts = 0
        self._people = Counter(person.set for person in people)
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in self.sets}
        for person in people:
            words = {word.lower() for text in person.texts for word in WORD.findall(text.text)}
            self._counts[person.set].update(words)

    def add(self, person: SourcePerson, made: dict[str, Edits]) -> None:
        row = len(self.packed.people)
        self.packed.people.append((self.sets.index(person.set), PARTS.index(person.part)))
        for text in person.texts:
            versions = {CLEAR: [text.text[start:end] for start, end in text.sentences]}
            if text.side != "background":
                versions |= {name: released_sentences(text, edits) for name, edits in text.marked.items()}
                versions |= {name: list(sentences) for name, sentences in text.given.items()}
                if (edits := made.get(fingerprint(text.text))) is not None:
                    versions[RECIPE] = released_sentences(text, edits)
                    tags = [(start, end, TAG) for start, end, _ in edits]
                    versions["redacted"] = released_sentences(text, tags)
            for name, sentences in versions.items():
                number = self.names.setdefault(name, len(self.names))
                head = (row, self._texts, SIDES.index(text.side), number, len(self.packed.tokens), len(sentences))
                self.packed.versions.append(head)
                self._add_sentences(sentences, person.set, cleaned=name != CLEAR)
            self._texts += 1

    def _add_sentences(self, sentences: Sequence[str], group: str, *, cleaned: bool) -> None:
        visible = self._visible(sentences) if cleaned else None
        for number, encoding in enumerate(self._tokenizer.encode_batch(list(sentences), add_special_tokens=False)):
            sentence, matches = sentences[number], []
            for match in WORD.finditer(sentence):
                if self._is_rare(match.group(), group) and (visible is None or (number, match.start()) in visible):
                    matches.append(match)
            starts = np.array([match.start() for match in matches], np.int64)
            ends = np.array([match.end() for match in matches], np.int64)
            offsets = np.array(encoding.offsets, np.int64).reshape(-1, 2)
            place = np.searchsorted(starts, offsets[:, 0], "right") - 1
            inside = (place >= 0) & (offsets[:, 0] < ends[place] if len(ends) else False)
            self.packed.tokens.append(np.array(encoding.ids, np.uint16))
            self.packed.word_of.append(np.where(inside, place, NO_WORD).astype(np.uint16))
            forms = [match.group().lower() for match in matches]
            numbers = [self._forms.setdefault(form, len(self._forms)) for form in forms]
            self.packed.forms.append(np.array(numbers, np.int32))
            self.packed.rarity.append(np.array([self._rarity(form, group) for form in forms], np.float16))

    @staticmethod
    def _visible(sentences: Sequence[str]) -> set[tuple[int, int]]:
        """Sentence and start of every word that is no placeholder, as the whole text tells."""
        cleaned = clean("\n".join(sentences))
        begins = np.cumsum([0, *(len(sentence) + 1 for sentence in sentences)])
        numbers = np.searchsorted(begins, cleaned.starts, "right") - 1
        return set(zip(numbers.tolist(), (cleaned.starts - begins[numbers]).tolist(), strict=True))

    def _is_rare(self, word: str, group: str) -> bool:
        return self._counts[group][word.lower()] <= max(1, COMMON * self._people[group])

    def _rarity(self, form: str, group: str) -> float:
        return float(np.log((1 + self._people[group]) / (1 + self._counts[group][form])))


def neighbours(people: Sequence[SourcePerson]) -> NDArray[np.int32]:
    """For each person the rows of those with the most similar words, of the same set and part; -1 where none is."""
    table = np.full((len(people), NEIGHBOURS), -1, np.int32)
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, person in enumerate(people):
        groups[person.set, person.part].append(row)
    for rows in groups.values():
        if len(rows) < 2:
            continue
        texts = [" ".join(text.text for text in people[row].texts) for row in rows]
        vectors = TfidfVectorizer(sublinear_tf=True, dtype=np.float32).fit_transform(texts)
        likeness = (vectors @ vectors.T).toarray()
        np.fill_diagonal(likeness, -1)
        best = np.argsort(-likeness, axis=1)[:, : min(NEIGHBOURS, len(rows) - 1)]
        table[rows, : best.shape[1]] = np.array(rows)[best]
    return table


def write_arrays(out: Path, packer: Packer, near: NDArray[np.int32]) -> None:
    """The file that ``pieces.py`` reads."""
    packed = packer.packed
    out.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        out,
        tokens=np.concatenate(packed.tokens),
        word_of=np.concatenate(packed.word_of),
        token_ends=np.cumsum([len(part) for part in packed.tokens]).astype(np.int32),
        forms=np.concatenate(packed.forms),
        rarity=np.concatenate(packed.rarity),
        word_ends=np.cumsum([len(part) for part in packed.forms]).astype(np.int32),
        versions=np.array(packed.versions, np.int32),
        people=np.array(packed.people, np.int8),
        neighbours=near,
        sets=np.array(packer.sets),
        names=np.array(list(packer.names)),
    )


def prepare(data: Path, out: Path, cache: Path) -> dict[str, int]:
    """Write the file and the base weights; returns how many people of each set and part there are."""
    people = [person for person in read_people(data) if _enough(person)]
    made = releases(people, cache)
    packer = Packer(load_tokenizer(SHIPPED), people)
    for person in people:
        packer.add(person, made)
    write_arrays(out, packer, neighbours(people))
    pack_base(out.parent / "base")
    counts = Counter(f"{person.set}, {person.part}" for person in people)
    counts.update(f"version {list(packer.names)[version[3]]}" for version in packer.packed.versions)
    return dict(sorted(counts.items()))


def _enough(person: SourcePerson) -> bool:
    texts = person.texts
    return (
        sum(len(text.sentences) for text in texts) >= LEAST_SENTENCES
        and sum(len(text.text) for text in texts) >= LEAST_CHARACTERS
    )


def pack_base(out: Path) -> None:
    """The shipped masked language model's encoder, as ``training.encoder.fill`` reads it."""
    out.mkdir(parents=True, exist_ok=True)
    card = json.loads((SHIPPED / "config.json").read_text(encoding="utf-8"))
    arrays = {name: value for name, value in dequantize(SHIPPED, card["size"]).items() if not name.startswith("lm_")}
    save_file(in_eight_bits(arrays), out / "model.safetensors")
    (out / "config.json").write_text(json.dumps({"size": card["size"]}), encoding="utf-8")
    copyfile(SHIPPED.parent / "tokenizer.json", out / "tokenizer.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--releases", type=Path, default=Path("out/link/releases.jsonl.gz"), help="kept releases")
    arguments = parser.parse_args()
    arguments.releases.parent.mkdir(parents=True, exist_ok=True)
    print(json.dumps(prepare(arguments.data, arguments.out, arguments.releases), indent=1))


if __name__ == "__main__":
    main()
