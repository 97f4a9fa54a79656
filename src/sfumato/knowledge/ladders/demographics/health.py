"""Conditions that the table does not list, by how their names are built: *fracture of the tibia*, *periostitis*."""

from __future__ import annotations

import re

from sfumato.knowledge.ladders.demographics.kinds import Kind, kinds
from sfumato.knowledge.ladders.demographics.phrases import LONGEST, Reading
from sfumato.knowledge.ladders.demographics.phrases import read as read_phrase

_HARM = (
    "fractures?|injur(?:y|ies)|wounds?|bruis(?:e|es|ing)|lacerations?|contusions?|abrasions?|sprains?|dislocations?|cuts?|"
    "haematomas?"
)
_OF_PART = re.compile(
    rf"(?:[\w-]+ ){{0,3}}(?:{_HARM}) (?:of|to|on|in) (?:the |a |an |his |her |their |one of (?:his|her) )?(.+)"
)
_PART_FIRST = re.compile(rf"(.+) (?:{_HARM})")
_HARMED_PART = re.compile(
    r"(?:severely |badly |slightly )?"
    r"(?:broken|fractured|injured|dislocated|sprained|bruised|wounded|torn|crushed|amputated) (.+)"
)
_SEVERAL = re.compile(r"\b(?:fractures|injuries|wounds|bruises|[a-z]+(?:ations|usions|asions|ains|omas)|cuts)\b")
_WHERE = {
    "part of the head": "head injury",
    "part of the arm": "arm or hand injury",
    "part of the leg": "leg or foot injury",
    "part of the back": "injury",
    "part of the trunk": "injury",
    "part of the neck": "injury",
}
_LIMBS = {"arm": "arm or hand injury", "leg": "leg or foot injury"}
_ENDINGS = (
    (re.compile(r".{3,}(?:ectomy|ostomy|otomy|plasty)"), "surgical operation"),
    (re.compile(r".{3,}oscopy"), "diagnostic test"),
    (re.compile(r".{2,}itis"), "illness"),
    (re.compile(r".{3,}(?:carcinoma|sarcoma|blastoma)"), "cancer"),
    (re.compile(r".{3,}(?:lymphoma|leukaemia|leukemia)"), "blood cancer"),
    (re.compile(r".{3,}algia"), "health problem"),
    (re.compile(r".{3,}(?:neuropathy)"), "nerve disorder"),
    (re.compile(r".{3,}(?:cardiomyopathy|carditis)"), "heart disease"),
    (re.compile(r".{3,}(?:nephropathy)"), "kidney disease"),
    (re.compile(r".{3,}(?:retinopathy)"), "eye disease"),
    (re.compile(r".{3,}(?:arthritis|arthrosis)"), "joint disease"),
    (re.compile(r".{3,}(?:dermatitis|dermatosis)"), "skin disease"),
    (re.compile(r".{2,}(?:hepatitis)"), "liver disease"),
    (re.compile(r".{2,}(?:pneumonia|bronchitis)"), "lung disease"),
    (re.compile(r".{3,}(?:plegia|paresis)"), "paralysis"),
    (re.compile(r".{3,}(?:anaemia|anemia|penia)"), "blood disorder"),
    (re.compile(r".{3,}phobia"), "anxiety or stress-related disorder"),
)
"""How names of conditions and operations end, and what is then true of them."""
_NOT_MEDICAL = frozenset(
    "xenophobia homophobia islamophobia transphobia nostalgia photophobia hydrophobia osteopenia".split()
)


def read(phrase: str) -> Reading | None:
    """What a tidied phrase is by its making; None where that is not sure."""
    if len(phrase) > LONGEST or re.match(r"\d|(?:no|not|without|former|alleged) ", phrase):
        return None
    last = phrase.removeprefix("a ").removeprefix("an ").rpartition(" ")[2]
    kind = _by_ending(last)
    return Reading(kind.chain) if kind else None


def read_harm(phrase: str) -> Reading | None:
    """Of an injury to a named part of the body: which part of it."""
    if len(phrase) > LONGEST:
        return None
    for shape in (_OF_PART, _HARMED_PART, _PART_FIRST):
        found = shape.fullmatch(phrase)
        if not found:
            continue
        many = bool(_SEVERAL.search(phrase)) or (shape is _HARMED_PART and phrase.endswith("s"))
        part = re.sub(
            r"^(?:the |lower |upper |left |right |both |fourth |fifth |first |second |third |\d\w* )+", "", found[1]
        )
        if part.rstrip("s") in _LIMBS:
            return Reading(kinds().own[_LIMBS[part.rstrip("s")]].chain, many)
        if "shoulder" in part:
            return Reading(kinds().own["injury"].chain, many)
        reading = read_phrase(part)
        where = [_WHERE[kind.phrase] for kind in reading.kinds if _WHERE.get(kind.phrase)] if reading else []
        if where:
            return Reading(kinds().own[where[0]].chain, many)
    return None


def _by_ending(word: str) -> Kind | None:
    if word in _NOT_MEDICAL:
        return None
    fitting = [name for shape, name in _ENDINGS if shape.fullmatch(word)]
    # The narrowest of the endings that fit: "polyarthritis" is a joint disease, not only an illness.
    return max((kinds().own[name] for name in fitting), key=lambda kind: len(kind.chain), default=None)
