"""AWS IAM Identity Center, as botocore uses it. Each command prints one JSON document per line.

wire ORIGIN                 signs in at the emulator, and calls each operation of sso-oidc and sso through botocore
check ORIGIN <DOCUMENT      prints whether the emulator accepts the credentials that `aws configure export-credentials` printed
end ORIGIN <TOKEN           ends the session of a token, as a sign-out elsewhere does
together COUNT PROFILE…     resolves the credentials of profiles in COUNT threads at once; prints the access keys
job COUNT                   resolves the credentials of this environment until COUNT access keys were seen; prints each
"""

import json
import os
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from datetime import datetime, timedelta, timezone

import botocore.exceptions
from botocore.config import Config
from botocore.credentials import SSOCredentialFetcher
from botocore.session import Session
from botocore.tokens import SSOTokenProvider, _sso_json_dumps
from botocore.utils import JSONFileCache

REGION = "eu-central-1"
DEVICE = "urn:ietf:params:oauth:grant-type:device_code"


def show(**members):
    print(json.dumps(members), flush=True)


def get(url):
    with urllib.request.urlopen(url, timeout=120) as answer:
        return answer.read()


def change(origin, **settings):
    request = urllib.request.Request(origin + "/__set", json.dumps(settings).encode(), {"Content-Type": "application/json"})
    urllib.request.urlopen(request, timeout=120).close()


def refused(call, **parameters):
    """Returns the name in the service model, the code and the HTTP status of a refusal."""
    try:
        call(**parameters)
    except botocore.exceptions.ClientError as error:
        response = error.response
        return [type(error).__name__, response["Error"]["Code"], response["ResponseMetadata"]["HTTPStatusCode"]]
    raise SystemExit(f"{parameters} was not refused")


def wire(origin):
    os.environ.update(AWS_ENDPOINT_URL_SSO=origin, AWS_ENDPOINT_URL_SSO_OIDC=origin)
    start = origin + "/start"
    configuration = tempfile.NamedTemporaryFile("w", suffix=".ini")
    configuration.write(
        f"[profile p]\nsso_session = s\nsso_account_id = 000000000001\nsso_role_name = ReadOnlyAccess\n"
        f"[sso-session s]\nsso_start_url = {start}\nsso_region = {REGION}\n")
    configuration.flush()
    os.environ.update(AWS_CONFIG_FILE=configuration.name, AWS_PROFILE="p")
    session = Session()
    settings = Config(region_name=REGION, signature_version=botocore.UNSIGNED, retries={"total_max_attempts": 1})
    oidc = session.create_client("sso-oidc", config=settings)
    portal = session.create_client("sso", config=settings)

    client = oidc.register_client(clientName="test", clientType="public", scopes=["sso:account:access"])
    identity = {"clientId": client["clientId"], "clientSecret": client["clientSecret"]}
    device = oidc.start_device_authorization(**identity, startUrl=start)
    polled = {**identity, "grantType": DEVICE, "deviceCode": device["deviceCode"]}
    errors = {
        "pending": refused(oidc.create_token, **polled),
        "client": refused(oidc.create_token, **{**polled, "clientSecret": "other"}),
        "device": refused(oidc.create_token, **{**polled, "deviceCode": "other"}),
        "grant": refused(oidc.create_token, **identity, grantType="password"),
        "refresh": refused(oidc.create_token, **identity, grantType="refresh_token", refreshToken="other"),
    }
    change(origin, slow_downs=1)
    errors["slow"] = refused(oidc.create_token, **polled)
    get(device["verificationUriComplete"])
    token = oidc.create_token(**polled)

    # What the command line keeps, so near its end that the provider of botocore renews it.
    cache = JSONFileCache(tempfile.mkdtemp(), dumps_func=_sso_json_dumps)
    now = datetime.now(timezone.utc)
    provider = SSOTokenProvider(session, cache=cache, profile_name="p")
    provider._token_loader.save_token(
        start,
        {
            "startUrl": start, "region": REGION, "accessToken": token["accessToken"],
            "expiresAt": (now + timedelta(seconds=60)).strftime("%Y-%m-%dT%H:%M:%SZ"), "refreshToken": token["refreshToken"], **identity,
            "registrationExpiresAt": datetime.fromtimestamp(client["clientSecretExpiresAt"], timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        },
        session_name="s")
    renewed = provider.load_token().get_frozen_token()
    fetcher = SSOCredentialFetcher(
        start, REGION, "ReadOnlyAccess", "000000000001", session.create_client, token_provider=provider, cache={}, sso_session_name="s")
    credentials = fetcher.fetch_credentials()

    access = {"accessToken": renewed.token}
    accounts = list(portal.get_paginator("list_accounts").paginate(**access, PaginationConfig={"PageSize": 2}).search("accountList[]"))
    roles = list(
        portal.get_paginator("list_account_roles").paginate(**access, accountId="000000000002").search("roleList[].roleName"))
    wanted = {**access, "accountId": "000000000001", "roleName": "ReadOnlyAccess"}
    errors["token"] = refused(portal.get_role_credentials, **{**wanted, "accessToken": "other"})
    errors["role"] = refused(portal.get_role_credentials, **{**wanted, "roleName": "Other"})
    errors["account"] = refused(portal.list_account_roles, **access, accountId="999999999999")
    errors["page"] = refused(portal.list_accounts, **access, maxResults=101)
    change(origin, throttles=1)
    errors["throttle"] = refused(portal.list_accounts, **access)
    portal.logout(**access)
    errors["signed_out"] = refused(portal.list_accounts, **access)
    show(
        renewed=renewed.token != token["accessToken"], token_type=token["tokenType"], key=credentials["access_key"][:4],
        complete=all(credentials[name] for name in ("secret_key", "token", "expiry_time")),
        accounts=[[entry["accountId"], entry["accountName"]] for entry in accounts], roles=roles, errors=errors)


def check(origin):
    given = json.load(sys.stdin)
    session = {"sessionId": given["AccessKeyId"], "sessionKey": given["SecretAccessKey"], "sessionToken": given["SessionToken"]}
    query = urllib.parse.urlencode({"Action": "getSigninToken", "Session": json.dumps(session)})
    show(key=given["AccessKeyId"], accepted=bool(json.loads(get(f"{origin}/federation?{query}"))["SigninToken"]))


def end(origin):
    os.environ.update(AWS_ENDPOINT_URL_SSO=origin)
    settings = Config(region_name=REGION, signature_version=botocore.UNSIGNED)
    Session().create_client("sso", config=settings).logout(accessToken=sys.stdin.read().strip())


def together(count, *profiles):
    sessions = [(name, Session(profile=name)) for name in profiles for _ in range(int(count) // len(profiles))]
    barrier = threading.Barrier(len(sessions))
    keys = {name: [] for name in profiles}

    def resolve(name, session):
        barrier.wait()
        keys[name].append(session.get_credentials().get_frozen_credentials().access_key)

    threads = [threading.Thread(target=resolve, args=entry) for entry in sessions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    show(callers=sum(len(found) for found in keys.values()), keys={name: sorted(set(found)) for name, found in keys.items()})


def job(count):
    credentials = Session().get_credentials()
    seen = []
    while len(seen) < int(count):
        key = credentials.get_frozen_credentials().access_key
        if key not in seen:
            seen.append(key)
            show(method=credentials.method, key=key)
        # The work of the job.
        time.sleep(0.05)


if __name__ == "__main__":
    {"wire": wire, "check": check, "end": end, "together": together, "job": job}[sys.argv[1]](*sys.argv[2:])
