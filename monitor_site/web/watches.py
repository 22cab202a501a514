"""The pages about watches. Every action is an ordinary form; a watch of somebody else does not exist."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches import queries, services
from monitor_site.watches.models import Watch
from monitor_site.watches.needs import Need

from . import degraded, listing_watches, live, missing, previews
from . import watch_list as listing
from .loosening import Step
from .once import make_once
from .returning import back
from .watch_form import WatchForm, initial_of
from .watch_hints import doubts_of, hints_for
from .watch_list_page import list_page
from .watch_paste import NOTHING_PASTED, Pasted, read_address
from .watch_runs import run_line, run_look, run_markets, run_segments
from .watch_words import cost_words, note_of, pace_words, rule_facts
from .wider_form import wider_form

RUNS = 50
FEED = 30
FOLDED = 6


def own_watch(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the watch instead of its number; 404 when it is not the reader's own, whatever the method."""

    @wraps(view)
    def wrapper(request: HttpRequest, pk: int) -> HttpResponse:
        return view(request, get_object_or_404(Watch.objects.of(request.user), pk=pk))

    return wrapper


@require_safe
def watch_list(request: HttpRequest) -> HttpResponse:
    """All watches of the reader; for an open page that asks how some of them are, only what changes by itself."""
    if ids := listing.live_ids(request.GET):
        lines = listing.lines_by_id(request.user, ids, now=timezone.now())
        return render(request, "web/watches/_live.html", {"lines": lines})
    cursor = live.cursor_of(request.user.pk or 0)
    look, still = listing.look_of(request.GET), degraded.standing_still()
    page = list_page(request.user, look, still)
    return render(request, "web/watches/list.html", {"live_cursor": cursor, **page})


@require_http_methods(["GET", "HEAD", "POST"])
def watch_new(request: HttpRequest) -> HttpResponse:
    """Make a watch; the address of a listing leads to the form of a watch about that one."""
    if step := Step.of(request.POST.get("loosen", "")):
        return _looser_page(request, step)
    pasted = read_address(request.GET.get("address", ""))
    if pasted.listing and request.method != "POST":
        return redirect(f"{reverse('watch-new-listing')}?{urlencode({'address': pasted.address})}")
    form = WatchForm(_typed(request), initial={**_first_wish(request), **pasted.initial})
    if request.method != "POST":
        return _form_page(request, form, pasted=pasted)
    made = _save(form, lambda: _make(request, form))
    if made is None:
        return _form_page(request, form, status=422)
    if made[1] and "paused" in request.POST:
        messages.success(request, gettext("Saved. Nothing is asked until you switch the watch on."))
    elif made[1]:
        messages.success(request, gettext("The watch is on. Its first check comes within seconds."))
    return redirect("watch", made[0])


def _first_wish(request: HttpRequest) -> dict[str, Any]:
    """The words of the address, at the marketplaces of the newest watch."""
    wish: dict[str, Any] = {"must": request.GET.get("words", "")[:200]}
    newest = Watch.objects.of(request.user).order_by("-pk").values_list("marketplaces", flat=True).first()
    here = [name for name in newest or () if name in catalog().plugins]
    return wish | {"marketplaces": here} if here else wish


