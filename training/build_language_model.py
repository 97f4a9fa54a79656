"""Train the classifier of languages that ``sfumato.lexicon.language`` ships.

Run it from the repository root:
``pip install wordfreq==3.1.1 langdetect==1.0.9 && python -m training.build_language_model``.
Its examples are short bags of words drawn by their frequency in a language, with names of any language among them,
words of programs, and the lines of the everyday corpus (training part). Sources and licences:
``src/sfumato/lexicon/data/SOURCES.md``.
"""

from __future__ import annotations

import json
import random
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from importlib import resources
from itertools import accumulate, islice
from unicodedata import combining, normalize

import numpy as np
import numpy.typing as npt
import wordfreq
from scipy.sparse import csr_matrix
from simplemma.strategies.dictionaries.dictionary_factory import DefaultDictionaryFactory
from sklearn.linear_model import LogisticRegression

from sfumato.lexicon import name_lists
from sfumato.lexicon.language import BUCKETS, COVERED, NO_LANGUAGE, SCRIPT_LETTERS, features, weighted_words, word_code
from sfumato.lexicon.word_kinds import word_kinds
from training.everyday_corpus import read_corpus
from training.tables import DATA, WORDLISTS

WORDFREQ = {code: code for code in "ca cs da fi fil hu id is lt lv ms pl ro sk sl sv tr vi".split()}
WORDFREQ |= {"no": "nb", "hr": "sh"} | {code: code for code in COVERED}
"""Languages by their codes here, with the lists of wordfreq that they are learned from."""
LANGDETECT = ("af", "cy", "et", "so", "sq", "sw")
"""Languages whose rarer words are made from the letter counts of langdetect; the frequent ones are in our list."""
WORDS = {"covered": 80_000, "frequencies": 40_000}
"""The most used words of a language, from which examples are drawn."""
RARER = 2.0
"""By how much (log odds) a language that is known from our list alone is held less likely: a list makes too sure."""
FREQUENT = 8_000
"""The most used words of an uncovered language that are told apart from all words of the covered ones."""
RARE = 0.15
"""The share of words that are drawn without regard to their frequency: terms of medicine, of law, of a trade."""
EXAMPLES = {"covered": 40_000, "frequencies": 15_000, "list": 7_000, "computing": 4_000}
"""Examples of a language that detectors cover, of another in wordfreq, of one in our list, and of words of programs."""
FORMS = ("cy", "et", "ga", "sq", "sw")
"""Languages in our list of which simplemma knows the forms of words."""
LONGEST = 14
LATIN = re.compile(rf"[^\W\d_{''.join(SCRIPT_LETTERS.values())}]+(?:'[^\W\d_]+)*")

Draw = Callable[[], str]


def by_frequency(code: str, rng: random.Random) -> Draw:
    """Draws words of a language as often as they are used, and now and then a rare one."""
    most = WORDS["covered" if code in COVERED else "frequencies"]
    counts = dict(islice(wordfreq.get_frequency_dict(code, "best").items(), most))
    words = [word for word in counts if LATIN.fullmatch(word)]
    weights = list(accumulate(counts[word] for word in words))
    return either(lambda: rng.choice(words), lambda: rng.choices(words, cum_weights=weights)[0], RARE, rng)


def by_letters(code: str, rng: random.Random) -> Draw:
    """Draws words that look like those of a language, by the counts of three letters in a row."""
    file = resources.files("langdetect").joinpath("profiles", code)
    following: dict[str, Counter[str]] = defaultdict(Counter)
    for gram, count in json.loads(file.read_text("utf-8"))["freq"].items():
        if len(gram) == 3 or (len(gram) == 2 and gram[0] == " "):
            following[gram[:-1].lower()][gram[-1].lower()] += count
    tables = {before: (list(after), list(accumulate(after.values()))) for before, after in following.items()}

    def draw() -> str:
        while True:
            word = " "
            while len(word) < LONGEST and word[-2:] in tables:
                letters, weights = tables[word[-2:]]
                letter = rng.choices(letters, cum_weights=weights)[0]
                if letter == " ":
                    break
                word += letter
            if LATIN.fullmatch(word.strip()):
                return word.strip()

    return draw


def from_list(words: Sequence[str], rng: random.Random) -> Draw:
    """Draws words of a list in the order of their use: the first most often (Zipf)."""
    weights = list(accumulate(1 / (rank + 8) for rank in range(len(words))))
    return lambda: rng.choices(words, cum_weights=weights)[0]


def word_forms(code: str, rng: random.Random) -> Draw:
    """Draws any of the forms of words that simplemma knows."""
    forms = DefaultDictionaryFactory().get_dictionary(code)
    words = sorted(word for word in forms if word.islower() and len(word) <= LONGEST and LATIN.fullmatch(word))
    return lambda: rng.choice(words)


def either(first: Draw, second: Draw, share: float, rng: random.Random) -> Draw:
    return lambda: first() if rng.random() < share else second()


def lists() -> dict[str, str]:
    """Our word lists by language."""
    return tomllib.loads((WORDLISTS / "languages.toml").read_text("utf-8"))


