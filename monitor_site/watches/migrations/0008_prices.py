"""What was sold and for how much; the samples of prices; repeated and relisted things."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def remember_sales(apps, schema_editor):
    """What was seen sold before this release was sold for the price known last; an auction only when somebody bid."""
    listings = apps.get_model("watches", "Listing").objects.using(schema_editor.connection.alias)
    sold = listings.filter(status="sold", price__isnull=False, paid=None).exclude(kind="auction", bids=0)
    sold.update(paid=models.F("price"), sold_at=models.F("observed_at"))


class Migration(migrations.Migration):

    dependencies = [
        ('watches', '0007_people'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Sample',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('asking', models.BooleanField()),
                ('at', models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name='WatchPrices',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('sales', models.PositiveIntegerField()),
                ('p5', models.PositiveBigIntegerField(null=True)),
                ('p25', models.PositiveBigIntegerField(null=True)),
                ('median', models.PositiveBigIntegerField(null=True)),
                ('p75', models.PositiveBigIntegerField(null=True)),
                ('p95', models.PositiveBigIntegerField(null=True)),
                ('worked_out_at', models.DateTimeField()),
            ],
        ),
        migrations.RemoveConstraint(
            model_name='doubt',
            name='doubt_cause_known',
        ),
        migrations.RemoveConstraint(
            model_name='listingevent',
            name='listing_event_kind_known',
        ),
        migrations.RemoveConstraint(
            model_name='match',
            name='match_cause_known',
        ),
        migrations.RemoveConstraint(
            model_name='target',
            name='target_kind_known',
        ),
        migrations.RemoveConstraint(
            model_name='target',
            name='target_look_has_a_listing',
        ),
        migrations.RemoveConstraint(
            model_name='target',
            name='target_look_has_a_time',
        ),
        migrations.AddField(
            model_name='listing',
            name='paid',
            field=models.PositiveBigIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name='listing',
            name='relisted_from',
            field=models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='relisted_as', to='watches.listing'),
        ),
        migrations.AddField(
            model_name='listing',
            name='sold_at',
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.RunPython(remember_sales, migrations.RunPython.noop, elidable=True),
        migrations.AddField(
            model_name='listingevent',
            name='damped',
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name='target',
            name='search',
            field=models.OneToOneField(blank=True, null=True, on_delete=django.db.models.deletion.CASCADE, related_name='sold', to='watches.target'),
        ),
        migrations.AlterField(
            model_name='doubt',
            name='cause',
            field=models.CharField(choices=[('listed', 'newly listed'), ('price_drop', 'price drop'), ('back', 'back on sale'), ('relisted', 'listed again'), ('changed', 'changed'), ('existing', 'already there')], max_length=12),
        ),
        migrations.AlterField(
            model_name='listingevent',
            name='kind',
            field=models.CharField(choices=[('listed', 'listed'), ('price_drop', 'price drop'), ('price_rise', 'price rise'), ('reserved', 'reserved'), ('sold', 'sold'), ('stopped', 'stopped'), ('ended', 'ended'), ('removed', 'removed'), ('back', 'back on sale'), ('bumped', 'bumped'), ('extended', 'extended'), ('relisted', 'relisted')], max_length=12),
        ),
        migrations.AlterField(
            model_name='match',
            name='cause',
            field=models.CharField(choices=[('listed', 'newly listed'), ('price_drop', 'price drop'), ('back', 'back on sale'), ('relisted', 'listed again'), ('changed', 'changed'), ('existing', 'already there')], max_length=12),
        ),
        migrations.AlterField(
            model_name='target',
            name='kind',
            field=models.CharField(choices=[('search', 'search'), ('listing', 'listing'), ('sold', 'sold')], default='search', max_length=8),
        ),
        migrations.AddIndex(
            model_name='listing',
            index=models.Index(condition=models.Q(('seller_id', ''), _negated=True), fields=['marketplace', 'seller_id'], name='listing_by_seller'),
        ),
        migrations.AddConstraint(
            model_name='listing',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('paid', None), ('sold_at', None)), models.Q(('paid__gt', 0), ('sold_at__isnull', False)), _connector='OR'), name='listing_sale_is_whole'),
        ),
        migrations.AddConstraint(
            model_name='doubt',
            constraint=models.CheckConstraint(condition=models.Q(('cause__in', ['listed', 'price_drop', 'back', 'relisted', 'changed', 'existing'])), name='doubt_cause_known'),
        ),
        migrations.AddConstraint(
            model_name='listingevent',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['listed', 'price_drop', 'price_rise', 'reserved', 'sold', 'stopped', 'ended', 'removed', 'back', 'bumped', 'extended', 'relisted'])), name='listing_event_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='match',
            constraint=models.CheckConstraint(condition=models.Q(('cause__in', ['listed', 'price_drop', 'back', 'relisted', 'changed', 'existing'])), name='match_cause_known'),
        ),
        migrations.AddConstraint(
            model_name='target',
            constraint=models.CheckConstraint(condition=models.Q(('kind__in', ['search', 'listing', 'sold'])), name='target_kind_known'),
        ),
        migrations.AddConstraint(
            model_name='target',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('due_at', None), ('kind', 'search'), ('listing', None), ('search', None)), models.Q(('kind', 'listing'), ('listing__isnull', False), ('search', None)), models.Q(('kind', 'sold'), ('listing', None), ('search__isnull', False)), _connector='OR'), name='target_is_of_its_kind'),
        ),
        migrations.AddConstraint(
            model_name='target',
            constraint=models.CheckConstraint(condition=models.Q(('kind', 'search'), ('active', False), ('due_at__isnull', False), _connector='OR'), name='target_off_the_grid_has_a_time'),
        ),
        migrations.AddField(
            model_name='sample',
            name='listing',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='samples', to='watches.listing'),
        ),
        migrations.AddField(
            model_name='sample',
            name='target',
            field=models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='samples', to='watches.target'),
        ),
        migrations.AddField(
            model_name='watchprices',
            name='watch',
            field=models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='prices', to='watches.watch'),
        ),
        migrations.AddIndex(
            model_name='sample',
            index=models.Index(fields=['target', '-id'], name='sample_by_target'),
        ),
        migrations.AddIndex(
            model_name='sample',
            index=models.Index(fields=['at'], name='sample_by_time'),
        ),
        migrations.AddConstraint(
            model_name='sample',
            constraint=models.UniqueConstraint(fields=('target', 'listing'), name='sample_once_per_target_and_listing'),
        ),
        migrations.AddIndex(
            model_name='watchprices',
            index=models.Index(fields=['worked_out_at'], name='watch_prices_by_age'),
        ),
        migrations.AddConstraint(
            model_name='watchprices',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('median', None), ('p25', None), ('p5', None), ('p75', None), ('p95', None)), models.Q(('median__gte', models.F('p25')), ('p25__gte', models.F('p5')), ('p5__gt', 0), ('p75__gte', models.F('median')), ('p95__gte', models.F('p75'))), _connector='OR'), name='watch_prices_are_ordered'),
        ),
    ]
