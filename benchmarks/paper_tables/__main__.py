"""The papers' main tables on data at hand, each in one command.

    python -m benchmarks.paper_tables TABLE --data DATA --out FOLDER [--llm SPEC] [--llm-name NAME] [--judge SPEC]
                                      [--limit N] [--seed S] [--corpora a,b] [--methods a,b,c] [--columns "A;B"]
                                      [--trir FILE]

Every cell (a method's releases, a metric of them) and every answer of a language model is kept in FOLDER: a run that
was stopped goes on, and one that has ended prints its table again. FOLDER/TABLE.md and FOLDER/TABLE.json are written
after each row; FOLDER/releases/ has the released texts. SPEC is what ``sfumato --chat`` takes: a URL, FILE.gguf or
FILE.toml; without it the rows that ask a language model say so. ``--methods`` takes names of rows, and any other
recipe or method of ``sfumato methods``. The file of ``--trir`` has the figures of a separate run.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sys
from contextlib import closing
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.paper_tables.frame import Cells, Result, Table, TableRun, select_columns, select_corpora, select_rows
from benchmarks.paper_tables.markdown import TrirFigures, section

from sfumato.errors import SfumatoError
from sfumato.llm.chat import Chat
from sfumato.llm.settings import open_chat
from sfumato.statistics import SEED

MODULES = ("field", "manzanares2025", "oh2026", "pilan2025", "pissarra2024", "xin2025")
"""Each has TABLES."""


def tables() -> dict[str, Table]:
    modules = [import_module(f"benchmarks.paper_tables.{name}") for name in MODULES]
    return {table.name: table for module in modules for table in module.TABLES}


def run(table: Table, given: argparse.Namespace) -> str:
    """Run the table; the Markdown of all its corpora."""
    trir = TrirFigures.read(given.trir)
    named: dict[str, Any] = {"name": given.llm_name} if given.llm_name else {}
    chat = open_chat(given.llm, cache=given.out / "chat", **named) if given.llm else None
    judge = open_chat(given.judge, cache=given.out / "chat") if given.judge else None
    sections: list[str] = []
    written: dict[str, Any] = {}
    with closing(Cells(given.out)) as cells:
        for whole in select_corpora(table.corpora(given.data), given.corpora):
            corpus = whole.drawn(given.limit, given.seed)
            rows = select_rows(table.rows(given.data, corpus), given.methods)
            results: list[Result] = []
            sections.append("")
            for result in TableRun(table, corpus, cells, chat, judge).results(rows):
                results.append(result)
                sections[-1] = section(table, corpus, results, trir)
                written[corpus.name] = [item.to_json() for item in results]
                text = "\n".join([_heading(chat, judge), *sections])
                (given.out / f"{table.name}.md").write_text(text, encoding="utf-8")
                content = json.dumps(written, indent=1, default=str) + "\n"
                (given.out / f"{table.name}.json").write_text(content, encoding="utf-8")
    return text


def _heading(chat: Chat | None, judge: Chat | None) -> str:
    command = " ".join(["python -m benchmarks.paper_tables", *sys.argv[1:]])
    asked = f"{chat.name}, " if chat else "no language model, "
    asked += f"judged by {judge.name}, " if judge else ""
    return f"{datetime.date.today()}, {asked}Python {platform.python_version()}. Command: `{command}`\n"


def _names(text: str) -> list[str]:
    return text.split(";" if ";" in text else ",")


def main() -> None:
    known = tables()
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.paper_tables",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("table", choices=list(known))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True, help="a folder for cells, answers and tables")
    parser.add_argument("--llm", help="a URL, a FILE.gguf or a FILE.toml")
    parser.add_argument("--judge", help="another model that columns ask, as attacker or judge; else that of --llm")
    parser.add_argument("--llm-name", help="what the cache calls the model, where its address may change")
    parser.add_argument("--limit", type=int, help="at most so many documents of each corpus, drawn by the seed")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument(
        "--methods", type=_names, help="rows, separated by commas, or by semicolons where a name has a comma"
    )
    parser.add_argument("--corpora", type=lambda text: text.split(","), help="their names, separated by commas")
    parser.add_argument("--columns", type=lambda text: text.split(";"), help="their titles, separated by semicolons")
    parser.add_argument("--trir", type=Path, help="a JSON file with TRIR figures")
    given = parser.parse_args()
    try:
        print(run(select_columns(known[given.table], given.columns), given))
    except SfumatoError as error:
        raise SystemExit(f"{error}") from None


if __name__ == "__main__":
    main()
