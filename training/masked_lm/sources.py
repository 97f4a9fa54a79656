"""Where the texts come from: the tagger's sets, further sets without annotation, and unpacked Debian packages."""

from __future__ import annotations

import html
import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from training.masked_lm.texts import SEED, Text
from training.tagger.data import read_sets
from training.tagger.sets import everyday as everyday_corpus
from training.tagger.splits import position

PER_TEMPLATE = 4
"""Sentences of one template differ only in names."""
_LICENCES = {"agentclinic": "MIT", "tab": "MIT", "tab_typed": "MIT", "asq_phi": "MIT", "presidio": "MIT"}
_HANDBOOK_LANGUAGES = ("en-US", "es-ES", "de-DE", "fr-FR", "it-IT", "pt-BR", "nl-NL")
_TOKENS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "``": '"', "''": '"', "--": "–"}


def tagged(data: Path) -> Iterator[Text]:
    """The tagger's sets without their marks."""
    templates: dict[str, list[Text]] = defaultdict(list)
    for record in read_sets(data):
        licence = _LICENCES.get(record.set, "CC BY 4.0")
        text = Text(record.set, record.id, record.group, record.text, licence)
        if record.set == "presidio":
            templates[record.group].append(text)
        else:
            yield text
    for texts in templates.values():
        yield from sorted(texts, key=lambda text: position(SEED, text.id))[:PER_TEMPLATE]


def background(data: Path) -> Iterator[Text]:
    """The public part of more rulings; of one case with its ruling in ``tab``."""
    for case, text in json.loads((data / "tab/background_public10.json").read_text(encoding="utf-8")).items():
        yield Text("tab_background", case, case, re.sub(r"^#+ ", "", text.lstrip("\ufeff\n"), flags=re.M), "MIT")


def biographies(data: Path) -> Iterator[Text]:
    for row in _lines(data / "wikibio/robust_deid_wikibio_test_2000.jsonl"):
        name = row["meta"]["note_id"]
        text = " ".join(_TOKENS.get(word, word) for word in row["text"].split(" "))
        yield Text("wikibio", name, f"wikibio {name}", text, "CC BY-SA")
    for part in ("train", "validation"):
        for row in _lines(data / f"db_bio/{part}.jsonl"):
            yield Text("db_bio", row["wiki_name"], row["wiki_name"], row["text"], "CC BY-SA")


def profiles(data: Path) -> Iterator[Text]:
    """Comments of invented people, one text a person."""
    for row in _lines(data / "synthpai/profiles.jsonl"):
        text = "\n".join(comment["text"] for comment in row["comments"])
        yield Text("synthpai", row["username"], row["username"], text, "MIT")
    for number, row in enumerate(_lines(data / "personalreddit/synthetic_dataset.jsonl")):
        person = json.dumps(row["personality"], sort_keys=True)
        text = f"{row['question_asked']}\n{row['response']}"
        yield Text("personalreddit", f"personalreddit-{number}", person, text, "MIT")


def everyday(_: Path) -> Iterator[Text]:
    """The training part of our own corpus, and two copies of each document with other names and numbers."""
    for record in (*everyday_corpus.read("train"), *everyday_corpus.copies(2, SEED)):
        yield Text("everyday", record.id, f"everyday {record.group}", record.text, "Apache-2.0")


def glosses(packages: Path) -> Iterator[Text]:
    """WordNet's definitions and examples, a hundred a text; sense by sense, so neighbours are related."""
    for path in sorted((packages / "usr/share/wordnet").glob("data.*")):
        rows = [line for line in path.read_text(encoding="utf-8").split("\n") if line and not line.startswith("  ")]
        for start in range(0, len(rows), 100):
            name = f"{path.suffix[1:]}-{start}"
            text = "\n".join(map(_gloss, rows[start : start + 100]))
            yield Text("wordnet", name, f"wordnet {name}", text, "WordNet 3.0 licence")


def _gloss(line: str) -> str:
    head, _, gloss = line.partition(" | ")
    fields = head.split(" ")
    words = [re.sub(r"\(\w+\)$", "", word).replace("_", " ") for word in fields[4 : 4 + 2 * int(fields[3], 16) : 2]]
    return f"{', '.join(words)}: {gloss.strip()}"


def books(packages: Path) -> Iterator[Text]:
    """Long prose of today, with people, places and dates, that comes as HTML pages."""
    documents = packages / "usr/share/doc"
    for path in sorted((documents / "anarchism/html").glob("*.html")):
        yield Text("anarchist_faq", path.stem, f"anarchist_faq {path.stem}", _plain(path), "GPL-2+")
    for language in _HANDBOOK_LANGUAGES:
        for path in sorted((documents / "debian-handbook/html" / language).glob("*.html")):
            name = f"{language} {path.stem}"
            yield Text("debian_handbook", name, f"debian_handbook {path.stem}", _plain(path), "GPL-2+ or CC BY-SA 3.0")


def _plain(path: Path) -> str:
    page = path.read_text(encoding="utf-8", errors="replace")
    page = re.sub(r"(?s)<(script|style|head|pre)\b.*?</\1>|<!--.*?-->", " ", page)
    page = re.sub(r"(?i)</?(p|div|li|h\d|br|tr|blockquote)\b[^>]*>", "\n", re.sub(r"\s+", " ", page))
    lines = (" ".join(line.split()) for line in html.unescape(re.sub(r"<[^>]+>", "", page)).split("\n"))
    return "\n".join(line for line in lines if line)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)
