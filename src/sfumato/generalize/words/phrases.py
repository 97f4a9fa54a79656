"""Wider wordings of the phrase around a word: left out, shortened, or with a name for anything of its kind.

For words that have no wider word of their own. Each wording is true wherever the original is: what is left out only
adds to what is said, and what stands for a phrase names anything. Where a clause negates, compares or counts out,
nothing of it is left out or widened. Which of them reads well is for the masked language model to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sfumato.annotated_text import read_once
from sfumato.generalize.context import begins_sentence
from sfumato.generalize.quantities.reading import MONTH_NAMES
from sfumato.generalize.words.base import (
    WordGeneralization,
    english_words,
    is_negated,
    is_strongly_negated,
    may_generalize,
    read_phrase_lead,
)
from sfumato.generalize.words.fluency import SentenceModel, context, fit_change
from sfumato.generalize.words.modifiers import KEPT_WORDS, NEED_A_MODIFIER, is_kept_modifier, is_part_of_term
from sfumato.lexicon import tables, wordnet
from sfumato.lexicon.grammar import TextRange, enclosing_sentences, sentence_ranges
from sfumato.lexicon.grammar_en import (
    ADVERBS,
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    PRONOUNS,
    indefinite_article,
    is_plural,
    word_classes,
)
from sfumato.lexicon.numbers import read_number

LEAST_BESIDE = -1.5
"""A wording is refused where the words beside it become less likely than this, in ln p."""
LEAST_INSIDE = -11.0
"""... or where its own words are less likely than this there."""
_COST_OF_WORD = 0.35
"""What leaving out one more word of the original weighs, in ln p."""
_LIKELY_GAIN = 0.5
"""What the words beside a wording seldom gain: where no more could help, a longer wording is not tried."""
_MOST_WORDS = 14
"""Words of the longest phrase that is left out."""

_TOKEN = re.compile(r"\d[\d.,:/]*\d[^\W_]*|[^\W_]+(?:[-‑'’][^\W_]+)*['’]?|[^\w\s]")
_NOT_LEFT_OUT = english_words("prepositions_not_left_out")
"""What is said without these phrases is another thing: *without*, *except*, *until*."""
_OPENS_CLAUSE = english_words("words_that_open_a_side_clause")
_KINDS: dict[str, list[str]] = tables.load_toml("word_generalization", "en")["names_for_any"]
"""Things or people -> what may stand for any one of them, and for several."""
_SINGLING_OUT = english_words("singling_out") | {"sole", "more", "less", "fewer", "than"}
_REACH = 12
"""Words before a phrase in which something may single it out."""
_NOUNS = ("singular", "plural", "name")
_MONTHS = frozenset(map(str.lower, MONTH_NAMES))
"""Their numbers are days and years."""
_LEAST_SHARE = 0.05
"""Senses that make up less of a word's uses do not count."""
_QUANTIFIERS = english_words("words_before_a_part")
"""*One of the*, *most of the*: what follows belongs to them."""
_BE = english_words("forms_of_be")
_BEFORE_NAMES = PREPOSITIONS | AUXILIARIES | english_words("words_before_a_noun_phrase")
_NOT_BEFORE_NAMES = FUNCTION_WORDS - _BEFORE_NAMES | {"as", "by"}
"""Function words after which neither "something" nor "certain people" can stand."""
_SET_PHRASES = english_words("prepositions_of_set_phrases")
_BEFORE_GRADED = english_words("degree_words") | {"and", "or"}
"""A modifier after these cannot be left out alone."""
_KEPT_PARTICIPLES = english_words("kept_participles")
"""Those whose phrase cannot be left out: "known for", "based on"."""
_JOIN_NAMES = frozenset({"of", "for", "on"})
_ENDING_SIGNS = frozenset(",.;:!?)]”’\"'–—…")
"""Signs before which a phrase may end; after any other it goes on: "Article 6 § 1", "128 km/h", "the Code (Codex)"."""
_RELATIVE_PRONOUNS = frozenset({"which", "whom", "whose"})
_NUMBERED = re.compile(
    r"(?<![\w'’])(?P<noun>[^\W\d_]+)\s+(?:[Nn][or]s?\.?\s*)?(?P<number>\d[\w./()-]*(?:\s*§+\s*\d[\w()]*)*)"
)


