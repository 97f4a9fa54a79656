"""Who is in a released text, and what can still be inferred of each of them (paper 004)."""

from sfumato.attacks.subjects.alignment import aligned
from sfumato.attacks.subjects.attack import SubjectAttack
from sfumato.attacks.subjects.ground_truth import Fact, Subject, subjects_of
from sfumato.attacks.subjects.matching import AttributeJudge, agreement
from sfumato.attacks.subjects.profiler import HouseProfiler, Profiler
from sfumato.attacks.subjects.tags import TAGS, Attribute, Profile, attempt_of

__all__ = [
    "TAGS",
    "Attribute",
    "AttributeJudge",
    "Fact",
    "HouseProfiler",
    "Profile",
    "Profiler",
    "Subject",
    "SubjectAttack",
    "agreement",
    "aligned",
    "attempt_of",
    "subjects_of",
]
