"""The frontier of a corpus: what attacks find, and what is left to read, for one target after the other."""

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
from sfumato.document import Attempt, Release, Score
from sfumato.errors import InputError, Problem, RecipeError
from sfumato.formats.base import Columns, OnProblem
from sfumato.formats.inputs import Corpus, Releases, as_documents, as_releases
from sfumato.metrics.base import MetricInput, require_edits
from sfumato.metrics.information import preserved_similarity
from sfumato.progress import OnProgress, Progress, ignore_progress
from sfumato.protection.corpus import repairable
from sfumato.protection.protect import SAME, protect_releases, same_background
from sfumato.protection.records import FrontierPoint, Protection, ThreatScenario
from sfumato.protection.target import Options, Target
from sfumato.recipe import Recipe

KS = (2, 3, 5, 11, 20, 40)
"""From hardly hidden to four times what health regulators call strong."""
START = "start"


def frontier_of(
    starts: Sequence[Release],
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
    targets = _reachable(ks, background, on_problem)
    opened = _attackable(starts, background, on_problem)
    options = _shared(options or Options(), background)
    points: list[FrontierPoint] = []
    for number, target in enumerate(targets, 1):
        name = f"k = {target.k}"
        made = protect_releases(
            opened,
            background,
            target,
            options,
            on_progress=_within(f"{name} ({number} of {len(targets)})", on_progress),
        )
        if not points:
            points.append(_start(made, options))
        if made.released:
            points.append(_point(name, target.k, _same(made), [one.release for one in made.released], made, options))
        else:
            on_problem(Problem(name, f"not one of {len(opened)} documents can be released, so there is no such point"))
    return points


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

    The start is what the recipe makes of the originals, or the ``releases``. ``ks``: without any, those of ``KS`` that
    the background is large enough for.
    """
    columns, options = columns or Columns(), options or Options()
    method = Method(str(getattr(recipe, "name", recipe)), recipes.load(recipe)) if releases is None else None
    if options.chat is not None and not (options.asking or (method is not None and method.source.asking)):
        raise RecipeError("nothing here asks a language model, and one was given: leave it out, or choose what asks")
    documents = as_documents(originals, columns, on_problem)
    known = as_background(background, None, on_problem, columns)
    if ks is None:
        ks = [k for k in KS if k <= len(known)]
    # What cannot be is said before a recipe runs, which takes long.
    match_subjects(documents, known)
    _reachable(ks, known, lambda problem: None)
    if method is None:
        assert releases is not None
        starts = as_releases("releases", releases, documents, columns, on_problem)
    else:
        on_progress(Progress("anonymizing"))
        made = run_method(method, documents, columns, on_problem, options.chat)
        starts = made.releases
        for problem in method_warnings(method.name, method, documents, made):
            on_problem(problem)
    return frontier_of(starts, known, ks, options, on_progress=on_progress, on_problem=on_problem)


def _reachable(ks: Sequence[int], background: Background, on_problem: OnProblem) -> list[Target]:
    if not ks:
        raise RecipeError("no k was given; name one or more, such as 5, 11 and 20")
    targets = sorted({target.k: target for target in map(Target, ks)}.values(), key=lambda target: target.k)
    fit = [target for target in targets if target.k <= len(background)]
    if not fit:
        targets[0].check(len(background))
    for target in targets[len(fit) :]:
        on_problem(Problem(f"k = {target.k}", f"left out: the background holds {len(background)} people to hide among"))
    return fit


def _attackable(starts: Sequence[Release], background: Background, on_problem: OnProblem) -> list[Release]:
    """Those that are about someone in the background and say something: the same for every point."""
    require_edits(starts)
    can_be_read = {start.document.id for start in starts if repairable(start, Target()).text.strip()}
    about = match_subjects([start.document for start in starts], background).people
    opened = [start for start in starts if start.document.id in about and start.document.id in can_be_read]
    if not opened:
        raise InputError("the documents about people of the background hold no text, so there is nothing to protect")
    if left := len(starts) - len(opened):
        why = "are about nobody in it, hold no text, or hold images, and are left out of every point"
        on_problem(Problem("background", f"{left} of {len(starts)} documents {why}"))
    return opened


def _shared(options: Options, background: Background) -> Options:
    """Options with what all points have in common made once: models, attacks that have learned, and the secret."""
    suite = Suite(background, options.attacks, options.settings, options.chat)
    return replace(
        options,
        holdout_documents=0,
        attacks=[cast(LinkingAttack, _Learned(suite, name)) for name in suite.names],
        settings=None,
        scorer=options.token_scorer,
        embedder=options.text_embedder,
        secret=options.secret or secrets.token_bytes(32),
    )


class _Learned:
    """An attack of a suite on its background: it learns when it first runs, and never again."""

    kind = "linking"

    def __init__(self, suite: Suite, name: str) -> None:
        self._suite, self.name, self.goal = suite, name, suite.goal(name)

    def fit(self, background: Sequence[Person]) -> _Learned:
        return self

    def run(self, released: Mapping[str, str]) -> list[Attempt]:
        nobody = GroundTruth(dict.fromkeys(released, frozenset()), (), 0)  # who it was is judged by whoever asked
        return self._suite.run(self.name, released, nobody)


def _within(name: str, on_progress: OnProgress) -> OnProgress:
    return lambda event: on_progress(replace(event, stage=f"{name}: {event.stage}"))


def _start(made: Protection, options: Options) -> FrontierPoint:
    """Before the loop: the attacks that verify, on everything."""
    others = {name: one for name, one in made.before.items() if name not in made.loop_attacks}
    starts = [one.start for one in made.documents]
    return _point(START, None, same_background(others, made.people), starts, made, options)


def _same(made: Protection) -> ThreatScenario:
    return next(column for column in made.columns if column.name == SAME)


def _point(
    name: str, k: int | None, column: ThreatScenario, releases: Sequence[Release], made: Protection, options: Options
) -> FrontierPoint:
    attack, found = column.strongest
    kept = _kept(releases, options)
    withheld = len(made.documents) - len(releases)
    return FrontierPoint(
        name, k, found.risk, found.interval, kept.value, kept.interval, withheld, len(releases), attack
    )


def _kept(releases: Sequence[Release], options: Options) -> Score:
    return preserved_similarity(MetricInput(releases, scorer=options.token_scorer, embedder=options.text_embedder))
