"""Tables that people open in a spreadsheet: no cell may become a formula there, whatever a stranger wrote into it."""

import csv
import io
from collections.abc import Iterable, Sequence

from django.http import HttpResponse

BEGINS_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")
# Spreadsheets take a file without it for one in their own old encoding, and show no Japanese.
MARK = "\ufeff"


def defused(cell: object) -> object:
    """A text that would begin a formula gets an apostrophe in front; numbers stay numbers, nothing stays empty."""
    if cell is None:
        return ""
    risky = isinstance(cell, str) and (cell.startswith(BEGINS_A_FORMULA) or cell.lstrip().startswith(BEGINS_A_FORMULA))
    return f"'{cell}" if risky else cell


def csv_answer(name: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> HttpResponse:
    """A file to download."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows([defused(cell) for cell in row] for row in rows)
    answer = HttpResponse(MARK + text.getvalue(), content_type="text/csv; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer
