"""Protect a corpus: run the loop, verify with other attacks and more background, repeat where too many are found."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from time import monotonic

from sfumato.attacks.background import Background
from sfumato.attacks.base import Person
from sfumato.attacks.continuation import find_continuation
from sfumato.attacks.ground_truth import GroundTruth, documents_naming_others, match_subjects
from sfumato.attacks.linking.followed import Followable
from sfumato.attacks.risk import LinkageRisk, find_strongest, hit_probability, linkage_risk
from sfumato.attacks.suite import Suite, run_attack
from sfumato.document import Attempt, Outcome, Release, Score, Withheld
from sfumato.errors import InputError, SfumatoError
from sfumato.isolation import attempt, concerns_run, find_failing, run_step, run_without_failing
from sfumato.lexicon.caches import forget_texts
from sfumato.metrics.run import measure_each
from sfumato.progress import OnProgress, Progress, ignore_progress
from sfumato.protection.attackers import LoopAttacks, fit_loop_attacks, majority_stemmer
from sfumato.protection.checkpoints import Checkpoints
from sfumato.protection.corpus import CorpusProtector, LoopConfig, LoopWorkers, is_followable
from sfumato.protection.keep import TermWorth
from sfumato.protection.precautions import merge_budgets
from sfumato.protection.preparation import as_initial
from sfumato.protection.records import ProtectedDocument, Protection, Scenario, ThreatScenario, in_input_order
from sfumato.protection.target import Options, Target

_HOLDOUT_SHARE = 0.25
"""The share of the background that the loop reads in a hold-out run, unless ``attacker_knowledge`` implies another."""
_ROUNDS = 3
_KNOWLEDGE_STEP = 1.5
"""The factor by which more attacker knowledge is assumed where a hold-out run missed the target."""
_NO_BACKGROUND = (
    "it is about nobody in the background, so its risk cannot be checked: give what is known of its subject"
)
_STILL_FOUND = "an attack still finds its subject: see the report"
POPULATION_METRICS = ("inference-rate",)
"""Metrics that need no background: how often the original of a span is guessed."""

Attempts = Mapping[str, Sequence[Attempt]]


def protect_releases(
    outcomes: Iterable[Outcome],
    background: Background | None,
    target: Target,
    options: Options | None = None,
    *,
    checkpoints: Checkpoints | None = None,
    on_progress: OnProgress = ignore_progress,
    finish: Callable[[Release], Outcome] | None = None,
) -> Protection:
    """Repair releases until the target holds against the background, and verify that it does.

    ``outcomes``: what a recipe made of the documents; ``finish``: its last steps (``Pipeline.finish``). Without a
    background the other documents are the population, and nothing is verified (docs/protection.md). Raises where no
    release can reach the target.
    """
    outcomes, options = list(outcomes), options or Options()
    counts = Counter(outcome.document.id for outcome in outcomes)
    if len(counts) < len(outcomes):
        (duplicate, _), *_ = counts.most_common(1)
        raise InputError(
            f"two documents have the id {duplicate!r}: give each its own, so that it is known whose risk is whose"
        )
    if background is not None:
        target.check(len(background))
    checkpoints = checkpoints or Checkpoints()

    def protect(outcomes: list[Outcome]) -> Protection:
        return _protect(outcomes, background, target, options, checkpoints, on_progress, finish)

    try:
        protection, failing = run_without_failing(outcomes, protect)
    finally:
        forget_texts()
    documents = iter(protection.documents)
    withheld = {n: Withheld(outcomes[n].document, reason) for n, reason in failing.items()}
    return replace(
        protection,
        documents=tuple(
            ProtectedDocument(withheld[n], outcome) if n in withheld else next(documents)
            for n, outcome in enumerate(outcomes)
        ),
    )


def _protect(
    outcomes: list[Outcome],
    background: Background | None,
    target: Target,
    options: Options,
    checkpoints: Checkpoints,
    on_progress: OnProgress,
    finish: Callable[[Release], Outcome] | None,
) -> Protection:
    initial = [attempt(partial(as_initial, outcome, target), outcome.document) for outcome in outcomes]
    stems = majority_stemmer(item.document.text for item in initial)
    worth = None
    if options.keep:
        worth = TermWorth(options.keep, [item.document for item in initial])
        put_back = worth.initial
        initial = run_step(initial, lambda items: list(map(put_back, items)), lambda item: item.document)
    engine, scorer, embedder, workers = options.engine, options.scorer, options.embedder, None
    if engine is not None and isinstance(scorer, str) and isinstance(embedder, str):
        workers = LoopWorkers(engine, scorer, embedder)
    config = LoopConfig(
        stems,
        options.token_scorer,
        options.text_embedder,
        options.secret or checkpoints.secret(),
        checkpoints,
        merge_budgets(options.precautions),
        workers,
        worth,
        finish,
    )
    if background is None:
        return protect_population(initial, target, config, options.attacker_knowledge, on_progress)
    documents = [outcome.document for outcome in outcomes]
    also_named = documents_naming_others(documents, background)
    people = match_subjects(documents, background).people
    continuation = find_continuation(documents, people, background.people)
    protection = _Run(initial, background, target, options, config, on_progress).protection()
    released = {document.id for document in protection.released}
    also_named = tuple(key for key in also_named if key in released)
    return replace(protection, also_named=also_named, continuation=continuation)


class _Run:
    """One protected corpus with a background."""

    def __init__(
        self,
        initial: Sequence[Outcome],
        background: Background,
        target: Target,
        options: Options,
        config: LoopConfig,
        on_progress: OnProgress,
    ) -> None:
        self._started = monotonic()
        self._initial, self._background, self._target, self._options = initial, background, target, options
        self._config, self._on_progress = config, on_progress
        self._raised: dict[str, str] = {}
        """Documents that an attack raised on, with the kind of error: what they tell is not known."""
        self._people = match_subjects([outcome.document for outcome in initial], background).people
        self._subjects = {key: sorted(people) for key, people in self._people.items()}
        self._attackable = [release for release in _readable(initial) if release.document.id in self._subjects]
        self._suite = Suite(background, options.attacks, options.attack_settings(target.k), options.chat)
        self._verifying = [name for name in self._suite.names if name not in options.reading]

    @cached_property
    def _attacks(self) -> LoopAttacks:
        """The loop's attacks, fitted on the whole background."""
        self._on_progress(Progress("reading the background"))
        return fit_loop_attacks(self._config.stems, self._background.people)

    def protection(self) -> Protection:
        knowledge, holdout = 1.0, None
        if self._options.attacker_knowledge > 1:
            knowledge, holdout = self._required_knowledge()
        protector = CorpusProtector(
            self._background.people, self._attackable, self._subjects, self._config, knowledge, self._attacks
        )
        protected, attempts, rounds = self._protect_and_verify(protector)
        protected = _withhold_found(protected, attempts, self._target)
        if self._options.reading and (texts := _released_texts(protected)):
            attempts = {**attempts, **self._attack(texts, "verifying by a language model", self._options.reading)}
            protected = self._without_raised(protected)
            protected = _withhold_found(protected, attempts, self._target)
        if holdout is None:
            holdout = self._holdout_run(_HOLDOUT_SHARE, 1.0, binding=False)
        released = {document.id for document in protected if document.withheld is None}
        after = linkage_risks(_restricted_to(attempts, released)) if released else {}
        verifying = {name: after[name] for name in self._suite.names if released}
        before = self._attack(
            {release.document.id: release.text for release in self._attackable},
            "attacking the initial releases",
            self._fast_attacks,
        )
        return Protection(
            self._target,
            "background",
            in_input_order(self._initial, protected, _NO_BACKGROUND),
            linkage_risks(before),
            after,
            (*protector.attacks, *protector.joined),
            (
                same_background(verifying, len(self._background), protector.joined, self._options.reading),
                *holdout,
            ),
            rounds,
            len(self._background),
            self._background.digest,
            self._config.settings | {"attacker_knowledge": knowledge},
            monotonic() - self._started,
        )

    def _protect_and_verify(self, protector: CorpusProtector) -> tuple[list[ProtectedDocument], Attempts, int]:
        """Repeat the loop while attacks find too many: verifying attacks join it, else the ranks are doubled."""
        margin = 1
        for number in range(1, _ROUNDS + 1):
            stage = f"protecting, round {number}" if number > 1 else "protecting"
            protected = list(protector.protect(self._attackable, self._target, margin, stage, self._on_progress))
            attempts = self._attack(_released_texts(protected), "verifying", self._fast_attacks)
            protected = self._without_raised(protected)
            risks = linkage_risks(attempts)
            missed = [name for name, risk in risks.items() if not self._target.is_met(risk.learned.risk)]
            if not missed or self._target.budget is not None or number == _ROUNDS:
                break
            joining = self._join(protector, missed, risks, only_first=number < _ROUNDS - 1)
            if not joining:
                if self._target.k > len(self._background) // (2 * margin):
                    break
                margin *= 2
        return protected, attempts, number

    def _join(
        self, protector: CorpusProtector, missed: Sequence[str], risks: Mapping[str, LinkageRisk], *, only_first: bool
    ) -> bool:
        """Whether verifying attacks that find too many joined the loop: all that it can follow, or the first."""
        names = [name for name in missed if name in self._suite.names and name not in protector.joined]
        fitted = ((name, self._suite.fitted(name)) for name in names)
        followable = {name: attack for name, attack in fitted if is_followable(attack)}
        joining = first_to_join(followable, risks, self._target) if only_first else followable
        return sum(protector.join(name, attack) for name, attack in joining.items()) > 0

    def _required_knowledge(self) -> tuple[float, list[ThreatScenario]]:
        """How much attacker knowledge the loop must assume for a hold-out run to meet the target; and that run."""
        knowledge = self._options.attacker_knowledge
        for number in range(1, _ROUNDS + 1):
            scenarios = self._holdout_run(1 / self._options.attacker_knowledge, knowledge, binding=True)
            met = all(self._target.is_met(scenario.strongest[1].risk) for scenario in scenarios)
            if met or number == _ROUNDS:
                break
            knowledge *= _KNOWLEDGE_STEP
        return knowledge, scenarios

    def _holdout_run(self, share: float, attacker_knowledge: float, *, binding: bool) -> list[ThreatScenario]:
        """The loop reads a part of the background, the attackers all of it."""
        initial = self._attackable[: self._options.holdout_documents]
        if not initial:
            return []
        self._on_progress(Progress("reading a part of the background"))
        part = background_part(self._background.people, share)
        protector = CorpusProtector(part, self._attackable, self._subjects, self._config, attacker_knowledge)
        protected = protector.protect(initial, self._target, 1, "hold-out run", self._on_progress)
        released = _released_texts(protected)
        if not released:
            return []
        risks = linkage_risks(self._attack(released, "verifying the hold-out run", self._fast_attacks))
        verifying = {name: risks.pop(name) for name in self._verifying}
        return more_background(risks, verifying, len(self._background), share, binding)

    @property
    def _fast_attacks(self) -> list[str]:
        """The loop's attacks and the verifying ones, without those that ask a language model."""
        return [*self._attacks, *self._verifying]

    def _attack(self, released: Mapping[str, str], stage: str, names: Sequence[str]) -> Attempts:
        """The attempts of these attacks, with true ranks."""
        attempts: dict[str, list[Attempt]] = {}
        for number, name in enumerate(names):
            self._on_progress(Progress(stage, number, len(names), name))
            run = partial(self._run_attack, name, released)
            keys = [key for key in released if key not in self._raised]
            try:
                attempts[name] = run(keys) if keys else []
            except Exception as error:
                if isinstance(error, SfumatoError) or concerns_run(error) or not (failing := find_failing(keys, run)):
                    raise
                self._raised |= {keys[number]: reason for number, reason in failing.items()}
                keys = [key for key in keys if key not in self._raised]
                attempts[name] = run(keys) if keys else []
        if not self._raised:
            return attempts if released else {}
        return _restricted_to(attempts, released.keys() - self._raised)

    def _run_attack(self, name: str, released: Mapping[str, str], keys: Sequence[str]) -> list[Attempt]:
        texts = {key: released[key] for key in keys}
        truth = GroundTruth({key: self._people[key] for key in keys}, (), 0)
        attack = self._attacks.get(name)
        return run_attack(name, attack, texts, truth) if attack else self._suite.run(name, texts, truth)

    def _without_raised(self, protected: Sequence[ProtectedDocument]) -> list[ProtectedDocument]:
        return [
            replace(document, outcome=Withheld(document.outcome.document, self._raised[document.id]))
            if document.id in self._raised
            else document
            for document in protected
        ]


