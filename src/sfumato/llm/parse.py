"""What models really answer, read strictly: repaired where there is one way to read it, else not read at all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sfumato.llm.chat import Reply

# -- JSON as models write it: between other words, with the wrong quotes, with a comma too many, or broken off.
#
# Read from left to right once, without recursion; what could be read in two ways is not read.


DEEPEST = 50
"""Levels of nesting that anyone asks for; what goes deeper is not an answer."""
TRIES = 20
"""Places of an answer at which a value is looked for."""

_OPENS = re.compile(r"[\[{]")
_SPACE = re.compile(r"\s*")
_QUOTES = {'"': '"', "'": "'", "“": "”", "„": "“”", "‘": "’", "«": "»", "`": "`"}
_LOOSE_JSON_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")
_FRACTION = re.compile(r"[.eE]")
_LONGEST_NUMBER = 20
_WORDS = {"true": True, "True": True, "false": False, "False": False, "null": None, "None": None}
_WORD = re.compile(r"[A-Za-z]+")
_LOOSE_JSON_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_SHORT = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}


@dataclass(frozen=True, slots=True)
class Value:
    """An object or a list that stands in an answer; where it breaks off, it has what was complete."""

    value: dict[str, Any] | list[Any]
    unclosed: tuple[dict[str, Any] | list[Any], ...] = ()
    """What of it was not closed when the text ended, outermost first."""

    def is_cut(self, part: Any) -> bool:
        """Whether a part of it breaks off."""
        return any(part is one for one in self.unclosed)


class _Unreadable(Exception):
    """There is no one way to read this."""


class _End(Exception):
    """The text ends in the middle of a value."""


def values(text: str) -> list[Value]:
    """The objects and lists of an answer, outermost, in order; those of the same content once."""
    found: list[Value] = []
    for value in _all(text):
        if value not in found:
            found.append(value)
    return found


def _all(text: str) -> Iterator[Value]:
    at = 0
    for _ in range(TRIES):
        opened = _OPENS.search(text, at)
        if opened is None:
            return
        reader = _Reader(text, opened.start())
        try:
            yield reader.read()
            at = reader.at
        except _Unreadable:
            # Not the brackets inside it: they are parts of something that cannot be read.
            at = max(reader.at, opened.end())


class _Reader:
    """Reads one value. ``at``: how far it has come."""

    def __init__(self, text: str, at: int) -> None:
        self._text, self.at = text, at
        self._open: list[dict[str, Any] | list[Any]] = []
        self._keys: list[str | None] = []

    def read(self) -> Value:
        self._begin()
        whole = self._open[0]
        try:
            while self._open:
                self._step()
        except _End:
            return Value(whole, tuple(self._open))
        return Value(whole)

    def _step(self) -> None:
        """One member of the innermost open object or list, or its end."""
        inner = self._open[-1]
        mark = self._peek()
        if mark == ("}" if isinstance(inner, dict) else "]"):
            self.at += 1
            self._close()
            return
        if isinstance(inner, dict):
            self._keys[-1] = self._key()
        mark = self._peek()
        if mark in "[{":
            self._begin()
            return
        self._put(self._string() if mark in _QUOTES else self._plain())
        self._comma()

    def _begin(self) -> None:
        if len(self._open) >= DEEPEST:
            raise _Unreadable
        new: dict[str, Any] | list[Any] = {} if self._text[self.at] == "{" else []
        self.at += 1
        if self._open:
            self._put(new)
        self._open.append(new)
        self._keys.append(None)

    def _close(self) -> None:
        self._open.pop()
        self._keys.pop()
        if self._open:
            self._comma()

    def _put(self, item: Any) -> None:
        inner, key = self._open[-1], self._keys[-1]
        if isinstance(inner, list):
            inner.append(item)
        elif key is None or key in inner:
            raise _Unreadable
        else:
            inner[key] = item

    def _comma(self) -> None:
        """A comma, or none before the end of what is open: one too many there is let pass."""
        mark = self._peek()
        if mark == ",":
            self.at += 1
        elif mark not in "]}":
            raise _Unreadable

    def _key(self) -> str:
        if self._peek() not in _QUOTES:
            raise _Unreadable
        key = self._string()
        if self._peek() != ":":
            raise _Unreadable
        self.at += 1
        return key

    def _peek(self) -> str:
        found = _SPACE.match(self._text, self.at)
        self.at = found.end() if found else self.at
        if self.at >= len(self._text):
            raise _End
        return self._text[self.at]

    def _plain(self) -> Any:
        number = _LOOSE_JSON_NUMBER.match(self._text, self.at)
        if number:
            if number.end() == len(self._text):
                raise _End
            self.at = number.end()
            return _number(number[0])
        word = _WORD.match(self._text, self.at)
        if word is None or word[0] not in _WORDS:
            raise _Unreadable
        self.at = word.end()
        return _WORDS[word[0]]

    def _string(self) -> str:
        """A string: it ends with its quote, where a comma, a colon or the end of what is open comes after it."""
        opening = self._text[self.at]
        ends = _ends(_QUOTES[opening])
        at = self.at + 1
        while True:
            found = ends.search(self._text, at)
            if found is None:
                raise _End
            at = found.end()
            if found[0][0] != "\\":
                break
        said = self._text[self.at + 1 : found.start()]
        self.at = found.end()
        return _unescaped(said) if "\\" in said else said


def _number(said: str) -> Any:
    if len(said) > _LONGEST_NUMBER:
        return said
    return float(said) if _FRACTION.search(said) else int(said)


def _ends(quotes: str) -> re.Pattern[str]:
    return re.compile(rf"\\.|[{quotes}](?=\s*(?:[,:\]}}]|\Z))", re.DOTALL)


def _unescaped(said: str) -> str:
    def plain(match: re.Match[str]) -> str:
        return chr(int(match[1], 16)) if match[1] else _SHORT.get(match[2], match[2])

    # Two escaped surrogates are one character.
    return _LOOSE_JSON_ESCAPE.sub(plain, said).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# -- Answers in which a model declines, in ten languages. Written for this project.


_HEAD = 300
"""Characters of an answer in which a refusal shows."""
_SORRY = (
    r"(?:i(?:['’]m| am) (?:very |so |truly )?sorry|sorry|my apologies|i apologi[sz]e|unfortunately|regrettably"
    r"|lo siento(?: mucho)?|lo lamento|disculpa|desafortunadamente|lamentablemente"
    r"|(?:es )?tut mir(?: sehr)? leid|entschuldigung|leider"
    r"|(?:je suis )?(?:vraiment )?désolée?|malheureusement"
    r"|mi dispiace|purtroppo|(?:me )?desculpe|sinto muito|lamento|infelizmente"
    r"|het spijt me|helaas|извините|простите|к сожалению|很?抱歉|对不起|申し訳(?:ありません|ございません))"
)
_UNABLE = (
    r"(?:i (?:can ?not|can['’]t|won['’]t|will not|must decline|am unable|am not able|do not feel|don['’]t feel)"
    r"|i(?:['’]m) (?:unable|not able|not comfortable)"
    r"|no (?:puedo|me es posible)|ich (?:kann|darf)(?: \w+){0,4} nicht|(?:\w+ )?kann ich(?: \w+){0,4} nicht"
    r"|je ne (?:peux|suis) pas|non (?:posso|sono in grado)|não (?:posso|consigo)"
    r"|ik kan(?: \w+){0,4} niet|(?:\w+ )?kan ik(?: \w+){0,4} niet"
    r"|я не могу|не могу|我(?:无法|不能)|できません|いたしかねます)"
)
_SERVE = (
    r"(?:assist|help|comply|provide|fulfil+|process|share|rewrite|anonymi[sz]e|identify|continue|list|answer|complete"
    r"|support|engage|generate|respond|do that|do this|create|extract|participate|reveal|disclose"
    r"|ayudar|proporcionar|cumplir|identificar|responder|completar|helfen|weiterhelfen|bereitstellen|beantworten"
    r"|ausführen|erfüllen|aider|fournir|répondre|identifier|aiutar|fornire|rispondere|soddisfare|ajudar|fornecer|atender"
    r"|helpen|voldoen|verstrekken|помочь|предоставить|выполнить|帮助|协助|提供|满足|お手伝い|お答え|提供)"
)
_MACHINE = (
    r"(?:as an? (?:ai|artificial intelligence|(?:large )?language model)(?: (?:language )?(?:model|assistant))?\s*,"
    r"|as an? (?:ai )?(?:large )?language model"
    r"|como (?:un |uma? )?(?:modelo de (?:lenguaje|linguagem)|asistente de ia|assistente de ia|ia\s*,)"
    r"|als (?:ki|ki-modell|ki-assistent|sprachmodell|ai|ai-model|taalmodel)\b"
    r"|en tant qu(?:['’]ia\b|e modèle|['’]assistant|['’]intelligence artificielle)"
    r"|come (?:modello linguistico|intelligenza artificiale|ia\s*,)"
    r"|как (?:языковая модель|искусственный интеллект|ии\b)|作为(?:一个|一名)?(?:ai|人工智能|语言模型)|aiとして)"
)
_OPENING = r"[\s\"'“”‘’*_>#.\-]*"
_REFUSAL = re.compile(
    rf"{_OPENING}(?:"
    rf"{_MACHINE}"
    rf"|(?:{_SORRY}\W{{0,4}})?(?:but |pero |aber |mais |ma |mas |maar |но |但)?\W{{0,3}}{_UNABLE}[^\n]{{0,80}}?{_SERVE}"
    rf"|{_SORRY}\W{{0,4}}(?:but |pero |aber |mais |ma |mas |maar |но )?\W{{0,3}}{_UNABLE}[^\n]{{0,60}}$"
    rf"|{_SORRY}[^\n]{{0,40}}(?:できません|いたしかねます)"
    rf"|{_SORRY}\W*$)",
    re.IGNORECASE,
)


def is_refusal(text: str) -> bool:
    """Whether an answer begins by declining. "I'm sorry I came late" is a text; "I'm sorry, I can't help" is not."""
    return _REFUSAL.match(text[:_HEAD]) is not None


# -- What models really answer, read strictly: repaired where there is one way to read it, else not read at all.


MOST = 1_000_000
"""Characters of an answer that are looked at; a longer one is not an answer."""
MOST_REPAIRED = 200_000
"""Characters of an answer that is not JSON as it stands, in which JSON is looked for."""
CHATTER = 3
"""Lines that may stand before a list without JSON, and after it."""

_FENCE = "```"
_LONGEST_HEAD = 20
_ITEM = re.compile(r"(?:([-*•–—+])|(\d{1,3})[.)])\s+(\S.*)")
_BRACKET = re.compile(r"[\[{]")
_WRAPPED = re.compile(r"(\*\*|__|[\"'`“‘„«])(.+?)(\*\*|__|[\"'`”’“»])[,;]?")
_ESCAPED = re.compile(r"\\(?:(u[dD][89aAbB]..\\u[dD][c-fC-F]..)|(u[dD][89a-fA-F]..)|.)", re.DOTALL)
_HALF = re.compile("[\ud800-\udfff]")
_MARK = re.compile(r"[ \t]*#[ \t]*")
_TITLED = re.compile(r"[ \t]*#[ \t]+(?=\S)")
_PLAIN_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)?(?![\w]|[.,]\d)")


@dataclass(frozen=True, slots=True)
class Strings:
    """A list of strings that an answer holds; ``cut`` where it breaks off, and has only what was complete."""

    items: list[str]
    cut: bool


def parse_object(text: str) -> dict[str, Any] | None:
    """The one JSON object of an answer: alone, in a code fence, or between other words; None for anything else."""
    found = [one for one in _values(text) if isinstance(one.value, dict)]
    if len(found) != 1 or found[0].unclosed:
        return None
    return found[0].value if isinstance(found[0].value, dict) else None


def parse_list(text: str, key: str) -> list[Any] | None:
    """The list under ``key`` in the answer's one object; or the one list that the answer, or its one object, is."""
    found, is_cut = _listed(text, key)
    return None if is_cut else found


