"""Settings from environment variables; by default a local installation on SQLite (docs/administrators.md)."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import dj_database_url
from csp.constants import NONE, SELF
from django.conf.locale import LANG_INFO
from django.core.exceptions import ImproperlyConfigured
from django.utils.text import capfirst
from django.utils.translation import to_language
from platformdirs import user_data_path

from annotation.operations.logs import configuration
from annotation.operations.secret_key import read_or_make_key

ROOT = Path(__file__).resolve().parent.parent  # of a checkout, or of what a wheel installed
CHECKOUT = (ROOT / "static").is_dir()  # a wheel has its static files collected; nothing is written beside them
PROGRAM = "manage.py" if CHECKOUT else "hopscribe"  # whose commands messages name
_HOME = ROOT / "var" if CHECKOUT else user_data_path("hopscribe", appauthor=False)
VAR = Path(os.environ.get("HOPSCRIBE_VAR") or _HOME).absolute()
VAR.mkdir(mode=0o700, parents=True, exist_ok=True)
EPHEMERAL = os.environ.get("HOPSCRIBE_EPHEMERAL", "0") == "1"  # whether VAR is lost at a restart; people are warned

LOCAL_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
ALLOWED_HOSTS = [h for h in os.environ.get("ALLOWED_HOSTS", "").split(",") if h] or LOCAL_HOSTS
LOCAL = set(ALLOWED_HOSTS) <= set(LOCAL_HOSTS)
HAS_PUBLIC_URL = bool(os.environ.get("PUBLIC_URL"))  # a command cannot know at which port a server runs
PUBLIC_URL = (os.environ.get("PUBLIC_URL") or "http://127.0.0.1:8000").rstrip("/")  # how others reach this site
# hosts in internal networks that are allowed
MARKETPLACE_HOSTS = [h.lower() for h in os.environ.get("MARKETPLACE_HOSTS", "").split(",") if h]
MODEL_ENDPOINTS = [h.lower() for h in os.environ.get("MODEL_ENDPOINTS", "").split(",") if h]  # the same, of models
DEBUG = False
CHECK_MTURK_OUTPUT = False  # whether the MTurk endpoint holds its own answers to the model, as tests do
SECRET_KEY = os.environ.get("SECRET_KEY", "")
if not SECRET_KEY:
    if not LOCAL:
        raise ImproperlyConfigured(
            "SECRET_KEY is not set. ALLOWED_HOSTS names hosts beyond this machine, so a key must be given: "
            "set SECRET_KEY to at least 50 random characters, the same for every process."
        )
    SECRET_KEY = read_or_make_key(VAR / "secret-key")

# Keys of before: what was signed or sealed with one of them still opens (docs/runbook.md, rotating the key).
SECRET_KEY_FALLBACKS = [k for k in os.environ.get("SECRET_KEY_FALLBACKS", "").split(",") if k]

INSTALLED_APPS = [
    "annotation",
    "annotation.marketplaces",
    "annotation.dry_run",
    "annotation.studies",
    "annotation.bridges",
    "annotation.demo",
    "annotation.judges",
    "annotation.webhooks",
    "annotation.mturk_api",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "rest_framework",
]
MIDDLEWARE = [
    "annotation.operations.request_log.RequestLogMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "annotation.middleware.BrowserLimitsMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",  # this far out, files and errors get the headers too
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "annotation.middleware.QuickGZipMiddleware",
    "annotation.operations.sessions.RenamingSessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "annotation.middleware.PersonMiddleware",
    "annotation.middleware.QuietMessageMiddleware",
    "annotation.operations.sessions.SessionLimitMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "annotation.middleware.MethodNotAllowedMiddleware",
]
ROOT_URLCONF = "annotation.urls"
WSGI_APPLICATION = "annotation.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates", ROOT / "tasks"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "annotation.views.context.frame",
            ],
            "builtins": ["annotation.templatetags.language_tags"],
        },
    },
]

SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    # Each thread has a connection with a cache of its own: 4 MB each; further pages are the system's to keep.
    "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA cache_size=-4000;",
}
POSTGRES_OPTIONS = {
    "prepare_threshold": 5,
    "options": "-c lock_timeout=5s -c statement_timeout=60s -c idle_in_transaction_session_timeout=30s",
}


def database(url: str) -> dict[str, Any]:
    """Django's DATABASES entry for a URL; raises ImproperlyConfigured for an engine we do not know."""
    parsed: dict[str, Any] = dict(dj_database_url.parse(url, conn_max_age=600, conn_health_checks=True))
    if parsed["ENGINE"] == "django.db.backends.sqlite3":
        return parsed | {"OPTIONS": SQLITE_OPTIONS, "CONN_HEALTH_CHECKS": False}
    if parsed["ENGINE"] == "django.db.backends.postgresql":
        return parsed | {"OPTIONS": POSTGRES_OPTIONS}
    raise ImproperlyConfigured("DATABASE_URL must begin with sqlite:// or postgres://.")


DATABASES = {"default": database(os.environ.get("DATABASE_URL") or f"sqlite:///{VAR / 'hopscribe.sqlite3'}")}
PLAIN_QUERIES = os.environ.get("HOPSCRIBE_PLAIN_QUERIES", "0") == "1"  # see models/compiled.py
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

