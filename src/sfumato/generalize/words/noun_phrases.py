"""Wider wordings of a noun phrase: left out with its preposition, or with a name for anything of its kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sfumato.annotated_text import read_once
from sfumato.generalize.context import begins_sentence
from sfumato.generalize.words.base import (
    WordGeneralization,
    english_words,
    is_negated,
    may_generalize,
    read_phrase_lead,
)
from sfumato.generalize.words.fluency import SentenceModel, context
from sfumato.generalize.words.modifiers import NEED_A_MODIFIER
from sfumato.lexicon import tables, wordnet
from sfumato.lexicon.grammar import TextRange, enclosing_sentences, sentence_ranges
from sfumato.lexicon.grammar_en import (
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    PRONOUNS,
    is_plural,
    word_classes,
)
from sfumato.lexicon.numbers import read_number

MOST_WORDS = 14
"""Words of the longest phrase that is left out."""
NOT_LEFT_OUT = english_words("prepositions_not_left_out")
"""What is said without these phrases is another thing: *without*, *except*, *until*."""
OPENS_CLAUSE = english_words("words_that_open_a_side_clause")
NOUNS = ("singular", "plural", "name")
_QUANTIFIERS = english_words("words_before_a_part")
"""*One of the*, *most of the*: what follows belongs to them."""
_BE = english_words("forms_of_be")
_BEFORE_NAMES = PREPOSITIONS | AUXILIARIES | english_words("words_before_a_noun_phrase")
_NOT_BEFORE_NAMES = FUNCTION_WORDS - _BEFORE_NAMES | {"as", "by"}
"""Function words after which neither "something" nor "certain people" can stand."""
_SET_PHRASES = english_words("prepositions_of_set_phrases")
_KEPT_PARTICIPLES = english_words("kept_participles")
"""Those whose phrase cannot be left out: "known for", "based on"."""
_ENDING_SIGNS = frozenset(",.;:!?)]”’\"'–—…")
"""Signs before which a phrase may end; after any other it goes on: "Article 6 § 1", "128 km/h", "the Code (Codex)"."""
_CONTINUING = frozenset("of who whom whose which that to for than no nos".split())
_RELATIVE_PRONOUNS = frozenset({"which", "whom", "whose"})

_KINDS: dict[str, list[str]] = tables.load_toml("word_generalization", "en")["names_for_any"]
"""Things or people -> what may stand for any one of them, and for several."""
_LEAST_SHARE = 0.05
"""Senses that make up less of a word's uses do not count."""
_OPENING = (DETERMINERS - english_words("negative_determiners") - {"that"}) | {"another"}

TOKEN = re.compile(r"\d[\d.,:/]*\d[^\W_]*|[^\W_]+(?:[-‑'’][^\W_]+)*['’]?|[^\w\s]")


class Token(NamedTuple):
    start: int
    end: int
    text: str

    @property
    def lowered(self) -> str:
        return self.text.lower().replace("’", "'")

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum()


