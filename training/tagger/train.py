"""Train the tagger, calibrate it, score it on texts it never saw, and write it to a folder.

``python -m training.tagger.train --data FILE.jsonl[.gz] --base FOLDER --out FOLDER``
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import time
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from shutil import copyfile
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.torch import save_file

from sfumato.detectors.tagger import GAPS, SHAPES
from training.tagger import calibrate
from training.tagger.evaluate import Judged, report
from training.tagger.fit import Batch, Example, batch_of, fit, on_device
from training.tagger.labels import DECISIONS, LABELS, TAGS, family
from training.tagger.model import LargeTagger, Tagger, add_gate, keep_layers, load, narrow_layers, take_first_layers
from training.tagger.objective import outside_tags
from training.tagger.predict import Prediction, Predictor
from training.tagger.records import Record, read, read_plain
from training.tagger.splits import FOLDOUT, Split, read_foldout, split
from training.tagger.teachers import Opinions, ask, read_opinions
from training.tagger.user import read_user
from training.tagger.windows import Encoded, Encoder, Windows, windows

CONFIG = Path(__file__).parent / "config.toml"
VALIDATION_SEED = 1
"""One for all runs: what picks a student's epoch must not have taught its teachers."""


def settings(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, action="append", default=[], help="common format; may be repeated")
    parser.add_argument("--user-data", type=Path, action="append", default=[], help="TAB JSON or spans with text")
    parser.add_argument(
        "--plain-text", type=Path, action="append", default=[], help="texts nobody annotated (--teacher)"
    )
    parser.add_argument("--teacher", type=Path, action="append", default=[], help="a trained tagger to learn from, too")
    parser.add_argument("--opinions", type=Path, help="what teachers said of the same data, in place of --teacher")
    parser.add_argument("--base", type=Path, required=True, help="config.json, model.safetensors, tokenizer.json")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument(
        "--leave-out", metavar="SET", action="append", default=[], help="train without this set, score on all of it"
    )
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--minutes", type=float, help="train for so long, whatever the machine, in place of --epochs")
    parser.add_argument("--rate", type=float, help="learning rate of the encoder; a larger one needs a smaller rate")
    parser.add_argument(
        "--layers", type=_numbers, help="keep only these layers of the base, from 0, such as 0,2,5: a faster tagger"
    )
    parser.add_argument("--feed-forward", type=int, help="keep so many units inside each layer, such as 768 of 1536")
    parser.add_argument("--heads", type=int, help="keep so many heads of attention in each layer, such as 6 of 12")
    parser.add_argument(
        "--first-layers",
        type=Path,
        help="take the --full-layers from this narrower tagger, the later ones from the base",
    )
    parser.add_argument(
        "--imitate-base", action="store_true", help="learn the outputs and hidden states of the base, as it was"
    )
    parser.add_argument(
        "--full-layers", type=int, help="read all tokens in so many layers, then those that may be personal: faster"
    )
    parser.add_argument("--limit", type=int, help="texts per set, for trying things out")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--config", type=Path, default=CONFIG)
    parser.add_argument("--foldout", type=Path, default=FOLDOUT)
    return parser.parse_args(argv)


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",")]


def gather(arguments: argparse.Namespace, share: float) -> Split:
    """The data in three parts. A set left out is scored whole: none of it was seen."""
    records: list[Record] = [record for path in arguments.data for record in read(path)]
    records += [record for path in arguments.user_data for record in read_user(path)]
    if not records:
        raise SystemExit("nothing to train on: give --data (see prepare.py) or --user-data")
    if unknown := set(arguments.leave_out) - {family(record.set) for record in records}:
        raise SystemExit(f"--leave-out {unknown.pop()}: no such set in the data")
    if arguments.plain_text and not (arguments.teacher or arguments.opinions or arguments.imitate_base):
        raise SystemExit("--plain-text teaches nothing without a --teacher")
    if arguments.limit:
        records = _some(records, arguments.limit, arguments.seed)
    parts = split(records, read_foldout(arguments.foldout), VALIDATION_SEED, share)
    parts.train += [record for path in arguments.plain_text for record in read_plain(path)]
    if arguments.leave_out:
        left_out = [record for record in records if family(record.set) in arguments.leave_out]

        def keep(part: Sequence[Record]) -> list[Record]:
            return [record for record in part if family(record.set) not in arguments.leave_out]

        parts = Split(keep(parts.train), keep(parts.validation), left_out)
    return parts


