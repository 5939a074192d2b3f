"""The user settings that the toolkit requires from a site: claims, and silent sign-in and authorization."""

from oauth2_provider.oauth2_validators import OAuth2Validator


class Claims(OAuth2Validator):
    def get_additional_claims(self):
        return {
            "name": lambda request: request.user.get_full_name(),
            "given_name": lambda request: request.user.first_name,
            "family_name": lambda request: request.user.last_name,
            "preferred_username": lambda request: request.user.username,
            "email": lambda request: request.user.email,
        }

    def validate_silent_login(self, request):
        return True

    def validate_silent_authorization(self, request):
        return True
