# The root tree: Debian's packages, the program, rootfs/, and what only an image has (root/).
# shellcheck shell=bash disable=SC2154

azk_root_hook=$here/lib/tree-finish.sh

# Users have numbers of their own, the same in each image: files on the data partition belong to numbers.
azk_users='postgres:980 azekura-receiver:981 azekura-keeper:982 azekura-web:983'

included_packages() {
    if [ -n "$pinned" ]; then
        grep -v '^#' "$pinned"
    else
        sed -n 's/^\([a-z0-9.+-]*\) #.*/\1/p' "$here/include.txt"
    fi
}

# The system's own sources of packages, as apt is configured here.
apt_sources() {
    local f
    for f in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
        if [ -s "$f" ] && grep -qE '^(deb |URIs:)' "$f"; then
            printf '%s\n' "$f"
            return 0
        fi
    done
    die 'apt has no source of Debian packages: /etc/apt/sources.list.d/debian.sources and /etc/apt/sources.list are missing or empty'
}

# install_tree DIR: the program and the overlays in their places below DIR.
install_tree() {
    local root=$1 build=$2 f
    install -d -m 755 "$root"
    cp -r --preserve=mode "$here/root/." "$root/"
    cp -r --preserve=mode "$azk_source/rootfs/." "$root/"
    install -d -m 755 "$root/usr/bin" "$root/usr/lib/postgresql/15/lib" "$root/usr/share/postgresql/15/extension" "$root/usr/share/azekura"
    for f in azekura azekura-receiver azekura-keeper azekura-web azekura-bench azekura-helper; do
        [ -x "$build/bin/$f" ] || { [ "$f" = azekura-helper ] && continue || die "$build/bin/$f is missing; build it first"; }
        install -m 755 "$build/bin/$f" "$root/usr/bin/$f"
        strip --strip-unneeded "$root/usr/bin/$f"
    done
    install -m 644 "$build/pgext/azekura.so" "$root/usr/lib/postgresql/15/lib/azekura.so"
    strip --strip-unneeded "$root/usr/lib/postgresql/15/lib/azekura.so"
    install -m 644 "$azk_source"/sql/extension/azekura* "$root/usr/share/postgresql/15/extension/"
    cp -r "$azk_source/sql/migrations" "$root/usr/share/azekura/migrations"
    [ -f "$azk_source/webui/dist/index.html" ] || die "webui/dist is missing; build it first"
    cp -r "$azk_source/webui/dist" "$root/usr/share/azekura/webui"
    chmod -R go-w,a+rX "$root"
    # a unit of rootfs/ stands for the image's of the same name
    for f in "$root"/usr/lib/systemd/system/*; do
        [ ! -e "$root/etc/systemd/system/${f##*/}" ] || rm -r "$root/etc/systemd/system/${f##*/}"
    done
}

make_tree() {
    local root=$1 overlay=$work/overlay log=$work/mmdebstrap.log users='' u
    install_tree "$overlay" "$build"
    for u in $azk_users; do
        users+="echo '${u%:*}:x:${u#*:}:${u#*:}::$([ "${u%:*}" = postgres ] && echo /var/lib/postgresql || echo /nonexistent):$([ "${u%:*}" = postgres ] && echo /bin/bash || echo /usr/sbin/nologin)' >>\"\$1/etc/passwd\"; echo '${u%:*}:x:${u#*:}:' >>\"\$1/etc/group\"; echo '${u%:*}:!:19000::::::' >>\"\$1/etc/shadow\"; "
    done
    printf '%s\n' 'set -eu' "$users" >"$work/users.sh"
    AZK_OVERLAY=$overlay AZK_VERSION=$version AZK_CA=$ca/ca.cert.pem \
        unshare -m --propagation private mmdebstrap --mode=root --variant=minbase --format=directory \
        --dpkgopt="$here/trim.dpkg" --aptopt='Apt::Install-Recommends "false"' \
        --include="$(included_packages | paste -sd,)" \
        --essential-hook='mkdir -p "$1/etc/postgresql-common/createcluster.d" "$1/etc/initramfs-tools/conf.d" && echo "create_main_cluster = false" >"$1/etc/postgresql-common/createcluster.d/azekura.conf"' \
        --essential-hook="cp -r '$here/root/etc/initramfs-tools' \"\$1/etc/\"" \
        --essential-hook="sh '$work/users.sh' \"\$1\"" \
        --customize-hook="'$azk_root_hook' \"\$1\"" \
        bookworm "$root" "$(apt_sources)" >"$log" 2>&1 || {
        tail -n 30 "$log" >&2
        die "the root tree cannot be made (all of it: $log)"
    }
}

# What the tree is, in a file: two builds of the same inputs have the same.
write_manifest() {
    (cd "$1" && {
        find . -type f -print0 | sort -z | xargs -0 sha256sum
        find . \( -type f -printf '%p %m %U:%G\n' -o -type l -printf '%p -> %l\n' -o -printf '%p %m %U:%G %y\n' \) | sort
    })
}
