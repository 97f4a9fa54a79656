"""How well two values of a private span are told apart by DP-Fusion's paraphrases, beside the stated epsilon.

    python -m benchmarks.dp_fusion_audit FILE.gguf [--tokens 1] [--samples 20000] [--temperature 1] [--bounds .01,.1,1]

One sentence about an invented person, whose name is one of two; each bound is audited at order 2 and at an infinite
one, and the row "unbounded" samples with the span alone, as a paraphrase without protection does.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from dataclasses import replace

from sfumato.document import Document, Span
from sfumato.llm.gguf import GgufChat
from sfumato_papers.rewriters.dp_audit import audit
from sfumato_papers.rewriters.dp_fusion import DpFusion

TEXT = "{} was born in Velbrin and works there as a baker."
VALUES = ("Ansel Quorvex", "Ilda Maravel")
UNBOUNDED = 1e9


def document(value: str) -> Document:
    return Document("audited", TEXT.format(value), annotations=(Span(0, len(value), "PERSON"),))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", help="a GGUF file")
    parser.add_argument("--tokens", type=int, default=1)
    parser.add_argument("--samples", type=int, default=20_000, help="paraphrases of each value")
    parser.add_argument("--temperature", type=float, default=1.0)
    parser.add_argument("--bounds", default="0.01,0.1,1", help="of a token's divergence, separated by commas")
    parser.add_argument("--threads", type=int, default=None)
    options = parser.parse_args(arguments)
    chat = GgufChat(options.model, context=512, threads=options.threads)
    first, second = (document(value) for value in VALUES)
    print(
        f"{chat.name}, {options.tokens} tokens, temperature {options.temperature:g}, {options.samples} samples of each"
    )
    print("| order | bound | stated ε | δ | ε at least (95 %) | estimate | right | wrong | largest loss | s |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    cells = [(order, float(bound)) for bound in options.bounds.split(",") for order in (2.0, math.inf)]
    for order, bound in [*cells, (math.inf, UNBOUNDED)]:
        began = time.perf_counter()
        rewriter = DpFusion(chat=chat, alpha=order, bound=bound, tokens=options.tokens, temperature=options.temperature)
        found = audit(rewriter, first, second, samples=options.samples)
        if bound == UNBOUNDED:
            found = replace(found, epsilon=math.inf)
        limit = "unbounded" if bound == UNBOUNDED else f"{bound:g}"
        print(
            f"| {order:g} | {limit} | {found.epsilon:.3g} | {found.delta:g} "
            f"| {found.lower:.3f} | {found.estimate:.3f} | {found.right[0]}/{found.right[1]} "
            f"| {found.wrong[0]}/{found.wrong[1]} | {found.largest_loss:.3f} | {time.perf_counter() - began:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
