"""What a text tells besides the words it shares: times, reference numbers, countries, typography, numbered paragraphs.

Years are read in any language, decades and centuries in those in which dates are generalized; countries are read by
their names, adjectives, people, currencies and large cities, and by the parts of the world that generalizations name.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain, takewhile
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.continuation import count_paragraphs
from sfumato.attacks.linking.cleaning import Ints, clean
from sfumato.lexicon import world
from sfumato.lexicon.grammar import STOP_WORDS
from sfumato.lexicon.name_lists import common_words
from sfumato.lexicon.tables import languages_with, load_toml
from sfumato.lexicon.time import CALENDAR_LANGUAGES, SEASONS, likely_year
from sfumato.models.base import Floats

_WORDS = [load_toml("dates", language)["words"] for language in SEASONS if language in languages_with("dates")]
_PARTS: Mapping[str, tuple[float, float]] = {
    name: part["range"] for words in _WORDS for part in words["parts"] for name in part["names"]
}
_NAMED_DECADES: Mapping[str, int] = {name: first for words in _WORDS for name, first in words["decades"].items()}


def _any_of(*keys: str) -> str:
    return "|".join(
        sorted({re.escape(word) for words in _WORDS for key in keys for word in words[key]}, key=len, reverse=True)
    )


_PERIOD = re.compile(
    r"(?<!\w)(?:(?P<decade>(?:1[5-9]|20)\d0)s(?!\w)"
    rf"|(?:{_any_of('decade', 'numbered_decade')}) (?:de )?(?P<numbered>(?:19|20)\d0)"
    rf"|(?P<named>{'|'.join(map(re.escape, sorted(_NAMED_DECADES, key=len, reverse=True)))})(?!\w)"
    rf"|(?P<ordinal>1[6-9]|2[01])(?:st|th)[ -](?:{_any_of('century')})"
    rf"|(?:{_any_of('century')})[ ](?P<roman>XXI|XX|XIX|XVIII|XVII))(?!\w)",
    re.IGNORECASE,
)
_BEFORE = re.compile(
    rf"(?<!\w)(?P<part>{'|'.join(map(re.escape, sorted(_PARTS, key=len, reverse=True)))})[ -]"
    r"(?:(?:of|de|del)[ ])?(?:(?:the|la|el|los)[ ])?\Z",
    re.IGNORECASE,
)
_LONGEST_PART = 30
_YEAR = re.compile(
    r"(?<![\w/.,-])(?:(?:\d{4}-\d\d-\d\d|\d{1,2}/\d{1,2}/\d{2,4}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}-\d{1,2}-\d{4})(?!\w)"
    r"|(?P<year>(?:1[5-9]|20)\d\d)(?![\w/]|[.,]\d))"
)
"""A year, or a date in digits."""
_ROMAN = {"XVII": 17, "XVIII": 18, "XIX": 19, "XX": 20, "XXI": 21}
_REFERENCE = re.compile(r"(?<![\d/.])\d{1,6}/(?P<year>(?:19|20)?\d\d)(?![\d/])")
_PARAGRAPH_NUMBER = re.compile(r"(?m)^\s{0,4}(\d{1,3})\.\s+\S")
_LARGE_CITY = 100_000
_LONGEST_NAME = 6
"""Words of the longest name of a country that is looked for."""
_ANY_WORD, _TEXT_WORD = re.compile(r"[^\W\d_]{2,}"), re.compile(r"[^\W\d_]{3,}")
_GENDERED = {
    language: load_toml("gender", language) for language in CALENDAR_LANGUAGES if language in languages_with("gender")
}
_NAME_WORD = re.compile(r"[^\W\d_][\w'’.-]*|[€£₽₺₴]")

T = TypeVar("T")


class Time(NamedTuple):
    """A time of a text in whole years, and where the text says it."""

    low: int
    high: int
    start: int
    end: int


class CountryMention(NamedTuple):
    """The countries that a phrase may mean: one, or those of a part of the world."""

    codes: frozenset[str]
    start: int
    end: int
    is_adjective: bool


class Facts(NamedTuple):
    """What a text tells besides its words."""

    times: tuple[Time, ...]
    references: tuple[int, ...]
    """Years of reference numbers."""
    countries: tuple[CountryMention, ...]
    apostrophe: str
    paragraphs: int
    first_number: int | None
    """Of its first numbered paragraph."""
    female: float | None
    """The share of female words among those that tell a gender."""

    @property
    def latest(self) -> int:
        """The last year that it tells; 0 where it tells none."""
        return max((*(time.low for time in self.times), *self.references), default=0)

    @property
    def country(self) -> str | None:
        """The one that is named most."""
        weights = country_weights(self.countries)
        return max(weights, key=lambda code: (weights[code], code)) if weights else None


def country_weights(mentions: tuple[CountryMention, ...]) -> dict[str, float]:
    """By country, how much a text names it: each mention counts one in all, whatever it may mean."""
    weights: defaultdict[str, float] = defaultdict(float)
    for codes, count in Counter(mention.codes for mention in mentions).items():
        for code in codes:
            weights[code] += count / len(codes)
    return dict(weights)


def read_facts(text: str) -> Facts:
    """The facts of a released text, or of what is known of a person."""
    references = tuple(likely_year(match["year"]) for match in _REFERENCE.finditer(text))
    apostrophe = max("’'", key=text.count) if "’" in text or "'" in text else ""
    number = _PARAGRAPH_NUMBER.search(text)
    first = int(number[1]) if number else None
    times, countries = read_times_and_countries(text)
    return Facts(times, references, countries, apostrophe, count_paragraphs(text), first, _female_share(text))


class Lines(Generic[T]):
    """Reads the lines of a text that changes; what was read of lines that stay is kept."""

    def __init__(self, read_line: Callable[[str], T]) -> None:
        self._read_line = read_line
        self._known: dict[str, T] = {}

    def read(self, text: str) -> Iterator[tuple[int, T]]:
        """Where each line of the current text starts, and what is read of it."""
        known, start = dict[str, T](), 0
        for line in text.split("\n"):
            if line not in known:
                known[line] = self._known[line] if line in self._known else self._read_line(line)
            yield start, known[line]
            start += len(line) + 1
        self._known = known


TimesAndCountries = tuple[tuple[Time, ...], tuple[CountryMention, ...]]


def read_times_and_countries(text: str, lines: Lines[TimesAndCountries] | None = None) -> TimesAndCountries:
    """From left to right. Neither goes on across a line break. ``lines``: reads a text that changes."""
    times, countries = list[Time](), list[CountryMention]()
    for start, (of_times, of_countries) in (lines or lines_of_times_and_countries()).read(text):
        times += [time._replace(start=start + time.start, end=start + time.end) for time in of_times]
        countries += [item._replace(start=start + item.start, end=start + item.end) for item in of_countries]
    return tuple(times), tuple(countries)


def lines_of_times_and_countries() -> Lines[TimesAndCountries]:
    """The reader of the times and countries of a text that changes."""
    return Lines(lambda line: (tuple(_times(line)), tuple(find_countries(line))))


def _times(text: str) -> Iterator[Time]:
    """Years, decades and centuries, from left to right."""
    periods = {match.start(): match for match in _PERIOD.finditer(text)}
    years = {match.start(): match for match in _YEAR.finditer(text) if match.start() not in periods}
    last_end = 0
    for start, match in sorted((periods | years).items()):
        if start < last_end:
            continue
        last_end = match.end()
        if start in periods:
            yield _period(text, match)
        else:
            digits = match["year"] or max(re.split(r"\D", match[0]), key=lambda part: (len(part), 0))
            if match["year"] is None and len(digits) < 4:
                digits = match[0][-2:]
            year = int(digits) if len(digits) == 4 else likely_year(digits)
            yield Time(year, year, *match.span())


def _period(text: str, match: re.Match[str]) -> Time:
    scale = 1
    if decade := match["decade"] or match["numbered"]:
        first = int(decade)
    elif match["named"]:
        first = _NAMED_DECADES[match["named"].casefold()]
    else:
        first, scale = 100 * (int(match["ordinal"] or _ROMAN[match["roman"].upper()]) - 1), 10
    before = _BEFORE.search(text, max(0, match.start() - _LONGEST_PART), match.start())
    low, high = _PARTS[before["part"].casefold()] if before else (0.0, 1.0)
    start = before.start() if before else match.start()
    return Time(first + int(10 * scale * low + 0.5), first + int(10 * scale * high + 0.5) - 1, start, match.end())


def _female_share(text: str) -> float | None:
    """By the words of the language whose function words the text has most of."""
    counts = Counter(_ANY_WORD.findall(text.lower()))
    usual = {language: sum(counts[word] for word in STOP_WORDS[language] if word in counts) for language in _GENDERED}
    words = _GENDERED[max(usual, key=lambda language: usual[language])]
    female, male = (sum(counts[word] for word in words[kind]) for kind in ("female", "male"))
    return female / (female + male) if female + male else None


# Countries.


@cache
def _country_phrases() -> Mapping[str, tuple[frozenset[str], bool]]:
    """Phrases in small letters -> the countries that they may mean, and whether they are adjectives."""
    phrases: dict[str, tuple[frozenset[str], bool]] = {}
    for phrase, codes, is_adjective in chain(_names_of_countries(), _names_of_areas(), _currencies_and_cities()):
        phrases.setdefault(_key(phrase), (frozenset(codes), is_adjective))
    return phrases


_Named = tuple[str, Iterable[str], bool]
"""A phrase, the codes of the countries that it may mean, and whether it is an adjective."""


def _names_of_countries() -> Iterator[_Named]:
    for country in world.countries().values():
        if country.is_former:
            continue
        codes = [country.code[:2] if "-" in country.code else country.code]
        nouns = (country.name, *country.other_names, *country.foreign_names.values())
        yield from ((name, codes, False) for name in nouns)
        yield from ((word, codes, True) for word in country.adjectives)
        yield from ((word.replace("_", " "), codes, False) for word in country.people)


def _names_of_areas() -> Iterator[_Named]:
    for area in world.world_regions().values():
        yield area.name, area.countries, False
        if area.adjective:
            yield area.adjective, area.countries, True
    yield from ((adjective, area.countries, True) for adjective, area in world.continent_pairs().items())
    yield from ((name, area.countries, False) for name, area in world.sea_coasts().items())


def _currencies_and_cities() -> Iterator[_Named]:
    for code, currency in load_toml("currencies")["codes"].items():
        if code[:2] in world.countries():
            yield from ((word, [code[:2]], False) for word in (code, currency["en"], *currency["forms"]))
    large = takewhile(lambda city: city.population >= _LARGE_CITY, world.towns())
    yield from ((city.name, [city.code[:2]], False) for city in large if _key(city.name) not in common_words())


def _key(phrase: str) -> str:
    return " ".join(phrase.casefold().split()).removeprefix("the ").replace("’", "'").rstrip(".")


@cache
def _most_words() -> Mapping[str, int]:
    """By first word, how many words the longest phrase has."""
    most: dict[str, int] = {}
    for phrase in _country_phrases():
        first, *rest = phrase.split()
        most[first] = max(most.get(first, 1), 1 + len(rest))
    return most


def find_countries(text: str) -> Iterator[CountryMention]:
    """Names, adjectives, people, currencies and large cities of countries, and parts of the world; longest first."""
    words = list(_NAME_WORD.finditer(text))
    keys = [_key(word[0].removesuffix("'s").removesuffix("’s")) for word in words]
    index = 0
    while index < len(words):
        size = _phrase_at(text, words, keys, index)
        if size:
            start = words[index].start()
            end = words[index + size - 1].start() + len(words[index + size - 1][0].rstrip(".'’-"))
            if words[index + size - 1][0].endswith(("'s", "’s")):
                end = words[index + size - 1].end() - 2
            codes, is_adjective = _country_phrases()[" ".join(keys[index : index + size])]
            yield CountryMention(codes, start, end, is_adjective)
        index += size or 1


def _phrase_at(text: str, words: list[re.Match[str]], keys: list[str], index: int) -> int:
    """The words of the longest phrase that begins with a word in capitals or a sign."""
    if words[index][0][0].islower() or keys[index] not in _most_words():
        return 0
    for size in range(min(_most_words()[keys[index]], len(words) - index), 0, -1):
        if " ".join(keys[index : index + size]) in _country_phrases():
            between = text[words[index].start() : words[index + size - 1].start()]
            if "\n" not in between and "," not in between:
                return size
    return 0


# Which country a text is from, told by all of its words: texts of one country share courts, laws and usage. A logistic
# regression on TF-IDF, learned from what is known of people whose country is named there; function words, which all
# texts have, are left out.

FEWEST_PEOPLE = 4
"""People of a country from whom its words are learned; others are one group."""
MOST_PEOPLE = 4000
"""People from whom is learned, drawn where there are more."""
OTHER = ""
"""The country of everybody whose own is unknown or too rare."""
_MOST_FEATURES = 50_000
_REGRESSION_STEPS = 150
_REGRESSION_STRENGTH = 30.0


class WordContributions(NamedTuple):
    """Where words of a text stand, and what each adds to the logit of each country."""

    starts: Ints
    ends: Ints
    logits: Floats


class CountryWords:
    """Learned once from texts and their countries."""

    def __init__(self, texts: Sequence[str], countries: Sequence[str]) -> None:
        """``countries``: codes, empty where none is known."""
        from sklearn.feature_extraction.text import TfidfVectorizer  # slow to load
        from sklearn.linear_model import LogisticRegression

        counts = Counter(countries)
        labels = np.array([code if counts[code] >= FEWEST_PEOPLE else OTHER for code in countries])
        self.codes: list[str] = sorted(set(labels.tolist()))
        self.priors: Floats = np.array([np.mean(labels == code) for code in self.codes])
        self._vocabulary: dict[str, int] = {}
        self._coefficients, self._rarity = np.zeros((0, len(self.codes))), np.zeros(0)
        self._intercept: Floats = np.log(self.priors)
        if len(self.codes) < 2:
            return
        drawn = np.random.default_rng(0).permutation(len(texts))[:MOST_PEOPLE]
        vectors = TfidfVectorizer(
            sublinear_tf=True,
            min_df=2,
            max_df=0.5,
            token_pattern=_TEXT_WORD.pattern,
            stop_words=sorted(set().union(*STOP_WORDS.values())),
            max_features=_MOST_FEATURES,
        )
        try:
            features = vectors.fit_transform([texts[row] for row in drawn])
        except ValueError:  # no word is shared by two people
            return
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module="sklearn")  # not having converged costs a little accuracy
            model = LogisticRegression(C=_REGRESSION_STRENGTH, max_iter=_REGRESSION_STEPS).fit(features, labels[drawn])
        coefficients = model.coef_ if len(model.classes_) > 2 else np.vstack([-model.coef_, model.coef_]) / 2
        intercept = model.intercept_ if len(model.classes_) > 2 else np.array([-1, 1]) * model.intercept_[0] / 2
        columns = [self.codes.index(code) for code in model.classes_]
        self._coefficients = np.zeros((len(vectors.vocabulary_), len(self.codes)))
        self._coefficients[:, columns] = coefficients.T
        self._intercept = np.full(len(self.codes), float(intercept.min()))
        self._intercept[columns] = intercept
        self._vocabulary, self._rarity = vectors.vocabulary_, vectors.idf_

    def shares(self, words: WeighedWords) -> Floats:
        """The probability of each of ``codes``, by the words of a text."""
        logits = self._intercept
        if len(words.numbers):
            logits = logits + words.weights @ self._coefficients[words.numbers]
        shares = np.exp(logits - logits.max())
        normalized: Floats = shares / shares.sum()
        return normalized

    def contributions(self, words: WeighedWords) -> WordContributions:
        """What each word adds; occurrences of one word share its part."""
        parts = np.zeros(len(self._rarity))
        parts[words.numbers] = words.weights / np.array(list(words.counts.values()))
        logits: Floats = self._coefficients[words.occurring] * parts[words.occurring][:, None]
        return WordContributions(words.starts, words.ends, logits)

    def weigh(self, text: str, lines: Lines[WordsOfLine] | None = None) -> WeighedWords:
        """Words of the vocabulary with their places, and weights. ``lines``: reads a text that changes."""
        hidden, known = _cover(text), list[tuple[int, int, int]]()
        for start, words in (lines or lines_of_words()).read(text):
            for first, last, word in words:
                number = self._vocabulary.get(word)
                if number is not None and not hidden[start + first]:
                    known.append((start + first, start + last, number))
        starts, ends, occurring = (np.array(known, np.int64) if known else np.zeros((0, 3), np.int64)).T
        counts = Counter(occurring.tolist())
        numbers = np.array(list(counts), np.int64)
        raw = (1 + np.log(np.array(list(counts.values()), np.int64))) * self._rarity[numbers]
        return WeighedWords(starts, ends, occurring, counts, numbers, raw / (np.linalg.norm(raw) or 1.0))


class WeighedWords(NamedTuple):
    """Where words of a vocabulary stand in a text, and the numbers of those that occur, with counts and weights."""

    starts: Ints
    ends: Ints
    occurring: Ints
    counts: Counter[int]
    numbers: Ints
    weights: Floats


WordsOfLine = tuple[tuple[int, int, str], ...]


def lines_of_words() -> Lines[WordsOfLine]:
    """The reader of the words of a text that changes."""
    return Lines(lambda line: tuple((*match.span(), match[0].lower()) for match in _TEXT_WORD.finditer(line)))


def _cover(text: str) -> NDArray[np.bool_]:
    """By character, whether it belongs to a placeholder."""
    hidden = np.zeros(len(text) + 1, bool)
    for start, end in clean(text).hidden:
        hidden[start:end] = True
    return hidden
