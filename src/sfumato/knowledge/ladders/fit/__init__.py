"""A rung put into its sentence, and what can be wrong with the result."""

from sfumato.knowledge.ladders.fit.put import Fitted, fit, fits, numbered

__all__ = ["Fitted", "fit", "fits", "numbered"]