def _readable(initial: Sequence[Outcome]) -> list[Release]:
    return [outcome for outcome in initial if isinstance(outcome, Release) and outcome.text.strip()]


def _released_texts(protected: Iterable[ProtectedDocument]) -> dict[str, str]:
    return {document.id: document.release.text for document in protected if document.withheld is None}


def _withhold_found(
    protected: Sequence[ProtectedDocument], attempts: Attempts, target: Target
) -> list[ProtectedDocument]:
    """Withhold documents until no attack finds too many of the rest."""
    remaining = {
        document.id for document in protected if document.withheld is None and document.released_anyway is None
    }
    while remaining:
        name, strongest = find_strongest(linkage_risks(_restricted_to(attempts, remaining)), "learned")
        if target.is_met(strongest.risk):
            break
        remaining -= {attempt.document_id for attempt in attempts[name] if hit_probability(attempt, strongest.rank) > 0}
    return [
        document
        if document.withheld or document.released_anyway or document.id in remaining
        else document.withhold(_STILL_FOUND, target)
        for document in protected
    ]


def _restricted_to(attempts: Attempts, documents: Collection[str]) -> dict[str, list[Attempt]]:
    return {
        name: [attempt for attempt in several if attempt.document_id in documents] for name, several in attempts.items()
    }


