"""Names of people: runs of capitalised words, where a name ends, names by lexicon, title, role and introduction."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from sfumato.detectors.rules.patterns import Pattern, alternatives, any_of, load_patterns, word_list
from sfumato.document import Identifier, Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import NOT_IN_NAMES_OF_PEOPLE, PARTICLES, ROLES, is_title
from sfumato.lexicon.tokens import NAME_WORD, find_at, lazy_pattern, letter_runs
from sfumato.lexicon.word_kinds import is_common

UPPER = "".join(chr(code) for code in range(0x41, 0x250) if chr(code).isupper()) + "ẞ"
"""Capital letters of the Latin script, for a character class."""
NOT_INITIALS = frozenset(word_list("names.not_initials"))
NOT_SURNAMES = frozenset((*word_list("names.sentence_starters"), *word_list("names.not_surnames")))
"""Capitalised words that may follow a name without being part of it: "Thanks Anna Will do", "Peter Are you there"."""
SMALL_WORDS_IN_NAMES = PARTICLES | name_lists.SURNAME_PREFIXES

_IN_WORD = r"[\w\u0300-\u036f]"
_TOKEN = (
    rf"(?:[{UPPER}]\.(?:-?[{UPPER}]\.)*+|(?:(?:[Aa]l|[Ee]l|[Dd]|[Ll]|[Dd]ell|[Dd]all)['’-])?+"
    rf"[{UPPER}]{_IN_WORD}*+(?:['’‑-]{_IN_WORD}++)*+)"
)
_RUN = lazy_pattern(rf"(?<![^\W_]){_TOKEN}(?:\.?[ \u00a0]{{1,2}}(?:{any_of(PARTICLES)}[ \u00a0]){{0,3}}+{_TOKEN})*+")
_WORD = lazy_pattern(_TOKEN)
_SPACES_IN_RUNS = frozenset(" \u00a0")
_ABBREVIATIONS = frozenset(word_list("names.abbreviations"))
_LEGAL_FORMS = frozenset(word_list("names.legal_forms"))
_SENTENCE_STARTERS = frozenset(word_list("names.sentence_starters"))
_THING = lazy_pattern(rf"(?:['’]s)?[ -]{any_of(word_list('names.things'))}\b")
_CAPITALISED_NOUNS = lazy_pattern(rf"(?<!\w){any_of(word_list('names.nouns_are_capitalised'))}(?!\w)")
_LONGEST_RUN = 24  # longer than any name; bounds what is read again for each word of a run
_LONGEST_NAME = 6
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


# Capitals with spaces between them are headings, and so are small letters behind one.
_SPELLED = lazy_pattern(
    r"(?<![\w'’-])(?:(?:(?:[Dd]ouble )?[^\W\d_](?:-|, |\. )){3,20}(?:[Dd]ouble )?[^\W\d_]"
    rf"|(?:(?:double )?[^\W\d_{UPPER}] ){{3,20}}(?:double )?[^\W\d_{UPPER}])(?![\w'’-])(?!\.[^\W\d_])"
)
_LETTER_BEFORE = lazy_pattern(rf"(?<!\w)[{UPPER}] $")
_FEWEST_LETTERS = 4


def find_spelled_names(text: str) -> Iterator[Span]:
    """Letters one by one, as names are spelled: F-I-T-Z, *f i t z s i double m o n s*; no alphabet, no list."""
    words = letter_runs(text)
    first = (word for word in words if len(word) == 1 or word.casefold() == "double")
    for match in find_at(_SPELLED, text, sorted(start for word in first for start in words[word])):
        if _LETTER_BEFORE.search(text, max(0, match.start() - 3), match.start()):
            continue
        letters = re.findall(r"(?<![^\W\d_])[^\W\d_](?![^\W\d_])", match.group().lower())
        steps = {ord(after) - ord(before) for before, after in pairwise(letters)}
        if len(letters) >= _FEWEST_LETTERS and len(set(letters)) > 2 and steps != {1}:
            yield Span(*match.span(), "PERSON", "direct", 0.7, "rules:person")


_SPEAKER = lazy_pattern(
    r"(?m)^[ \t]{0,8}[\[(]?(?:\d{1,4}[-/.]\d{1,2}(?:[-/.]\d{1,4})?,?[ T]{1,2})?"
    r"\d{1,2}[:.]\d\d(?::\d\d)?(?:[ ]?[AaPp][Mm])?[\])]?[ ]{0,2}(?:[-–][ ])?"
    r"(?P<speaker>[^\W\d_][\w.-]{1,23})(?=:[ \t]\S)"
)
"""Who writes a line of a chat, behind the time."""
_FEWEST_LINES = 3
_NOT_SPEAKERS = frozenset(name_lists.lookup_key(word) for word in word_list("introductions.speakers"))


def find_chat_speakers(text: str) -> Iterator[Span]:
    """Who writes the lines of a chat, in any case: where one has a given name, the others are people as well."""
    lines = [match for match in _SPEAKER.finditer(text) if name_lists.lookup_key(match["speaker"]) not in _NOT_SPEAKERS]
    speakers = {match["speaker"] for match in lines}
    has_name = any(name[0].isupper() and name_lists.lookup_key(name) in name_lists.given_names() for name in speakers)
    if len(lines) >= _FEWEST_LINES and len(speakers) > 1 and has_name:
        yield from (Span(*match.span("speaker"), "PERSON", "direct", 0.9, "rules:person") for match in lines)


_FAMILY_FIRST = lazy_pattern(
    rf"(?m)(?:(?P<mark>[\"\t|;])|^)[ ]*(?P<name>(?:[a-z]{{2,3}} ){{0,2}}[{UPPER}][\w'’-]+"
    rf"(?: [{UPPER}][\w'’-]+)?, (?P<given>[{UPPER}][\w'’-]+)(?: [{UPPER}][\w'’.-]*){{0,2}})"
    r"[ ]*(?(mark)(?=[\"\t|;\r]|$)|(?=[\t|;]))"
)


def find_names_in_cells(text: str) -> Iterator[Span]:
    """Cells that are a family name, known or not, and behind a comma a given name."""
    for match in _FAMILY_FIRST.finditer(text) if ", " in text else ():
        words = (word for word in match["name"].replace(",", "").split() if word[0].isupper())
        is_given = name_lists.lookup_key(match["given"]) in name_lists.given_names()
        if is_given and name_lists.common_words().isdisjoint(map(name_lists.lookup_key, words)):
            yield Span(*match.span("name"), "PERSON", "direct", 0.7, "rules:person")


def find_names_in_context(text: str) -> Iterator[Span]:
    """Names that the form of a text tells: spelled out, before the lines of a chat, or in a cell."""
    yield from find_spelled_names(text)
    yield from find_chat_speakers(text)
    yield from find_names_in_cells(text)


class Word(NamedTuple):
    """A capitalised word (or initials) with its offsets; ``key`` is its form in the lexicon."""

    start: int
    end: int
    text: str
    key: str

    @property
    def is_initial(self) -> bool:
        return self.text.endswith(".") or (len(self.text) == 1 and self.text not in "AIOEYÀÉ")

    @property
    def is_all_caps(self) -> bool:
        return len(self.text) > 1 and self.text.isupper() and not self.is_initial


def capitalised_runs(text: str) -> Iterator[list[Word]]:
    """Capitalised words that stand together, with particles of names allowed between them.

    A possessive ending is left off and ends its run, as does a full stop after anything but a title or initial.
    """
    forms: dict[str, tuple[str, str]] = {}
    """Words as written, without their endings and as the lexicon has them: most are written more than once."""
    for run in _RUN.finditer(text):
        words: list[Word] = []
        has_spaces = not _SPACES_IN_RUNS.isdisjoint(run.group())
        for match in _WORD.finditer(text, run.start(), run.end()) if has_spaces else (run,):
            start = match.start()
            word = match.group()
            if words and "." in text[words[-1].end - 1 : start] and _ends_run(words[-1], word):
                yield words
                words = []
            if word not in forms:
                bare = word[:-2] if word.endswith(("'s", "’s", "'S", "’S")) else word
                forms[word] = bare, name_lists.lookup_key(bare)
            bare, key = forms[word]
            words.append(Word(start, start + len(bare), bare, key))
            if len(bare) < len(word) or len(words) == _LONGEST_RUN:
                yield words
                words = []
        if words:
            yield words


def _ends_run(last: Word, following: str) -> bool:
    """Whether the full stop of a word ends its run: "Crabtree Ltd. She", but neither "Mr. Smith" nor "J. Smith"."""
    if last.is_initial or last.key in _LEGAL_FORMS:
        return last.key in _LEGAL_FORMS and name_lists.lookup_key(following) in name_lists.common_words()
    is_abbreviation = last.key in _ABBREVIATIONS or (len(last.key) < 6 and is_title(last.key))
    return not is_abbreviation


def names_a_thing(text: str, end: int) -> bool:
    """Whether the name that ends here belongs to a thing: "Wilson's disease", "Framingham risk score"."""
    return _THING.match(text, end) is not None


@cache
def name_stop_words() -> frozenset[str]:
    """Words that end a name: head nouns of organisations and places, nationalities, countries."""
    demonyms = {name_lists.lookup_key(word) for word in name_lists.demonyms() if word[:1].isupper()}
    return frozenset(
        (NOT_IN_NAMES_OF_PEOPLE | demonyms | name_lists.regions())
        - name_lists.given_names().keys()
        - name_lists.family_names()
    )


Accepts = Callable[[Sequence[Word], int], bool]
"""Whether a word of a run, by its index, can be the first of a name although it is an everyday word or a place."""


def accept_none(run: Sequence[Word], index: int) -> bool:
    return False


def accept_any(run: Sequence[Word], index: int) -> bool:
    return True


class NameBoundary:
    """Finds where a name that has begun ends, in one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._given = name_lists.given_names()
        self._family = name_lists.family_names()
        self._common = name_lists.common_words()
        self._stop = name_stop_words()

    def find_end(self, run: Sequence[Word], first: int, accepts: Accepts) -> int:
        """The index after the last word, from ``first`` on, that can be part of one name."""
        end = first
        while end < len(run) and end - first < _LONGEST_NAME:
            word = run[end]
            if word.key in _SENTENCE_STARTERS or "º" in word.key:
                break
            is_stop = word.key in self._stop or word.key in NOT_INITIALS or is_title(word.key)
            is_everyday = (
                word.key in self._common
                and not (end > first and word.key in self._family)
                and not (word.key in SMALL_WORDS_IN_NAMES and end + 1 < len(run))
            )
            is_heading = word.is_all_caps and end and run[end - 1].is_all_caps and not self.is_known(word)
            is_first = end == first or (run[end - 1].is_initial and end == first + 1)
            if (is_stop or is_everyday or is_heading) and not (is_first and accepts(run, end)):
                break
            end += 1
        while end > first and run[end - 1].key in SMALL_WORDS_IN_NAMES:
            end -= 1
        return end

    def is_surname(self, run: Sequence[Word], index: int) -> bool:
        """Whether an everyday word or place that stands after a given name is a surname: "Susan Bright"."""
        word = run[index]
        if word.key in NOT_SURNAMES or word.is_all_caps or word.is_initial or is_title(word.key):
            return False
        has_next = index + 1 < len(run)
        if word.key in self._family:
            return not (has_next and run[index + 1].key in self._stop)  # "Martial Law Courts"
        if has_next or word.key in NOT_IN_NAMES_OF_PEOPLE:
            return False
        # German capitalises every noun.
        around = (max(0, word.start - 60), word.end + 60)
        return run[index - 1].is_initial or not _CAPITALISED_NOUNS.search(self._text, *around)

    def is_known(self, word: Word) -> bool:
        return word.key in self._given or word.key in self._family


