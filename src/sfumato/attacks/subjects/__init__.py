"""Who is in a released text, and what can still be inferred of each of them (Oh et al., 2026)."""

from sfumato.attacks.subjects.attack import Fact, Subject, SubjectAttack, align_subjects, read_subjects
from sfumato.attacks.subjects.matching import TAGS, Attribute, AttributeJudge, Profile, agreement, to_attempt
from sfumato.attacks.subjects.profiler import Profiler, RuleProfiler

__all__ = [
    "TAGS",
    "Attribute",
    "AttributeJudge",
    "Fact",
    "RuleProfiler",
    "Profile",
    "Profiler",
    "Subject",
    "SubjectAttack",
    "agreement",
    "align_subjects",
    "to_attempt",
    "read_subjects",
]
