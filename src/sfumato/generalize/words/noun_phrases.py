"""Wider wordings of a noun phrase: left out with its preposition, or with a name for anything of its kind."""

from __future__ import annotations

from collections.abc import Iterator

from sfumato.generalize.words.base import (
    WordGeneralization,
    english_words,
    is_negated,
    may_generalize,
    read_phrase_lead,
)
from sfumato.generalize.words.modifiers import NEED_A_MODIFIER
from sfumato.generalize.words.tagged_sentence import TaggedSentence
from sfumato.lexicon import tables, wordnet
from sfumato.lexicon.grammar_en import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
)

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
