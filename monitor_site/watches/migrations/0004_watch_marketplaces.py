"""A watch is over one or several marketplaces; its options are kept by marketplace."""

from django.db import migrations, models


def gather(apps, schema_editor):
    """The marketplace of each watch becomes the only one of its list."""
    watches = apps.get_model("watches", "Watch").objects.using(schema_editor.connection.alias)
    for watch in watches.only("marketplace", "options").iterator():
        options = {watch.marketplace: watch.options} if watch.options else {}
        watches.filter(pk=watch.pk).update(marketplaces=[watch.marketplace], options=options)


def reduce_to_one(apps, schema_editor):
    """Back: the first marketplace stays with its options; nobody asks the others for this watch any more."""
    alias = schema_editor.connection.alias
    watches = apps.get_model("watches", "Watch").objects.using(alias)
    links = apps.get_model("watches", "WatchTarget").objects.using(alias)
    for watch in watches.only("marketplaces", "options").iterator():
        first = watch.marketplaces[0]
        links.filter(watch_id=watch.pk).exclude(target__marketplace=first).delete()
        watches.filter(pk=watch.pk).update(marketplace=first, options=watch.options.get(first, {}))


class Migration(migrations.Migration):
    dependencies = [("watches", "0003_looks")]

    operations = [
        migrations.AddField("watch", "marketplaces", models.JSONField(default=list, verbose_name="marketplaces")),
        migrations.AlterField(
            "watch", "marketplace", models.CharField(default="", max_length=40, verbose_name="marketplace")
        ),
        migrations.RunPython(gather, reduce_to_one, elidable=False),
        migrations.RemoveField("watch", "marketplace"),
        migrations.AlterField("watch", "marketplaces", models.JSONField(verbose_name="marketplaces")),
        migrations.AddConstraint(
            "watch",
            models.CheckConstraint(condition=~models.Q(marketplaces=[]), name="watch_has_a_marketplace"),
        ),
    ]
