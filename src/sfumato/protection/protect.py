"""A corpus through the loop, verified: widened and repeated where a verifying attack still finds too many."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from time import monotonic

from sfumato.attacks.background import Background
from sfumato.attacks.base import Person
from sfumato.attacks.ground_truth import GroundTruth, match_subjects
from sfumato.attacks.risk import LinkageRisk, find_strongest, hit_probability, linkage_risk
from sfumato.attacks.suite import Suite, run_attack
from sfumato.document import Attempt, Release, Score
from sfumato.errors import InputError
from sfumato.metrics.run import measure_each
from sfumato.progress import OnProgress, Progress, ignore_progress
from sfumato.protection.attackers import LoopAttacks, fitted, stems_of
from sfumato.protection.corpus import Checkpoints, CorpusProtector, LoopConfig
from sfumato.protection.precautions import checked
from sfumato.protection.records import ProtectedDocument, Protection, ThreatScenario, in_order
from sfumato.protection.target import Options, Target

# -- What attackers find whom the loop did not have in mind: other attacks, and attackers who have read more.


SAME = "other attacks, same background"
MORE = "same attacks, more background"
BOTH = "other attacks, more background"


def counted(found: Mapping[str, Sequence[Attempt]]) -> dict[str, LinkageRisk]:
    """How often each attack finds the true person."""
    return {name: linkage_risk(own) for name, own in found.items()}


def part_of(background: Sequence[Person], share: float) -> list[Person]:
    """The background as someone has it who has read the first part of each text only."""
    return [Person(person.id, tuple(_first(text, share) for text in person.texts)) for person in background]


def _first(text: str, share: float) -> str:
    end = max(1, round(len(text) * share))
    space = text.find(" ", end)
    return text[: space if 0 <= space < end + 30 else end]


def same_background(found: Mapping[str, LinkageRisk], people: int, joined: Sequence[str] = ()) -> ThreatScenario:
    """Attacks that the loop did not run, on the background that it read."""
    about = "Attacks that the loop did not run, with the background that it read."
    if joined:
        about += f" {_listed(joined)} found too many at first and joined the loop: what they find now is no proof."
    return ThreatScenario(SAME, about, people, found, True, tuple(joined))


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def more_background(
    by_loop: Mapping[str, LinkageRisk], by_others: Mapping[str, LinkageRisk], people: int, share: float, binding: bool
) -> list[ThreatScenario]:
    """A rehearsal: the loop read a part of the background, the attackers all of it."""
    how = f"A rehearsal in which the loop read the first {share:.0%} of each text of the background"
    return [
        ThreatScenario(MORE, f"{how}: the loop's attacks with all of it.", people, by_loop, binding),
        ThreatScenario(BOTH, f"{how}: attacks that it did not run, with all of it.", people, by_others, binding),
    ]


# -- Without a background: what can be said all the same.
#
# Of the subjects nothing is known, so what an attacker may know is reckoned with: rare terms, and what a document says
# again and again (``foresight.Unknown``). The other documents are the population in which each must not stand out. What
# attackers of single spans find is measured beside it. None of that is a measured chance of being found.


CHECKED = ("inference-rate",)
"""Metrics that need no background: how often the original of a span is guessed."""


def protect_population(
    starts: Sequence[Release], target: Target, config: LoopConfig, attacker_knowledge: float, on_progress: OnProgress
) -> Protection:
    """Repair releases until none stands out among the others by what may be known of its subject."""
    began = monotonic()
    open_ = [start for start in starts if start.text.strip()]
    texts: dict[str, list[str]] = defaultdict(list)
    for start in open_:
        for person in start.document.subject_ids:
            texts[person].append(start.text)
    if len(texts) < target.k:
        raise InputError(
            f"without a background the documents are the population, and {_people(len(texts))} too few to hide "
            f"among {target.k}: give more documents, a background (--background), or a smaller target (--k)"
        )
    population = [Person(key, tuple(own)) for key, own in texts.items()]
    subjects = {start.document.id: start.document.subject_ids for start in open_}
    on_progress(Progress("reading the documents"))
    crew = CorpusProtector.of_population(population, subjects, config, attacker_knowledge)
    made: list[ProtectedDocument] = []
    for one in crew.protect(open_, target, 1):
        made.append(one.release_anyway() if target.release_anyway else one)
        on_progress(Progress("protecting", len(made), len(open_)))
    on_progress(Progress("verifying"))
    return Protection(
        target,
        "population",
        in_order(starts, made, "it could not be checked"),
        {},
        {},
        tuple(crew.attacks),
        (),
        1,
        len(population),
        _digest(population),
        config.settings | {"foresight": attacker_knowledge},
        monotonic() - began,
        _checks([one for one in made if one.withheld is None]),
    )


def _people(count: int) -> str:
    return "one person is" if count == 1 else f"{count} people are"


def _checks(released: Sequence[ProtectedDocument]) -> dict[str, tuple[Score, Score]]:
    if not released:
        return {}
    found = measure_each(
        [one.release.document for one in released],
        {"before": [one.start for one in released], "after": [one.release for one in released]},
        metrics=CHECKED,
        background={one.id: one.start.text for one in released},
        settings={"inference-rate": {"guesser": "hierarchy"}},
    )
    both = found["before"].scores, found["after"].scores
    return {name: (both[0][name], both[1][name]) for name in CHECKED if name in both[0] and name in both[1]}


def _digest(population: Sequence[Person]) -> str:
    digest = hashlib.sha256()
    for person in population:
        digest.update(repr(person).encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


# -- A corpus through the loop, verified: widened and repeated where a verifying attack still finds too many.


_PART = 0.25
"""The share of the background that the loop reads in a rehearsal unless foresight says otherwise."""
_ROUNDS = 3
_FURTHER = 1.5
"""By how much more the loop looks ahead where a rehearsal missed the target."""
_NOBODY = "it is about nobody in the background, so its risk cannot be checked: give what is known of its subject"
_FOUND = "an attack still finds its subject: see the report"


Attempts = Mapping[str, Sequence[Attempt]]


def protect_releases(
    starts: Iterable[Release],
    background: Background | None,
    target: Target,
    options: Options | None = None,
    *,
    checkpoints: Checkpoints | None = None,
    on_progress: OnProgress = ignore_progress,
) -> Protection:
    """Repair releases until the target holds against the background, and verify that it does.

    ``starts`` are what a recipe made of the documents. Without a background the other documents are the population
    and nothing is verified (docs/protection.md). Raises where the target cannot be reached by anyone.
    """
    given, options = list(starts), options or Options()
    times = Counter(start.document.id for start in given)
    if len(times) < len(given):
        (twice, _), *_ = times.most_common(1)
        raise InputError(f"two documents have the id {twice!r}: give each its own, so that it is known whose risk is")
    if background is not None:
        target.check(len(background))
    config = _config(given, options, checkpoints or Checkpoints())
    if background is None:
        return protect_population(given, target, config, options.attacker_knowledge, on_progress)
    return _Run(given, background, target, options, config, on_progress).protection()


def _config(starts: Sequence[Release], options: Options, checkpoints: Checkpoints) -> LoopConfig:
    return LoopConfig(
        stems_of(start.document.text for start in starts),
        options.token_scorer,
        options.text_embedder,
        options.secret or checkpoints.secret(),
        checkpoints,
        checked(options.caution),
    )


class _Run:
    def __init__(
        self,
        starts: Sequence[Release],
        background: Background,
        target: Target,
        options: Options,
        config: LoopConfig,
        on_progress: OnProgress,
    ) -> None:
        self._began = monotonic()
        self._starts, self._background, self._target, self._options = starts, background, target, options
        self._config, self._on_progress = config, on_progress
        self._people = match_subjects([start.document for start in starts], background).people
        self._subjects = {key: sorted(people) for key, people in self._people.items()}
        self._open = [start for start in starts if start.document.id in self._subjects and start.text.strip()]
        self._suite = Suite(background, options.attacks, options.settings, options.chat)

    @cached_property
    def _attacks(self) -> LoopAttacks:
        """The loop's attacks, once they have read all of the background."""
        self._on_progress(Progress("reading the background"))
        return fitted(self._config.stems, self._background.people)

    def protection(self) -> Protection:
        attacker_knowledge, columns = self._foreseen() if self._options.attacker_knowledge > 1 else (1.0, None)
        crew = CorpusProtector(
            self._background.people, self._open, self._subjects, self._config, attacker_knowledge, self._attacks
        )
        made, attempts, rounds = self._widened(crew)
        made = _without_found(made, attempts, self._target)
        if self._target.release_anyway:
            made = [one.release_anyway() for one in made]
        if columns is None:
            columns = self._rehearsal(_PART, 1.0, binding=False)
        out = {one.id for one in made if one.withheld is None}
        after = counted(_only(attempts, out)) if out else {}
        others = {name: after[name] for name in self._suite.names} if out else {}
        before = self._attack({start.document.id: start.text for start in self._open}, "attacking the start")
        return Protection(
            self._target,
            "background",
            in_order(self._starts, made, _NOBODY),
            counted(before),
            after,
            (*crew.attacks, *crew.joined),
            (same_background(others, len(self._background), crew.joined), *columns),
            rounds,
            len(self._background),
            self._background.digest,
            self._config.settings | {"foresight": attacker_knowledge},
            monotonic() - self._began,
        )

    def _widened(self, crew: CorpusProtector) -> tuple[list[ProtectedDocument], Attempts, int]:
        """The loop; again where attacks find too many. Those that verify join it, else the ranks are doubled."""
        margin = 1
        for number in range(1, _ROUNDS + 1):
            made = self._loop(crew, self._open, margin, f"protecting, round {number}" if number > 1 else "protecting")
            released = {one.id: one.release.text for one in made if one.withheld is None}
            attempts = self._attack(released, "verifying")
            found = counted(attempts)
            missed = [name for name, one in found.items() if not self._target.is_met(one.learned.risk)]
            if not missed or self._target.budget is not None or number == _ROUNDS:
                break
            joining = [one for one in missed if one in self._suite.names and crew.join(one, self._suite.fitted(one))]
            if not joining:
                if self._target.k > len(self._background) // (2 * margin):
                    break
                margin *= 2
        return made, attempts, number

    def _foreseen(self) -> tuple[float, list[ThreatScenario]]:
        """How far the loop has to look ahead so that a rehearsal of it holds, and what the rehearsal found."""
        attacker_knowledge = self._options.attacker_knowledge
        for number in range(1, _ROUNDS + 1):
            columns = self._rehearsal(1 / self._options.attacker_knowledge, attacker_knowledge, binding=True)
            met = all(self._target.is_met(column.strongest[1].risk) for column in columns)
            if met or number == _ROUNDS:
                break
            attacker_knowledge *= _FURTHER
        return attacker_knowledge, columns

    def _rehearsal(self, share: float, attacker_knowledge: float, *, binding: bool) -> list[ThreatScenario]:
        """The loop reads a part of the background, the attackers all of it."""
        starts = self._open[: self._options.holdout_documents]
        if not starts:
            return []
        self._on_progress(Progress("reading a part of the background"))
        part = part_of(self._background.people, share)
        crew = CorpusProtector(part, self._open, self._subjects, self._config, attacker_knowledge)
        made = self._loop(crew, starts, 1, "rehearsing")
        released = {one.id: one.release.text for one in made if one.withheld is None}
        if not released:
            return []
        found = counted(self._attack(released, "verifying the rehearsal"))
        others = {name: found.pop(name) for name in self._suite.names}
        return more_background(found, others, len(self._background), share, binding)

    def _loop(
        self, crew: CorpusProtector, starts: Sequence[Release], margin: int, stage: str
    ) -> list[ProtectedDocument]:
        done: list[ProtectedDocument] = []
        for one in crew.protect(starts, self._target, margin):
            done.append(one.release_anyway() if self._target.release_anyway else one)
            self._on_progress(Progress(stage, len(done), len(starts)))
        return done

    def _attack(self, released: Mapping[str, str], stage: str) -> Attempts:
        """Every attack, the loop's and those that verify."""
        if not released:
            return {}
        truth = GroundTruth({key: self._people[key] for key in released}, (), 0)
        found: dict[str, list[Attempt]] = {}
        names = [*self._attacks, *self._suite.names]
        for number, name in enumerate(names):
            self._on_progress(Progress(stage, number, len(names)))
            own = self._attacks.get(name)
            found[name] = run_attack(name, own, released, truth) if own else self._suite.run(name, released, truth)
        return found


def _without_found(made: Sequence[ProtectedDocument], attempts: Attempts, target: Target) -> list[ProtectedDocument]:
    """The same, with documents withheld until no attack finds too many of the rest."""
    left = {one.id for one in made if one.withheld is None and one.released_anyway is None}
    while left:
        found = counted(_only(attempts, left))
        name, best = find_strongest(found, "learned")
        if target.is_met(best.risk):
            break
        left -= {one.document_id for one in attempts[name] if hit_probability(one, best.rank) > 0}
    return [
        one if one.withheld or one.released_anyway or one.id in left else replace(one, withheld=_FOUND) for one in made
    ]


def _only(attempts: Attempts, documents: Collection[str]) -> dict[str, list[Attempt]]:
    return {name: [one for one in own if one.document_id in documents] for name, own in attempts.items()}
