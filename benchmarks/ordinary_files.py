"""Word files and web pages made by common software: none may be refused, none may be damaged.

    python -m benchmarks.ordinary_files make FOLDER --texts documents.jsonl   # with what is installed of the software
    python -m benchmarks.ordinary_files check FOLDER

``make`` writes files with LibreOffice (``soffice``), pandoc, python-docx and the npm packages docx and html-to-docx
where they are found; texts are JSONL with the field ``text``. ``check`` anonymizes every file by the default recipe and
counts what was refused and what the final check hid in fields that are not text.
"""

from __future__ import annotations

import argparse
import html
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from sfumato.document import Withheld
from sfumato.errors import SfumatoError
from sfumato.formats.base import file_format, format_for
from sfumato.pipeline import Pipeline
from sfumato.recipe import load
from sfumato.residuals.final_check import FinalCheck
from sfumato.residuals.identifiers import hide_identifiers
from sfumato.residuals.values import hide_repeats
from sfumato.runs.ids import id_checker

_PYTHON_DOCX = """
import sys, docx
from pathlib import Path
text = Path(sys.argv[1]).read_text()
document = docx.Document()
document.core_properties.author = "Office of the Registrar"
lines = text.splitlines()
document.add_heading(lines[0] if lines else "Letter", 1)
for number, line in enumerate(lines[1:]):
    paragraph = document.add_paragraph(line, style="List Bullet" if line.startswith(("-", "*")) else None)
    if number % 4 == 3:
        paragraph.runs and setattr(paragraph.runs[0], "bold", True)
table = document.add_table(rows=2, cols=3, style="Light Grid Accent 1")
table.cell(0, 0).text, table.cell(0, 1).text, table.cell(1, 2).text = "Date", "Seen by", "Result"
document.sections[0].header.paragraphs[0].text = "Confidential"
document.sections[0].footer.paragraphs[0].text = "Page 1"
document.save(sys.argv[2])
"""
_NODE_DOCX = """
const fs = require('fs'), docx = require('docx');
const lines = fs.readFileSync(process.argv[2], 'utf8').split('\\n');
const children = lines.map((line, i) => new docx.Paragraph({ heading: i ? undefined : docx.HeadingLevel.TITLE,
  children: [new docx.TextRun({ text: line, bold: i % 5 === 4, font: 'Georgia' })] }));
const table = new docx.Table({ rows: [new docx.TableRow({ children: [new docx.TableCell({ children: [
  new docx.Paragraph('Reference')] })] })] });
const file = new docx.Document({ sections: [{ children: [...children, table] }] });
docx.Packer.toBuffer(file).then(data => fs.writeFileSync(process.argv[3], data));
"""
_NODE_HTML_TO_DOCX = """
const fs = require('fs'), convert = require('html-to-docx');
convert(fs.readFileSync(process.argv[2], 'utf8')).then(data => fs.writeFileSync(process.argv[3], data));
"""


def _run(command: list[str | Path], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)


def make(folder: Path, texts: Path, per_program: int, python: str, node_modules: Path | None) -> None:
    """Write ``per_program`` files with each program."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = texts.read_text(encoding="utf-8").splitlines()
    documents = [json.loads(line)["text"] for line in lines][: per_program * 8]
    programs: dict[str, Callable[[Path, Path, Path], None]] = {}
    if shutil.which("pandoc"):
        programs["pandoc.docx"] = lambda text, page, out: _run(["pandoc", "-f", "markdown", text, "-o", out], folder)
        programs["pandoc.html"] = lambda text, page, out: _run(
            ["pandoc", "-s", "-f", "markdown", "--metadata", "title=Letter", text, "-o", out], folder
        )
    if shutil.which("soffice"):
        programs["libreoffice.docx"] = lambda text, page, out: _libreoffice(page, out, folder)
        programs["libreoffice.html"] = lambda text, page, out: _libreoffice(text, out, folder)
    if subprocess.run([python, "-c", "import docx"], capture_output=True, check=False).returncode == 0:
        programs["python-docx.docx"] = lambda text, page, out: _run([python, "-c", _PYTHON_DOCX, text, out], folder)
    if node_modules is not None:
        there = node_modules.parent
        programs["node-docx.docx"] = lambda text, page, out: _run(["node", "-e", _node(_NODE_DOCX), text, out], there)
        programs["html-to-docx.docx"] = lambda text, page, out: _run(
            ["node", "-e", _node(_NODE_HTML_TO_DOCX), page, out], there
        )
    if not programs:
        sys.exit("none of pandoc, soffice, python-docx and the npm packages is installed; install one of them")
    for index, (name, program) in enumerate(programs.items()):
        program_name, _, suffix = name.rpartition(".")
        for number, document in enumerate(documents[index * per_program : (index + 1) * per_program]):
            text, page = (folder / f"source.{end}" for end in ("txt", "html"))
            text.write_text(document, encoding="utf-8")
            body = "".join(f"<p>{html.escape(line)}</p>\n" for line in document.splitlines())
            page.write_text(f"<html><head><title>Letter</title></head><body>{body}</body></html>", encoding="utf-8")
            program(text.absolute(), page.absolute(), (folder / f"{program_name}-{number}.{suffix}").absolute())
            text.unlink()
            page.unlink()
        print(f"{name}: {per_program} files")


def _node(script: str) -> str:
    return script.replace("argv[2]", "argv[1]").replace("argv[3]", "argv[2]")


def _libreoffice(source: Path, out: Path, folder: Path) -> None:
    target = "docx:MS Word 2007 XML" if out.suffix == ".docx" else "html"
    extra = ["--infilter=HTML (StarWriter)"] if source.suffix == ".html" else []
    _run(["soffice", "--headless", *extra, "--convert-to", target, "--outdir", folder / "lo", source], folder)
    shutil.move(folder / "lo" / f"source{out.suffix}", out)


def check(folder: Path) -> None:
    """Anonymize every file and say what was refused or changed in fields that are not text."""
    recipe = load("default")
    pipeline, final = Pipeline(recipe), FinalCheck(id_checker(recipe).detect)
    refused: Counter[str] = Counter()
    changed: Counter[str] = Counter()
    withheld = 0
    files = sorted(path for path in folder.iterdir() if path.suffix in (".docx", ".html"))
    for path in files:
        program = path.name.rpartition("-")[0]
        form = file_format(format_for(path))
        assert form is not None
        try:
            (outcome,) = pipeline.anonymize([form.read(path, "document-1")])
            if isinstance(outcome, Withheld):
                withheld += 1
                print(f"withheld: {path.name}: {outcome.reason}")
                continue
            release = hide_identifiers(hide_repeats(outcome))
            rendered = form.render(path, release)
            cleaned = final.clean(path, form, rendered, release)
        except SfumatoError as error:
            refused[program] += 1
            print(f"refused: {path.name}: {str(error).partition(': ')[2]}")
            continue
        changed[program] += cleaned != rendered
        if cleaned != rendered:
            print(f"changed: {path.name}")
    print(f"{len(files)} files, {withheld} withheld for their language, {refused.total()} refused")
    print(f"{changed.total()} with a field changed that is not text")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("action", choices=["make", "check"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--per-program", type=int, default=15)
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has python-docx")
    parser.add_argument("--node-modules", type=Path, help="a folder with the npm packages docx and html-to-docx")
    arguments = parser.parse_args()
    if arguments.action == "check":
        check(arguments.folder)
    else:
        make(arguments.folder, arguments.texts, arguments.per_program, arguments.python, arguments.node_modules)


if __name__ == "__main__":
    main()
