"""Where a recipe's time goes: the top lines of a flame graph, of one version or of two side by side.

    python benchmarks/recipe_profile.py files TEXTS.jsonl --n 150 [--recipe default] [--before FOLDER/src]
    python benchmarks/recipe_profile.py long TEXTS.jsonl --megabytes 1
    python benchmarks/recipe_profile.py start FILE           # one letter, Word file or page by the command line, cold

Needs py-spy (MIT, ``pip install py-spy``). It samples the threads of a process that does what ``recipe_speed.py``
times, warm-up left out. A row is a function and how long it or what it calls was running; functions that only pass
on (nearly all of their samples are in one function that they call) are left out. The tagger's network runs in threads
of its own: its row is what they take beside the main thread. ``--svg`` also draws the graph.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

SPEED = Path(__file__).with_name("recipe_speed.py")
RATE = 200
"""Samples a second."""
_PASSES_ON = 0.9
"""A function only passes on where more of its samples are in one function that it calls."""
_LINE = re.compile(r":\d+\)$")
_NETWORK = "_run (sfumato/detectors/tagger.py)"


class Profile(NamedTuple):
    total: float
    """Seconds of the main thread."""
    seconds: dict[str, float]
    """Function -> how long it or what it calls was running; the network's threads beside them."""
    telling: dict[str, float]
    """The same without functions that only pass on."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("files", "long", "start"))
    parser.add_argument("input", type=Path)
    parser.add_argument("--recipe", default="default")
    parser.add_argument("--n", type=int, default=40)
    parser.add_argument("--megabytes", type=float, default=1)
    parser.add_argument("--top", type=int, default=15)
    parser.add_argument("--before", type=Path, help="the src folder of another version")
    parser.add_argument("--svg", type=Path, help="the flame graph as a picture")
    options = parser.parse_args()
    sources = [options.before, None] if options.before else [None]
    with tempfile.TemporaryDirectory() as folder:
        profiles = [sample(call(options, Path(folder)), source, options.svg) for source in sources]
    totals = ", then ".join(f"{profile.total:.2f}" for profile in profiles)
    print(f"{options.what} {options.input.name}, {options.recipe}: {totals} s of the main thread")
    print(f"| function | {'before, s | ' if options.before else ''}s |\n| --- |{' --- |' * len(profiles)}")
    longest: Counter[str] = Counter()
    for profile in profiles:
        longest |= Counter(profile.telling)
    for name, _ in longest.most_common(options.top):
        cells = " | ".join(f"{profile.seconds.get(name, 0):.2f}" for profile in profiles)
        print(f"| `{name}` | {cells} |")


def call(options: argparse.Namespace, folder: Path) -> list[str]:
    """The child of ``recipe_speed.py`` that is sampled; what it releases goes into the folder."""
    if options.what == "files":
        return ["pipeline_seconds", str(options.input), str(options.n), options.recipe]
    if options.what == "long":
        return ["long_text", str(options.input), str(options.megabytes), options.recipe]
    out = Path(tempfile.mkdtemp(dir=folder), f"out{options.input.suffix}")
    return ["command_line", "anonymize", str(options.input), "--out", str(out), "--recipe", options.recipe]


def sample(arguments: Sequence[str], source: Path | None, svg: Path | None) -> Profile:
    """Runs a child under py-spy and adds up its samples."""
    with tempfile.TemporaryDirectory() as folder:
        raw = Path(folder, "raw")
        paths = os.pathsep.join(map(str, (*([source] if source else []), SPEED.parents[1])))
        environment = {**os.environ, "PYTHONPATH": paths}
        sampler = Path(sys.executable).with_name("py-spy")
        if not sampler.exists():
            raise SystemExit("py-spy is not installed: pip install py-spy")
        child = [sys.executable, str(SPEED), "child", *arguments]
        for form, file in (("raw", raw), *([("flamegraph", svg)] if svg else [])):
            kind = ["--rate", str(RATE), "--format", form, "--output", str(file)]
            subprocess.run([sampler, "record", *kind, "--", *child], check=True, capture_output=True, env=environment)
        return add_up(raw.read_text(encoding="utf-8").splitlines())


def add_up(lines: Iterable[str]) -> Profile:
    """The times of functions from samples, each a stack of frames and how often it was seen."""
    inside: Counter[str] = Counter()
    called: Counter[tuple[str, str]] = Counter()
    total = in_threads = 0
    for line in lines:
        stack, _, count = line.rpartition(" ")
        frames = stack.split(";")
        if not any("run_child" in frame for frame in frames):
            in_threads += int(count) if any(_LINE.sub(")", frame).endswith(_NETWORK) for frame in frames) else 0
            continue
        is_warm_up = not any(frame.startswith("timed") for frame in frames)
        if is_warm_up and any(frame.startswith("pipeline_seconds") for frame in frames):
            continue
        names = [_LINE.sub(")", frame) for frame in frames if "sfumato/" in frame and "recipe_speed" not in frame]
        names = [name for name in names if "<listcomp>" not in name and "<genexpr>" not in name]
        total += int(count)
        for name in set(names):
            inside[name] += int(count)
        for pair in set(pairwise(names)):
            called[pair] += int(count)
    passing_on = {caller for (caller, _), count in called.items() if count > _PASSES_ON * inside[caller]}
    seconds = {name: count / RATE for name, count in inside.items() if count < 0.98 * total}
    if in_threads:
        seconds["(the tagger's network, in its own threads)"] = in_threads / RATE
    telling = {name: time for name, time in seconds.items() if name not in passing_on}
    return Profile(total / RATE, seconds, telling)


if __name__ == "__main__":
    main()
