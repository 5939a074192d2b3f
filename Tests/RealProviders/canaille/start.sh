# Canaille, written in Python with Authlib, from PyPI. Sourced by ../start.
#
# If the same client and user request two access tokens in the same second, they are identical to Canaille, and it returns an error.

need_environment canaille
export CANAILLE_CONFIG=$folder/canaille.toml
"$environment/bin/python" "$providers_folder/canaille/settings.py" >"$CANAILLE_CONFIG"

tool() {
    (cd "$folder" && "$environment/bin/canaille" "$@")
}

set_up() {
    local redirects=() url scope scopes=()
    for url in $REDIRECTS; do redirects+=(--redirect-uris "$url" --post-logout-redirect-uris "$url"); done
    for scope in openid profile email offline_access; do scopes+=(--scope "$scope"); done
    tool install
    tool create user --user-name "$PERSON" --password "$PERSON_PASSWORD" --emails "$PERSON_EMAIL" --given-name "$PERSON_GIVEN_NAME" \
        --family-name "$PERSON_FAMILY_NAME" --formatted-name "$PERSON_NAME" --display-name "$PERSON"
    # Without an algorithm it signs ID tokens with RS512, and without an audience they have none.
    local common=(--client-id-issued-at 2026-01-01T00:00:00+00:00 --response-types code --grant-types authorization_code
        --grant-types refresh_token --id-token-signed-response-alg RS256 "${scopes[@]}" "${redirects[@]}")
    tool create client --client-id "$CLIENT" --client-name Yett --application-type native --token-endpoint-auth-method none "${common[@]}"
    tool set client "$CLIENT" --audience "$CLIENT"
    tool create client --client-id "$CONFIDENTIAL_CLIENT" --client-secret "$CONFIDENTIAL_SECRET" --client-name 'Yett, confidential' \
        --token-endpoint-auth-method client_secret_basic "${common[@]}"
    tool set client "$CONFIDENTIAL_CLIENT" --audience "$CONFIDENTIAL_CLIENT"
}

once_prepared canaille.sqlite set_up
launch env -C "$folder" "$environment/bin/canaille" run --bind "127.0.0.1:$PORT" --workers 1
