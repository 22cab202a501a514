"""The only reader of the environment. Every setting has a default that runs at home without a server.

``DATA_DIR`` holds everything an installation writes. When an installation started by ``make run`` lives there, its
``running.json`` says where its Redis, its web server and its practice markets listen, and commands find it by that.
"""

import json
import os
from pathlib import Path
from typing import Any

import dj_database_url
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key
from django.utils.translation import gettext_lazy as _

from monitor_site.askers import networks
from monitor_site.keeping import Unshown, demand_kind, kept, open_folder
from monitor_site.policy import POLICY
from monitor_site.practice_addresses import practice_markets
from monitor_site.site_address import site_url

BASE_DIR = Path(__file__).resolve().parent.parent


def env(name: str, default: str = "") -> str:
    """A setting from the environment; ``NAME_FILE`` names a file that holds it instead."""
    if path := os.environ.get(f"{name}_FILE"):
        return Path(path).read_text(encoding="utf-8").strip()
    return os.environ.get(name, default)


def env_bool(name: str, *, default: bool) -> bool:
    """``1``, ``true``, ``yes``, ``on`` are true; ``0``, ``false``, ``no``, ``off`` and empty are false."""
    value = env(name, "1" if default else "0").strip().lower()
    if value not in {"1", "true", "yes", "on", "0", "false", "no", "off", ""}:
        raise ImproperlyConfigured(f"{name} must be yes or no, not {value!r}")
    return value in {"1", "true", "yes", "on"}


def env_int(name: str, default: int) -> int:
    """A whole number."""
    try:
        return int(env(name, str(default)))
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be a whole number") from error


def env_list(name: str) -> list[str]:
    """Comma separated values."""
    return [part.strip() for part in env(name).split(",") if part.strip()]


LIVE = env_bool("LIVE", default=False)
DATA_DIR = Path(env("DATA_DIR") or BASE_DIR / "var" / ("live" if LIVE else "practice")).expanduser().resolve()
open_folder(DATA_DIR)
demand_kind(DATA_DIR, live=LIVE)
RUNNING_FILE = DATA_DIR / "running.json"


def running_installation() -> dict[str, Any]:
    """What the installation in ``DATA_DIR`` says about itself; empty when none runs there."""
    try:
        found: dict[str, Any] = json.loads(RUNNING_FILE.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found | {"redis_url": Unshown(found.get("redis_url") or "")}


RUNNING = running_installation()


SECRET_KEY = Unshown(env("SECRET_KEY") or kept(DATA_DIR / "secret_key", get_random_secret_key))
DEBUG = env_bool("DEBUG", default=False)
PRODUCTION = env_bool("PRODUCTION", default=False)
# Of stored credentials, newest first. In production none is made up: another machine could not read what it wrote.
SECRETS_KEYS: list[str] = [Unshown(secret) for secret in env_list("SECRETS_KEYS")]
if not SECRETS_KEYS and not PRODUCTION:
    SECRETS_KEYS = [Unshown(kept(DATA_DIR / "secrets_key", lambda: Fernet.generate_key().decode()))]
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS") or ([] if PRODUCTION else ["*"])
CSRF_TRUSTED_ORIGINS = env_list("CSRF_TRUSTED_ORIGINS")
SITE_NAME = env("SITE_NAME")


def refuse_half_configured() -> None:
    """In production nothing is guessed: raises ``ImproperlyConfigured`` with what is missing."""
    missing = [name for name in ("SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "SITE_URL") if not env(name)]
    if missing:
        raise ImproperlyConfigured(f"PRODUCTION=1 does not start without {' and '.join(missing)} in the environment.")
    if DEBUG:
        raise ImproperlyConfigured("PRODUCTION=1 does not start with DEBUG=1: it would show its inside to everybody.")


if PRODUCTION:
    refuse_half_configured()

INSTALLED_APPS = [
    "monitor_site.engine",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "csp",
    "django_htmx",
    "django_rq",
    "monitor_site.accounts",
    "monitor_site.outbox",
    "monitor_site.marketplaces",
    "monitor_site.watches",
    "monitor_site.alerts",
    "monitor_site.purchasing",
    "monitor_site.web",
    "monitor_site.ops",
]

MIDDLEWARE = [
    "monitor_site.web.middleware.HeadersMiddleware",
    "csp.middleware.CSPMiddleware",
    "monitor_site.web.middleware.HealthMiddleware",
    "monitor_site.ops.scraping.MetricsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "monitor_site.web.middleware.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "monitor_site.web.middleware.ActorMiddleware",
    "monitor_site.web.middleware.PreferencesMiddleware",
    "monitor_site.web.middleware.SignInMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "monitor_site.urls"
ASGI_APPLICATION = "monitor_site.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "monitor_site.web.context.frame",
            ],
            "builtins": ["monitor_site.web.templatetags.ui"],
        },
    }
]
FORM_RENDERER = "monitor_site.web.forms.Renderer"

