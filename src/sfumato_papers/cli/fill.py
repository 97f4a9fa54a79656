"""``sfumato fill``: invented people, dates and places in the place of the tags of de-identified notes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli import options, render, render_results
from sfumato.cli.output_paths import check_own_files
from sfumato.cli.render import say
from sfumato.errors import RecipeError
from sfumato.report.html import pluralize
from sfumato_papers.synthesis.fill import FillSettings
from sfumato_papers.synthesis.fill_files import FillSummary, Split, fill_file
from sfumato_papers.synthesis.split import parse_shares


def fill(
    notes: Annotated[Path, typer.Argument(metavar="NOTES", help="A file or folder of de-identified notes.")],
    *,
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Where the filled notes go (.jsonl, .csv ...).")],
    gold: Annotated[
        Path, typer.Option("--gold", metavar="SPANS.jsonl", help="Where the spans of what was filled in go.")
    ],
    tags: Annotated[
        str, typer.Option("--tags", metavar="STYLE", help="mimic: [**Name 1**]; generic: [NAME], <DATE>; or both.")
    ] = "mimic",
    unknown: Annotated[
        str, typer.Option("--unknown", metavar="RULE", help="Tags of no known kind: number, keep or error.")
    ] = "number",
    kinds: Annotated[
        list[str] | None,
        typer.Option("--kind", metavar="TEXT=KIND", help="The kind of tags with this text; may be given again."),
    ] = None,
    locale: Annotated[
        str, typer.Option("--locale", metavar="NAME", help="Of names and places: en_US, de_DE ...; else by the text.")
    ] = "auto",
    seed: Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Another seed invents other people.")] = 0,
    split: Annotated[
        Path | None,
        typer.Option("--split", metavar="FILE.json", help="Where ids for training, validation and test go."),
    ] = None,
    strata: Annotated[
        str | None,
        typer.Option("--strata", metavar="COLUMN", help="What each part has in the same proportions: a column."),
    ] = None,
    shares: Annotated[
        str, typer.Option("--shares", metavar="A/B/C", help="Percent for training, validation and test.")
    ] = "50/20/30",
    keep_columns: options.KeepColumn = None,
    columns: options.CorpusColumns,
    as_json: options.Json = False,
) -> None:
    """Put consistent invented people, dates and places into de-identified notes, and write where they stand."""
    if split is None and strata is not None:
        raise RecipeError("--strata says how a split is stratified: name its file with --split FILE.json")
    check_own_files([notes], [], out, gold, split)
    settings = FillSettings(seed, tags, unknown, locale, _parse_kinds(kinds or ()))  # type: ignore[arg-type]  # checked there
    summary = fill_file(
        notes,
        out,
        gold,
        settings,
        columns=columns.of_corpus(keep_columns),
        split=Split(split, strata, parse_shares(shares)) if split else None,
    )
    if as_json:
        render.print_json({"out": str(out), "gold": str(gold), **summary.to_json()})
    else:
        _show(summary, out)
    render_results.problems(summary.problems)
    if any(not problem.is_warning for problem in summary.problems):
        raise typer.Exit(1)


def _parse_kinds(texts: Sequence[str]) -> dict[str, str]:
    kinds = {}
    for text in texts:
        words, equals, kind = text.rpartition("=")
        if not equals or not words.strip():
            raise RecipeError('--kind: write TEXT=KIND, such as --kind "Dictator Info=name"')
        kinds[words.strip()] = kind.strip()
    return kinds


def _show(summary: FillSummary, out: Path) -> None:
    count = sum(summary.kinds.values())
    say(f"{pluralize(summary.notes, 'note')} with {pluralize(count, 'tag')} filled: {out}", "bold")
    say(", ".join(f"{kind} {number:,}" for kind, number in summary.kinds.items()))
    if summary.without_tags:
        say(f"{pluralize(summary.without_tags, 'note')} without a tag stay as they are", "dim")
    if summary.split:
        say(", ".join(f"{part} {number:,}" for part, number in summary.split.items()))
