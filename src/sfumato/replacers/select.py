"""Selection under attack (Pilán et al., 2025): the most specific candidate from which the original is not guessed.

The paper tries one candidate of one span at a time, in the order of the text. Here all spans of a document stand at
their most specific candidate, all are attacked at once, and each entity of which a mention was guessed climbs one
level; so on until nothing is guessed. Other spans only get vaguer on the way, so nobody is decided on less than what an
attacker of the release sees, and the last round attacks the very text that is released.

What is guessed from the bare label as well (QUANTITY_1 hides *three* no better than *several* does) need not end as
one: it stays on its widest level.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import lru_cache, partial
from itertools import pairwise
from pathlib import Path

from sfumato.attacks.inference import Guesser, first_letter_run, is_match
from sfumato.document import LABELS, Span
from sfumato.errors import InputError, suggest
from sfumato.generalize.context import word_before
from sfumato.generalize.hierarchy import Article, Level, Mention, generalize
from sfumato.generalize.sentence import RenderedText, is_grammatical, render_label, render_level
from sfumato.generalize.truth import Pair, known
from sfumato.lexicon.grammar import STOP_WORDS, content_lemmas, is_word, split_words
from sfumato.lexicon.grammar_en import DETERMINERS, PREPOSITIONS
from sfumato.lexicon.phrases import fold_phrase
from sfumato.lexicon.world import find_settlements
from sfumato.llm.chat import Chat
from sfumato.llm.parse import parse_strings
from sfumato.llm.prompt import Prompt, PromptRunner, list_schema
from sfumato.llm.usage import Usage
from sfumato.models.table_scorers import hyponyms, lookup
from sfumato.replacers.base import PROMPTS, span_question

# -- How abstract an expression is, measured: the kinds of its head noun, shared out among what its other words tell.


_SHARE = 4.0
"""So many times fewer things fit with each further word: a small city, in the north, of a country."""


def head(phrase: str) -> str:
    """The noun that says what kind of thing it is: *city* of "a large city in Poland"."""
    found = [word for word in _core(phrase) if word.lower() not in DETERMINERS]
    return found[-1] if found else phrase.strip()


def width(phrase: str) -> float:
    """About how many kinds of things fall under the phrase; 1 for a name, and less the more it is narrowed."""
    telling = [word for word in split_words(phrase) if word.lower() not in STOP_WORDS["en"]]
    below = lookup(head(phrase).lower(), hyponyms("noun"), "noun")
    return ((below or 0) + 1) / _SHARE ** max(0, len(telling) - 1)


def merged(hierarchy: Sequence[Level], offered: Sequence[Level]) -> list[Level]:
    """Both in one order of width. The hierarchy's own order holds: what its tables count is surer than a taxonomy."""
    known = {level.text.casefold() for level in hierarchy}
    placed, widest = list[tuple[float, Level]](), 0.0
    for level in hierarchy:
        widest = max(widest, width(level.text))
        placed.append((widest, level))
    placed += [(width(level.text), level) for level in offered if level.text.casefold() not in known]
    return [level for _, level in sorted(placed, key=lambda item: item[0])]


def _core(phrase: str) -> list[str]:
    found: list[str] = []
    for word in split_words(phrase):
        if word.lower() in PREPOSITIONS and found:
            break
        found.append(word)
    return found


# -- A hierarchy from a user's own table: one line a term, with what is true of it from most specific to most generic.
#
# A CSV file with the columns ``term``, ``levels`` (separated by semicolons) and, if wanted, ``label``:
# ``Northgate Clinic,a private clinic in the north;a private clinic;a medical institution,ORG``.


_COLUMNS = ("term", "levels")


