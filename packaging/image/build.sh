#!/bin/bash
# Builds the appliance: disk image (BIOS and UEFI), qcow2, update bundle.  --help says more.
set -euo pipefail

azk_name=image/build.sh
here=$(cd "$(dirname "$0")" && pwd)
azk_source=$(cd "$here/../.." && pwd)
# shellcheck source=../lib/common.sh
. "$azk_source/packaging/lib/common.sh"
# shellcheck source=../lib/build.sh
. "$azk_source/packaging/lib/build.sh"
# shellcheck source=../lib/packages.sh
. "$azk_source/packaging/lib/packages.sh"
# shellcheck source=lib/tree.sh
. "$here/lib/tree.sh"
# shellcheck source=lib/disk.sh
. "$here/lib/disk.sh"
# shellcheck source=lib/bundle.sh
. "$here/lib/bundle.sh"

usage() {
    cat <<'END'
usage: packaging/image/build.sh [--out DIR] [--build DIR] [--version V] [--ca DIR] [--pinned FILE] [--no-compress]

  --out DIR      where everything goes                  (build/image)
  --build DIR    a build folder that holds the program  (built in build/, with the pages of the console)
  --version V    what the image calls itself            (that of CMakeLists.txt)
  --ca DIR       ca.cert.pem, sign.cert.pem, sign.key.pem: who signs updates, and whom the image believes
                 (a throw-away authority in OUT/ca; the image then takes no other updates)
  --pinned FILE  exactly these packages, as an earlier build wrote them to azekura-V.packages
  --no-compress  leaves out azekura-V.img.zst and the qcow2: enough for tests

Runs as root on Debian 12; packages come from where apt gets them on this machine.
END
}

out=$azk_source/build/image build='' version='' ca='' pinned='' compress=yes
while [ $# -gt 0 ]; do
    case $1 in
    --help) usage && exit 0 ;;
    --no-compress) compress='' && shift && continue ;;
    --out | --build | --version | --ca | --pinned) [ $# -ge 2 ] || die "$1 needs a value" 2 ;;
    *) die "unknown argument: $1 (--help lists them)" 2 ;;
    esac
    case $1 in
    --out) out=$(realpath -m -- "$2") ;;
    --build) build=$(realpath -m -- "$2") ;;
    --version) version=$2 ;;
    --ca) ca=$(realpath -m -- "$2") ;;
    --pinned) pinned=$(realpath -m -- "$2") ;;
    esac
    shift 2
done

require_debian_12
is_root || die 'making a root tree needs root'
[ -z "$pinned" ] || [ -s "$pinned" ] || die "--pinned: $pinned is missing or empty"
[ -n "$version" ] || version=$(sed -n 's/^project(azekura VERSION \([0-9.]*\).*/\1/p' "$azk_source/CMakeLists.txt")
[[ $version =~ ^[0-9A-Za-z.+~-]{1,40}$ ]] || die "--version: '$version' is not 1 to 40 of 0-9 A-Z a-z . + ~ -" 2
install_packages image
require_space "$out" 4000 'building the image'

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$azk_source" log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
azk_slot_uuid=6b1c3f0e-5d0a-4b7e-9a52-617a656b7572 # the same in each build: the same inputs, the same image

work=$out/work
name=$out/azekura-$version
install -d "$out"
exec 8>"$out/.lock"
flock -n 8 || die "another build writes to $out"
rm -rf --one-file-system "$work"
install -d "$work"

began=$SECONDS
step() { note "$(printf '%4d s  %s' $((SECONDS - began)) "$1")"; }
if [ -z "$build" ]; then
    step 'the program'
    with_build_lock build_all
    build=$azk_build
fi
if [ -z "$ca" ]; then
    ca=$out/ca
    throw_away_ca "$ca"
fi
step 'the root tree'
make_tree "$work/root"
chroot "$work/root" dpkg-query -W -f '${binary:Package}=${Version}\n' >"$name.packages"
write_manifest "$work/root" >"$name.manifest"
step 'the disk'
slot_image "$work/root" "$work/rootfs.img"
disk_image "$work/rootfs.img" "$name.img"
step 'the update'
make_bundle "$work/rootfs.img" "$name.raucb"
if [ -n "$compress" ]; then
    step 'qcow2, and the image compressed'
    qemu-img convert -O qcow2 "$name.img" "$name.qcow2"
    zstd -q -f -T2 -9 "$name.img" -o "$name.img.zst"
fi
mv "$work/mmdebstrap.log" "$out/mmdebstrap.log"
rm -rf --one-file-system "$work"
step "done: $(cd "$out" && du -h --apparent-size azekura-"$version".* | awk '{ printf "%s %s  ", $2, $1 }')"
