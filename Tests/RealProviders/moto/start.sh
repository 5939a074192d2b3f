# Moto, an implementation of AWS's interfaces, from PyPI. Sourced by ../start.
#
# It accepts every ID token, but only its own credentials have a caller.

need_environment moto
ready=$BASE/moto-api/
launch env -C "$folder" "$environment/bin/moto_server" -H 127.0.0.1 -p "$PORT"
