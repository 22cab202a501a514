"""A site that serves, and a Chromium that looks at it. Without a Chromium these tests are skipped; in CI they fail."""

import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from monitor_site.accounts.models import User
from monitor_site.accounts.signin import make_token
from tests import servers
from tests.waiting import PATIENCE_SECONDS

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
PATIENCE_MS = 1000 * PATIENCE_SECONDS
# A first press lapses after four seconds, a toast after eight; here after minutes: a machine may be slow.
LASTING = """const soon = setTimeout;
window.setTimeout = (what, ms, ...more) => soon(what, [4000, 8000].includes(ms) ? 60 * ms : ms, ...more);"""
Open = Callable[..., Page]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The machine's Chromium. Only as long as its module: playwright keeps a loop running in this thread."""
    if CHROMIUM is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no Chromium on this machine, and CI asks for one")
        pytest.skip("no Chromium on this machine: install chromium to run the browser tests")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, timeout=PATIENCE_MS)
        expect.set_options(timeout=PATIENCE_MS)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


def patient_context(chromium: Browser, **options: Any) -> BrowserContext:
    """A browser's window on the site, for a machine that may be slow."""
    context = chromium.new_context(**options)
    context.set_default_timeout(PATIENCE_MS)
    context.add_init_script(LASTING)
    return context


@pytest.fixture(scope="session")
def static_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Static files as an installation serves them, collected once."""
    folder = tmp_path_factory.mktemp("static")
    env = dict(os.environ) | {"STATIC_ROOT": str(folder), "DJANGO_SETTINGS_MODULE": "monitor_site.settings"}
    command = [sys.executable, "manage.py", "collectstatic", "--noinput", "--verbosity", "0"]
    subprocess.run(command, env=env, cwd=settings.BASE_DIR, check=True)
    return folder


@contextmanager
def serving(static_root: Path, **more: str) -> Iterator[str]:
    """The web process on a port of its own, over the database and the Redis of the tests."""
    env = dict(os.environ) | {"DJANGO_SETTINGS_MODULE": "monitor_site.settings", "STATIC_ROOT": str(static_root)} | more
    if connection.vendor == "postgresql":
        env["DATABASE_URL"] = f"{env['DATABASE_URL'].rsplit('/', 1)[0]}/{connection.settings_dict['NAME']}"
    with socket.create_server(("127.0.0.1", 0), backlog=512) as door:
        address, fd = f"http://127.0.0.1:{door.getsockname()[1]}", door.fileno()
        command = [sys.executable, "manage.py", "run_web", "--fd", str(fd)]
        process = subprocess.Popen(command, env=env, cwd=settings.BASE_DIR, pass_fds=[fd])
    try:
        # Whoever comes before it has started waits at the door.
        yield address
    finally:
        servers.stop(process)


@pytest.fixture(scope="module")
def site(chromium: Browser, static_root: Path, django_db_setup: None, redis_server: str) -> Iterator[str]:
    """Where the web process serves."""
    with serving(static_root) as address:
        yield address


@pytest.fixture
def complaints() -> list[str]:
    """What the consoles of the opened pages say; a test that provokes something takes it out."""
    return []


@pytest.fixture
def open_page(
    chromium: Browser, site: str, transactional_db: None, redis: object, alice: User, complaints: list[str]
) -> Iterator[Open]:
    """Open a page of the site as alice; whatever the policy refuses or a script throws fails the test."""
    contexts: list[BrowserContext] = []

    def opened(
        address: str,
        *,
        width: int = 1280,
        height: int = 900,
        language: str = "en",
        theme: str = "light",
        script: bool = True,
    ) -> Page:
        context = patient_context(
            chromium,
            viewport={"width": width, "height": height},
            locale=language,
            color_scheme=theme,
            reduced_motion="reduce",
            java_script_enabled=script,
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        alice.refresh_from_db()
        page.goto(f"{site}/start/{make_token(alice)}/")
        page.goto(site + address)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def shots(tmp_path: Path) -> Path:
    """Where pictures of pages go; ``SCREENSHOTS`` names a folder that outlives the run."""
    folder = Path(os.environ.get("SCREENSHOTS") or tmp_path)
    folder.mkdir(parents=True, exist_ok=True)
    return folder
