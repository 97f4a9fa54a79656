"""What the teachers say of every window, computed once: several students can learn from it, none has to wait for it.

``python -m training.tagger.teachers --data FILE --plain-text FILE --base FOLDER --teacher FOLDER ... --out FILE``
writes the mean of their probabilities; ``training.tagger.train --opinions FILE``, with the same data, learns from it.
Without a file, ``train --teacher`` asks the teachers itself before it begins.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import torch
from safetensors import safe_open
from safetensors.torch import save_file
from torch import Tensor

from training.tagger.fit import batch_of, on_device
from training.tagger.labels import DECISIONS, TAGS
from training.tagger.model import LargeTagger, Tagger
from training.tagger.objective import probabilities
from training.tagger.windows import Windows

SIZES = (len(TAGS), len(DECISIONS), 1)
"""Columns of an opinion: probabilities of the tags, of the decisions, and that the token must be masked."""
TOKENS = 65536
"""Tokens that the teachers read at once."""

Opinions = dict[int, Tensor]
"""By padded length of the windows: [window, token, column] in half precision, on the processor."""


@torch.no_grad()
def ask(teachers: Sequence[Tagger | LargeTagger], windows: Mapping[int, Windows], device: torch.device) -> Opinions:
    """The mean of the teachers' probabilities for every token of every window, as it stands in the text."""
    opinions: Opinions = {}
    for width, bucket in on_device(windows, device).items():
        count = len(bucket["ids"])
        opinions[width] = torch.empty((count, width, sum(SIZES)), dtype=torch.half)
        for rows in torch.arange(count, device=device).split(max(1, TOKENS // width)):
            batch = batch_of(bucket, rows)
            with torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda"):
                answers = [
                    teacher(batch["ids"], batch["visible"], batch["shapes"], batch["kinds"]) for teacher in teachers
                ]
            mean = torch.stack([probabilities(*answer) for answer in answers]).mean(0)
            opinions[width][int(rows[0]) : int(rows[-1]) + 1] = mean.half().cpu()
    return opinions


def write_opinions(path: Path, opinions: Opinions, windows: Mapping[int, Windows]) -> None:
    save_file({str(width): values for width, values in opinions.items()}, path, {"windows": _fingerprint(windows)})


def read_opinions(path: Path, windows: Mapping[int, Windows]) -> Opinions:
    """The opinions of a file, refused where they are about other windows."""
    with safe_open(path, "pt") as file:
        if (file.metadata() or {}).get("windows") != _fingerprint(windows):
            raise SystemExit(f"{path}: the teachers read other windows; give the same data as to them")
        return {int(name): file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping


def _fingerprint(windows: Mapping[int, Windows]) -> str:
    digest = sha256()
    for width in sorted(windows):
        digest.update(windows[width].ids.tobytes())
    return digest.hexdigest()


def main() -> None:
    from training.tagger.train import load_models, prepare_training, settings

    arguments = settings()
    if not arguments.teacher:
        raise SystemExit("name a teacher: --teacher FOLDER")
    prepared = prepare_training(arguments)
    opinions = ask(load_models(arguments.teacher, prepared.device), prepared.windows, prepared.device)
    write_opinions(arguments.out, opinions, prepared.windows)
    print(f"{sum(len(values) for values in opinions.values())} windows")


if __name__ == "__main__":
    main()