def linkage_risks(attempts: Attempts) -> dict[str, LinkageRisk]:
    """How often each attack finds the true person."""
    return {name: linkage_risk(several) for name, several in attempts.items()}


def first_to_join(
    missed: Mapping[str, Followable], risks: Mapping[str, LinkageRisk], target: Target
) -> dict[str, Followable]:
    """Of attacks that find too many: those that clearly do, by the lower end of their interval; else the strongest.

    Repairs against these lower what the others find, often enough; to follow all would cost more information. The
    strongest is one that does not compare meanings, where there is one: to follow those takes the loop longest, and as
    long as they do not join it they verify with features that it knows nothing of.
    """
    clear = {name: attack for name, attack in missed.items() if not target.is_met(risks[name].learned.interval[0])}
    if clear or not missed:
        return clear
    by_words = [name for name, attack in missed.items() if attack.compares != "meaning"]
    strongest, _ = find_strongest({name: risks[name] for name in by_words or missed}, "learned")
    return {strongest: missed[strongest]}


def background_part(background: Sequence[Person], share: float) -> list[Person]:
    """The first part of each text of the background."""
    return [Person(person.id, tuple(_first_part(text, share) for text in person.texts)) for person in background]


def _first_part(text: str, share: float) -> str:
    end = max(1, round(len(text) * share))
    space = text.find(" ", end)
    return text[: space if 0 <= space < end + 30 else end]


