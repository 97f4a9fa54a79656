"""The privacy-utility frontier of a corpus: verified risk and information kept, for one target after the other."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from sfumato import recipe as recipes
from sfumato.attacks.background import Background, BackgroundLike, as_background
from sfumato.attacks.base import LinkingAttack, Person
from sfumato.attacks.ground_truth import GroundTruth, match_subjects
from sfumato.attacks.suite import Suite
from sfumato.comparison.methods import Method, method_warnings, run_method
from sfumato.document import Attempt, Release
from sfumato.errors import InputError, Problem, RecipeError
from sfumato.formats.base import Columns, OnProblem
from sfumato.formats.inputs import Corpus, Releases, as_documents, as_releases
from sfumato.metrics.base import MetricInput, require_edits
from sfumato.metrics.information import preserved_similarity
from sfumato.progress import OnProgress, Progress, ignore_progress
from sfumato.protection.preparation import as_initial
from sfumato.protection.protect import protect_releases, same_background
from sfumato.protection.records import FrontierPoint, Scenario, ThreatScenario
from sfumato.protection.target import Options, Target
from sfumato.recipe import Recipe

KS = (2, 3, 5, 11, 20, 40)
"""From hardly hidden to four times what health regulators call strong."""
START = "start"


def frontier_of_corpus(
    originals: Corpus,
    background: BackgroundLike | Background,
    *,
    recipe: str | Path | Recipe = "default",
    releases: Releases | None = None,
    ks: Sequence[int] | None = None,
    options: Options | None = None,
    columns: Columns | None = None,
    on_progress: OnProgress = ignore_progress,
    on_problem: OnProblem = lambda problem: None,
) -> list[FrontierPoint]:
    """From files or objects: what ``sfumato.frontier`` and the command do.

    The start is what the recipe makes of the originals, or the ``releases``. ``ks``: by default those of ``KS`` that
    the background is large enough for.
    """
    columns, options = columns or Columns(), options or Options()
    method = (
        Method(recipe.name if isinstance(recipe, Recipe) else str(recipe), recipes.load(recipe))
        if releases is None
        else None
    )
    if options.chat is not None and not (options.asking or (method is not None and method.source.asking)):
        raise RecipeError("nothing here asks a language model, and one was given: leave it out, or choose what asks")
    documents = as_documents(originals, columns, on_problem)
    people = as_background(background, None, on_problem, columns)
    if ks is None:
        ks = [k for k in KS if k <= len(people)]
    # Raise what makes the frontier impossible before the recipe runs, which takes long.
    match_subjects(documents, people)
    _reachable_targets(ks, people, lambda problem: None)
    if method is None:
        assert releases is not None
        initial = as_releases("releases", releases, documents, columns, on_problem)
    else:
        on_progress(Progress("anonymizing"))
        result = run_method(method, documents, columns, on_problem, options.chat, background=people)
        initial = result.releases
        for problem in method_warnings(method.name, method, documents, result):
            on_problem(problem)
    return frontier_of(initial, people, ks, options, on_progress=on_progress, on_problem=on_problem)


def frontier_of(
    initial: Sequence[Release],
    background: Background,
    ks: Sequence[int] = KS,
    options: Options | None = None,
    *,
    on_progress: OnProgress = ignore_progress,
    on_problem: OnProblem = lambda problem: None,
) -> list[FrontierPoint]:
    """The start, which is what a recipe released, and what the loop makes of it for each k, in the order of k.

    Risk is that of the strongest attack that the loop did not run, on the background that it read; what is kept is the
    TPS of the documents that are released. Raises where no k is small enough for the background. Problems are a k that
    is too large for it, a k at which nothing can be released, and documents that cannot be attacked.
    """
    targets = _reachable_targets(ks, background, on_problem)
    attackable = _attackable(initial, background, on_problem)
    options = _shared_options(options or Options(), background)
    points: list[FrontierPoint] = []
    for number, target in enumerate(targets, 1):
        name = f"k = {target.k}"
        stage = f"{name} ({number} of {len(targets)})"
        protection = protect_releases(
            attackable, background, target, options, on_progress=_prefix_stage(stage, on_progress)
        )
        if not points:  # before the loop: the verifying attacks on everything
            before = {name: risk for name, risk in protection.before.items() if name not in protection.loop_attacks}
            points.append(_point(START, None, same_background(before, len(background)), attackable, 0, options))
        if protection.released:
            scenario = next(scenario for scenario in protection.scenarios if scenario.name == Scenario.OTHER_ATTACKS)
            releases = [document.release for document in protection.released]
            points.append(_point(name, target.k, scenario, releases, len(protection.withheld), options))
        else:
            why = f"not one of {len(attackable)} documents can be released, so there is no such point"
            on_problem(Problem(name, why))
    return points


def _reachable_targets(ks: Sequence[int], background: Background, on_problem: OnProblem) -> list[Target]:
    if not ks:
        raise RecipeError("no k was given; name one or more, such as 5, 11 and 20")
    targets = sorted({target.k: target for target in map(Target, ks)}.values(), key=lambda target: target.k)
    reachable = [target for target in targets if target.k <= len(background)]
    if not reachable:
        targets[0].check(len(background))
    for target in targets[len(reachable) :]:
        on_problem(Problem(f"k = {target.k}", f"left out: the background holds {len(background)} people to hide among"))
    return reachable


def _attackable(initial: Sequence[Release], background: Background, on_problem: OnProblem) -> list[Release]:
    """Those that are about someone in the background and have text: the same for every point."""
    require_edits(initial)
    matched = match_subjects([release.document for release in initial], background).people
    readable = [release for release in initial if release.text.strip() and as_initial(release, Target()) is release]
    attackable = [release for release in readable if release.document.id in matched]
    if not attackable:
        raise InputError("the documents about people of the background hold no text, so there is nothing to protect")
    if left := len(initial) - len(attackable):
        why = "are about nobody in it, hold no text, or hold images, and are left out of every point"
        on_problem(Problem("background", f"{left} of {len(initial)} documents {why}"))
    return attackable


def _shared_options(options: Options, background: Background) -> Options:
    """Options in which everything that all points share is made once: models, fitted attacks, and the secret."""
    suite = Suite(background, options.attacks, options.settings, options.chat)
    return replace(
        options,
        holdout_documents=0,
        attacks=[cast(LinkingAttack, _FittedAttack(suite, name)) for name in suite.names],
        settings=None,
        scorer=options.token_scorer,
        embedder=options.text_embedder,
        secret=options.secret or secrets.token_bytes(32),
    )


class _FittedAttack:
    """An attack of a suite as an object: fitted when it first runs, and never again.

    The loop cannot follow its scores, so it never joins the loop: at every point the same attacks verify.
    """

    kind = "linking"

    def __init__(self, suite: Suite, name: str) -> None:
        self._suite, self.name, self.goal = suite, name, suite.goal(name)

    def fit(self, background: Sequence[Person]) -> _FittedAttack:
        return self

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        unknown = GroundTruth(dict.fromkeys(released, frozenset()), (), 0)  # the caller judges the guesses
        return self._suite.run(self.name, released, unknown)


def _prefix_stage(name: str, on_progress: OnProgress) -> OnProgress:
    return lambda event: on_progress(replace(event, stage=f"{name}: {event.stage}"))


def _point(
    name: str, k: int | None, scenario: ThreatScenario, releases: Sequence[Release], withheld: int, options: Options
) -> FrontierPoint:
    attack, strongest = scenario.strongest
    inputs = MetricInput(releases, scorer=options.token_scorer, embedder=options.text_embedder)
    kept = preserved_similarity(inputs)
    return FrontierPoint(
        name, k, strongest.risk, strongest.interval, kept.value, kept.interval, withheld, len(releases), attack
    )
