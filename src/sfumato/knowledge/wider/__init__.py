"""Wider words that are true of the same: concepts, nouns, verbs, modifiers. English."""