class _Token(NamedTuple):
    start: int
    end: int
    text: str

    @property
    def lowered(self) -> str:
        return self.text.lower().replace("’", "'")

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum()


def reword(text: str, start: int, end: int, model: SentenceModel) -> list[WordGeneralization]:
    """The wording of the phrase around ``text[start:end]`` that is wider, true and reads best; else nothing."""
    sentence = _Sentence(text, start, end, model)
    best: tuple[float, WordGeneralization] | None = None
    seen: set[tuple[int, int, str]] = set()
    wordings = [wording for wording in sentence.wordings() if wording.start <= start and end <= wording.end]
    for wording in sorted(wordings, key=lambda wording: _words_lost(text, wording)):
        key, cost = (wording.start, wording.end, wording.text), _COST_OF_WORD * _words_lost(text, wording)
        if key in seen or (best is not None and _LIKELY_GAIN - cost < best[0]):
            continue
        seen.add(key)
        fit = fit_change(model, text, *key)
        if fit.beside < LEAST_BESIDE or fit.inside < LEAST_INSIDE:
            continue
        if best is None or fit.beside - cost > best[0]:
            best = fit.beside - cost, wording
    return [] if best is None else [best[1]]


def _words_lost(text: str, wording: WordGeneralization) -> int:
    return len(_TOKEN.findall(text[wording.start : wording.end])) - len(_TOKEN.findall(wording.text))


