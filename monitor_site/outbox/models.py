"""Facts that must have a consequence: one row a fact, written in the transaction of the fact itself.

Lower layers write topics; the engine maps a topic to a job. A row is done when its consequence happened, and a
sweep hands out again what got lost in between.
"""

from typing import ClassVar

from django.db import models


class OutboxRow(models.Model):
    """``topic`` names the kind of fact, ``object_id`` the row it is about, ``epoch`` how often it was noted.

    ``created_at`` is when it was last opened. ``tries`` counts jobs that failed on it since it was noted, ``error``
    names the last failure; after too many it is dead: ``died_at`` is set, until a person hands it out again.
    """

    topic = models.CharField(max_length=32)
    object_id = models.BigIntegerField()
    epoch = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField()
    handed_out_at = models.DateTimeField(null=True, blank=True)
    done_at = models.DateTimeField(null=True, blank=True)
    # What an earlier release writes knows neither.
    tries = models.PositiveSmallIntegerField(default=0, db_default=0)
    error = models.CharField(max_length=64, blank=True, default="", db_default="")
    died_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = "outbox row"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["topic", "object_id"], name="outbox_one_row_per_fact"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["created_at"], condition=models.Q(done_at=None), name="outbox_open"),
            models.Index(fields=["died_at"], condition=models.Q(died_at__isnull=False), name="outbox_dead"),
            models.Index(fields=["done_at"], condition=models.Q(done_at__isnull=False), name="outbox_done"),
        ]

    def __str__(self) -> str:
        return f"{self.topic}:{self.object_id}"
