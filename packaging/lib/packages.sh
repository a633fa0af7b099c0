# Debian packages: which of packaging/debian-packages.txt are missing, and installing them.
# shellcheck shell=bash disable=SC2034,SC2154

is_installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# missing_packages WHEN…: one name a line.
missing_packages() {
    local when package command wanted
    while read -r when package command _; do
        case $when in '' | '#'*) continue ;; esac
        for wanted in "$@"; do
            [ "$when" = "$wanted" ] || continue
            [ "$command" != '#' ] && command -v "$command" >/dev/null && continue
            is_installed "$package" || printf '%s\n' "$package"
        done
    done <"$azk_source/packaging/debian-packages.txt"
}

# Installing the server makes a "main" cluster and starts it, unless it is told not to.  Ours is a
# private one, so this tells it, for as long as the installation takes, and only when the server is
# new here: clusters that exist are never looked at.
apt_install() {
    local dir=/etc/postgresql-common/createcluster.d file='' made=''
    if [[ " $* " == *" postgresql-15 "* ]] && ! is_installed postgresql-15; then
        file=$dir/zz-azekura-no-main-cluster.conf
        [ -d "$dir" ] || made=$dir
        as_root 'preparing PostgreSQL' mkdir -p "$dir"
        printf 'create_main_cluster = false\n' | as_root 'preparing PostgreSQL' tee "$file" >/dev/null
    fi
    local status=0
    as_root 'installing packages' env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends -o Dpkg::Use-Pty=0 "$@" || status=$?
    if [ -n "$file" ]; then
        as_root 'restoring a setting of PostgreSQL' rm -f "$file"
        [ -z "$made" ] || as_root 'restoring a setting of PostgreSQL' rmdir --ignore-fail-on-non-empty "$made"
    fi
    return $status
}

# install_packages WHEN…: all that are missing, in one go.
install_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    if ! is_root && ! command -v sudo >/dev/null; then
        die "these Debian packages are missing, and installing them needs root or sudo: ${missing[*]}"
    fi
    require_space /usr 1500 'installing packages'
    note "installing ${#missing[@]} Debian packages: ${missing[*]}"
    as_root 'reading the package lists' env DEBIAN_FRONTEND=noninteractive apt-get update -q ||
        die 'apt-get update failed: is the network up?'
    apt_install "${missing[@]}" || die 'apt-get install failed; its message is above'
}

# The collectors that azekura-bench is compared with, unpacked into build/peers and kept there: Debian's
# packages of them exclude each other, so they cannot be installed.
fetch_peers() {
    local fetch=("$azk_source/firmware/bench/targets/peers.sh" fetch --peers "$azk_build/peers") log=$azk_build/peers.log
    if ! "${fetch[@]}" >"$log" 2>&1; then
        as_root 'reading the package lists' env DEBIAN_FRONTEND=noninteractive apt-get update -q ||
            die 'apt-get update failed: is the network up?'
        "${fetch[@]}" >"$log" 2>&1 || die "the collectors to compare with cannot be fetched: $(tail -n 1 "$log")"
    fi
}
