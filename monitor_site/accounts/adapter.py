"""How people sign in."""

from datetime import timedelta
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.db import transaction
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from . import auditing
from .factors import has_second_factor
from .models import AuditEntry, AuditKind, User
from .proofs import proven_recently

# More failed sign-ins an hour than these tell nothing new, and anybody can make them.
MOST_FAILURES = 10
BY_PASSWORD = "reauthenticate"  # noqa: S105  its name in the library


class ClosedSignup(DefaultAccountAdapter):
    """Nobody signs up alone: staff create users."""

    def is_open_for_signup(self, request: HttpRequest) -> bool:  # noqa: ARG002 - allauth's signature
        """Never."""
        return False

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:  # noqa: ARG002 - allauth's signature
        """As everywhere here: a sign-in is a proof too."""
        return not proven_recently(self.request, now=timezone.now())

    def get_reauthentication_methods(self, user: Any) -> list[dict[str, Any]]:
        """Whoever has a second factor proves it with that, a password alone does not do."""
        ways: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        return [way for way in ways if way["id"] != BY_PASSWORD] if has_second_factor(user) else ways

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """In the record of the person whose name was given; whoever guesses names fills no record."""
        super().authentication_failed(request, **credentials)
        person = User.objects.filter(username=credentials.get("username") or "").first()
        now = timezone.now()
        failed = AuditEntry.objects.filter(user=person, act="fail_sign_in", at__gt=now - timedelta(hours=1))
        if person is not None and failed.count() < MOST_FAILURES:
            _record("fail_sign_in", person)

    def login(self, request: HttpRequest, user: Any) -> None:
        """A sign-in stands in the record."""
        super().login(request, user)
        _record("sign_in", user)

    @transaction.atomic
    def set_password(self, user: Any, password: str) -> None:
        """So does another password, never what it is."""
        super().set_password(user, password)
        _record("set_password", user)

    def get_login_redirect_url(self, request: HttpRequest) -> str:
        """To the page that the person wants to see first."""
        person: Any = request.user
        return reverse(person.start_page)

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:  # noqa: ARG002 - allauth's signature
        """To the page of all that guards an account."""
        return reverse("security")


def _record(act: str, person: Any) -> None:
    on = auditing.Thing(kind="user", id=person.pk, words=person.get_username())
    auditing.write(kind=AuditKind.SECURITY, act=act, user_id=person.pk, on=on, now=timezone.now())
