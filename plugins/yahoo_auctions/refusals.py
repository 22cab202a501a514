"""Which answers are no answer: by status first; a page without results is then asked what it is instead. Pure."""

from datetime import datetime

from selectolax.lexbor import LexborHTMLParser

from monitor_site.contract import (
    LONGEST_WAIT,
    Answer,
    Blocked,
    ChallengeRequired,
    LayoutChanged,
    MarketplaceError,
    SignInNeeded,
    Throttled,
    Unavailable,
    retry_after,
)

from .page import words_of

LOGIN = "login.yahoo.co.jp"
_CAPTCHA = '[src*="captcha"], [action*="captcha"], [name*="captcha"], [id*="captcha"]'
_GEO = ("欧州経済領域", "no longer available in the EEA")
_BLOCK = ("ページが表示できません", "ページを表示できません", "Access denied", "アクセスが制限されて")
_DOWN = ("メンテナンス", "混み合って", "エラーが発生しました", "システムエラー", "正常に処理できませんでした")
GONE = "指定されたURLのページは存在しません"


def refuse_status(answer: Answer, *, now: datetime) -> None:
    """Raise what the status means; 200 and 404 pass, since nothing found comes with 404 and a full page.

    Raises: SignInNeeded (401, or sent to the login), Blocked (403, 999), Throttled (429), Unavailable (5xx),
    LayoutChanged (any other).
    """
    if answer.status not in {200, 404}:
        raise _by_status(answer, now=now)


def _by_status(answer: Answer, *, now: datetime) -> MarketplaceError:
    status = answer.status
    if status == 401 or LOGIN in answer.headers.get("location", ""):
        return SignInNeeded(f"status {status}")
    if status in {403, 999}:
        return Blocked(f"status {status}")
    if status == 429:
        return Throttled("status 429", retry_after=retry_after(answer.headers, now=now))
    if status >= 500:
        return Unavailable(f"status {status}", retry_after=retry_after(answer.headers, now=now))
    return LayoutChanged(f"unexpected status {status}")


def wall(tree: LexborHTMLParser) -> MarketplaceError | None:
    """What stands in the way, on a page that holds nothing of what was asked; ``None`` when it is none of the known.

    Never ask it of a page with listings: their titles and descriptions may say anything. It takes the tree apart.
    """
    if tree.css_first(_CAPTCHA) is not None:
        return ChallengeRequired("a captcha instead of the page")
    if tree.css_first(f'form[action*="{LOGIN}"]') is not None:
        return SignInNeeded("the login instead of the page")
    return _by_words(words_of(tree))


def _by_words(words: str) -> MarketplaceError | None:
    if any(sign in words for sign in _GEO):
        return Blocked("closed to the EEA and the United Kingdom", retry_after=LONGEST_WAIT)
    if any(sign in words for sign in _BLOCK):
        return Blocked("a block page")
    return Unavailable("a page that says the site is down") if any(sign in words for sign in _DOWN) else None
