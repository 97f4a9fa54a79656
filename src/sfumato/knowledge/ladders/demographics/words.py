"""Words that shape a noun phrase about a person: what may be dropped from it, what is kept, what stops the reading."""

from __future__ import annotations

import re

DETERMINER = re.compile(
    r"(?:an?|one|the|his|her|their|my|our|your|its|this|that|these|those|one of (?:the|his|her|their))\s+"
)
ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
LEADS_ON = frozenset(
    "of in at with for from to on by near under between who whose which that working employed responsible practising "
    "practicing specialising specializing specialised specialized based living residing serving attached assigned "
    "towards toward as about over through into since until before than after "
    "caused due secondary affecting involving during".split()
)
"""Words with which what follows the head noun starts."""
KEPT = frozenset(
    "former ex retired alleged suspected presumed possible probable future aspiring supposed convicted".split()
)
"""Words that are as true of the wider thing: a former cardiologist is a former physician."""
SECOND = frozenset("deputy vice acting interim assistant associate sub".split())
"""Not the thing itself, but of its kind: a deputy director is a manager, and no director."""
REFUSED = frozenset(
    "no not non never without neither nor denied denies fake false mock pseudo imaginary fictional would-be wannabe "
    "honorary anti pro self-proclaimed self-styled so-called toy model computer unlikely virtual potential prospective "
    "negative candidate nominee victim".split()
)
LEARNING = frozenset("trainee apprentice student".split())
"""Before another noun: someone who is to become that."""
NEGATED = ("non-", "anti-", "pseudo-", "pro-", "would-")
NUMBER = re.compile(r"\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozen|several|many|both)\b")
CHURCH = re.compile(r"\b(?:religion|church|gospel|word|god|faith|parish|sacrament)\b")
STAGE = re.compile(
    r"\b(?:films?|movies?|photography|music|choir|opera|orchestra|plays?|ballet|theatre|state|house)\b(?!-)"
)
ALWAYS_IN_CHARGE = frozenset("director president governor rector".split())
FRAME = re.compile(
    r"(?:(?:family |medical )?history|symptoms?|signs?|diagnosis|suspicion|treatment|risk|onset|early stages?|"
    r"complications?) (?:of|for) |"
    r"(?:works?|worked|working|serves?|served|serving|trained|qualified|employed|appointed) as |"
    r"(?:suffer(?:s|ed|ing)? from|diagnosed with|suffered|sustained|developed|contracted|had|has|having|underwent|"
    r"was|is|became|becoming|remained) "
)
"""What may stand around a thing and around a wider one alike."""
VERBS = frozenset(
    "suffered sustained developed contracted had has have was is were became worked works working lost broke underwent "
    "received studied studying graduated earned obtained holds held appointed elected diagnosed gave being been using "
    "taking lives served serves killed met saw joined hired".split()
)
"""Where one of these stands in front, the phrase is more than a noun and its modifiers."""
INSIDE = frozenset("a an the his her their my our your its this that these those i we he she it they you".split())
DEGREE = frozenset(
    "practising practicing devout strict openly severely profoundly completely totally partially legally seriously "
    "registered staunch committed slightly permanently very openly ethnically".split()
)
"""Words before an adjective that only narrow it."""
OPENERS = LEADS_ON | frozenset("and or but nor so if when while where because i we he she it they you there".split())
"""Words that open something else than a noun phrase."""
BROKEN = re.compile(r"(?<=\w\w)[.!?] |[:;@\"“”„|<>=*\n]| [–—/&-] ")
"""Signs that a span runs over more than one phrase."""
STUDIES = re.compile(
    r"\b(?:stud(?:y|ies|ied|ying|ent)|degree|graduat\w+|major\w*|t[ae]\w*ch\w*|lectur\w+|professor|faculty|read)\b"
)
