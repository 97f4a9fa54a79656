"""Readers of the data files shipped in ``data/``: word lists (TOML) and tables (``.txt.gz``, large ones ``.txt``).

Word lists lie in one folder per language, ``data/en/names.toml``, or in ``data/all`` when they belong to no single
language. Sources and licences of the tables: ``data/SOURCES.md``. Large tables are not compressed: to unpack one costs
more than the few lines that a short text needs of it, and the package is compressed as a whole where it is sent.
"""

from __future__ import annotations

import gzip
import json
import re
import tomllib
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib import resources
from importlib.resources.abc import Traversable
from threading import Lock
from types import MappingProxyType
from typing import Any, TypeVar, cast
from unicodedata import combining, normalize
from zlib import crc32

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")
LANGUAGE_FILES = tuple(f"{topic}.toml" for topic in "calendar detection function_words head_nouns names".split())
LANGUAGE_FILES += ("frequency.txt.gz",)
"""What a language must have in ``data/<language>``. One that lacks a file is not used, so that it changes no other."""

PARSED_FILES = "word_lists.json"
"""In the data folder of a package, written by ``training/parse_word_lists.py``."""

_LEXICON = "sfumato.lexicon"
_ALL_LANGUAGES = "all"


def load_toml(topic: str, language: str | None = None, package: str = _LEXICON) -> Mapping[str, Any]:
    """Content of ``data/<language>/<topic>.toml`` in ``package``, read-only: tables are mappings, arrays are tuples.

    Without a language the folder is ``data/all``. A missing file raises ``FileNotFoundError``; check ``languages_with``
    first where a language may lack the topic.
    """
    return _load_toml(topic, language or _ALL_LANGUAGES, package)


@cache
def _load_toml(topic: str, language: str, package: str) -> Mapping[str, Any]:
    file = _data_folder(package).joinpath(language, f"{topic}.toml")
    if not file.is_file():
        available = ", ".join(languages_with(topic, package)) or "none"
        message = f"{package} has no word list {topic!r} for language {language!r}"
        raise FileNotFoundError(f"{message} (languages that have it: {available})")
    if not _is_used(language, package):
        missing = ", ".join(missing_files(language))
        raise FileNotFoundError(f"{package} does not use language {language!r}: it lacks {missing} (docs/languages.md)")
    content = file.read_bytes()
    checksum, parsed = _parsed_files(package).get(f"{language}/{topic}", (None, {}))
    if checksum != crc32(content):
        parsed = tomllib.loads(content.decode("utf-8"))
    return MappingProxyType({key: _freeze(value) for key, value in parsed.items()})


@cache
def _parsed_files(package: str) -> Mapping[str, tuple[int, dict[str, Any]]]:
    """The word lists of a package as they were parsed when it was built, with the checksums of their files.

    Python takes a hundred times as long to parse TOML as JSON. A file that has changed since is parsed.
    """
    try:
        content = _data_folder(package).joinpath(PARSED_FILES).read_bytes()
    except FileNotFoundError:
        return {}
    return cast(Mapping[str, tuple[int, dict[str, Any]]], json.loads(content))


@cache
def languages_with(topic: str, package: str = _LEXICON) -> tuple[str, ...]:
    """Languages that have a file for ``topic``, in alphabetical order; the folder ``all`` is not among them."""
    folders = [folder for folder in _data_folder(package).iterdir() if folder.joinpath(f"{topic}.toml").is_file()]
    names = sorted(folder.name for folder in folders if folder.name != _ALL_LANGUAGES)
    return tuple(name for name in names if _is_used(name, package))


def missing_files(language: str) -> list[str]:
    """Those of ``LANGUAGE_FILES`` that a language lacks."""
    folder = _data_folder(_LEXICON).joinpath(language)
    return [file for file in LANGUAGE_FILES if not folder.joinpath(file).is_file()]


@cache
def _is_used(language: str, package: str) -> bool:
    return package != _LEXICON or language == _ALL_LANGUAGES or not missing_files(language)


def words(topic: str, key: str, language: str | None = None, package: str = _LEXICON) -> tuple[str, ...]:
    """The words under ``key`` in the order of the file; a dot in ``key`` opens a table (``titles.medical``).

    A list is an array, or one string of words separated by white space, which needs no quotes around each word.
    """
    value: Any = load_toml(topic, language, package)
    for part in key.split("."):
        value = value[part]
    return tuple(value.split()) if isinstance(value, str) else tuple(value)


@cache
def word_set(topic: str, key: str, language: str | None = None, package: str = _LEXICON) -> frozenset[str]:
    """The words under ``key`` as a set."""
    return frozenset(words(topic, key, language, package))


@cache
def words_of_all_languages(topic: str, key: str, package: str = _LEXICON) -> tuple[str, ...]:
    """The words under ``key`` in ``all`` and in every language, where they have the key; each word once."""
    of_none = [_ALL_LANGUAGES] if _data_folder(package).joinpath(_ALL_LANGUAGES, f"{topic}.toml").is_file() else []
    having = (*languages_with_key(topic, key, package), *_with_key(of_none, topic, key, package))
    return tuple(dict.fromkeys([word for folder in having for word in words(topic, key, folder, package)]))


def languages_with_key(topic: str, key: str, package: str = _LEXICON) -> tuple[str, ...]:
    """The languages whose file for ``topic`` has ``key``, which they may leave out."""
    return _with_key(languages_with(topic, package), topic, key, package)


def _with_key(folders: Iterable[str], topic: str, key: str, package: str) -> tuple[str, ...]:
    return tuple(folder for folder in folders if _has_key(load_toml(topic, folder, package), key))


