# Dovecot with IMAP and submission, and a mail server that puts what Dovecot sends into the same mailbox. Sourced by ../start.
#
# Dovecot accepts the access tokens for which ISSUER's userinfo endpoint names an e-mail address, in XOAUTH2, OAUTHBEARER and, before
# Dovecot 2.4, as a password. It prints the address for IMAP; FOLDER/submission has the port for submission, with STARTTLS, and FOLDER/certificate.pem what a client has
# to trust. The host is localhost.

need_environment dovecot

submission=$(free_port)
relay=$(free_port)
echo "$submission" >"$folder/submission"

# Dovecot gives no user root a mailbox. Its own user may pass the folders of root.
user=(env) USER=$(id -un) GROUP=$(id -gn)
if [ "$(id -u)" = 0 ]; then
    USER=dovecot GROUP=dovecot
    user=(setpriv --reuid dovecot --regid dovecot --clear-groups --inh-caps=+dac_override --ambient-caps=+dac_override)
fi

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj '/CN=localhost' -addext subjectAltName=DNS:localhost \
    -keyout "$folder/key.pem" -out "$folder/certificate.pem" 2>"$folder/openssl.log"
userinfo=$(userinfo_of "$ISSUER")
cat >"$folder/oauth2.conf" <<END
introspection_mode = auth
introspection_url = $userinfo
username_attribute = email
END
template=dovecot.conf.in
[[ $(/usr/sbin/dovecot --version) == 2.[0-3].* ]] || template=dovecot-2.4.conf.in
sed -e "s|@FOLDER@|$folder|; s|@USER@|$USER|; s|@GROUP@|$GROUP|; s|@IMAP@|$PORT|; s|@SUBMISSION@|$submission|; s|@RELAY@|$relay|" \
    -e "s|@USERINFO@|$userinfo|" "$providers_folder/dovecot/$template" >"$folder/dovecot.conf"
mkdir -p "$folder/home" "$folder/state" "$folder/run"

launch "${user[@]}" bash -c '
    "$1/bin/aiosmtpd" -n -l 127.0.0.1:"$2" -c aiosmtpd.handlers.Mailbox "$3/mail" &
    exec /usr/sbin/dovecot -F -c "$3/dovecot.conf"' - "$environment" "$relay" "$folder"
issuer=imaps://localhost:$PORT ready=no-page
for port in $PORT $submission $relay; do await_port "$port"; done
