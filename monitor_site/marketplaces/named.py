"""Why a marketplace gave no answer, in a word or two, as people read it."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ERRORS: Mapping[str, "str | Promise"] = {
    "unavailable": _("no answer"),
    "no_pace": _("waits for its turn"),
    "not_sent": _("kept back by ourselves"),
    "throttled": _("asked to slow down"),
    "blocked": _("refused by the marketplace"),
    "challenge_required": _("a person must act"),
    "sign_in_needed": _("sign-in not accepted"),
    "layout_changed": _("answer not readable"),
    "suspect_empty": _("suspiciously empty"),
    "suspect_stale": _("suspiciously unchanged"),
    "listing_gone": _("listing gone"),
    "refused": _("refused"),
    "outcome_unknown": _("outcome unknown"),
    "plugin_fault": _("fault in the plugin"),
    "failing": _("many requests fail"),
    "paused": _("paused by the operator"),
    "quarantined": _("out of the schedule"),
    "gone": _("not available here"),
}
