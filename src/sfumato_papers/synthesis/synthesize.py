"""Synthesis of records: fine-tune a causal language model on records with control codes, and sample new ones.

After Yue et al. 2023, as Xin et al. 2025 use it. Everything private lies in one confidential folder: the seed, the
checkpoint, the fine-tuned weights and what was sampled so far. A stopped run goes on from there with the same result,
and more records from the same weights spend no more ε.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from math import inf, isinf, isnan
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.document import Document
from sfumato.errors import InputError, OutputError, Problem, RecipeError, listed
from sfumato.files import CONFIDENTIAL, atomic_path
from sfumato.formats.base import Columns, OnProblem, Record, format_for, record_format
from sfumato.formats.inputs import as_documents
from sfumato.models.base import Embedder
from sfumato.progress import OnProgress, Progress, ignore_progress
from sfumato_papers.synthesis import fine_tune
from sfumato_papers.synthesis.causal import CausalLM, SamplingOptions, batches
from sfumato_papers.synthesis.fine_tune import Privacy, Training
from sfumato_papers.synthesis.memorization import (
    Canary,
    compare_with_records,
    draw_canaries,
    exposure,
    references,
    summarize_exposure,
)

FEWEST_RECORDS = 10
"""Fewer are no corpus to learn from."""
_TRIES = 4
"""How often a text is drawn again where it was blank."""
_BATCH, _GPU_BATCH = 32, 256
"""Texts that are sampled at once. What is drawn for each depends on its own seed."""
_CODE_SEPARATOR = " | "


@dataclass(frozen=True)
class Settings:
    """What a synthesis is run with."""

    base: str
    """A causal language model: a folder, a GGUF file, or a name of the hub."""
    epsilon: float
    """The target ε of DP-SGD; ``inf`` trains without it."""
    delta: float | None = None
    code_columns: tuple[str, ...] = ()
    """Columns of the records that make up their control codes."""
    codes: tuple[str, ...] = ()
    """Codes that new records are sampled for, in place of the records' own."""
    count: int | None = None
    """New records; None: as many as there are."""
    epochs: float = 5.0
    batch: int = 16
    rate: float | None = None
    """Peak learning rate; None: 5e-5, with DP-SGD 1e-4."""
    micro_batch: int = 8
    clip: float = 1.0
    record_tokens: int = 512
    """Tokens of a record, its code included; longer ones are cut."""
    sampling: SamplingOptions = field(default_factory=SamplingOptions)
    canaries: int = 0
    seed: int | None = None
    device: str = "cpu"

    def __post_init__(self) -> None:
        if isnan(self.epsilon) or self.epsilon <= 0:
            raise RecipeError(
                f"ε is a number above 0, or inf for training without differential privacy: {self.epsilon}"
            )
        if self.count is not None and self.count < 1:
            raise RecipeError("at least one record is to be synthesized")
        if self.record_tokens < 2 or self.canaries < 0:
            raise RecipeError("record_tokens is at least 2, and canaries at least 0")
        if self.codes and not self.code_columns:
            raise RecipeError("codes are given, but the records are learned without: name their columns as codes, too")

    @property
    def training(self) -> Training:
        rate = self.rate if self.rate is not None else 5e-5 if isinf(self.epsilon) else 1e-4
        return Training(self.epochs, self.batch, rate, self.micro_batch)


@dataclass(frozen=True)
class Synthesis:
    """New records by id, and the report, which is confidential: it compares them with the originals."""

    texts: Mapping[str, str] = field(repr=False)
    report: Mapping[str, Any]
    problems: tuple[Problem, ...] = ()


def synthesize_file(
    records: Path,
    out: Path,
    settings: Settings,
    *,
    embedder: Embedder,
    columns: Columns | None = None,
    folder: Path | None = None,
    on_progress: OnProgress = ignore_progress,
) -> Synthesis:
    """Read records, write new ones to ``out`` (all at once, when they are complete), and report.

    ``folder``: where checkpoint, weights and samples lie; beside ``out`` unless it is named.
    """
    folder = folder or out.with_name(f"{out.name}.model")
    form = record_format(format_for(out))
    if form is None:
        raise OutputError(f"{out}: holds one document; name a .jsonl, .json, .csv, .tsv or .parquet file")
    _check_places(records, out, folder)
    problems: list[Problem] = []
    plain = columns or Columns()
    read = Columns(plain.id, plain.text, settings.code_columns, plain.subjects, plain.subject_table)
    documents = as_documents(records, read, problems.append)
    synthesis = synthesize(
        documents, settings, folder, embedder=embedder, on_problem=problems.append, on_progress=on_progress
    )
    with atomic_path(out) as temporary:
        form.write(temporary, (Record(key, text) for key, text in synthesis.texts.items()))
    return Synthesis(synthesis.texts, synthesis.report, tuple(problems))


