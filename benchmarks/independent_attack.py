"""An attack on released rulings that shares no code with ours: what somebody finds who knows how rulings are built.

    python benchmarks/independent_attack.py --released RELEASES.jsonl... --background BACKGROUND.json [--out FILE.json]

It reads released texts (``id`` and ``text``) and what is known of people ({id: text}), both as anybody gets them, with
regular expressions, scikit-learn and scipy alone. A release is about the person of the same id; that is used for
counting what was found, and for nothing else. The fields and their weights follow from how a ruling is written:

- its heading in the background has the application number, whose year is that of the date of lodging in the release
- the heading names the state; a classifier learned from all backgrounds tells it from the words of a release, and a
  part of the world that a release names stands for the states in it
- the judgment follows the last step that the release tells within a few years, and nothing in it is later
- paragraph numbers of the background go on where those of the release end; joined paragraphs make it fewer
- apostrophes, where releases differ in them; he or she, one applicant or several; shared words
"""

from __future__ import annotations

import argparse
import json
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

Floats = NDArray[np.float64]
Years = tuple[int, int]

KNOWLEDGE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
HEADING = re.compile(r"\bv\.? (?P<state>(?:the )?[A-Z][^\n(]{2,60})", re.IGNORECASE)
NUMBER = re.compile(r"(?<![\d/])\d{1,6}/(?P<year>\d\d)(?!\d)")
DATED = re.compile(r"\b(?:19|20)\d\d\b")
PARAGRAPH = re.compile(r"(?m)^\s{0,4}(\d{1,3})\.\s+\S")
TIME = re.compile(
    r"(?:(?P<part>early|mid|late)[ -])?(?:the )?(?P<decade>(?:19|20)\d0)s|(?<![\d/.,-])(?P<year>(?:19|20)\d\d)(?![\d/])"
    r"|between (?P<first>(?:19|20)\d\d) and (?P<last>(?:19|20)\d\d)",
    re.IGNORECASE,
)
LODGING = re.compile(r"[^.]*\b(?:lodged|originated|introduced)\b.*?(?:\.\s|\n)", re.DOTALL)
WORD = re.compile(r"[^\W\d_]+")
FEWEST_NUMBERED = 3
"""A background whose first paragraph has a lower number goes on from nothing."""
LONGEST_INTERVAL = 40


@dataclass(frozen=True)
class BackgroundFacts:
    """What the background of one person tells."""

    state: str
    application_years: tuple[int, ...]
    judgment_year: int | None
    first_paragraph: int | None
    apostrophes: float
    female: float
    several: float


@dataclass(frozen=True)
class ReleaseFacts:
    """What one release tells."""

    lodged: Years | None
    last: int | None
    latest: int | None
    """No ruling is of an earlier year."""
    paragraphs: int
    apostrophes: float
    female: float
    several: float


def read_background(text: str) -> BackgroundFacts:
    heading = HEADING.search(text)
    years = tuple(1900 + int(match["year"]) + 100 * (match["year"] < "40") for match in NUMBER.finditer(text[:800]))
    dates = [int(match[0]) for match in DATED.finditer(text[:700])]
    number = PARAGRAPH.search(text)
    first = int(number[1]) if number and int(number[1]) > FEWEST_NUMBERED else None
    state = " ".join(heading["state"].lower().split()).strip(" ,.") if heading else ""
    return BackgroundFacts(state, years[:1], min(dates) if dates else None, first, *_manner(text))


def read_release(text: str) -> ReleaseFacts:
    opening = LODGING.search(text[:6000])
    times = [years for match in TIME.finditer(text) if (years := _years(match))]
    in_opening = [years for match in TIME.finditer(opening[0] if opening else text[:1200]) if (years := _years(match))]
    narrow = [years for years in times if years[1] - years[0] <= 3]
    parts = [part.strip() for part in text.split("\n\n")]
    paragraphs = sum(len(part) >= 110 or part.endswith((".", ":", ";", '"', "”")) for part in parts if part)
    return ReleaseFacts(
        in_opening[-1] if in_opening else times[0] if times else None,
        max((low for low, _ in narrow), default=None),
        max((low for low, _ in times), default=None),
        paragraphs,
        *_manner(text),
    )


def _years(match: re.Match[str]) -> Years | None:
    if match["year"]:
        return int(match["year"]), int(match["year"])
    if match["first"]:
        return int(match["first"]), int(match["last"])
    low, high = KNOWLEDGE["part_of_ten"].get((match["part"] or "").lower(), (0, 9))
    return int(match["decade"]) + low, int(match["decade"]) + high