class KnownNames:
    """Words of the full names that a text has given, to recognise further mentions by a part of them."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._common = name_lists.common_words()
        self._keys: set[str] = set()

    def add(self, words: Iterable[Word]) -> None:
        self._keys.update(word.key for word in words if not word.is_initial and len(word.text) > 2)

    def add_spans(self, names: Iterable[Span]) -> None:
        """Add names found by other means: a form field, a signature."""
        for span in names:
            words = NAME_WORD.findall(self._text[span.start : span.end])
            self._keys.update(name_lists.lookup_key(word) for word in words if not is_title(word) and len(word) > 2)

    def is_name(self, word: str) -> bool:
        """Whether a word in small letters is part of a known name."""
        if word not in self._keys or word in self._common:
            return False
        return word in name_lists.given_names() or word in name_lists.family_names()

    def with_repeats(self, spans: Iterable[Span], runs: Iterable[Sequence[Word]]) -> Iterator[Span]:
        """The spans, and each further mention of a known name."""
        covered: set[int] = set()
        for span in map(self._upgrade, spans):
            covered.update((span.start, span.end))
            yield span
        for word in (word for run in runs for word in run if word.start not in covered and word.end not in covered):
            if word.key in self._keys:
                score = 0.45 if word.key in self._common else 0.7
                yield Span(word.start, word.end, "PERSON", "direct", score, "rules:person")
            elif self._has_added_s(word.key):
                around = (max(0, word.start - 60), word.end + 60)
                ending = 1 if _CAPITALISED_NOUNS.search(self._text, *around) else 0
                yield Span(word.start, word.end - ending, "PERSON", "direct", 0.6, "rules:person")

    def _upgrade(self, span: Span) -> Span:
        """A lone given name that is part of a known name identifies the person directly."""
        if span.identifier == "quasi" and name_lists.lookup_key(self._text[span.start : span.end]) in self._keys:
            return replace(span, identifier="direct", score=max(span.score, 0.7))
        return span

    def _has_added_s(self, key: str) -> bool:
        """Whether it is a known name with an s: in German a genitive, whose ending stays in the text, else a plural."""
        return len(key) > 4 and key[-1] == "s" and key[:-1] in self._keys and key not in self._common


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
            before = self._text[max(0, start - 12) : start] if index == 0 else ""
            last = before.removesuffix("\n")[:-1].removesuffix(".")[-1:]
            may_be_title = last.casefold() in _LAST_OF_TITLES
            title = _TITLE_IN_SMALL_LETTERS.search(before) if may_be_title else None
            if title is None or run[index].key in self._stop or _ACRONYM.search(run[index].text):
                return 0
            is_personal, start = True, start - len(before) + title.start()
        is_family_name = index < len(run) and run[index].key in self._family
        end = self._boundary.find_end(run, index, accept_any if is_personal or is_family_name else accept_none)
        if end == index:
            return 0
        if first_title := _FIRST_OF_TWO_TITLES.search(self._text[max(0, start - 14) : start]):
            start -= len(first_title.group())
        self._add(start, run[index:end], 0.95 if is_personal else 0.8, "direct" if end - index > 1 else None)
        return end

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
        parts = word.key.split("-")
        if given_name := self._given_name_after_comma(word):
            self._add(word.start, (word, given_name), 0.7, "direct")
            return index + 1
        is_given = word.key in self._given or (len(parts) > 1 and parts[0] in self._given)
        if (not is_given and word.key not in self._family) or self._is_question_verb(run, index):
            return 0
        is_ambiguous = word.key in self._common or word.key in self._places or word.key in self._stop
        is_pair = is_ambiguous and self._is_pair(run, index)
        takes_surname = is_pair or (is_given and not is_ambiguous)
        end = self._boundary.find_end(run, index + 1, self._boundary.is_surname if takes_surname else accept_none)
        rest = run[index + 1 : end]
        has_known = any(w.key in self._family or w.key in self._given or w.is_initial for w in rest)
        if any(w.is_all_caps for w in rest) and word.is_all_caps and not (is_given and has_known):
            return 0
        if rest and is_given:
            if not is_ambiguous:
                self._add(word.start, run[index:end], 0.85 if has_known else 0.7, "direct")
                return end
            if is_pair or (has_known and not all(w.key in self._common or w.key in self._places for w in rest)):
                self._add(word.start, run[index:end], 0.65, "direct")
                return end
        elif rest and has_known and not is_ambiguous:
            self._add(word.start, run[index:end], 0.6, "direct")
            return end
        elif is_given and not is_ambiguous and len(word.text) > 2 and not word.is_all_caps and not self._is_other(word):
            self._add(word.start, run[index : index + 1], 0.55 if len(run) == 1 else 0.5, "quasi")
            return index + 1
        return 0

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


# What introduces a name: form fields, salutations, signatures, speakers, "my name is".

_NAME = rf"(?:[{UPPER}][\w'’.-]{{1,30}})"
_ANY_WORD = r"[^\W\d_][^\W\d_'’.-]{0,30}(?:['’.-][^\W\d_]{1,30}){0,3}"
_NOT_A_NAME = rf"(?:{alternatives(word_list('introductions.after_names'))})(?!\w)"


def _names_in(text: str) -> list[str]:
    return [name_lists.lookup_key(word) for word in NAME_WORD.findall(text) if not is_title(word)]


def starts_like_a_name(text: str) -> bool:
    """Whether its first word is a given name and not an everyday word."""
    words = _names_in(text)
    if not words or words[0] in NOT_IN_NAMES_OF_PEOPLE or words[0] in name_lists.common_words():
        return False
    return words[0] in name_lists.given_names()


def is_a_full_name(text: str) -> bool:
    """Whether it has two words or more, is no place, and has no everyday word or word of an organisation's name."""
    words = _names_in(text)
    if len(words) < 2 or " ".join(words) in name_lists.places():
        return False
    return may_be_a_name(text) and NOT_IN_NAMES_OF_PEOPLE.isdisjoint(words)


