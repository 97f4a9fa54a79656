"""What pages are made of: the frame, the tables and the pictures. It knows nothing of what they show."""

from sfumato.report.dumbbell import Change, dumbbell
from sfumato.report.scatter import Axis, Line, Point, scatter
from sfumato.report.sheet import cell, row, sheet, table

__all__ = ["Axis", "Change", "Line", "Point", "cell", "dumbbell", "row", "scatter", "sheet", "table"]