@cache
def _data_folder(package: str) -> Traversable:
    return resources.files(package).joinpath("data")


def _freeze(value: Any) -> Any:
    if isinstance(value, dict):
        return MappingProxyType({key: _freeze(item) for key, item in value.items()})
    return tuple([_freeze(item) for item in value]) if isinstance(value, list) else value


def _has_key(table: Mapping[str, Any], key: str) -> bool:
    first, _, rest = key.partition(".")
    return first in table and (not rest or _has_key(table[first], rest))


def _table_bytes(table: str) -> bytes:
    folder, _, name = table.rpartition("/")
    path = _data_folder(_LEXICON).joinpath(*folder.split("/")) if folder else _data_folder(_LEXICON)
    try:
        return gzip.decompress(path.joinpath(f"{name}.txt.gz").read_bytes())
    except FileNotFoundError:
        return path.joinpath(f"{name}.txt").read_bytes()


def table_lines(table: str) -> list[str]:
    """The lines of a table: ``cities``, ``en/frequency``."""
    return _table_bytes(table).decode("utf-8").split("\n")


def table_rows(table: str) -> list[list[str]]:
    """The lines of a table, split at their tabs."""
    return [line.split("\t") for line in table_lines(table)]


def group(pairs: Iterable[tuple[_Key, _Value]]) -> Mapping[_Key, tuple[_Value, ...]]:
    """The values of each key, in their order."""
    groups: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return MappingProxyType({key: tuple(values) for key, values in groups.items()})


class SortedTable:
    """A table whose lines are sorted: a name, a tab and what is said of it.

    A name is looked up by bisection, so that loading builds nothing; where many are asked for, lines are cut first.
    Bytes of UTF-8 have the order of the characters that they stand for.
    """

    _FEW = 100

    def __init__(self, table: str) -> None:
        self._bytes = _table_bytes(table)
        self._lines: list[str] | None = None
        self._lock = Lock()
        self._asked = 0

    @property
    def lines(self) -> list[str]:
        if self._lines is None:
            with self._lock:
                if self._lines is None:
                    self._lines = self._bytes.decode("utf-8").split("\n")
                    self._bytes = b""
        return self._lines

    def get(self, name: str) -> str | None:
        """What the table says of a name; None where it does not have it."""
        key = f"{name}\t"
        line = self._first(key)
        return line[len(key) :] if line.startswith(key) else None

    def has_beginning(self, beginning: str) -> bool:
        """Whether any name begins so."""
        return self._first(beginning).startswith(beginning)

    def _first(self, key: str) -> str:
        """The first line that is not before the key; empty where there is none."""
        self._asked += 1
        is_cut = self._asked > self._FEW or self._lines is not None
        return self._first_of_lines(key) if is_cut else self._first_in_bytes(key)

    def _first_of_lines(self, key: str) -> str:
        place = bisect_left(self.lines, key)
        return self.lines[place] if place < len(self.lines) else ""

    def _first_in_bytes(self, key: str) -> str:
        content, sought = self._bytes, key.encode("utf-8", "surrogatepass")
        if not content:  # another thread has cut the lines
            return self._first_of_lines(key)
        low, high = 0, len(content)
        while low < high:
            middle = (low + high) // 2
            start = content.rfind(b"\n", low, middle) + 1 or low
            end = content.find(b"\n", middle)
            end = len(content) if end < 0 else end
            if content[start:end] < sought:
                low = end + 1
            else:
                high = start
        end = content.find(b"\n", low)
        return (content[low:] if end < 0 else content[low:end]).decode("utf-8")

    def numbers(self, name: str) -> tuple[int, ...]:
        """The numbers that an index has for a name."""
        return tuple(map(int, (self.get(name) or "").split()))

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None


@cache
def sorted_table(table: str) -> SortedTable:
    """A sorted table, loaded once."""
    return SortedTable(table)


@cache
def read_numbers(table: str) -> Mapping[str, int]:
    """Word -> number, from lines of a number, a tab and the words that have it."""
    numbers: dict[str, int] = {}
    for number, words in table_rows(table):
        numbers.update(dict.fromkeys(words.split(" "), int(number)))
    return MappingProxyType(numbers)


def frequency_key(word: str) -> str:
    """The form under which a word is listed in the tables of word frequencies."""
    return normalize("NFC", word.casefold().replace("’", "'"))


# Letters, signs and words that names are written with or without: "Gdansk" finds "Gdańsk".
_LETTERS = str.maketrans(
    {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "ı": "i", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe"}
    | {"ß": "ss", "ð": "d", "þ": "th", "ə": "e", "ħ": "h", "ŋ": "n"}
)
_MARKS = str.maketrans({"’": "'", "ʻ": "'", "‘": "'", "`": "'", "´": "'", "-": " ", "‐": " ", "–": " "})
_SPACES = re.compile(r"\s+")
_SAINT = re.compile(r"\b(?:saint|st\.)(?= )")


def to_ascii_letters(text: str) -> str:
    """The text with every letter replaced by its counterpart in the English alphabet, where there is one."""
    return text if text.isascii() else _to_ascii_letters(text)


@lru_cache(maxsize=2**12)
def _to_ascii_letters(text: str) -> str:
    return "".join(letter for letter in normalize("NFKD", text) if not combining(letter)).translate(_LETTERS)


@lru_cache(maxsize=4096)
def fold_name(name: str) -> str:
    """A name without case, accents, hyphens and article: ``fold_name("The Côte-d'Or") == "cote d'or"``."""
    folded = _SPACES.sub(" ", to_ascii_letters(name.casefold()).translate(_MARKS)).strip()
    return _SAINT.sub("st", folded).removeprefix("the ")