class _Sentence:
    """A sentence in tokens, with the place of a word in it."""

    def __init__(self, text: str, start: int, end: int, model: SentenceModel) -> None:
        self._text, self._start, self._end, self._model = text, start, end, model
        self.first, self.last = enclosing_sentences(_sentences(text), start, end)
        self._tokens = [_Token(*match.span(), match.group()) for match in _TOKEN.finditer(text, self.first, self.last)]
        self._index = next((i for i, token in enumerate(self._tokens) if token.end > start), len(self._tokens) - 1)
        self._classes: dict[int, str] = {}

    def wordings(self) -> Iterator[WordGeneralization]:
        """True wordings of the phrases around the word, in no order."""
        if not self._tokens:
            return
        yield from self._without_parenthesis()
        yield from self._unnumbered()
        yield from self._name_by_head()
        yield from self._without_side_clause()
        if self._is_singled_out():
            return
        kind = self.word_class(self._index)
        if kind in ("adjective", "adverb", "singular", "participle", "gerund"):
            yield from self._without_modifier()
        if kind in ("singular", "plural", "adjective", "participle", "gerund"):
            yield from self._noun_phrase_wordings()

    # Tokens

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

    def _is_singled_out(self) -> bool:
        """Whether the clause tells the first, the only, the best: who first sailed a raft was not the first to sail."""
        for token in reversed(self._tokens[max(0, self._index - _REACH) : self._index + 1]):
            if token.text in ",;:":
                return False
            if token.lowered in _SINGLING_OUT or (token.lowered.endswith("est") and len(token.text) > 5):
                return True
        return False

    # Parts that may be left out

    def _left_out(self, first: int, last: int, what: str) -> Iterator[WordGeneralization]:
        """Without the tokens from ``first`` to ``last`` and the blank before them."""
        start, end = self._tokens[first].start, self._tokens[last].end
        if last - first >= _MOST_WORDS or first == 0:
            return
        start = self._tokens[first - 1].end
        yield WordGeneralization("drop", start, end, "", f"{what} left out")

    def _without_parenthesis(self) -> Iterator[WordGeneralization]:
        for opening, closing in ("()", "[]"):
            first = self._text.rfind(opening, self.first, self._start)
            last = self._text.find(closing, self._end, self.last)
            if first < 0 or last < 0 or self._text.find(closing, first, self._start) >= 0:
                continue
            if self._text.find(opening, self._end, last) >= 0 or not self._text[first - 1 : first].isspace():
                continue  # nested, or part of a word or number: "24(3)"
            start = len(self._text[:first].rstrip())
            yield WordGeneralization("drop", start, last + 1, "", "parenthesis left out")

    def _without_side_clause(self) -> Iterator[WordGeneralization]:
        """ ", which ...", ", leading to ...", up to the next comma or the end of the sentence."""
        first = next((i for i in range(self._index, -1, -1) if self._tokens[i].text in ",;–—"), None)
        if first is None or first + 1 >= len(self._tokens) or self._tokens[first].text == ";":
            return
        if first and self._tokens[first - 1].lowered in PREPOSITIONS:
            return  # "access to, using and enjoying her home": what follows is governed by both
        opener = self._tokens[first + 1]
        opens = opener.lowered in _OPENS_CLAUSE
        if opener.lowered in PREPOSITIONS and opener.lowered not in _NOT_LEFT_OUT:
            opens = self._tokens[min(first + 2, len(self._tokens) - 1)].lowered in _OPENS_CLAUSE
        opens = opens or (opener.text.islower() and self.word_class(first + 1) in ("gerund", "participle"))
        if not opens or (self.word_class(first + 1) == "participle" and self._ends_apposition(first)):
            return
        last = next((i for i in range(self._index, len(self._tokens)) if self._tokens[i].text in ",;.–—:!?"), None)
        if last is None or last <= first + 1:
            return
        is_end = self._tokens[last].text in ".;!?"
        if self._tokens[last].text == "." and any(token.is_word for token in self._tokens[last + 1 :]):
            return  # the full stop of an abbreviation: "plot no. 900"
        dropped_last = last - 1 if is_end or self._tokens[last].text != "," else last
        if dropped_last < self._index or (not is_end and self._tokens[last].text != ","):
            return
        goes_on = ("number", "adjective", *_NOUNS)
        if not is_end and last + 1 < len(self._tokens) and self.word_class(last + 1) in goes_on:
            return  # its last comma is one of a list or a name: ", winning in 2001, 2002 and 2003"
        start, end = self._tokens[first - 1].end if first else self.first, self._tokens[dropped_last].end
        if dropped_last - first <= _MOST_WORDS and first:
            yield WordGeneralization("drop", start, end, "", "side clause left out")

    def _ends_apposition(self, comma: int) -> bool:
        """Whether a name stands between a comma and the one before it: "the minister, Anna Quorvex, announced"."""
        first = next((i for i in range(comma - 1, -1, -1) if self._tokens[i].text == ","), None)
        between = self._tokens[first + 1 : comma] if first is not None else []
        return bool(between) and between[0].text[0].isupper() and between[-1].text[0].isupper()

    def _without_modifier(self) -> Iterator[WordGeneralization]:
        """The word alone, before the noun or the verb that it modifies."""
        token, following = self._tokens[self._index], self._next(self._index)
        if following is None or not token.text.islower() or "'" in token.lowered or "-" in token.text:
            return
        word, kind = token.lowered, self.word_class(self._index)
        previous = self._previous(self._index)
        if is_kept_modifier(word) or word in KEPT_WORDS or word.endswith("est"):
            return
        if previous is not None and self._tokens[previous].lowered in _BEFORE_GRADED:
            return
        if kind in ("participle", "gerund") and not self._is_led(self._index):
            return  # what someone did
        if kind == "adverb":
            is_before_function_word = self.word_class(following) == "function"
            if is_negated(self._text, token.start) or not word.endswith("ly") or is_before_function_word:
                return
        else:
            noun = self._noun_after(self._index)
            if noun is None or self._tokens[noun].lowered in NEED_A_MODIFIER or self._is_said_of_all(noun):
                return
            lead = read_phrase_lead(self._text, token.start)
            if not may_generalize(self._text, token.start, self._tokens[noun].end, lead):
                return
            if self.word_class(noun) == "name" and (kind != "adjective" or lead.determiner not in DETERMINERS):
                return
            phrase = self._text[self._tokens[following].start : self._tokens[noun].end].split()
            if is_part_of_term(word, phrase):
                return
        yield self._agreeing(token.start, self._tokens[following].start, "", following, f"{kind} left out")

    def _is_said_of_all(self, noun: int) -> bool:
        """Whether something is said of all such things: "married women had to" is not "women had to"."""
        following = self._next(noun)
        lead = read_phrase_lead(self._text, self._tokens[noun].start)
        if following is None or self.word_class(noun) != "plural" or lead.is_definite:
            return False
        word = self._tokens[following].lowered
        is_subject = word in AUXILIARIES or self.word_class(following) in ("verb", "past", "participle", "gerund")
        return is_subject or word in ("who", "which", "that")

    def _agreeing(self, start: int, end: int, wording: str, following: int, reason: str) -> WordGeneralization:
        """With "a" or "an" before it as what follows it asks."""
        previous = self._previous(self._index)
        if previous is not None and self._tokens[previous].lowered in ("a", "an"):
            article = self._tokens[previous]
            wanted = indefinite_article(self._text[self._tokens[following].start : self._tokens[following].end])
            if wanted != article.lowered:
                wanted = wanted.capitalize() if article.text[0].isupper() else wanted
                return WordGeneralization("drop", article.start, end, f"{wanted} {wording}", reason)
        return WordGeneralization("drop", start, end, wording, reason)

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

    # Numbers of articles, and names

    def _unnumbered(self) -> Iterator[WordGeneralization]:
        """ "Under Article 505" -> "under an Article", "plot no. 937" -> "a plot"."""
        for match in _NUMBERED.finditer(self._text, max(self.first, self._start - 40), min(self.last, self._end + 40)):
            if not (match.start() <= self._start and self._end <= match.end()):
                continue
            noun = match["noun"]
            if noun.lower() in FUNCTION_WORDS or not wordnet.lookup_form(noun) or is_negated(self._text, match.start()):
                continue
            if noun.lower() in _MONTHS or self._text[match.end() : match.end() + 1].isalnum():
                continue
            if re.match(r"\s*(?:,|and|or|to|–|-)\s*\d", self._text[match.end() : match.end() + 8]):
                continue
            index = next(i for i, token in enumerate(self._tokens) if token.end > match.start())
            if self.word_class(index) not in _NOUNS and not begins_sentence(self._text, match.start()):
                continue  # "winning 23 races"
            previous = self._previous(index)
            word = self._tokens[previous].lowered if previous is not None else ""
            end = match.end() - (match.group().endswith((".", ")")) and not match.group().count("("))
            if previous is not None and (word in DETERMINERS or self.word_class(previous) in ("adjective", "name")):
                if word == "the" or word not in DETERMINERS:
                    yield WordGeneralization("drop", match.end("noun"), end, "", "number left out")
                continue
            article = "certain" if is_plural(noun.lower()) else indefinite_article(noun)
            if index == 0:
                article = article.capitalize()
            if not (self._start < match.end("noun")):
                yield WordGeneralization("drop", match.start(), end, f"{article} {noun}", "number left out")

    def _name_by_head(self) -> Iterator[WordGeneralization]:
        """ "The Military Service Act" -> "the Act", "the Code of Civil Procedure" -> "the Code"."""
        if not self._tokens[self._index].text[0].isupper():
            return
        first = last = self._index
        while (previous := self._previous(first)) is not None:
            joins = self._tokens[previous].lowered in _JOIN_NAMES
            before = self._previous(previous) if joins else previous
            if before is None or not self._tokens[before].text[0].isupper():
                break
            if begins_sentence(self._text, self._tokens[before].start):
                break
            first = before
        while (following := self._next(last)) is not None:
            is_compound = any(token.lowered in ("of", "for", "on") for token in self._tokens[first:following])
            joins = self._tokens[following].lowered in (_JOIN_NAMES | {"and"} if is_compound else _JOIN_NAMES)
            after = self._next(following) if joins else following
            if joins and after is not None and self._tokens[after].lowered == "the":
                after = self._next(after)
            if after is None or not self._tokens[after].text[0].isupper():
                break
            last = after
        if (following := self._next(last)) is not None:
            after = self._next(following)
            is_joined = self._tokens[following].lowered in ("and", "or") and after is not None
            if is_joined and self._tokens[after or following].text[0].isupper():
                return  # "the Convention and Rule 29"
            if self.word_class(following) in ("singular", "plural", "number"):
                return
        determiner = self._previous(first)
        if last == first or determiner is None or self._tokens[determiner].lowered not in DETERMINERS:
            return
        head = next((i - 1 for i in range(first + 1, last + 1) if self._tokens[i].text[0].islower()), last)
        if head == self._index or not wordnet.lookup_form(self._tokens[head].text):
            return
        if any(is_kept_modifier(token.lowered) for token in self._tokens[first:head]):
            return  # "the Acting President" is not the President
        lead = self._tokens[determiner]
        if lead.lowered not in ("the", "a", "an", "his", "her", "its", "their"):
            return
        outer = self._previous(determiner)
        if outer is not None and self._tokens[outer].lowered in _JOIN_NAMES:
            before = self._previous(outer)
            if before is not None and self._tokens[before].text[0].isupper():
                return  # "the 1998 Act on the Legal Status of Communities"
        noun, article = self._tokens[head].text, lead.text
        if lead.lowered == "the" and self._names_another(noun, self._text[lead.end : self._tokens[last].end]):
            # "The Court" would be another court of this text.
            compound = " ".join(token.lowered for token in self._tokens[head : head + 3])
            if is_strongly_negated(self._text, lead.start) or wordnet.lookup_form(compound):
                return  # nor is the Secretary of State a secretary
            noun = noun.lower()
            article = indefinite_article(noun).capitalize() if lead.text[0].isupper() else indefinite_article(noun)
        elif lead.lowered in ("a", "an"):
            article = indefinite_article(noun)
        yield WordGeneralization(
            "hypernym", lead.start, self._tokens[last].end, f"{article} {noun}", "name without its other words"
        )

    def _names_another(self, head: str, name: str) -> bool:
        """Whether the text has another name with that head, or the head alone as a name."""
        own = " ".join(name.split())
        others = {" ".join(match.group().split()) for match in _names_with_head(head).finditer(self._text)}
        # "The Child Benefits Act" may be the Federal Child Benefits Act.
        return any(other == head or not (own.endswith(other) or other.endswith(own)) for other in others)

    # Noun phrases

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
            is_droppable = governor in PREPOSITIONS and governor not in _NOT_LEFT_OUT
            following = self._next(last)
            is_continued = following is not None and self.word_class(following) == "participle"
            if is_droppable and self._may_drop_after(before) and not is_continued and not self._is_explained(last):
                yield from self._without_prepositional_phrase(before or 0, last)
            if may_widen and self._is_whole(first, head) and last - first < _MOST_WORDS:
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
        if previous is not None and self.word_class(previous) in (*_NOUNS, "adjective", "number", "possessive"):
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

    def _is_led(self, index: int) -> bool:
        """Whether a determiner or an adjective stands before, so that a participle modifies what follows it."""
        previous = self._previous(index)
        return previous is not None and (
            self._tokens[previous].lowered in DETERMINERS or self.word_class(previous) in ("adjective", "possessive")
        )

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
            while inner is not None and self.word_class(inner) in (*_NOUNS, "adjective", "possessive", "number"):
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
        return word in (
            "of",
            "who",
            "whom",
            "whose",
            "which",
            "that",
            "to",
            "for",
            "than",
            "no",
            "nos",
        ) or self.word_class(following) in ("singular", "plural", "number", "name", "gerund")

    def _is_explained(self, last: int) -> bool:
        """Whether a clause or a name after a comma says more of what ends here: ", which ...", ", Anna Quorvex"."""
        rest = self._tokens[last + 1 : last + 5]
        if not rest or rest[0].text != ",":
            return False
        names = len(rest) > 1 and rest[1].text[0].isupper()
        return names or not _OPENS_CLAUSE.isdisjoint(token.lowered for token in rest)

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
            if before is not None and self.word_class(before) in _NOUNS:
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
        continues = self.word_class(head + 2) in (*_NOUNS, "adjective")
        return self.word_class(first - 2) in _NOUNS and "and" in rest and continues

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


_OPENING = (DETERMINERS - english_words("negative_determiners") - {"that"}) | {"another"}


def _names_with_head(head: str) -> re.Pattern[str]:
    """Words in capitals that end with a head, after "the" or in quotation marks, with what "of" adds to them."""
    capital = r"[^\W\d_a-zß-öø-ÿ][\w’'-]*"
    return re.compile(
        rf"(?:(?<=\b[Tt]he )|(?<=[“\"]))(?:{capital} )*{re.escape(head)}\b"
        rf"(?: (?:of|for|on) (?:the )?{capital}(?: (?:(?:and|of|for|on|the) )*{capital})*)?"
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
