"""Whether a replacement is true, and vaguer than what it replaces."""

from sfumato.measures.generalization.judge import TableJudge, judge_pairs
from sfumato.measures.generalization.metrics import abstract_share, truthful_share
from sfumato.measures.generalization.pairs import PairJudge, Verdict

__all__ = ["PairJudge", "TableJudge", "Verdict", "abstract_share", "judge_pairs", "truthful_share"]
