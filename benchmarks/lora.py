"""A model fine-tuned on AgentClinic's cases filled with invented people, and its answers beside those of its base.

    python -m benchmarks.lora --data DATA --base MODEL --out FOLDER [--device cuda] [--epochs 8] [--limit N]

Pairs are the notes of ``benchmarks.filled_cases`` and the same notes with tags. ``training.lora`` learns the part
``train`` and measures its loss on the part ``validation``; the notes of the part ``test`` are rewritten by the base and
by the fine-tuned model, as ``published/clinical-rewrite`` and ``published/clinical-lora`` do. FOLDER gets lora.json
and, for each model, its answers, from which the table of all methods is made without a GPU:

    python -m benchmarks.paper_tables pissarra2024-fig2 --data DATA --out TABLE --corpora agentclinic-test \\
        --methods published/clinical-lora --llm replay:FOLDER/answers-fine-tuned.jsonl

Needs torch and transformers. What is finished is kept: the same command goes on.
"""

from __future__ import annotations

import argparse
import gc
import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.filled_cases import COUNT, filled_cases, split, tagged_cases
from benchmarks.torch_chat_server import HOST, Generator, handler
from training.lora.adapters import Adapters
from training.lora.pairs import Pair, Parts, with_plain_tags
from training.lora.train import WEIGHTS, Settings, fine_tune_pairs

from sfumato.document import Document, Release
from sfumato.errors import Problem, SfumatoError
from sfumato.files import atomic_path
from sfumato.llm.chat import Chat
from sfumato.llm.replay import RecordingChat
from sfumato.llm.settings import open_chat
from sfumato_papers.rewriters.prompted import Clinical
from sfumato_papers.synthesis.fine_tune import Training


def pairs(data: Path, count: int) -> tuple[Parts, list[Document]]:
    """What is learned and measured, and the notes of the test part."""
    filled = filled_cases(data, count)
    targets = {note.id: with_plain_tags(note.text) for note in tagged_cases(data, count)}
    made = {note.id: Pair(note.id, note.text, targets[note.id]) for note in filled}
    ids = split(filled)
    test = set(ids["test"])
    parts = Parts([made[key] for key in ids["train"]], [made[key] for key in ids["validation"]])
    return parts, [note for note in filled if note.id in test]


@contextmanager
def serve(model: Path, device: str, batch: int) -> Iterator[str]:
    """The address of a server of the model, for a while."""
    generator = Generator(model, device, batch)
    threading.Thread(target=generator.serve, daemon=True).start()
    server = ThreadingHTTPServer((HOST, 0), handler(generator, "model"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://{HOST}:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        generator.model = generator.model.to("cpu")
        gc.collect()


def rewrite(notes: Sequence[Document], model: Path, name: str, given: argparse.Namespace) -> dict[str, Any]:
    """Answers and releases of one model in files; how many there are, and what they cost."""
    report = given.out / f"{name}.json"
    if report.is_file():
        finished: dict[str, Any] = json.loads(report.read_text(encoding="utf-8"))
        return finished
    answers = given.out / f"answers-{name}.jsonl"
    answers.unlink(missing_ok=True)
    with serve(model, given.device, given.server_batch) as address:
        context = {"context": given.context, "timeout": 1800.0, "in_flight": given.server_batch}
        kept: Chat = open_chat(address, cache=given.out / "chat" / name, name=name, **context)
        began = time.monotonic()
        rewriter = Clinical(chat=RecordingChat(kept, answers))
        outcomes = rewriter.rewrite(notes)
        seconds = time.monotonic() - began
    released = [outcome for outcome in outcomes if isinstance(outcome, Release)]
    with atomic_path(given.out / f"releases-{name}.jsonl") as temporary, temporary.open("w", encoding="utf-8") as file:
        for release in released:
            file.write(json.dumps({"id": release.document.id, "text": release.text}, ensure_ascii=False) + "\n")
    result = {
        "notes": len(notes),
        "released": len(released),
        "withheld": len(notes) - len(released),
        "seconds_since_last_start": round(seconds, 1),
        **{key: getattr(rewriter.usage, key) for key in ("prompt_tokens", "generated_tokens", "unreadable", "failed")},
    }
    report.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return result


def run(given: argparse.Namespace) -> dict[str, Any]:
    """Everything from cases to answers; what lora.json says."""
    given.out.mkdir(parents=True, exist_ok=True)
    parts, notes = pairs(given.data, given.count)
    settings = Settings(
        given.base,
        Adapters(given.rank, given.alpha),
        Training(given.epochs, given.batch, given.rate, given.micro_batch),
        given.tokens,
        seed=given.seed,
        device=given.device,
    )
    report = fine_tune_pairs(parts, settings, given.out / "model", on_problem=_say)
    print(json.dumps(report["validation_loss"]), flush=True)
    chosen = notes[: given.limit]
    rewritten = {
        "zero-shot": rewrite(chosen, Path(given.base), "zero-shot", given),
        "fine-tuned": rewrite(chosen, given.out / "model" / WEIGHTS, "fine-tuned", given),
    }
    content = {"fine_tuning": report, "test": rewritten}
    with atomic_path(given.out / "lora.json") as temporary:
        temporary.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return content


def _say(problem: Problem) -> None:
    print(problem, flush=True)


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--base", required=True, help="a folder of Hugging Face or a .gguf file, with a chat template")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--count", type=int, default=COUNT, help="cases")
    parser.add_argument("--limit", type=int, help="rewrite only so many notes of the test part")
    parser.add_argument("--rank", type=int, default=16)
    parser.add_argument("--alpha", type=float, default=32.0)
    parser.add_argument("--epochs", type=float, default=8.0)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--micro-batch", type=int, default=8)
    parser.add_argument("--rate", type=float, default=5e-4)
    parser.add_argument("--tokens", type=int, default=3072)
    parser.add_argument("--context", type=int, default=8192, help="of the served model, in tokens")
    parser.add_argument("--server-batch", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cuda")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    try:
        print(json.dumps(run(parse(argv)), indent=1))
    except SfumatoError as error:
        raise SystemExit(f"error: {error}") from None


if __name__ == "__main__":
    main()
