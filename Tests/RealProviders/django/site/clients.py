"""What the toolkit leaves to the site about clients."""

from django.apps import AppConfig
from django.db.models.signals import pre_save


class Clients(AppConfig):
    name = "clients"
    path = __file__.rpartition("/")[0]

    def ready(self):
        from oauth2_provider.models import Application

        # A client has one grant type there; ours signs in by code, and by device code as well.
        together = {Application.GRANT_AUTHORIZATION_CODE, Application.GRANT_DEVICE_CODE}

        def allows_grant_type(client, *types):
            own = client.authorization_grant_type
            return not (together if own in together else {own}).isdisjoint(types)

        Application.allows_grant_type = allows_grant_type
        pre_save.connect(give_registered_client_an_algorithm, sender=Application)


def give_registered_client_an_algorithm(sender, instance, **_):
    """The registration endpoint gives none, and then no ID token can be signed."""
    if instance.registration_source == "dcr" and not instance.algorithm:
        instance.algorithm = "RS256"
