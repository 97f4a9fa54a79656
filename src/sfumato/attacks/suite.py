"""Run linking attacks: several on one background, each fitted once and only when it runs; from files to a report."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, cast, get_args

from sfumato import registry
from sfumato.attacks import abstention
from sfumato.attacks.abstention import Abstention
from sfumato.attacks.background import Background, BackgroundLike, as_background
from sfumato.attacks.base import (
    AssumesTexts,
    CountsUsage,
    HasSettings,
    HasShards,
    LinkingAttack,
    SeesAllTexts,
    is_linking,
)
from sfumato.attacks.continuation import find_continuation
from sfumato.attacks.ground_truth import GroundTruth, documents_naming_others, match_subjects, unmatched_problems
from sfumato.attacks.risk import AttackReport, RankChoice, build_report, with_true_rank
from sfumato.document import Attempt, Release
from sfumato.errors import InputError, NotMeasurable, Problem, RecipeError, UnknownName
from sfumato.formats.base import Columns
from sfumato.formats.inputs import Corpus, Releases, as_documents, as_releases
from sfumato.llm.chat import Chat
from sfumato.parallel import Engine
from sfumato.progress import OnProgress, Progress, ignore_progress

Settings = Mapping[str, Mapping[str, Any]]


def linking_attacks() -> list[str]:
    """All registered linking attacks."""
    return [name for name in registry.names("attack") if is_linking(registry.get("attack", name))]


def default_attacks() -> list[str]:
    """The linking attacks that need no extra, no language model, nothing else to be named, and no minutes."""
    return [name for name in linking_attacks() if _is_ready(registry.get("attack", name))]


def _is_ready(attack: Any) -> bool:
    needed = [item for item in inspect.signature(attack).parameters.values() if item.default is item.empty]
    excluded = getattr(attack, "needs_chat", False) or getattr(attack, "named_only", False)
    return getattr(attack, "extra", None) is None and not needed and not excluded


class Suite:
    """The attacks by name, against one background."""

    def __init__(
        self,
        background: Background,
        attacks: Iterable[str | LinkingAttack] | None = None,
        settings: Settings | None = None,
        chat: Chat | None = None,
        engine: Engine | None = None,
    ) -> None:
        """``attacks``: names or objects; by default all that need no extra and no language model. ``settings``: by
        attack, then by option. ``chat``: the language model of attacks that need one. ``engine``: what does the work of
        attacks that have shards of people."""
        self.background = background
        self.settings: Settings = settings or {}
        self._attacks: dict[str, LinkingAttack] = {}
        self._fitted: set[str] = set()
        self._registered: set[str] = set()
        self._calibration: abstention.Calibration | None = None
        for attack in default_attacks() if attacks is None else attacks:
            if isinstance(attack, str):
                options = self.settings.get(attack, {})
                if attack in registry.names("attack"):
                    _check_linking(attack, registry.get("attack", attack))
                resources: dict[str, Any] = {} if chat is None or "chat" in options else {"chat": chat}
                self._attacks[attack] = registry.create("attack", attack, options, **resources)
                self._registered.add(attack)
            else:
                _check_linking(attack.name, attack)
                self._attacks[attack.name] = attack
        if engine is not None:
            for attack in self._attacks.values():
                if isinstance(attack, HasShards) and attack.has_shards:
                    attack.engine = engine
        if not self._attacks:
            raise UnknownName("no attack was named, and none is registered that needs no extra")
        for name in self.settings:
            if name not in self._attacks:
                raise UnknownName(f"a setting is for the attack {name!r}, which does not run; name it with --attack")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._attacks)

    def is_registered(self, name: str) -> bool:
        """Whether the attack was given by name, so that name and settings say all about it."""
        return name in self._registered

    def is_joint(self, name: str) -> bool:
        """Whether the attack sees all releases at once."""
        attack = self._attacks[name]
        return isinstance(attack, SeesAllTexts) and attack.joint

    def goal(self, name: str) -> str:
        return self._attacks[name].goal

    def cost(self, name: str) -> dict[str, Any]:
        """The usage of an attack that asks a language model, with the model and the prompt; else empty."""
        attack = self._attacks[name]
        return {"chat": attack.chat_name, **attack.usage.to_json()} if isinstance(attack, CountsUsage) else {}

    def attack_settings(self) -> dict[str, dict[str, Any]]:
        """By attack what its figures depend on, of those that say it."""
        saying = ((name, attack) for name, attack in self._attacks.items() if isinstance(attack, HasSettings))
        return {name: dict(attack.settings) for name, attack in saying if attack.settings}

    def abstention(self, name: str, attempts: Sequence[Attempt]) -> Abstention | None:
        """What an attack finds that asserts only links it is sure of, by its attempts with their true ranks.

        The margin is learned on the background, but not for an attack that asks a language model, runs only if it is
        named or was given as an object, nor among very many people: then from the other releases. None: no margin is
        wide enough.
        """
        attack = registry.get("attack", name) if name in self._registered else None
        margin = None
        if attack is not None and _is_ready(attack) and len(self.background) <= abstention.MAX_PEOPLE:
            if self._calibration is None:
                self._calibration = abstention.hold_out(self.background.people)
            fresh = registry.create("attack", name, self.settings.get(name, {}))
            margin = abstention.learn_margin(fresh, self._calibration)
        return abstention.abstain_by_others(attempts) if margin is None else abstention.abstain(attempts, margin)

    def run(self, name: str, released: Mapping[str, str], truth: GroundTruth) -> list[Attempt]:
        """One attempt with its true rank for each document of the truth. Blank texts are not attacked."""
        return run_attack(name, self.fitted(name), released, truth)

    def fitted(self, name: str) -> LinkingAttack:
        """An attack that has read the background."""
        if name not in self._fitted:
            self._attacks[name].fit(self.background.people)
            self._fitted.add(name)
        return self._attacks[name]


def run_attack(name: str, attack: LinkingAttack, released: Mapping[str, str], truth: GroundTruth) -> list[Attempt]:
    """A fitted attack's attempts with their true ranks, one for each document of the truth that was released."""
    texts = {key: text for key, text in released.items() if text.strip()}
    if isinstance(attack, AssumesTexts):
        counts = Counter(person for key in texts for person in truth.people.get(key, ()))
        attack.assume(max(counts.values(), default=1))
    attempts = {attempt.document_id: attempt for attempt in (attack.run(texts) if texts else ())}
    if missing := texts.keys() - attempts.keys():
        raise NotMeasurable(f"the attack {name!r} said nothing about {len(missing)} of {len(texts)} releases")
    return [
        with_true_rank(attempts.get(key) or Attempt(name, key, ()), people)
        for key, people in truth.people.items()
        if key in released
    ]


