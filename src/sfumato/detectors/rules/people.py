"""Names of people by lexicon, title, role and initials."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sfumato.detectors.rules.name_parts import (
    NOT_INITIALS,
    NOT_SURNAMES,
    UPPER,
    KnownNames,
    NameBoundary,
    Word,
    accept_any,
    accept_none,
    name_stop_words,
    names_a_thing,
)
from sfumato.detectors.rules.patterns import any_of, word_list
from sfumato.document import Identifier, Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import ROLES, is_title
from sfumato.lexicon.tokens import lazy_pattern

_PERSONAL_TITLES = name_lists.FEMALE_TITLES | name_lists.MALE_TITLES
_TITLE_IN_SMALL_LETTERS = lazy_pattern(rf"(?i)(?<!\w)({any_of(word_list('names.lower_titles'))})\.?[ \u00a0]$")
_LAST_OF_TITLES = frozenset(title.removesuffix(".")[-1].casefold() for title in word_list("names.lower_titles"))
"""Their last letters."""
_ACRONYM = lazy_pattern(rf"['’][{UPPER}]{{2,}}$")
"""What a teacher teaches, and no name: prof d'EPS."""
_FIRST_OF_TWO_TITLES = lazy_pattern(
    rf"{any_of(word_list('names.first_of_two_titles'))}\.? {any_of(word_list('names.and'))} $"
)
_ARTICLE = lazy_pattern(rf"(?i)(?<!\w){any_of(word_list('names.articles'))}[ \u00a0]$")
_FEASTS = lazy_pattern(rf"{any_of(word_list('names.feasts'))}[ \u00a0]$")
_QUESTION_VERBS = frozenset(word_list("names.question_verbs"))
_QUESTION = lazy_pattern(r"(?:[^.!?\n]|\n(?!\s*\n)){1,200}\?")
_AFTER_COMMA = lazy_pattern(rf", ([{UPPER}][\w'’-]{{1,30}})")
_SUFFIX = lazy_pattern(rf",? {any_of(word_list('names.suffixes'))}\b\.?")


