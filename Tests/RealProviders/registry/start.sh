# The registry of container images that most others are built on (Debian's docker-registry), with a token server. Sourced by ../start.
#
# Clients exchange an access token of ISSUER, which they send as a password, for the registry's own token at the token server.

need_environment registry
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=tokens -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2>/dev/null
ready=$BASE/
launch env -C "$folder" PYTHONUNBUFFERED=1 "$environment/bin/python" "$providers_folder/registry/server.py"