class UserTable:
    """What a user says about their own terms. It goes before our tables."""

    def __init__(self, path: str | Path) -> None:
        self._levels: dict[tuple[str, str], list[Level]] = {}
        self._name = Path(path).name
        try:
            with open(path, encoding="utf-8-sig", newline="") as file:
                rows = csv.DictReader(file)
                if missing := [name for name in _COLUMNS if name not in (rows.fieldnames or ())]:
                    raise InputError(
                        f"{path}: no column {missing[0]!r}: a table has the columns term, levels and label"
                    )
                for row in rows:
                    self._add(row, f"{path}, line {rows.line_num}")
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise InputError(f"{path}: cannot be read as a CSV table in UTF-8: {type(error).__name__}") from None

    def _add(self, row: dict[str, str | None], where: str) -> None:
        term, label = (row["term"] or "").strip(), (row.get("label") or "").strip()
        phrases = [phrase.strip() for phrase in (row["levels"] or "").split(";") if phrase.strip()]
        if not term or not phrases:
            raise InputError(f"{where}: a term and at least one level are needed")
        if label and label not in LABELS:
            raise InputError(f"{where}: no label {label!r}: {suggest(label.upper(), LABELS)}")
        key = (fold_phrase(term), label)
        if key in self._levels:
            raise InputError(f"{where}: the term stands in the table twice; put its levels on one line")
        self._levels[key] = [self._level(phrase, place) for place, phrase in enumerate(phrases, 1)]

    def _level(self, phrase: str, place: int) -> Level:
        article, text = article_of(phrase)
        return Level(text, float(10**place), article, source=f"table {self._name}")

    def levels(self, mention: Mention) -> list[Level]:
        key = fold_phrase(article_of(mention.surface.strip())[1])
        for form in (fold_phrase(mention.surface.strip()), key):
            for label in (mention.label, ""):
                if (form, label) in self._levels:
                    return self._levels[form, label]
        return []


def article_of(phrase: str) -> tuple[Article, str]:
    """The article, as a hierarchy gives it, and the phrase without it."""
    first, _, rest = phrase.partition(" ")
    match first.lower():
        case "a" | "an" if rest:
            return "a", rest
        case "the" if rest:
            return "the", rest
    return "", phrase


# -- What may stand in an entity's place: hierarchy levels, a user's tables and, where there is one, a chat model's offers.
#
# Every candidate passes the same filters, whoever offered it: it must not say the original by itself, nor name what
# another span of the document hides.


_WIDE = ("europ", "asia", "afric", "americ", "oceani", "north", "south", "east", "west", "centr", "united", "unit")
"""Beginnings of words that half a map shares: that a European court is hidden hides no continent."""
_STEM = 6
"""Letters by which a beekeeper is known in beekeeping."""
_SHORT = 3
"""Letters of what may stand in another word's place by chance."""
_NUMBER = re.compile(r"\d(?:[\d.,]*\d)?")


@dataclass(frozen=True)
class Telling:
    """What a candidate must not say: the original itself, and the names that other spans hide."""

    frequent: Set[str]
    language: str
    hidden: Set[str] = field(default_factory=frozenset)
    """Beginnings of the capitalised words in all spans that are replaced."""
    quoted: Set[str] = field(default_factory=frozenset)
    """What stands in these spans, but for what is very short."""
    _judged: dict[tuple[str, str, str], bool] = field(default_factory=dict, compare=False, repr=False)
    """Guesses already judged: round after round, an attacker says much the same."""

    @classmethod
    def of(cls, mentions: Sequence[Mention], frequent: Set[str], language: str) -> Telling:
        hidden = frozenset(start for mention in mentions for start in _starts(mention.surface))
        spaced = {_spaced(mention.surface) for mention in mentions}
        return cls(frequent, language, hidden, frozenset(said for said in spaced if len(said) > _SHORT + 2))

    def matches(self, mention: Mention, guess: str) -> bool:
        """MATCH as the attacker's success is judged, but letters in common count at the start of words alone.

        Anywhere in them, any *-tion* says any other, and what is chosen would depend on endings.
        """
        key = (mention.surface, mention.label, guess)
        if key not in self._judged:
            is_place = mention.label in ("LOC", "ORG") and _is_same_place(mention.surface, guess)
            self._judged[key] = is_place or is_match(
                *key[::2], mention.label, self.frequent, self.language, first_letter_run
            )
        return self._judged[key]

    def gives_away(self, level: Level, mention: Mention) -> bool:
        """Whether the level itself is a guess that matches, or names what is hidden elsewhere."""
        if mention.label != "DATETIME":
            if self.matches(mention, level.text):
                return True
            if _numbers(level.text) & _numbers(mention.surface):
                return True
        said = {start for form in (level.text, level.modifier or "") for start in _starts(form)}
        return bool(said & self.hidden) and mention.label != "DATETIME"

    def quotes(self, phrase: str) -> bool:
        """Whether a phrase that a model wrote, who saw the text, says what a span hides: all of it, or a name of it."""
        spaced = _spaced(phrase)
        return bool(_starts(phrase) & self.hidden) or any(said in spaced for said in self.quoted)

    def has_words_of(self, mention: Mention, phrase: str) -> bool:
        """Whether the phrase repeats a number of the mention, or the stem of a word that is not among the most used."""
        own, said = (
            {base[:_STEM] for base in content_lemmas(text, self.language) if base not in self.frequent}
            for text in (mention.surface, phrase)
        )
        return bool(own & said) or bool(_numbers(mention.surface) & _numbers(phrase))


