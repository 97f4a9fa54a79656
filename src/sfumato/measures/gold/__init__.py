"""What people marked, read from their files."""

from sfumato.measures.gold.load import load_gold, load_labels, load_subjects, own_gold

__all__ = ["load_gold", "load_labels", "load_subjects", "own_gold"]
