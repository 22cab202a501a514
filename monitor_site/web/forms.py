"""How forms are drawn: labels above, help under them, errors above the input."""

from typing import Any

from django.forms.renderers import DjangoTemplates
from django.template.loader import get_template


class Renderer(DjangoTemplates):
    """Draws a field with ``templates/forms/field.html``; the widgets stay Django's own."""

    field_template_name = "forms/field.html"

    def get_template(self, template_name: str) -> Any:
        """Ours lie with the site's templates, Django's with its forms."""
        if template_name.startswith("forms/"):
            return get_template(template_name)
        return super().get_template(template_name)