def parse_strings(text: str, key: str) -> list[str] | None:
    """The same, of strings alone: stripped, without empty ones; a list of lines with hyphens or numbers will do."""
    found = parse_partial_strings(text, key)
    return None if found is None or found.cut else found.items


def parse_partial_strings(text: str, key: str) -> Strings | None:
    """The same; of a list that breaks off its complete items, and that it does. A refusal is no list."""
    if (lines := _lines(text)) is not None:
        return Strings(lines, cut=False)
    found, is_cut = _listed(text, key)
    if found is None:
        return None
    items = [str(item) if type(item) in (int, float) else item for item in found]
    said = [item.strip() for item in items if isinstance(item, str)]
    if len(said) < len(items) or (len(said) == 1 and is_refusal(said[0])):
        return None
    return Strings([item for item in said if item], is_cut)


def parse_rewrite(text: str) -> str | None:
    """The text after the one line that is a ``#``, before which a model has thought; None where it is not clear which.

    A second such line may close the text. One that begins with ``# `` and goes on will do where there is no other.
    """
    if len(text) > MOST or is_refusal(text):
        return None
    lines = text.splitlines(keepends=True)
    marks = [at for at, line in enumerate(lines) if _MARK.fullmatch(line.rstrip("\r\n"))]
    if not marks:
        titled = [at for at, line in enumerate(lines) if _TITLED.match(line)]
        if len(titled) != 1:
            return None
        (first,) = titled
        rest = _TITLED.sub("", lines[first], count=1) + "".join(lines[first + 1 :])
    else:
        if len(marks) > 2 or (len(marks) == 2 and "".join(lines[marks[1] + 1 :]).strip()):
            return None
        rest = "".join(lines[marks[0] + 1 : marks[1] if len(marks) == 2 else None])
    said = _clean(_unfenced(rest))
    return said if said and not is_refusal(said) else None