def same_background(
    attacks: Mapping[str, LinkageRisk], people: int, joined_loop: Sequence[str] = (), reading: Sequence[str] = ()
) -> ThreatScenario:
    """Attacks that the loop did not run, on the background that it read; ``reading``: by a language model."""
    about = "Attacks that the loop did not run, with the background that it read."
    if joined_loop:
        *others, last = joined_loop
        names = f"{', '.join(others)} and {last}" if others else last
        about += f" {names} found too many at first and joined the loop: what they find now is no proof."
    if reading:
        about += f" {', '.join(reading)}: a language model read each release once, after all repairs."
    return ThreatScenario(Scenario.OTHER_ATTACKS, about, people, attacks, True, tuple(joined_loop))


def more_background(
    by_loop: Mapping[str, LinkageRisk], by_others: Mapping[str, LinkageRisk], people: int, share: float, binding: bool
) -> list[ThreatScenario]:
    """A hold-out run: the loop read a part of the background, the attackers all of it."""
    how = f"A hold-out run in which the loop read the first {share:.0%} of each text of the background"
    scenarios = [
        (Scenario.MORE_BACKGROUND, f"{how}: the loop's attacks with all of it.", by_loop),
        (Scenario.OTHER_ATTACKS_MORE_BACKGROUND, f"{how}: attacks that it did not run, with all of it.", by_others),
    ]
    return [ThreatScenario(name, about, people, attacks, binding) for name, about, attacks in scenarios if attacks]


