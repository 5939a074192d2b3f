"""Adds the user and the clients to the site's new database."""

import os

import django

django.setup()

from django.contrib.auth import get_user_model  # noqa: E402  (only after django.setup)
from oauth2_provider.models import Application  # noqa: E402

environment = os.environ
get_user_model().objects.create_user(
    environment["PERSON"], environment["PERSON_EMAIL"], environment["PERSON_PASSWORD"],
    first_name=environment["PERSON_GIVEN_NAME"], last_name=environment["PERSON_FAMILY_NAME"],
)
# A loopback URL without a port matches any port (RFC 8252).
redirects = " ".join([*environment["REDIRECTS"].split(), "http://127.0.0.1/callback", "http://[::1]/callback"])
common = {
    "redirect_uris": redirects, "post_logout_redirect_uris": redirects, "algorithm": "RS256", "hash_client_secret": False,
    "authorization_grant_type": Application.GRANT_AUTHORIZATION_CODE,
}
Application.objects.create(client_id=environment["CLIENT"], name="Yett", client_type="public", client_secret="", **common)
Application.objects.create(
    client_id=environment["CONFIDENTIAL_CLIENT"], name="Yett, confidential", client_type="confidential",
    client_secret=environment["CONFIDENTIAL_SECRET"], **common,
)
