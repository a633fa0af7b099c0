# Other collectors, as `azekura-bench peers fetch` unpacked them, or as this system has them installed.
# shellcheck shell=bash disable=SC2034,SC2154

# find_peer NAME FILE…: sets $root, the folder above usr/ that holds every FILE, and what its programs
# need to find their libraries.  Where an unprivileged user cannot go there, a copy.
find_peer() {
    local name=$1 candidate f home is_whole
    shift
    home=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
    root=
    for candidate in "${AZEKURA_BENCH_PEERS:-$home/.cache/azekura-bench/peers}" ''; do
        is_whole=1
        for f in "$@"; do [ -e "$candidate/$f" ] || is_whole=; done
        if [ "$is_whole" ]; then
            root=$candidate
            break
        fi
        [ -n "$candidate" ] || fail "$name is not here: azekura-bench peers fetch unpacks it into a private folder, or install it"
    done
    if [ -n "$root" ] && ! as_user test -r "$root/$1"; then
        mkdir "$data/peer" && cp -r -- "$root/usr" "$data/peer/" || fail "cannot copy $root to $data"
        [ ! -d "$root/etc" ] || cp -r -- "$root/etc" "$data/peer/"
        chmod -R a+rX -- "$data/peer"
        root=$data/peer
    fi
    libraries=$root/usr/lib/syslog-ng:$root/usr/lib/$(uname -m)-linux-gnu
}
