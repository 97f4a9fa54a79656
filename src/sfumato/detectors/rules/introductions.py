"""What announces a name: form fields, salutations, signatures, speakers, "my name is"."""

from __future__ import annotations

import re
from collections.abc import Callable

from sfumato.detectors.rules.patterns import Pattern, alternatives
from sfumato.detectors.rules.words import UPPER
from sfumato.knowledge import lexicon
from sfumato.knowledge.heads import NOT_IN_NAMES
from sfumato.knowledge.honorifics import is_title

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
    return [lexicon.key(word) for word in _WORDS.findall(text) if not is_title(word)]


def starts_like_a_name(text: str) -> bool:
    """Its first word is a given name and nothing else."""
    words = _names_in(text)
    if not words or words[0] in NOT_IN_NAMES or words[0] in lexicon.common_words():
        return False
    return words[0] in lexicon.given_names()


def is_a_full_name(text: str) -> bool:
    """Two words or more, none of them an everyday word or part of an organisation's name, that are no place."""
    words = _names_in(text)
    if len(words) < 2 or " ".join(words) in lexicon.cities() | lexicon.regions():
        return False
    return may_be_a_name(text) and NOT_IN_NAMES.isdisjoint(words)


def has_an_uncommon_word(text: str) -> bool:
    return any(word not in lexicon.common_words() for word in _names_in(text))


def may_be_a_name(text: str) -> bool:
    """No part is an everyday word, or all of several parts are known names."""
    words = _names_in(text)
    known = [word for word in words if word in lexicon.given_names() or word in lexicon.family_names()]
    return bool(words) and (not any(w in lexicon.common_words() for w in words) or len(known) == len(words) > 1)


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
