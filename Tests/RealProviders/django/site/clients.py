"""The client settings that the toolkit requires from a site."""

from django.apps import AppConfig
from django.db.models.signals import pre_save


class Clients(AppConfig):
    name = "clients"
    path = __file__.rpartition("/")[0]

    def ready(self):
        from oauth2_provider.models import Application

        # A client has only one grant type in the toolkit; our client uses the code and the device code grant.
        together = {Application.GRANT_AUTHORIZATION_CODE, Application.GRANT_DEVICE_CODE}

        def allows_grant_type(client, *types):
            own = client.authorization_grant_type
            return not (together if own in together else {own}).isdisjoint(types)

        Application.allows_grant_type = allows_grant_type
        pre_save.connect(give_registered_client_an_algorithm, sender=Application)


def give_registered_client_an_algorithm(sender, instance, **_):
    """Sets the algorithm that the registration endpoint leaves empty, because without it no ID token can be signed."""
    if instance.registration_source == "dcr" and not instance.algorithm:
        instance.algorithm = "RS256"
