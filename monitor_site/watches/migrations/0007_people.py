"""What people keep: versions, tags, blocks, notes; watches are muted and matches snoozed.

Every watch that is there already gets its first version.
"""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


WISHED = (
    "name", "marketplaces", "must", "any_of", "none_of", "price_min", "price_max", "conditions", "shipping",
    "interval_seconds", "policy", "tell_existing", "options",
)  # fmt: skip
AT_ONCE = 500


def keep_first_versions(apps, schema_editor):
    """What each watch wishes now, as its user's first version."""
    alias = schema_editor.connection.alias
    watches = apps.get_model("watches", "Watch").objects.using(alias)
    version = apps.get_model("watches", "WatchVersion")
    found = [version(watch_id=row["pk"], by_id=row["user_id"], number=1, at=row["updated_at"], wish=wish_of(row))
             for row in watches.order_by("pk").values("pk", "user_id", "updated_at", *WISHED).iterator()]  # fmt: skip
    version.objects.using(alias).bulk_create(found, batch_size=AT_ONCE)


def wish_of(row):
    """The wish in a row's values."""
    return {name: row[name] for name in WISHED}


class Migration(migrations.Migration):

    dependencies = [
        ('watches', '0006_rules'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Block',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('seller', 'seller'), ('phrase', 'phrase')], max_length=8)),
                ('marketplace', models.CharField(blank=True, default='', max_length=40)),
                ('value', models.CharField(max_length=64)),
                ('key', models.CharField(max_length=200)),
                ('label', models.CharField(blank=True, default='', max_length=120)),
                ('note', models.CharField(blank=True, default='', max_length=200, verbose_name='note')),
                ('created_at', models.DateTimeField()),
            ],
            options={
                'verbose_name': 'block',
                'verbose_name_plural': 'blocks',
            },
        ),
        migrations.CreateModel(
            name='Note',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('text', models.TextField(max_length=2000, verbose_name='note')),
                ('updated_at', models.DateTimeField()),
            ],
            options={
                'verbose_name': 'note',
                'verbose_name_plural': 'notes',
            },
        ),
        migrations.CreateModel(
            name='Tag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40, verbose_name='name')),
                ('key', models.CharField(max_length=120)),
            ],
            options={
                'verbose_name': 'tag',
                'verbose_name_plural': 'tags',
            },
        ),
        migrations.CreateModel(
            name='WatchTag',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
            ],
        ),
        migrations.CreateModel(
            name='WatchVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('at', models.DateTimeField()),
                ('wish', models.JSONField()),
            ],
            options={
                'verbose_name': 'version of a watch',
                'verbose_name_plural': 'versions of watches',
            },
        ),
        migrations.AddField(
            model_name='match',
            name='snoozed_until',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='watch',
            name='muted_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='watch',
            name='muted_until',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddConstraint(
            model_name='watch',
            constraint=models.CheckConstraint(condition=models.Q(('muted_until', None), models.Q(('muted_at__isnull', False), ('muted_until__gt', models.F('muted_at'))), _connector='OR'), name='watch_muted_from_then_on'),
        ),
        migrations.AddField(
            model_name='block',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='blocks', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='match',
            name='blocked_by',
            field=models.ForeignKey(blank=True, db_index=False, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='put_aside', to='watches.block'),
        ),
        migrations.AddIndex(
            model_name='match',
            index=models.Index(condition=models.Q(('blocked_by__isnull', False)), fields=['blocked_by'], name='match_by_block'),
        ),
        migrations.AddField(
            model_name='note',
            name='listing',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notes', to='watches.listing'),
        ),
        migrations.AddField(
            model_name='note',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notes', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='tag',
            name='user',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tags', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='watchtag',
            name='tag',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tagged', to='watches.tag'),
        ),
        migrations.AddField(
            model_name='watchtag',
            name='watch',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tagged', to='watches.watch'),
        ),
        migrations.AddField(
            model_name='tag',
            name='watches',
            field=models.ManyToManyField(related_name='tags', through='watches.WatchTag', to='watches.watch'),
        ),
        migrations.AddField(
            model_name='watchversion',
            name='by',
            field=models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL),
        ),
        migrations.AddField(
            model_name='watchversion',
            name='watch',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='watches.watch'),
        ),
        migrations.AddConstraint(
            model_name='block',
            constraint=models.UniqueConstraint(fields=('user', 'kind', 'marketplace', 'key'), name='block_once_per_user'),
        ),
        migrations.AddConstraint(
            model_name='block',
            constraint=models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='block_is_of_something'),
        ),
        migrations.AddConstraint(
            model_name='block',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('kind', 'phrase'), ('marketplace', '')), models.Q(('kind', 'seller'), models.Q(('marketplace', ''), _negated=True)), _connector='OR'), name='block_of_a_seller_names_a_marketplace'),
        ),
        migrations.AddConstraint(
            model_name='note',
            constraint=models.UniqueConstraint(fields=('listing', 'user'), name='note_once_per_user_and_listing'),
        ),
        migrations.AddConstraint(
            model_name='note',
            constraint=models.CheckConstraint(condition=models.Q(('text', ''), _negated=True), name='note_says_something'),
        ),
        migrations.AddConstraint(
            model_name='watchtag',
            constraint=models.UniqueConstraint(fields=('watch', 'tag'), name='watch_wears_a_tag_once'),
        ),
        migrations.AddConstraint(
            model_name='tag',
            constraint=models.UniqueConstraint(fields=('user', 'key'), name='tag_once_per_user'),
        ),
        migrations.AddConstraint(
            model_name='tag',
            constraint=models.CheckConstraint(condition=models.Q(('key', ''), _negated=True), name='tag_has_a_key'),
        ),
        migrations.AddConstraint(
            model_name='watchversion',
            constraint=models.UniqueConstraint(fields=('watch', 'number'), name='watch_version_once_per_number'),
        ),
        migrations.AddConstraint(
            model_name='watchversion',
            constraint=models.CheckConstraint(condition=models.Q(('number__gte', 1)), name='watch_version_counts_from_one'),
        ),
        migrations.RunPython(keep_first_versions, migrations.RunPython.noop, elidable=False),
    ]