def _check_places(records: Path, out: Path, folder: Path) -> None:
    inside = records.resolve() if records.is_dir() else None
    for path in (out, folder):
        if path.resolve() == records.resolve() or (inside and path.resolve().is_relative_to(inside)):
            raise OutputError(f"{path}: lies among the records, where the next run would read it; choose another place")


def synthesize(
    documents: Sequence[Document],
    settings: Settings,
    folder: Path,
    *,
    embedder: Embedder,
    on_problem: OnProblem,
    on_progress: OnProgress = ignore_progress,
) -> Synthesis:
    """Fine-tune on the documents, or go on with what ``folder`` has, and sample new ones."""
    kept = _with_text(documents, on_problem)
    codes = [record_code(document, settings.code_columns) for document in kept]
    # Before the weights are read: what is wrong with ε and δ is said at once.
    privacy = fine_tune.plan_privacy(
        settings.epsilon, settings.delta, settings.training, len(kept) + settings.canaries, settings.clip
    )
    model = CausalLM(settings.base, settings.device)
    key = _training_key(settings, model.name, kept, codes)
    seed = fine_tune.open_run_folder(folder, key, settings.seed, option="--model")
    canaries = draw_canaries(settings.canaries, codes if settings.code_columns else [], seed)
    examples = [
        model.example(code, text, settings.record_tokens)
        for code, text in [
            *zip(codes, (document.text for document in kept), strict=True),
            *((canary.code, canary.text) for canary in canaries),
        ]
    ]
    if cut := sum(example.is_cut for example in examples):
        message = f"{cut} records are longer than {settings.record_tokens} tokens and are learned without their ends"
        on_problem(Problem("records", message, is_warning=True))
    losses = fine_tune.fit(
        model.network,
        examples,
        settings.training,
        privacy,
        seed=seed,
        checkpoint=folder / "training.pt",
        filler=model.end,
        on_progress=on_progress,
    )
    if not (folder / "weights").is_dir():
        model.save(folder / "weights")
    prompts = _codes_to_sample(settings, codes, seed)
    texts = _sample(model, prompts, settings, folder, seed, on_progress)
    blank = [key for key, text in texts.items() if not text]
    if blank:
        on_problem(Problem("synthesized", f"{len(blank)} texts stayed blank in {_TRIES} tries and are left out"))
    written = {key: text for key, text in texts.items() if text}
    if not written:
        raise InputError("the model wrote blank texts only: train longer, with a larger ε, or from another base")
    report = {
        "records": len(kept),
        "left_out": len(documents) - len(kept),
        "cut": cut,
        "synthesized": len(written),
        "base": model.name,
        "device": settings.device,
        "privacy": _describe_privacy(settings, privacy),
        "training": {**asdict(settings.training), "steps": len(losses), "last_loss": _last(losses)},
        "sampling": asdict(settings.sampling),
        "memorization": _memorization(model, settings, canaries, seed, kept, list(written.values()), embedder),
        "remarks": remarks(settings, privacy),
    }
    return Synthesis(written, report)


def _with_text(documents: Sequence[Document], on_problem: OnProblem) -> list[Document]:
    kept = [document for document in documents if document.text.strip()]
    if empty := [document.id for document in documents if not document.text.strip()]:
        on_problem(Problem("records", f"{len(empty)} records hold no text and are left out: {listed(empty)}"))
    if len(kept) < FEWEST_RECORDS:
        raise InputError(f"{len(kept)} records are too few to learn from: give at least {FEWEST_RECORDS}")
    return kept


def record_code(document: Document, columns: Sequence[str]) -> str:
    """``Question: … | Answer: …``: the columns of a record with their names."""
    kept = document.meta.get("kept", {})
    if missing := [name for name in columns if name not in kept]:
        raise InputError(f"record {document.id} has no column {missing[0]!r} for its control code: check --code-column")
    return _CODE_SEPARATOR.join(f"{name}: {' '.join(str(kept[name]).split())}" for name in columns)


def _codes_to_sample(settings: Settings, codes: Sequence[str], seed: int) -> list[str]:
    """The code of each new record: given ones in turn; else those of the records, drawn where others are asked for."""
    count = settings.count or len(settings.codes) or len(codes)
    if settings.codes:
        return [settings.codes[number % len(settings.codes)] for number in range(count)]
    if count == len(codes):
        return list(codes)
    return [codes[number] for number in np.random.default_rng([seed, 5]).integers(0, len(codes), count)]


def _training_key(settings: Settings, base: str, documents: Iterable[Document], codes: Sequence[str]) -> str:
    """A fingerprint of all that the weights depend on."""
    shaping = {
        "base": base,
        "epsilon": str(settings.epsilon),
        "delta": settings.delta,
        "training": asdict(settings.training),
        "clip": settings.clip,
        "record_tokens": settings.record_tokens,
        "canaries": settings.canaries,
        "seed": settings.seed,
        "device": settings.device.partition(":")[0],
    }
    digest = sha256(json.dumps(shaping, sort_keys=True).encode())
    for document, code in zip(documents, codes, strict=True):
        for part in (document.id, code, document.text):
            digest.update(sha256(part.encode("utf-8", "surrogatepass")).digest())
    return digest.hexdigest()


