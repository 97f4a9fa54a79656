"""The target of a protected release (k, risk, loss budget) and the options of the loop."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, inf, isclose
from typing import Any

from sfumato import registry
from sfumato.attacks.base import MAX_GUESSES, LinkingAttack, NeedsChat
from sfumato.attacks.risk import STRONG_K
from sfumato.attacks.suite import Settings
from sfumato.errors import InputError, RecipeError
from sfumato.llm.chat import Chat
from sfumato.models.base import Embedder, TokenScorer, load_embedder, load_scorer
from sfumato.parallel import Engine
from sfumato.protection.attackers import VERIFYING
from sfumato.protection.keep import Keep

_NEAR = 0.015
"""How far 1 / k may lie above the risk that stands for it: regulators say 9 % and mean 1 in 11."""
SPREAD = 4
"""A document's rank is drawn from [k, SPREAD * k], so that an attacker who knows the method cannot infer it."""


@dataclass(frozen=True, slots=True)
class Target:
    """``k``: people who must fit a release at least as well as its subject does, the subject among them.

    ``budget``: the share of a document's information that may be lost for it; None: as much as it takes.
    ``release_anyway``: release what misses the target as well, and say so. ``risk``: the highest re-identification
    risk allowed, 1 / k by default.
    """

    k: int = STRONG_K
    budget: float | None = None
    release_anyway: bool = False
    risk: float = 0.0

    def __post_init__(self) -> None:
        if isinstance(self.k, bool) or not isinstance(self.k, int) or self.k < 2:
            raise RecipeError(f"k is {self.k!r}; it takes 2 people or more to hide one among them")
        if self.budget is not None and not 0 <= self.budget <= 1:
            raise RecipeError(f"the budget is {self.budget!r}; it is a share of the information, between 0 and 1")
        object.__setattr__(self, "risk", self.risk or 1 / self.k)

    @classmethod
    def of(
        cls,
        k: int | None = None,
        target_risk: float | None = None,
        budget: float | None = None,
        *,
        release_anyway: bool = False,
    ) -> Target:
        """From a user's options: ``k``, or a risk that stands for one (0.09 is 1 in 11).

        A budget alone asks for the least risk within it, so nothing is withheld for missing a target.
        """
        if target_risk is None:
            return cls(STRONG_K if k is None else k, budget, release_anyway or (budget is not None and k is None))
        if not 0 < target_risk <= 0.5:
            raise RecipeError(f"the target risk is {target_risk!r}; it lies above 0 and is at most 0.5 (1 in 2)")
        needed = max(round(1 / target_risk), ceil((1 - _NEAR) / target_risk))
        if k is not None and k != needed:
            raise RecipeError(
                f"k = {k} and a target risk of {target_risk:g} (k = {needed}) contradict each other: give one of them"
            )
        return cls(needed, budget, release_anyway, target_risk)

    def check(self, people: int) -> None:
        """Raise where no release can reach the target among so many people."""
        if self.k > people:
            raise InputError(
                f"the background holds {people} people, so nobody can hide among {self.k}: give a larger background, "
                f"or a target of {people} or less (--k)"
            )

    def secret_rank(self, secret: bytes, document_id: str, people: int, margin: int = 1) -> int:
        """The rank that a document's subject must reach: drawn from [k, 4k], the same for the same secret.

        ``margin``: multiplies the range. In a small background the range is smaller, but has k different ranks where
        that is possible: a rank that all documents share would be no secret.
        """
        last = max(self.k, min(SPREAD * self.k * margin, people // 2), min(2 * self.k * margin - 1, people))
        first = max(self.k, min(self.k * margin, last - self.k + 1))
        digest = hmac.digest(secret, b"rank\0" + document_id.encode("utf-8", "surrogatepass"), "sha256")
        # The same share of every range: with the same secret a larger k never asks for a smaller rank.
        return first + (int.from_bytes(digest) * (last - first + 1) >> 8 * len(digest))

    def is_met(self, risk: float) -> bool:
        """Whether a measured risk is within the target."""
        return risk < self.risk or isclose(risk, self.risk)


READER = "chat-link"
"""The attack in which a language model reads a release beside candidates."""
READER_SEARCH = "joint"
"""What finds its candidates: of all attacks it ranks most people before those that nobody finds."""


def asks_chat(attack: str | LinkingAttack, settings: Mapping[str, Any] | None = None) -> bool:
    """Whether an attack asks a language model."""
    if isinstance(attack, str):
        return attack in registry.names("attack") and registry.asks("attack", attack, settings or {})
    return isinstance(attack, NeedsChat) and attack.needs_chat


def verifying_attacks(named: Iterable[str | LinkingAttack] | None) -> tuple[str | LinkingAttack, ...]:
    """Those named, or the default ones; both where all that are named ask a language model."""
    attacks = tuple(named or ())
    return (*VERIFYING, *attacks) if all(map(asks_chat, attacks)) else attacks


SCORER = "frequency"
"""The default scorer of information loss: fast, and needs no model."""


@dataclass(frozen=True)
class Options:
    """How the loop works; the guarantee in the docs is about the defaults.

    ``attacker_knowledge``: the attacker has read so many times as much as the background holds. ``holdout_documents``:
    most documents of the hold-out run that shows what an attacker with more background finds; 0: none. ``attacks``: the
    verifying attacks. ``precautions``: budgets by kind of precautionary repair. ``chat``: for attacks that ask one.
    ``engine``: what runs the loop on documents, where scorer and embedder are named; no result depends on it.
    ``keep``: what the releases are for.
    """

    attacker_knowledge: float = 1.0
    holdout_documents: int = 200  # enough for a narrow interval
    attacks: Sequence[str | LinkingAttack] = VERIFYING
    settings: Settings | None = None
    scorer: str | TokenScorer = SCORER
    embedder: str | Embedder = "default"
    secret: bytes | None = None
    precautions: Mapping[str, float] = field(default_factory=dict)
    chat: Chat | None = None
    engine: Engine | None = None
    keep: Keep = field(default_factory=Keep)

    @property
    def asking(self) -> tuple[str, ...]:
        """The verifying attacks that ask the language model of the run."""
        settings = self.settings or {}
        named = [attack for attack in self.attacks if isinstance(attack, str)]
        return tuple(name for name in named if asks_chat(name, settings.get(name, {})))

    @property
    def reading(self) -> tuple[str, ...]:
        """The verifying attacks that ask a language model, that of the run or their own: they run once, at the end."""
        objects = [attack for attack in self.attacks if not isinstance(attack, str)]
        return (*self.asking, *(attack.name for attack in objects if asks_chat(attack)))

    def attack_settings(self, k: int) -> Settings:
        """The settings of the attacks; a reader compares as many people as the loop hides someone among."""
        settings = self.settings or {}
        if READER not in self.attacks or READER in settings:
            return settings
        return {**settings, READER: {"retrieve": READER_SEARCH, "candidates": min(MAX_GUESSES, SPREAD * k)}}

    def __post_init__(self) -> None:
        if not 1 <= self.attacker_knowledge < inf:
            raise RecipeError(
                f"the attacker knowledge is {self.attacker_knowledge:g}; it is a factor of 1 or more: how many "
                "times as much as the background the attacker has read"
            )
        if self.holdout_documents < 0:
            raise RecipeError(f"{self.holdout_documents} documents cannot be held out: give 0 (none) or more")

    @property
    def token_scorer(self) -> TokenScorer:
        """The scorer, loaded where it is only named."""
        return load_scorer(self.scorer) if isinstance(self.scorer, str) else self.scorer

    @property
    def text_embedder(self) -> Embedder:
        """The embedder, loaded where it is only named."""
        return load_embedder(self.embedder) if isinstance(self.embedder, str) else self.embedder
