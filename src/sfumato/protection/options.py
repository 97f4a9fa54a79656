"""How the loop works, as far as that can be chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import inf

from sfumato import registry
from sfumato.attacks.base import LinkingAttack
from sfumato.attacks.suite import Settings
from sfumato.errors import RecipeError
from sfumato.models.base import Embedder, TokenScorer
from sfumato.models.chat import Chat
from sfumato.models.choose import load_embedder, load_scorer
from sfumato.protection.attackers import VERIFYING

SCORER = "frequency"
"""Measures what a repair costs: known at once, and needs no model."""
REHEARSED = 200
"""Documents of a rehearsal at most: so many make an interval narrow enough."""


@dataclass(frozen=True)
class Options:
    """How the loop works; the defaults are what the guarantee in the docs speaks of.

    ``foresight``: the attacker has read so many times as much as the background holds. ``rehearsed``: documents of the
    rehearsal that shows what an attacker with more background finds; 0: none. ``attacks``: those that verify.
    ``caution``: other budgets than usual for what any background could hold. ``chat``: whom attacks ask that ask.
    """

    foresight: float = 1.0
    rehearsed: int = REHEARSED
    attacks: Sequence[str | LinkingAttack] = VERIFYING
    settings: Settings | None = None
    scorer: str | TokenScorer = SCORER
    embedder: str | Embedder = "default"
    secret: bytes | None = None
    caution: Mapping[str, float] = field(default_factory=dict)
    chat: Chat | None = None

    @property
    def asking(self) -> tuple[str, ...]:
        """The verifying attacks that ask a language model."""
        own = self.settings or {}
        named = [one for one in self.attacks if isinstance(one, str) and one in registry.names("attack")]
        return tuple(name for name in named if registry.asks("attack", name, own.get(name, {})))

    def __post_init__(self) -> None:
        if not 1 <= self.foresight < inf:
            raise RecipeError(f"foresight is {self.foresight:g}; an attacker has read 1 time as much as we, or more")
        if self.rehearsed < 0:
            raise RecipeError(f"{self.rehearsed} documents cannot be rehearsed: give 0 (none) or more")

    @property
    def token_scorer(self) -> TokenScorer:
        """The scorer, loaded where it is only named."""
        return load_scorer(self.scorer) if isinstance(self.scorer, str) else self.scorer

    @property
    def text_embedder(self) -> Embedder:
        """The embedder, loaded where it is only named."""
        return load_embedder(self.embedder) if isinstance(self.embedder, str) else self.embedder