EMAIL_URL = os.environ.get("EMAIL_URL", "")  # empty: no mail is sent
_mail = urlsplit(EMAIL_URL)
EMAIL_HOST, EMAIL_TIMEOUT = _mail.hostname or "localhost", 10
EMAIL_USE_SSL, EMAIL_USE_TLS = _mail.scheme == "smtps", _mail.scheme == "smtp+tls"
EMAIL_PORT = _mail.port or {"smtps": 465, "smtp+tls": 587}.get(_mail.scheme, 25)
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = unquote(_mail.username or ""), unquote(_mail.password or "")
DEFAULT_FROM_EMAIL = os.environ.get("MAIL_FROM") or f"hopscribe@{urlsplit(PUBLIC_URL).hostname}"
if EMAIL_URL and _mail.scheme not in {"smtp", "smtps", "smtp+tls"}:
    raise ImproperlyConfigured("EMAIL_URL must begin with smtp://, smtp+tls:// or smtps://.")

BACKUP_KEY = os.environ.get("BACKUP_KEY", "")  # empty: archives of `back_up` are not encrypted

CELERY_BROKER_URL = os.environ.get("CELERY_BROKER_URL", "")
EMBEDDED_JOBS = not CELERY_BROKER_URL

AUTH_USER_MODEL = "annotation.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign-in"

LANGUAGE_CODE = "en"
LOCALE = ROOT / "annotation" / "locale"  # a folder for each language
_CODES = ["en", *sorted(to_language(file.parts[-3]) for file in LOCALE.glob("*/LC_MESSAGES/django.mo"))]
# each by its name in itself, for readers of no other
LANGUAGES = [(code, capfirst(LANG_INFO.get(code, {}).get("name_local", code))) for code in _CODES]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
FORMAT_MODULE_PATH = "annotation.locale"
LOCALE_PATHS = [LOCALE]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = Path(os.environ.get("STATIC_ROOT") or (VAR if CHECKOUT else ROOT / "build") / "static")
STATICFILES_DIRS = [
    *([ROOT / "static"] if CHECKOUT else []),
    *((f"tasks/{folder.parent.name}", folder) for folder in sorted((ROOT / "tasks").glob("*/static"))),
]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "annotation.operations.static_storage.Storage"},
}
WHITENOISE_MAX_AGE = 60  # seconds, of files without a hash in their name; the others never change
MEDIA_ROOT = VAR / "uploads"
FILE_UPLOAD_TEMP_DIR = VAR  # on the same file system as MEDIA_ROOT, so that large uploads are renamed instead of copied
FILE_UPLOAD_HANDLERS = [
    "annotation.operations.uploads.UploadLimitHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]
UPLOAD_LIMIT = int(os.environ.get("UPLOAD_LIMIT_MB", "2048")) * 1024 * 1024  # bytes of one upload
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024

HTTPS = os.environ.get("HTTPS", "0" if LOCAL else "1") == "1"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_SSL_REDIRECT = HTTPS
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]  # called over plain HTTP inside the network
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]  # subdomains and preload lists: the domain's owner decides
SESSION_ENGINE = "annotation.operations.sessions"
AUTHENTICATION_BACKENDS = ["annotation.operations.sessions.UserBackend"]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
# Other hosts below the same domain cannot plant a cookie whose name begins so.
SESSION_COOKIE_NAME = "__Host-sessionid" if HTTPS else "sessionid"
CSRF_COOKIE_NAME = "__Host-csrftoken" if HTTPS else "csrftoken"
SESSION_COOKIE_AGE = int(float(os.environ.get("SESSION_DAYS") or "14") * 24 * 3600)  # seconds after signing in
SESSION_IDLE = int(float(os.environ.get("SESSION_IDLE_HOURS") or "24") * 3600)  # seconds after the last request
SECURE_REFERRER_POLICY = "same-origin"  # no-referrer would make browsers send Origin: null, which CSRF refuses
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

API_SCHEMA = ROOT / "build" / "api-schema.yaml"  # beside it the same as .json; `make schema` writes both
API_RATE = os.environ.get("API_RATE") or "1200/min"  # requests of one caller
LOCAL_CACHE = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
CACHES = {"default": LOCAL_CACHE, "counts": LOCAL_CACHE | {"LOCATION": "counts"}}
if CELERY_BROKER_URL.startswith(("redis://", "rediss://")):  # where all web processes count together
    CACHES["counts"] = {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": CELERY_BROKER_URL}
    CACHES["counts"]["KEY_PREFIX"] = "hopscribe"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotation.api.authentication.BearerAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["annotation.api.parsers.ObjectParser"],
    "DEFAULT_PAGINATION_CLASS": "annotation.api.pagination.ApiCursorPagination",
    "SCHEMA_COERCE_PATH_PK": False,
    "DEFAULT_METADATA_CLASS": "annotation.api.metadata.AllowedMethodsMetadata",
    "DEFAULT_THROTTLE_CLASSES": ["annotation.api.throttling.ApiThrottle"],
    "NUM_PROXIES": 1 if HTTPS else 0,  # what a caller writes into X-Forwarded-For is no address
    "EXCEPTION_HANDLER": "annotation.api.problems.handle_exception",
    "URL_FORMAT_OVERRIDE": None,  # `format` in an address is a word of our own
    "COERCE_DECIMAL_TO_STRING": True,
}
LOG_LEVEL = os.environ.get("LOG_LEVEL") or "WARNING"
LOGGING = configuration(
    json=os.environ.get("LOG_FORMAT", "") == "json",
    level=LOG_LEVEL,
    hook=os.environ.get("ERROR_HOOK_URL", ""),
    file=os.environ.get("LOG_FILE", ""),
)

# Who may read /metrics: networks that ask directly, separated by commas, or whoever has the token.
METRICS_ALLOW = [n for n in (os.environ.get("METRICS_ALLOW") or "127.0.0.0/8,::1/128").split(",") if n]
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")
