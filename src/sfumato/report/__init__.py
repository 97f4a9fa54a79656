"""What pages are made of: frame, tables, pictures, figures in words. It knows nothing of what they show."""

from sfumato.report.dumbbell import Change, dumbbell
from sfumato.report.scatter import Axis, Line, Point, scatter
from sfumato.report.sheet import cell, row, sheet, table
from sfumato.report.words import counted, in_words, numbers, percent, tabled

__all__ = [
    "Axis",
    "Change",
    "Line",
    "Point",
    "cell",
    "counted",
    "dumbbell",
    "in_words",
    "numbers",
    "percent",
    "row",
    "scatter",
    "sheet",
    "table",
    "tabled",
]
