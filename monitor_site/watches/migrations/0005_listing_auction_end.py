"""Auctions are read by their end, and a person's matches by their listing."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("watches", "0004_watch_marketplaces")]

    operations = [
        migrations.AddIndex(
            model_name="listing",
            index=models.Index(condition=models.Q(("kind", "auction")), fields=["ends_at", "id"], name="listing_auction_end"),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(fields=["listing", "user"], name="match_by_listing_and_user"),
        ),
    ]
