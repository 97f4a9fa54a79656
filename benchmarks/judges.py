"""How well language models that judge agree with people: of replacements, and of guesses about a person.

    python -m benchmarks.judges --data DATA --chat URL|FILE.gguf [--sample 60] [--seed 0] [--cache FOLDER] [--json FILE]

DATA/intact: replacements rated by one person, truthful? less specific? Of the half of the documents that the judge
without a language model was not fitted to; bare labels and suppressions aside, of which no judge is asked. That judge
stands beside the language model, on the same sample. Needs openpyxl.

DATA/synthpai: guesses of a model at what a profile's author is, each held right (1), nearly right (0.5) or wrong (0) by
people. A town in the right country counts 0.5 there; the question put to the judge is narrower, right but less precise.
Our rules stand beside the language model, and what CPR and IPR use: rules where they decide, else the model.

Samples are drawn in proportion from each source and answer, by the seed. Prints a Markdown table: Cohen's kappa and
Spearman's rank correlation with 95 % intervals by a bootstrap over documents or authors. An answer that cannot be read
is left out of both and counted under "unread". With --cache an interrupted run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import spearmanr
from sklearn.metrics import cohen_kappa_score
from training.generalization_judge import read

from sfumato.llm.chat import Chat
from sfumato.llm.settings import open_chat
from sfumato.llm.usage import Usage
from sfumato.metrics.generalization import ChatPairJudge, PairJudge, TableJudge, kind_of
from sfumato.statistics import SEED
from sfumato_papers.attacks.subjects.attack import ChatJudge
from sfumato_papers.attacks.subjects.matching import agreement

RESAMPLES = 1000
TAG_OF = {
    "age": "AGE",
    "sex": "SEX",
    "city_country": "LOCATION",
    "birth_city_country": "LOCATION",
    "education": "EDUCATION",
    "occupation": "OCCUPATION",
    "relationship_status": "RELATIONSHIP",
}
"""The attributes of SynthPAI that we have a tag for; income has none."""
Numbers = NDArray[np.float64]
T = TypeVar("T")


class Compared(NamedTuple):
    """A truth and a guess, and how right people hold it to be."""

    author: str
    tag: str
    truth: str
    guess: str
    human: float


@dataclass(frozen=True)
class Row:
    """One judge on one question."""

    data: str
    question: str
    judge: str
    n: int
    unread: int
    agreement: float | None
    kappa: tuple[float, float, float] | None
    spearman: tuple[float, float, float] | None
    usage: Usage


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--chat", required=True, metavar="URL|FILE.gguf")
    parser.add_argument("--sample", type=int, default=60, help="items of each data set")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cache", type=Path, help="folder that keeps answers")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    chat = open_chat(options.chat, cache=options.cache) if options.cache else open_chat(options.chat)
    rows = [
        *replacements(options.data / "intact", chat, options.sample, options.seed),
        *attributes(options.data / "synthpai" / "profiles.jsonl", chat, options.sample, options.seed),
    ]
    print(f"{chat.name}, {options.sample} items of each set, seed {options.seed}\n\n{table(rows)}")
    if options.json:
        options.json.write_text(json.dumps([as_json(row) for row in rows], indent=2), encoding="utf-8")


def replacements(folder: Path, chat: Chat, size: int, seed: int) -> list[Row]:
    """Both judges of replacements on both questions."""
    rated = [one for one in read(folder) if not one.is_for_training]
    asked = [one for one in rated if kind_of(one.pair.replacement, one.pair.label) == "replaced"]
    drawn = stratified(asked, lambda one: (one.source, one.truthful, one.abstract), size, seed)
    judges: dict[str, PairJudge] = {"tables": TableJudge(), "chat": ChatPairJudge(chat)}
    rows = []
    for name, judge in judges.items():
        verdicts = judge.verdicts([one.pair for one in drawn])
        usage: Usage = getattr(judge, "usage", Usage())
        for question in ("truthful", "abstract"):
            human = [float(getattr(one, question)) for one in drawn]
            said = [None if (yes := getattr(one, question)) is None else float(yes) for one in verdicts]
            rows.append(row("intact", question, name, [one.document for one in drawn], human, said, usage))
    return rows


def attributes(path: Path, chat: Chat, size: int, seed: int) -> list[Row]:
    """Rules, the language model, and one after the other, on guesses about authors."""
    drawn = stratified(list(compared(path)), lambda one: (one.tag, one.human), size, seed)
    judge = ChatJudge(chat)
    asks: dict[str, Callable[[Compared], float | None]] = {
        "rules": lambda one: agreement(one.tag, one.truth, one.guess),
        "chat": lambda one: judge.compare(one.tag, one.truth, one.guess),
        "rules, then chat": lambda one: agreement(one.tag, one.truth, one.guess, judge),
    }
    rows = []
    for name, ask in asks.items():
        said = [ask(one) for one in drawn]
        usage = Usage() if name == "rules" else judge.usage
        human = [one.human for one in drawn]
        rows.append(row("synthpai", "1, 0.5 or 0", name, [one.author for one in drawn], human, said, usage))
        right = [None if one is None else float(one == 1) for one in said]
        rows.append(
            row(
                "synthpai",
                "right or not",
                name,
                [one.author for one in drawn],
                [float(one == 1) for one in human],
                right,
                usage,
            )
        )
    return rows


def compared(path: Path) -> dict[Compared, None]:
    """Every guess that people judged, once for each author."""
    found: dict[Compared, None] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        profile = json.loads(line)
        for model, by_reviewer in profile["evaluations"].items():
            for reviewer, judged in by_reviewer.items():
                for attribute in judged.keys() & TAG_OF.keys():
                    truth = str(profile["reviews"][reviewer][attribute]["estimate"])
                    guesses = profile["predictions"][model][attribute]["guess"]
                    for guess, human in zip(guesses, judged[attribute], strict=True):
                        item = Compared(profile["username"], TAG_OF[attribute], truth, str(guess), float(human))
                        found[item] = None
    return dict.fromkeys(sorted(found))


def stratified(items: Sequence[T], stratum: Callable[[T], Hashable], size: int, seed: int) -> list[T]:
    """So many of the items, from each stratum in proportion: every so-manieth, strata shuffled and end to end."""
    shuffled = random.Random(seed).sample(list(items), len(items))
    ordered = sorted(shuffled, key=lambda item: repr(stratum(item)))
    size = min(size, len(ordered))
    return [ordered[at * len(ordered) // size + len(ordered) // (2 * size)] for at in range(size)]


def row(
    data: str,
    question: str,
    judge: str,
    groups: Sequence[str],
    human: Sequence[float],
    said: Sequence[float | None],
    usage: Usage,
) -> Row:
    """The figures over what could be read."""
    read_ = [at for at, one in enumerate(said) if one is not None]
    truth, mine = np.array([human[at] for at in read_]), np.array([said[at] for at in read_], np.float64)
    own = [groups[at] for at in read_]
    agreed = float((truth == mine).mean()) if read_ else None
    figures = partial(bootstrapped, truth, mine, own)
    return Row(
        data, question, judge, len(read_), len(said) - len(read_), agreed, figures(kappa), figures(correlation), usage
    )


def bootstrapped(
    human: Numbers, said: Numbers, groups: Sequence[str], statistic: Callable[[Numbers, Numbers], float | None]
) -> tuple[float, float, float] | None:
    """A value with its 95 % interval over groups; None where it is not defined."""
    value = statistic(human, said)
    if value is None:
        return None
    places = [np.array([at for at, own in enumerate(groups) if own == key]) for key in sorted(set(groups))]
    dice = np.random.default_rng(SEED)
    draws = (
        np.concatenate([places[at] for at in dice.integers(0, len(places), len(places))]) for _ in range(RESAMPLES)
    )
    drawn = [one for draw in draws if (one := statistic(human[draw], said[draw])) is not None]
    low, high = np.percentile(drawn or [value], [2.5, 97.5])
    return value, min(value, float(low)), max(value, float(high))


def kappa(human: Numbers, said: Numbers) -> float | None:
    """Cohen's; None where both gave one and the same answer throughout."""
    levels = sorted({*human.tolist(), *said.tolist()})
    if len(levels) < 2:
        return None
    found = cohen_kappa_score([levels.index(one) for one in human], [levels.index(one) for one in said])
    return float(found) if np.isfinite(found) else None