Generalize = Callable[[Mention], Sequence[Level]]


def candidates(
    mentions: Sequence[Mention],
    tables: Sequence[UserTable],
    telling: Telling,
    offered: Sequence[Level] = (),
    generalize: Generalize = generalize,
) -> tuple[Level, ...]:
    """The candidates that all mentions of one entity share, most specific first.

    The mention that the hierarchies know best speaks for the others, which are the same thing by other words. What is
    ``offered`` by others is put among the levels.
    """
    best: Sequence[Level] = ()
    for mention in {mention.surface: mention for mention in mentions}.values():
        found = next((tuple(levels) for table in tables if (levels := table.levels(mention))), None) or generalize(
            mention
        )
        if len(found) > len(best):
            best = found
    offered = [level for level in offered if not telling.quotes(level.text)]
    return tuple(
        level for level in merged(best, offered) if not any(telling.gives_away(level, mention) for mention in mentions)
    )


@lru_cache(maxsize=2**14)
def _is_same_place(one: str, other: str) -> bool:
    """Whether they are two names of one city: Cologne and Köln."""
    return bool(set(find_settlements(one)[:1]) & set(find_settlements(other)[:1]))


def _starts(text: str) -> set[str]:
    """The first four letters of capitalised words: Turkey and Turkish are one name."""
    return {
        word[:4].casefold()
        for word in split_words(text)
        if is_word(word) and word[0].isupper() and len(word) > 3 and not word.casefold().startswith(_WIDE)
    }


def _spaced(text: str) -> str:
    return f" {' '.join(split_words(text.casefold()))} "


def _numbers(text: str) -> set[str]:
    return set(_NUMBER.findall(text))


# -- Selection under attack (Pilán et al., 2025): the most specific candidate from which the original is not guessed.


Room = tuple[int, int]
_OF_THE_FIRST = re.compile(r"['’](?:s\b)?|[^\S\n]+\w+(?=\W+\w+\W+\w)|")
"""Of what stands between two mentions: a possessive ending, or the first of three words. The rest is the second's."""


@dataclass
class Entity:
    """One thing, all its mentions, and what may stand for it; ``at`` is where it stands on its hierarchy."""

    mentions: list[int]
    candidates: tuple[Level, ...]
    label: str
    """What stands there when the hierarchy is climbed to its end."""
    named: frozenset[int] = frozenset()
    """Mentions that keep the label: the text says right there who it is."""
    at: int = 0
    guessed: list[str] = field(default_factory=list)
    """The candidates from which it was guessed, with who guessed."""


@dataclass(frozen=True, slots=True)
class Placed:
    """What stands in a mention's place, and on which level (None: the label)."""

    fitted: RenderedText
    level: int | None


