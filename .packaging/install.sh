#!/bin/sh
# install.sh [--version VERSION] [--prefix FOLDER] [--remove]: downloads Yett for this machine, checks it, and installs it for this user, without
# root. Running it again updates; --remove removes all that it installed. Your sessions and your configuration stay in every case.
#
#   curl -fsSL ADDRESS/latest/download/install.sh | sh
#   curl -fsSL ADDRESS/latest/download/install.sh | sh -s -- --remove
#
# YETT_DOWNLOADS   the ADDRESS that the releases are below
#
# The checksums come from the same address as the archive: they find a damaged download, not a forged release.
set -eu

fail() {
    echo "install.sh: $1" >&2
    [ -z "${2-}" ] || echo "install.sh: hint: $2" >&2
    exit 1
}

# fetch ADDRESS FILE: downloads over TLS, or from this machine.
fetch() {
    if command -v curl >/dev/null; then
        curl -fsSL --proto "$protocols" --retry 2 --max-time 600 -o "$2" "$1"
    elif wget --version 2>/dev/null | grep -q '^GNU Wget'; then
        # Wget follows a redirect from https to http. A proxy for http that is not there refuses it.
        if [ "$protocols" = =https ]; then
            wget -q --tries=3 -e use_proxy=on -e no_proxy= -e http_proxy=http://127.0.0.1:9 -O "$2" "$1"
        else
            wget -q --tries=3 -O "$2" "$1"
        fi
    else
        fail "neither curl nor GNU Wget is installed" "install curl with your system's package manager"
    fi || fail "$1 could not be downloaded" "check the address and your connection, then run the command again"
}

