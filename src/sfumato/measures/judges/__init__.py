"""Judges that are metrics: a language model reads originals and releases, and what it says of them is counted."""

from sfumato.measures.judges.asked import Judge
from sfumato.measures.judges.coherent import coherence
from sfumato.measures.judges.multiple_choice import multiple_choice_accuracy
from sfumato.measures.judges.questions import Exam, load_exam
from sfumato.measures.judges.releases import judged_hallucination, judged_meaning, judged_readability
from sfumato.measures.judges.requests import request_categories

__all__ = [
    "Exam",
    "Judge",
    "coherence",
    "judged_hallucination",
    "judged_meaning",
    "judged_readability",
    "load_exam",
    "multiple_choice_accuracy",
    "request_categories",
]
