"""Names of people: by lexicon, by title, by role, by initials."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from sfumato.detectors.rules.name_boundaries import (
    NOT_INITIALS,
    NOT_SURNAMES,
    UPPER,
    Established,
    Extent,
    Word,
    anything,
    names_a_thing,
    never_in_a_name,
    nothing,
)
from sfumato.detectors.rules.patterns import Pattern, alternatives
from sfumato.document import Identifier, Span
from sfumato.lexicon import name_lists
from sfumato.lexicon.name_lists import (
    BRANDS,
    FEMALE_TITLES,
    GIVEN_NAMES_THAT_ARE_WORDS,
    GIVEN_NAMES_THAT_OPEN_SENTENCES,
    MALE_TITLES,
    NOT_IN_NAMES_OF_PEOPLE,
    ROLES,
    is_title,
)

_PERSONAL_TITLES = FEMALE_TITLES | MALE_TITLES
_BEFORE_LOWER_TITLE = re.compile(
    r"(?i)(?<!\w)(mr|mrs|ms|miss|dr|prof|sr|sra|srta|señor|señora|señorita|don|doña|herr|frau|monsieur|madame|mademoiselle|mme|"
    r"signor|signora|signorina|sig|dott|senhor|senhora|dhr|mevr|meneer|mevrouw|docteure?|doctora?|doktor|dottore|"
    r"dottoressa|doutora?|dokter|maître|professeure?|professor)\.?[ \u00a0]$"
)
_PAIR_OF_TITLES = re.compile(r"(?:Mr|Dr|Herr|Monsieur|Señor|Signor)\.? (?:and|und|y|et|e|en|&) $")
_CAPITAL_PARTICLES = frozenset("van von de den ter ten del della di da le la".split())
_ARTICLE = re.compile(r"(?i)(?<!\w)(?:the|an?|el|la|le|der|die|das|il|o|de|het|un|una?|my|his|her|our)[ \u00a0]$")
_FEASTS = re.compile(r"(?:Christmas|Year['’]?s|Years|Easter|Midsummer)[ \u00a0]$")
_QUESTION_VERBS = frozenset("can may will".split())
_QUESTION = re.compile(r"(?:[^.!?\n]|\n(?!\s*\n)){1,200}\?")
_AFTER_COMMA = re.compile(rf", ([{UPPER}][\w'’-]{{1,30}})")
_JUNIOR = re.compile(r",? (?:Jr|Sr|Junior|Senior|II|III|IV)\b\.?")


@cache
def _large_places() -> frozenset[str]:
    return name_lists.major_cities() | name_lists.regions()


class NameFinder:
    """Finds the names in one text, then all further mentions of them."""

    def __init__(self, text: str, established: Established) -> None:
        self._text = text
        self._established = established
        self._extent = Extent(text)
        self._given = name_lists.given_names()
        self._family = name_lists.family_names()
        self._common = name_lists.common_words()
        self._places = _large_places()
        self._stop = never_in_a_name()
        self._spans: list[Span] = []

    def find(self, runs: Sequence[Sequence[Word]]) -> Iterator[Span]:
        for run in runs:
            self._read(run)
        return self._established.again(self._spans, runs)

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
            before = self._text[max(0, start - 12) : start] if at == 0 else ""
            if not before or (lower := _BEFORE_LOWER_TITLE.search(before)) is None or run[at].key in self._stop:
                return 0
            personal, start = True, start - len(before) + lower.start()
        known = at < len(run) and run[at].key in self._family
        end = self._extent.end(run, at, anything if personal or known else nothing)
        if end == at:
            return 0
        if pair := _PAIR_OF_TITLES.search(self._text[max(0, start - 14) : start]):
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
        if (
            not self._extent.is_known(word)
            or word.key in self._places
            or word.key in NOT_SURNAMES
            or is_title(word.key)
        ):
            return 0
        end = self._extent.end(run, at, anything)
        self._add(word.start, run[at:end], 0.65, "direct")
        return end

    def _word_before(self, start: int) -> str:
        before = self._text[max(0, start - 16) : start]
        return before[:-1].rpartition(" ")[2] if before.endswith(" ") else ""

    def _with_particle(self, run: Sequence[Word], at: int) -> int:
        """ "Van der Berg": a name that begins with its particle."""
        if run[at].key not in _CAPITAL_PARTICLES or at + 1 == len(run):
            return 0
        name = run[at + 1]
        between = self._text[run[at].end : name.start].strip(" \u00a0.")
        if name.key not in self._family or name.key in self._places or (name.key in self._common and not between):
            return 0
        end = self._extent.end(run, at + 1, anything)
        self._add(run[at].start, run[at:end], 0.6, "direct")
        return end

    def _initialled(self, run: Sequence[Word], at: int) -> int:
        """ "J. Smith", "J.K. Quorvex", and initials alone: "H.H."."""
        first = at
        while at < len(run) and run[at].is_initial and run[at].key not in NOT_INITIALS:
            at += 1
        if at == first:
            return 0
        end = self._extent.end(run, at, nothing)
        dotted = run[first].text.endswith(".")
        if self._is_enumerator(run[first]) and not (end > at and run[at].key in self._family):
            return 0
        if end > at and (dotted or run[at].key in self._family):
            self._add(run[first].start, run[first:end], 0.75, "direct")
            return end
        if end == at and at == len(run) and dotted and run[first].text.count(".") in (2, 3):
            self._add(run[first].start, run[first:at], 0.55, "quasi")
            return at
        return 0

    def _is_enumerator(self, word: Word) -> bool:
        """ "C. Proceedings on appeal": one letter at the start of a line numbers a heading."""
        return len(word.text) <= 2 and self._text[max(0, word.start - 1) : word.start] in ("", "\n", "\r", "(")

    def _known(self, run: Sequence[Word], at: int) -> int:
        """Names that begin with a known given or family name."""
        word = run[at]
        parts = word.key.split("-")
        if inverted := self._inverted(word):
            self._add(word.start, (word, inverted), 0.7, "direct")
            return at + 1
        given = word.key in self._given or (len(parts) > 1 and parts[0] in self._given)
        if (not given and word.key not in self._family) or self._asks(run, at):
            return 0
        ambiguous = word.key in self._common or word.key in self._places or word.key in self._stop
        pair = ambiguous and self._is_pair(run, at)
        end = self._extent.end(run, at + 1, self._extent.surname if pair or (given and not ambiguous) else nothing)
        rest = run[at + 1 : end]
        backed = any(w.key in self._family or w.key in self._given or w.is_initial for w in rest)
        if any(w.is_shouted for w in rest) and word.is_shouted and not (given and backed):
            return 0
        if rest and given:
            if not ambiguous:
                self._add(word.start, run[at:end], 0.85 if backed else 0.7, "direct")
                return end
            if pair or (backed and not all(w.key in self._common or w.key in self._places for w in rest)):
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
        if word.key not in GIVEN_NAMES_THAT_ARE_WORDS or at + 1 == len(run) or run[at + 1].key not in self._family:
            return False
        led = _ARTICLE.search(self._text[max(0, word.start - 5) : word.start])
        return not led and not (word.key in GIVEN_NAMES_THAT_OPEN_SENTENCES and self._opens_a_sentence(word))

    def _opens_a_sentence(self, word: Word) -> bool:
        before = self._text[max(0, word.start - 5) : word.start]
        return before.rstrip(' \n\t"“”(')[-1:] in ("", ".", "!", "?") or "\n" in before

    def _asks(self, run: Sequence[Word], at: int) -> bool:
        """ "Can Tobias Wrexley call?": a question's verb before a whole name."""
        return (
            run[at].key in _QUESTION_VERBS
            and at + 2 < len(run)
            and run[at + 1].key in self._given
            and self._opens_a_sentence(run[at])
            and _QUESTION.match(self._text, run[at].end) is not None
        )

    def _names_no_one(self, word: Word) -> bool:
        """A make ("a red Ford"), a people ("a German national"), or the evening before a feast ("Christmas Eve")."""
        return (
            word.key in BRANDS
            or word.text in name_lists.demonyms()
            or (word.key == "eve" and _FEASTS.search(self._text[max(0, word.start - 11) : word.start]) is not None)
        )

    def _inverted(self, family: Word) -> Word | None:
        """The given name of "Smith, John", where a line or a field begins with it."""
        opens = self._text[max(0, family.start - 2) : family.start].rstrip(" \t")[-1:] in ("", "\n", ":", ";", "(")
        if not opens or family.key not in self._family or family.key in self._common or family.key in self._places:
            return None
        after = _AFTER_COMMA.match(self._text, family.end)
        if (
            after is None
            or (name := name_lists.lookup_key(after[1])) not in self._given
            or name in self._common
            or name in self._places
        ):
            return None
        return Word(after.start(1), after.end(1), after[1], name)

    def _add(self, start: int, words: Sequence[Word], score: float, identifier: Identifier | None) -> None:
        end = words[-1].end
        if names_a_thing(self._text, end):
            return
        if junior := _JUNIOR.match(self._text, end):
            end = junior.end()
        elif words[-1].key in ("jr", "sr") and self._text.startswith(".", end):
            end += 1
        self._spans.append(Span(start, end, "PERSON", identifier or "quasi", score, "rules:person"))
        if identifier == "direct" or score >= 0.9:
            self._established.add(words)


