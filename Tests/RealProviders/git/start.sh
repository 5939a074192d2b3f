# A Git server: git's own `git http-backend` behind a small web server. Sourced by ../start.
#
# The password is an access token for which ISSUER's userinfo endpoint names a user. FOLDER/repositories/work.git is empty.

mkdir "$folder/repositories"
git init --quiet --bare --initial-branch main "$folder/repositories/work.git"
git -C "$folder/repositories/work.git" config http.receivepack true
ready=no-page
userinfo=$(userinfo_of "$ISSUER")
launch python3 "$providers_folder/git/server.py" "$PORT" "$folder/repositories" "$userinfo"
await_port "$PORT"