class Board:
    """A document's mentions, each with its entity and the room its replacement may take."""

    def __init__(self, text: str, mentions: Sequence[Mention], entities: Sequence[Entity]) -> None:
        self.text, self.mentions, self.entities = text, mentions, entities
        self._rooms = _rooms(text, mentions)
        self._entities = {number: entity for entity in entities for number in entity.mentions}
        self._fitted: dict[tuple[int, int], Placed] = {}

    def entity_of(self, number: int) -> Entity:
        return self._entities[number]

    def placed(self, number: int) -> Placed:
        """The mention's replacement at its entity's level; where that does not fit, at the next one that does."""
        return self.placed_at(number, self._entities[number].at)

    def placed_at(self, number: int, at: int) -> Placed:
        """The mention's replacement at a level, or the next one that fits; past the last of them, the label."""
        key = (number, at)
        if key not in self._fitted:
            self._fitted[key] = self._place(number, at)
        return self._fitted[key]

    def _place(self, number: int, lowest: int) -> Placed:
        entity, mention, room = self._entities[number], self.mentions[number], self._rooms[number]
        for at in range(lowest, 0 if number in entity.named else len(entity.candidates)):
            if is_grammatical(entity.candidates[at], mention, room):
                return Placed(render_level(entity.candidates[at], mention, room), at)
        return Placed(render_label(entity.label, mention, room), None)

    def release(self) -> tuple[str, list[Span]]:
        """The text as it stands now, and where in it each mention's replacement stands."""
        return self._text_of([self.placed(number).fitted for number in range(len(self.mentions))])

    def labelled(self) -> tuple[str, list[Span]]:
        """The text with a label in each mention's place."""
        places = enumerate(zip(self.mentions, self._rooms, strict=True))
        return self._text_of([render_label(self.entity_of(at).label, *place) for at, place in places])

    def _text_of(self, replaced: Sequence[RenderedText]) -> tuple[str, list[Span]]:
        pieces, spans = list[str](), list[Span]()
        at = length = 0
        for mention, fitted in zip(self.mentions, replaced, strict=True):
            pieces += [self.text[at : fitted.start], fitted.text]
            length += fitted.start - at
            spans.append(Span(length, length + len(fitted.text), mention.label))
            length += len(fitted.text)
            at = fitted.end
        return "".join([*pieces, self.text[at:]]), spans

    def open(self) -> list[int]:
        """Mentions that stand on a level: what can be guessed, and can climb."""
        return [number for number in range(len(self.mentions)) if self.placed(number).level is not None]

    def is_widest(self, number: int) -> bool:
        """Whether only the label is left to climb to."""
        return self.placed(number).level == len(self.entity_of(number).candidates) - 1

    def climb(self, numbers: Sequence[int], why: str) -> None:
        """Let the mentions' entities climb past the levels on which they stand now; each entity once."""
        for number, placed in [(number, self.placed(number)) for number in numbers]:
            entity = self.entity_of(number)
            if placed.level is not None and entity.at <= placed.level:
                entity.guessed.append(f"guessed at level {placed.level + 1} of {len(entity.candidates)}: {why}")
                entity.at = placed.level + 1


def under_attack(board: Board, guesser: Guesser, guesses: int, telling: Telling) -> None:
    """Generalize until no mention is guessed, but for those that a label would hide no better than their widest level."""
    attack = partial(_guessed, board, guesser, guesses, telling)
    from_label = set(attack(board.labelled(), range(len(board.mentions))))
    while open_ := board.open():
        guessed = attack(board.release(), open_)
        climbing = [number for number in guessed if not (board.is_widest(number) and number in from_label)]
        if not climbing:
            return
        board.climb(climbing, guesser.name)


def _guessed(
    board: Board,
    guesser: Guesser,
    guesses: int,
    telling: Telling,
    released: tuple[str, list[Span]],
    numbers: Sequence[int],
) -> list[int]:
    """Those of the mentions whose original is among the guesses."""
    text, spans = released
    answers = guesser.guess(text, [spans[number] for number in numbers], guesses)
    return [
        number
        for number, own in zip(numbers, answers, strict=True)
        if any(telling.matches(board.mentions[number], guess.answer) for guess in own)
    ]


def most_specific(board: Board, guesser: Guesser, guesses: int, telling: Telling) -> None:
    """Leave every entity at its first candidate: no attack."""


def least_specific(board: Board, guesser: Guesser, guesses: int, telling: Telling) -> None:
    """Put every entity at its last candidate: no attack."""
    for entity in board.entities:
        entity.at = max(0, len(entity.candidates) - 1)


