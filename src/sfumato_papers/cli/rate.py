"""``sfumato rate``: a sheet for human raters, and what their answers say."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli import options, render, render_results
from sfumato.cli.output_paths import check_own_files
from sfumato.cli.render import say, warn
from sfumato.errors import Problem
from sfumato.formats.base import Columns
from sfumato.report.html import format_estimate, format_percent_column, pluralize
from sfumato_papers.rating.agreement import measure_agreement, read_annotations
from sfumato_papers.rating.sheets import (
    CONTEXT,
    PER_TYPE,
    QUESTIONS,
    Answers,
    Ratings,
    Sheet,
    check_table_name,
    choose_questions,
    count_ratings,
    draw_sheet,
    read_sheet_inputs,
)


def rate(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="ORIGINALS RELEASES... | SHEET... | CORPUS",
            help="What is rated; with --count, filled sheets; with --agreement, an annotated corpus.",
        ),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="SHEET.csv", help="Confidential: where the sheet goes (.csv or .tsv)."),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option("--key", metavar="FILE.csv", help="Confidential: which row comes from which release."),
    ] = None,
    questions: Annotated[
        list[str] | None,
        typer.Option(
            "--question", metavar="NAME", help=f"{', '.join(QUESTIONS)}; may be given again (truth and abstraction)."
        ),
    ] = None,
    per_type: Annotated[
        int, typer.Option("--per-type", metavar="N", min=1, help="The most rows of each type from each release.")
    ] = PER_TYPE,
    types: Annotated[
        list[str] | None, typer.Option("--type", metavar="LABEL", help="Only this type; may be given again.")
    ] = None,
    context: Annotated[
        int, typer.Option("--context", metavar="N", min=0, help="Characters shown on either side of an edit.")
    ] = CONTEXT,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the drawing and the order of rows.")] = 0,
    gold: Annotated[
        Path | None, typer.Option("--gold", metavar="FILE", help="Reference spans, whose labels are the types.")
    ] = None,
    counting: Annotated[
        bool, typer.Option("--count", help="Read filled sheets, one for each rater: shares and agreement.")
    ] = False,
    agreement: Annotated[
        bool, typer.Option("--agreement", help="How far the annotators of a corpus agree, character by character.")
    ] = False,
    columns: options.CorpusColumns,
    as_json: options.Json = False,
) -> None:
    """Make a sheet for human raters; with --count, read filled sheets."""
    if agreement:
        if counting or out is not None or len(paths) != 1:
            raise typer.BadParameter("it takes one annotated corpus, and writes nothing", param_hint="--agreement")
        _show_agreement(paths[0], columns.of_corpus(), gold, as_json=as_json)
        return
    if counting:
        if out is not None:
            raise typer.BadParameter("nothing is written with --count; leave it out", param_hint="--out")
        _show_ratings(count_ratings(paths, key), has_key=key is not None, as_json=as_json)
        return
    if len(paths) < 2 or out is None:
        raise typer.BadParameter("give ORIGINALS, RELEASES and --out SHEET.csv; or --count and filled sheets")
    asked = choose_questions(questions or ["truth", "abstraction"])
    check_table_name(out)
    key = key or out.with_name(f"{out.stem}.key{out.suffix}")
    check_table_name(key)
    check_own_files(paths, [gold], out, key)
    problems: list[Problem] = []
    releases, reference = read_sheet_inputs(
        paths[0], options.name_releases(paths[1:]), columns.of_corpus(), gold, problems.append
    )
    sheet = draw_sheet(
        releases,
        asked,
        per_type=per_type,
        context=context,
        seed=seed,
        types=types or (),
        gold=reference,
        on_problem=problems.append,
    )
    sheet.write(out, key)
    _show_sheet(sheet, out, key, problems, as_json=as_json)
    render_results.problems(problems)
    if any(not problem.is_warning for problem in problems):
        raise typer.Exit(1)


def _show_sheet(sheet: Sheet, out: Path, key: Path, problems: list[Problem], *, as_json: bool) -> None:
    if as_json:
        render.print_json(
            {
                "sheet": str(out),
                "key": str(key),
                "questions": [question.name for question in sheet.questions],
                "rows": len(sheet.rows),
                "sources": sheet.counts(),
                "problems": [str(problem) for problem in problems],
            }
        )
        return
    say(f"{pluralize(len(sheet.rows), 'row')} to rate: {out}", "bold")
    for source, types in sheet.counts().items():
        say(f"{source}: {', '.join(f'{count:,} {kind}' for kind, count in types.items())}")
    say(f"The key {key} tells the sources: keep it from the raters.")
    say("Each rater fills a copy. The questions:")
    for question in sheet.questions:
        say(f"  {question.name}: {question.text}")
        for answer, meaning in question.answers.items():
            say(f"    {answer}: {meaning}")
    say("A row that cannot be answered stays empty. Then: sfumato rate --count COPY... --key KEY", "dim")


def _show_ratings(ratings: Ratings, *, has_key: bool, as_json: bool) -> None:
    if as_json:
        render.print_json(ratings.to_json())
    else:
        say(f"{pluralize(ratings.rows, 'row')}, {pluralize(len(ratings.raters), 'rater')}", "bold")
        for answers in ratings.answers:
            say()
            _show_answers(answers)
        say()
        say("in brackets the 95 % interval; of several raters a row counts by the share that gave an answer", "dim")
    if not has_key:
        warn("without --key the rows of all releases and types are counted together")
    missing = {rater: count for rater, count in ratings.unanswered.items() if count}
    for rater, count in missing.items():
        warn(f"{rater}: {pluralize(count, 'answer')} missing")
    if missing:
        raise typer.Exit(1)


def _show_agreement(corpus: Path, columns: Columns, gold: Path | None, *, as_json: bool) -> None:
    problems: list[Problem] = []
    found = measure_agreement(*read_annotations(corpus, columns, gold, problems.append))
    if as_json:
        render.print_json({**found.to_json(), "problems": [str(problem) for problem in problems]})
    else:
        annotators, documents = (pluralize(found.annotators, "annotator"), pluralize(found.documents, "document"))
        say(f"{annotators}, {documents} that two or more of them marked, {found.characters:,} characters", "bold")
        figures = ("Cohen's kappa", "Krippendorff's alpha")
        table = render.make_table("of each character", *figures, right=figures)
        for decision in found.kappa:
            estimates = (found.kappa[decision], found.alpha[decision])
            cells = ["{} [{}, {}]".format(*format_estimate(one.value, one.interval)) for one in estimates]
            table.add_row(decision, *cells)
        render.print_table(table)
        say("kappa: mean over pairs of annotators; in brackets the 95 % interval, over documents", "dim")
        if found.left_out:
            say(f"{pluralize(found.left_out, 'document')} with one annotator or none left out", "dim")
    render_results.problems(problems)
    if any(not problem.is_warning for problem in problems):
        raise typer.Exit(1)


def _show_answers(answers: Answers) -> None:
    scale = answers.groups[0].mean is not None
    titles = [*answers.meanings] if scale or len(answers.meanings) == 2 else [*answers.meanings.values()]
    figures = [*(["mean"] if scale else []), *titles]
    table = render.make_table(answers.question, "type", *figures, "n", right=(*figures, "n"), dim=("n",))
    for group in answers.groups:
        average = [] if group.mean is None else ["{} [{}, {}]".format(*_estimate(group.mean))]
        table.add_row(group.source, group.type, *average, *map(_share, group.shares.values()), f"{group.n:,}")
    render.print_table(table)
    if answers.agreement:
        say(f"all raters agree: {_share(answers.agreement)} of {pluralize(answers.agreement['n'], 'row')}")
    if answers.kappa:
        say("Fleiss' kappa: {} [{}, {}]".format(*_estimate(answers.kappa)) + f", n {answers.kappa['n']:,}")
    else:
        say(f"no Fleiss' kappa: {answers.why_no_kappa}", "dim")


def _share(share: Mapping[str, Any]) -> str:
    low, high = map(format_percent_column, share["interval"])
    return f"{format_percent_column(share['value'])} [{low}, {high}]"


def _estimate(estimate: Mapping[str, Any]) -> tuple[str, str, str]:
    return format_estimate(estimate["value"], estimate["interval"])
