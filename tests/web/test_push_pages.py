"""The script that a browser keeps: open to everybody, at the root, small, and about nobody."""

import gzip
from pathlib import Path

from django.conf import settings
from django.test import Client

PUSH = Path(settings.BASE_DIR) / "static" / "push"


def test_the_worker_comes_without_a_sign_in_and_may_act_for_the_whole_site(client: Client, db: None) -> None:
    answer = client.get("/push.js")
    assert answer.status_code == 200
    assert answer["Content-Type"].startswith("text/javascript")
    assert answer["Service-Worker-Allowed"] == "/"
    assert "no-cache" in answer["Cache-Control"]
    assert "default-src 'none'" in answer["Content-Security-Policy"]
    assert b"showNotification" in answer.content
    assert not answer.cookies


def test_its_scripts_stay_small() -> None:
    files = sorted(PUSH.glob("*.js"))
    assert len(files) == 2
    assert len(gzip.compress(b"".join(path.read_bytes() for path in files), mtime=0)) <= 2 * 1024