def sources(rng: random.Random) -> dict[str, Draw]:
    """How words of each language are drawn."""
    draws = {code: by_frequency(name, rng) for code, name in WORDFREQ.items()}
    for code, words in lists().items():
        listed = from_list(words.lower().split(), rng)
        rarer = [by_letters(code, rng)] if code in LANGDETECT else []
        rarer += [word_forms(code, rng)] if code in FORMS else []
        draws[code] = reduce(lambda one, other: either(one, other, 0.5, rng), [listed, *rarer])
    # Most Dutch words are Afrikaans words as well, which our list of Afrikaans does not show.
    draws["af"] = either(draws["af"], draws["nl"], 0.7, rng)
    return dict(sorted(draws.items(), key=lambda item: (item[0] not in COVERED, item[0])))


def without_marks(text: str) -> str:
    """The text as on a keyboard without accents."""
    letters = "".join(letter for letter in normalize("NFKD", text) if not combining(letter))
    for letter, plain in {"ł": "l", "ı": "i", "đ": "d", "ø": "o", "æ": "ae", "ß": "ss"}.items():
        letters = letters.replace(letter, plain)
    return letters


def names(rng: random.Random) -> Draw:
    listed = [sorted(name_lists.given_names()), sorted(name_lists.family_names()), sorted(name_lists.cities())]
    return lambda: rng.choice(rng.choice(listed)).title()


def bags(code: str, draw: Draw, name: Draw, rng: random.Random) -> Iterator[str]:
    """Texts of words of a language, with some names; a fifth is written without accents, as on many keyboards."""
    for _ in range(EXAMPLES["covered" if code in COVERED else "frequencies" if code in WORDFREQ else "list"]):
        words = [draw() for _ in range(min(LONGEST, 1 + int(rng.expovariate(1 / rng.choice((1, 5))))))]
        for _ in range(rng.choice((0, 0, 1, 2, 3)) if len(words) > 1 else 0):
            words.insert(rng.randint(1, len(words)), name())
        if code == "en" and rng.random() < 0.75:  # the rest is written as in chats
            words = [re.sub(r"^i\b", "I", word) for word in words]
        text = " ".join(words)
        yield without_marks(text) if rng.random() < 0.2 else text


def no_language(name: Draw, rng: random.Random) -> Iterator[str]:
    """Names alone, and words of programs alone."""
    for _ in range(EXAMPLES["covered"]):
        listed = [name() for _ in range(rng.randint(1, 8))]
        yield (", " if rng.random() < 0.5 else " ").join(listed if rng.random() < 0.7 else map(str.lower, listed))
    terms = (WORDLISTS / "computing.txt").read_text("utf-8").split("\n", 1)[1].lower().split()
    for _ in range(EXAMPLES["computing"]):
        yield " ".join(rng.choices(terms, k=rng.randint(1, 5)))


def frequent_words(codes: Sequence[str]) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint64]]:
    """Hashes of frequent words of uncovered languages that no list of the covered ones has; their languages as bits."""
    bits: Counter[int] = Counter()
    for code in set(codes) - set(COVERED) - {NO_LANGUAGE}:
        words = lists().get(code, "").lower().split()
        if code in WORDFREQ:
            words = list(islice(wordfreq.get_frequency_dict(WORDFREQ[code], "best"), FREQUENT))
        unknown = {word for word, kind in zip(words, word_kinds(words), strict=True) if not kind}
        for word in filter(LATIN.fullmatch, unknown):
            bits[word_code(word)] |= 1 << codes.index(code)
    hashes = sorted(bits)
    return np.array(hashes, np.uint32), np.array([bits[number] for number in hashes], np.uint64)


def row(text: str) -> Counter[int]:
    counts: Counter[int] = Counter()
    for word, weight in weighted_words(text):
        for bucket in features(word):
            counts[bucket] += weight  # type: ignore[assignment]
    return counts


def main() -> None:
    rng = random.Random(19)
    name = names(rng)
    draws = sources(rng)
    codes = [*draws, NO_LANGUAGE]
    texts = [(codes.index(code), text) for code, draw in draws.items() for text in bags(code, draw, name, rng)]
    texts += [(codes.index(NO_LANGUAGE), text) for text in no_language(name, rng)]
    for document in read_corpus(part="train"):
        texts += [(codes.index(document.language), line) for line in document.text.splitlines() if line.strip()]
    rows = [row(text) for _, text in texts]
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.fromiter((bucket for counts in rows for bucket in counts), np.int32, indptr[-1])
    values = np.fromiter((value for counts in rows for value in counts.values()), np.float32, indptr[-1])
    matrix = csr_matrix((values, indices, indptr), (len(rows), BUCKETS))
    labels = np.array([label for label, _ in texts])
    model = LogisticRegression(C=10.0, max_iter=150, tol=1e-3).fit(matrix, labels)
    model.intercept_[[code in lists() for code in codes]] -= RARER
    scale = np.abs(model.coef_).max() / 127
    weights = np.rint(model.coef_.T / scale).astype(np.int8)
    path = DATA / "language_model.npz"
    frequent, frequent_in = frequent_words(codes)
    np.savez_compressed(
        path,
        weights=weights,
        bias=model.intercept_.astype(np.float32),
        scale=np.float32(scale),
        codes=np.array(codes),
        frequent=frequent,
        frequent_in=frequent_in,
    )
    print(f"{len(texts)} examples, {len(codes)} classes, scale {scale:.4f}, {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
