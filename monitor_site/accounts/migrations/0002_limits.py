"""Limits of a person's own; empty: as for everybody."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0001_initial'),
    ]

    operations = [
        migrations.AddField(
            model_name='user',
            name='question_limit',
            field=models.PositiveIntegerField(blank=True, help_text='Empty: as for everybody.', null=True, verbose_name='most questions'),
        ),
        migrations.AddField(
            model_name='user',
            name='watch_limit',
            field=models.PositiveIntegerField(blank=True, help_text='Empty: as for everybody.', null=True, verbose_name='most watches'),
        ),
    ]
