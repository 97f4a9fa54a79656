"""What pages are made of: frame, tables, pictures, figures in words. It knows nothing of what they show."""

from sfumato.report.html import cell, counted, format_percent_column, html_page, in_words, numbers, percent, row, table
from sfumato.report.plots import Axis, Change, Line, Point, dumbbell, scatter

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
