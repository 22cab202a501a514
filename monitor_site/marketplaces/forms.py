"""The form of an account, drawn from its plugin's settings. Secrets go in and are never shown again."""

from dataclasses import MISSING, Field
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext

from monitor_site.contract import AccountSettings, shown_fields

from .models import MarketplaceAccount
from .services import secret_names

PREFIX = "option_"
LONGEST_VALUE = 4096


class AccountForm(forms.ModelForm):  # type: ignore[type-arg]  # generic for the type checker only
    """Label and, by :func:`account_form`, what the plugin asks for."""

    secrets: ClassVar[tuple[str, ...]] = ()
    together: ClassVar[tuple[str, ...]] = ()

    class Meta:
        model = MarketplaceAccount
        fields = ("label",)

    def clean(self) -> dict[str, Any]:
        """Of a saved account all secrets are replaced, or none."""
        typed: dict[str, Any] = super().clean() or {}
        if any(typed.get(name) for name in self.secrets):
            for name in self.together:
                if not typed.get(name) and name not in self.errors:
                    self.add_error(name, gettext("Whoever replaces one replaces all."))
        return typed

    def given(self, shape: type[AccountSettings]) -> tuple[dict[str, str], dict[str, str]]:
        """What was typed: values and secrets by option. A secret that was left empty is not among them."""
        secret = secret_names(shape)
        drawn = [spec for spec in shown_fields(shape) if PREFIX + spec.name in self.fields]
        typed = {spec.name: str(self.cleaned_data[PREFIX + spec.name]) for spec in drawn}
        # What was left empty is what the plugin takes for it.
        typed = {spec.name: typed[spec.name] for spec in drawn if typed[spec.name] or spec.default is MISSING}
        values = {name: value for name, value in typed.items() if name not in secret}
        return values, {name: value for name, value in typed.items() if name in secret and value}


def values_form(shape: type[AccountSettings], *, account: MarketplaceAccount) -> type[AccountForm]:
    """A form class with label and all that is no secret."""
    secret = secret_names(shape)
    drawn = {PREFIX + spec.name: _field(spec, account) for spec in shown_fields(shape) if spec.name not in secret}
    return type("DrawnValuesForm", (AccountForm,), drawn)


def secrets_form(shape: type[AccountSettings]) -> type[AccountForm]:
    """A form class with the secrets alone: whoever replaces them types all of them."""
    secret = secret_names(shape)
    drawn: dict[str, Any] = {
        PREFIX + spec.name: _field(spec, None) for spec in shown_fields(shape) if spec.name in secret
    }
    return type("DrawnSecretsForm", (AccountForm,), drawn | {"label": None})


def account_form(shape: type[AccountSettings], *, account: MarketplaceAccount | None) -> type[AccountForm]:
    """A form class with a field for each of the plugin's options; a saved account keeps what is left empty."""
    drawn: dict[str, Any] = {PREFIX + spec.name: _field(spec, account) for spec in shown_fields(shape)}
    if account and account.sealed:
        of_secrets = [spec for spec in shown_fields(shape) if spec.name in secret_names(shape)]
        drawn["secrets"] = tuple(PREFIX + spec.name for spec in of_secrets)
        drawn["together"] = tuple(PREFIX + spec.name for spec in of_secrets if spec.default is MISSING)
    return type("DrawnAccountForm", (AccountForm,), drawn)


def _field(spec: "Field[Any]", account: MarketplaceAccount | None) -> forms.Field:
    if spec.metadata.get("secret"):
        return _secret_field(spec, has_one=bool(account and account.sealed))
    default = "" if spec.default is MISSING else spec.default
    options: dict[str, Any] = {
        "label": _label(spec),
        "help_text": _help(spec),
        "required": spec.default is MISSING,
        "initial": account.values.get(spec.name, default) if account else default,
    }
    if choices := spec.metadata.get("choices"):
        return forms.ChoiceField(choices=[(value, gettext(word)) for value, word in choices.items()], **options)
    return forms.CharField(max_length=LONGEST_VALUE, **options)


def _secret_field(spec: "Field[Any]", *, has_one: bool) -> forms.Field:
    kept = gettext("Stored encrypted and never shown again.")
    empty = gettext("Empty everywhere keeps what is stored; whoever replaces one replaces all.") if has_one else ""
    return forms.CharField(
        label=_label(spec),
        help_text=f"{_help(spec)} {kept} {empty}".strip(),
        required=spec.default is MISSING and not has_one,
        widget=forms.PasswordInput(render_value=False, attrs={"autocomplete": "new-password"}),
        max_length=LONGEST_VALUE,
    )


def _label(spec: "Field[Any]") -> str:
    return gettext(spec.metadata["label"]) if spec.metadata.get("label") else spec.name


def _help(spec: "Field[Any]") -> str:
    return gettext(spec.metadata["help"]) if spec.metadata.get("help") else ""