def _manner(text: str) -> tuple[float, float, float]:
    """The shares of curved apostrophes, of female words among those that tell, and of several applicants."""
    words = [word.lower() for word in WORD.findall(text)]
    female, male = (sum(word in KNOWLEDGE["gender"][kind].split() for word in words) for kind in ("female", "male"))
    curved, straight = text.count("’"), text.count("'")
    plural, singular = words.count("applicants"), words.count("applicant")
    return _share(curved, straight), _share(female, male), _share(plural, singular)


def _share(first: int, second: int) -> float:
    return first / (first + second) if first + second else math.nan


def state_scores(released: Sequence[str], background: Sequence[str], states: Sequence[str]) -> Floats:
    """[release, person]: ln P(the person's state | words of the release) - ln P(state)."""
    common = {state for state in states if state and states.count(state) >= 4}
    vectorizer = TfidfVectorizer(
        lowercase=False, sublinear_tf=True, min_df=2, max_df=0.5, token_pattern=r"[^\W\d_]{3,}"
    )
    rows = [row for row, state in enumerate(states) if state in common]
    learned = vectorizer.fit_transform([background[row] for row in rows])
    labels = [states[row] for row in rows]
    model = LogisticRegression(C=30, max_iter=300).fit(learned, labels)
    shares = model.predict_proba(vectorizer.transform(released))
    classes = list(model.classes_)
    prior = np.array([labels.count(name) for name in classes]) / len(labels)
    for row, text in enumerate(released):
        for region, members in KNOWLEDGE["regions"].items():
            stem = region[:-1]  # "Western Asia", "Western Asian"
            if count := len(re.findall(rf"\b{stem}", text, re.IGNORECASE)):
                inside = [index for index, name in enumerate(classes) if name in members.split(", ")]
                shares[row, inside] *= 1 + min(count, 4)
        shares[row] /= shares[row].sum()
    evidence = np.log((shares + 0.01) / (prior + 0.01))
    column = {name: index for index, name in enumerate(classes)}
    return np.stack([evidence[:, column[s]] if s in column else np.full(len(released), -0.5) for s in states], axis=1)


def year_score(lodged: Years | None, years: Sequence[int]) -> float:
    """The year of the application number is that of lodging, or now and then one away."""
    if lodged is None or not years or lodged[1] - lodged[0] > LONGEST_INTERVAL:
        return 0.0
    away = min(max(0, lodged[0] - year, year - lodged[1]) for year in years)
    width = lodged[1] - lodged[0] + 1
    return math.log({0: 0.85 / width, 1: 0.06}.get(away, 0.004) / 0.05)


def lag_score(release: ReleaseFacts, judgment: int | None) -> float:
    """A judgment is a few years after the last step that is told, and never before it."""
    if judgment is None or release.last is None:
        return 0.0
    if release.latest is not None and release.latest > judgment:
        return -4.0
    lag = judgment - release.last
    return math.log(
        {0: 0.12, 1: 0.2, 2: 0.2, 3: 0.16, 4: 0.1, 5: 0.06, 6: 0.05}.get(lag, 0.02 if lag > 0 else 0.005) / 0.06
    )


def paragraph_score(paragraphs: int, first: int | None, hidden: bool) -> float:
    """Paragraph numbers go on; where typography is uniform, paragraphs were joined as well."""
    if first is None:
        return 0.0
    before = first - 1
    if hidden:
        ratio = before / max(1, paragraphs)
        return math.log(0.5 / 0.25) if 1.0 <= ratio <= 2.0 else math.log(0.3 / 0.25) if 0.9 <= ratio <= 2.6 else -1.5
    step = before - paragraphs
    likely = {0: 0.36, 1: 0.1, -1: 0.1, 2: 0.05, -2: 0.05, 3: 0.03, -3: 0.03}.get(step, 0.06 if abs(step) < 8 else 0.01)
    return math.log(likely / 0.035)


def manner_score(release: ReleaseFacts, known: BackgroundFacts, apostrophes_tell: bool) -> float:
    total = 0.0
    pairs = [(release.female, known.female, 0.5), (release.several, known.several, 0.6)]
    pairs += [(release.apostrophes, known.apostrophes, 0.7)] if apostrophes_tell else []
    for of_release, of_person, weight in pairs:
        if not (math.isnan(of_release) or math.isnan(of_person)):
            total += weight * (1 - 3 * abs(of_release - of_person))
    return total


