"""``sfumato attack``: its options, and what it writes beside the table."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from sfumato.attacks.risk import AttackReport
from sfumato.attacks.suite import attack_releases
from sfumato.cli import options, render, render_results
from sfumato.cli.output_paths import write_csv
from sfumato.errors import RecipeError
from sfumato.scale.engines import open_engine


def attack(
    originals: options.Originals,
    releases: Annotated[Path, options.argument("attack.releases")],
    background: options.KnownBackground,
    attacks: options.Attacks = None,
    *,
    chat: options.ChatOptions,
    settings: Annotated[list[str] | None, options.option("attack.set")] = None,
    rank: Annotated[str, options.option("attack.rank")] = "first",
    show: Annotated[int, options.option("attack.show", min=0)] = 5,
    per_document: Annotated[Path | None, options.option("attack.per-document")] = None,
    columns: options.CorpusAndBackgroundColumns,
    jobs: options.Jobs = None,
    engine: options.EngineOption = None,
    as_json: options.Json = False,
) -> None:
    """Attack releases: who can still be found, by what, and how surely."""
    model = chat.open([originals, releases])
    if jobs is not None and engine is None:
        raise RecipeError("--jobs says how many workers --engine has here; name one, or leave it out")
    with open_engine(engine, jobs) as workers, render_results.show_progress() as on_progress:
        report = attack_releases(
            originals,
            releases,
            background,
            attacks=attacks,
            settings=options.parse_settings(settings or (), "ATTACK.OPTION=VALUE, such as bm25.k1=1.2"),
            chat=model,
            rank=rank,
            engine=workers,
            columns=columns.of_corpus(),
            background_columns=columns.of_background(),
            on_progress=on_progress,
        )
    if per_document:
        names = list(report.attacks)
        header = ("id", "candidates", "linked_by", "margin", "evidence", *(f"rank_{name}" for name in names))
        write_csv(per_document, header, _rows(report, names))
    if as_json:
        render.print_json(report.to_json())
    else:
        render_results.report(report, show)
    render.lines(report.cost)
    render_results.finish(report.problems)


def _rows(report: AttackReport, names: Sequence[str]) -> Iterable[Sequence[object]]:
    for document in report.documents:
        links, quotes = " ".join(document.linked_by), "; ".join(document.quotes)
        row = (document.id, document.candidates, links, document.margin, quotes, *map(document.ranks.get, names))
        yield ["" if value is None else value for value in row]
