"""A person's own words about a listing."""

import unicodedata
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from .models import Listing, Note

LONGEST_NOTE = 2000


@transaction.atomic
def write_note(*, user: Any, listing: Listing, text: str, now: datetime) -> None:
    """Keep a note; an empty one takes it away. Raises ``ValidationError`` with a sentence."""
    clean = _clean(text)
    if clean:
        Note.objects.update_or_create(user=user, listing=listing, defaults={"text": clean, "updated_at": now})
    else:
        Note.objects.of(user).filter(listing=listing).delete()


def _clean(text: str) -> str:
    clean = text.replace("\r\n", "\n").strip()
    if len(clean) > LONGEST_NOTE:
        raise ValidationError(_("The note is longer than %(n)d characters.") % {"n": LONGEST_NOTE})
    if any(unicodedata.category(char) in {"Cc", "Cs", "Cn"} and char not in "\n\t" for char in clean):
        raise ValidationError(_("The note holds characters that cannot be shown. Please type it again."))
    return clean
