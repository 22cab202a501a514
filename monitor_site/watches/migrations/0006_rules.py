"""Watches state more rules, and what a search leaves open is decided after one look."""

import django.db.models.deletion
import django.db.models.functions.text
import django.db.models.lookups
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('watches', '0005_listing_auction_end'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Doubt',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('open_rules', models.JSONField(default=list)),
                ('cause', models.CharField(choices=[('listed', 'newly listed'), ('price_drop', 'price drop'), ('back', 'back on sale'), ('changed', 'changed'), ('existing', 'already there')], max_length=12)),
                ('outcome', models.CharField(choices=[('open', 'open'), ('matched', 'it fits'), ('rejected', 'it does not fit'), ('unclear', 'still unclear'), ('gone', 'listing gone')], default='open', max_length=8)),
                ('raised_at', models.DateTimeField()),
                ('due_at', models.DateTimeField()),
                ('asked_at', models.DateTimeField(blank=True, null=True)),
                ('decided_at', models.DateTimeField(blank=True, null=True)),
            ],
            options={
                'verbose_name': 'doubt',
                'verbose_name_plural': 'doubts',
            },
        ),
        migrations.AddField(
            model_name='watch',
            name='bids_max',
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name='most bids'),
        ),
        migrations.AddField(
            model_name='watch',
            name='ends_within_minutes',
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name='ends within (minutes)'),
        ),
        migrations.AddField(
            model_name='watch',
            name='in_description',
            field=models.BooleanField(default=False, verbose_name='look into the description too'),
        ),
        migrations.AddField(
            model_name='watch',
            name='kinds',
            field=models.JSONField(blank=True, default=list, verbose_name='kinds'),
        ),
        migrations.AddField(
            model_name='watch',
            name='landed',
            field=models.BooleanField(default=False, verbose_name='price with shipping'),
        ),
        migrations.AddField(
            model_name='watch',
            name='listed_within_hours',
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name='listed within (hours)'),
        ),
        migrations.AddField(
            model_name='watch',
            name='pattern',
            field=models.CharField(blank=True, default='', max_length=200, verbose_name='pattern of the title'),
        ),
        migrations.AddField(
            model_name='watch',
            name='rated_min',
            field=models.PositiveIntegerField(blank=True, null=True, verbose_name='fewest ratings'),
        ),
        migrations.AddField(
            model_name='watch',
            name='rating_min',
            field=models.PositiveSmallIntegerField(blank=True, null=True, verbose_name='lowest rating (percent)'),
        ),
        migrations.AddConstraint(
            model_name='watch',
            constraint=models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('pattern'), 200), name='watch_pattern_short'),
        ),
        migrations.AddConstraint(
            model_name='watch',
            constraint=models.CheckConstraint(condition=models.Q(('rating_min', None), models.Q(('rating_min__gte', 1), ('rating_min__lte', 100)), _connector='OR'), name='watch_rating_min_bounded'),
        ),
        migrations.AddConstraint(
            model_name='watch',
            constraint=models.CheckConstraint(condition=models.Q(('rated_min', None), models.Q(('rated_min__gte', 1), ('rated_min__lte', 1000000)), _connector='OR'), name='watch_rated_min_bounded'),
        ),
        migrations.AddConstraint(
            model_name='watch',
            constraint=models.CheckConstraint(condition=models.Q(('bids_max', None), models.Q(('bids_max__gte', 0), ('bids_max__lte', 10000)), _connector='OR'), name='watch_bids_max_bounded'),
        ),
        migrations.AddConstraint(
            model_name='watch',
            constraint=models.CheckConstraint(condition=models.Q(('ends_within_minutes', None), models.Q(('ends_within_minutes__gte', 1), ('ends_within_minutes__lte', 43200)), _connector='OR'), name='watch_ends_within_minutes_bounded'),
        ),
        migrations.AddConstraint(
            model_name='watch',
            constraint=models.CheckConstraint(condition=models.Q(('listed_within_hours', None), models.Q(('listed_within_hours__gte', 1), ('listed_within_hours__lte', 8760)), _connector='OR'), name='watch_listed_within_hours_bounded'),
        ),
        migrations.AddField(
            model_name='doubt',
            name='listing',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='doubts', to='watches.listing'),
        ),
        migrations.AddField(
            model_name='doubt',
            name='watch',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='doubts', to='watches.watch'),
        ),
        migrations.AddIndex(
            model_name='doubt',
            index=models.Index(condition=models.Q(('asked_at', None), ('outcome', 'open')), fields=['watch', 'due_at'], name='doubt_waiting'),
        ),
        migrations.AddIndex(
            model_name='doubt',
            index=models.Index(condition=models.Q(('outcome', 'open')), fields=['listing'], name='doubt_open_by_listing'),
        ),
        migrations.AddIndex(
            model_name='doubt',
            index=models.Index(fields=['raised_at'], name='doubt_by_time'),
        ),
        migrations.AddConstraint(
            model_name='doubt',
            constraint=models.UniqueConstraint(fields=('watch', 'listing'), name='doubt_once_per_watch_and_listing'),
        ),
        migrations.AddConstraint(
            model_name='doubt',
            constraint=models.CheckConstraint(condition=models.Q(('cause__in', ['listed', 'price_drop', 'back', 'changed', 'existing'])), name='doubt_cause_known'),
        ),
        migrations.AddConstraint(
            model_name='doubt',
            constraint=models.CheckConstraint(condition=models.Q(('outcome__in', ['open', 'matched', 'rejected', 'unclear', 'gone'])), name='doubt_outcome_known'),
        ),
        migrations.AddConstraint(
            model_name='doubt',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('decided_at', None), ('outcome', 'open')), models.Q(models.Q(('outcome', 'open'), _negated=True), ('decided_at__isnull', False)), _connector='OR'), name='doubt_is_open_or_decided'),
        ),
    ]
