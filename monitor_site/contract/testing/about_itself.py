"""Rules about what a plugin says of itself, before anybody asks it anything."""

from collections.abc import Callable
from dataclasses import MISSING, Field, fields, replace
from typing import Any

from ..fields import AccountSettings, SearchCriteria, canonical, criteria_from
from ..manifest import Access, Pace
from ..rules import NotWhole, in_words
from ..rules.whole import examine_capabilities, examine_manifest
from .alone import alone
from .rule import Rules, demand, fail

FASTEST_PUBLIC = 60
SOUNDS_SECRET = {"key", "token", "password", "secret"}
CANARY = "canary-5b1e"


class AboutItself(Rules):
    """Manifest, capabilities, fields, loading."""

    def test_it_loads_without_touching_anything(self) -> None:
        """Importing it opens no connection, writes no file, starts nothing, prints nothing."""
        deeds = alone(self.plugin, self.answers, seed=1, settings=self.account)["deeds"]
        demand(not deeds, f"importing a plugin must do nothing but define it; this one: {'; '.join(deeds)}")

    def test_its_manifest_is_whole(self) -> None:
        """The core would load it."""
        self._examined(lambda: examine_manifest(self.plugin, name=self.plugin.manifest.name), "the manifest")

    def test_it_can_do_what_it_declares_and_nothing_else(self) -> None:
        """Methods and declared capabilities are the same."""
        self._examined(lambda: examine_capabilities(self.plugin), "capabilities")

    def test_its_pace_is_polite(self) -> None:
        """A marketplace's pages are for people; one question alone stays below the ceiling."""
        pace, public = self.plugin.manifest.pace, self.plugin.manifest.access == Access.PUBLIC_PAGES
        demand(
            not public or pace.ceiling_per_minute <= FASTEST_PUBLIC,
            f"the pace is not polite: public pages bear {FASTEST_PUBLIC} requests a minute at most, "
            f"its ceiling is {pace.ceiling_per_minute}",
        )
        demand(_floor_fits(pace), f"the floor of {pace.floor_seconds} s lets one question exceed the ceiling")

    def test_its_criteria_can_be_drawn_as_a_form(self) -> None:
        """Every field has a label, a default and a value that survives being stored."""
        for spec in self._own(self.plugin.manifest.criteria, SearchCriteria):
            _drawable(spec)
            default = spec.default_factory is not MISSING or spec.default is not MISSING
            demand(default, f"criteria field {spec.name!r} has no default: only the keyword may be asked of a person")

    def test_its_questions_survive_being_stored(self) -> None:
        """Written down and read again, a question is the same question."""
        for asked in self._questions():
            text = canonical(asked)
            again = self._stored(text)
            demand(canonical(again) == text, f"a stored question changes when it is read: {text} -> {canonical(again)}")

    def test_its_settings_can_be_drawn_as_a_form(self) -> None:
        """Every field of an account has a label and takes text."""
        for spec in self._own(self.plugin.manifest.settings, AccountSettings):
            _drawable(spec)
            demand(spec.type in {str, "str"}, f"settings field {spec.name!r} is no text: accounts are kept as text")

    def test_its_secrets_stay_hidden(self) -> None:
        """What is secret is marked, and shows in no text about the object."""
        kinds = (self.plugin.manifest.criteria, self.plugin.manifest.settings)
        for shape in filter(None, kinds):
            for spec in self._own(shape, object):
                secret = bool(spec.metadata.get("secret"))
                sounds = bool(SOUNDS_SECRET & set(spec.name.split("_")))
                demand(secret or not sounds, f"{spec.name!r} sounds like a secret; mark it with option(secret=True)")
                demand(
                    not secret or self._hides(shape, spec.name), f"the secret {spec.name!r} shows in repr() or str()"
                )

    def _hides(self, shape: type[Any], name: str) -> bool:
        account = self.account if shape is self.plugin.manifest.settings else None
        thing = replace(account, **{name: CANARY}) if account else shape(**{name: CANARY})
        return CANARY not in repr(thing) + str(thing)

    def _examined(self, look: Callable[[], None], what: str) -> None:
        try:
            look()
        except NotWhole as reason:
            fail(f"{what}: the core would refuse it, since {reason}")
        except Exception as error:  # noqa: BLE001  whatever a plugin raises when it is looked at
            fail(f"{what}: cannot even be looked at: {in_words(error)}")

    def _own(self, shape: "type[Any] | None", base: type) -> "tuple[Field[Any], ...]":
        """The fields of ``shape`` that it adds to ``base``; a shape that is no dataclass has none."""
        known = set(getattr(base, "__dataclass_fields__", {}))
        specs: dict[str, Field[Any]] = getattr(shape, "__dataclass_fields__", {})
        return tuple(spec for name, spec in specs.items() if name not in known)

    def _questions(self) -> list[SearchCriteria]:
        """The control question, and one with each choice that a form offers."""
        manifest = self.plugin.manifest
        shape: Any = manifest.criteria
        asked = [manifest.control]
        for spec in fields(manifest.criteria):
            many = isinstance(spec.default, tuple)
            values = spec.metadata.get("choices") or ()
            asked += [shape(**{spec.name: (value,) if many else value}) for value in values]
        return asked

    def _stored(self, text: str) -> SearchCriteria:
        try:
            return criteria_from(text, self.plugin.manifest.criteria)
        except Exception as error:  # noqa: BLE001  a shape of the plugin's own
            fail(f"a stored question cannot be read again: {text}: {in_words(error)}")


def _floor_fits(pace: Pace) -> bool:
    return pace.floor_seconds * pace.ceiling_per_minute >= 60


def _drawable(spec: "Field[Any]") -> None:
    label, choices = spec.metadata.get("label"), spec.metadata.get("choices")
    demand(isinstance(label, str) and label.strip(), f"field {spec.name!r} cannot be drawn: give it option(label=...)")
    words = list((choices or {}).values())
    demand(all(isinstance(word, str) and word for word in words), f"choices of {spec.name!r} need words for people")
