# Moto, an implementation of AWS's interfaces, from PyPI. Sourced by ../start.
#
# It issues credentials for every ID token and does not look at it. It checks the signatures and rights of all requests once a test has set
# /moto-api/reset-auth to 0; then it also refuses the unsigned request for credentials. Its extra [server] has services that no test needs.

need_environment moto
ready=$BASE/moto-api/
launch env -C "$folder" "$environment/bin/moto_server" -H 127.0.0.1 -p "$PORT"
