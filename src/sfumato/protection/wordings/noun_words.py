"""Nouns of more than one sense, and kinds that nobody puts into a sentence. English."""

from __future__ import annotations

EMPTY_KINDS = frozenset(
    (
        "cost or charge;accommodation;act with legal consequences;"
        "associate;athletics;cereal product;digital product or service;"
        "economic activity;equipment;event in public life;financial matter;gathering;general symptom;germ;"
        "health crisis;health matter;housing;inhabited place;institution;land;legal matter;life event;"
        "living creature;means of communication;means of payment;measure against property;"
        "measure depriving someone of liberty;member of a community;movable property;natural feature;"
        "natural or built feature;official act;official measure;part of a property;party to a transaction;"
        "person in a position of responsibility;person involved in a legal matter;person on a restricted diet;"
        "person on a visit or journey;person with a habit;person with an economic interest;personal achievement;"
        "personal contact;personal item;personal matter;pre-trial measure;prohibition or restriction;"
        "public utility;real estate;recording;road user;school of thought or movement;step in legal proceedings;"
        "substance;symbol;system of ideas;transport facility;worker;working person;written material"
    ).split(";")
)
"""So wide that they say nothing of what stood there, or no words for a sentence."""
OPEN_NOUNS = frozenset(
    "academic action administrator adult agent album analyst appeal architecture archive arm assembly assessor attack "
    "author back bail ball bank bar base battle belt bench bill bishop bottle boxer boy brain branch bridge bronze "
    "bug bullet camera candidate captain carpet case cast cell chair charge chemistry chicken chief child citation "
    "citizen clash client coach coin colt company compilation complaint conference consumption conviction corps cost "
    "counsel court cover custody custom cut cyclist daily damage dean degree division doctor dose dress driver drug "
    "election engagement ethics exemption exhibit expulsion face fashion fellow felt field fight figure filly finger "
    "fire foot foreigner forum fruit geography girl globe gold grant ground guard guest hand head heart history honor "
    "honour honours host illustrator interest interview investigation joint journal judge king knight label ladder "
    "lap law leader lecture leg lemon lens letter lied line literature magazine major manager master match max "
    "mechanics medicine medium meet member mine minister minor model money monthly moon mouse movement mph native "
    "note oath offering officer operation operator opus orange order organ organist paint paper parole part partner "
    "party passenger pastor pawn period pet petition piece pitch plant plate play politician politics port poster "
    "potable printer probation producer production prohibition prosecution provision punch queen race rally record "
    "release remand resident revolution right river rook root ruling score sea seat secretary seminar sentence set "
    "settlement settler share shell shot shoulder silver single skin spar stable staff star starter statistics steel "
    "store stream stroke subject suit summon summons support tank tech teeth television testimony theater theatre "
    "threat title tongue tooth track trainer tree trial trustee turkey unit violation virus walker watch weekly wine "
    "lid pupil man woman shortstop veteran prescription proof speech wool work writing young youth".split()
)
"""Known to our lists and WordNet in one sense, and used in others: in court a *settlement* is no village."""
