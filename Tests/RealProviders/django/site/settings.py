"""A Django site that is only an OpenID provider, for ../start.sh."""

import os
import pathlib
import secrets

FOLDER = pathlib.Path(os.environ["FOLDER"])
PORT, BASE = os.environ["PORT"], os.environ["BASE"]

SECRET_KEY = secrets.token_urlsafe(48)  # one worker, so it is not shared
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
USE_TZ = True
ROOT_URLCONF = "urls"
STATIC_URL = "/static/"
LOGIN_URL = "/login/"
SESSION_COOKIE_NAME = f"site_{PORT}"
CSRF_COOKIE_NAME = f"site_csrf_{PORT}"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
AUTH_PASSWORD_VALIDATORS = []
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "oauth2_provider",
    "clients.Clients",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [pathlib.Path(__file__).parent / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": FOLDER / "django.sqlite",
        # Write transactions lock at their start; otherwise two that begin with a read would both fail.
        "OPTIONS": {"timeout": 20, "transaction_mode": "IMMEDIATE"},
    }
}
OAUTH2_PROVIDER = {
    "SCOPES": {
        "openid": "Know who you are",
        "profile": "Your name",
        "email": "Your e-mail address",
        "offline_access": "Stay signed in",
    },
    "DEFAULT_SCOPES": ["openid", "profile", "email"],
    "OIDC_ENABLED": True,
    "OIDC_ISS_ENDPOINT": BASE,
    "OIDC_RSA_PRIVATE_KEY": (FOLDER / "key.pem").read_text(),
    "OAUTH2_VALIDATOR_CLASS": "claims.Claims",
    "PKCE_REQUIRED": True,
    "REQUEST_APPROVAL_PROMPT": "auto",
    "ACCESS_TOKEN_EXPIRE_SECONDS": int(os.environ["ACCESS_TOKEN_SECONDS"]),
    "REFRESH_TOKEN_EXPIRE_SECONDS": 1209600,
    "ROTATE_REFRESH_TOKEN": True,
    "REFRESH_TOKEN_GRACE_PERIOD_SECONDS": 0,
    "REFRESH_TOKEN_REUSE_PROTECTION": True,
    # RFC 9700, including `iss` of RFC 9207.
    "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
    "COMPLIANT_BCP_RFC9700_PKCE_METHOD": True,
    "COMPLIANT_BCP_RFC9700_IMPLICIT_GRANT": True,
    "COMPLIANT_BCP_RFC9700_PASSWORD_GRANT": True,
    "COMPLIANT_BCP_RFC9700_ACCESS_TOKEN_TRANSPORT": True,
    "OAUTH_DEVICE_VERIFICATION_URI": f"{BASE}/device/",
    "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda code: f"{BASE}/device/?user_code={code}",
    "DEVICE_FLOW_INTERVAL": 5,
    "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
    "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": True,
    "OIDC_RP_INITIATED_LOGOUT_STRICT_REDIRECT_URIS": False,
    "OIDC_RP_INITIATED_REGISTRATION_ENABLED": True,
    "OIDC_RP_INITIATED_REGISTRATION_URL": "/signup/",
    "DCR_ENABLED": True,
    "DCR_REGISTRATION_PERMISSION_CLASSES": ("oauth2_provider.dcr.AllowAllDCRPermission",),
    "ALLOWED_SCHEMES": ["http", "https"],
}
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"errors": {"class": "logging.StreamHandler"}},
    "root": {"handlers": ["errors"], "level": "INFO"},
}
