"""What a person does with one watch beside changing it: mute, tag, copy. Ordinary forms, one service each."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from monitor_site.watches import resting, services, tagging
from monitor_site.watches.models import Watch

from .resting_words import HOUR, RESTS, muted_words, until_of
from .returning import back
from .watch_fields import LONGEST_LIST, split_words
from .watches import own_watch


@own_watch
@require_POST
def watch_mute(request: HttpRequest, watch: Watch) -> HttpResponse:
    """Alert nobody for a while."""
    now, choice = timezone.now(), request.POST.get("for", "")
    resting.mute_watch(watch=watch, until=until_of(choice if choice in RESTS else HOUR, now=now), now=now)
    watch.refresh_from_db()
    facts = {"name": watch.name, "muted": muted_words(watch, now=now)}
    undo = reverse("watch-unmute", args=[watch.pk])
    messages.success(request, gettext("“%(name)s”: %(muted)s") % facts, extra_tags=undo)
    return back(request, reverse("watch", args=[watch.pk]))


@own_watch
@require_POST
def watch_unmute(request: HttpRequest, watch: Watch) -> HttpResponse:
    """Alert again."""
    resting.unmute_watch(watch=watch)
    messages.success(request, gettext("“%(name)s” is not muted any more.") % {"name": watch.name})
    return back(request, reverse("watch", args=[watch.pk]))


@own_watch
@require_POST
def watch_tags(request: HttpRequest, watch: Watch) -> HttpResponse:
    """Make the typed list the tags of the watch."""
    try:
        tagging.set_tags(watch=watch, names=split_words(request.POST.get("tags", "")[:LONGEST_LIST]))
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, gettext("The tags are saved."))
    return redirect("watch", watch.pk)


@own_watch
@require_POST
def watch_copy(request: HttpRequest, watch: Watch) -> HttpResponse:
    """Make a paused copy and open its form."""
    try:
        copy = services.copy_watch(watch=watch, now=timezone.now())
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return redirect("watch", watch.pk)
    messages.success(request, gettext("This is the copy. It is paused until you switch it on."))
    return redirect("watch-edit", copy.pk)
