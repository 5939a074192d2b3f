"""Sets up a new Glewlwyd through its administration interface: scopes, the OpenID plugin, a user, and the clients."""

import http.cookiejar
import json
import os
import secrets
import urllib.error
import urllib.request

SCOPES = {
    "profile": "Your name",
    "email": "Your e-mail address",
    "offline_access": "Stay signed in",
}
PERSON_SCOPES = ["g_profile", "openid", *SCOPES]


class Administration:
    """The administration interface under /api, with the cookies of a signed-in user."""

    def __init__(self, base):
        self.base = base + "/api"
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        self.opener = urllib.request.build_opener(cookies)

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.base + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"},
        )
        try:
            with self.opener.open(request, timeout=120) as answer:
                text = answer.read()
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{method} {path}: {error.code} {error.read().decode()}") from None
        return json.loads(text) if text else None


def sign_in_and_change_password(admin):
    """Replaces the default password of the schema's first administrator."""
    password = secrets.token_urlsafe(18)
    admin.call("POST", "/auth/", {"username": "admin", "password": "password"})
    admin.call("PUT", "/profile/password", {"old_password": "password", "password": password})


def add_scopes(admin):
    for name, text in SCOPES.items():
        scope = {"name": name, "display_name": name, "description": text}
        scope |= {"password_required": False, "password_max_age": 0, "scheme": {}, "scheme_required": {}}
        admin.call("POST", "/scope/", scope)
    openid = admin.call("GET", "/scope/openid")
    openid.update(password_required=True, password_max_age=0)
    admin.call("PUT", "/scope/openid", openid)


def add_plugins(admin, environment):
    sign_up = {"registration": True, "set-password": "always", "scope": PERSON_SCOPES, "schemes": [], "verify-email": False}
    sign_up |= {"session-key": "G_REGISTER_SESSION", "session-duration": 3600, "email-is-username": False}
    admin.call("POST", "/mod/plugin/", {
        "module": "register", "name": "register", "display_name": "Sign-up", "parameters": sign_up,
    })
    with open(os.path.join(environment["FOLDER"], "keys.json")) as file:
        keys = file.read()
    admin.call("POST", "/mod/plugin/", {
        "module": "oidc", "name": "oidc", "display_name": "OpenID Connect",
        "parameters": openid_parameters(environment, keys),
    })


