"""What the network is taught, and what it is not taught where nobody knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from training.tagger.labels import DECISIONS, TAGS, UNCOVERED
from training.tagger.windows import UNKNOWN


@dataclass(frozen=True)
class Weights:
    """How much each output counts, and how much a token to mask counts against one to leave."""

    type: float = 1.0
    decision: float = 0.5
    mask: float = 1.0
    mask_positive: float = 1.0
    focus: float = 0.0
    """Exponent of the focal loss on the mask output; 0 is plain cross-entropy."""
    gate: float = 1.0
    states: float = 1.0
    """Of the difference from a teacher's hidden states (``state_loss``)."""


def outside_tags(set_names: Sequence[str]) -> Tensor:
    """[set, tag]: which tags a token outside all annotations may truly have. See ``labels.UNCOVERED``."""
    rows = [[tag == "O" or tag[2:] in UNCOVERED.get(name, ()) for tag in TAGS] for name in set_names]
    return torch.tensor(rows)


def loss(outputs: tuple[Tensor, Tensor, Tensor], batch: dict[str, Tensor], outside: Tensor, weights: Weights) -> Tensor:
    """Weighted sum of the three losses, each a mean over the tokens where the answer is known."""
    types, decisions, masks = (output.float() for output in outputs)
    total = weights.type * type_loss(types, batch["tags"], outside[batch["sets"]])
    total = total + weights.decision * _mean_known(
        functional.cross_entropy(decisions.flatten(0, 1), batch["decisions"].clamp(min=0).flatten(), reduction="none"),
        batch["decisions"].flatten(),
    )
    wanted = batch["masks"].clamp(min=0).float()
    scale = torch.where(wanted > 0, weights.mask_positive, 1.0)
    errors = functional.binary_cross_entropy_with_logits(masks, wanted, reduction="none")
    if weights.focus:
        scale = scale * (1 - torch.exp(-errors)) ** weights.focus
    return total + weights.mask * _mean_known((errors * scale).flatten(), batch["masks"].flatten())


def gate_loss(gate: Tensor, batch: dict[str, Tensor], opinion_share: float) -> Tensor:
    """How far the gate is from what annotators say of masking and, with this share, from what the teachers say."""
    annotated = batch["masks"].clamp(min=0).float()
    errors = functional.binary_cross_entropy_with_logits(gate.float(), annotated, reduction="none")
    known = _mean_known(errors.flatten(), batch["masks"].flatten())
    if "opinions" not in batch:
        return known
    wanted = batch["opinions"][..., -1].float()
    errors = functional.binary_cross_entropy_with_logits(gate.float(), wanted, reduction="none")
    return (1 - opinion_share) * known + opinion_share * _mean_visible(errors, batch["visible"])


def state_loss(states: Sequence[Tensor], wanted: Sequence[Tensor], read: Tensor) -> Tensor:
    """How far hidden states are from those of a teacher, as a share of its variance: mean over layers.

    ``read``: [window, token], the tokens that count.
    """
    chosen = read.float()[..., None]
    count = chosen.sum().clamp(min=1)
    total = torch.zeros((), device=read.device)
    for state, target in zip(states, wanted, strict=True):
        target = target.float()
        mean = (target * chosen).sum((0, 1)) / count
        error = ((state.float() - target).square() * chosen).sum()
        total = total + error / ((target - mean).square() * chosen).sum().clamp(min=1e-6)
    return total / max(1, len(states))


def probabilities(types: Tensor, decisions: Tensor, mask: Tensor) -> Tensor:
    """One row of columns a token from the logits of a tagger."""
    parts = (types.float().softmax(-1), decisions.float().softmax(-1), mask.float().sigmoid()[..., None])
    return torch.cat(parts, -1)


def imitation(outputs: tuple[Tensor, Tensor, Tensor], opinions: Tensor, visible: Tensor) -> Tensor:
    """How far the outputs are from the teachers' mean probabilities: cross-entropy, mean over all tokens.

    ``opinions``: [window, token, column] as ``training.tagger.teachers`` gives them. Where annotators said nothing the
    teachers still have an opinion, so texts without any annotation teach, too.
    """
    types, decisions, masks = (output.float() for output in outputs)
    wanted_types, wanted_decisions, wanted_mask = opinions.float().split((len(TAGS), len(DECISIONS), 1), -1)
    errors = -(wanted_types * types.log_softmax(-1)).sum(-1)
    errors = errors - 0.5 * (wanted_decisions * decisions.log_softmax(-1)).sum(-1)
    errors = errors + functional.binary_cross_entropy_with_logits(masks, wanted_mask.squeeze(-1), reduction="none")
    return _mean_visible(errors, visible)


def type_loss(logits: Tensor, tags: Tensor, outside: Tensor) -> Tensor:
    """Negative log of the probability of all tags that fit: one inside a mention, perhaps several outside."""
    exact = functional.one_hot(tags.clamp(min=0), len(TAGS)).bool()
    fitting = torch.where((tags == 0)[..., None], outside[:, None, :], exact)
    likelihood = logits.log_softmax(-1).masked_fill(~fitting, -torch.inf).logsumexp(-1)
    return _mean_known(-likelihood.flatten(), tags.flatten())


def _mean_known(errors: Tensor, targets: Tensor) -> Tensor:
    known = targets != UNKNOWN
    return torch.where(known, errors, 0.0).sum() / known.sum().clamp(min=1)


def _mean_visible(errors: Tensor, visible: Tensor) -> Tensor:
    return torch.where(visible, errors, 0.0).sum() / visible.sum()
