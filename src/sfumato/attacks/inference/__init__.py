"""Guesses at what was hidden: guessers, and what counts as a hit (MATCH)."""

from sfumato.attacks.inference.attack import GUESSES, Guesser, InferenceAttack

__all__ = ["GUESSES", "Guesser", "InferenceAttack"]
