"""TRIR: a linking attack by a language model trained on the background (Manzanares-Salor et al., 2024)."""
