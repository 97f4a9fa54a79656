"""Guesses at what was hidden: guessers, and what counts as a hit (MATCH)."""
