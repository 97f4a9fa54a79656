"""The strings the embedder learns from: words and their definitions, diagnoses, sentences, spans of them, and dates.

``python -m training.embedder.texts --data DATA --wordnet DICT --out out/texts.txt.xz``

One string a line, each once, in an order fixed by the seed. Kept out: TAB dev, every case of the INTACT sheets, and
AgentClinic, on which the embedder or what stands on it is measured; and text under share-alike licences.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import re
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from sfumato.lexicon import name_lists
from training.embedder.phrases import dates, quantities

SEED = 20261115
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")


def wordnet(folder: Path) -> Iterator[str]:
    """Lemmas, definitions and examples of WordNet's data files."""
    for part in ("noun", "verb", "adj", "adv"):
        for line in (folder / f"data.{part}").read_text(encoding="utf-8").splitlines():
            if line.startswith("  "):
                continue
            fields, _, gloss = line.partition(" | ")
            words = fields.split()
            lemmas = [words[4 + 2 * number].split("(")[0].replace("_", " ") for number in range(int(words[3], 16))]
            yield from lemmas
            meaning, *examples = gloss.strip().split('; "')
            yield meaning
            yield f"{lemmas[0]}: {meaning}"
            yield from (example.strip('"; ') for example in examples)


def diagnoses(every: int = 6) -> Iterator[str]:
    """ICD-10-CM: all descriptions, but of the many thousand injuries and external causes only every n-th."""
    import simple_icd_10_cm as icd

    for number, code in enumerate(icd.get_all_codes()):
        if code[0] not in "STVWXY" or number % every == 0:
            yield icd.get_description(code)
            yield from icd.get_inclusion_term(code)


def _lines(path: Path) -> Iterator[dict[str, object]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file)


def documents(data: Path) -> Iterator[str]:
    """Whole texts of the sets that may be used for a shipped model."""
    kept_out = {str(row["doc_id"]) for row in _lines(data / "tab/dev.jsonl")} | intact_cases(data / "intact")
    background = json.loads((data / "tab/background_public10.json").read_text(encoding="utf-8"))
    yield from (text for case, text in background.items() if case not in kept_out)
    yield from (str(row["text"]) for row in _lines(data / "spia/panorama_380.jsonl"))
    yield from (str(row["text"]) for row in _lines(data / "asq_phi/dev.jsonl"))
    for row in _lines(data / "synthpai/profiles.jsonl"):
        yield from (comment["text"] for comment in row["comments"])  # type: ignore[attr-defined]
    for row in _lines(data / "personalreddit/synthetic_dataset.jsonl"):
        yield f"{row['question_asked']}\n{row.get('response', '')}"
    for row in json.loads((data / "presidio_research/generated_large.json").read_text(encoding="utf-8")):
        yield row["full_text"]
    with tarfile.open(data / "meddocan/train_dev.tar.gz") as archive:
        for member in archive:
            if member.name.endswith(".txt") and (file := archive.extractfile(member)):
                yield file.read().decode("utf-8")
    for path in sorted((data / "ner").glob("*/*")):
        yield from conll(path)


def conll(path: Path) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", path.read_text(encoding="utf-8", errors="replace")):
        words = [line.split()[0] for line in block.splitlines() if line.strip() and "DOCSTART" not in line]
        if words:
            yield " ".join(words)


def intact_cases(folder: Path) -> set[str]:
    """Ids of the cases the INTACT sheets are about."""
    from openpyxl import load_workbook

    cases = set()
    for path in folder.glob("*.xlsx"):
        for row in load_workbook(path, read_only=True).worksheets[0].iter_rows(values_only=True):
            cases |= {cell.split("_")[0] for cell in row[:2] if isinstance(cell, str) and re.match(r"\d+-\d+_", cell)}
    return cases


def spans(sentence: str, chance: random.Random) -> Iterator[str]:
    """Two short stretches of a sentence: what a span and what stands in its place look like."""
    words = sentence.split()
    for _ in range(2):
        length = chance.choice((1, 2, 2, 3, 3, 4, 5, 6, 8))
        start = chance.randrange(max(1, len(words) - length + 1))
        yield " ".join(words[start : start + length]).strip(",;:.()[]\"'")


def sentences(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield from (part.strip() for part in _SENTENCE.split(text.replace("\ufeff", "")) if len(part.strip()) > 2)


def gather(data: Path, dictionary: Path, seed: int = SEED) -> list[str]:
    """All strings, each once, shuffled."""
    chance = random.Random(seed)
    found = dict.fromkeys(wordnet(dictionary))
    found |= dict.fromkeys(diagnoses())
    for sentence in sentences(documents(data)):
        found[sentence[:600]] = None
        found |= dict.fromkeys(spans(sentence, chance))
    for entries in (name_lists.cities(), name_lists.regions(), name_lists.occupations()):
        found |= dict.fromkeys(chance.sample(sorted(entries), min(len(entries), 10000)))
    given, family = sorted(name_lists.given_names()), sorted(name_lists.family_names())
    found |= dict.fromkeys(f"{chance.choice(given)} {chance.choice(family)}".title() for _ in range(8000))
    found |= dict.fromkeys(dates(chance, 40000))
    found |= dict.fromkeys(quantities(chance, 20000))
    strings = [" ".join(text.split()) for text in found]
    strings = list(dict.fromkeys(text for text in strings if text))
    chance.shuffle(strings)
    return strings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--wordnet", type=Path, required=True, help="folder with data.noun and the like (WordNet 3.1)")
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    strings = gather(arguments.data, arguments.wordnet)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with lzma.open(arguments.out, "wt", encoding="utf-8") as file:
        file.writelines(f"{text}\n" for text in strings)
    print(f"{len(strings):,} strings in {arguments.out}")


if __name__ == "__main__":
    main()
