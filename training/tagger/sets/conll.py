"""WNUT17, WikiGold and the Broad Twitter Corpus: names in running text, one token a line, no word on masking."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from training.tagger.records import Mark, Record, disjoint, skeleton
from training.tagger.sets.doubt import CONTACT, NUMERIC, doubtful

KIND = {
    "person": "PERSON",
    "PER": "PERSON",
    "location": "LOC",
    "LOC": "LOC",
    "group": "ORG",
    "corporation": "ORG",
    "ORG": "ORG",
    "creative-work": "MISC",
    "product": "MISC",
    "MISC": "MISC",
}
_GLUED_LEFT = re.compile(r"^(?:[.,:;!?)\]}%…]+|'(?:s|re|ve|m|d|ll|t)?|’(?:s|re|ve|m|d|ll|t)?|n't|n’t)$", re.I)
_GLUED_RIGHT = re.compile(r"^[(\[{@#$£€]+$")

Token = tuple[str, str]


def read_wnut17(folder: Path) -> Iterator[Record]:
    for name in ("train.conll", "emerging.dev.conll", "emerging.test.annotated"):
        yield from _messages("wnut17", folder / name)


def read_btc(folder: Path) -> Iterator[Record]:
    for path in sorted(folder.glob("*.conll")):
        yield from _messages("btc", path)


def read_wikigold(folder: Path) -> Iterator[Record]:
    """Whole articles: the file marks where each begins."""
    article: list[list[Token]] = []
    number = 0
    for sentence in _sentences(folder / "wikigold.conll.txt"):
        if sentence[0][0] == "-DOCSTART-":
            yield from _article(number, article)
            number, article = number + 1, []
        else:
            article.append(sentence)
    yield from _article(number, article)


def _messages(name: str, path: Path) -> Iterator[Record]:
    for number, tokens in enumerate(_sentences(path)):
        yield _record(name, f"{path.name}-{number}", None, tokens)


def _article(number: int, sentences: list[list[Token]]) -> Iterator[Record]:
    if sentences:
        tokens = [token for sentence in sentences for token in sentence]
        yield _record("wikigold", f"article-{number}", f"article-{number}", tokens)


def _record(name: str, record_id: str, group: str | None, tokens: list[Token]) -> Record:
    text, named = rebuilt(tokens)
    marks = disjoint(text, [*named, *doubtful(text, CONTACT, NUMERIC)])
    return Record(name, record_id, group or skeleton(text), text, marks)


def _sentences(path: Path) -> Iterator[list[Token]]:
    sentence: list[Token] = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        word, _, tag = line.rstrip("\r").replace("\t", " ").rpartition(" ")
        if word.strip() and tag:
            sentence.append((word.strip(), tag))
        elif sentence:
            yield sentence
            sentence = []
    if sentence:
        yield sentence


def rebuilt(tokens: Iterable[Token]) -> tuple[str, list[Mark]]:
    """The text as people would have typed it, with the marks of its BIO or IO tags."""
    text, marks = "", list[Mark]()
    previous, open_quote, glue = "O", False, True
    for word, tag in tokens:
        closing = word == '"' and open_quote
        if not (glue or closing or _GLUED_LEFT.match(word)):
            text += " "
        start = len(text)
        text += word
        open_quote ^= word == '"'
        glue = bool(_GLUED_RIGHT.match(word)) or (word == '"' and open_quote)
        if tag != "O":
            label = KIND[tag[2:]]
            # A user name comes as two entities, "@" and the rest.
            handle = previous.endswith(tag[2:]) and text[start - 1 : start] == "@"
            if previous != "O" and marks and (handle or (tag[0] == "I" and previous[2:] == tag[2:])):
                marks[-1] = marks[-1]._replace(end=len(text))
            else:
                marks.append(Mark(start, len(text), label))
        previous = tag
    return text, marks
