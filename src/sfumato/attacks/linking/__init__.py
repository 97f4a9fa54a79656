"""Attacks that link a release to a person by the words, characters or meaning that it shares with their background."""
