"""The mean of the weights of taggers that were trained on from one another, calibrated anew.

``python -m training.tagger.average --data FILE.jsonl.gz --out FOLDER FOLDER=SHARE FOLDER=SHARE ...`` reads folders that
``train`` wrote. The first of them gives the card, and the gate of an early exit where the others have none. A student
that was trained on from a tagger forgets some of what that one knew; the mean of both keeps more of it than either.
Shares should add up to 1. ``--gate-threshold`` sets the least probability with which a token is read by all layers.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import torch

from training.tagger import calibrate
from training.tagger.model import Tagger, load
from training.tagger.predict import Predictor
from training.tagger.records import read
from training.tagger.splits import FOLDOUT, read_foldout, split
from training.tagger.train import CONFIG, VALIDATION_SEED, save, validation_score
from training.tagger.windows import Encoder


def average(taggers: Sequence[Tagger], shares: Sequence[float]) -> Tagger:
    """The first tagger with the weighted mean of all weights; what others lack it keeps as its own."""
    first, states = taggers[0], [tagger.state_dict() for tagger in taggers]
    mean = {
        name: sum(share * state.get(name, value) for share, state in zip(shares, states, strict=True))
        for name, value in states[0].items()
    }
    first.load_state_dict(mean)
    return first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("taggers", nargs="+", metavar="FOLDER=SHARE")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--gate-threshold", type=float)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    arguments = parser.parse_args()
    folders, shares = zip(*(given.rpartition("=")[::2] for given in arguments.taggers), strict=True)
    base, device = Path(folders[0]), torch.device(arguments.device)
    model = average([load(Path(folder)).eval() for folder in folders], [float(share) for share in shares])
    if arguments.gate_threshold:
        model.size = replace(model.size, gate_threshold=arguments.gate_threshold)
    config = tomllib.loads(CONFIG.read_text(encoding="utf-8"))
    encoder = Encoder(base, config["assume"])
    parts = split(list(read(arguments.data)), read_foldout(FOLDOUT), VALIDATION_SEED, config["validation"]["share"])
    validation = encoder.encode(parts.validation)
    read_validation = Predictor(validation, encoder, config["windows"]["length"], config["windows"]["hop"], device)
    answers = read_validation(model.to(device))
    calibration, stops = calibrate.fit_card(validation, answers)
    card = json.loads((base / "config.json").read_text(encoding="utf-8"))
    card |= {"calibration": calibration, "thresholds": stops, "size": asdict(model.size)}
    card["training"] |= {
        "average_of": [float(share) for share in shares],
        "validation": validation_score(validation, answers),
    }
    card.pop("label_thresholds", None)
    save(arguments.out, model, card, {}, base)
    print(json.dumps({"validation": card["training"]["validation"], "thresholds": stops, **calibration}))


if __name__ == "__main__":
    main()