# -- What announces a name: form fields, salutations, signatures, speakers, "my name is".


_CLOSINGS = (
    "regards;sincerely;faithfully;truly;wishes;cheers;thanks;thank you;love;yours;saludos;atentamente;abrazo;grüßen;"
    "grüße;gruß;cordialement;salutations;bien à vous;saluti;cumprimentos;atenciosamente;abraço;groet;groeten;signed;"
    "hochachtungsvoll;saludo;bises;bisous;mfg;--;—;–"
).split(";")
_SALUTATIONS = (
    "dear;hi;hello;hey;hola;estimado;estimada;querido;querida;liebe;lieber;hallo;sehr geehrte;sehr geehrter;bonjour;"
    "salut;cher;chère;caro;cara;gentile;ciao;olá;prezado;prezada;beste;geachte"
).split(";")
_NAME_IS = (
    "my name is;name's;i am called;call me;last name is;first name is;maiden name is;mi nombre es;me llamo;se llama;"
    "mein name ist;ich heiße;ich heisse;je m'appelle;je m’appelle;mon nom est;mi chiamo;il mio nome è;meu nome é;"
    "me chamo;chamo-me;mijn naam is;ik heet"
).split(";")
_I_AM = "i am;i'm;i’m;this is;soy;ich bin;je suis;sono;eu sou;ik ben;hier spricht".split(";")
_FIELDS = (
    "full name;first name;last name;given name;family name;surname;name;patient;patient name;customer;customer name;"
    "client;client name;contact;contact name;employee;account holder;card holder;cardholder;attn;doctor;physician;"
    "provider;author;witness;nombre;nombre y apellidos;apellidos;apellido;paciente;médico;vorname;nachname;"
    "familienname;patientin;kunde;nom;prénom;nome;cognome;apelido;paziente;naam;voornaam;achternaam;patiënt"
).split(";")
_PARTIES = (
    "from;to;cc;bcc;sender;recipient;reply-to;signed;signature;von;an;absender;empfänger;gezeichnet;unterschrift;de;"
    "para;à;expéditeur;destinataire;remitente;destinatario;firmado;firma;mittente;remetente;destinatário;aan;afzender"
).split(";")
_NAME = rf"(?:[{UPPER}][\w'’.-]{{1,30}})"
_ANY_WORD = r"[^\W\d_][^\W\d_'’.-]{0,30}(?:['’.-][^\W\d_]{1,30}){0,3}"
# What goes on after a name: "my name is john smith and I live".
_AFTER_NAMES = (
    "and i you he she we they is am are was from in at on of the a an to my but or so with who for here not just "
    "calling y soy de vivo tengo pero en con und ich bin aus aber mit et je suis mais dans avec e sono ma di con eu "
    "sou mas en ik ben maar uit van"
).split()
_NOT_A_NAME = rf"(?:{alternatives(_AFTER_NAMES)})(?!\w)"
_WORDS = re.compile(r"[^\W\d_][\w'’-]*")


