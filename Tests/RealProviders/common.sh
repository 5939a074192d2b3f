# Functions and variables shared by the scripts of this folder. Other scripts source it; do not run it.
#
# YETT_TEST_CACHE   the folder for environments and prepared databases, kept between runs, outside the source tree;
# default: yett-tests in $XDG_CACHE_HOME or ~/.cache

set -euo pipefail
umask 077

providers_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cache=${YETT_TEST_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/yett-tests}

# The user who signs in and the registered clients, the same at every provider.
export PERSON=ada PERSON_PASSWORD='correct horse battery staple' PERSON_EMAIL=ada@example.org
export PERSON_GIVEN_NAME=Ada PERSON_FAMILY_NAME=Lovelace PERSON_NAME='Ada Lovelace'
export CLIENT=yett
export CONFIDENTIAL_CLIENT=yett-confidential CONFIDENTIAL_SECRET=confidential-secret-0123456789
# Most providers compare the port of redirect URLs too, so several ports are registered: not those of the services that other tests play at the
# same time.
REDIRECTS=$(for host in 127.0.0.1 '[::1]' localhost; do
    for port in 8410 8411 8412 8413 8414; do echo "http://$host:$port/callback"; done
done)
export REDIRECTS

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# missing_packages NAME…: prints the packages that are not installed.
missing_packages() {
    local name
    for name in "$@"; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || echo "$name"
    done
}

# need_packages NAME…: installs the missing packages if that is allowed, without starting a service.
need_packages() {
    local missing root
    mapfile -t missing < <(missing_packages "$@")
    [ "${#missing[@]}" -gt 0 ] || return 0
    command -v apt-get >/dev/null || fail "this is no Debian or Ubuntu; what these packages hold is missing: ${missing[*]}"
    use_root
    may_be_root || fail "these packages are missing, and only root may install them: apt-get install ${missing[*]}"
    mkdir -p "$cache"
    # One after the other: otherwise one would remove the guard below while another installs.
    (
        flock 9
        mapfile -t missing < <(missing_packages "$@")
        [ "${#missing[@]}" = 0 ] || install_packages "${missing[@]}"
    ) 9>"$cache/packages.lock"
}

# install_packages NAME…: installs packages for need_packages, with the words in `root`.
install_packages() {
    # A provider's package would start the system's own instance; this prevents it during the installation.
    local guard=/usr/sbin/policy-rc.d guarded=
    if [ ! -e $guard ]; then
        printf '#!/bin/sh\nexit 101\n' | "${root[@]}" tee $guard >/dev/null
        "${root[@]}" chmod 755 $guard
        guarded=yes
    fi
    local get=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 -o Acquire::Retries=5 -qq)
    local status=0
    (
        umask 022
        "${get[@]}" install -y --no-install-recommends "$@" ||
            { "${get[@]}" update && "${get[@]}" install -y --no-install-recommends "$@"; }
    ) </dev/null >&2 9>&- || status=$?
    [ -z "$guarded" ] || "${root[@]}" rm -f $guard
    [ $status = 0 ] || fail "apt-get could not install: $*"
}

# use_root: sets `root` to the words before a command that only root may run: none, or sudo.
use_root() {
    root=()
    [ "$(id -u)" = 0 ] || root=(sudo -n)
}

# may_be_root: whether commands with the words in `root` run.
may_be_root() { "${root[@]}" true 2>/dev/null; }

# use_mirror: sets `mirror` to the mirror of Debian: YETT_MIRROR, or the one that apt uses, or http://deb.debian.org/debian.
use_mirror() {
    need_packages mmdebstrap debian-archive-keyring curl
    mirror=${YETT_MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sed -n 1p)}
    mirror=${mirror:-http://deb.debian.org/debian}
    mirror=${mirror%/}
}

# make_root SUITE FOLDER PACKAGES [OPTION]…: makes a clean root of a release of Debian with these packages, separated by commas, from `mirror`.
# Logs into `folder`.
make_root() {
    local suite=$1 here=$2 packages=$3
    shift 3
    (
        umask 022
        mkdir -p "$(dirname "$here")"
        "${root[@]}" mmdebstrap --quiet --variant=minbase --format=directory --keyring=/usr/share/keyrings/debian-archive-keyring.gpg \
            --aptopt='Acquire::Retries "5"' --include="$packages" "$@" "$suite" "$here" "$mirror"
    ) >"$folder/$suite.log" 2>&1 || fail "no root of $suite could be made from $mirror: $(tail -n 30 "$folder/$suite.log")"
}

# in_root FOLDER [--with SOURCE TARGET] COMMAND…: runs a command with that root, in namespaces that end with it, and every process in them.
# TARGET is where SOURCE is in the root.
in_root() {
    "${root[@]}" unshare --mount --pid --fork --kill-child bash -euc '
        umask 022
        mount -t proc proc "$0/proc"
        mount --rbind /dev "$0/dev"
        if [ "$1" = --with ]; then
            mount --bind "$2" "$0$3"
            shift 3
        fi
        exec chroot "$0" "$@"' "$@" </dev/null
}

# The arguments of every build: with others, such as a terminal's colours, everything would be compiled again. The index stays: the package
# manager looks for tests in it, and without one its build of the tests ends with an error.
every_build=(--no-color-diagnostics)
# The arguments of a release build: what README.md tells people to install.
release_build=(-c release --static-swift-stdlib "${every_build[@]}")
# The arguments of a build of the tests. C is optimised: without, deriving one key from a passphrase holds one of two threads for seconds.
# Without information for a debugger, the compiler needs half the time.
tests_build=("${every_build[@]}" -Xcc -O2 -debug-info-format none)

