"""Every set of a data path in the common format (records.py). Nothing here is ever copied into the repository."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from training.tagger.records import Record
from training.tagger.sets import agentclinic, asq_phi, conll, meddocan, presidio, spia, tab

READERS: dict[str, tuple[str, Callable[[Path], Iterator[Record]]]] = {
    "tab": ("tab", tab.read),
    "spia": ("spia", spia.read),
    "asq_phi": ("asq_phi", asq_phi.read),
    "presidio": ("presidio_research", presidio.read),
    "wnut17": ("ner/wnut17", conll.read_wnut17),
    "wikigold": ("ner/wikigold", conll.read_wikigold),
    "btc": ("ner/btc", conll.read_btc),
    "meddocan": ("meddocan", meddocan.read),
    "agentclinic": ("agentclinic", agentclinic.read),
}
"""A set's name -> its folder under the data path, and its reader."""


def read_sets(data: Path) -> Iterator[Record]:
    """All real sets; a folder that is not there is an error, since scores would silently change with it."""
    for name, (folder, reader) in READERS.items():
        if not (data / folder).is_dir():
            raise FileNotFoundError(f"{data / folder} is missing: set {name!r} is read from there (see README.md)")
        yield from reader(data / folder)
