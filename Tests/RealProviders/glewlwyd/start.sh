# Glewlwyd, written in C, from the distribution. Sourced by ../start.
#
# It does not use the system's own instance: it gets a new database, created with the package's schema.

issuer=$BASE/api/oidc
zcat /usr/share/doc/glewlwyd/database/init.sqlite3.sql.gz | sqlite3 "$folder/glewlwyd.sqlite" >"$folder/set-up.log" 2>&1
rnbyc -j -g rsa2048 -k rs256 -a RS256 -o "$folder/keys.json" -p /dev/null -n 0 >>"$folder/set-up.log" 2>&1

# Copies, because it serves no files through links. The package has a folder at the path of the pages' configuration.
cp -rL /usr/share/glewlwyd/webapp "$folder/pages"
rm -rf "$folder/pages/config.json"
python3 "$providers_folder/glewlwyd/pages.py" /usr/share/glewlwyd/templates/config.json "$folder/pages/config.json"
sed -e "s|@PORT@|$PORT|g" -e "s|@FOLDER@|$folder|g" "$providers_folder/glewlwyd/server.conf.in" >"$folder/server.conf"

launch glewlwyd --config-file="$folder/server.conf"
await_answer "$BASE/config"
ISSUER=$issuer python3 "$providers_folder/glewlwyd/set_up.py" >>"$folder/set-up.log" 2>&1 || explain "setting it up failed"