def has_an_uncommon_word(text: str) -> bool:
    return any(word not in name_lists.common_words() for word in _names_in(text))


def may_be_a_name(text: str) -> bool:
    """Whether no word is an everyday word, or all of several words are known names."""
    words = _names_in(text)
    names = [word for word in words if word in name_lists.given_names() or word in name_lists.family_names()]
    return bool(words) and (not any(w in name_lists.common_words() for w in words) or len(names) == len(words) > 1)


def are_initials(text: str) -> bool:
    """Whether letters may be somebody's initials: no word, no common abbreviation, not one letter several times."""
    key = text.lower()
    return len(set(key)) > 1 and key not in _NOT_LAST_INITIALS and not is_common(key)


def _introduced(phrases: Sequence[str], validate: Callable[[str], bool]) -> Pattern:
    """A phrase and the one to three words after it, in any case."""
    regex = (
        rf"(?i)(?<!\w)(?:{alternatives(phrases)})[ ]+(?P<value>{_ANY_WORD}"
        rf"(?:[ ](?:{any_of(PARTICLES)}[ ]){{0,2}}(?!{_NOT_A_NAME}){_ANY_WORD}){{0,2}})"
    )
    return Pattern("person", "PERSON", regex, "direct", 0.8, validate=validate)


_INITIALS = rf"(?:[{UPPER}]{{2,4}}|[{UPPER}]{{1,2}}(?:Mc|Mac|O['’])[{UPPER}]|[a-z]{{2,3}})(?![\w'’.-])"
_NOT_LAST_INITIALS = frozenset(word_list("names.not_last_initials"))
_VALIDATORS = (starts_like_a_name, is_a_full_name, has_an_uncommon_word, may_be_a_name, are_initials)
PATTERNS = (
    *load_patterns("introductions", *_VALIDATORS, name=_NAME, any_word=_ANY_WORD, initials=_INITIALS),
    _introduced(word_list("introductions.name_is"), may_be_a_name),
    _introduced(word_list("introductions.i_am"), starts_like_a_name),
)
