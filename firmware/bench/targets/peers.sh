#!/bin/bash
# azekura-bench peers: other collectors, unpacked into a private folder, since Debian's packages of
# syslog-ng and rsyslog exclude each other and would take the place of the system's own.
set -uo pipefail
export LC_ALL=C.UTF-8

# what is measured, and the libraries it needs that a system may be without
packages=(syslog-ng-core rsyslog rsyslog-pgsql)
libraries=(libglib2.0-0 libivykis0 libnet1 libwrap0 libpcre3 libjson-c5 libestr0 libfastjson4 liblognorm5)
programs=(usr/sbin/syslog-ng usr/sbin/rsyslogd)

usage() {
    cat <<'END'
usage: azekura-bench peers fetch [--peers DIR] [--again]
       azekura-bench peers list [--peers DIR]

fetch   downloads Debian's packages of syslog-ng and rsyslog with apt and unpacks them into DIR; nothing
        is installed, nothing of them is started. What is there already stays, unless --again is said.
list    shows what is there.

  --peers DIR   ($AZEKURA_BENCH_PEERS, else ~/.cache/azekura-bench/peers)
END
}

die() {
    printf 'azekura-bench peers: %s\n' "$1" >&2
    exit "${2:-1}"
}

missing_libraries() {
    local p
    for p in "${programs[@]}"; do
        LD_LIBRARY_PATH=$dir/usr/lib/syslog-ng:$dir/usr/lib/$(uname -m)-linux-gnu ldd "$dir/$p" 2>&1 |
            awk '/not found/ { print $1 }'
    done
}

is_whole() {
    [ -f "$dir/versions" ] && [ -x "$dir/usr/sbin/syslog-ng" ] && [ -x "$dir/usr/sbin/rsyslogd" ] &&
        [ -z "$(missing_libraries)" ]
}

# Into a folder beside, put in place when it is whole.
fetch() {
    local work out deb missing
    mkdir -p -- "$(dirname -- "$dir")" && work=$(mktemp -d "$dir.XXXXXXXX") || die "cannot write beside $dir"
    # shellcheck disable=SC2064
    trap "rm -rf -- '$work'" EXIT
    mkdir "$work/debs" "$work/root"
    # apt drops to a user that may not be able to enter the folder; there is nothing to be protected from
    out=$(cd "$work/debs" && apt-get download -q -o APT::Sandbox::User="$(id -un)" "${packages[@]}" "${libraries[@]}" 2>&1) ||
        die "the packages cannot be downloaded (with a network up, apt-get update as root makes the lists new): $(printf '%s' "$out" | tail -n 2 | tr '\n' ' ')"
    for deb in "$work"/debs/*.deb; do
        dpkg -x "$deb" "$work/root" || die "cannot unpack ${deb##*/}"
        dpkg-deb -W --showformat='${Package} ${Version}\n' "$deb" >>"$work/root/versions"
    done
    # some libraries are packed for /lib, which Debian has had as a link to /usr/lib since long
    [ ! -d "$work/root/lib" ] || { cp -a -- "$work/root/lib/." "$work/root/usr/lib/" && rm -r -- "$work/root/lib"; } ||
        die "cannot unpack into $work"
    chmod -R a+rX "$work/root"
    rm -rf -- "$dir.old"
    [ ! -e "$dir" ] || mv -T -- "$dir" "$dir.old"
    mv -T -- "$work/root" "$dir" && rm -rf -- "$dir.old" || die "cannot make $dir"
    missing=$(missing_libraries)
    [ -z "$missing" ] || die "these libraries are missing: $(printf '%s' "$missing" | tr '\n' ' ')"
}

list() {
    [ -f "$dir/versions" ] || die "there is nothing in $dir; azekura-bench peers fetch makes it"
    printf '%s\n' "$dir"
    local p
    for p in "${packages[@]}"; do sed -n "s/^$p /  $p /p" "$dir/versions"; done
}

action='' dir='' again=''
while [ $# -gt 0 ]; do
    case $1 in
    fetch | list) action=$1 ;;
    --again) again=1 ;;
    --peers)
        dir=${2:-}
        [ -n "$dir" ] || die "--peers needs a folder" 2
        shift
        ;;
    --help | -h)
        usage
        exit 0
        ;;
    *) die "unexpected argument \"$1\"; see azekura-bench peers --help" 2 ;;
    esac
    shift
done
[ -n "$action" ] || {
    usage >&2
    exit 2
}
if [ -z "$dir" ]; then
    home=${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}
    dir=${AZEKURA_BENCH_PEERS:-$home/.cache/azekura-bench/peers}
fi
case $dir in /*) ;; *) dir=$PWD/$dir ;; esac
[ "$dir" != / ] || die "--peers: / cannot be the folder" 2
case $action in
fetch)
    if [ -n "$again" ] || ! is_whole; then fetch; fi
    list
    ;;
list) list ;;
esac
