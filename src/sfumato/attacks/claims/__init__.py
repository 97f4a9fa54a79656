"""Someone who knows a few claims of a record finds it among the releases, and reads there of the others."""

from sfumato.attacks.claims.attack import ClaimsAttack, known_claims
from sfumato.attacks.claims.judges import EmbeddingJudge, Judge, LexicalJudge, Question
from sfumato.attacks.claims.split import Claim, Clauses, Splitter

__all__ = [
    "Claim",
    "ClaimsAttack",
    "Clauses",
    "EmbeddingJudge",
    "Judge",
    "LexicalJudge",
    "Question",
    "Splitter",
    "known_claims",
]
