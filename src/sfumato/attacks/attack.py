"""From files or objects to a report: what ``sfumato.attack`` and the command do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import cast, get_args

from sfumato.attacks.background import Background, BackgroundLike, as_background
from sfumato.attacks.base import LinkingAttack
from sfumato.attacks.mentions import also_named
from sfumato.attacks.report import AttackReport, reported
from sfumato.attacks.risk import AtRank
from sfumato.attacks.suite import OnAttack, Settings, Suite
from sfumato.attacks.truth import about_truth, match
from sfumato.corpus import Columns
from sfumato.corpus.given import Corpus, Releases, as_documents, as_releases
from sfumato.document import Release
from sfumato.errors import InputError, Problem, RecipeError
from sfumato.models.chat import Chat


def attack_releases(
    originals: Corpus,
    releases: Releases,
    background: BackgroundLike | Background,
    *,
    attacks: Iterable[str | LinkingAttack] | None = None,
    settings: Settings | None = None,
    chat: Chat | None = None,
    rank: str = "first",
    columns: Columns | None = None,
    background_columns: Columns | None = None,
    on_attack: OnAttack = lambda name: None,
) -> AttackReport:
    """Every attack named (all that need no extra) on every release whose person is in the background.

    ``chat``: the language model of attacks that ask one; those run only where they are named.
    """
    if rank not in get_args(AtRank):
        raise RecipeError(
            f"rank is {rank!r}; an attacker looks at the 'first', at the 'best', or at the one that is 'learned'"
        )
    columns = columns or Columns()
    problems: list[Problem] = []
    documents = as_documents(originals, columns, problems.append)
    found = as_releases("releases", releases, documents, columns, problems.append, Release.rewritten)
    if not found:
        first = f" (the first: {problems[0]})" if problems else ""
        raise InputError(f"no release is left to attack: {len(problems)} problems{first}")
    known = as_background(background, background_columns, problems.append, columns)
    truth = match([release.document for release in found], known)
    problems += about_truth(truth)
    suite = Suite(known, attacks, settings, chat)
    released = {release.document.id: release.text for release in found}
    attempts = {}
    for name in suite.names:
        on_attack(name)
        attempts[name] = suite.run(name, released, truth)
    report = reported(attempts, released, known, truth, rank=cast(AtRank, rank), problems=problems)
    return replace(
        report,
        cost={name: cost for name in suite.names if (cost := suite.cost(name))},
        also_named=also_named((release.document for release in found), known),
    )
