"""Commands of the command line, as the group ``sfumato.commands`` names them."""

from sfumato.cli import Command

SYNTHESIZE = Command(
    "Make new records with a language model fine-tuned on yours, with differential privacy if asked.",
    "sfumato_papers.cli.synthesize:synthesize",
)
FILL = Command(
    "Put consistent invented people, dates and places into de-identified notes, and write where they stand.",
    "sfumato_papers.cli.fill:fill",
)
RATE = Command("Make a sheet for human raters; with --count, read filled sheets.", "sfumato_papers.cli.rate:rate")
