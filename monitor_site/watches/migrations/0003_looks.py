"""A matched listing is a target of its own; going back, its looks and what only they saw are forgotten."""

import django.db.models.deletion
from django.db import migrations, models


def forget(apps, schema_editor):
    """Back: what the older constraints do not know goes."""
    alias = schema_editor.connection.alias
    looks = apps.get_model("watches", "Target").objects.using(alias).filter(kind="listing")
    apps.get_model("watches", "Check").objects.using(alias).filter(target__in=looks).delete()
    looks.delete()
    apps.get_model("watches", "ListingEvent").objects.using(alias).filter(kind="extended").delete()
    if schema_editor.connection.vendor == "postgresql":
        # No table changes its shape while checks of its foreign keys are outstanding.
        schema_editor.execute("SET CONSTRAINTS ALL IMMEDIATE")


class Migration(migrations.Migration):

    dependencies = [
        ('watches', '0002_target_usual'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='listingevent',
            name='listing_event_kind_known',
        ),
        migrations.RemoveConstraint(
            model_name='target',
            name='target_kind_known',
        ),
        migrations.AddField(
            model_name='listing',
            name='description',
            field=models.TextField(blank=True, default=''),
        ),
        migrations.AddField(
            model_name='listing',
            name='looked_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='target',
            name='due_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='target',
            name='listing',
            field=models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='look', to='watches.listing'),
        ),
        migrations.AlterField(
            model_name='listingevent',
            name='kind',
            field=models.CharField(choices=[('listed', 'listed'), ('price_drop', 'price drop'), ('price_rise', 'price rise'), ('reserved', 'reserved'), ('sold', 'sold'), ('stopped', 'stopped'), ('ended', 'ended'), ('removed', 'removed'), ('back', 'back on sale'), ('bumped', 'bumped'), ('extended', 'extended')], max_length=12),
        ),
        migrations.AlterField(
            model_name='target',
            name='kind',
            field=models.CharField(choices=[('search', 'search'), ('listing', 'listing')], default='search', max_length=8),
        ),
        migrations.AddConstraint(
            model_name='listingevent',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['listed', 'price_drop', 'price_rise', 'reserved', 'sold', 'stopped', 'ended', 'removed', 'back', 'bumped', 'extended'])), name='listing_event_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='target',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['search', 'listing'])), name='target_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='target',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('due_at', None), ('kind', 'search'), ('listing', None)), models.Q(('kind', 'listing'), ('listing__isnull', False)), _connector='OR'), name='target_look_has_a_listing'),
        ),
        migrations.AddConstraint(
            model_name='target',
            constraint=models.CheckConstraint(condition=models.Q(('active', True), ('due_at', None), ('kind', 'listing'), _negated=True), name='target_look_has_a_time'),
        ),
        migrations.RunPython(migrations.RunPython.noop, forget),
    ]
