"""Settings of Blindverse, read from the environment; ``.env.example`` names and explains each."""

from pathlib import Path
from typing import Any

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from backend.config import environment
from backend.config.databases import database

BASE_DIR = Path(__file__).resolve().parents[2]

# "local" is a laptop or a test: SQLite and an in-process worker unless told otherwise.
# "deployed" has real users: every secret and service must be named, none is made up.
DEPLOYED = environment.choice("BLINDVERSE_MODE", ("local", "deployed")) == "deployed"
DATA = Path(environment.text("BLINDVERSE_DATA", str(BASE_DIR / "var")))

if DEPLOYED:
    SECRET_KEY = environment.text("BLINDVERSE_SECRET_KEY")
    if len(SECRET_KEY) < 32:
        raise ImproperlyConfigured(
            "BLINDVERSE_SECRET_KEY is shorter than 32 characters; "
            "make one with: python -c 'import secrets; print(secrets.token_urlsafe(48))'."
        )
    ALLOWED_HOSTS = environment.names("BLINDVERSE_HOSTS")
else:
    SECRET_KEY = environment.kept_secret("BLINDVERSE_DATA", DATA)
    ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", "testserver"]

DEBUG = False
# Sign-in links without a password, for trying the sample study. Never in a deployed Blindverse.
DEMO = not DEPLOYED and environment.flag("BLINDVERSE_DEMO", default=False)

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "csp",
    "rest_framework",
    "drf_spectacular",
    "annotation.activity",
    "backend.accounts",
    "backend.corpus",
    "backend.generation",
    "annotation.studies",
    "annotation.judgments",
    "backend.design",
    "backend.panel",
    "backend.hooks",
    "backend.judging",
    "backend.analytics",
    "backend.exports",
    "backend.api",
    "backend.config",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "backend.config.language.OneLanguageEach",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "backend.config.errors.DomainErrors",
]

ROOT_URLCONF = "backend.config.urls"
WSGI_APPLICATION = "backend.config.wsgi.application"

TEMPLATES: list[dict[str, Any]] = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "frontend" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "annotation.judgments.access.reading",
            ],
        },
    },
]

DATABASES = {
    "default": database(
        environment.text("DATABASE_URL", ""),
        sqlite_file=DATA / "blindverse.sqlite3",
        pool_size=environment.number("BLINDVERSE_DATABASE_POOL", 16),
    )
}
if DEPLOYED:
    environment.text("DATABASE_URL")
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = environment.redis("REDIS_URL", None if DEPLOYED else "")
WORKER_THREADS = environment.number("BLINDVERSE_WORKER_THREADS", 8)
# Where language models may be asked. None named: anywhere but where no call ever goes.
MODEL_HOSTS = [
    host.strip().lower()
    for host in environment.text("BLINDVERSE_MODEL_HOSTS", "").split(",")
    if host.strip()
]
MODEL_PROXY = environment.proxy("BLINDVERSE_MODEL_PROXY")
CALL_THREADS = environment.number("BLINDVERSE_CALL_THREADS", 16)

AUTH_USER_MODEL = "accounts.User"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "sign-in"
LOGIN_REDIRECT_URL = "start"
LOGOUT_REDIRECT_URL = "start"

_mail = environment.mail(
    "BLINDVERSE_MAIL", default="" if DEPLOYED else "file:", folder=DATA / "mail"
)
globals().update(_mail)  # under Django's own names, EMAIL_HOST and so on
SENDS_MAIL = bool(_mail)
EMAIL_TIMEOUT = 30
DEFAULT_FROM_EMAIL = environment.sender(
    "BLINDVERSE_MAIL_FROM",
    None if _mail.get("EMAIL_HOST") else "Blindverse <blindverse@localhost>",
)
# Of links that are written outside a request, in letters.
ADDRESS = environment.site("BLINDVERSE_ADDRESS", None if DEPLOYED and SENDS_MAIL else "")
if not ADDRESS and not DEPLOYED:
    # Whoever listens there checks the port.
    ADDRESS = f"http://localhost:{environment.text('PORT', '8000')}"

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
# How dates are written where Django's way is another: in letters and on experts' pages.
FORMAT_MODULE_PATH = "backend.config.formats"
LOCALE_PATHS = [BASE_DIR / "frontend" / "locale"]
TIME_ZONE = "UTC"
USE_I18N = True
USE_TZ = True

STATIC_URL = "static/"
# A local Blindverse serves the files where they lie; a deployed one collects and hashes them.
STATIC_ROOT = BASE_DIR / "staticfiles" if DEPLOYED else None
STATICFILES_DIRS = [BASE_DIR / "frontend" / "static"]
WHITENOISE_USE_FINDERS = not DEPLOYED
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "backend.config.storage.StaticStorage"
        if DEPLOYED
        else "django.contrib.staticfiles.storage.StaticFilesStorage"
    },
}

# Uploads beyond these are refused with a page that says so.
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 2**20
CORPUS_FILE_LIMIT = 50 * 2**20

HTTPS = environment.flag("BLINDVERSE_HTTPS", default=DEPLOYED)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SESSION_COOKIE_AGE = 60 * 24 * 3600
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
# The health checks come from inside, without a proxy before them.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$"]
SECURE_REFERRER_POLICY = "same-origin"
CSRF_TRUSTED_ORIGINS = [f"https://{host}" for host in ALLOWED_HOSTS] if HTTPS else []
X_FRAME_OPTIONS = "DENY"
# In no session: they name experts, who may withdraw.
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"
CSRF_FAILURE_VIEW = "backend.config.views.csrf_failure"

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "font-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "EXCEPTION_HANDLER": "backend.config.errors.api_errors",
    # Of one token, in each web process: the cache is the process's own memory.
    "DEFAULT_THROTTLE_RATES": {"token": "600/min"},
    "DEFAULT_SCHEMA_CLASS": "backend.api.describing.Described",
}

SPECTACULAR_SETTINGS = {
    "TITLE": "Blindverse",
    "DESCRIPTION": "What programs of the staff can do. Each operation names its scope.",
    "VERSION": "1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "COMPONENT_SPLIT_REQUEST": True,
    "PREPROCESSING_HOOKS": ["backend.api.describing.ours_only"],
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "backend.api.describing.with_problems",
    ],
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {
            "class": "backend.config.logs.WithoutSecrets",
            "format": "%(asctime)s %(levelname)s %(name)s: %(message)s",
        }
    },
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {
        "blindverse": {"level": "INFO"},
        "django.request": {"level": "ERROR"},
        # Its debug lines print all that a page knows, experts' names among it.
        "django.template": {"level": "INFO"},
        # An ordered stop is no warning.
        "celery.worker.control": {"level": "ERROR"},
    },
}
