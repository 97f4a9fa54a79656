"""Wider wordings of the phrase around a word: left out, shortened, or with a name for anything of its kind.

For words that have no wider word of their own. Each wording is true wherever the original is: what is left out only
adds to what is said, and what stands for a phrase names anything. Where a clause negates, compares or counts out,
nothing of it is left out or widened. Which of them reads well is for the masked language model to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

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
from sfumato.generalize.words.fluency import SentenceModel, fit_change
from sfumato.generalize.words.modifiers import KEPT_WORDS, NEED_A_MODIFIER, is_kept_modifier, is_part_of_term
from sfumato.generalize.words.noun_phrases import MOST_WORDS, NOT_LEFT_OUT, NOUNS, OPENS_CLAUSE, TOKEN, NounPhrases
from sfumato.lexicon import wordnet
from sfumato.lexicon.grammar_en import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    indefinite_article,
    is_plural,
)

LEAST_BESIDE = -1.5
"""A wording is refused where the words beside it become less likely than this, in ln p."""
LEAST_INSIDE = -11.0
"""... or where its own words are less likely than this there."""
_COST_OF_WORD = 0.35
"""What leaving out one more word of the original weighs, in ln p."""
_LIKELY_GAIN = 0.5
"""What the words beside a wording seldom gain: where no more could help, a longer wording is not tried."""

_SINGLING_OUT = english_words("singling_out") | {"sole", "more", "less", "fewer", "than"}
_REACH = 12
"""Words before a phrase in which something may single it out."""
_MONTHS = frozenset(map(str.lower, MONTH_NAMES))
"""Their numbers are days and years."""
_BEFORE_GRADED = english_words("degree_words") | {"and", "or"}
"""A modifier after these cannot be left out alone."""
_JOIN_NAMES = frozenset({"of", "for", "on"})
_BEFORE_NAMED = frozenset({"the", "a", "an", "his", "her", "its", "their"}) & DETERMINERS
_NUMBERED = re.compile(
    r"(?<![\w'’])(?P<noun>[^\W\d_]+)\s+(?:[Nn][or]s?\.?\s*)?(?P<number>\d[\w./()-]*(?:\s*§+\s*\d[\w()]*)*)"
)


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
    return len(TOKEN.findall(text[wording.start : wording.end])) - len(TOKEN.findall(wording.text))


class _Sentence(NounPhrases):
    """A sentence with all phrases around the word."""

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

    def _is_singled_out(self) -> bool:
        """Whether the clause tells the first, the only, the best: who first sailed a raft was not the first to sail."""
        for token in reversed(self._tokens[max(0, self._index - _REACH) : self._index + 1]):
            if token.text in ",;:":
                return False
            if token.lowered in _SINGLING_OUT or (token.lowered.endswith("est") and len(token.text) > 5):
                return True
        return False

    # Parts that may be left out

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
        if not first or first + 1 >= len(self._tokens) or not self._opens_side_clause(first):
            return
        last = next((i for i in range(self._index, len(self._tokens)) if self._tokens[i].text in ",;.–—:!?"), None)
        if last is None or last <= first + 1:
            return
        sign = self._tokens[last].text
        if sign == "." and any(token.is_word for token in self._tokens[last + 1 :]):
            return  # the full stop of an abbreviation: "plot no. 900"
        is_end = sign in ".;!?"
        dropped_last = last - 1 if is_end else last
        if dropped_last < self._index or (not is_end and sign != ","):
            return
        goes_on = ("number", "adjective", *NOUNS)
        if not is_end and last + 1 < len(self._tokens) and self.word_class(last + 1) in goes_on:
            return  # its last comma is one of a list or a name: ", winning in 2001, 2002 and 2003"
        if dropped_last - first <= MOST_WORDS:
            start, end = self._tokens[first - 1].end, self._tokens[dropped_last].end
            yield WordGeneralization("drop", start, end, "", "side clause left out")

    def _opens_side_clause(self, first: int) -> bool:
        """Whether a side clause begins behind a comma or a dash."""
        if self._tokens[first].text == ";" or self._tokens[first - 1].lowered in PREPOSITIONS:
            return False  # "access to, using and enjoying her home": what follows is governed by both
        opener = self._tokens[first + 1]
        opens = opener.lowered in OPENS_CLAUSE
        if opener.lowered in PREPOSITIONS and opener.lowered not in NOT_LEFT_OUT:
            opens = self._tokens[min(first + 2, len(self._tokens) - 1)].lowered in OPENS_CLAUSE
        opens = opens or (opener.text.islower() and self.word_class(first + 1) in ("gerund", "participle"))
        return opens and not (self.word_class(first + 1) == "participle" and self._ends_apposition(first))

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
            if self.word_class(index) not in NOUNS and not begins_sentence(self._text, match.start()):
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
        first = self._first_of_name()
        last = self._last_of_name(first, self._index)
        determiner = self._previous(first)
        if self._goes_on_behind_name(last) or last == first or determiner is None:
            return
        head = next((i - 1 for i in range(first + 1, last + 1) if self._tokens[i].text[0].islower()), last)
        if head == self._index or not wordnet.lookup_form(self._tokens[head].text):
            return
        if any(is_kept_modifier(token.lowered) for token in self._tokens[first:head]):
            return  # "the Acting President" is not the President
        lead = self._tokens[determiner]
        if lead.lowered not in _BEFORE_NAMED or self._is_inside_name(determiner):
            return
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

    def _first_of_name(self) -> int:
        first = self._index
        while (previous := self._previous(first)) is not None:
            joins = self._tokens[previous].lowered in _JOIN_NAMES
            before = self._previous(previous) if joins else previous
            if before is None or not self._tokens[before].text[0].isupper():
                break
            if begins_sentence(self._text, self._tokens[before].start):
                break
            first = before
        return first

    def _last_of_name(self, first: int, last: int) -> int:
        while (following := self._next(last)) is not None:
            is_compound = any(token.lowered in _JOIN_NAMES for token in self._tokens[first:following])
            joins = self._tokens[following].lowered in (_JOIN_NAMES | {"and"} if is_compound else _JOIN_NAMES)
            after = self._next(following) if joins else following
            if joins and after is not None and self._tokens[after].lowered == "the":
                after = self._next(after)
            if after is None or not self._tokens[after].text[0].isupper():
                break
            last = after
        return last

    def _goes_on_behind_name(self, last: int) -> bool:
        """Whether another name or a noun belongs to it: "the Convention and Rule 29"."""
        following = self._next(last)
        if following is None:
            return False
        after = self._next(following) if self._tokens[following].lowered in ("and", "or") else None
        is_joined = after is not None and self._tokens[after].text[0].isupper()
        return is_joined or self.word_class(following) in ("singular", "plural", "number")

    def _is_inside_name(self, determiner: int) -> bool:
        """ "The 1998 Act on [the Legal Status of Communities]"."""
        outer = self._previous(determiner)
        before = self._previous(outer) if outer is not None and self._tokens[outer].lowered in _JOIN_NAMES else None
        return before is not None and self._tokens[before].text[0].isupper()

    def _names_another(self, head: str, name: str) -> bool:
        """Whether the text has another name with that head, or the head alone as a name."""
        own = " ".join(name.split())
        others = {" ".join(match.group().split()) for match in _names_with_head(head).finditer(self._text)}
        # "The Child Benefits Act" may be the Federal Child Benefits Act.
        return any(other == head or not (own.endswith(other) or other.endswith(own)) for other in others)


def _names_with_head(head: str) -> re.Pattern[str]:
    """Words in capitals that end with a head, after "the" or in quotation marks, with what "of" adds to them."""
    capital = r"[^\W\d_a-zß-öø-ÿ][\w’'-]*"
    return re.compile(
        rf"(?:(?<=\b[Tt]he )|(?<=[“\"]))(?:{capital} )*{re.escape(head)}\b"
        rf"(?: (?:of|for|on) (?:the )?{capital}(?: (?:(?:and|of|for|on|the) )*{capital})*)?"
    )