def parse_rating(text: str, low: int, high: int) -> int | None:
    """The whole number from ``low`` to ``high`` that an answer gives: alone, of ``high``, in an object or a sentence.

    An answer with two different numbers gives none.
    """
    if len(text) > MOST:
        return None
    found = parse_object(text)
    if found is not None:
        said = [value for value in found.values() if isinstance(value, int | float | str) and value is not True]
        numbers = [number for value in said if (number := _rating(str(value), low, high)) is not None]
        return numbers[0] if len(set(numbers)) == 1 else None
    return _rating(text, low, high)


def _rating(text: str, low: int, high: int) -> int | None:
    scale = rf"\b{low}\s*(?:to|-|–|bis|à|a|tot)\s*{high}\b|(?<=\d)\s*(?:/|out of|of|von|sur|de|su|van)\s*{high}\b"
    numbers = {float(found[0].replace(",", ".")) for found in _PLAIN_NUMBER.finditer(re.sub(scale, " ", text))}
    if len(numbers) != 1:
        return None
    (number,) = numbers
    return int(number) if low <= number <= high and number == int(number) else None


def _listed(text: str, key: str) -> tuple[list[Any] | None, bool]:
    """The list, and whether it breaks off."""
    found = _values(text)
    objects = [(one, one.value) for one in found if isinstance(one.value, dict)]
    named = [(one, inner) for one, value in objects if isinstance(inner := value.get(key), list)]
    if not named and len(found) == 1:
        # What else could be meant: the answer itself, or the one thing in it.
        inner = [*found[0].value.values()] if isinstance(found[0].value, dict) else [found[0].value]
        named = [(found[0], inner[0])] if len(inner) == 1 and isinstance(inner[0], list) else []
    if len(named) != 1:
        return None, False
    ((whole, inner),) = named
    return inner, whole.is_cut(inner)


