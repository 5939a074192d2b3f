"""Prints the configuration for one instance of Canaille, with new keys."""

import os
import secrets

import tomlkit
from joserfc.jwk import RSAKey

PORT, FOLDER = os.environ["PORT"], os.environ["FOLDER"]
LIFE = int(os.environ["ACCESS_TOKEN_SECONDS"])

settings = {
    "SECRET_KEY": secrets.token_urlsafe(32),
    "SERVER_NAME": f"127.0.0.1:{PORT}",
    "PREFERRED_URL_SCHEME": "http",
    "SESSION_COOKIE_SECURE": False,
    "SESSION_COOKIE_NAME": f"canaille_{PORT}",
    # Its refresh tokens live no longer than its access tokens.
    "OAUTH2_TOKEN_EXPIRES_IN": {"authorization_code": LIFE, "refresh_token": LIFE},
    "CANAILLE": {
        "NAME": "Canaille on loopback",
        "DATABASE": "sql",
        "LANGUAGE": "en",
        "JAVASCRIPT": False,
        "HTMX": False,
        "ENABLE_REGISTRATION": True,
        "EMAIL_CONFIRMATION": False,
        "CAPTCHA_ENABLED": False,
    },
    "CANAILLE_SQL": {"DATABASE_URI": f"sqlite:///{FOLDER}/canaille.sqlite"},
    "CANAILLE_OIDC": {
        "DYNAMIC_CLIENT_REGISTRATION_OPEN": True,
        "REQUIRE_NONCE": False,
        "TRUSTED_DOMAINS": ["127.0.0.1", "localhost"],
        "ACTIVE_JWKS": [dict(RSAKey.generate_key(2048, auto_kid=True).as_dict(private=True))],
    },
}
print(tomlkit.dumps(settings))
