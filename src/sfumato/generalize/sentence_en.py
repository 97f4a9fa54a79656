"""Renders a level in an English sentence: as a noun phrase or before a noun, with article, preposition and number."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sfumato.generalize.context import (
    APPROXIMATIONS,
    NEVER_MODIFIED,
    TIME_PREPOSITIONS,
    LeftContext,
    Substitution,
    TrimmedMention,
    is_group_adjective,
    modifies_next_noun,
    read_left_context,
    word_after,
    word_before,
    word_class,
)
from sfumato.generalize.hierarchy import Level, Mention
from sfumato.lexicon.grammar import TextRange
from sfumato.lexicon.grammar_en import (
    indefinite_article,
    is_plural,
    pluralize_phrase,
    singularize,
    singularize_phrase,
    split_after_head,
)
from sfumato.lexicon.name_lists import ORGANISATION_HEADS, given_names, is_title, lookup_key
from sfumato.lexicon.tables import word_set, words
from sfumato.lexicon.time import MONTHS
from sfumato.lexicon.tokens import alternation
from sfumato.lexicon.wordnet import lookup_form, sense_shares
from sfumato.lexicon.world import country_name_of

_PHRASE_PREPOSITION = re.compile(rf"(?:{alternation(words('sentence', 'phrase_prepositions', 'en'))})\b", re.IGNORECASE)
"""How a phrase begins that brings its own preposition."""
_RANGE = re.compile(rf"\d|{alternation(words('sentence', 'range_starts', 'en'))}", re.IGNORECASE)
"""How a level begins that says how much."""
_BOUND = re.compile(rf"\b(?:{alternation(words('sentence', 'bounds', 'en'))})\s+\Z", re.IGNORECASE)
"""Words before a value that leave no place for a range: "more than between 10 and 50"."""
_DASHES = frozenset("-‑–—")
_BEFORE_NAME = re.compile(
    rf"(?<!\w)(?:{alternation(words('sentence', 'before_names', 'en'))})[:]?[ ](?:the[ ])?[\"'“‘]?\Z", re.IGNORECASE
)
_VERBS_TAKING_A_DATE = word_set("sentence", "verbs_taking_a_date", "en")
_NOT_GOVERNING = word_set("sentence", "not_governing", "en")
_VERBS_AFTER_A_SUBJECT = word_set("sentence", "verbs_after_a_subject", "en")
_ADVERBIAL = re.compile(
    r"(?:yesterday|today|tomorrow|tonight|last|next|this|that|every|each|the (?:next|same|following|previous))\b"
    r"|.*\b(?:ago|later|earlier|before)\Z",
    re.IGNORECASE | re.DOTALL,
)
_PLURAL_DETERMINERS = word_set("sentence", "plural_determiners", "en")
_SINGULAR_DETERMINERS = word_set("sentence", "singular_determiners", "en")
_PARTS_OF_PLACES = word_set("sentence", "parts_of_places", "en")
_MONTH = "|".join(MONTHS["en"])
_PART_OF_TIME = re.compile(
    rf"\b(?:early|late|mid|mid-|(?:{alternation(words('sentence', 'parts_of_times', 'en'))}|{_MONTH}|\w+day) (?:of|in))"
    r"(?: the)?\s*\Z",
    re.IGNORECASE,
)
_MONTH_BEFORE = re.compile(rf"\b(?:{_MONTH}),? \Z", re.IGNORECASE)
_NAME_OF_LAW = re.compile(rf"\b(?:{alternation(words('sentence', 'laws_with_years', 'en'))}) \Z")
"""A year that belongs to a name: the Housing Act [1996]."""
_DURATION_MODIFIER = re.compile(r"\w-(?:second|minute|hour|day|week|month|year|decade)(?:-old)?\Z")
_DURATION = re.compile(r"(?P<count>[\w-]+) (?P<unit>seconds|minutes|hours|days|weeks|months|years|decades)")
_BETWEEN = re.compile(r"between (\d[\d,.]*) and (\d[\d,.]*(?: \w+){0,2})")
_HOUSE_NUMBER = re.compile(r"(?<!\d)\d{1,3}[A-Za-z]? \Z")
"""Before a street: "number 9 [Tannery Close]"."""
_NAME_BEFORE = re.compile(r"(?<![\w.])(?P<first>[^\W\d_a-z][\w’'-]*)\.?(?: [^\W\d_a-z][\w.’'-]*){1,4}, \Z")
_LONGEST_NAME = 60
_ENDS_PHRASE = re.compile(r"[.,;)]|\s*(?:\n|\Z)")
_SIGNS_JOINED_TO_NUMBERS = frozenset("#@_$€£.")
_JOINED_TO_NAME = re.compile(rf"[-‑](?:{alternation(words('sentence', 'joined_to_names', 'en'))})\b")


def render(level: Level, mention: Mention, trimmed: TrimmedMention, limits: TextRange) -> Substitution:
    """The level in an English sentence."""
    before, after = mention.text[max(0, trimmed.start - 1) : trimmed.start], mention.text[trimmed.end : trimmed.end + 1]
    if before.isalnum() or after.isalnum():
        # Half a word is left beside it: no phrase is grammatical there.
        return Substitution(trimmed.start, trimmed.end, level.text, trimmed.possessive, is_grammatical=False)
    return _EnglishSentence(level, mention, trimmed, read_left_context(mention, trimmed, limits), limits).render()


def with_agreeing_article(substitution: Substitution, mention: Mention, limits: TextRange) -> Substitution:
    """The substitution with the "a" or "an" before it replaced where it does not agree."""
    word, word_start = word_before(mention.text, substitution.start)
    article = indefinite_article(substitution.text)
    is_wrong = word.lower() in ("a", "an") and word.lower() != article
    if not is_wrong or substitution.start != mention.start or word_start < limits[0]:
        return substitution
    article = article.capitalize() if word[0].isupper() else article
    return replace(substitution, start=word_start, text=f"{article} {substitution.text}")


@dataclass(frozen=True, slots=True)
class _EnglishSentence:
    """A level and the sentence it is rendered in."""

    level: Level
    mention: Mention
    trimmed: TrimmedMention
    left: LeftContext
    limits: TextRange

    @property
    def core(self) -> str:
        """What the mention says, without its own article, preposition and possessive ending."""
        return self.mention.text[self.left.core_start : self.trimmed.end - len(self.trimmed.possessive)]

    @property
    def is_time(self) -> bool:
        return self.mention.label == "DATETIME"

    def render(self) -> Substitution:
        text, start, end = self.mention.text, self.trimmed.start, self.trimmed.end
        before, after = text[max(0, start - 1) : start], text[end : end + 2]
        # A hyphen between two years is a dash.
        is_joined = re.match(r"[-‑]\w", after) and not after[1:].isdigit()
        if is_joined or (before in ("-", "‑") and not text[max(0, start - 2) : start - 1].isdigit()):
            return self._render_hyphenated()
        has_possessive = self.trimmed.possessive or after[:1] in ("'", "’")
        if not has_possessive and self._is_attributive():
            return self._render_before_noun()
        phrase, is_phrase_plural = self._in_number_of_original()
        substitution = self._with_preposition_and_article(phrase, is_phrase_plural)
        is_joined_to_sign = before in _SIGNS_JOINED_TO_NUMBERS and not substitution.text[:1].isdigit()
        if is_joined_to_sign or self._is_part_cut_out() or self._stands_as_name():
            substitution = replace(substitution, is_grammatical=False)
        if self._is_office_of_person() and substitution.text.startswith(("a ", "an ")):
            substitution = replace(substitution, text=f"of {substitution.text}")
        return self._with_possessive(substitution, is_phrase_plural)

    def _is_part_cut_out(self) -> bool:
        """Whether a word before cuts a part out of the original, which something wider need not have.

        "northern [Cyprus]" is not northern Western Asia, "late [1993]" not the late 1990s; a title needs a name.
        """
        previous = self.left.previous_word
        if self.mention.label == "LOC":
            has_number = _HOUSE_NUMBER.search(self.mention.text, max(0, self.trimmed.start - 8), self.trimmed.start)
            return previous.lower() in _PARTS_OF_PLACES or has_number is not None
        if self.mention.label == "PERSON":
            return is_title(previous)
        if not self.is_time:
            return False
        text, start = self.mention.text, self.trimmed.start
        lead = text[max(0, start - 30) : start]
        is_year = re.match(r"[12]\d\d\d\b", text[start : self.trimmed.end]) is not None
        is_in_name = is_year and _NAME_OF_LAW.search(lead) is not None
        return (
            _PART_OF_TIME.search(lead) is not None or (is_year and _MONTH_BEFORE.search(lead) is not None) or is_in_name
        )

    def _stands_as_name(self) -> bool:
        """Whether the mention is given as a name: "a chip shop called [Hadley's]" is not called a shop."""
        is_name = not self.is_time and any(map(str.isupper, self.core))
        lead = self.mention.text[max(0, self.trimmed.start - 24) : self.trimmed.start]
        return is_name and (_BEFORE_NAME.search(lead) is not None or self._follows_its_kind(lead))

    def _follows_its_kind(self, lead: str) -> bool:
        """Whether a noun says what the mention is the name of: "in the film [Endless Barns]"."""
        previous = lead.rpartition(" ")[0].rpartition(" ")[2] if lead.endswith(" ") else ""
        is_word = len(previous) > 2 and previous.isalpha() and previous.islower()
        is_noun = is_word and (word_class(previous) == "noun" or self._may_be_kind_of_work(previous))
        return is_noun and self.level.article == "a" and self.mention.label in ("ORG", "MISC")

    def _may_be_kind_of_work(self, word: str) -> bool:
        """Whether a word before a name that is no one's and no place's may be a noun: "the musical"."""
        return self.mention.label == "MISC" and word_class(word) != "function" and lookup_form(word) != ""

    def _is_office_of_person(self) -> bool:
        """Whether the mention says where a person works: "Ms Ada Kell, [Foreign Office]," is no authority herself."""
        if self.mention.label != "ORG":
            return False
        text, start, end = self.mention.text, self.trimmed.start, self.trimmed.end
        name = _NAME_BEFORE.search(text, max(0, start - _LONGEST_NAME), start)
        if name is None or not is_title(name["first"]):
            return False
        return _ENDS_PHRASE.match(text, end) is not None

    def _is_attributive(self) -> bool:
        """Whether the mention modifies the noun after it."""
        core, end = self.core, self.trimmed.end
        noun, _ = word_after(self.mention.text, end)
        has_lead = self.left.article.word != "" or self.left.has_determiner
        if self.mention.label == "PERSON" or noun == "":
            return False
        if self.mention.label == "QUANTITY" or _RANGE.match(self.level.text):
            return self.left.article.lowered in ("a", "an") and word_class(noun) != "function"
        if self.is_time:
            is_date = has_lead and not core[:1].islower() and not core.endswith("s")
            if is_date and word_class(noun) in ("noun", "verb", "adjective") and noun.lower() not in NEVER_MODIFIED:
                return True  # "the [June 2008] issue": only before a noun does a date take an article
            is_singular = has_lead and not is_plural(core.rpartition(" ")[2])
            is_duration = _DURATION_MODIFIER.search(core) is not None or is_singular
            return is_duration and modifies_next_noun(self.mention.text, end)
        is_singular = not (core.islower() and is_plural(core.rpartition(" ")[2]))
        if has_lead and is_singular and self._can_only_be_modified(noun):
            return True
        return modifies_next_noun(self.mention.text, end)

    def _can_only_be_modified(self, word: str) -> bool:
        """Whether a word of another class can, after an article and the mention, only be the noun that is modified."""
        core, class_of_word = self.core, word_class(word)
        if is_group_adjective(core):
            return class_of_word in ("noun", "adjective", "gerund")  # "an [American] former officer"
        if core[:1].isupper() and word[0].isupper():
            # "the [Rochefort] Open"
            return class_of_word in ("adjective", "verb") and lookup_key(word) not in given_names()
        # "the [London] flat"
        return class_of_word == "adjective" and self.mention.label != "ORG" and word.lower() not in NEVER_MODIFIED

    def _render_before_noun(self) -> Substitution:
        """Before a noun that the mention modifies: "the [Istanbul] bar"."""
        level = self.level
        modifier = level.modifier or self._as_modifier()
        if modifier is not None:
            return replace(self._with_existing_article(modifier), is_grammatical=not self._lacks_article(modifier))
        noun, stop = word_after(self.mention.text, self.trimmed.end)
        head = singularize(split_after_head(level.text)[0].lower()).rpartition(" ")[2]
        is_doubled = head == singularize(noun.lower())
        if is_doubled and stop <= self.limits[1] and self.trimmed.end == self.mention.end:
            is_noun_plural = is_plural(noun.lower())
            phrase = pluralize_phrase(level.text) if is_noun_plural else level.text
            wider = replace(self, trimmed=replace(self.trimmed, end=stop))
            return wider._with_preposition_and_article(phrase, is_noun_plural)
        return replace(self._with_existing_article(level.text), is_grammatical=False)

    def _lacks_article(self, modifier: str) -> bool:
        """Whether a name that needs no article is to become a noun that does: "for [Amazon] warehouse work"."""
        is_led = self.left.article.word != "" or self.left.has_determiner
        is_name = self.mention.label == "ORG" and self.core[:1].isupper()
        noun, _ = word_after(self.mention.text, self.trimmed.end)
        return is_name and not is_led and word_class(modifier.rpartition(" ")[2]) == "noun" and not is_plural(noun)

    def _as_modifier(self) -> str | None:
        """The level as it may precede a noun: an adjective, a name, a short noun; "several-month"."""
        text, label = self.level.text, self.mention.label
        if duration := _DURATION.fullmatch(text):
            return f"{duration['count']}-{singularize(duration['unit'])}"
        if between := _BETWEEN.fullmatch(text):
            return f"{between[1]} to {between[2]}"
        if text[:1].isdigit() and label != "LOC":
            return text
        if split_after_head(text)[1] or len(text.split()) > 3 or _PHRASE_PREPOSITION.match(text):
            return None
        is_name = self.level.article == "" and not self.level.plural and not text[:1].islower()
        is_adjective = word_class(text.rpartition(" ")[2]) == "adjective"
        if is_name or is_adjective or (self.is_time and self.level.article != "a"):
            return text
        if text == "country":
            return None  # a "country court" is a rural one
        if label == "LOC":
            return text if " " not in text else None
        return None if self.is_time else singularize_phrase(text)

    def _render_hyphenated(self) -> Substitution:
        """Joined by a hyphen: "[Ankara]-based", "non-[Turkish]"."""
        level, end = self.level, self.trimmed.end
        if _JOINED_TO_NAME.match(self.mention.text[end : end + 12]):
            word = level.text if level.article == "" and not level.text[:1].islower() else None
        else:
            word = level.modifier or self._as_modifier()
        substitution = self._with_existing_article(word or level.text)
        return replace(substitution, is_grammatical=word is not None and not self._is_part_cut_out())

    def _in_number_of_original(self) -> tuple[str, bool]:
        """The level's phrase in the number of the original where it is known, and whether that is the plural."""
        level, label, core = self.level, self.mention.label, self.core
        if label in ("DATETIME", "QUANTITY"):
            return level.text, level.plural
        determiner = self.left.article.lowered or (self.left.previous_word.lower() if self.left.has_determiner else "")
        if level.plural:
            is_singular = determiner in _SINGULAR_DETERMINERS - {"a", "an"}
            return (singularize_phrase(level.text), False) if is_singular else (level.text, True)
        if level.article != "a" or determiner in _SINGULAR_DETERMINERS:
            return level.text, False
        last = split_after_head(core)[0].rpartition(" ")[2]
        is_several = (
            (label == "DEM" and re.search(r"[A-Z]\w+[^siu]s\Z", last) is not None)
            # "the [Assize Courts]"
            or (singularize(last.lower()) in ORGANISATION_HEADS and last.lower() not in ORGANISATION_HEADS)
            or (last.islower() and is_plural(last))
            or determiner in _PLURAL_DETERMINERS
            or (label == "LOC" and re.search(r"\w,? (?:and|&) \w", core) is not None and not country_name_of(core))
        )
        return (pluralize_phrase(level.text), True) if is_several else (level.text, False)

    def _with_possessive(self, substitution: Substitution, is_phrase_plural: bool) -> Substitution:
        """The possessive ending that the phrase needs; one that follows the mention is replaced where it must."""
        if self.trimmed.possessive:
            ending = _possessive_ending(substitution.text, self.trimmed.possessive[0], is_phrase_plural)
            return replace(substitution, possessive=ending)
        text, end = self.mention.text, substitution.end
        existing = re.match(r"(['’])([sS]?)(?!\w)", text[end : end + 3])
        if existing is None or (not existing[2] and text[end - 1 : end] not in ("s", "S")):
            return substitution
        ending = _possessive_ending(substitution.text, existing[1], is_phrase_plural)
        if ending == existing.group() or end + len(existing.group()) > self.limits[1]:
            return substitution
        return replace(substitution, end=end + len(existing.group()), possessive=ending)

    def _with_preposition_and_article(self, phrase: str, is_phrase_plural: bool) -> Substitution:
        """The phrase with the preposition and the article it needs, given those that are there."""
        left, text, start = self.left, self.mention.text, self.trimmed.start
        article = left.article.lowered if left.article.is_fixed else self._article(phrase, is_phrase_plural)
        own_preposition = _PHRASE_PREPOSITION.match(phrase)
        preposition = left.preposition.lowered
        if not left.preposition.is_fixed:
            preposition = self._preposition(own_preposition.group().lower() if own_preposition else "")
        is_grammatical = (
            own_preposition is None
            or left.preposition.lowered != preposition
            or _BOUND.search(text, max(0, start - 20), start) is None
        )
        if self.is_time and left.previous_word.lower() in ("last", "next", "this", "every", "each", "that"):
            is_bare = re.search(r"\d", phrase) is None and (self.level.article != "the" or " " not in phrase)
            is_grammatical = is_grammatical and is_bare
        if self.mention.label == "DEM" and not left.article.word and _is_before_name(text, self.trimmed.end):
            article = ""
        return replace(self._assemble(preposition, article, phrase), is_grammatical=is_grammatical)

    def _with_existing_article(self, phrase: str) -> Substitution:
        """The phrase after the words that are there; "a" and "an" agree with it."""
        article = self.left.article.lowered
        if article in ("a", "an") and not self.left.article.is_fixed:
            article = indefinite_article(phrase)
        return self._assemble(self.left.preposition.lowered, article, phrase)

    def _assemble(self, preposition: str, article: str, phrase: str) -> Substitution:
        """Right words before the mention stay; from the first wrong one on, everything is replaced."""
        mention_start = start = self.trimmed.start
        leads = []
        for existing, wanted in ((self.left.preposition, preposition), (self.left.article, article)):
            is_outside = existing.word != "" and existing.start < mention_start
            if is_outside and existing.lowered != wanted and start == mention_start:
                start = existing.start
            if wanted and (not is_outside or start < mention_start):
                leads.append(wanted)
        return Substitution(start, self.trimmed.end, " ".join([*leads, phrase]), self.trimmed.possessive)

    def _preposition(self, own_preposition: str) -> str:
        """The preposition before a phrase that may bring one of its own."""
        existing, wanted = self.left.preposition.lowered, self.level.preposition
        if existing in APPROXIMATIONS:
            return "" if own_preposition else existing
        if " " in existing:  # "at about 9 p.m.": what replaces a clock time takes no "at"
            return "" if own_preposition else existing.rpartition(" ")[2] if self.is_time else existing
        if own_preposition and existing and (self.is_time or own_preposition in TIME_PREPOSITIONS):
            return ""
        if wanted in TIME_PREPOSITIONS and existing and existing != "during":
            return wanted
        if wanted is not None and not existing and self.is_time and not own_preposition and self._is_adverbial():
            return wanted
        return existing

    def _is_adverbial(self) -> bool:
        """Whether a time has no preposition, as in "he left yesterday" and "born 6 May 1993"."""
        text, left = self.mention.text, self.left
        following = word_after(text, self.trimmed.end)[0].lower()
        if left.has_determiner or following in _VERBS_AFTER_A_SUBJECT:
            return False
        previous = left.previous_word.lower()
        class_of_previous = word_class(previous or "x")
        is_after_verb = previous == "born" or class_of_previous in ("participle", "past", "verb")
        if is_after_verb and not left.article.word and previous not in _VERBS_TAKING_A_DATE:
            return True
        if class_of_previous == "function" and previous not in _NOT_GOVERNING:
            return False
        return _ADVERBIAL.match(text[self.trimmed.start : self.trimmed.end]) is not None

    def _article(self, phrase: str, is_phrase_plural: bool) -> str:
        """The article before the phrase."""
        existing, label = self.left.article.lowered, self.mention.label
        wanted: str = self.level.article
        if wanted == "a":
            is_head_plural = is_plural(split_after_head(phrase)[0].rpartition(" ")[2])
            wanted = "" if is_phrase_plural or is_head_plural else indefinite_article(phrase)
        if not existing:
            is_bare = self.left.has_determiner or (self.is_time and self._is_in_range()) or self._names_person_bare()
            return "" if is_bare else wanted
        if existing == "the":
            is_name = not is_phrase_plural and not phrase[:1].islower()
            if wanted == "" and (is_name or _PHRASE_PREPOSITION.match(phrase)) and label in ("LOC", "DATETIME"):
                return ""
            return wanted if wanted in ("a", "an") and self._has_article_by_name() else "the"
        if wanted == "" and not is_phrase_plural and is_group_adjective(phrase.rpartition(" ")[2]):
            return indefinite_article(phrase)  # "an [Irishman]": "a European"
        return wanted

    def _has_article_by_name(self) -> bool:
        """Whether "the" belongs to a name: "the Netherlands", and an organisation that was not named before."""
        label = self.mention.label
        if label == "ORG":
            return self.core[:1].isupper() and self.mention.text.find(self.core, 0, self.left.core_start) < 0
        return label == "LOC" and (self.core[:1].isupper() or country_name_of(self.core) is not None)

    def _names_person_bare(self) -> bool:
        """Whether one person is named by a common noun without an article, as notes do: "(wife, 89)", "as director"."""
        noun = split_after_head(self.core)[0].rpartition(" ")[2]
        shares = sense_shares(noun) if self.mention.label == "DEM" and not is_plural(noun.lower()) else ()
        return bool(shares) and shares[0][0].field == "person" and shares[0][0].name.islower()

    def _is_in_range(self) -> bool:
        """Whether a dash without spaces joins the time to another: "1933–37"."""
        text, start, end = self.mention.text, self.trimmed.start, self.trimmed.end
        return text[end : end + 1] in _DASHES or text[max(0, start - 1) : start] in _DASHES


def _is_before_name(text: str, end: int) -> bool:
    """Whether a name follows that the mention is the title of: "[police officer] Ahmet"."""
    word, _ = word_after(text, end)
    return word[:1].isupper() and word_class(word) == "noun"


def _possessive_ending(phrase: str, sign: str, is_phrase_plural: bool) -> str:
    last = phrase.rpartition(" ")[2]
    return sign if last.endswith("s") and (is_phrase_plural or is_plural(last)) else f"{sign}s"
