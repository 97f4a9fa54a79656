"""What happens to spans behind the detectors, one step after the other: functions of a text and its spans."""

LIKELY = 0.5
"""The score from which a detector takes a span for personal rather than not."""