class TaggedSentence:
    """A sentence in tokens, with the place of a word in it."""

    def __init__(self, text: str, start: int, end: int, model: SentenceModel) -> None:
        self._text, self._start, self._end, self._model = text, start, end, model
        self.first, self.last = enclosing_sentences(_sentences(text), start, end)
        self._tokens = [Token(*match.span(), match.group()) for match in TOKEN.finditer(text, self.first, self.last)]
        self._index = next((i for i, token in enumerate(self._tokens) if token.end > start), len(self._tokens) - 1)
        self._classes: dict[int, str] = {}

    def word_class(self, index: int) -> str:
        """Of a token: "function", "sign", "number", "name", or as the model reads it where the lists leave it open."""
        if index not in self._classes:
            self._classes[index] = self._read_class(index)
        return self._classes[index]

    def _read_class(self, index: int) -> str:
        token = self._tokens[index]
        word = token.lowered
        if not token.is_word:
            return "sign"
        is_abbreviated = word in ("no", "nos") and self._text[token.end : token.end + 1] == "."
        if token.text[0].isdigit() or is_abbreviated or read_number(word) is not None:
            return "number"
        if word in FUNCTION_WORDS and not (token.text.isupper() and len(word) > 1):
            return "function"
        if word.endswith(("'s", "s'")):
            return "possessive"
        if token.text[0].isupper() and not begins_sentence(self._text, token.start):
            return "name"
        possible = _possible_classes(word)
        if len(possible) == 1:
            return next(iter(possible))
        if index and self._tokens[index - 1].lowered == "to" and "verb" in possible and not self._next(index):
            return "verb"  # "it cost 4,000 pounds to build."
        shares = self._model.class_shares(*context(self._text, token.start, token.end))
        return max(possible or shares, key=lambda name: shares.get("verb" if name == "third" else name, 0.0))

    def _is_adjacent(self, left: int) -> bool:
        """Whether only a blank separates a token from the next."""
        between = self._text[self._tokens[left].end : self._tokens[left + 1].start]
        return between != "" and between.isspace() and "\n" not in between

    def _next(self, index: int) -> int | None:
        return index + 1 if index + 1 < len(self._tokens) and self._is_adjacent(index) else None

    def _previous(self, index: int) -> int | None:
        return index - 1 if index > 0 and self._is_adjacent(index - 1) else None

    def _noun_after(self, index: int) -> int | None:
        """The last noun of the phrase that goes on after a modifier."""
        noun, current = None, self._next(index)
        while current is not None and self.word_class(current) in ("singular", "plural", "adjective", "name"):
            if self.word_class(current) != "adjective":
                noun = current
            elif noun is not None:
                break
            current = self._next(current)
        return noun

    def _is_led(self, index: int) -> bool:
        """Whether a determiner or an adjective stands before, so that a participle modifies what follows it."""
        previous = self._previous(index)
        return previous is not None and (
            self._tokens[previous].lowered in DETERMINERS or self.word_class(previous) in ("adjective", "possessive")
        )


@read_once
def _sentences(text: str) -> list[TextRange]:
    return sentence_ranges(text)


def _possible_classes(word: str) -> frozenset[str]:
    """The classes that the lists allow; empty where they do not know the word."""
    possible: set[str] = set()
    listed = word_classes().get(word)
    if listed:
        possible.add(listed)
    if wordnet.lookup_form(word) and (listed is None or _is_mostly_noun(word)):
        possible.add("plural" if is_plural(word) else "singular")
    for forms in wordnet.verb_readings(word).values():
        for form in forms:
            possible.add({"base": "verb", "ing": "gerund"}.get(form, form))
    if "past" in possible or "participle" in possible:
        possible |= {"past", "participle"}
    if word in ADVERBS or word in PRONOUNS:
        possible.add("function")
    return frozenset(possible)


def _is_mostly_noun(word: str) -> bool:
    return any(share > 0 for _, share in wordnet.sense_shares(word))


