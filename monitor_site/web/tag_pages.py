"""A person's tags: all of them, renamed and removed."""

from collections.abc import Callable
from functools import wraps

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db.models import Count
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from monitor_site.watches import tagging
from monitor_site.watches.models import Tag

LARGEST_ID = 2**63 - 1


def own_tag(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the tag instead of its number; 404 when it is not the reader's own, whatever the method."""

    @wraps(view)
    def wrapper(request: HttpRequest, pk: int) -> HttpResponse:
        return view(request, get_object_or_404(Tag.objects.of(request.user), pk=min(pk, LARGEST_ID)))

    return wrapper


@require_safe
def tag_list(request: HttpRequest) -> HttpResponse:
    """All tags with the number of their watches."""
    tags = Tag.objects.of(request.user).annotate(count=Count("tagged")).order_by("key")
    return render(request, "web/tags.html", {"tags": tags, "longest": tagging.LONGEST_TAG})


@own_tag
@require_POST
def tag_rename(request: HttpRequest, tag: Tag) -> HttpResponse:
    """Call it otherwise."""
    try:
        tagging.rename_tag(tag=tag, name=request.POST.get("name", ""))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, gettext("Saved."))
    return redirect("tags")


@own_tag
@require_POST
def tag_remove(request: HttpRequest, tag: Tag) -> HttpResponse:
    """Take it off all watches."""
    tagging.remove_tag(tag=tag)
    messages.success(request, gettext("The tag “%(name)s” is removed. Its watches stay.") % {"name": tag.name})
    return redirect("tags")