# use_build_folder: sets `scratch` to YETT_SCRATCH, or else to a folder outside the source tree that keeps the compiled dependencies for
# the next run on this machine, and reserves it until this shell ends. Its name tells what the dependencies were compiled from, and by what.
#
# A folder whose last build did not end may hold anything, and begins from nothing. One that another run uses is left to it: the build is
# then in .build.
use_build_folder() {
    scratch=${YETT_SCRATCH:-}
    [ -z "$scratch" ] || return 0
    local key
    key=$({ grep 'exact:' Package.swift; swift --version 2>&1; uname -m; echo "${release_build[@]}"; } | sha256sum | cut -c1-16)
    mkdir -p "$cache"
    exec 8>"$cache/build-$key.lock"
    if ! flock -n 8; then
        exec 8>&-
        scratch=.build
        return 0
    fi
    scratch=$cache/build-$key
    [ -e "$scratch/complete" ] || rm -rf "$scratch"
    mkdir -p "$scratch"
    rm -f "$scratch/complete"
    kept_folder=$scratch
    # Folders of other versions, once they are old.
    find "$cache" -maxdepth 1 -name 'build-*.lock' -mtime +30 -exec sh -c '
        for lock; do flock -n "$lock" rm -rf "${lock%.lock}" "$lock"; done' sh {} +
}

# keep_build_folder: marks the folder of use_build_folder as complete.
keep_build_folder() { [ "${kept_folder:-}" != "$scratch" ] || touch "$scratch/complete"; }

# forget_own_modules: removes what was built of this package from the folder of use_build_folder, so that it is compiled from nothing, and
# from the folder of the tests' build in it.
forget_own_modules() {
    [ "${kept_folder:-}" = "$scratch" ] || return 0
    local name module place
    for place in "$scratch"/*/release "$scratch"/*/debug "$scratch"/tests/*/debug; do
        [ -d "$place" ] || continue
        # Not the products of other packages, which the manifest names too.
        grep -v '\.product(' Package.swift | grep -oE 'name: "[A-Za-z0-9-]+"' | cut -d'"' -f2 | sort -u | while read -r name; do
            module=${name//-/_}
            rm -rf "$place/$name" "$place/$name".* "$place/$name"-* "$place/$module".build "$place/$module"-* "$place/Modules/$module".*
        done
        rm -rf "$place"/yettPackage* "$place"/*.xctest
    done
    rm -rf "$scratch/plugins/outputs/yett" "$scratch/tests/plugins/outputs/yett"
}

# need_environment NAME: sets `environment` to a Python environment with the packages pinned in NAME/requirements.txt. Creates it if it is
# missing or the pins have changed.
need_environment() {
    local name=$1 pins=$providers_folder/$1/requirements.txt stamp
    environment=$cache/environments/$name
    mkdir -p "$cache/environments"
    stamp=$(python3 --version; sha256sum <"$pins")
    (
        flock 9
        [ "$(cat "$environment/.made-from" 2>/dev/null)" != "$stamp" ] || exit 0
        rm -rf "$environment"
        python3 -m venv "$environment"
        "$environment/bin/pip" install --quiet --disable-pip-version-check --no-input -r "$pins" </dev/null >&2
        echo "$stamp" >"$environment/.made-from"
    ) 9>"$cache/environments/$name.lock"
}

# launch COMMAND…: runs the provider in the background, as the leader of its own session.
launch() {
    setsid "$@" </dev/null >>"$folder/server.log" 2>&1 &
    echo $! >"$folder/pid"
}

# await WORDS COMMAND…: waits until the command succeeds; fails with the words after some minutes, or if the provider ends.
await() {
    local words=$1 tries=3000
    shift
    until "$@" 2>/dev/null; do
        kill -0 "$(cat "$folder/pid")" 2>/dev/null || explain "it ended before it answered"
        tries=$((tries - 1))
        [ $tries -gt 0 ] || explain "$words after $SECONDS seconds"
        sleep 0.1
    done
}

# await_answer URL: waits until a request to the URL succeeds.
await_answer() { await "no answer from $1" curl -fsS -m 60 -o /dev/null "$1"; }

# await_port PORT: waits until something listens on the port.
await_port() { await "nothing listens on port $1" is_open "$1"; }

is_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1"); }

# free_port: prints a random port that nothing listens on now, outside of the range from which the kernel takes ports by itself.
free_port() {
    python3 -c '
import random, socket
while True:
    port = random.randrange(10240, 32768)
    with socket.socket() as s:
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            continue
    print(port)
    break'
}

# userinfo_of ISSUER: prints the provider's userinfo endpoint.
userinfo_of() {
    curl -fsS "$1/.well-known/openid-configuration" | python3 -c 'import json, sys; print(json.load(sys.stdin)["userinfo_endpoint"])'
}

# explain WORDS: fails, and prints the last lines of the logs.
explain() {
    tail -n 25 "$folder"/*.log >&2 || true
    fail "$*"
}

# once_prepared FILE COMMAND: creates FILE in the provider's folder with COMMAND, or copies it from an earlier run with the same scripts.
# For providers whose setup is slow and does not depend on the port.
once_prepared() {
    local file=$1 command=$2 key kept
    key=$(cat "$providers_folder/common.sh" "$providers_folder/$provider"/*.* | sha256sum | cut -c1-16)
    kept=$cache/prepared/$provider-$key
    mkdir -p "$cache/prepared"
    if [ ! -f "$kept" ]; then
        "$command" >"$folder/set-up.log" 2>&1 || explain "setting it up failed"
        cp "$folder/$file" "$kept.$$"
        mv "$kept.$$" "$kept"
    else
        cp "$kept" "$folder/$file"
    fi
}