def _some(records: list[Record], limit: int, seed: int) -> list[Record]:
    by_set: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        by_set[record.set].append(record)
    return [record for group in by_set.values() for record in random.Random(seed).sample(group, min(limit, len(group)))]


def validation_score(texts: Sequence[Encoded], predictions: Sequence[Prediction]) -> float:
    """Mean over sets of the average precision of the mask output: no set may be bought with another."""
    by_set: dict[str, list[int]] = defaultdict(list)
    for number, text in enumerate(texts):
        by_set[text.record.set].append(number)
    scores = []
    for numbers in by_set.values():
        logits, truths = calibrate.known([texts[n] for n in numbers], [predictions[n] for n in numbers])
        if truths.any():
            scores.append(calibrate.average_precision(logits, truths))
    return float(np.mean(scores)) if scores else 0.0


class Prepared(NamedTuple):
    """The data as a network reads it, the settings, and the device."""

    config: dict[str, Any]
    device: torch.device
    encoder: Encoder
    set_names: list[str]
    windows: dict[int, Windows]
    validation: list[Encoded]
    foldout: list[Encoded]

    def reader(self, texts: Sequence[Encoded]) -> Predictor:
        length, hop = self.config["windows"]["length"], self.config["windows"]["hop"]
        return Predictor(texts, self.encoder, length, hop, self.device)


def prepare_training(arguments: argparse.Namespace) -> Prepared:
    """Read the data, cut it into parts, and the part to train on into windows."""
    began = time.monotonic()
    config = tomllib.loads(arguments.config.read_text(encoding="utf-8"))
    if arguments.epochs:
        config["optimizer"]["epochs"] = arguments.epochs
    if arguments.minutes:
        config["optimizer"]["minutes"] = arguments.minutes
    if arguments.rate:
        config["optimizer"]["rate"] = arguments.rate
    device = torch.device(arguments.device)
    parts = gather(arguments, config["validation"]["share"])
    encoder = Encoder(arguments.base, config.get("assume"))
    train, validation, foldout = (encoder.encode(part) for part in (parts.train, parts.validation, parts.foldout))
    set_names = sorted({text.record.set for text in train})
    length, hop = config["windows"]["length"], config["windows"]["hop"]
    cut = windows(train, encoder, set_names, length, hop if device.type == "cuda" else config["windows"]["hop_cpu"])
    counted = sum(len(bucket.sets) for bucket in cut.values())
    kept = f"{len(validation)} texts to validate, {len(foldout)} never seen"
    print(f"{len(train)} texts, {counted} windows; {kept}; {time.monotonic() - began:.0f} s", flush=True)
    return Prepared(config, device, encoder, set_names, cut, validation, foldout)


def some_batches(windows: Mapping[int, Windows], device: torch.device, rows: int = 256) -> Iterator[Batch]:
    """Windows of each length, at most so many, spread over the data."""
    for bucket in on_device(windows, torch.device("cpu")).values():
        count = len(bucket["ids"])
        places = torch.linspace(0, count - 1, min(rows, count)).long()
        for part in places.split(64):
            yield {name: values.to(device) for name, values in batch_of(bucket, part).items()}


def load_models(folders: Sequence[Path], device: torch.device) -> list[Tagger | LargeTagger]:
    """Trained taggers, to be asked only."""
    return [load(folder).to(device).eval() for folder in folders]