def _sample(
    model: CausalLM, prompts: Sequence[str], settings: Settings, folder: Path, seed: int, on_progress: OnProgress
) -> dict[str, str]:
    """A text for each code, by id; batches that an earlier run has finished are read from the folder."""
    key = sha256(json.dumps([asdict(settings.sampling), list(prompts)], sort_keys=True).encode()).hexdigest()[:16]
    path = folder / f"samples-{key}.jsonl"
    texts = _read_samples(path)
    width = max(4, len(str(len(prompts))))
    with path.open("a", encoding="utf-8") as file:
        path.chmod(CONFIDENTIAL)
        for numbers in batches(len(prompts), _GPU_BATCH if model.device.type == "cuda" else _BATCH):
            if numbers.stop <= len(texts):
                continue
            wanted = list(numbers)
            drawn = dict.fromkeys(wanted, "")
            for attempt in range(_TRIES):
                seeds = [[seed, 6, number, attempt] for number in wanted]
                answers = model.sample([model.prompt(prompts[number]) for number in wanted], seeds, settings.sampling)
                drawn |= dict(zip(wanted, answers, strict=True))
                wanted = [number for number in wanted if not drawn[number]]
                if not wanted:
                    break
            texts = [*texts[: numbers.start], *drawn.values()]
            file.write(json.dumps({"first": numbers.start, "texts": list(drawn.values())}, ensure_ascii=True) + "\n")
            file.flush()
            on_progress(Progress("sampling", numbers.stop, len(prompts)))
    return {f"s{number + 1:0{width}}": text for number, text in enumerate(texts)}


def _read_samples(path: Path) -> list[str]:
    """The texts of whole batches; a line that was cut off by a stop is dropped."""
    texts: list[str] = []
    if path.is_file():
        lines = path.read_bytes().split(b"\n")
        good = []
        for line in lines[:-1]:
            batch = json.loads(line)
            if batch["first"] == len(texts):
                texts += batch["texts"]
                good.append(line + b"\n")
        with atomic_path(path, CONFIDENTIAL) as temporary:
            temporary.write_bytes(b"".join(good))
    return texts


def _describe_privacy(settings: Settings, privacy: Privacy | None) -> dict[str, Any]:
    codes = "given" if settings.codes else "from the records" if settings.code_columns else "none"
    if privacy is None:
        return {"epsilon": "inf", "delta": None, "codes": codes}
    return {
        "epsilon": privacy.epsilon,
        "target": settings.epsilon,
        "delta": privacy.delta,
        "noise_multiplier": privacy.noise,
        "clip": privacy.clip,
        "sampling_rate": privacy.sampling.rate,
        "steps": privacy.sampling.steps,
        "accountant": "RDP of the Poisson-sampled Gaussian mechanism; neighbours differ in one record more or less",
        "unit": "record",
        "codes": codes,
    }


def remarks(settings: Settings, privacy: Privacy | None) -> list[str]:
    """What the ε of a report does and does not cover."""
    lines = ["This report compares with the records: it is confidential, and its figures lie outside of ε."]
    if privacy is None:
        lines.append("Trained without differential privacy: no ε bounds what the new records tell about the old ones.")
    else:
        lines.append(
            "ε bounds what the fine-tuned weights, and all records sampled from them, tell about any one record. The "
            "base weights and the choice of settings lie outside of it; records of one person, and runs, add up."
        )
    if settings.code_columns and not settings.codes:
        lines.append(
            "Control codes for sampling were taken from the records. They lie outside of ε: what they say, and how "
            "often, may be known from the new records. --codes FILE gives others."
        )
    if settings.seed is not None and privacy is not None:
        lines.append("The seed was given: whoever knows it can take the noise away, so it must stay secret.")
    return lines


def _memorization(
    model: CausalLM,
    settings: Settings,
    canaries: Sequence[Canary],
    seed: int,
    documents: Sequence[Document],
    texts: Sequence[str],
    embedder: Embedder,
) -> dict[str, Any]:
    result = compare_with_records(texts, [document.text for document in documents], embedder)
    if not canaries:
        return result
    exposures = []
    for canary in canaries:
        group = [canary, *references(canary, seed)]
        losses = model.losses([model.example(item.code, item.text, settings.record_tokens) for item in group], batch=64)
        exposures.append(exposure(float(losses[0]), losses[1:]))
    return {**result, **summarize_exposure(exposures, texts, canaries)}


def _last(losses: Sequence[float]) -> float | None:
    """The mean loss of the last tenth of the steps that had records."""
    defined = [loss for loss in losses if not isnan(loss) and loss != inf]
    return float(np.mean(defined[-max(1, len(defined) // 10) :])) if defined else None