# -- data ---------------------------------------------------------------------------------------------------------
DATABASE_URL = Unshown(env("DATABASE_URL") or f"sqlite:///{DATA_DIR / 'db.sqlite3'}")
DATABASES = {"default": dj_database_url.parse(DATABASE_URL)}
DATABASES["default"]["PASSWORD"] = Unshown(DATABASES["default"].get("PASSWORD", ""))
DATABASES["default"] |= {"CONN_MAX_AGE": 60, "CONN_HEALTH_CHECKS": True}  # of workers; the web process keeps none
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000;",
    }
else:
    # Safe behind a transaction pooler: no server-side cursors, no prepared statements kept in a session.
    DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = True
    DATABASES["default"].setdefault("OPTIONS", {})["prepare_threshold"] = None
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_GIVEN = bool(env("REDIS_URL"))  # by whoever runs it: then home starts none of its own
REDIS_URL = Unshown(env("REDIS_URL") or RUNNING.get("redis_url") or "redis://127.0.0.1:6379/0")
REDIS_PREFIX = env("REDIS_PREFIX", "mm")
CACHES = {
    "default": {
        "BACKEND": "monitor_site.web.cache.SharedCache",
        "LOCATION": [REDIS_URL],
        "KEY_PREFIX": f"{REDIS_PREFIX}:cache",
        "OPTIONS": {"socket_connect_timeout": 1, "socket_timeout": 1},
    }
}

# -- schedule and workers -----------------------------------------------------------------------------------------
LANES = ("express", "timed", "checks", "alerts", "upkeep")
RQ_QUEUES = {
    lane: {"URL": REDIS_URL, "SERIALIZER": "rq.serializers.JSONSerializer", "DEFAULT_TIMEOUT": 60} for lane in LANES
}
RQ_SHOW_ADMIN_LINK = False
DRAIN_SECONDS = env_int("DRAIN_SECONDS", 30)
LEASE_SECONDS = env_int("LEASE_SECONDS", 10)
WORKERS_MIN, WORKERS_MAX = env_int("WORKERS_MIN", 1), env_int("WORKERS_MAX", 20)
CLOCKWORK_NICE = env_int("CLOCKWORK_NICE", 10)  # how far checks and upkeep step back for events
LOAD_GUARD = env_bool("LOAD_GUARD", default=True)
CHECK_RETENTION_DAYS = env_int("CHECK_RETENTION_DAYS", 30)
WATCHES_PER_USER = env_int("WATCHES_PER_USER", 3000)
QUESTIONS_PER_USER = env_int("QUESTIONS_PER_USER", 10_000)

# -- marketplaces -------------------------------------------------------------------------------------------------
# PRACTICE_MARKETS: "mercari=http://127.0.0.1:9000"; a marketplace named here is played by its practice market.
PRACTICE_MARKETS = practice_markets(RUNNING.get("practice_markets") or {}, env_list("PRACTICE_MARKETS"), live=LIVE)
PRACTICE_PACE_PER_MINUTE = env_int("PRACTICE_PACE_PER_MINUTE", 60_000)
PRACTICE_CONCURRENCY = env_int("PRACTICE_CONCURRENCY", 32)
# PROXIES: "mercari=http://user:secret@host:3128, ..."; read by marketplaces/proxies.py.
PROXIES = Unshown(env("PROXIES"))
PLUGIN_DIR = Path(env("PLUGIN_DIR") or BASE_DIR / "plugins")