class LazyAttempts(Mapping[str, Sequence[Attempt]]):
    """Attempts by attack; each attack runs when its attempts are first used."""

    def __init__(
        self, names: Sequence[str], run: Callable[[str], Sequence[Attempt]], settings: Settings | None = None
    ) -> None:
        """``settings``: by attack what its figures depend on."""
        self._names, self._run = tuple(names), cache(run)
        self.settings: Settings = settings or {}

    def __getitem__(self, name: str) -> Sequence[Attempt]:
        if name not in self._names:
            raise KeyError(name)
        return self._run(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _check_linking(name: str, attack: Any) -> None:
    if not is_linking(attack):
        raise UnknownName(
            f"the attack {name!r} does not link texts to people, so it has no risk of its own: its figures come from "
            f"'sfumato measure' (docs/attacks.md). Those that link: {', '.join(linking_attacks())}"
        )


def attack_releases(
    originals: Corpus,
    releases: Releases,
    background: BackgroundLike | Background,
    *,
    attacks: Iterable[str | LinkingAttack] | None = None,
    settings: Settings | None = None,
    chat: Chat | None = None,
    rank: str = "first",
    engine: Engine | None = None,
    columns: Columns | None = None,
    background_columns: Columns | None = None,
    on_progress: OnProgress = ignore_progress,
) -> AttackReport:
    """Every attack named (all that need no extra) on every release whose person is in the background.

    ``chat``: the language model of attacks that ask one; those run only where they are named. ``engine``: what does the
    work of attacks by shared terms, in shards of people; results do not depend on it.
    """
    if rank not in get_args(RankChoice):
        raise RecipeError(
            f"rank is {rank!r}; an attacker looks at the 'first', at the 'best', or at the one that is 'learned'"
        )
    columns = columns or Columns()
    problems: list[Problem] = []
    documents = as_documents(originals, columns, problems.append)
    attacked = as_releases("releases", releases, documents, columns, problems.append, Release.rewritten)
    if not attacked:
        first = f" (the first: {problems[0]})" if problems else ""
        raise InputError(f"no release is left to attack: {len(problems)} problems{first}")
    loaded = as_background(background, background_columns, problems.append, columns)
    truth = match_subjects([release.document for release in attacked], loaded)
    problems += unmatched_problems(truth)
    suite = Suite(loaded, attacks, settings, chat, engine)
    released = {release.document.id: release.text for release in attacked}
    attempts, abstaining = dict[str, list[Attempt]](), dict[str, Abstention]()
    for number, name in enumerate(suite.names):
        on_progress(Progress("attacking", number, len(suite.names), name))
        attempts[name] = suite.run(name, released, truth)
        if (figures := suite.abstention(name, attempts[name])) is not None:
            abstaining[name] = figures
    report = build_report(attempts, released, loaded, truth, rank=cast(RankChoice, rank), problems=problems)
    return replace(
        report,
        cost={name: cost for name in suite.names if (cost := suite.cost(name))},
        settings=suite.attack_settings(),
        joint=tuple(name for name in suite.names if suite.is_joint(name)),
        abstaining=abstaining,
        also_named=documents_naming_others((release.document for release in attacked), loaded),
        continuation=find_continuation((release.document for release in attacked), truth.people, loaded.people),
    )
