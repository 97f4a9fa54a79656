"""Generalization: hierarchies of true, less specific levels (one package each), their wording and their truth check."""
