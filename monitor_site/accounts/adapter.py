"""How people sign in."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from .factors import has_second_factor
from .proofs import proven_recently

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

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:  # noqa: ARG002 - allauth's signature
        """To the page of all that guards an account."""
        return reverse("security")