def run(arguments: argparse.Namespace) -> dict[str, Any]:
    """Everything from data to a folder with weights; returns the scores."""
    began = time.monotonic()
    torch.manual_seed(arguments.seed)
    prepared = prepare_training(arguments)
    config, device, validation = prepared.config, prepared.device, prepared.validation
    opinions: Opinions | None = None
    if arguments.opinions:
        opinions = read_opinions(arguments.opinions, prepared.windows)
    elif arguments.teacher:
        opinions = ask(load_models(arguments.teacher, device), prepared.windows, device)
    model = load(arguments.base, config["optimizer"]["dropout"]).to(device)
    example = None
    if arguments.imitate_base:
        if isinstance(model, LargeTagger) or opinions:
            raise SystemExit("--imitate-base: needs a MiniLM as base and takes the place of --teacher and --opinions")
        example = Example(copy.deepcopy(model).eval(), arguments.layers or range(len(model.layers)))
    if arguments.layers:
        keep_layers(model, arguments.layers)
    if arguments.feed_forward or arguments.heads:
        narrow_layers(model, some_batches(prepared.windows, device), arguments.heads, arguments.feed_forward)
    if arguments.first_layers:
        narrow = load(arguments.first_layers, config["optimizer"]["dropout"])
        take_first_layers(model, narrow, arguments.full_layers)
    if arguments.full_layers:
        add_gate(model, arguments.full_layers, config["gate"]["threshold"])
    model = model.to(device)
    read_validation = prepared.reader(validation)
    best = fit(
        model,
        prepared.windows,
        prepared.set_names,
        outside_tags(prepared.set_names),
        config,
        lambda averaged: validation_score(validation, read_validation(averaged)),
        device,
        arguments.seed,
        opinions,
        example,
    )
    answers = read_validation(model)
    calibration, stops = calibrate.fit_card(validation, answers)
    unseen = prepared.reader(prepared.foldout)(model)
    judged = [
        Judged(text, answer, calibrate.probabilities(answer.mask, calibration["temperature"]))
        for text, answer in zip(prepared.foldout, unseen, strict=True)
    ]
    scores = report(judged, stops["balanced"])
    card = {
        "labels": LABELS,
        "tags": TAGS,
        "decisions": DECISIONS,
        "shapes": SHAPES,
        "gaps": GAPS,
        "window": config["windows"]["length"],
        "hop": config["windows"]["hop"],
        "calibration": calibration,
        "thresholds": stops,
        "size": asdict(model.size),
        **({"mpnet": model.settings} if isinstance(model, LargeTagger) else {}),
        "training": {
            "seed": arguments.seed,
            "left_out": arguments.leave_out,
            "teachers": _teachers(arguments),
            **({"layers_of_base": arguments.layers} if arguments.layers else {}),
            "best_epoch": best.epoch + 1,
            "validation": best.score,
            "seconds": round(time.monotonic() - began),
            "torch": torch.__version__,
            "config": config,
        },
    }
    save(arguments.out, model, card, scores, arguments.base)
    return {"calibration": calibration, "thresholds": stops, "scores": scores}


def _teachers(arguments: argparse.Namespace) -> str | int:
    """What the card says of teachers: how many, where they are not files or the base itself."""
    if arguments.imitate_base:
        return "the base"
    return "opinions" if arguments.opinions else len(arguments.teacher)


def save(out: Path, model: Tagger, card: dict[str, Any], scores: dict[str, Any], base: Path) -> None:
    """Half-precision weights, the card that the runtime reads, the scores, and the tokenizer."""
    out.mkdir(parents=True, exist_ok=True)
    save_file(
        {name: value.half().cpu().contiguous() for name, value in model.state_dict().items()}, out / "model.safetensors"
    )
    (out / "config.json").write_text(json.dumps(card, indent=1), encoding="utf-8")
    (out / "scores.json").write_text(json.dumps(scores, indent=1), encoding="utf-8")
    copyfile(base / "tokenizer.json", out / "tokenizer.json")


def main(argv: Sequence[str] | None = None) -> None:
    print(json.dumps(run(settings(argv))))


if __name__ == "__main__":
    main()