def _values(text: str) -> list[Value]:
    if len(text) > MOST:
        return []
    text = _ESCAPED.sub(_whole, text) if "\\u" in text else text
    try:
        strict = json.loads(_unfenced(text), strict=False)
    except (ValueError, RecursionError):
        strict = None
    if isinstance(strict, dict | list):
        return [Value(strict)]
    return values(text) if len(text) <= MOST_REPAIRED else []


def _whole(escape: re.Match[str]) -> str:
    """An escape of JSON, where it is no half of a character."""
    return "\\ufffd" if escape[2] else escape[0]


def _unfenced(text: str) -> str:
    """What stands in the one code fence that an answer is."""
    said = text.strip()
    head, _, rest = said.partition("\n")
    if not (said.startswith(_FENCE) and rest.endswith(_FENCE)) or rest.count(_FENCE) > 1 or len(head) > _LONGEST_HEAD:
        return text
    return rest.removesuffix(_FENCE)


def _lines(text: str) -> list[str] | None:
    """A list of lines with hyphens, bullets or numbers, with a line or two of other words before and after."""
    if len(text) > MOST or is_refusal(text):
        return None
    lines = [said for line in _unfenced(text).splitlines() if (said := line.strip())]
    items = [_ITEM.fullmatch(line) for line in lines]
    places = [at for at, item in enumerate(items) if item]
    if not places or places[-1] - places[0] + 1 != len(places):
        return None
    others = [line for line, item in zip(lines, items, strict=True) if not item]
    if max(places[0], len(lines) - 1 - places[-1]) > CHATTER or any(map(_BRACKET.search, others)):
        return None
    found = [item for item in items if item]
    if len({item[1] for item in found}) > 1:
        return None
    return [said for item in found if (said := _unwrapped(item[3]))]


def _unwrapped(item: str) -> str:
    wrapped = _WRAPPED.fullmatch(item)
    return (wrapped[2] if wrapped else item).strip()


def _clean(text: str) -> str:
    """Without halves of characters, which no file can hold."""
    return _HALF.sub("\ufffd", text).strip()


# -- Why an answer is of no use, in words that never quote it.


CUT = "the answer was cut off at max_tokens"
EMPTY = "an empty answer"
REFUSAL = "a refusal"
FORM = "not in the form asked for"


def failure_reason(reply: Reply) -> str:
    """Of a reply that could not be read, or is none."""
    if reply.failure is not None:
        return reply.failure
    if is_refusal(reply.text):
        return REFUSAL
    if reply.cut:
        return CUT
    return FORM if reply.text.strip() else EMPTY
