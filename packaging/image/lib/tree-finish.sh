#!/bin/bash
# tree-finish.sh ROOT: run by mmdebstrap when all packages are in: our files, units, and away with what differs
# between builds or must not be the same in two boxes.  AZK_OVERLAY, AZK_VERSION, AZK_CA come from build.sh.
set -euo pipefail
root=$1

cp -r --no-preserve=ownership --preserve=mode "$AZK_OVERLAY/." "$root/"
install -D -m 644 "$AZK_CA" "$root/etc/rauc/ca.cert.pem"
printf 'azekura\n' >"$root/etc/hostname"
printf '127.0.0.1 localhost\n::1 localhost\n127.0.1.1 azekura\n' >"$root/etc/hosts"
printf '%s\n' "$AZK_VERSION" >"$root/usr/share/azekura/version"
install -d -m 755 "$root/data" "$root/boot/efi" "$root/var/lib/azekura" "$root/var/log/journal"
rm -f "$root/etc/nginx/sites-enabled/default"
chroot "$root" systemd-sysusers
for unit in systemd-networkd systemd-resolved nftables nginx ssh postgresql azekura-firstboot azekura-health \
    azekura-database azekura-receiver azekura-keeper azekura-web; do
    chroot "$root" systemctl -q enable "$unit.service"
done
for unit in "$root"/usr/lib/systemd/system/azekura-*.{service,socket} "$root"/usr/lib/systemd/system/azekura.target; do
    [ ! -f "$unit" ] || ! grep -q '^\[Install\]' "$unit" || chroot "$root" systemctl -q enable "${unit##*/}"
done
# no timers of a machine that is maintained by apt; slots are marked by azekura-health alone
chroot "$root" systemctl -q mask apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer \
    e2scrub_reap.service fstrim.timer getty@tty1.service serial-getty@ttyS0.service rauc-mark-good.service \
    systemd-networkd-wait-online.service
chroot "$root" systemctl -q set-default graphical.target
chroot "$root" passwd -q -l root
chroot "$root" update-initramfs -u -k all
ln -sf "$(cd "$root/boot" && ls vmlinuz-*)" "$root/boot/vmlinuz"
ln -sf "$(cd "$root/boot" && ls initrd.img-*)" "$root/boot/initrd.img"

rm -f "$root"/etc/ssh/ssh_host_* "$root"/etc/ssl/private/ssl-cert-snakeoil.key "$root"/etc/ssl/certs/ssl-cert-snakeoil.pem \
    "$root/var/lib/systemd/random-seed" "$root/var/cache/ldconfig/aux-cache" "$root"/boot/System.map-* "$root"/etc/*- \
    "$root/etc/.pwd.lock" "$root/var/lib/dbus/machine-id" "$root/etc/resolv.conf"
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/* "$root"/var/cache/debconf/*-old "$root"/var/lib/dpkg/*-old "$root"/vmlinuz* "$root"/initrd.img*
find "$root/var/log" -type f -delete
: >"$root/etc/machine-id"
ln -s /etc/machine-id "$root/var/lib/dbus/machine-id"
ln -s /run/systemd/resolve/resolv.conf "$root/etc/resolv.conf"
find "$root" -xdev \( -path "$root/proc" -o -path "$root/sys" -o -path "$root/dev" -o -path "$root/run" \) -prune -o -newermt "@$SOURCE_DATE_EPOCH" -print0 |
    xargs -0 -r touch -h --date="@$SOURCE_DATE_EPOCH"
