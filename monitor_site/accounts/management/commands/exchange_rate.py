"""Say what a yen is worth: ``manage.py exchange_rate CNY 0.048``; without a rate it says what is known."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone

from monitor_site.accounts import auditing
from monitor_site.accounts.exchange_rates import forget_rate, set_rate
from monitor_site.accounts.models import ExchangeRate
from monitor_site.second_currency import USUAL, BadRate, Rate, rate_words, read_rate


class Command(BaseCommand):
    help = "Say what one yen is worth in a currency that people may have prices shown in; nothing is bought by it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("currency", nargs="?", help=", ".join(USUAL))
        parser.add_argument("rate", nargs="?", help="what one yen is worth, such as 0.048; - forgets the rate")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["currency"] is None or options["rate"] is None:
            self._tell(options["currency"])
            return
        with auditing.by_command("exchange_rate"):
            self._change(options["currency"].upper(), options["rate"])

    def _change(self, currency: str, text: str) -> None:
        now = timezone.now()
        if text == "-":
            there = forget_rate(currency=currency, now=now)
            self.stdout.write(f"There is no rate for {currency} {'any more' if there else 'anyhow'}.")
            return
        try:
            rate = Rate(currency=currency, per_yen=read_rate(currency, text), at=now)
        except BadRate as error:
            raise CommandError(str(error)) from error
        set_rate(rate=rate, now=now)
        self.stdout.write(rate_words(rate, now=now))

    def _tell(self, currency: str | None) -> None:
        rows = ExchangeRate.objects.order_by("currency")
        for row in rows.filter(currency=currency.upper()) if currency else rows:
            rate = Rate(currency=row.currency, per_yen=row.per_yen, at=row.at, source=row.source)
            self.stdout.write(rate_words(rate, now=timezone.now()))
        if not rows:
            self.stdout.write("No rate is known yet.")
