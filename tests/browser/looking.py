"""What a browser finds wrong with a page: rules of accessibility, width, words that nobody translated."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

from tests.browser.pseudo import ACCENTS

# Pages of the administration are Django's own templates: they must keep to the policy and fit, no more.
DJANGOS = "admin "
WIDTHS = (320, 360, 390, 768, 900, 1280, 1440)
PHONE, WIDE = 390, 1440
OPEN_ALL = "[...document.querySelectorAll('main details')].forEach((one) => { one.open = true })"
OPEN_PLAIN = "[...document.querySelectorAll('main details:not(.menu)')].forEach((one) => { one.open = true })"
OVER = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
WIDEST = """() => [...document.querySelectorAll('body *')].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.right > document.documentElement.clientWidth + 1 && box.width; }).slice(-3).map((one) =>
  one.outerHTML.slice(0, 90))"""
JUDGE = """async (options) => (await axe.run(document, options)).violations.flatMap((one) => one.nodes.map((node) =>
  `${one.id} ${node.target.join(' ')} ${(node.failureSummary || '').split('\\n')[1] || ''}`))"""
EVERYTHING = {"resultTypes": ["violations"]}
# The other theme changes colours and nothing else.
COLOURS = EVERYTHING | {"runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
SAID = """() => {
  const texts = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const around = walk.currentNode.parentElement;
    if (!around.closest('script, style, noscript, [lang]:not(html), bdi, code, textarea, kbd, svg, [translate=no]'))
      texts.push(walk.currentNode.data);
  }
  for (const one of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
    for (const name of ['aria-label', 'title', 'placeholder', 'alt'])
      if (one.hasAttribute(name)) texts.push(one.getAttribute(name));
  return texts.concat(document.title);
}"""


@dataclass
class Look:
    """One browser's view of a site, with all that was found wrong."""

    page: Page
    judges: bool = True
    wrong: list[str] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)

    def at(self, name: str) -> None:
        """Look at what the browser shows now, in both themes and at every width."""
        judges = self.judges and not name.startswith(DJANGOS)
        self.page.set_viewport_size({"width": WIDE, "height": 1000})
        self.page.emulate_media(color_scheme="light")
        self.texts[name] = self.page.evaluate(SAID)
        _keep(self.page, name, "wide")
        if judges:
            self.page.evaluate(AXE_SCRIPT)
            self._judge(name, WIDE)
        self.page.evaluate(OPEN_PLAIN)
        self.page.set_viewport_size({"width": PHONE, "height": 844})
        if judges:
            self._judge(name, PHONE)
        _keep(self.page, name, "phone")
        self._measure(name)

    def _judge(self, name: str, width: int) -> None:
        for theme, options in {"light": EVERYTHING, "dark": COLOURS}.items():
            self.page.emulate_media(color_scheme=theme)
            self.wrong += [f"{name} {width} {theme}: {one}" for one in self.page.evaluate(JUDGE, options)]

    def _measure(self, name: str) -> None:
        self.page.evaluate(OPEN_ALL)
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 844})
            if (over := self.page.evaluate(OVER)) > 0:
                self.wrong.append(f"{name} {width}: {over} px too wide, {self.page.evaluate(WIDEST)}")


def _keep(page: Page, name: str, kind: str) -> None:
    """``SCREENSHOTS`` names a folder for pictures of all pages."""
    if folder := os.environ.get("SCREENSHOTS"):
        file = re.sub(r"[^a-z0-9]+", "-", name.lower())
        language = page.evaluate("document.documentElement.lang")
        page.screenshot(path=Path(folder) / f"{file}-{kind}-{language}.png", full_page=True)


WORD, LATIN = re.compile(r"[^\W\d_]+"), re.compile(r"[A-Za-z]{2,}")


def untranslated(texts: dict[str, list[str]], *, known: frozenset[str]) -> Iterator[str]:
    """Texts with words in which no letter has an accent though one could have: nobody has translated them."""
    for name, said in texts.items():
        for text in said:
            words = [one for one in WORD.findall(text) if one.translate(ACCENTS) != one]
            plain = [one for one in words if LATIN.fullmatch(one) and one not in known]
            if plain:
                yield f"{name}: {' '.join(text.split())[:90]!r} {plain[:5]}"