def _typed(request: HttpRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


def _make(request: HttpRequest, form: WatchForm) -> tuple[int, bool]:
    def make() -> int:
        watch = services.create_watch(user=request.user, wish=form.wish(), now=timezone.now())
        if "paused" in request.POST:
            services.pause_watch(watch=watch, now=timezone.now())
        return watch.pk

    return make_once(request, user=request.user, key=form.cleaned_data["form_key"], make=make)


def _save(form: WatchForm, save: Callable[[], Any]) -> Any:
    """What ``save`` returns; ``None`` when the form or the service refuses, with the reasons in the form."""
    if not form.is_valid():
        return None
    try:
        return save()
    except ValidationError as error:
        form.refuse(error)
        return None


def _form_page(
    request: HttpRequest,
    form: WatchForm,
    *,
    watch: Watch | None = None,
    pasted: Pasted = NOTHING_PASTED,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    context = more | {
        "form": form,
        "watch": watch,
        "costs": [cost_words(name) for name in sorted(catalog().plugins)],
        "markets": form.markets(),
        "sections": form.sections(),
        "pasted": pasted,
        "intervals": _differing(queries.intervals_of(watch)) if watch else "",
    }
    return render(request, "web/watches/form.html", context, status=status)


def _looser_page(request: HttpRequest, step: Step, *, watch: Watch | None = None) -> HttpResponse:
    """The form as it is typed, with one rule made wider, and its preview; nothing is saved."""
    form = wider_form(request.POST, step, initial=initial_of(watch) if watch else {})
    part = previews.part_of(request, form.typed, edited=watch)
    return _form_page(request, form.form, watch=watch, wider=form, preview=part)


@own_watch
@require_http_methods(["GET", "HEAD", "POST"])
def watch_edit(request: HttpRequest, watch: Watch) -> HttpResponse:
    """Change a watch."""
    if watch.is_of_listing:
        return listing_watches.edit_page(request, watch)
    if step := Step.of(request.POST.get("loosen", "")):
        return _looser_page(request, step, watch=watch)
    form = WatchForm(_typed(request), initial=initial_of(watch))
    if request.method != "POST":
        return _form_page(request, form, watch=watch)
    if _save(form, lambda: services.change_watch(watch=watch, wish=form.wish(), now=timezone.now())) is None:
        return _form_page(request, form, watch=watch, status=422)
    messages.success(request, gettext("Saved."))
    return redirect("watch", watch.pk)


@own_watch
@require_safe
def watch_detail(request: HttpRequest, watch: Watch) -> HttpResponse:
    """The matches of a watch; how the listing of a listing watch stands."""
    if watch.is_of_listing:
        context = {"tab": "matches", **listing_watches.standing_of_watch(watch)}
        return render(request, "web/watches/listing_detail.html", head_of(watch) | context)
    existing, before = "existing" in request.GET, _number(request.GET.get("before"))
    found = list(queries.matches_of(watch, silent=existing, before=before)[: FEED + 1])
    silent = queries.matches_of(watch, silent=True)
    context = {
        "tab": "matches",
        "matches": found[:FEED],
        "existing": existing,
        "before": before,
        "older": found[FEED - 1].pk if len(found) > FEED else None,
        "there_before": [] if existing or before else list(silent[:FOLDED]),
        "there_before_count": 0 if existing or before else silent.count(),
    }
    return render(request, "web/watches/detail.html", head_of(watch) | context)


def _differing(intervals: Mapping[str, int]) -> str:
    """How often each marketplace is asked, where that differs; else empty."""
    return pace_words(intervals) if len(set(intervals.values())) > 1 else ""


def _line(watch: Watch) -> listing.Line:
    return listing.lines_by_id(watch.user, [watch.pk], now=timezone.now())[0]


def head_of(watch: Watch) -> dict[str, Any]:
    """What the head of each page about a watch shows."""
    line = _line(watch)
    note = None if line.row.need == Need.NONE else note_of(line.row.watch)
    return {
        "watch": watch,
        "line": line,
        "facts": rule_facts(watch),
        "note": note,
        "hints": [*missing.notes_of_watch(watch, now=timezone.now()), *hints_for(watch), *doubts_of(watch)],
        "intervals": _differing(line.row.intervals),
    }


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) <= 18 else None


@own_watch
@require_safe
def watch_runs(request: HttpRequest, watch: Watch) -> HttpResponse:
    """The runs of a watch's questions."""
    look, before = run_look(request.GET, watch), _number(request.GET.get("before"))
    found = queries.runs_of(watch, result=look.result, marketplace=look.marketplace, before=before, limit=RUNS + 1)
    lines = [run_line(run) for run in found]
    context = {
        "tab": "runs",
        "runs": lines[:RUNS],
        "many": len({line.question for line in lines}) > 1,
        "look": look,
        "segments": run_segments(look),
        "markets": run_markets(look, watch),
        "before": before,
        "older": look.address(before=str(found[RUNS - 1].pk)) if len(found) > RUNS else "",
    }
    return render(request, "web/watches/runs.html", head_of(watch) | context)


@own_watch
@require_POST
def watch_pause(request: HttpRequest, watch: Watch) -> HttpResponse:
    """Stop asking."""
    services.pause_watch(watch=watch, now=timezone.now())
    return _after(request, watch, gettext("Paused."))


@own_watch
@require_POST
def watch_resume(request: HttpRequest, watch: Watch) -> HttpResponse:
    """Ask again."""
    services.resume_watch(watch=watch, now=timezone.now())
    return _after(request, watch, gettext("The watch is on again."))


@own_watch
@require_POST
def watch_check(request: HttpRequest, watch: Watch) -> HttpResponse:
    """Ask now, as far as the marketplace's pace allows."""
    if watch.paused_at:
        messages.warning(request, gettext("A paused watch is not checked. Switch it on first."))
        return back(request, reverse("watch", args=[watch.pk]))
    services.check_now(watch=watch, now=timezone.now())
    return _after(request, watch, gettext("It is checked as soon as the marketplace's pace allows."))


def watch_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask whether to delete, then delete; a second press on the button leads where the first one did."""
    if request.POST.get("sure") == "yes" and not Watch.objects.of(request.user).filter(pk=pk).exists():
        return redirect("watches")
    return _delete(request, pk)


@own_watch
@require_http_methods(["GET", "HEAD", "POST"])
def _delete(request: HttpRequest, watch: Watch) -> HttpResponse:
    if request.POST.get("sure") != "yes":
        count = watch.matches.count()
        return render(request, "web/watches/delete.html", {"watch": watch, "count": count})
    services.delete_watch(watch=watch, now=timezone.now())
    messages.success(request, gettext("“%(name)s” is deleted.") % {"name": watch.name})
    return redirect("watches")


def _after(request: HttpRequest, watch: Watch, sentence: str) -> HttpResponse:
    """The changed row for a list that swaps it; else a page with the sentence."""
    if request.headers.get("HX-Request") and request.POST.get("row"):
        return render(request, "web/watches/_row.html", {"line": _line(watch)})
    messages.success(request, sentence)
    return back(request, reverse("watch", args=[watch.pk]))
