"""The subject attack: who is in a released text, and what can still be inferred of each person (Oh et al., 2026)."""