def word_scores(released: Sequence[str], background: Sequence[str]) -> Floats:
    """[release, person]: shared words, in deviations over people."""
    vectorizer = TfidfVectorizer(stop_words="english", ngram_range=(1, 2), sublinear_tf=True, min_df=1, max_df=0.4)
    known = vectorizer.fit_transform(background)
    scores: Floats = (vectorizer.transform(released) @ known.T).toarray()
    return _standard(scores, 1)


def _standard(scores: Floats, axis: int) -> Floats:
    scaled: Floats = (scores - scores.mean(axis=axis, keepdims=True)) / (scores.std(axis=axis, keepdims=True) + 1e-9)
    return scaled


WORD_WEIGHT = 0.6
"""Nats for a deviation of shared words."""
CENTRED = 0.7
"""How much of a person's mean over all releases is taken away where all are linked at once."""


def fields(released: Mapping[str, str], background: Mapping[str, str]) -> dict[str, Floats]:
    """By field, [release, person]: the evidence in nats."""
    releases = [read_release(text) for text in released.values()]
    known = [read_background(text) for text in background.values()]
    texts, people = list(released.values()), list(background.values())
    curved = [facts.apostrophes for facts in releases if not math.isnan(facts.apostrophes)]
    differ = bool(curved) and 0.05 < float(np.mean(np.array(curved) > 0.5)) < 0.95
    return {
        "state": state_scores(texts, people, [facts.state for facts in known]),
        "application year": np.array([[year_score(a.lodged, b.application_years) for b in known] for a in releases]),
        "years to the judgment": np.array([[lag_score(a, b.judgment_year) for b in known] for a in releases]),
        "paragraph numbers": np.array(
            [[paragraph_score(a.paragraphs, b.first_paragraph, not differ) for b in known] for a in releases]
        ),
        "manner": np.array([[manner_score(a, b, differ) for b in known] for a in releases]),
        "words": WORD_WEIGHT * word_scores(texts, people),
    }


def found(
    released: Mapping[str, str], background: Mapping[str, str], without: Sequence[str] = ()
) -> dict[str, list[bool]]:
    """Which releases are linked to their person: each by itself, and all at once."""
    parts = {name: part for name, part in fields(released, background).items() if name not in without}
    scores = np.sum(list(parts.values()), axis=0)
    people = list(background)
    alone = scores.argmax(axis=1)
    together = scores - CENTRED * scores.mean(axis=0)
    _, jointly = linear_sum_assignment(-together)
    return {
        "alone": [people[column] == key for key, column in zip(released, alone, strict=True)],
        "jointly": [people[column] == key for key, column in zip(released, jointly, strict=True)],
    }


def wilson(hits: int, n: int) -> tuple[float, float]:
    """The 95 % interval of a share."""
    z, share = 1.959964, hits / n
    middle, half = share + z * z / (2 * n), z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


def read_released(path: Path) -> dict[str, str]:
    rows = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip())
    return {row["id"]: row["text"] for row in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--released", type=Path, nargs="+", required=True)
    parser.add_argument("--background", type=Path, required=True)
    parser.add_argument("--each", action="store_true", help="also leave out one field after the other")
    parser.add_argument("--out", type=Path, help="the figures, as JSON")
    given = parser.parse_args()
    background = json.loads(given.background.read_text(encoding="utf-8"))
    figures = []
    print("| releases | n | people | without | alone, % [95 %] | jointly, % [95 %] |\n|" + " --- |" * 6)
    for path in given.released:
        released = read_released(path)
        names = list(fields(dict(list(released.items())[:2]), background)) if given.each else []
        for without in ["", *names]:
            hits = found(released, background, [without])
            cells = []
            for how, right in hits.items():
                low, high = wilson(sum(right), len(right))
                cells.append(f"{100 * np.mean(right):.1f} [{100 * low:.1f}–{100 * high:.1f}]")
                figures.append(
                    {"file": path.name, "without": without, "how": how, "found": sum(right), "n": len(right)}
                )
            print(
                f"| {path.stem} | {len(released)} | {len(background):,} | {without} | {' | '.join(cells)} |", flush=True
            )
    if given.out:
        given.out.write_text(json.dumps(figures, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
