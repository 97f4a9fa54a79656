"""Time of the loop against the number of people.

    python benchmarks/protect_cost.py --data DATA --people 10000 [--documents 30] [--other]
    python benchmarks/protect_cost.py --data DATA --people 100000 --documents 1000 --whole [--attack joint] [--jobs 2]

Prints one line of JSON. The people are those of TAB's background, the subjects first, then those of wikibio and db_bio;
beyond these, generated ones. A chain of words (each drawn from what follows the last two in strangers' texts) writes
them, as long as real ones are: their words are ordinary, their phrases new, and nothing of the subjects' own texts is
in them, so that the subjects stay as telling as they are. (The people of ``attack_scale.py`` use invented words. No
document shares any of these, so they would be no rivals and cost the loop nothing.)

``--whole`` times the command ``sfumato protect`` from file to file: recipe, loop, verification and certificate. Its
documents are the first halves of wikibio's biographies, its people their second halves and generated ones.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # for `benchmarks`, which is not installed

from benchmarks.attacks import strangers
from benchmarks.protect_figures import peak
from benchmarks.protect_sets import SECRET, Corpus, tab
from benchmarks.protect_tables import table

from sfumato.attacks.background import as_background
from sfumato.attacks.base import Person
from sfumato.models.base import load_embedder, load_scorer
from sfumato.protection.attackers import majority_stemmer
from sfumato.protection.checkpoints import Checkpoints
from sfumato.protection.corpus import CorpusProtector, LoopConfig
from sfumato.protection.target import SCORER, Target
from sfumato.statistics import mean

PEOPLE = (1_000, 3_000, 10_000, 30_000, 100_000)
DOCUMENTS = 30
_SEED = 7


def written(texts: Iterable[str], count: int) -> Iterator[str]:
    """Texts by a chain of words over others, each as long as one of these."""
    chance = random.Random(_SEED)
    follows: dict[tuple[str, str], list[str]] = defaultdict(list)
    begins, lengths = [], []
    for words in (text.split() for text in texts):
        if len(words) > 2:
            begins.append((words[0], words[1]))
            lengths.append(len(words))
            for one, two, three in zip(words, words[1:], words[2:], strict=False):
                follows[one, two].append(three)
    for _ in range(count):
        length = chance.choice(lengths)
        made: list[str] = []
        last = "", ""
        while len(made) < length:
            if last in follows:
                made.append(chance.choice(follows[last]))
            else:
                made.extend(chance.choice(begins))
            last = made[-2], made[-1]
        yield " ".join(made)


def population(data: Path, corpus: Corpus, size: int) -> list[Person]:
    """So many people: the subjects, real ones, and generated ones."""
    own = set(corpus.texts)
    subjects = [person for person in corpus.background.people if person.id in own]
    rest = [person for person in corpus.background.people if person.id not in own]
    others = list(strangers(data, set()))
    real = [*subjects, *rest, *others]
    if size <= len(real):
        return real[:size]
    made = written((person.texts[0] for person in others), size - len(real))
    return [*real, *(Person(f"made/{number}", (text,)) for number, text in enumerate(made))]


def one(data: Path, size: int, documents: int, *, k: int, other: bool) -> dict[str, Any]:
    """Seconds of the loop for each document. One more document goes first, so that tables are read before."""
    corpus = tab(data, other=other, first=documents + 1)
    known = as_background(population(data, corpus, size))
    before = peak()
    config = LoopConfig(
        majority_stemmer(corpus.texts.values()), load_scorer(SCORER), load_embedder("default"), SECRET, Checkpoints()
    )
    began, used = time.perf_counter(), time.process_time()
    protector = CorpusProtector(known.people, corpus.starts, {key: [key] for key in corpus.texts}, config)
    fit = time.perf_counter() - began, time.process_time() - used
    seconds, processor, repairs, withheld = _timed(protector, corpus, Target(k))
    usage = mean({str(number): took for number, took in enumerate(seconds)})
    return {
        "people": len(known),
        "words": sum(len(text.split()) for person in known.people for text in person.texts) / len(known),
        "documents": len(seconds),
        "fit_seconds": fit[0],
        "fit_processor": fit[1],
        "seconds": usage.value,
        "interval": list(usage.interval),
        "median": float(np.median(seconds)),
        "most": max(seconds),
        "processor": processor / len(seconds),
        "repairs": repairs / len(seconds),
        "withheld": withheld,
        "texts_mb": before,
        "peak_mb": peak(),
    }


def _timed(protector: CorpusProtector, corpus: Corpus, target: Target) -> tuple[Sequence[float], float, int, int]:
    made = protector.protect([corpus.starts[-1], *corpus.starts[:-1]], target, 1)
    next(made)
    seconds: list[float] = []
    repairs, withheld, used = 0, 0, time.process_time()
    while True:
        began = time.perf_counter()
        protected = next(made, None)
        if protected is None:
            return seconds, time.process_time() - used, repairs, withheld
        seconds.append(time.perf_counter() - began)
        repairs += len(protected.repairs)
        withheld += protected.withheld is not None


def whole(data: Path, size: int, documents: int, k: int, attacks: Sequence[str], jobs: int) -> dict[str, Any]:
    """Time and memory of the command, and what it says."""
    lines = next((data / "wikibio").glob("*.jsonl")).read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    halves = [(text[: len(text) // 2], text[len(text) // 2 :]) for text in texts if len(text) > 300]
    known = [(f"bio-{number}", second) for number, (_, second) in enumerate(halves)]
    rest = written((second for _, second in halves), max(0, size - len(known)))
    people = [*known, *((f"made-{number}", text) for number, text in enumerate(rest))][:size]
    with tempfile.TemporaryDirectory() as folder:
        source, background, out = (Path(folder, name) for name in ("in.jsonl", "people.jsonl", "out.jsonl"))
        released = [
            {"id": f"bio-{number}", "text": first, "subjects": [f"bio-{number}"]}
            for number, (first, _) in enumerate(halves[:documents])
        ]
        for path, rows in ((source, released), (background, [{"id": key, "text": text} for key, text in people])):
            path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        command = [
            str(Path(sys.executable).with_name("sfumato")),
            "protect",
            str(source),
            "--out",
            str(out),
            "--k",
            str(k),
            "--json",
        ]
        command += ["--background", str(background), "--jobs", str(jobs)]
        command += [part for attack in attacks for part in ("--attack", attack)]
        began = time.perf_counter()
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        seconds = time.perf_counter() - began
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {
        "documents": len(released),
        "people": len(people),
        "exit_code": done.returncode,
        "seconds": seconds,
        "processor": usage.ru_utime + usage.ru_stime,
        "peak_mb_of_largest_process": usage.ru_maxrss / 1024,
        "summary": json.loads(done.stdout) if done.stdout.strip() else None,
    }


def print_cost(sizes: Sequence[Mapping[str, Any]]) -> None:
    """Markdown: a row a number of people."""
    head = ["people", "words each", "documents", "s a document [95 %]", "median", "most", "processor s"]
    head += ["repairs a document", "withheld", "fit s (processor s)", "peak MB (texts alone)"]
    lines = []
    for one in sizes:
        low, high = one["interval"]
        line = [f"{one['people']:,}", f"{one['words']:.0f}", str(one["documents"])]
        line += [f"{one['seconds']:.3f} [{low:.3f}–{high:.3f}]", f"{one['median']:.3f}", f"{one['most']:.3f}"]
        line += [f"{one['processor']:.3f}", f"{one['repairs']:.1f}", str(one["withheld"])]
        line += [f"{one['fit_seconds']:.1f} ({one['fit_processor']:.1f})"]
        lines.append([*line, f"{one['peak_mb']:,.0f} ({one['texts_mb']:,.0f})"])
    table(head, lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--people", type=int, required=True)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--k", type=int, default=11)
    parser.add_argument("--other", action="store_true")
    parser.add_argument("--whole", action="store_true", help="the command, from file to file")
    parser.add_argument("--attack", action="append", default=[], help="with --whole: attacks that verify")
    parser.add_argument("--jobs", type=int, default=1)
    given = parser.parse_args()
    if given.whole:
        print(json.dumps(whole(given.data, given.people, given.documents, given.k, given.attack, given.jobs)))
        return
    print(json.dumps(one(given.data, given.people, given.documents, k=given.k, other=given.other)))


if __name__ == "__main__":
    main()