# Without a background nothing is known of the subjects, so what an attacker may know is estimated: rare terms, and what
# a document says repeatedly (``attackers.UnseenTermModel``). The other documents are the population among which each
# must not stand out. What attackers of single spans find is measured beside it. None of that is a measured
# re-identification risk.


def protect_population(
    initial: Sequence[Outcome], target: Target, config: LoopConfig, attacker_knowledge: float, on_progress: OnProgress
) -> Protection:
    """Repair releases until none stands out among the others by what may be known of its subject."""
    started = monotonic()
    attackable = _readable(initial)
    texts: dict[str, list[str]] = defaultdict(list)
    for release in attackable:
        for person in release.document.subject_ids:
            texts[person].append(release.text)
    if len(texts) < target.k:
        people = "one person is" if len(texts) == 1 else f"{len(texts)} people are"
        raise InputError(
            f"without a background the documents are the population, and {people} too few to hide "
            f"among {target.k}: give more documents, a background (--background), or a smaller target (--k)"
        )
    population = [Person(key, tuple(several)) for key, several in texts.items()]
    subjects = {release.document.id: release.document.subject_ids for release in attackable}
    on_progress(Progress("reading the documents"))
    protector = CorpusProtector.of_population(population, subjects, config, attacker_knowledge)
    protected = list(protector.protect(attackable, target, on_progress=on_progress))
    on_progress(Progress("verifying"))
    return Protection(
        target,
        "population",
        in_input_order(initial, protected, "it could not be checked"),
        {},
        {},
        tuple(protector.attacks),
        (),
        1,
        len(population),
        hashlib.sha256("".join(map(repr, population)).encode("utf-8", "surrogatepass")).hexdigest(),
        config.settings | {"attacker_knowledge": attacker_knowledge},
        monotonic() - started,
        _population_checks([document for document in protected if document.withheld is None]),
    )


def _population_checks(released: Sequence[ProtectedDocument]) -> dict[str, tuple[Score, Score]]:
    if not released:
        return {}
    initial = [document.initial for document in released if isinstance(document.initial, Release)]
    measured = measure_each(
        [document.release.document for document in released],
        {"before": initial, "after": [document.release for document in released]},
        metrics=POPULATION_METRICS,
        background={release.document.id: release.text for release in initial},
        settings={"inference-rate": {"guesser": "hierarchy"}},
    )
    before, after = measured["before"].scores, measured["after"].scores
    return {name: (before[name], after[name]) for name in POPULATION_METRICS if name in before and name in after}
