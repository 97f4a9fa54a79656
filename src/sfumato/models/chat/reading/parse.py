"""What models really answer, read strictly: repaired where there is one way to read it, else not read at all."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from sfumato.models.chat.reading.loose_json import Value, values
from sfumato.models.chat.reading.refusals import is_refusal

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
_ESCAPE = re.compile(r"\\(?:(u[dD][89aAbB]..\\u[dD][c-fC-F]..)|(u[dD][89a-fA-F]..)|.)", re.DOTALL)
_HALF = re.compile("[\ud800-\udfff]")
_MARK = re.compile(r"[ \t]*#[ \t]*")
_TITLED = re.compile(r"[ \t]*#[ \t]+(?=\S)")
_NUMBER = re.compile(r"(?<![\w.,-])\d+(?:[.,]\d+)?(?![\w]|[.,]\d)")


@dataclass(frozen=True, slots=True)
class Strings:
    """A list of strings that an answer holds; ``cut`` where it breaks off, and has only what was complete."""

    items: list[str]
    cut: bool


def json_object(text: str) -> dict[str, Any] | None:
    """The one JSON object of an answer: alone, in a code fence, or between other words; None for anything else."""
    found = [one for one in _values(text) if isinstance(one.value, dict)]
    if len(found) != 1 or found[0].unclosed:
        return None
    return found[0].value if isinstance(found[0].value, dict) else None


def listed(text: str, key: str) -> list[Any] | None:
    """The list under ``key`` in the answer's one object; or the one list that the answer, or its one object, is."""
    found, is_cut = _listed(text, key)
    return None if is_cut else found


def strings(text: str, key: str) -> list[str] | None:
    """The same, of strings alone: stripped, without empty ones; a list of lines with hyphens or numbers will do."""
    found = strings_so_far(text, key)
    return None if found is None or found.cut else found.items


def strings_so_far(text: str, key: str) -> Strings | None:
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


def rewritten(text: str) -> str | None:
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


def rating(text: str, low: int, high: int) -> int | None:
    """The whole number from ``low`` to ``high`` that an answer gives: alone, of ``high``, in an object or a sentence.

    An answer with two different numbers gives none.
    """
    if len(text) > MOST:
        return None
    found = json_object(text)
    if found is not None:
        said = [value for value in found.values() if isinstance(value, int | float | str) and value is not True]
        numbers = [number for value in said if (number := _rating(str(value), low, high)) is not None]
        return numbers[0] if len(set(numbers)) == 1 else None
    return _rating(text, low, high)


def _rating(text: str, low: int, high: int) -> int | None:
    scale = rf"\b{low}\s*(?:to|-|–|bis|à|a|tot)\s*{high}\b|(?<=\d)\s*(?:/|out of|of|von|sur|de|su|van)\s*{high}\b"
    numbers = {float(found[0].replace(",", ".")) for found in _NUMBER.finditer(re.sub(scale, " ", text))}
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
    text = _ESCAPE.sub(_whole, text) if "\\u" in text else text
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
