"""What a marketplace asks us to remember: one jar for each (marketplace, account), in memory only.

A jar takes and gives cookies at the addresses its reach allows and nowhere else. What it holds is a way to act as
somebody, so it shows no value: not in a log, not in a repr, not to the plugin.
"""

from http.cookiejar import Cookie, CookieJar, DefaultCookiePolicy
from typing import Any

import httpx

from .hosts import Reach

MOST_COOKIES = 100
MOST_CHARACTERS = 4096


class OwnHostsOnly(DefaultCookiePolicy):
    """The usual rules of cookies, and besides: only where ``reach`` allows, few of them, none of them huge."""

    def __init__(self, reach: Reach) -> None:
        super().__init__()
        self._reach = reach

    def set_ok(self, cookie: Cookie, request: Any) -> bool:
        """Whether to keep a cookie that an answer brought."""
        small = len(cookie.name) + len(cookie.value or "") + len(cookie.path) <= MOST_CHARACTERS
        return small and self._is_own(request) and super().set_ok(cookie, request)

    def return_ok(self, cookie: Cookie, request: Any) -> bool:
        """Whether to send a cookie along with a request."""
        return self._is_own(request) and super().return_ok(cookie, request)

    def _is_own(self, request: Any) -> bool:
        try:
            return self._reach.allows(httpx.URL(request.get_full_url()))
        except httpx.InvalidURL:
            return False


class Cookies:
    """The jar of one account at one marketplace."""

    def __init__(self, reach: Reach) -> None:
        self._jar = CookieJar(policy=OwnHostsOnly(reach))
        self._for_httpx = httpx.Cookies(self._jar)

    def __len__(self) -> int:
        return len(self._jar)

    def __repr__(self) -> str:
        return f"<Cookies: {len(self)}>"

    def attach(self, request: httpx.Request) -> None:
        """Let a request carry what belongs to its address; a header that the plugin set itself stays."""
        if len(self._jar) and "cookie" not in request.headers:
            self._for_httpx.set_cookie_header(request)

    def keep(self, response: httpx.Response) -> None:
        """Remember what an answer sets; an answer that floods us costs the jar, not our memory."""
        if "set-cookie" not in response.headers:
            return
        self._for_httpx.extract_cookies(response)
        if len(self._jar) > MOST_COOKIES:
            self._jar.clear()
