"""Auctions are read by their end."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("watches", "0004_watch_marketplaces")]

    operations = [
        migrations.AddIndex(
            model_name="listing",
            index=models.Index(condition=models.Q(("kind", "auction")), fields=["ends_at", "id"], name="listing_auction_end"),
        ),
    ]
