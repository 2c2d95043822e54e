"""Sets a caution on a table as a sentence, but never a name otherwise than it is written."""

from django import template

from backend.analytics.presenting import Page

register = template.Library()
AFTER_A_NAME = (":", ",", " and ")


@register.filter
def sentence(note: str, page: Page) -> str:
    """Return a note with a capital at its start, unless it starts with a label of the table.

    Such a label may be a name, and "gpt-4o" is not "Gpt-4o".
    """
    labels = {cell.text for row in page.rows for cell in row if cell.text and not cell.numeric}
    if any(note.startswith(label + end) for label in labels for end in AFTER_A_NAME):
        return note
    return note[:1].upper() + note[1:]
