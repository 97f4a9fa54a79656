"""Names of people: by lexicon, by title, by initials, and by repetition."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import cache

from sfumato.detectors.rules.words import UPPER, Word, names_a_thing
from sfumato.document import Identifier, Span
from sfumato.knowledge import lexicon
from sfumato.knowledge.heads import ASK_OR_DATE, BRANDS, NOT_IN_NAMES, ROLES, WORDS_AS_NAMES
from sfumato.knowledge.honorifics import FEMALE, MALE, is_title

_PERSONAL_TITLES = FEMALE | MALE
_LONGEST_NAME = 6
_NOT_INITIALS = frozenset(
    (
        "u.s. u.k. u.n. e.u. d.c. a.m. p.m. e.g. i.e. u.s.a. u.s.s.r. n.v. b.v. s.a. s.l. b.c. a.d. j.d. ph.d. m.d. "
        "p.s. n.b. s.p.a. s.r.l. t.v. l.a. r.i.p. v.s. q.c. k.c. m.p. v.p."
    ).split()
)
_BEFORE_LOWER_TITLE = re.compile(
    r"(?i)(?<!\w)(mr|mrs|ms|miss|dr|prof|sr|sra|srta|señor|señora|señorita|don|doña|herr|frau|monsieur|madame|mademoiselle|mme|"
    r"signor|signora|signorina|sig|dott|senhor|senhora|dhr|mevr|meneer|mevrouw|docteure?|doctora?|doktor|dottore|"
    r"dottoressa|doutora?|dokter|maître|professeure?|professor)\.?[ \u00a0]$"
)
_PAIR_OF_TITLES = re.compile(r"(?:Mr|Dr|Herr|Monsieur|Señor|Signor)\.? (?:and|und|y|et|e|en|&) $")
_PARTICLES = frozenset(
    "le la de du des del della di da dos das van von der den ter ten zu al el bin ibn ben st mac mc".split()
)
_SENTENCE_STARTERS = frozenset(
    "he she it they we you i this that these those the there his her their its our my your who what when where why "
    "how if as and but or so for from with without however moreover then in on at by after before since while "
    "although no not also él ella ellos ellas se lo los las un una y o pero en con por para como er sie es wir ihr "
    "ich und oder aber mit nach il elle ils elles on nous vous je ce cette et ou mais dans pour par avec lui lei "
    "loro noi io che non ele eles eu ja hij zij wij ik een het".split()
)
# What follows a name with a capital and goes on with the text: "Thanks Anna Will do", "Peter Are you there".
_NOT_SURNAMES = _SENTENCE_STARTERS | frozenset(
    "is are was were am be do does did can could will would shall should must have has had please thanks yes said "
    "says monday tuesday wednesday thursday friday saturday sunday januar freitag montag domingo januari".split()
)
_GERMAN = re.compile(r"(?<!\w)(?:und|der|die|das|den|dem|ist|nicht|ein|eine|mit|von|auf|hat)(?!\w)")
_CAPITAL_PARTICLES = frozenset("van von de den ter ten del della di da le la".split())
_ARTICLE = re.compile(r"(?i)(?<!\w)(?:the|an?|el|la|le|der|die|das|il|o|de|het|un|una?|my|his|her|our)[ \u00a0]$")
_FEASTS = re.compile(r"(?:Christmas|Year['’]?s|Years|Easter|Midsummer)[ \u00a0]$")
_AFTER_COMMA = re.compile(rf", ([{UPPER}][\w'’-]{{1,30}})")
_JUNIOR = re.compile(r",? (?:Jr|Sr|Junior|Senior|II|III|IV)\b\.?")


@cache
def _never_in_a_name() -> frozenset[str]:
    """Words that end a name: head nouns of organisations and places, nationalities, countries."""
    demonyms = {lexicon.key(word) for word in lexicon.demonyms() if word[:1].isupper()}
    return frozenset(
        (NOT_IN_NAMES | demonyms | lexicon.regions()) - lexicon.given_names().keys() - lexicon.family_names()
    )


@cache
def _large_places() -> frozenset[str]:
    return lexicon.major_cities() | lexicon.regions()


class NameFinder:
    """Finds the names in one text, then all further mentions of them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.given = lexicon.given_names()
        self.family = lexicon.family_names()
        self.common = lexicon.common_words()
        self.places = _large_places()
        self.stop = _never_in_a_name()
        self.established: set[str] = set()
        self.spans: list[Span] = []

    def find(self, runs: Iterable[Sequence[Word]]) -> list[Span]:
        runs = list(runs)
        for run in runs:
            self._read(run)
        self._find_again(runs)
        return self.spans

    def _read(self, run: Sequence[Word]) -> None:
        at = 0
        while at < len(run):
            at = (
                self._titled(run, at)
                or self._by_role(run, at)
                or self._initialled(run, at)
                or self._with_particle(run, at)
                or self._known(run, at)
                or at + 1
            )

    def _titled(self, run: Sequence[Word], at: int) -> int:
        """ "Mr Polat", "Dr. Anna Quorvex": whatever stands after a title is a name."""
        first = at
        while at < len(run) and is_title(run[at].key):
            at += 1
        personal = any(word.key.rstrip(".") in _PERSONAL_TITLES for word in run[first:at])
        start = run[first].start
        if at == first:
            before = self.text[max(0, start - 12) : start] if at == 0 else ""
            if not before or (lower := _BEFORE_LOWER_TITLE.search(before)) is None or run[at].key in self.stop:
                return 0
            personal, start = True, start - len(before) + lower.start()
        known = at < len(run) and run[at].key in self.family
        end = self._name_end(run, at, self._anything if personal or known else self._nothing)
        if end == at:
            return 0
        if pair := _PAIR_OF_TITLES.search(self.text[max(0, start - 14) : start]):
            start -= len(pair.group())
        self._add(start, run[at:end], 0.95 if personal else 0.8, "direct" if end - at > 1 else None)
        return end

    def _by_role(self, run: Sequence[Word], at: int) -> int:
        """ "Kollege Schmidt", "my colleague Smith": a known name after what someone is."""
        if run[at].key in ROLES and at + 1 < len(run):
            at += 1
        elif at or self._word_before(run[0].start) not in ROLES:
            return 0
        word = run[at]
        if not self._is_known(word) or word.key in self.places or word.key in _NOT_SURNAMES or is_title(word.key):
            return 0
        end = self._name_end(run, at, self._anything)
        self._add(word.start, run[at:end], 0.65, "direct")
        return end

    def _word_before(self, start: int) -> str:
        before = self.text[max(0, start - 16) : start]
        return before[:-1].rpartition(" ")[2] if before.endswith(" ") else ""

    def _with_particle(self, run: Sequence[Word], at: int) -> int:
        """ "Van der Berg": a name that begins with its particle."""
        if run[at].key not in _CAPITAL_PARTICLES or at + 1 == len(run):
            return 0
        name = run[at + 1]
        between = self.text[run[at].end : name.start].strip(" \u00a0.")
        if name.key not in self.family or name.key in self.places or (name.key in self.common and not between):
            return 0
        end = self._name_end(run, at + 1, self._anything)
        self._add(run[at].start, run[at:end], 0.6, "direct")
        return end

    def _initialled(self, run: Sequence[Word], at: int) -> int:
        """ "J. Smith", "J.K. Quorvex", and initials alone: "H.H."."""
        first = at
        while at < len(run) and run[at].is_initial and run[at].key not in _NOT_INITIALS:
            at += 1
        if at == first:
            return 0
        end = self._name_end(run, at, self._nothing)
        dotted = run[first].text.endswith(".")
        if self._is_enumerator(run[first]) and not (end > at and run[at].key in self.family):
            return 0
        if end > at and (dotted or run[at].key in self.family):
            self._add(run[first].start, run[first:end], 0.75, "direct")
            return end
        if end == at and at == len(run) and dotted and run[first].text.count(".") in (2, 3):
            self._add(run[first].start, run[first:at], 0.55, "quasi")
            return at
        return 0

    def _is_enumerator(self, word: Word) -> bool:
        """ "C. Proceedings on appeal": one letter at the start of a line numbers a heading."""
        return len(word.text) <= 2 and self.text[max(0, word.start - 1) : word.start] in ("", "\n", "\r", "(")

    def _known(self, run: Sequence[Word], at: int) -> int:
        """Names that begin with a known given or family name."""
        word = run[at]
        parts = word.key.split("-")
        if inverted := self._inverted(word):
            self._add(word.start, (word, inverted), 0.7, "direct")
            return at + 1
        given = word.key in self.given or (len(parts) > 1 and parts[0] in self.given)
        if not given and word.key not in self.family:
            return 0
        ambiguous = word.key in self.common or word.key in self.places or word.key in self.stop
        pair = ambiguous and self._is_pair(run, at)
        end = self._name_end(run, at + 1, self._surname if pair or (given and not ambiguous) else self._nothing)
        rest = run[at + 1 : end]
        backed = any(w.key in self.family or w.key in self.given or w.is_initial for w in rest)
        if any(w.is_shouted for w in rest) and word.is_shouted and not (given and backed):
            return 0
        if rest and given:
            if not ambiguous:
                self._add(word.start, run[at:end], 0.85 if backed else 0.7, "direct")
                return end
            if pair or (backed and not all(w.key in self.common or w.key in self.places for w in rest)):
                self._add(word.start, run[at:end], 0.65, "direct")
                return end
        elif rest and backed and not ambiguous:
            self._add(word.start, run[at:end], 0.6, "direct")
            return end
        elif given and not ambiguous and len(word.text) > 2 and not word.is_shouted and not self._names_no_one(word):
            self._add(word.start, run[at : at + 1], 0.55 if len(run) == 1 else 0.5, "quasi")
            return at + 1
        return 0

    def _is_pair(self, run: Sequence[Word], at: int) -> bool:
        """ "Mark Wood": two everyday words that are names together, where neither an article nor a question leads."""
        word = run[at]
        if word.key not in WORDS_AS_NAMES or at + 1 == len(run) or run[at + 1].key not in self.family:
            return False
        before = self.text[max(0, word.start - 5) : word.start]
        opens = before.rstrip(' \n\t"“”(')[-1:] in ("", ".", "!", "?") or "\n" in before
        return not _ARTICLE.search(before) and not (opens and word.key in ASK_OR_DATE)

    def _names_no_one(self, word: Word) -> bool:
        """A make ("a red Ford"), a people ("a German national"), or the evening before a feast ("Christmas Eve")."""
        return (
            word.key in BRANDS
            or word.text in lexicon.demonyms()
            or (word.key == "eve" and _FEASTS.search(self.text[max(0, word.start - 11) : word.start]) is not None)
        )

    def _inverted(self, family: Word) -> Word | None:
        """The given name of "Smith, John", where a line or a field begins with it."""
        opens = self.text[max(0, family.start - 2) : family.start].rstrip(" \t")[-1:] in ("", "\n", ":", ";", "(")
        if not opens or family.key not in self.family or family.key in self.common or family.key in self.places:
            return None
        after = _AFTER_COMMA.match(self.text, family.end)
        if (
            after is None
            or (name := lexicon.key(after[1])) not in self.given
            or name in self.common
            or name in self.places
        ):
            return None
        return Word(after.start(1), after.end(1), after[1], name)

    def _name_end(self, run: Sequence[Word], at: int, may_begin: Callable[[Sequence[Word], int], bool]) -> int:
        """The end of the words from ``at`` on that can be parts of one name.

        ``may_begin`` says of an everyday word or a place whether it can be the first of them all the same.
        """
        end = at
        while end < len(run) and end - at < _LONGEST_NAME:
            word = run[end]
            if word.key in _SENTENCE_STARTERS or "º" in word.key:
                break
            stops = word.key in self.stop or word.key in _NOT_INITIALS or is_title(word.key)
            everyday = (
                word.key in self.common
                and not (end > at and word.key in self.family)
                and not (word.key in _PARTICLES and end + 1 < len(run))
            )
            shouted = word.is_shouted and end and run[end - 1].is_shouted and not self._is_known(word)
            follows = end == at or (run[end - 1].is_initial and end == at + 1)
            if (stops or everyday or shouted) and not (follows and may_begin(run, end)):
                break
            end += 1
        while end > at and run[end - 1].key in _PARTICLES:
            end -= 1
        return end

    def _nothing(self, run: Sequence[Word], at: int) -> bool:
        return False

    def _anything(self, run: Sequence[Word], at: int) -> bool:
        return True

    def _surname(self, run: Sequence[Word], at: int) -> bool:
        """Whether an everyday word or place that stands after a given name is a surname: "Susan Bright"."""
        word = run[at]
        if word.key in _NOT_SURNAMES or word.is_shouted or word.is_initial or is_title(word.key):
            return False
        more = at + 1 < len(run)
        if word.key in self.family:
            return not (more and run[at + 1].key in self.stop)  # "Martial Law Courts"
        if more or word.key in NOT_IN_NAMES:
            return False
        # German gives every noun a capital.
        return run[at - 1].is_initial or not _GERMAN.search(self.text, max(0, word.start - 60), word.end + 60)

    def _is_known(self, word: Word) -> bool:
        return word.key in self.given or word.key in self.family

    def _add(self, start: int, words: Sequence[Word], score: float, identifier: Identifier | None) -> None:
        end = words[-1].end
        if names_a_thing(self.text, end):
            return
        if junior := _JUNIOR.match(self.text, end):
            end = junior.end()
        elif words[-1].key in ("jr", "sr") and self.text.startswith(".", end):
            end += 1
        self.spans.append(Span(start, end, "PERSON", identifier or "quasi", score, "rules:person"))
        if identifier == "direct" or score >= 0.9:
            names = [word for word in words if not word.is_initial and len(word.text) > 2]
            self.established.update(word.key for word in names)

    def establish(self, names: Iterable[Span]) -> None:
        """Names that something else found (a form field, a signature): their words are looked for too."""
        for span in names:
            words = re.findall(r"[^\W\d_][\w'’-]+", self.text[span.start : span.end])
            self.established.update(lexicon.key(w) for w in words if not is_title(w) and len(w) > 2)

    def _find_again(self, runs: Sequence[Sequence[Word]]) -> None:
        self.spans = [self._known_again(span) for span in self.spans]
        taken = {offset for span in self.spans for offset in (span.start, span.end)}
        for run in runs:
            for word in run:
                if word.start in taken or word.end in taken:
                    continue
                if word.key in self.established:
                    score = 0.45 if word.key in self.common else 0.7
                    self.spans.append(Span(word.start, word.end, "PERSON", "direct", score, "rules:person"))
                elif self._is_genitive(word.key):
                    self.spans.append(Span(word.start, word.end - 1, "PERSON", "direct", 0.6, "rules:person"))

    def _is_genitive(self, key: str) -> bool:
        """The German genitive of an established name; as with "Anna's", the ending is left to the text."""
        return len(key) > 4 and key[-1] == "s" and key[:-1] in self.established and key not in self.common

    def _known_again(self, span: Span) -> Span:
        """A lone given name that is part of an established name stands for the whole person."""
        if span.identifier == "quasi" and lexicon.key(self.text[span.start : span.end]) in self.established:
            return replace(span, identifier="direct", score=max(span.score, 0.7))
        return span

    def is_repeated(self, word: str) -> bool:
        """Whether a word in small letters is a name that the text has established."""
        if word not in self.established or word in self.common:
            return False
        return word in self.given or word in self.family
