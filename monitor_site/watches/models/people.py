"""What people keep about their watches and about listings: versions, tags, blocks, notes."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from .listings import Listing
from .watches import Watch


class OwnedQuerySet(models.QuerySet[Any]):
    """Rows that are always asked for through their user."""

    def of(self, user: Any) -> "OwnedQuerySet":
        """Only the rows of ``user``."""
        return self.filter(user=user)


class WatchVersion(models.Model):
    """The wish of a watch as it was saved the ``number``-th time; ``by`` is unknown when that person is gone.

    ``wish`` is field → value in the shape of its time: fields that came later are missing.
    """

    watch = models.ForeignKey(Watch, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    at = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    wish = models.JSONField()

    class Meta:
        verbose_name = _("version of a watch")
        verbose_name_plural = _("versions of watches")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["watch", "number"], name="watch_version_once_per_number"),
            models.CheckConstraint(condition=Q(number__gte=1), name="watch_version_counts_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.watch_id} v{self.number}"


class Tag(models.Model):
    """A label on watches, in its person's words; ``key`` is the same for every case and width of the name."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="tags")
    name = models.CharField(_("name"), max_length=40)
    key = models.CharField(max_length=120)
    watches: "models.ManyToManyField[Watch, WatchTag]" = models.ManyToManyField(
        Watch, through="WatchTag", related_name="tags"
    )

    objects = OwnedQuerySet.as_manager()

    class Meta:
        verbose_name = _("tag")
        verbose_name_plural = _("tags")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "key"], name="tag_once_per_user"),
            models.CheckConstraint(condition=~Q(key=""), name="tag_has_a_key"),
        ]

    def __str__(self) -> str:
        return self.name


class WatchTag(models.Model):
    """A watch wears a tag; both belong to one person."""

    watch = models.ForeignKey(Watch, on_delete=models.CASCADE, related_name="tagged")
    tag = models.ForeignKey(Tag, on_delete=models.CASCADE, related_name="tagged")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["watch", "tag"], name="watch_wears_a_tag_once"),
        ]

    def __str__(self) -> str:
        return f"{self.watch_id} {self.tag_id}"


class BlockKind(models.TextChoices):
    """What can be blocked."""

    SELLER = "seller", _("seller")
    PHRASE = "phrase", _("phrase")


class Block(models.Model):
    """What a person never wants to see: a seller of one marketplace by id, or a phrase anywhere.

    ``key`` is the seller's id or the folded phrase. ``label`` is the seller's name as it was shown, empty when unknown.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="blocks")
    kind = models.CharField(max_length=8, choices=BlockKind.choices)
    marketplace = models.CharField(max_length=40, blank=True, default="")
    value = models.CharField(max_length=64)
    key = models.CharField(max_length=200)
    label = models.CharField(max_length=120, blank=True, default="")
    note = models.CharField(_("note"), max_length=200, blank=True, default="")
    created_at = models.DateTimeField()

    objects = OwnedQuerySet.as_manager()

    class Meta:
        verbose_name = _("block")
        verbose_name_plural = _("blocks")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "kind", "marketplace", "key"], name="block_once_per_user"),
            models.CheckConstraint(condition=~Q(key=""), name="block_is_of_something"),
            models.CheckConstraint(
                condition=Q(kind=BlockKind.PHRASE, marketplace="") | (Q(kind=BlockKind.SELLER) & ~Q(marketplace="")),
                name="block_of_a_seller_names_a_marketplace",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.value}"


class Note(models.Model):
    """A person's own words about a listing; nobody else sees them."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notes")
    listing = models.ForeignKey(Listing, on_delete=models.CASCADE, related_name="notes")
    text = models.TextField(_("note"), max_length=2000)
    updated_at = models.DateTimeField()

    objects = OwnedQuerySet.as_manager()

    class Meta:
        verbose_name = _("note")
        verbose_name_plural = _("notes")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["listing", "user"], name="note_once_per_user_and_listing"),
            models.CheckConstraint(condition=~Q(text=""), name="note_says_something"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.listing_id}"