def _names_in(text: str) -> list[str]:
    return [name_lists.lookup_key(word) for word in _WORDS.findall(text) if not is_title(word)]


def starts_like_a_name(text: str) -> bool:
    """Its first word is a given name and nothing else."""
    words = _names_in(text)
    if not words or words[0] in NOT_IN_NAMES_OF_PEOPLE or words[0] in name_lists.common_words():
        return False
    return words[0] in name_lists.given_names()


def is_a_full_name(text: str) -> bool:
    """Two words or more, none of them an everyday word or part of an organisation's name, that are no place."""
    words = _names_in(text)
    if len(words) < 2 or " ".join(words) in name_lists.cities() | name_lists.regions():
        return False
    return may_be_a_name(text) and NOT_IN_NAMES_OF_PEOPLE.isdisjoint(words)


def has_an_uncommon_word(text: str) -> bool:
    return any(word not in name_lists.common_words() for word in _names_in(text))


def may_be_a_name(text: str) -> bool:
    """No part is an everyday word, or all of several parts are known names."""
    words = _names_in(text)
    known = [word for word in words if word in name_lists.given_names() or word in name_lists.family_names()]
    return bool(words) and (not any(w in name_lists.common_words() for w in words) or len(known) == len(words) > 1)


def _person(regex: str, score: float, validate: Callable[[str], bool], *needs: str) -> Pattern:
    return Pattern("person", "PERSON", regex, "direct", score, validate=validate, needs=needs)


