"""Labels that people put on their watches."""

import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from .models import Tag, Watch, WatchTag

LONGEST_TAG = 40
LONGEST_KEY = 120
MOST_TAGS = 20


def key_of(name: str) -> str:
    """What is the same for every case, width and spacing of a tag's name.

    >>> key_of("Ｋａｔｏ　 san") == key_of("kato SAN")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def clean_name(name: str) -> str:
    """A tag's name as it is kept; raises ``ValidationError`` with a sentence."""
    clean = " ".join(name.split())
    if not key_of(clean):
        raise ValidationError(_("A tag needs a name."))
    if any(unicodedata.category(char) in {"Cc", "Cf", "Cs", "Cn"} for char in clean):
        raise ValidationError(_("A tag holds characters that cannot be shown. Please type it again."))
    if len(clean) > LONGEST_TAG or len(key_of(clean)) > LONGEST_KEY:
        raise ValidationError(_("A tag is longer than %(n)d characters.") % {"n": LONGEST_TAG})
    return clean


@transaction.atomic
def set_tags(*, watch: Watch, names: Iterable[str]) -> None:
    """Make these the tags of a watch. Raises ``ValidationError`` with a sentence; nothing is saved then."""
    wanted = _tags(watch.user, names)
    _hold(watch)
    _check_count(len(wanted))
    WatchTag.objects.filter(watch=watch).exclude(tag__in=wanted).delete()
    _put_on(watch, wanted)
    forget_unused(watch.user)


@transaction.atomic
def add_tags(*, watch: Watch, names: Iterable[str]) -> int:
    """Put tags on a watch beside those it wears; returns how many are new to it. Raises ``ValidationError``."""
    wanted = _tags(watch.user, names)
    _hold(watch)
    worn = set(WatchTag.objects.filter(watch=watch).values_list("tag_id", flat=True))
    new = [tag for tag in wanted if tag.pk not in worn]
    _check_count(len(worn) + len(new))
    _put_on(watch, new)
    return len(new)


@transaction.atomic
def take_tags(*, watch: Watch, names: Iterable[str]) -> int:
    """Take tags off a watch; returns how many it wore."""
    keys = [key_of(name) for name in names]
    count, _by_model = WatchTag.objects.filter(watch=watch, tag__user=watch.user, tag__key__in=keys).delete()
    forget_unused(watch.user)
    return count


@transaction.atomic
def rename_tag(*, tag: Tag, name: str) -> None:
    """Call a tag otherwise on all its watches. Raises ``ValidationError`` with a sentence, also when it exists."""
    clean = clean_name(name)
    if Tag.objects.of(tag.user).filter(key=key_of(clean)).exclude(pk=tag.pk).exists():
        raise ValidationError(_("There is a tag “%(name)s” already.") % {"name": clean})
    Tag.objects.filter(pk=tag.pk).update(name=clean, key=key_of(clean))


@transaction.atomic
def remove_tag(*, tag: Tag) -> None:
    """Take a tag off all its watches; the watches stay."""
    tag.delete()


def _tags(user: Any, names: Iterable[str]) -> list[Tag]:
    """The person's tags of these names, made when they are missing; equal names are one."""
    wanted = {key_of(clean): clean for clean in map(clean_name, names)}
    new = [Tag(user=user, name=name, key=key) for key, name in sorted(wanted.items())]
    Tag.objects.bulk_create(new, ignore_conflicts=True)
    return list(Tag.objects.of(user).filter(key__in=wanted))


def _hold(watch: Watch) -> None:
    """Of two who tag a watch at once the second counts what the first has put on, where the database has row locks."""
    Watch.objects.select_for_update(no_key=True).get(pk=watch.pk)


def _check_count(count: int) -> None:
    if count > MOST_TAGS:
        sentence = ngettext("A watch wears at most %(n)d tag.", "A watch wears at most %(n)d tags.", MOST_TAGS)
        raise ValidationError(sentence % {"n": MOST_TAGS})


def _put_on(watch: Watch, tags: Sequence[Tag]) -> None:
    WatchTag.objects.bulk_create([WatchTag(watch=watch, tag=tag) for tag in tags], ignore_conflicts=True)


def forget_unused(user: Any) -> None:
    """A tag that nothing wears any more would only be in the way of whoever chooses."""
    Tag.objects.of(user).filter(tagged=None).delete()


def tags_by_watch(watch_ids: Collection[int]) -> Mapping[int, list[Tag]]:
    """The tags of some watches, each by name; one query."""
    found: dict[int, list[Tag]] = {pk: [] for pk in watch_ids}
    for link in WatchTag.objects.filter(watch__in=watch_ids).select_related("tag").order_by("tag__key"):
        found[link.watch_id].append(link.tag)
    return found