CHOICES: dict[str, Callable[[Board, Guesser, int, Telling], None]] = {
    "under-attack": under_attack,
    "most-specific": most_specific,
    "least-specific": least_specific,
}


def _rooms(text: str, mentions: Sequence[Mention]) -> list[Room]:
    """How far each replacement may reach. What stands between two mentions is shared out: edits never overlap."""
    borders = [
        before.end + len(_OF_THE_FIRST.match(text[before.end : after.start])[0])  # type: ignore[index]
        for before, after in pairwise(mentions)
    ]
    return list(zip([0, *borders], [*borders, len(text)], strict=True)) if mentions else []


# -- A chat model's offers of broader expressions, in the paper's one-shot form for each type (Pilán et al., 2025).
#
# Nothing that a model says is taken on trust: an offer that the tables know to be a synonym, a sibling or not true is
# dropped, and where an offer stands among the levels is measured, not read off the model's order.


OFFERS = 5
LONGEST = 120
"""Characters of a phrase."""
SHIPPED = PROMPTS / "generalize.toml"


class ChatCandidates:
    """Asks a chat model for five broader expressions of each mention, in the context of its sentence."""

    def __init__(self, chat: Chat, prompt: str | Path = SHIPPED) -> None:
        self._chat = chat
        self._prompt = Prompt.load(prompt, ("sentence", "span", "count"), shipped=PROMPTS)
        self._asking: dict[str, PromptRunner[list[str]]] = {}
        self.name = f"chat:{chat.name},prompt={self._prompt.name}"

    @property
    def usage(self) -> Usage:
        """What it cost over all types."""
        return sum((asking.usage for asking in self._asking.values()), start=Usage())

    def offer(self, mentions: Sequence[Mention]) -> list[list[Level]]:
        """What the model offers for each mention, filtered; nothing where its answer could not be read."""
        found: list[list[Level]] = [[] for _ in mentions]
        for label in dict.fromkeys(mention.label for mention in mentions):
            places = [place for place, mention in enumerate(mentions) if mention.label == label]
            answers = self._of(label).ask([span_question(mentions[place], OFFERS) for place in places])
            for place, answer in zip(places, answers, strict=True):
                found[place] = _levels(mentions[place], (answer or [])[:OFFERS], self.name)
        return found

    def _of(self, label: str) -> PromptRunner[list[str]]:
        if label not in self._asking:
            schema = list_schema("broader", {"type": "string"})
            example = label if label in self._prompt.examples else None
            self._asking[label] = PromptRunner(self._chat, self._prompt, _said, schema=schema, example=example)
        return self._asking[label]


def _said(answer: str, question: Mapping[str, str]) -> list[str] | None:
    return in_words(parse_strings(answer, "broader")) or None


def in_words(said: Sequence[str] | None) -> list[str]:
    """The phrases of an answer that can stand in a sentence: no bare numbers, and no sentences."""
    return [phrase for phrase in said or () if len(phrase) <= LONGEST and any(map(str.isalpha, phrase))]


def _levels(mention: Mention, said: Sequence[str], source: str) -> list[Level]:
    own = width(mention.surface)
    levels = [level_of(phrase, mention, source) for phrase in said]
    return [level for level in levels if level.text and not _is_ruled_out(mention, level.text) and level.members > own]


def level_of(phrase: str, mention: Mention, source: str) -> Level:
    """A model's phrase as a level. One without an article has that of the mention: "a [[beekeeper]]" takes "farmer"."""
    article, text = article_of(" ".join(phrase.split()).strip(" .,;:"))
    if not article and word_before(mention.text, mention.start)[0].lower() in ("a", "an"):
        article = "a"
    return Level(text, width(text), article, source=source)


def _is_ruled_out(mention: Mention, offered: str) -> bool:
    """Whether the tables know that it is not true, or says no less: a synonym, a sibling, another place or date."""
    found = known(Pair(mention.surface, offered, mention.label, language=mention.language))
    return found is not None and (found.truthful is False or found.abstract is False)