def _introduced(phrases: list[str], validate: Callable[[str], bool]) -> Pattern:
    """A phrase and the one to three words after it, whatever their case."""
    return _person(
        rf"(?i)(?<!\w)(?:{alternatives(phrases)})[ ]+(?P<value>{_ANY_WORD}"
        rf"(?:[ ](?:(?:de|del|la|van|von|der|di|da|dos|bin|al)[ ]){{0,2}}(?!{_NOT_A_NAME}){_ANY_WORD}){{0,2}})",
        0.8,
        validate,
        *(form for phrase in phrases for form in (f"{phrase} ", f"{phrase[:1].upper()}{phrase[1:]} ")),
    )


PATTERNS = (
    _person(
        rf"(?im)^[ \t>*-]{{0,8}}(?:{alternatives(_FIELDS)})[ \t]{{0,4}}[:=][ \t]{{0,8}}"
        rf"(?P<value>{_ANY_WORD}\.?(?:,?[ ]{_ANY_WORD}\.?){{0,3}})[ \t]{{0,4}}(?=$|[\r,;|(])",
        0.8,
        has_an_uncommon_word,
        ":",
        "=",
    ),
    _person(
        rf"(?im)^[ \t>*]{{0,8}}(?:{alternatives(_PARTIES)})[ \t]{{0,4}}:[ \t]{{0,8}}[\"']?"
        rf"(?P<value>(?-i:{_NAME}(?:[ ]{_NAME}){{1,3}}))[\"']?[ \t]{{0,4}}(?=$|[\r,;|(<\[])",
        0.75,
        is_a_full_name,
        ":",
    ),
    _person(
        # Further recipients of a mail.
        rf">[,;][ ][\"']?(?P<value>{_NAME}(?:[ ]{_NAME}){{1,3}})[\"']?(?=[ ]<)",
        0.75,
        is_a_full_name,
        ">, ",
        ">; ",
    ),
    _person(
        rf"(?im)(?<!\w)(?:{alternatives(_CLOSINGS)})[,.!]?[ \t]{{0,4}}\r?\n\s{{0,6}}"
        rf"(?P<value>(?-i:{_NAME}(?:[ ]{_NAME}){{0,3}}))[ \t]{{0,4}}(?=$|[\r,])",
        0.8,
        may_be_a_name,
        "\n",
    ),
    _person(
        rf"(?i)(?<!\w)(?:{alternatives(_SALUTATIONS)})[ ]"
        rf"(?P<value>(?-i:(?:{_NAME}[ ]){{0,2}}{_NAME}))(?<!\.)(?=[ ]?[,!:.?\n]|$)",
        0.75,
        may_be_a_name,
    ),
    _person(
        # A speaker in a chat, with or without the time in front.
        rf"(?m)^[ \t]{{0,8}}(?:[\[(]?[\d:/. -]{{4,20}}(?:[AaPp][Mm])?[\])]?[ ]?-?[ ]?)?"
        rf"(?P<value>(?:{_NAME}[ ]){{0,2}}{_NAME})(?=:[ \t]\S)",
        0.7,
        starts_like_a_name,
        ":",
    ),
    _person(
        rf"(?m)^[ \t]{{0,8}}(?:Agent|Operator|Advisor|Support|User|Customer|Interviewer|Officer|Nurse)[ ]"
        rf"(?P<value>{_NAME}(?:[ ]{_NAME})?)(?=:[ \t]\S)",
        0.7,
        may_be_a_name,
        ":",
    ),
    _introduced(_NAME_IS, may_be_a_name),
    _introduced(_I_AM, starts_like_a_name),
)