class NounPhrases(TaggedSentence):
    """A sentence with the noun phrases around the word."""

    def _left_out(self, first: int, last: int, what: str) -> Iterator[WordGeneralization]:
        """Without the tokens from ``first`` to ``last`` and the blank before them."""
        if first > 0 and last - first < MOST_WORDS:
            start, end = self._tokens[first - 1].end, self._tokens[last].end
            yield WordGeneralization("drop", start, end, "", f"{what} left out")

    def _noun_phrase_wordings(self) -> Iterator[WordGeneralization]:
        phrase = self._noun_phrase(self._index)
        if phrase is None:
            return
        first, head = phrase
        lasts = self._ends(head)
        yield from self._without_conjunct(first, head)
        lead = read_phrase_lead(self._text, self._tokens[head].start)
        may_widen = may_generalize(self._text, self._tokens[head].start, self._tokens[head].end, lead)
        before = self._previous(first)
        governor = self._tokens[before].lowered if before is not None else ""
        for last in lasts:
            if self._continues(last):
                continue
            is_droppable = governor in PREPOSITIONS and governor not in NOT_LEFT_OUT
            following = self._next(last)
            is_continued = following is not None and self.word_class(following) == "participle"
            if is_droppable and self._may_drop_after(before) and not is_continued and not self._is_explained(last):
                yield from self._without_prepositional_phrase(before or 0, last)
            if may_widen and self._is_whole(first, head) and last - first < MOST_WORDS:
                start, end = self._tokens[first].start, self._tokens[last].end
                for name in self._names_for(head):
                    shown = name.capitalize() if first == 0 and self._text[start].isupper() else name
                    yield WordGeneralization("rephrase", start, end, shown, "name for anything")

    def _without_prepositional_phrase(self, first: int, last: int) -> Iterator[WordGeneralization]:
        """Together with the commas that enclose it; none where one comma alone would stay."""
        has_comma = first > 0 and self._tokens[first - 1].text == ","
        following = self._tokens[last + 1].text if last + 1 < len(self._tokens) else "."
        if not has_comma:
            yield from self._left_out(first, last, "prepositional phrase")
        elif following in ",.;!?":
            yield from self._left_out(first - 1, last, "prepositional phrase")

    def _noun_phrase(self, index: int) -> tuple[int, int] | None:
        """The first token and the head of the phrase that a noun or its modifier belongs to."""
        head = index if self.word_class(index) in ("singular", "plural") else None
        after = self._noun_after(index)
        if after is not None and (head is None or self.word_class(self._next(index) or index) != "adjective"):
            head = after
        if head is None or self.word_class(head) == "name":
            return None
        first = index
        while (previous := self._previous(first)) is not None:
            kind, word = self.word_class(previous), self._tokens[previous].lowered
            if word in DETERMINERS:
                return (previous, head) if word in _OPENING else None
            if kind not in ("adjective", "singular", "possessive", "number", "name", "participle"):
                break
            if kind == "participle" and (self._previous(previous) is None or not self._is_led(previous)):
                break
            if kind == "name" and self.word_class(first) == "number":
                break
            first = previous
        return first, head

    def _is_whole(self, first: int, head: int) -> bool:
        """Whether nothing before the phrase belongs to it: no "both", no "and", and no noun that lacks its article."""
        previous = self._previous(first)
        word = self._tokens[previous].lowered if previous is not None else ""
        if word in _QUANTIFIERS or word in _NOT_BEFORE_NAMES or word in _BE:
            return False
        before = self._previous(previous) if previous is not None and word in ("and", "or") else None
        if before is not None and self.word_class(before) in ("adjective", "participle", "number"):
            return False  # "your personal and domestic circumstances"
        if previous is not None and self.word_class(previous) in (*NOUNS, "adjective", "number", "possessive"):
            return False
        if self._tokens[head].lowered in NEED_A_MODIFIER:
            return False
        counted = self._previous(previous) if previous is not None and word == "of" else None
        if counted is not None and (
            self._tokens[counted].lowered in _QUANTIFIERS or self.word_class(counted) in ("number", "function")
        ):
            return False
        has_article = self._tokens[first].lowered in DETERMINERS or self.word_class(first) == "possessive"
        if word in _SET_PHRASES and not has_article:
            return False  # "in equal shares", "under arrest"
        return has_article or self.word_class(head) == "plural" or word in PREPOSITIONS

    def _ends(self, head: int) -> list[int]:
        """Where the phrase may end: after its head unless "of" follows, and after each prepositional phrase."""
        ends = [head]
        current = self._next(head)
        for _ in range(3):
            if current is None or self._tokens[current].text not in PREPOSITIONS:
                break
            inner = self._next(current)
            while inner is not None and self._tokens[inner].lowered in DETERMINERS:
                inner = self._next(inner)
            last = None
            while inner is not None and self.word_class(inner) in (*NOUNS, "adjective", "possessive", "number"):
                last, inner = inner, self._next(inner)
            if last is None or self.word_class(last) == "adjective":
                break
            ends.append(last)
            current = inner
        return ends

    def _continues(self, last: int) -> bool:
        """Whether what follows belongs to the phrase: "of", a relative clause, "to" and a verb."""
        if last + 1 < len(self._tokens):
            sign = self._tokens[last + 1]
            if not sign.is_word and sign.text not in _ENDING_SIGNS:
                return True
        following = self._next(last)
        if following is None:
            return False
        word = self._tokens[following].lowered
        after = self._next(following)
        if word in PREPOSITIONS and after is not None and self._tokens[after].lowered in _RELATIVE_PRONOUNS:
            return True  # "land on which"
        if self._tokens[following].text[0].isupper():
            return True  # what it is called
        if word in ("and", "or", "nor"):
            return after is None or self._tokens[after].lowered not in DETERMINERS
        return word in _CONTINUING or self.word_class(following) in (*NOUNS, "number", "gerund")

    def _is_explained(self, last: int) -> bool:
        """Whether a clause or a name after a comma says more of what ends here: ", which ...", ", Anna Quorvex"."""
        rest = self._tokens[last + 1 : last + 5]
        if not rest or rest[0].text != ",":
            return False
        names = len(rest) > 1 and rest[1].text[0].isupper()
        return names or not OPENS_CLAUSE.isdisjoint(token.lowered for token in rest)

    def _may_drop_after(self, preposition: int | None) -> bool:
        """Whether a sentence that is true stays true without the prepositional phrase."""
        if preposition is None or is_negated(self._text, self._tokens[preposition].start):
            return False
        previous = self._previous(preposition)
        if previous is None:
            return False
        word = self._tokens[previous].lowered
        if (
            word in _QUANTIFIERS
            or word in _KEPT_PARTICIPLES
            or self.word_class(previous) == "function"
            or word in ";:–—("
        ):
            return False  # "while in custody", "; in other cases, the court": what follows is said of these alone
        if self.word_class(previous) in ("singular", "plural"):
            lead = read_phrase_lead(self._text, self._tokens[previous].start)
            is_of = self._tokens[preposition].lowered == "of"
            if is_of and lead.determiner == "the" and not lead.modifiers:
                return False  # "the owner", "the emergence": of what?
            if is_of and self.word_class(previous) == "singular" and lead.determiner not in DETERMINERS:
                return False  # "by virtue of", "was rookie of the year"
            return may_generalize(self._text, self._tokens[previous].start, self._tokens[previous].end, lead)
        return self.word_class(previous) != "number"

    def _without_conjunct(self, first: int, head: int) -> Iterator[WordGeneralization]:
        """ "Art and [music]" -> "art", "[art] and music" -> "music"; and items of a list that "and" ends."""
        if is_negated(self._text, self._tokens[first].start) or any(
            token.lowered in ("both", "between", "or", "respectively", "either") for token in self._tokens
        ):
            return
        previous, following = self._previous(first), self._next(head)
        sign = self._tokens[head + 1].text if head + 1 < len(self._tokens) else "."
        if previous is not None and self._tokens[previous].lowered == "and" and following is None and sign in ".;":
            before = self._previous(previous)
            if before is not None and self.word_class(before) in NOUNS:
                yield from self._left_out(previous, head, "part of a list")
        if following is not None and self._tokens[following].lowered == "and":
            after = self._next(following)
            governor = self._tokens[previous].lowered if previous is not None else ""
            is_bare = governor in PREPOSITIONS and self._tokens[first].lowered not in DETERMINERS
            if after is not None and is_bare and self.word_class(after) in ("singular", "plural"):
                start, end = self._tokens[first].start, self._tokens[after].start
                yield WordGeneralization("drop", start, end, "", "part of a list left out")
        if sign == "," and first and self._tokens[first - 1].text == "," and self._is_list(first, head):
            yield from self._left_out(first - 1, head, "part of a list")

    def _is_list(self, first: int, head: int) -> bool:
        """Whether nouns stand before the comma before and after the comma after, and "and" ends the list."""
        if first < 2 or head + 2 >= len(self._tokens):
            return False
        rest = [token.lowered for token in self._tokens[head + 2 : head + 8]]
        continues = self.word_class(head + 2) in (*NOUNS, "adjective")
        return self.word_class(first - 2) in NOUNS and "and" in rest and continues

    def _names_for(self, head: int) -> list[str]:
        """What may stand for the phrase, whatever the noun means; none where it may be a person or a thing."""
        token = self._tokens[head]
        shares = wordnet.sense_shares(token.lowered)
        fields = {concept.field for concept, share in shares if share >= _LEAST_SHARE}
        number = 1 if self.word_class(head) == "plural" else 0
        if len(fields) == 1 and (field := next(iter(fields))) in _KINDS:
            return [_KINDS[field][number]]
        is_thing = bool(fields) and fields.isdisjoint(("person", "group", "location", "time"))
        return [_KINDS["thing"][number]] if is_thing else []
