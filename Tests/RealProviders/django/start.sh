# Django OAuth Toolkit, written in Python with oauthlib, from PyPI, in a minimal site. Sourced by ../start.
#
# oauthlib is pinned to version 3: with version 4 the toolkit's device endpoint fails.

need_environment django
export DJANGO_SETTINGS_MODULE=settings PYTHONPATH=$providers_folder/django/site PYTHONDONTWRITEBYTECODE=1
# Without this the toolkit refuses plain http.
export OAUTHLIB_INSECURE_TRANSPORT=1
openssl genrsa -out "$folder/key.pem" 2048 2>/dev/null

set_up() {
    "$environment/bin/python" -m django migrate --noinput
    "$environment/bin/python" "$providers_folder/django/set_up.py"
}

once_prepared django.sqlite set_up
launch "$environment/bin/gunicorn" --bind "127.0.0.1:$PORT" --workers 1 --threads 4 --no-control-socket --chdir "$folder" wsgi