class NameFinder:
    """Finds the names in one text, then all further mentions of them.

    The methods that read a run of capitalised words return the index after the name they found, 0 where there is none.
    """

    def __init__(self, text: str, known_names: KnownNames) -> None:
        self._text = text
        self._known_names = known_names
        self._boundary = NameBoundary(text)
        self._given = name_lists.given_names()
        self._family = name_lists.family_names()
        self._common = name_lists.common_words()
        self._places = name_lists.large_places()
        self._stop = name_stop_words()
        self._spans: list[Span] = []

    def find(self, runs: Sequence[Sequence[Word]]) -> Iterator[Span]:
        for run in runs:
            self._read(run)
        return self._known_names.with_repeats(self._spans, runs)

    def _read(self, run: Sequence[Word]) -> None:
        index = 0
        while index < len(run):
            index = (
                self._read_title(run, index)
                or self._read_role(run, index)
                or self._read_initials(run, index)
                or self._read_particle(run, index)
                or self._read_known_name(run, index)
                or index + 1
            )

    def _read_title(self, run: Sequence[Word], first: int) -> int:
        """ "Mr Polat", "Dr. Anna Quorvex": whatever stands after a title is a name."""
        index = first
        while index < len(run) and is_title(run[index].key):
            index += 1
        is_personal = any(word.key.rstrip(".") in _PERSONAL_TITLES for word in run[first:index])
        start = run[first].start
        if index == first:
            start = self._start_of_title(run[0]) if index == 0 else -1
            if start < 0:
                return 0
            is_personal = True
        is_family_name = index < len(run) and run[index].key in self._family
        end = self._boundary.find_end(run, index, accept_any if is_personal or is_family_name else accept_none)
        if end == index:
            return 0
        if first_title := _FIRST_OF_TWO_TITLES.search(self._text[max(0, start - 14) : start]):
            start -= len(first_title.group())
        self._add(start, run[index:end], 0.95 if is_personal else 0.8, "direct" if end - index > 1 else None)
        return end

    def _start_of_title(self, word: Word) -> int:
        """Where a title in small letters before a word begins, -1 where there is none."""
        before = self._text[max(0, word.start - 12) : word.start]
        last = before.removesuffix("\n")[:-1].removesuffix(".")[-1:]
        title = _TITLE_IN_SMALL_LETTERS.search(before) if last.casefold() in _LAST_OF_TITLES else None
        if title is None or word.key in self._stop or _ACRONYM.search(word.text):
            return -1
        return word.start - len(before) + title.start()

    def _read_role(self, run: Sequence[Word], index: int) -> int:
        """ "Kollege Schmidt", "my colleague Smith": a known name after what someone is."""
        if run[index].key in ROLES and index + 1 < len(run):
            index += 1
        elif index or self._word_before(run[0].start) not in ROLES:
            return 0
        word = run[index]
        is_excluded = word.key in self._places or word.key in NOT_SURNAMES or is_title(word.key)
        if is_excluded or not self._boundary.is_known(word):
            return 0
        end = self._boundary.find_end(run, index, accept_any)
        self._add(word.start, run[index:end], 0.65, "direct")
        return end

    def _word_before(self, start: int) -> str:
        before = self._text[max(0, start - 16) : start]
        return before[:-1].rpartition(" ")[2] if before.endswith(" ") else ""

    def _read_particle(self, run: Sequence[Word], index: int) -> int:
        """ "Van der Berg": a name that begins with its particle."""
        if run[index].key not in name_lists.LEADING_PARTICLES or index + 1 == len(run):
            return 0
        name = run[index + 1]
        between = self._text[run[index].end : name.start].strip(" \u00a0.")
        if name.key not in self._family or name.key in self._places or (name.key in self._common and not between):
            return 0
        end = self._boundary.find_end(run, index + 1, accept_any)
        self._add(run[index].start, run[index:end], 0.6, "direct")
        return end

    def _read_initials(self, run: Sequence[Word], first: int) -> int:
        """ "J. Smith", "J.K. Quorvex", and initials alone: "H.H."."""
        index = first
        while index < len(run) and run[index].is_initial and run[index].key not in NOT_INITIALS:
            index += 1
        if index == first:
            return 0
        end = self._boundary.find_end(run, index, accept_none)
        has_stop = run[first].text.endswith(".")
        if self._is_enumerator(run[first]) and not (end > index and run[index].key in self._family):
            return 0
        if end > index and (has_stop or run[index].key in self._family):
            self._add(run[first].start, run[first:end], 0.75, "direct")
            return end
        if end == index == len(run) and has_stop and run[first].text.count(".") in (2, 3):
            self._add(run[first].start, run[first:index], 0.55, "quasi")
            return index
        return 0

    def _is_enumerator(self, word: Word) -> bool:
        """ "C. Proceedings on appeal": one letter at the start of a line numbers a heading."""
        return len(word.text) <= 2 and self._text[max(0, word.start - 1) : word.start] in ("", "\n", "\r", "(")

    def _read_known_name(self, run: Sequence[Word], index: int) -> int:
        """Names that begin with a known given or family name."""
        word = run[index]
        if given_name := self._given_name_after_comma(word):
            self._add(word.start, (word, given_name), 0.7, "direct")
            return index + 1
        is_given = not self._given.keys().isdisjoint((word.key, word.key.partition("-")[0]))
        if (not is_given and word.key not in self._family) or self._is_question_verb(run, index):
            return 0
        is_ambiguous = self._is_word_or_place(word) or word.key in self._stop
        is_pair = is_ambiguous and self._is_pair(run, index)
        takes_surname = is_pair or (is_given and not is_ambiguous)
        end = self._boundary.find_end(run, index + 1, self._boundary.is_surname if takes_surname else accept_none)
        if end == index + 1:
            return self._read_given_name(run, index) if is_given and not is_ambiguous else 0
        score = self._score_of_name(run[index:end], is_given=is_given, is_ambiguous=is_ambiguous, is_pair=is_pair)
        if not score:
            return 0
        self._add(word.start, run[index:end], score, "direct")
        return end

    def _score_of_name(self, name: Sequence[Word], *, is_given: bool, is_ambiguous: bool, is_pair: bool) -> float:
        """How certain a name of several words is; 0 where it is none. The flags are about its first word."""
        rest = name[1:]
        has_known = any(self._boundary.is_known(word) or word.is_initial for word in rest)
        is_heading = name[0].is_all_caps and any(word.is_all_caps for word in rest)
        if is_heading and not (is_given and has_known):
            return 0.0
        if is_ambiguous:
            is_name = is_given and (is_pair or (has_known and not all(map(self._is_word_or_place, rest))))
            return 0.65 if is_name else 0.0
        return {(True, True): 0.85, (True, False): 0.7, (False, True): 0.6}.get((is_given, has_known), 0.0)

    def _read_given_name(self, run: Sequence[Word], index: int) -> int:
        """A given name alone."""
        word = run[index]
        if len(word.text) <= 2 or word.is_all_caps or self._is_other(word):
            return 0
        self._add(word.start, run[index : index + 1], 0.55 if len(run) == 1 else 0.5, "quasi")
        return index + 1

    def _is_word_or_place(self, word: Word) -> bool:
        return word.key in self._common or word.key in self._places

    def _is_pair(self, run: Sequence[Word], index: int) -> bool:
        """ "Mark Wood": two everyday words that are a name together, without an article or question before them."""
        word = run[index]
        is_first = word.key in name_lists.GIVEN_NAMES_THAT_ARE_WORDS and index + 1 < len(run)
        if not is_first or run[index + 1].key not in self._family:
            return False
        has_article = _ARTICLE.search(self._text[max(0, word.start - 5) : word.start])
        may_open = word.key in name_lists.GIVEN_NAMES_THAT_OPEN_SENTENCES
        return not has_article and not (may_open and self._opens_sentence(word))

    def _opens_sentence(self, word: Word) -> bool:
        before = self._text[max(0, word.start - 5) : word.start]
        return before.rstrip(' \n\t"“”(')[-1:] in ("", ".", "!", "?") or "\n" in before

    def _is_question_verb(self, run: Sequence[Word], index: int) -> bool:
        """ "Can Tobias Wrexley call?": a question's verb before a full name."""
        return (
            run[index].key in _QUESTION_VERBS
            and index + 2 < len(run)
            and run[index + 1].key in self._given
            and self._opens_sentence(run[index])
            and _QUESTION.match(self._text, run[index].end) is not None
        )

    def _is_other(self, word: Word) -> bool:
        """A make ("a red Ford"), a nationality ("a German national"), or the day before a feast ("Christmas Eve")."""
        return (
            word.key in name_lists.BRANDS
            or word.text in name_lists.demonyms()
            or (word.key == "eve" and _FEASTS.search(self._text[max(0, word.start - 11) : word.start]) is not None)
        )

    def _given_name_after_comma(self, family: Word) -> Word | None:
        """The given name of "Smith, John" at the beginning of a line or a field."""
        is_first = self._text[max(0, family.start - 2) : family.start].rstrip(" \t")[-1:] in ("", "\n", ":", ";", "(")
        if not is_first or family.key not in self._family or family.key in self._common or family.key in self._places:
            return None
        after = _AFTER_COMMA.match(self._text, family.end)
        key = name_lists.lookup_key(after[1]) if after else ""
        if after is None or key not in self._given or key in self._common or key in self._places:
            return None
        return Word(after.start(1), after.end(1), after[1], key)

    def _add(self, start: int, words: Sequence[Word], score: float, identifier: Identifier | None) -> None:
        end = words[-1].end
        if names_a_thing(self._text, end):
            return
        if suffix := _SUFFIX.match(self._text, end):
            end = suffix.end()
        elif words[-1].key in ("jr", "sr") and self._text.startswith(".", end):
            end += 1
        self._spans.append(Span(start, end, "PERSON", identifier or "quasi", score, "rules:person"))
        if identifier == "direct" or score >= 0.9:
            self._known_names.add(words)