# -- alerts -------------------------------------------------------------------------------------------------------
# Read by alerts/ways: "10.0.0.0/8, ..."; "smtp://user:password@host:587".
ALERT_NETWORKS = env_list("ALERT_NETWORKS")
EMAIL_URL, EMAIL_FROM = Unshown(env("EMAIL_URL")), env("EMAIL_FROM")
VAPID_PRIVATE_KEY = Unshown(env("VAPID_PRIVATE_KEY"))

# -- money ---------------------------------------------------------------------------------------------------------
# SPENDING_STOPPED: nothing is bought by anybody, whatever the switches on the pages say.
SPENDING_STOPPED = env_bool("SPENDING_STOPPED", default=False)
EXCHANGE_RATES_URL = Unshown(env("EXCHANGE_RATES_URL"))  # some want a key in it; read by engine/exchange_rates.py

# -- people -------------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = LOGOUT_REDIRECT_URL = "account_login"
LOGIN_REDIRECT_URL = "matches"
ACCOUNT_ADAPTER = "monitor_site.accounts.adapter.ClosedSignup"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION, ACCOUNT_SESSION_REMEMBER = "none", True
PROOF_MINUTES = env_int("PROOF_MINUTES", 10)  # so long a sign-in proves that the person is still there
AUDIT_RETENTION_DAYS, AUDIT_ADDRESSES = env_int("AUDIT_RETENTION_DAYS", 0), env_bool("AUDIT_ADDRESSES", default=False)
MFA_ADAPTER = "monitor_site.web.factor_secrets.FactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_RECOVERY_CODES_SHOW_ONCE, MFA_TOTP_TOLERANCE = True, 1  # clocks of phones are seconds off
SESSION_COOKIE_HTTPONLY, SESSION_COOKIE_SAMESITE, SESSION_COOKIE_AGE = True, "Lax", 30 * 24 * 3600
DEMO = env_bool("DEMO", default=True) and not LIVE and not PRODUCTION
PORT = env_int("PORT", 8000)  # of the web process that `make run` starts
# Where people reach the pages, for links in messages and feeds: no request tells it there.
SITE_URL = site_url(env("SITE_URL") or RUNNING.get("web_url") or f"http://127.0.0.1:{PORT or 8000}", secure=PRODUCTION)

# -- languages ----------------------------------------------------------------------------------------------------
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en"
LANGUAGES = [("zh-hans", _("Simplified Chinese")), ("ja", _("Japanese")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "monitor_site" / "locale"]
FORMAT_MODULE_PATH = ["monitor_site.formats"]

# -- files --------------------------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = Path(env("STATIC_ROOT") or DATA_DIR / "static")
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    # On one machine compressed files gain nothing, and making them takes longer than the rest of a first start.
    "staticfiles": {
        "BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"
        if PRODUCTION
        else "django.contrib.staticfiles.storage.ManifestStaticFilesStorage"
    },
}
MEDIA_ROOT = DATA_DIR / "media"

# -- security -----------------------------------------------------------------------------------------------------
CONTENT_SECURITY_POLICY = POLICY
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = PRODUCTION
SECURE_SSL_REDIRECT = PRODUCTION
SECURE_HSTS_SECONDS = 31_536_000 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = PRODUCTION
BEHIND_PROXY = env_bool("BEHIND_PROXY", default=False)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
ALLAUTH_TRUSTED_PROXY_COUNT = int(BEHIND_PROXY)  # whom failed sign-ins are counted for
# Who may read /metrics: from these networks, or with the token from anywhere.
METRICS_NETWORKS = networks(env_list("METRICS_NETWORKS"), name="METRICS_NETWORKS")
METRICS_TOKEN = Unshown(env("METRICS_TOKEN"))
FILE_UPLOAD_HANDLERS: list[str] = []  # no form takes a file

# -- logs ---------------------------------------------------------------------------------------------------------
LOG_LEVEL = env("LOG_LEVEL", "INFO")
LOG_JSON = env_bool("LOG_JSON", default=PRODUCTION)
LOGGING_CONFIG = "monitor_site.logs.configure"
LOGGING: dict[str, Any] = {"level": LOG_LEVEL, "json": LOG_JSON}
