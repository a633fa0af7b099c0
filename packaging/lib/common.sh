# What every script here needs: messages, root rights, files.  Sourced, never run.
# Expects $azk_name (the script's name for messages) and $azk_source (the checkout).
# shellcheck shell=bash disable=SC2034,SC2154

umask 022
export LC_ALL=C.UTF-8
AZK_PG_BIN=/usr/lib/postgresql/15/bin

say() { printf '%s\n' "$*"; }
note() { printf '%s: %s\n' "$azk_name" "$*" >&2; }
die() {
    printf '%s: %s\n' "$azk_name" "$1" >&2
    exit "${2:-1}"
}

is_root() { [ "$(id -u)" = 0 ]; }

# HOME may be unset (cron, a minimal service) but npm and the default state folder need one.
azk_home() {
    local home=${HOME:-}
    [ -n "$home" ] || home=$(getent passwd "$(id -u)" | cut -d: -f6)
    [ -n "$home" ] && [ -d "$home" ] && [ -w "$home" ] || return 1
    printf '%s\n' "$home"
}

# Run a command as root, through sudo where we are not.  $1 says what for, in words for the message.
as_root() {
    local what=$1
    shift
    if is_root; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo -- "$@" || die "$what failed (as root: $*)"
    else
        die "$what needs root, and there is no sudo here; run as root: $*"
    fi
}

require_debian_12() {
    local id='' version='' name='an unknown system'
    if [ -r /etc/os-release ]; then
        # shellcheck disable=SC1091
        id=$(. /etc/os-release && printf '%s' "${ID:-}")
        version=$(. /etc/os-release && printf '%s' "${VERSION_ID:-}")
        name=$(. /etc/os-release && printf '%s' "${PRETTY_NAME:-$ID}")
    fi
    [ "$id:$version" = debian:12 ] || die "this needs Debian 12; here is $name"
}

# require_space DIR MIB WHAT: DIR or its nearest parent has that much room for us.
require_space() {
    local dir=$1 need=$2 what=$3 free
    while [ ! -d "$dir" ]; do dir=$(dirname -- "$dir"); done
    free=$(df -Pm -- "$dir" | awk 'NR == 2 { print $4 }')
    [ "$free" -ge "$need" ] || die "the disk is full: $what needs $need MiB in $dir, $free MiB are free"
}

# The digest of the names and contents of files and folders, to know whether they changed.  Paths are
# relative to the checkout; what is built is left out.
digest_of() {
    (cd "$azk_source" && find "$@" \( -name node_modules -o -name dist -o -name docs \) -prune -o -type f -print0 |
        sort -z | xargs -0 -r sha256sum | sha256sum | cut -c1-64)
}