# Removes the files of the list that the new version does not have; all of them without a new version.
remove_former() {
    [ -e "$list" ] || return 0
    while read -r file; do
        # Only what an archive can have: the list is the user's own file.
        case $file in
        /* | ../* | */../* | */.. | */) continue ;;
        bin/* | lib/* | libexec/* | share/*) ;;
        *) continue ;;
        esac
        [ -n "${1-}" ] && [ -e "$1/$file" ] || rm -f "$prefix/$file"
    done <"$list"
}

# All of it is read before any of it runs: a download that breaks off does nothing.
main() {
    version=latest
    prefix=${HOME:?}/.local
    action=install
    downloads=${YETT_DOWNLOADS:-@DOWNLOADS@}
    while [ $# -gt 0 ]; do
        case $1 in
        --version | --prefix)
            [ $# -gt 1 ] || fail "$1 needs a value"
            [ "$1" = --version ] && version=${2#v} || prefix=${2%/}
            shift
            ;;
        --remove) action=remove ;;
        *) fail "unknown option '$1'" "use: install.sh [--version VERSION] [--prefix FOLDER] [--remove]" ;;
        esac
        shift
    done
    case $prefix in /*) ;; *) fail "the prefix must begin with /" ;; esac
    case $version in *[!0-9A-Za-z.+~-]*) fail "'$version' is not a version" ;; esac
    list=$prefix/libexec/yett/files
    umask 022
    # What is below the prefix is run and removed, so no other user may have put it there.
    for part in "" /bin /lib /libexec /libexec/yett /share; do
        [ -z "$part" ] || [ ! -L "$prefix$part" ] || fail "$prefix$part is a link" "choose another folder with --prefix FOLDER"
        [ -z "$(find -H "$prefix$part" -prune \( ! -user 0 ! -user "$(id -u)" -o -perm -0002 \) 2>/dev/null)" ] ||
            fail "$prefix$part belongs to another user, or all users may change it" "choose another folder with --prefix FOLDER"
    done

    if [ $action = remove ]; then
        [ -e "$list" ] || fail "no Yett of this script is in $prefix" "name its folder with --prefix FOLDER"
        # A running agent would go on with the keys of the store.
        "$prefix/bin/yett" agent stop >/dev/null 2>&1 || true
        remove_former
        created=$(grep -E '^(bin|lib|libexec|share)/.*$' "$list" | grep '/$' | grep -vE '(^|/)\.\.(/|$)' | sort -r) || created=
        rm -f "$list"
        while read -r created; do [ -z "$created" ] || rmdir "$prefix/$created" 2>/dev/null || true; done <<FOLDERS
$created
FOLDERS
        echo "yett is removed from $prefix. Your sessions are still in your home."
        return
    fi

    [ "$(id -u)" != 0 ] || [ "$prefix" != "$HOME/.local" ] || echo "install.sh: note: this installs Yett for root alone" >&2
    [ "$(uname -s)" = Linux ] || fail "Yett runs on Linux; this is $(uname -s)"
    case $(uname -m) in
    x86_64 | amd64) arch=amd64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) fail "there is no Yett for the processor $(uname -m)" ;;
    esac
    case $downloads in
    https://*) protocols='=https' ;;
    http://127.0.0.1:* | http://localhost:*) protocols='=http' ;;
    @*) fail "this copy does not know where releases are" "set YETT_DOWNLOADS to the address that they are below" ;;
    *) fail "the address of the releases must begin with https://: $downloads" ;;
    esac
    for tool in tar gzip sha256sum; do command -v $tool >/dev/null || fail "$tool is missing" "install it with your system's package manager"; done

    folder=$(mktemp -d)
    trap 'rm -rf "$folder"' EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    [ "$version" = latest ] && from=$downloads/latest/download || from=$downloads/download/v$version
    fetch "$from/SHA256SUMS" "$folder/SHA256SUMS"
    line=$(grep -E "^[0-9a-f]{64}  yett-[0-9A-Za-z.+~-]+-linux-$arch\.tar\.gz$" "$folder/SHA256SUMS" | head -n 1) || true
    [ -n "$line" ] || fail "the release at $from has no archive for $arch"
    name=${line#*  }
    fetch "$from/$name" "$folder/$name"
    (cd "$folder" && echo "$line" | sha256sum -c - >/dev/null 2>&1) || fail "$name is damaged: its checksum is not the one in SHA256SUMS" "run the command again"
    tar -xzf "$folder/$name" -C "$folder" --no-same-owner
    archive=$folder/${name%.tar.gz}
    # Before anything is changed: the system may be too old, or lack a library.
    new=$("$archive/libexec/yett/yett-main" --version 2>"$folder/errors") || {
        reason=$(head -n 1 "$folder/errors" | sed 's|^[^:]*yett-main: ||')
        hint="it needs the C library of Debian 12, Ubuntu 22.04 or later"
        case $reason in
        *'cannot open shared object'*)
            hint="install its package: libstdc++6, libgcc-s1 (Debian, Ubuntu), or libstdc++, libgcc (Fedora)"
            ;;
        esac
        fail "Yett does not run here: $reason" "$hint"
    }
    old=$("$prefix/bin/yett" --version 2>/dev/null) || old=
    # The folders that are made here, and removed with the files if they are empty then.
    (cd "$archive" && find bin libexec share -type d) | while read -r part; do
        [ -d "$prefix/$part" ] || echo "$part/"
    done >"$folder/created"
    [ ! -e "$list" ] || grep '/$' "$list" >>"$folder/created" || true
    mkdir -p "$prefix"
    "$archive/install" --prefix "$prefix" >"$folder/output" || fail "$(cat "$folder/output")"
    remove_former "$archive"
    { (cd "$archive" && find bin libexec share -type f) | sort && sort -u "$folder/created"; } >"$folder/files"
    mv -f "$folder/files" "$list"

    sed 1d "$folder/output"
    if [ -z "$old" ]; then echo "yett $new is installed in $prefix."; else echo "yett $new is installed in $prefix; before it was $old."; fi
    case :${PATH-}: in
    *:"$prefix/bin":*) ;;
    *) echo "Add it to your PATH, in ~/.profile or your shell's own file: export PATH=\"$prefix/bin:\$PATH\"" ;;
    esac
    echo "Try it with: yett demo. Completion for your shell: yett completions --help."
}

main "$@"
