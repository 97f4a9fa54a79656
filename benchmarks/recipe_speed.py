"""Processor time that a recipe takes for texts, of this version or of the sources of another one.

    python benchmarks/recipe_speed.py TEXTS.jsonl [--recipe default] [--source FOLDER/src]

TEXTS: one ``{"text": ...}`` a line. To compare two versions, run it for both by turns:
``git archive COMMIT src | tar x`` in an empty folder gives the sources of a commit.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("texts", type=Path)
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--source", type=Path, help="the src folder of another version")
    arguments = parser.parse_args()
    if arguments.source:
        sys.path.insert(0, str(arguments.source))
    from sfumato.document import Document
    from sfumato.pipeline import Pipeline
    from sfumato.recipe import load

    lines = arguments.texts.read_text(encoding="utf-8").splitlines()
    documents = [Document(str(number), json.loads(line)["text"]) for number, line in enumerate(lines)]
    pipeline = Pipeline(load(arguments.recipe))
    list(pipeline.anonymize(documents[:3]))  # tables and models are loaded
    began = time.process_time()
    count = len(list(pipeline.anonymize(documents)))
    print(f"{arguments.recipe}: {count} texts, {time.process_time() - began:.2f} s of processor time")


if __name__ == "__main__":
    main()