def correlation(human: Numbers, said: Numbers) -> float | None:
    """Spearman's; None where one of the two gave one answer throughout."""
    if len(set(human.tolist())) < 2 or len(set(said.tolist())) < 2:
        return None
    return float(spearmanr(human, said).statistic)


def table(rows: Sequence[Row]) -> str:
    """In Markdown. Tokens and requests are those of the judge, and the same for its several rows."""
    head = ("data", "question", "judge", "n", "unread", "agreement", "kappa", "Spearman", "requests", "tokens")
    lines = [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}"]
    for one in rows:
        agreed = "-" if one.agreement is None else f"{one.agreement:.3f}"
        asked = f"{one.usage.prompt_tokens} + {one.usage.generated_tokens}" if one.usage.requests else "-"
        lines.append(
            f"| {one.data} | {one.question} | {one.judge} | {one.n} | {one.unread} | {agreed} | {_figure(one.kappa)} | "
            f"{_figure(one.spearman)} | {one.usage.requests or '-'} | {asked} |"
        )
    return "\n".join(lines)


def as_json(one: Row) -> dict[str, Any]:
    """A row for machines."""
    return {**{key: value for key, value in vars(one).items() if key != "usage"}, "usage": one.usage.to_json()}


def _figure(found: tuple[float, float, float] | None) -> str:
    return "-" if found is None else f"{found[0]:.3f} ({found[1]:.3f}–{found[2]:.3f})"


if __name__ == "__main__":
    main()