def openid_parameters(environment, keys):
    """Returns all parameters, because a missing one is refused or treated as false."""
    return {
        "iss": environment["ISSUER"], "oauth-as-iss-id": True,
        # Signing.
        "jwt-type": "rsa", "jwt-key-size": "256", "key": "", "cert": "", "jwks-uri": "", "jwks-private": keys, "default-kid": "rs256",
        "client-sign_kid-parameter": "sign_kid", "jwks-public": "", "jwks-public-uri": "", "jwks-show": True, "jwks-x5c": [],
        # Lifetimes, and single-use refresh tokens.
        "access-token-duration": int(environment["ACCESS_TOKEN_SECONDS"]), "refresh-token-duration": 1209600, "code-duration": 600,
        "refresh-token-rolling": True, "refresh-token-one-use": "always",
        "client-refresh-token-one-use-parameter": "refresh-token-one-use",
        # Flows.
        "allow-non-oidc": True, "auth-type-code-enabled": True, "auth-type-code-revoke-replayed": True,
        "auth-type-token-enabled": False, "auth-type-id-token-enabled": True, "auth-type-none-enabled": True,
        "auth-type-password-enabled": False, "auth-type-client-enabled": True, "auth-type-device-enabled": True,
        "auth-type-refresh-enabled": True, "device-authorization-expiration": 600, "device-authorization-interval": 5,
        "pkce-allowed": True, "pkce-method-plain-allowed": False, "pkce-required": False,
        "pkce-required-public-client": True, "pkce-scopes": [],
        # Claims.
        "scope": [], "additional-parameters": [], "allowed-scope": ["openid", *SCOPES],
        "claims": [{"name": "preferred_username", "user-property": "username", "type": "string", "mandatory": False,
                    "on-demand": True, "scope": ["profile"]}],
        "name-claim": "on-demand", "name-claim-scope": ["profile"],
        "email-claim": "on-demand", "email-claim-scope": ["email"],
        "scope-claim": "no", "scope-claim-scope": [],
        "address-claim": {"type": "no", "formatted": "", "street_address": "", "locality": "", "region": "", "postal_code": "",
                          "country": "", "mandatory": False},
        "subject-type": "public", "secret-type": "public",
        # Additional endpoints.
        "introspection-revocation-allowed": True, "introspection-revocation-auth-scope": [],
        "introspection-revocation-allow-target-client": True,
        "register-client-allowed": True, "register-client-auth-scope": [], "register-client-credentials-scope": [],
        "register-client-token-one-use": True, "register-client-management-allowed": True,
        "register-resource-specify-allowed": False, "register-resource-default": [], "register-default-properties": {},
        "session-management-allowed": True, "session-cookie-name": "GLEWLWYD_OIDC_SID", "session-cookie-expiration": 86400,
        "front-channel-logout-allowed": True, "back-channel-logout-allowed": True,
        # Pushed requests and proofs of possession; request objects with the default settings.
        "oauth-par-allowed": True, "oauth-par-duration": 90, "oauth-par-required": False,
        "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:",
        "oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 60, "oauth-dpop-iat-gap-duration": 5,
        "oauth-dpop-dpop_bound_access_tokens-property": "dpop_bound_access_tokens",
        "oauth-dpop-nonce-mandatory": False, "oauth-dpop-nonce-counter": 10,
        "request-parameter-allow": True, "request-uri-allow-https-non-secure": False,
        "request-parameter-allow-encrypted": True, "request-parameter-ietf-strict": False, "request-maximum-exp": 3600,
        # Unused.
        "service-documentation": "", "op-policy-uri": "", "op-tos-uri": "",
        "client-pubkey-parameter": "", "client-jwks-parameter": "jwks", "client-jwks_uri-parameter": "jwks_uri",
        "encrypt-out-token-allow": False, "client-enc-parameter": "enc", "client-alg-parameter": "alg",
        "client-alg_kid-parameter": "alg_kid", "client-cert-source": "", "client-cert-use-endpoint-aliases": False,
        "client-cert-self-signed-allowed": False, "resource-allowed": False, "resource-scope": {},
        "resource-client-property": "", "resource-scope-and-client-property": False, "oauth-rar-allowed": False,
        "rar-types-client-property": "authorization_details_types", "rar-allow-auth-unsigned": False,
        "rar-allow-auth-unencrypted": True, "rar-types": {}, "prompt-continue-client-property": "",
        "restrict-scope-client-property": "", "oauth-ciba-allowed": False, "oauth-fapi-check-all": False,
        "oauth-fapi-allow-jarm": False,
    }


def add_person(admin, environment):
    admin.call("POST", "/user/", {
        "username": environment["PERSON"], "password": environment["PERSON_PASSWORD"], "name": environment["PERSON_NAME"],
        "email": environment["PERSON_EMAIL"], "enabled": True, "scope": PERSON_SCOPES,
    })


def add_clients(admin, environment):
    # The plugin reads a list of post-logout URLs, but the client database has no such field by default.
    clients = admin.call("GET", "/mod/client/database")
    form = clients["parameters"]["data-format"]
    form["post_logout_redirect_uris"] = {"multiple": True, "read": True, "write": True}
    form["dpop_bound_access_tokens"] = {"multiple": False, "read": True, "write": True}
    admin.call("PUT", "/mod/client/database", clients)
    admin.call("PUT", "/mod/client/database/reset")

    redirects = environment["REDIRECTS"].split()
    common = {
        "enabled": True, "redirect_uri": redirects, "post_logout_redirect_uris": redirects, "scope": [],
        "authorization_type": ["code", "refresh_token", "device_authorization", "delete_token"],
    }
    admin.call("POST", "/client/", {
        "client_id": environment["CLIENT"], "name": "Yett", "confidential": False, "token_endpoint_auth_method": ["none"], **common,
    })
    admin.call("POST", "/client/", {
        "client_id": environment["CONFIDENTIAL_CLIENT"], "name": "Yett, confidential", "confidential": True,
        "client_secret": environment["CONFIDENTIAL_SECRET"],
        "token_endpoint_auth_method": ["client_secret_basic", "client_secret_post"], **common,
    })


def main():
    admin = Administration(os.environ["BASE"])
    sign_in_and_change_password(admin)
    add_scopes(admin)
    add_plugins(admin, os.environ)
    add_person(admin, os.environ)
    add_clients(admin, os.environ)


if __name__ == "__main__":
    main()
